"""What an organization is, and what its administrators arrange for everybody."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.domain.organization import (
        audit,
        custom_emoji,
        exports,
        languages,
        linkifiers,
        mail_domains,
        pictures,
        playgrounds,
        realm,
        settings,
    )
else:
    __getattr__ = on_demand(__name__)
