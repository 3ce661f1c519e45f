"""The event log: events are written in the transaction of the change and read by the follower.

`announce` runs inside the action's transaction, so an event exists exactly if its change was
committed. Reading never fails because of an entry's content: a newer server may have written it.
"""

from collections import defaultdict
from collections.abc import Sequence
from threading import Lock

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.events import audience
from tertulia.events.audience import Audience, Everyone
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.types.event import Event, Unreadable, kinds
from tertulia.storage.log import Entry, NewEntry

PAGE = 1000  # events per read

_encode = msgspec.json.Encoder().encode
_decoders: dict[str, msgspec.json.Decoder[Event]] = {}
# msgspec is not thread-safe while it inspects a class for the first time: a second thread that
# decodes by the unfinished result crashes the process.
_making = Lock()


def announce(tx: Tx, event: Event, to: Audience) -> int:
    """Append an event to the log. Returns its seq."""
    return announce_all(tx, [(event, to)])


def announce_all(tx: Tx, alike: Sequence[tuple[Event, Audience]]) -> int:
    """Append events of one kind, each with its audience. Returns the seq of the last one."""
    first, _ = alike[0]
    return storage.log.append_all(
        tx,
        [
            NewEntry(event.kind, _encode(to).decode(), _encode(event).decode())
            for event, to in alike
        ],
        invalidates_permits=first.invalidates_permits,
        revokes_access=first.revokes_access,
    )


def read(tx: Tx, after: int, limit: int) -> list[LoggedEvent]:
    """The next events of an organization, with the data that they only refer to."""
    entries = storage.log.after(tx, tx.realm_id, after, limit)
    found: list[Event] = []
    audiences: list[Audience] = []
    for entry in entries:
        event, to = _decoded(entry)
        found.append(event)
        audiences.append(to)
    _complete(tx, found)
    return [
        LoggedEvent(entry.realm_id, entry.seq, event, to, entry.stamp)
        for entry, event, to in zip(entries, found, audiences, strict=True)
    ]


def turning(tx: Tx, after: int, limit: int) -> list[LoggedEvent]:
    """The next events that affect delivery to others, without the data that they refer to."""
    entries = storage.log.turning_after(tx, after, limit)
    return [
        LoggedEvent(entry.realm_id, entry.seq, *_decoded(entry), entry.stamp) for entry in entries
    ]


def _decoded(entry: Entry) -> tuple[Event, Audience]:
    try:
        return decoder(entry.kind).decode(entry.payload), audience.decode(entry.audience)
    except (KeyError, msgspec.DecodeError) as error:
        return Unreadable(entry.kind, type(error).__name__), Everyone()


def decoder(kind: str) -> msgspec.json.Decoder[Event]:
    """Raises KeyError for a kind that only a newer server knows."""
    found = _decoders.get(kind)
    if found is None:
        form = kinds()[kind]
        with _making:
            found = _decoders.setdefault(kind, msgspec.json.Decoder(form))
    return found


def _complete(tx: Tx, found: list[Event]) -> None:
    """Read what the events refer to, with one query per event type."""
    indexes: defaultdict[type[Event], list[int]] = defaultdict(list)
    for index, event in enumerate(found):
        indexes[type(event)].append(index)
    for kind, of_kind in indexes.items():
        completed = kind.completed_together(tx, [found[index] for index in of_kind])
        for index, event in zip(of_kind, completed, strict=True):
            found[index] = event
