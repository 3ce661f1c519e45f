"""Mailboxes: the pending events of one queue, and the poll that waits for them.

A mailbox is a cache. Everything in it can be read again from the log, so it can be dropped at any
moment and recreated by the next poll, on this server or another. The mailbox of an absent client is
empty, and none holds much.

An event id is the log seq shifted left. The low bits number what the log does not store: several
wire events of one log event, then ephemeral events. These numbers start at an offset derived from
the event's stamp. So an id also identifies its log, with a probability of at least 255 in 256: a
restored backup that has grown since holds other events at the same seq.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import partial

import msgspec

from tertulia.errors import BadRequest
from tertulia.errors.events import BadQueue, EventNotInQueue
from tertulia.events.audience import Audience
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.types.event import NOTHING, Event, PendingInfo, Receipt
from tertulia.storage.queues import Position

ROOM = 20  # bits between two log events
MAX_PENDING = 2000
MAX_PENDING_BYTES = 1 << 20
IDLE_AFTER_SECONDS = 10  # a client that is present polls again within a round trip

_ROOM_MASK = (1 << ROOM) - 1


MAX_INDEX = 2048  # ids of one log event that are recognized after a restart or by another server
_OFFSETS = 1 << 19  # as many numbers are left after the last offset


def event_id(seq: int, index: int = 0, stamp: int = 0) -> int:
    return (seq << ROOM) + offset(stamp) + index


def offset(stamp: int) -> int:
    """The first low bits of an event's ids; 0 for an event without a stamp."""
    return MAX_INDEX + stamp % _OFFSETS if stamp else 0


def is_stamped(event_id: int) -> bool:
    """Whether an id identifies its log. The last id of a seq means all of them."""
    return MAX_INDEX <= event_id & _ROOM_MASK < _ROOM_MASK


def index_of(event_id: int, stamp: int) -> int | None:
    """The index of an id among those of its log event; None if it is of another event."""
    index = (event_id & _ROOM_MASK) - offset(stamp)
    return index if not stamp or 0 <= index < MAX_INDEX else None


def seq_of(event_id: int) -> int:
    return event_id >> ROOM


NONE: Set[int] = frozenset()  # shared by all mailboxes without such ids


def _beyond(number: int, numbers: Set[int]) -> Set[int]:
    return {each for each in numbers if each > number} or NONE if numbers else numbers


class Pending(msgspec.Struct):
    """An event that the client has not acknowledged: its bytes without the closing id."""

    id: int
    body: bytes
    about: PendingInfo
    given: bool = False
    is_recorded: bool = False  # its receipt

    def encoded(self, flags: Mapping[int, bytes]) -> bytes:
        body = self.body[:-1]
        if self.about.flags_of is not None:
            body += b',"flags":%s' % flags.get(self.about.flags_of, b"[]")
        return b'%s,"id":%d}' % (body, self.id)


def new_receipts(entries: Iterable[Pending]) -> dict[int, Receipt]:
    """What to record before these events are sent, by event id."""
    return {
        entry.id: entry.about.receipt
        for entry in entries
        if entry.about.receipt is not None and not entry.is_recorded
    }


class ParkedPoll:
    """The poll that waits for events of a queue. A newer poll takes over from an older one."""

    __slots__ = ("_is_closed", "_queue_id", "_waiting", "count")

    def __init__(self, queue_id: str) -> None:
        self._queue_id = queue_id
        self._waiting: asyncio.Future[None] | None = None
        self._is_closed = False
        self.count = 0  # that wait, or were woken and have not taken the events yet

    @property
    def is_parked(self) -> bool:
        return self._waiting is not None

    async def wait(self) -> None:
        """Wait until something is pending, another poll takes over, or the queue is closed. Raises
        BadQueue if it is."""
        self._check_open()
        self.wake()
        waiting = asyncio.get_running_loop().create_future()
        self._waiting = waiting
        self.count += 1
        try:
            await waiting
        finally:
            self.count -= 1
            if self._waiting is waiting:
                self._waiting = None
        self._check_open()

    def wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def close(self) -> None:
        self._is_closed = True
        self.wake()

    def _check_open(self) -> None:
        if self._is_closed:
            raise BadQueue(queue_id=self._queue_id)


