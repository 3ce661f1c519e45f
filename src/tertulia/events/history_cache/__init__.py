"""Caches of encoded messages and of recent windows of history."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.history_cache import fragments, pages, session
else:
    __getattr__ = lazy_submodules(__name__)
