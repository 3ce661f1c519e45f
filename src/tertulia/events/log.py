"""The log as events: written with the change they tell of, read by whoever waits.

`announce` runs inside the action's transaction, so nobody hears of something that did not
happen or misses something that did.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from tertulia.domain.messages import Message
from tertulia.events import audience as audiences
from tertulia.events.audience import Audience
from tertulia.events.types.edits import MessageUpdated, words_of
from tertulia.events.types.event import Event
from tertulia.events.types.messages import MessageSent
from tertulia.events.types.registry import KINDS
from tertulia.storage import edits, log, messages, submessages
from tertulia.storage.tx import Tx

_encode = msgspec.json.Encoder().encode
_decoders = {kind: msgspec.json.Decoder(event) for kind, event in KINDS.items()}


@dataclass(slots=True)
class Happening:
    """An event at its place in the log, with what is needed to tell of it.

    `encoded` keeps the bytes of each wording, so that a thousand queues share them.
    """

    realm_id: int
    seq: int
    event: Event
    audience: Audience
    message: Message | None = None
    words: dict[str, Any] = field(default_factory=dict)
    encoded: dict[object, list[bytes]] = field(default_factory=dict)


def announce(tx: Tx, event: Event, to: Audience) -> int:
    """Write an event into the log; gives its number."""
    return log.append(tx, event.kind, _encode(to).decode(), _encode(event).decode())


def read(tx: Tx, realm_id: int, after: int, limit: int) -> list[Happening]:
    """The next events of an organization, with the messages they tell of."""
    here = tx if tx.realm_id == realm_id else tx.for_realm(realm_id)
    happenings = [
        Happening(
            entry.realm_id,
            entry.seq,
            _decoders[entry.kind].decode(entry.payload).completed(here),
            audiences.decode(entry.audience),
        )
        for entry in log.after(tx, realm_id, after, limit)
    ]
    _add_messages(tx, realm_id, happenings)
    return happenings


def _add_messages(tx: Tx, realm_id: int, happenings: list[Happening]) -> None:
    """Read what events tell of but do not hold; a message that was deleted stays away."""
    about = [
        (happening, happening.event)
        for happening in happenings
        if isinstance(happening.event, MessageSent | MessageUpdated)
    ]
    found = messages.find_many(tx, realm_id, [event.message_id for _, event in about])
    edited = [
        event.message_id
        for _, event in about
        if isinstance(event, MessageUpdated) and event.edit_id is not None
    ]
    history = edits.of_messages(tx, [each for each in edited if each in found])
    for happening, event in about:
        happening.message = found.get(event.message_id)
        if isinstance(event, MessageSent) and event.widget_id is not None:
            _add_widget(tx.for_realm(realm_id), happening, event.widget_id)
        if (
            isinstance(event, MessageUpdated)
            and event.edit_id is not None
            and happening.message is not None
        ):
            happening.words = words_of(event.edit_id, happening.message, history[event.message_id])


def _add_widget(tx: Tx, happening: Happening, widget_id: int) -> None:
    """What the message began with; what came to it later is told by events of its own."""
    widget = submessages.find(tx, widget_id)
    if happening.message is not None and widget is not None:
        happening.message = replace(happening.message, submessages=(widget,))
