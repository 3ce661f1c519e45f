"""Fast path for sending: messages that the writer inserts in batches, without running an action.

The permission checks are done before. The insert is refused if a rule has changed since then, and
the send runs as an action. The SQL is in `storage/messages/fast_insert.py`. `Database.start` gets
it as an argument, because storage imports this layer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx

MAX_SMALL_CHARACTERS = 4096  # of HTML


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
