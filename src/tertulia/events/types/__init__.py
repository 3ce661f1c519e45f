"""Event types, by subject. Each is a class that defines everything about its events."""

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
