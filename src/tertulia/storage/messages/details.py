"""Details of messages, added when they are shown: reactions, edits, submessages."""

from collections.abc import Sequence

from msgspec.structs import replace

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message


def with_details(
    tx: Tx, messages: Sequence[Message], prefix: str = "", *, only_last_text: bool = False
) -> list[Message]:
    """The messages with their details, from tables whose names have a prefix.

    `only_last_text` leaves out earlier texts but the last one.
    """
    ids = [message.id for message in messages]
    reacted = storage.messages.reactions.of_messages(tx, ids, prefix)
    edited = storage.messages.edits.of_messages(tx, ids, prefix, only_last_text=only_last_text)
    parts = storage.messages.submessages.of_messages(tx, ids, prefix)
    return [
        replace(
            message,
            reactions=reacted.get(message.id, ()),
            edits=edited.get(message.id, ()),
            submessages=parts.get(message.id, ()),
        )
        if message.id in reacted or message.id in edited or message.id in parts
        else message
        for message in messages
    ]