class Mailbox:
    """`start` and `acked` are event ids, `scanned` is a log seq.

    While a mailbox is `behind`, the log holds more events for it after `scanned`. New events are
    not added then, because they would overtake those.
    """

    __slots__ = (
        "_empty_up_to",
        "_filling",
        "_gone",
        "_merged",
        "_pending_bytes",
        "acked",
        "beats_at",
        "behind",
        "last_id",
        "listed_at",
        "listener",
        "pending",
        "poll",
        "realm_id",
        "scanned",
        "seen_at",
        "seen_id",
        "start",
        "woken_at",
    )

    def __init__(
        self, listener: Listener, realm_id: int, start: int, acked: int, seen_at: float
    ) -> None:
        self.listener = listener
        self.realm_id = realm_id
        self.start = start
        self.acked = max(start, acked)
        self.last_id = self.acked
        # The last id that the client reports, perhaps received from another server.
        self.seen_id = self.acked
        self.pending: list[Pending] = []
        self._pending_bytes = 0
        self._empty_up_to: int | None = None  # nothing was pending up to this seq
        self._gone: Set[int] = NONE  # dropped; the client may have received them
        # Merged into later events; the client may have received them from another server.
        self._merged: Set[int] = NONE
        self.seen_at = seen_at
        self.woken_at = 0.0  # when its poll was last woken, by the event loop's clock
        self.behind = True
        self.scanned = seq_of(start)
        self.seek(self.acked)
        self._filling: asyncio.Lock | None = None
        self.poll = ParkedPoll(listener.queue_id)
        self.beats_at = 0.0  # when to send a heartbeat to the waiting poll
        self.listed_at = 0.0  # when the heartbeat timer checks the mailbox; 0 for never

    @property
    def filling(self) -> asyncio.Lock:
        """One poll at a time reads the log."""
        self._filling = self._filling or asyncio.Lock()
        return self._filling

    @property
    def is_full(self) -> bool:
        return len(self.pending) >= MAX_PENDING or self._pending_bytes >= MAX_PENDING_BYTES

    def is_idle(self, now: float) -> bool:
        """Whether its client is absent."""
        return not self.poll.count and now - self.seen_at > IDLE_AFTER_SECONDS

    @property
    def needs_refill(self) -> bool:
        return self.behind and not self.pending

    def position(self, applied: int, now: float) -> Position:
        """How far the client has read, and when."""
        seen_at = now if self.poll.is_parked else self.seen_at
        return Position(self.listener.queue_id, self.acked, self.read_up_to(applied), seen_at)

    def read_up_to(self, applied: int) -> int:
        """The seq up to which the log, known up to `applied`, holds nothing new for the client."""
        if self.behind:
            return seq_of(self.acked) - 1
        return applied if self._empty_up_to is None else self._empty_up_to

    def take_pending(self) -> list[Pending]:
        """All pending events, which are now sent to the client."""
        for entry in self.pending:
            entry.given = True
        return list(self.pending)

    # --- adding ---

    def add_durable(
        self, seq: int, bodies: list[bytes], about: PendingInfo = NOTHING, stamp: int = 0
    ) -> None:
        for index, body in enumerate(bodies):
            self._add(Pending(event_id(seq, index, stamp), body, about))

    def merge(self, event: Event) -> Event:
        """Merge the event with a pending one, which is removed, if both fit in one event.

        An event that a poll has fetched here is never merged.
        """
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
        """Add an event that is not in the log, after all known up to `seq`.

        It is dropped while the mailbox is behind or full: it would overtake events of the log.
        """
        if self.behind or self.is_full:
            return
        number = max(self.last_id + 1, event_id(seq, 1, stamp))
        if number & _ROOM_MASK:  # otherwise a million without a durable event: drop it
            self._add(Pending(number, body, NOTHING))

    def mark_behind(self, seq: int) -> None:
        """Take no more events. Those after `seq` are read from the log when the client polls."""
        self.behind = True
        self.scanned = seq

    def evict(self, applied: int) -> None:
        """Drop all pending events. They are read from the log, known up to `applied`, when the
        client polls."""
        if self.pending or not self.behind:
            position = applied if self._empty_up_to is None else self._empty_up_to
            self.mark_behind(max(position, seq_of(self.start)))
            self.last_id = self.acked
            self._gone |= set([entry.id for entry in self.pending if entry.given][-1:])
            self._append([])

    def seek(self, last_event_id: int) -> None:
        """Continue at the client's last event, received from this or another server.

        That event may be one of several of the same log event, so its log event is read again.
        """
        self.seen_id = max(self.seen_id, last_event_id)
        if seq_of(last_event_id) > self.scanned:
            self.scanned = max(self.scanned, seq_of(last_event_id) - 1)
            self._append([])

    def drop_channel(self, channel_id: int) -> None:
        """Drop messages of a channel that the user lost access to."""
        self.drop(entry for entry in self.pending if entry.about.channel_id == channel_id)

    def drop_messages(self, message_ids: Collection[int]) -> None:
        """Drop messages that were deleted. Most mailboxes are empty."""
        if not self.pending:
            return
        gone = frozenset(message_ids)
        self.drop(entry for entry in self.pending if entry.about.message_id in gone)

    def drop_deleted(self, seq: int, stamp: int = 0) -> None:
        """Remember an event that is no longer sent but may have been sent before."""
        self._gone |= {event_id(seq, stamp=stamp)}

    def drop(self, entries: Iterable[Pending]) -> None:
        """Drop events that are no longer to be sent."""
        ids = {entry.id for entry in entries}
        self._gone |= ids
        self._append([entry for entry in self.pending if entry.id not in ids])

    def _append(self, entries: list[Pending]) -> None:
        self.pending = entries
        self._pending_bytes = sum(len(entry.body) for entry in entries)
        if not entries:
            self._empty_up_to = None

    def _add(self, entry: Pending) -> None:
        if entry.id > self.acked and entry.id > self.last_id:
            if self._empty_up_to is None:
                self._empty_up_to = seq_of(entry.id) - 1
            self.pending.append(entry)
            self._pending_bytes += len(entry.body)
            self.last_id = entry.id

    # --- reading ---

    def has_issued(self, number: int) -> bool:
        """Whether an id was issued here, or is the last that the client acknowledged."""
        return (
            number == self.acked
            or number in self._gone
            or number in self._merged
            or any(entry.id == number for entry in self.pending)
        )

    def acknowledge(self, last_event_id: int, head: int, index: int | None = None) -> None:
        """Drop what the client has received. Raises EventNotInQueue for an id that this queue
        cannot have issued.

        `index` is its index among the ids of one log event, if the mailbox does not know the id.
        """
        if last_event_id == -1 and self.acked == self.start:
            return
        if last_event_id == -1 or self.start <= last_event_id < self.acked:
            raise BadRequest(f"An event newer than {last_event_id} has already been pruned!")
        if not self.has_issued(last_event_id) and not self._is_ephemeral(
            last_event_id, head, index
        ):
            raise EventNotInQueue(event_id=last_event_id)
        self.acked = last_event_id
        # Another server sent it separately, and this one would send it again.
        if last_event_id in self._merged:
            self._append([])
            self.last_id = last_event_id
            self.mark_behind(seq_of(last_event_id))
        self.last_id = max(self.last_id, last_event_id)
        self._append([entry for entry in self.pending if entry.id > last_event_id])
        if self._empty_up_to is not None:
            self._empty_up_to = max(self._empty_up_to, seq_of(last_event_id) - 1)
        self._gone = _beyond(last_event_id, self._gone)
        self._merged = _beyond(last_event_id, self._merged)

    def _is_ephemeral(self, number: int, head: int, index: int | None) -> bool:
        """Whether another server, or this one before a restart, can have issued this id for an
        ephemeral event."""
        is_behind_another = bool(number & _ROOM_MASK if index is None else index)
        return number > self.start and is_behind_another and seq_of(number) <= head

    def close(self) -> None:
        self._append([])
        self.poll.close()


