"""Retention: deletes messages older than their channel or organization allows.

Each transaction deletes only a few, so that other writes do not wait.
"""

from functools import partial
from typing import Annotated

from tertulia import actions, api, storage
from tertulia.api.call import Call
from tertulia.api.channels.parameters import RetentionDays
from tertulia.database import Database, OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import FOREVER
from tertulia.domain.messages.deleted import Deletion, DeletionReason
from tertulia.domain.messages.message import Message
from tertulia.domain.people.user import User
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import Example
from tertulia.http.replies import Reply
from tertulia.jobs import housekeeping
from tertulia.jobs.runner import for_each, leader_job
from tertulia.storage.messages.expired import ExpiredMessages
from tertulia.wire import Doc
from tertulia.wire_fields import MessageCount, NewestTimestamp, OldestTimestamp

IN_VIEW = 50  # oldest messages to consider
BATCH_SIZE = 5  # messages per transaction, so that other writes do not wait
SECONDS_PER_DAY = 86_400
STEPS_PER_TURN = 100  # of a channel

DIRECT = None  # in place of a channel id: all direct conversations


def channels_with_old(tx: Tx) -> list[int | None]:
    """Channels with expired messages; DIRECT for conversations."""
    found: list[int | None] = [*storage.channels.table.with_old_messages(tx, _default_days(tx))]
    return [*found, DIRECT] if _old(tx, DIRECT, 1) else found


def delete_batch(tx: Tx, channel_id: int | None) -> int:
    """Delete a few expired messages of one topic or conversation, and announce it. Returns their
    number."""
    old = _old(tx, channel_id, IN_VIEW)
    if not old:
        return 0
    expired = [each for each in old if _conversation(each) == _conversation(old[0])][:BATCH_SIZE]
    channel = None if channel_id is DIRECT else storage.channels.table.find(tx, channel_id)
    actions.messages.deletion.remove(tx, channel, expired, Deletion(DeletionReason.RETENTION))
    return len(expired)


def find_expired(
    tx: Tx, user: User | None, channel_id: int | None, days: int | None
) -> ExpiredMessages:
    """What a retention of so many days would delete now, in one channel or in all places that use
    the organization's setting.

    Without a user it is the server's operator. `days` is None for the organization's setting.
    """
    if user is not None:
        actions.groups.permissions.require_owner(tx, user)
        if channel_id is not None:
            actions.channels.lookups.visible_to(tx, user, channel_id)
    if days is None:
        days = _default_days(tx)
    before = 0.0 if days <= 0 else tx.now - days * SECONDS_PER_DAY
    if channel_id is not None:
        return storage.messages.expired.in_channel(tx, channel_id, before)
    return storage.messages.expired.with_default_period(tx, before)


def _conversation(message: Message) -> tuple[str, tuple[int, ...]]:
    """What one event covers: a topic, or the participants of a conversation."""
    return message.topic, message.member_ids


def deletes_before(tx: Tx, channel_id: int | None) -> float:
    """Messages of a channel, or direct ones, that were sent before this time are deleted; 0 if none
    is."""
    days = _default_days(tx)
    if channel_id is not DIRECT:
        channel = storage.channels.table.find(tx, channel_id)
        if channel is not None and channel.retention_days is not None:
            days = channel.retention_days
    return 0.0 if days <= 0 else tx.now - days * SECONDS_PER_DAY


def _old(tx: Tx, channel_id: int | None, limit: int) -> list[Message]:
    before = deletes_before(tx, channel_id)
    if not before:
        return []
    oldest = storage.messages.table.oldest(tx, channel_id, limit)
    return [message for message in oldest if message.sent_at < before]


def _default_days(tx: Tx) -> int:
    """The organization's retention; FOREVER is negative."""
    days: int | None = storage.organization.realms.current(tx).setting("message_retention_days")
    return FOREVER if days is None else days


# --- endpoint ---


class RetentionPreview(Reply):
    message_count: MessageCount
    oldest_timestamp: OldestTimestamp | None
    newest_timestamp: NewestTimestamp | None
    sent_before: Annotated[
        int | None,
        Doc("Messages sent before this time are deleted, in UNIX seconds; null if none are."),
    ]


async def preview(
    call: Call,
    *,
    message_retention_days: Annotated[RetentionDays, Example(90)],
    stream_id: Annotated[int | None, Doc("The id of the channel.")] = None,
) -> RetentionPreview:
    """Count the messages that a retention period would delete, without setting it.

    Without a channel: in all channels and conversations that use the organization's setting.
    """
    days = api.channels.parameters.retention_days(message_retention_days)
    found = await call.db.read(find_expired, call.user, stream_id, days)
    return RetentionPreview(
        message_count=found.count,
        oldest_timestamp=_seconds(found.oldest_at),
        newest_timestamp=_seconds(found.newest_at),
        sent_before=_seconds(found.before or None),
    )


def _seconds(moment: float | None) -> int | None:
    return None if moment is None else int(moment)


# --- job ---


async def delete_old_messages(database: Database) -> None:
    """Delete messages that are older than the retention of their channel or organization.

    Channels take turns, so a channel with years of messages to delete does not delay the others.
    """

    async def take_turn(target: tuple[OrgDatabase, int | None]) -> bool:
        db, channel_id = target
        for _ in range(STEPS_PER_TURN):
            if not await housekeeping.with_pause(db.write(delete_batch, channel_id)):
                return False
        return True

    async def run_once(realm_id: int) -> bool:
        db = database.of(realm_id)
        targets = await db.read(channels_with_old)
        return any(await for_each([(db, target) for target in targets], take_turn))

    while any(await for_each(await database.of(0).query(_realms_with_retention), run_once)):
        pass


def _realms_with_retention(tx: Tx) -> list[int]:
    """Organizations that do not keep every message forever."""
    return tx.column(
        "SELECT id AS realm_id FROM realm WHERE settings LIKE '%\"message_retention_days\"%'"
        " UNION SELECT realm_id FROM channel WHERE retention_days IS NOT NULL ORDER BY realm_id"
    )


FEATURE = Feature(
    jobs=lambda services: [
        leader_job("retention", 300, partial(delete_old_messages, services.database))
    ]
)
