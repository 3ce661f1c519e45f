"""Housekeeping: deletes data that is no longer needed."""

import msgspec

from tertulia import storage
from tertulia.actions.people.one_time_links import DAY
from tertulia.actions.people.password_attempts import WINDOW_SECONDS
from tertulia.actions.people.pending_invitations import KEPT_SECONDS
from tertulia.actions.people.pending_logins import EXPIRY_SECONDS, TOKEN_SECONDS
from tertulia.database.tx import Tx
from tertulia.domain.people.sessions import LIFE_SECONDS

LOG_RETENTION_SECONDS = 600  # a client that is registering still needs the last minutes
MAX_EVENTS = 500_000  # per organization; a queue that needs more is deleted
MAX_DELETED_PER_RUN = 2000  # so that other writes do not wait for a long deletion


class TrimResult(msgspec.Struct, frozen=True):
    events: int
    queues_given_up: list[str]
    is_done: bool


def delete_expired_send_keys(tx: Tx, kept_seconds: float) -> int:
    """Delete some expired idempotency keys, and stops of answers that were never finished.
    Returns the number of keys."""
    storage.messages.stopped_answers.delete_unfinished(tx, tx.now - kept_seconds)
    return storage.messages.send_keys.delete_before(tx, tx.now - kept_seconds, MAX_DELETED_PER_RUN)


def realms_with_old_access(tx: Tx) -> list[int]:
    """Organizations with expired sessions, links, invitations or login attempts."""
    return storage.housekeeping_queries.with_old_access(
        tx,
        sessions=tx.now - LIFE_SECONDS,
        attempts=tx.now - WINDOW_SECONDS,
        links=tx.now - DAY,
        invitations=tx.now - KEPT_SECONDS,
        logins_before=tx.now - EXPIRY_SECONDS,
        tokens=tx.now - TOKEN_SECONDS,
    )


def realms_to_trim(tx: Tx, max_events: int = MAX_EVENTS) -> list[int]:
    """Organizations in which `trim_log` may have something to do."""
    return storage.log.realms_with_old(tx, tx.now - LOG_RETENTION_SECONDS, max_events)


def trim_log(tx: Tx, max_events: int = MAX_EVENTS) -> TrimResult:
    """Delete events that no queue needs and that are older than some minutes.

    A queue without a reader must not keep the whole log: beyond `max_events` it is deleted, and
    its client must register again.
    """
    head = storage.log.head(tx)
    given_up = storage.queues.behind(tx, head - max_events)
    storage.queues.delete(tx, given_up)
    # The newest event stays, so that the log always shows its last seq.
    oldest = storage.log.oldest(tx, tx.realm_id) or head
    oldest_needed = storage.queues.oldest_position(tx)
    recent = storage.log.first_since(tx, tx.now - LOG_RETENTION_SECONDS) or oldest
    keep_from = min(head, recent, head if oldest_needed is None else oldest_needed)
    last_to_go = max(keep_from, head - max_events) - 1
    step = min(last_to_go, oldest + MAX_DELETED_PER_RUN - 1)
    return TrimResult(storage.log.delete_up_to(tx, step), given_up, step == last_to_go)
