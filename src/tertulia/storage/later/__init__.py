"""Messages that wait for their time."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.storage.later import reminders, scheduled
else:
    __getattr__ = lazy_submodules(__name__)
