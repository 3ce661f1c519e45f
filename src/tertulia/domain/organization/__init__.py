"""Organizations, and what their administrators configure."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

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
    __getattr__ = lazy_submodules(__name__)
