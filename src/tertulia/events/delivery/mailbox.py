"""Mailboxes: what is pending for one queue, and the poll that waits for it.

A mailbox is a convenience. All it holds can be read again from the log, so it may be thrown away
at any moment and made anew at the next poll, on this server or another. So one whose client does
not come holds nothing, and none holds much.

An event's id is its place in the log, moved up to leave room below for what is never written
down: several wire events of one happening, and then those that only travel through memory. These
numbers do not begin at 0 but at an offset that follows from the stamp of the event. So an id also
says, with a chance of 255 in 256 or more, from which log it is: a copy that was put back and has
grown since holds other events at the same places.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Set

import msgspec

from tertulia.errors import BadRequest
from tertulia.errors.events import BadQueue, EventNotInQueue
from tertulia.events.listener import Listener
from tertulia.events.types.event import NOTHING, Event, PendingInfo
from tertulia.storage.queues import Position

ROOM = 20  # bits between two events of the log
MAX_PENDING = 2000
MAX_PENDING_BYTES = 1 << 20
LEFT_AFTER_SECONDS = 10  # a client that listens comes back within the time of a round trip

_ROOM_MASK = (1 << ROOM) - 1


MAX_INDEX = 2048  # ids of one place that are recognized after a restart, or at another server
_OFFSETS = 1 << 19  # that there are; as many numbers are left behind the last of them


def event_id(seq: int, index: int = 0, stamp: int = 0) -> int:
    return (seq << ROOM) + offset(stamp) + index


def offset(stamp: int) -> int:
    """Where the ids of an event begin; an event without a stamp has the first of its place."""
    return MAX_INDEX + stamp % _OFFSETS if stamp else 0


def is_stamped(event_id: int) -> bool:
    """Whether an id says from which log it is. The last of a place stands for all of it."""
    return MAX_INDEX <= event_id & _ROOM_MASK < _ROOM_MASK


def index_of(event_id: int, stamp: int) -> int | None:
    """The place of an id among those of an event; None if it is of another event."""
    index = (event_id & _ROOM_MASK) - offset(stamp)
    return index if not stamp or 0 <= index < MAX_INDEX else None


def seq_of(event_id: int) -> int:
    return event_id >> ROOM


NONE: Set[int] = frozenset()  # shared by all mailboxes that have nothing to remember


def _beyond(number: int, numbers: Set[int]) -> Set[int]:
    return {each for each in numbers if each > number} or NONE if numbers else numbers


class Pending(msgspec.Struct):
    """An event waiting to be fetched: its bytes without the closing id."""

    id: int
    body: bytes
    about: PendingInfo
    given: bool = False

    def encoded(self, flags: Mapping[int, bytes]) -> bytes:
        body = self.body[:-1]
        if self.about.flags_of is not None:
            body += b',"flags":%s' % flags.get(self.about.flags_of, b"[]")
        return b'%s,"id":%d}' % (body, self.id)


class Mailbox:
    """`start` and `acked` are event ids, `scanned` is a place in the log.

    While a mailbox is `behind`, the log holds more for it after `scanned`, and nothing new is
    put into it: it would arrive before its turn.
    """

    __slots__ = (
        "_closed",
        "_filling",
        "_gone",
        "_merged",
        "_pending_bytes",
        "_polls",
        "_settled",
        "_waiting",
        "acked",
        "beats_at",
        "behind",
        "last_id",
        "listed_at",
        "listener",
        "pending",
        "realm_id",
        "scanned",
        "seen_at",
        "seen_id",
        "start",
    )

    def __init__(
        self, listener: Listener, realm_id: int, start: int, acked: int, seen_at: float
    ) -> None:
        self.listener = listener
        self.realm_id = realm_id
        self.start = start
        self.acked = max(start, acked)
        self.last_id = self.acked
        self.seen_id = self.acked  # what the client says it has seen, perhaps from another server
        self.pending: list[Pending] = []
        self._pending_bytes = 0
        self._settled: int | None = None  # up to here nothing was pending when something came
        self._gone: Set[int] = NONE  # dropped since the client may have fetched them
        self._merged: Set[int] = NONE  # taken in by later ones, and perhaps told elsewhere
        self.seen_at = seen_at
        self.behind = True
        self.scanned = seq_of(start)
        self.seek(self.acked)
        self._filling: asyncio.Lock | None = None
        self._waiting: asyncio.Future[None] | None = None
        self.beats_at = 0.0  # when whoever waits is told that we are still there
        self.listed_at = 0.0  # when it is looked whether that is so; never, if it is 0
        self._polls = 0  # that wait, or were woken and have yet to take what there is
        self._closed = False

    @property
    def filling(self) -> asyncio.Lock:
        """One at a time reads on in the log."""
        self._filling = self._filling or asyncio.Lock()
        return self._filling

    @property
    def is_parked(self) -> bool:
        return self._waiting is not None

    @property
    def is_full(self) -> bool:
        return len(self.pending) >= MAX_PENDING or self._pending_bytes >= MAX_PENDING_BYTES

    def is_idle(self, now: float) -> bool:
        """Whether its client does not listen any more."""
        return not self._polls and now - self.seen_at > LEFT_AFTER_SECONDS

    @property
    def needs_refill(self) -> bool:
        return self.behind and not self.pending

    def position(self, applied: int, now: float) -> Position:
        """How far it has been read, and when."""
        seen_at = now if self.is_parked else self.seen_at
        return Position(self.listener.queue_id, self.acked, self.settled(applied), seen_at)

    def settled(self, applied: int) -> int:
        """Up to here the log, which is known up to `applied`, holds nothing new to the client."""
        if self.behind:
            return seq_of(self.acked) - 1
        return applied if self._settled is None else self._settled

    def take(self) -> list[Pending]:
        """Everything that is pending, now being given to the client."""
        for entry in self.pending:
            entry.given = True
        return list(self.pending)

    # --- filling ---

    def add_durable(
        self, seq: int, bodies: list[bytes], about: PendingInfo = NOTHING, stamp: int = 0
    ) -> None:
        for index, body in enumerate(bodies):
            self._add(Pending(event_id(seq, index, stamp), body, about))

    def merge(self, event: Event) -> Event:
        """The event together with one that is pending, which is then taken out, if they can be
        one; never with one that somebody has fetched here."""
        between: list[Event] = []
        for index in reversed(range(len(self.pending))):
            entry = self.pending[index]
            known = entry.about.mergeable
            if known is not None and not entry.given and entry.id > self.seen_id:
                merged = event.merged_with(known, between)
                if merged is not None:
                    del self.pending[index]
                    self._pending_bytes -= len(entry.body)
                    self._merged |= {entry.id}
                    return merged
            if entry.about.in_order is not None:
                between.append(entry.about.in_order)
        return event

    def add_ephemeral(self, seq: int, body: bytes, stamp: int = 0) -> None:
        """Add an event that is in no log, after all that are known up to `seq`.

        While we are behind it would overtake what the log still holds for us, and where much is
        waiting already nobody will miss it.
        """
        if self.behind or self.is_full:
            return
        number = max(self.last_id + 1, event_id(seq, 1, stamp))
        if number & _ROOM_MASK:  # a million of them without a durable one: let it go
            self._add(Pending(number, body, NOTHING))

    def mark_behind(self, seq: int) -> None:
        """Take no more: what comes after `seq` will be read from the log when it is wanted."""
        self.behind = True
        self.scanned = seq

    def evict(self, applied: int) -> None:
        """Hold nothing: all from here on will be read from the log, which is known up to
        `applied`, when the client comes back."""
        if self.pending or not self.behind:
            settled = applied if self._settled is None else self._settled
            self.mark_behind(max(settled, seq_of(self.start)))
            self.last_id = self.acked
            self._gone |= set([entry.id for entry in self.pending if entry.given][-1:])
            self._keep([])

    def seek(self, last_event_id: int) -> None:
        """Read on where the client has got to, here or on another server.

        The last event it has may be one of several of the same happening, so that is looked at
        again.
        """
        self.seen_id = max(self.seen_id, last_event_id)
        if seq_of(last_event_id) > self.scanned:
            self.scanned = max(self.scanned, seq_of(last_event_id) - 1)
            self._keep([])

    def forget_channel(self, channel_id: int) -> None:
        """Drop messages of a channel that may no longer be read."""
        self._drop(entry for entry in self.pending if entry.about.channel_id == channel_id)

    def forget_messages(self, message_ids: Collection[int]) -> None:
        """Drop the words of messages that are gone; most mailboxes, of many, hold nothing."""
        if not self.pending:
            return
        gone = frozenset(message_ids)
        self._drop(entry for entry in self.pending if entry.about.message_id in gone)

    def drop_deleted(self, seq: int, stamp: int = 0) -> None:
        """An event of the log is told to nobody any more, but may have been told before."""
        self._gone |= {event_id(seq, stamp=stamp)}

    def _drop(self, entries: Iterable[Pending]) -> None:
        ids = {entry.id for entry in entries}
        self._gone |= ids
        self._keep([entry for entry in self.pending if entry.id not in ids])

    def _keep(self, entries: list[Pending]) -> None:
        self.pending = entries
        self._pending_bytes = sum(len(entry.body) for entry in entries)
        if not entries:
            self._settled = None

    def _add(self, entry: Pending) -> None:
        if entry.id > self.acked and entry.id > self.last_id:
            if self._settled is None:
                self._settled = seq_of(entry.id) - 1
            self.pending.append(entry)
            self._pending_bytes += len(entry.body)
            self.last_id = entry.id

    # --- reading ---

    def knows(self, number: int) -> bool:
        """Whether an id was given out here, or is the last that the client has acknowledged."""
        return (
            number == self.acked
            or number in self._gone
            or number in self._merged
            or any(entry.id == number for entry in self.pending)
        )

    def acknowledge(self, last_event_id: int, head: int, index: int | None = None) -> None:
        """Drop what the client has; refuse a number that it cannot have from this queue.

        `index` is its place among the ids of one event, where the mailbox does not know it.
        """
        if last_event_id == -1 and self.acked == self.start:
            return
        if last_event_id == -1 or self.start <= last_event_id < self.acked:
            raise BadRequest(f"An event newer than {last_event_id} has already been pruned!")
        if not self.knows(last_event_id) and not self._is_fleeting(last_event_id, head, index):
            raise EventNotInQueue(event_id=last_event_id)
        self.acked = last_event_id
        if last_event_id in self._merged:  # another server told it by itself, and we would again
            self._keep([])
            self.last_id = last_event_id
            self.mark_behind(seq_of(last_event_id))
        self.last_id = max(self.last_id, last_event_id)
        self._keep([entry for entry in self.pending if entry.id > last_event_id])
        if self._settled is not None:
            self._settled = max(self._settled, seq_of(last_event_id) - 1)
        self._gone = _beyond(last_event_id, self._gone)
        self._merged = _beyond(last_event_id, self._merged)

    def _is_fleeting(self, number: int, head: int, index: int | None) -> bool:
        """Another server, or this one before a restart, may have given out a fleeting one."""
        is_behind_another = bool(number & _ROOM_MASK if index is None else index)
        return number > self.start and is_behind_another and seq_of(number) <= head

    async def wait(self) -> None:
        """Wait until something is pending, another poll takes over, or the queue is closed."""
        self._check_open()
        self.wake()
        waiting = asyncio.get_running_loop().create_future()
        self._waiting = waiting
        self._polls += 1
        try:
            await waiting
        finally:
            self._polls -= 1
            if self._waiting is waiting:
                self._waiting = None
        self._check_open()

    def wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def close(self) -> None:
        self._closed = True
        self._keep([])
        self.wake()

    def _check_open(self) -> None:
        if self._closed:
            raise BadQueue(queue_id=self.listener.queue_id)
