"""Scheduled messages, reminders and retention."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.actions.later import reminders, retention, scheduled
else:
    __getattr__ = lazy_submodules(__name__)
