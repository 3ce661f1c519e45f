"""Event types of scheduled messages and reminders."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.types.later import reminders, scheduled
else:
    __getattr__ = lazy_submodules(__name__)
