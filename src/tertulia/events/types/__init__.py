"""Every kind of event, by subject; each says all there is to know about itself."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.types import (
        channels,
        event,
        files,
        groups,
        later,
        messages,
        organization,
        people,
        personal,
    )
else:
    __getattr__ = lazy_submodules(__name__)
