"""What every event is: a small record in the log that knows all about itself.

A kind of event is one class. Most need no more than fields, `kind`, `types` and `told`; what few
of them can do besides has a default here. A class makes itself known by its word, so that no
list has to name it: whatever is a module of this package is found.
"""

import pkgutil
import sys
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Self

import msgspec
from msgspec import field

from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener

Wire = dict[str, Any]

_kinds: dict[str, type["Event"]] = {}


class PendingInfo(msgspec.Struct, frozen=True):
    """What a pending event tells of, as far as that may still change what becomes of it."""

    channel_id: int | None = None  # whose words it holds
    message_id: int | None = None
    flags_of: int | None = None  # the message whose flags are added when it is fetched
    mergeable: "Event | None" = None  # what a later event may take in
    in_order: "Event | None" = None  # what others must not be moved past without asking


class Revocation(msgspec.Struct, frozen=True):
    """What must not be found in mailboxes any more.

    Of channels, those lose the words who may no longer read them: these people, or with None
    whoever the event is told to.
    """

    queues_of: Collection[int] = ()
    channels: Mapping[int, Collection[int] | None] = field(default_factory=dict)
    messages: Collection[int] = ()


NOTHING = PendingInfo()
NOTHING_TAKEN_BACK = Revocation()


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened. The fields are what the log remembers of it.

    `kind` is its word in the log. `types` are the wire types it can show itself as; an event
    without any only moves the directory. `touches` is what every event of the kind makes be read
    again, `keeps_history` says that what was said before, and who may read it, is as it was.
    `invalidates_permits` says that somebody may now send what they could not, or the other way
    round, or that other things follow from it. `revokes_access` says that it ends a key, a session
    or an account: the answer to such a change waits for the other servers.
    """

    kind: ClassVar[str]
    types: ClassVar[tuple[str, ...]] = ()
    touches: ClassVar[Invalidated] = Invalidated()
    is_readable: ClassVar[bool] = True
    keeps_history: ClassVar[bool] = False
    invalidates_permits: ClassVar[bool] = True
    revokes_access: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kind" in vars(cls) and _kinds.setdefault(cls.kind, cls) is not cls:
            raise TypeError(f"{cls.__name__} and {_kinds[cls.kind].__name__} have one word")

    # --- reading ---

    @classmethod
    def completed_together(cls, tx: Tx, events: Sequence[Self]) -> Sequence["Event"]:
        """All events of this kind on a page of the log, completed; for some at one go."""
        return [event.completed(tx) for event in events]

    def completed(self, tx: Tx) -> "Event":
        """The event with what the log only refers to, so that what was deleted is in no log."""
        return self

    # --- the directory ---

    @classmethod
    def affects_delivery(cls) -> bool:
        """Whether it changes by what other events are judged: who hears of them, and how."""
        return cls.rewind is not Event.rewind

    def touched(self) -> Invalidated:
        """The parts of the directory to read again."""
        return self.touches

    def rewind(self, org: Organization) -> None:
        """Put back, until this event is told, what it changed and others go by before it.

        What was touched by several events is read once, as it is after the last of them; and who
        comes back after a while is told of events by a directory that was put back
        (`RewoundOrganization`). A kind that can do so is one of `storage.log.TURNING`.
        """

    def move(self, org: Organization) -> None:
        """Change in the directory what has to be exact at this very event."""

    def rewritten(self) -> Collection[int]:
        """The messages that history tells otherwise from now on, or no more."""
        return ()

    def sent(self) -> Message | None:
        """The message that is there from now on."""
        return None

    # --- who hears of it ---

    def is_wanted_by(self, to: Listener) -> bool:
        return any(map(to.wants, self.types))

    def overheard_in(self, org: Organization) -> int | None:
        """The public channel in which it is also heard by queues that listen to all of those."""
        return None

    def passes(self, org: Organization, to: Listener) -> bool:
        """Whether the narrow of a queue lets it through."""
        return True

    def is_out_of_sight(self, org: Organization, user_id: int) -> bool:
        """Whether somebody who hears of it long after must not be told any more.

        `org` is the organization as it was at the event, and `org.present` as it is now.
        """
        return False

    # --- how it is told ---

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        """What this listener is told: no event, one or several, without their ids."""
        return ({"type": self.types[0], **each} for each in self.told(org))

    def told(self, org: Organization) -> Iterable[Wire]:
        """What everyone is told alike who hears of it, without its one type.

        A kind has this or, if it looks different to some, `wire`.
        """
        return ()

    def variant(self, org: Organization, to: Listener) -> Hashable:
        """The same for listeners who are told the same; None for what is one listener's own."""
        return "shared" if type(self).wire is Event.wire else None

    def additions(self, to: Listener) -> Wire:
        """What one listener is told besides, on top of what they share with others."""
        return {}

    # --- what becomes of it in mailboxes ---

    def about(self) -> PendingInfo:
        return NOTHING

    def merged_with(self, earlier: "Event", between: Sequence["Event"]) -> "Event | None":
        """Both as one, if they can be; `earlier` is pending and called itself mergeable."""
        return None

    def taken_back(self) -> Revocation:
        return NOTHING_TAKEN_BACK


class UserEvent(Event, frozen=True):
    """Something that happened to a user, who is read again."""

    user_id: int

    def touched(self) -> Invalidated:
        return Invalidated(users={self.user_id})


class Unreadable(Event, frozen=True):
    """Stands for an event in words that this server does not know; no kind of its own.

    A newer server wrote it, and may have told it to any client. What it did to the directory can
    only be seen by reading all of that again.
    """

    is_readable: ClassVar[bool] = False
    touches: ClassVar[Invalidated] = Invalidated(everything=True)

    word: str
    problem: str

    def is_wanted_by(self, to: Listener) -> bool:
        return True

    def is_out_of_sight(self, org: Organization, user_id: int) -> bool:
        return True


@cache
def wire_types() -> frozenset[str]:
    """What clients call the types of events."""
    return frozenset(word for kind in kinds().values() for word in kind.types)


@cache
def kinds() -> Mapping[str, type[Event]]:
    """Every kind of event by its word, from all modules of this package."""
    package = sys.modules[__name__.rpartition(".")[0]]
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    return _kinds
