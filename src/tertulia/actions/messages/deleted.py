"""Deleted messages that are kept for a while.

Deletion moves the rows of a message to tables that no reader of messages reads
(`storage.messages.deleted`). `restoration` restores them, or deletes them for good.
"""

from collections.abc import Sequence

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import SECONDS_PER_DAY, Deletion
from tertulia.domain.messages.message import Message


def keep(tx: Tx, messages: Sequence[Message], deletion: Deletion) -> None:
    """Copy messages that are about to be deleted, if the organization keeps them, or else those
    that are on legal hold."""
    seconds = grace_seconds(tx)
    ids = [message.id for message in messages]
    if not seconds:
        ids = storage.organization.legal_holds.held_among(tx, ids)
    if ids:
        storage.messages.deleted.keep(tx, ids, deletion, tx.now + seconds)


def grace_seconds(tx: Tx) -> int:
    """How long the organization keeps deleted messages; 0 if it does not."""
    days: int = storage.organization.realms.current(tx).setting("deleted_message_grace_days")
    return days * SECONDS_PER_DAY


def shorten_grace(tx: Tx, days: int) -> None:
    """Apply a shorter grace period to messages that are kept already."""
    storage.messages.deleted.shorten(tx, days * SECONDS_PER_DAY)
