"""What administrators manage."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

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
    __getattr__ = lazy_submodules(__name__)
