"""Messages to be sent later."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.api.later import reminders, scheduled
else:
    __getattr__ = lazy_submodules(__name__)
