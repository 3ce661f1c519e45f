"""Fast path for sending: messages that the writer inserts in batches, without running an action.

The permission checks are done before. The insert is refused if a rule has changed since then, and
the send runs as an action. The SQL is in `storage/messages/fast_insert.py`. `Database.start` gets
it as an argument, because storage imports this layer.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx

MAX_SMALL_CHARACTERS = 4096  # of HTML
QUIET_TURNS = 3
MAX_WAIT_SECONDS = 0.005  # until the window closes


class AssignedIds(NamedTuple):
    """What the insert assigned to a message and its event."""

    message_id: int
    seq: int
    at: float
    stamp: int = 0


class FastSend(msgspec.Struct, frozen=True):
    """A message that its sender may send, by the rules at a position in the log."""

    valid_as_of: LogPosition
    row: dict[str, Any]  # of the message, without id, organization and time
    audience: str
    payload: str  # of the event, without the message id that it begins with
    key: tuple[str, bytes] | None  # idempotency key; a key that was used needs the action
    make_event: Callable[[AssignedIds], Any]  # makes the event for followers of the log
    make_result: Callable[[AssignedIds], Any]

    @property
    def is_small(self) -> bool:
        return len(self.row["rendered"]) <= MAX_SMALL_CHARACTERS


class FastInsert(Protocol):
    """The SQL of the fast path."""

    def append(self, tx: Tx, sends: Sequence[FastSend]) -> list[AssignedIds] | None:
        """Insert messages of one organization. None if a rule may have changed."""

    def as_one_statement(
        self, sends: Mapping[int, Sequence[FastSend]], now: float, timeline: str
    ) -> tuple[str, dict[str, Any]]:
        """One statement that inserts messages of several organizations, and its parameters."""

    def numbers(self, rows: Iterable[Sequence[Any]], now: float) -> dict[int, list[AssignedIds]]:
        """Read the rows that the statement returns, by organization."""


class BatchWindow:
    """Decides when the next batch of fast sends starts.

    A batch costs as much as two or three sends, so fewer and larger batches are cheaper. A client
    that was just answered usually sends again within a few turns of the event loop. So a batch
    starts after three turns without a new send, when it is full, or after the maximum wait.
    """

    def __init__(
        self, waiting: Callable[[], int], max_count: int, begin: Callable[[], None]
    ) -> None:
        """`waiting` is the number of queued sends; `max_count` of them close the window at once."""
        self._waiting = waiting
        self._max_count = max_count
        self._begin = begin
        self._loop = asyncio.get_running_loop()
        self.is_awaited = False

    def schedule(self) -> None:
        if not self.is_awaited:
            self.is_awaited = True
            end = time.monotonic() + MAX_WAIT_SECONDS
            self._loop.call_soon(self._tick, self._waiting(), QUIET_TURNS - 1, end)

    def _tick(self, before: int, turns: int, end: float) -> None:
        count = self._waiting()
        if count > before:
            turns = QUIET_TURNS
        if turns == 0 or count >= self._max_count or time.monotonic() > end:
            self.is_awaited = False
            self._begin()
        else:
            self._loop.call_soon(self._tick, count, turns - 1, end)
