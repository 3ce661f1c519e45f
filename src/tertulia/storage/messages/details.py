"""Details of messages, added when they are shown: reactions, edits, submessages."""

from collections.abc import Sequence

from msgspec.structs import replace

from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.storage.messages import edits, reactions, submessages


def with_details(
    tx: Tx, messages: Sequence[Message], *, all_texts: bool = False, with_held: bool = False
) -> list[Message]:
    """The messages with their details. Of their earlier texts they have the last one, or all with
    `all_texts`. `with_held` adds edits that only a legal hold keeps."""
    ids = [message.id for message in messages]
    reacted = reactions.of_messages(tx, ids)
    edited = edits.of_messages(tx, ids, only_last_text=not all_texts, with_held=with_held)
    parts = submessages.of_messages(tx, ids)
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
