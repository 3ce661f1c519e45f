"""What every event is: a small record in the log that knows how to tell itself to a client."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
from tertulia.events.loading import Touched
from tertulia.storage.tx import Tx

Wire = dict[str, Any]


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened. The fields are what the log remembers of it.

    `types` are the wire types it can show itself as; an event without any only moves the
    directory. `shared` says that it looks the same to everyone who hears of it.
    """

    kind: ClassVar[str]
    types: ClassVar[tuple[str, ...]] = ()
    shared: ClassVar[bool] = False

    def completed(self, tx: Tx) -> "Event":
        """The event with what the log only refers to, so that what was deleted is in no log."""
        return self

    def touched(self) -> Touched:
        """The parts of the directory to read again."""
        return Touched()

    def move(self, org: Organization) -> None:
        """Change in the directory what has to be exact at this very event."""

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        """What this listener is told: no event, one or several, without their ids."""
        return ()
