"""What hangs on messages: reactions and the history of edits, added where they are shown."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.domain.messages import Message
from tertulia.storage import edits, reactions
from tertulia.storage.tx import Tx


def added(tx: Tx, messages: Sequence[Message]) -> list[Message]:
    """The same messages with their reactions and edits."""
    ids = [message.id for message in messages]
    reacted = reactions.of_messages(tx, ids)
    edited = edits.of_messages(tx, ids)
    return [
        replace(message, reactions=reacted.get(message.id, ()), edits=edited.get(message.id, ()))
        if message.id in reacted or message.id in edited
        else message
        for message in messages
    ]
