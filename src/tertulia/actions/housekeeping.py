"""Keeping house: forgetting what nobody needs any more."""

from tertulia.events.mailbox import seq_of
from tertulia.storage import log, queues, send_keys
from tertulia.storage.tx import Tx

KEEP_LOG_SECONDS = 600  # a client that is registering right now still needs the last minutes


def forget_send_keys(tx: Tx, remembered_seconds: float) -> int:
    return send_keys.forget_before(tx, tx.now - remembered_seconds)


def trim_log(tx: Tx) -> int:
    """Drop events that every queue has read and that are not of the last minutes."""
    # The newest event stays, so that the log always shows how far its numbers have come.
    keep_from = [log.head(tx)]
    hindmost = queues.oldest_position(tx)
    if hindmost is not None:
        keep_from.append(seq_of(hindmost))
    recent = log.first_since(tx, tx.now - KEEP_LOG_SECONDS)
    if recent is not None:
        keep_from.append(recent)
    return log.forget_up_to(tx, min(keep_from) - 1)
