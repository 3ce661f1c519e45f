"""Messages that are sent later: scheduled messages and reminders."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.domain.later import reminders, scheduled
else:
    __getattr__ = lazy_submodules(__name__)
