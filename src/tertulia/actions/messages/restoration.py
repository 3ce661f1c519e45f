"""Kept messages: restoring them, and deleting them for good.

A restored message has its old id, its reactions, edits, flags and files.
"""

from collections.abc import Sequence
from itertools import groupby

from tertulia import events, storage
from tertulia.actions.channels import channel_stats
from tertulia.actions.files import attachments
from tertulia.actions.messages import access
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.domain.messages.message import Message
from tertulia.errors import BadRequest
from tertulia.events.audience import NoClients
from tertulia.events.types.messages.edits import MessagesInvalidated
from tertulia.events.types.messages.message import MessageRestored

BATCH_SIZE = 50  # messages per transaction, so that other writes do not wait


def restore_batch(tx: Tx, selection: KeptSelection, after_id: int = 0) -> list[int]:
    """Restore the next kept messages after an id, and announce them. Returns their ids."""
    found = [
        each.message
        for each in storage.messages.deleted.find(
            tx, selection, after_id=after_id, limit=BATCH_SIZE
        )
    ]
    ids = [message.id for message in found]
    if not ids:
        return []
    linked = storage.messages.deleted.files_linked_by(tx, ids)
    restored_files = attachments.restore(tx, linked)
    storage.messages.deleted.restore(tx, ids)
    attachments.announce_restored(tx, linked, restored_files)
    for channel_id, messages in groupby(sorted(found, key=_location), _location):
        _announce(tx, channel_id, list(messages))
    return ids


def purge_batch(tx: Tx) -> int:
    """Delete some kept messages whose time is over, for good. Returns their number."""
    ids = storage.messages.deleted.due(tx, BATCH_SIZE)
    _purge(tx, ids)
    return len(ids)


def check_erasable(tx: Tx, selection: KeptSelection) -> None:
    """Raises BadRequest if one of the selected messages is on legal hold."""
    if storage.messages.deleted.has_held(tx, selection):
        raise BadRequest(
            "Some of these messages are on legal hold. End the hold first.",
            problem="messages-on-legal-hold",
        )


def erase_batch(tx: Tx, selection: KeptSelection) -> int:
    """Delete some kept messages for good, before their time. Returns their number.

    Raises BadRequest if one of them is on legal hold: a hold can begin between two batches.
    """
    ids = [
        each.message.id for each in storage.messages.deleted.find(tx, selection, limit=BATCH_SIZE)
    ]
    check_erasable(tx, KeptSelection(message_ids=tuple(ids)))
    _purge(tx, ids)
    return len(ids)


def _purge(tx: Tx, message_ids: Sequence[int]) -> None:
    if message_ids:
        linked = storage.messages.deleted.files_linked_by(tx, message_ids)
        storage.messages.deleted.delete(tx, message_ids)
        attachments.purge(tx, linked)


def _announce(tx: Tx, channel_id: int, restored: Sequence[Message]) -> None:
    """Announce messages of one channel, or direct messages, to the users who have them again."""
    ids = [message.id for message in restored]
    channel = storage.channels.table.find(tx, channel_id) if channel_id else None
    if channel is None:
        for message in restored:
            audience = access.holders(tx, message, None)
            events.log.announce(tx, MessageRestored(message.id), to=audience)
        return
    unannounced = set(ids)
    for known, audience in access.holders_in(tx, channel, ids):
        for message_id in known:
            events.log.announce(tx, MessageRestored(message_id, channel.id), to=audience)
        unannounced.difference_update(known)
    if unannounced:
        events.log.announce(tx, MessagesInvalidated(sorted(unannounced)), to=NoClients())
    channel_stats.find_first_message(tx, channel)


def _location(message: Message) -> int:
    return message.channel_id or 0
