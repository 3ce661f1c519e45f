"""The two databases, where they differ."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.storage.database.dialects import (
        loop_connection,
        postgres,
        postgres_connection,
        postgres_failures,
        postgres_installation,
        postgres_loading,
        postgres_outages,
        postgres_sessions,
        postgres_together,
        postgres_words,
        sqlite,
        sqlite_check,
    )
else:
    __getattr__ = on_demand(__name__)
