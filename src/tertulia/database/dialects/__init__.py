"""The two databases, where they differ."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.database.dialects import (
        postgres,
        postgres_async,
        postgres_bulk_load,
        postgres_connection,
        postgres_failures,
        postgres_installation,
        postgres_outages,
        postgres_pipeline,
        postgres_placeholders,
        postgres_sessions,
        sqlite,
        sqlite_check,
    )
else:
    __getattr__ = lazy_submodules(__name__)
