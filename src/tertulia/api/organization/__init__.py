"""What administrators arrange for everybody."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.api.organization import (
        audit,
        custom_emoji,
        deactivation,
        exports,
        linkifiers,
        mail_domains,
        pictures,
        playgrounds,
        server,
        settings,
        welcome,
    )
else:
    __getattr__ = on_demand(__name__)
