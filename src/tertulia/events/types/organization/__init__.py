"""Event types of organization settings."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.types.organization import (
        custom_emoji,
        exports,
        linkifiers,
        mail_domains,
        pictures,
        playgrounds,
        settings,
    )
else:
    __getattr__ = lazy_submodules(__name__)
