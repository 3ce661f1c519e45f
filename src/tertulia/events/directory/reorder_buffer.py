"""Reorder buffer: events that arrived before their predecessors in the log."""

import bisect

from tertulia.events.logged_event import LoggedEvent

MAX_BUFFERED_EVENTS = 256


class ReorderBuffer:
    """Keeps batches of events per organization, ordered by seq, until the gap before them closes.

    A server knows its own fast-path sends before it learns what other servers wrote in between.
    Everything here is also in the log, so dropping a batch costs a read and nothing else.
    """

    def __init__(self) -> None:
        self._batches: dict[int, list[list[LoggedEvent]]] = {}

    def has_any(self, realm_id: int) -> bool:
        return bool(self._batches.get(realm_id))

    def add(self, realm_id: int, batch: list[LoggedEvent]) -> None:
        batches = self._batches.setdefault(realm_id, [])
        if len(batches) >= MAX_BUFFERED_EVENTS:
            batches.clear()
        bisect.insort(batches, batch, key=lambda each: each[0].seq)

    def pop_next(self, realm_id: int, applied: int) -> list[LoggedEvent] | None:
        """Remove and return the first batch that continues the log after `applied`."""
        batches = self._batches.get(realm_id)
        while batches and batches[0][0].seq <= applied + 1:
            batch = batches.pop(0)
            if batch[-1].seq > applied:
                return batch
        return None

    def drop(self, realm_id: int) -> None:
        self._batches.pop(realm_id, None)
