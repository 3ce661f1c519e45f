"""The update gate: keeps back log updates of organizations that are frozen."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tertulia.events.directory.log_updates import LogUpdates

Answer = Callable[[], None]


class UpdateGate:
    """Applies updates at once, or after `frozen` ends if their organization is frozen.

    The writes that caused an update are answered after it is applied. Fast-path sends are answered
    at once: their senders need not see the directory change.
    """

    def __init__(self, apply: Callable[[LogUpdates], None]) -> None:
        self._apply = apply
        self._locks: dict[int, asyncio.Lock] = {}  # one freeze at a time in an organization
        self._held: dict[int, list[tuple[LogUpdates, Answer]]] = {}

    def deliver(self, updates: LogUpdates | None, answer: Answer) -> None:
        """Apply the updates, then answer the writes that caused them."""
        if updates is not None:
            frozen = [realm_id for realm_id in updates.realms() if realm_id in self._held]
            if frozen:
                if updates.is_appended:
                    answer()
                    answer = _already_answered
                self._held[frozen[0]].append((updates, answer))
                return
            self._apply(updates)
        answer()

    @asynccontextmanager
    async def frozen(self, realm_id: int) -> AsyncIterator[None]:
        """Keep an organization as it is while the caller reads the database.

        Writers wait for their answers meanwhile. They get them between two freezes.
        """
        async with self._locks.setdefault(realm_id, asyncio.Lock()):
            self._held[realm_id] = []
            try:
                yield
            finally:
                for updates, answer in self._held.pop(realm_id):
                    self.deliver(updates, answer)

    def drop(self, realm_id: int) -> None:
        """Free the lock of an organization that was evicted."""
        lock = self._locks.get(realm_id)
        if lock is not None and not lock.locked():
            del self._locks[realm_id]


def _already_answered() -> None:
    pass
