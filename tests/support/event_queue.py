"""A user's event queue and the events that have arrived."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from tests.support.client import Reply

if TYPE_CHECKING:
    from tests.support.people import Person

T = TypeVar("T")
Event = dict[str, Any]


class EventQueue:
    """A message reaches a queue before its sender is answered, so no test has to wait.

    Events come without their `id`, which tests rarely need; `last_event_id` follows it.
    """

    def __init__(self, owner: "Person", registered: dict[str, Any]) -> None:
        self.owner = owner
        self.state = registered
        self.queue_id: str = registered["queue_id"]
        self.last_event_id: int = registered["last_event_id"]
        self._received: list[Event] = []

    def next(self) -> Event:
        """The next event; there must be one."""
        if not self._received:
            self._received = self.all()
        assert self._received, "no event was received"
        return self._received.pop(0)

    def all(self) -> list[Event]:
        """All events that have arrived since the last call."""
        event, self._received = self._received, []
        return event + self._take(self.poll())

    def silent(self) -> bool:
        """Whether nothing has arrived: `assert queue.silent()`."""
        received = self.all()
        assert received == [], "an event was received"
        return True

    def poll(self, last_event_id: int | None = None, *, dont_block: bool = True) -> Reply:
        """GET /events; the answer changes nothing here."""
        return self.owner.get(
            "/events",
            queue_id=self.queue_id,
            last_event_id=self.last_event_id if last_event_id is None else last_event_id,
            dont_block=dont_block,
        )

    def waits(self) -> "Future[list[Event]]":
        """Poll in the background, as clients do; returns once the poll is parked."""
        return self._parked(lambda: self._take(self.poll(dont_block=False)))

    def waits_raw(self) -> "Future[Reply]":
        """As `waits`, for tests that need the answer itself."""
        return self._parked(lambda: self.poll(dont_block=False))

    def _parked(self, poll: Callable[[], T]) -> "Future[T]":
        waiting = in_background(poll)
        while not (waiting.done() or self.owner.server.is_parked(self.queue_id)):
            time.sleep(0.002)
        return waiting

    def stops(self) -> Reply:
        return self.owner.delete("/events", queue_id=self.queue_id)

    def _take(self, reply: Reply) -> list[Event]:
        events: list[Event] = reply.succeeds()["events"]
        for event in events:
            number = event.pop("id")
            assert number > self.last_event_id, "events must come in ascending order"
            self.last_event_id = number
        return events


def in_background(work: Callable[[], T]) -> "Future[T]":
    """Run a function in a thread; `.result()` returns its result or raises its error."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future
