"""Caches of encoded messages and of recent windows of history."""

from tertulia.events.history_cache import fragments, pages, session
