"""The base class of events: a small record in the log that defines its own delivery.

An event type is one class. Most need only fields, `kind`, the wire event `Wire` and `shared_wire`;
the rest has defaults here. A class registers itself by its kind, and `kinds` imports all modules of
this package, so no list has to name it.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Self

import msgspec
from msgspec import field

from tertulia.caches.cache import Fact, NewMessage
from tertulia.class_keywords import ClassKeywords
from tertulia.database.tx import Tx
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.wire import WireEvent, type_of

_kinds: dict[str, type["Event"]] = {}


Record = Callable[[Tx, list[int]], Collection[int]]


class Receipt(msgspec.Struct, frozen=True):
    """What to record before a client receives an event. `record` gets the ids of such events, and
    returns those that are still to be sent."""

    id: int
    record: Record


class PendingInfo(msgspec.Struct, frozen=True):
    """Data of a pending event that may still change before the client fetches it."""

    channel_id: int | None = None  # the channel whose content it contains
    message_id: int | None = None
    flags_of: int | None = None  # the message whose flags are added when it is fetched
    mergeable: "Event | None" = None  # the event that a later one may be merged with
    in_order: "Event | None" = None  # the event that others may not overtake unchecked
    receipt: Receipt | None = None


class Revocation(msgspec.Struct, frozen=True):
    """Data to remove from mailboxes.

    Content of `channels` is removed for users who may no longer read them: the listed users, or for
    None the audience of the event.
    """

    queues_of: Collection[int] = ()
    channels: Mapping[int, Collection[int] | None] = field(default_factory=dict)
    messages: Collection[int] = ()


NOTHING = PendingInfo()
NO_REVOCATION = Revocation()


class Event(msgspec.Struct, frozen=True, omit_defaults=True, metaclass=ClassKeywords):
    """Something that happened. The fields are stored in the log.

    `kind` is its name in the log. `wires` are the events that clients can receive, by default the
    class `Wire` inside of it; an event without any only changes the directory.
    `touches` are the parts of the directory that every event of this kind invalidates.
    `keeps_history` means that it changes no message and no access to messages.
    `invalidates_permits` means that it can change who may send what, or the consequences of a send.
    `revokes_access` means that it ends a key, a session or an account: the response to such a
    change waits for the other servers.
    """

    kind: ClassVar[str]
    wires: ClassVar[tuple[type[WireEvent], ...]] = ()
    types: ClassVar[tuple[str, ...]] = ()  # of the wire events
    touches: ClassVar[Invalidated] = Invalidated()
    is_readable: ClassVar[bool] = True
    keeps_history: ClassVar[bool] = False
    invalidates_permits: ClassVar[bool] = True
    revokes_access: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = vars(cls).get("Wire")
        if own is not None:
            cls.wires = (own,)
        cls.types = tuple(dict.fromkeys(map(type_of, cls.wires)))
        if "kind" in vars(cls) and _kinds.setdefault(cls.kind, cls) is not cls:
            raise TypeError(f"{cls.__name__} and {_kinds[cls.kind].__name__} have one word")

    # --- loading ---

    @classmethod
    def completed_together(cls, tx: Tx, events: Sequence[Self]) -> Sequence["Event"]:
        """Complete all events of this kind on a page of the log. Some kinds do it with one
        query."""
        return [event.completed(tx) for event in events]

    def completed(self, tx: Tx) -> "Event":
        """The event with the data that the log only refers to. The log has no copy of data that
        may be deleted."""
        return self

    # --- the directory ---

    @classmethod
    def affects_delivery(cls) -> bool:
        """Whether it changes who receives other events, or in which form."""
        return cls.undo is not Event.undo

    def touched(self) -> Invalidated:
        """The parts of the directory to load again."""
        return self.touches

    def undo(self, org: Organization) -> None:
        """Undo, in the directory, what it changes for the delivery of earlier events.

        Rows that several events touched are read once, in their last state; they are rewound before
        the events are applied one by one. A client that reads late gets events by a rewound
        directory (`PastOrganization`). A kind that implements this is listed in
        `storage.log.AFFECTING_DELIVERY`.
        """

    def apply(self, org: Organization) -> None:
        """Change what the directory must have exactly at this event."""

    # --- caches ---

    @classmethod
    def facts(cls) -> Collection[Fact]:
        """The facts below that events of this kind can state, so that caches skip the others."""
        facts: list[Fact] = ["invalidates_permits"] if cls.invalidates_permits else []
        facts += ["rewritten"] if cls.rewritten is not Event.rewritten else []
        facts += ["sent"] if cls.sent is not Event.sent else []
        facts += ["logged_out"] if cls.logged_out is not Event.logged_out else []
        return facts

    def rewritten(self) -> Collection[int]:
        """The messages that this event changes or deletes in history."""
        return ()

    def sent(self) -> NewMessage | None:
        """The message that this event adds."""
        return None

    def logged_out(self) -> Collection[int]:
        """The users some of whose sessions this event ends."""
        return ()

    # --- audience ---

    def is_wanted_by(self, to: Listener) -> bool:
        return any(map(to.wants, self.types))

    def public_channel_of(self, org: Organization) -> int | None:
        """The public channel whose other listeners receive it too
        (`Options.includes_public_channels`)."""
        return None

    def passes(self, org: Organization, to: Listener) -> bool:
        """Whether the narrow of a queue matches it."""
        return True

    def is_hidden_from(self, org: Organization, user_id: int) -> bool:
        """Whether it must not be sent to a user who reads it late.

        `org` is the organization as it was at the event, `org.present` as it is now.
        """
        return False

    # --- encoding ---

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        """The wire events for this listener: none, one or several, without ids."""
        return self.shared_wire(org)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        """The wire events if they are the same for all listeners.

        A kind implements this or, if listeners get different events, `wire`.
        """
        return ()

    def variant(self, org: Organization, to: Listener) -> Hashable:
        """Equal for listeners who get the same bytes; None if every listener gets their own."""
        return "shared" if type(self).wire is Event.wire else None

    def additions(self, to: Listener) -> dict[str, Any]:
        """Members that only this listener gets, in addition to the shared ones."""
        return {}

    # --- mailboxes ---

    def about(self) -> PendingInfo:
        return NOTHING

    def merged_with(self, earlier: "Event", between: Sequence["Event"]) -> "Event | None":
        """Both events merged into one, if possible. `earlier` is pending and mergeable."""
        return None

    def revocation(self) -> Revocation:
        return NO_REVOCATION


class UserEvent(Event, frozen=True):
    """Something about a user, whose rows are loaded again."""

    user_id: int

    def touched(self) -> Invalidated:
        return Invalidated(users={self.user_id})


class MessageEvent(Event, frozen=True):
    """Something about messages.

    Each type declares the two facts that caches rely on: which messages it rewrites, and whether it
    can change a permission or move a message.
    """

    def __init_subclass__(cls) -> None:
        missing = [name for name in ("rewritten", "invalidates_permits") if name not in vars(cls)]
        if missing:
            raise TypeError(f"{cls.__name__} does not declare {' and '.join(missing)}")
        super().__init_subclass__()


class Unreadable(Event, frozen=True):
    """An event that this server cannot decode. It has no kind of its own.

    A newer server wrote it and may have sent it to any client. Its effect on the directory is
    unknown, so everything is loaded again.
    """

    is_readable: ClassVar[bool] = False
    touches: ClassVar[Invalidated] = Invalidated(everything=True)

    word: str
    problem: str

    def is_wanted_by(self, to: Listener) -> bool:
        return True

    def is_hidden_from(self, org: Organization, user_id: int) -> bool:
        return True


@cache
def wire_types() -> frozenset[str]:
    """The wire types that clients can subscribe to."""
    return frozenset(word for kind in kinds().values() for word in kind.types)


@cache
def kinds() -> Mapping[str, type[Event]]:
    """All event types by kind. `events/__init__.py` imports the modules that define them."""
    return _kinds