def is_among(mailbox: Mailbox, audience: Audience, org: Organization) -> bool:
    """Whether the mailbox's user is in the audience now."""
    user_id = mailbox.listener.user_id
    return audience.includes(org, user_id, partial(org.subscriptions.includes, user_id))


def receiving(mailboxes: Iterable[Mailbox], applied: int, now: float) -> Iterator[Mailbox]:
    """Mailboxes that take events after `applied`. Those of absent clients are emptied."""
    for mailbox in mailboxes:
        if mailbox.is_idle(now):
            mailbox.evict(applied)
        if not mailbox.behind:  # events it has missed come first, from the log
            yield mailbox


class MailboxRegistry:
    """The mailboxes of this process, and a quick filter of those for an event.

    The filter may return too many. The audience decides for each mailbox.
    """

    def __init__(self) -> None:
        self._mailboxes: dict[str, Mailbox] = {}
        self._of_user: dict[int, dict[int, set[str]]] = {}  # queue ids by realm and user
        # Queue ids, by realm, that receive all public channels.
        self._wide: dict[int, set[str]] = {}

    def __iter__(self) -> Iterator[Mailbox]:
        """A copy: the caller may remove mailboxes while it iterates."""
        return iter(list(self._mailboxes.values()))

    def __len__(self) -> int:
        return len(self._mailboxes)

    def count_parked(self) -> int:
        """The number of mailboxes with a waiting poll."""
        return sum(mailbox.poll.is_parked for mailbox in self._mailboxes.values())

    def find(self, queue_id: str) -> Mailbox | None:
        return self._mailboxes.get(queue_id)

    def add(self, mailbox: Mailbox) -> None:
        listener = mailbox.listener
        self._mailboxes[listener.queue_id] = mailbox
        listening = self._of_user.setdefault(mailbox.realm_id, {})
        listening.setdefault(listener.user_id, set()).add(listener.queue_id)
        if listener.options.includes_public_channels:
            self._wide.setdefault(mailbox.realm_id, set()).add(listener.queue_id)

    def discard(self, mailbox: Mailbox) -> None:
        queue_id, user_id = mailbox.listener.queue_id, mailbox.listener.user_id
        if self._mailboxes.get(queue_id) is not mailbox:
            return  # dropped before, and perhaps recreated
        del self._mailboxes[queue_id]
        self._wide.get(mailbox.realm_id, set()).discard(queue_id)
        listening = self._of_user[mailbox.realm_id]
        listening[user_id].discard(queue_id)
        if not listening[user_id]:
            del listening[user_id]
        if not listening:
            del self._of_user[mailbox.realm_id]
            self._wide.pop(mailbox.realm_id, None)

    def realms(self) -> list[int]:
        """Organizations with at least one mailbox."""
        return list(self._of_user)

    def is_listening(self, realm_id: int) -> bool:
        return realm_id in self._of_user

    def of_users(self, realm_id: int, user_ids: Iterable[int]) -> list[Mailbox]:
        listening = self._of_user.get(realm_id, {})
        return [
            self._mailboxes[queue_id]
            for user_id in user_ids
            for queue_id in listening.get(user_id, ())
        ]

    def of_organization(self, realm_id: int) -> list[Mailbox]:
        return self.of_users(realm_id, self._of_user.get(realm_id, {}))

    def for_audience(self, org: Organization, audience: Audience) -> list[Mailbox]:
        """Mailboxes that may be in the audience; the audience decides."""
        listening = self._of_user.get(org.realm.id, {})
        return self.of_users(org.realm.id, audience.among(org, listening.keys()))

    def for_event(self, org: Organization, logged: LoggedEvent) -> Iterable[Mailbox]:
        """The same for an event, plus mailboxes that receive all public channels."""
        found = {
            mailbox.listener.queue_id: mailbox
            for mailbox in self.for_audience(org, logged.audience)
        }
        wide = self._wide.get(org.realm.id)
        if wide and logged.event.public_channel_of(org) is not None:
            found |= {queue_id: self._mailboxes[queue_id] for queue_id in wide}
        return found.values()
