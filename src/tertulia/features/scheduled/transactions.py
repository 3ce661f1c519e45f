"""Scheduled messages: created and changed by users, and sent when they are due.

The rules of sending apply twice: when the message is scheduled and when it is sent. Sending,
removal and all events are one transaction, and a second attempt finds nothing to do. So neither a
crash nor a second server loses or duplicates a message.
"""

import math

import msgspec
from msgspec.structs import replace

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.grant import Grant
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import OrganizationDeactivated
from tertulia.errors.messages import NothingToChange
from tertulia.errors.parameters import TooMany
from tertulia.errors.people import GrantEnded
from tertulia.events.audience import Users
from tertulia.features.scheduled import entry
from tertulia.features.scheduled.entry import (
    Destination,
    ScheduledMessage,
    ScheduledMessageRemoved,
    ScheduledMessageSaved,
    TimeNotInFuture,
    ToChannel,
)

MAX_PER_USER = 20_000
SENT_KEPT_SECONDS = 86_400  # how long a late edit gets a specific error
DELETED_PER_BATCH = 1000


class TooLateToDeliver(ClientError):
    message = "Message could not be sent at the scheduled time."
    problem = "scheduled-message-not-sent"


class ScheduledChange(msgspec.Struct, frozen=True):
    """The requested changes; None keeps a value."""

    in_channel: bool | None = None
    to: int | list[int] | None = None
    topic: str | None = None
    draft: Draft | None = None
    deliver_at: int | None = None

    @property
    def is_empty(self) -> bool:
        return self == ScheduledChange()

    @property
    def is_about_time_alone(self) -> bool:
        return self == ScheduledChange(deliver_at=self.deliver_at)


# --- by the owner ---


def create(
    tx: Tx,
    owner: User,
    to: Destination,
    draft: Draft,
    read_by_sender: bool | None,
    deliver_at: int,
    email_domain: str,
) -> int:
    entry.check_time(deliver_at, tx.now)
    _check_sending(tx, owner, to, draft, email_domain)
    if tx.count_rows("scheduled_message", owner_id=owner.id) >= MAX_PER_USER:
        raise TooMany("scheduled messages", MAX_PER_USER)
    _check_length(tx, owner, draft.length)
    entry_id = entry.insert(
        tx,
        owner.id,
        to,
        draft,
        read_by_sender,
        deliver_at,
        None if owner.grant is None else owner.grant.id,
    )
    actions.files.attachments.hold_for_scheduled(tx, owner, entry_id, draft.path_ids)
    events.log.announce(tx, ScheduledMessageSaved("add", entry_id), to=Users([owner.id]))
    return entry_id


def create_once(
    tx: Tx, owner: User, to: Destination, draft: Draft, deliver_at: int, email_domain: str
) -> int:
    """As `create`, but a repeated call of the same bot or agent returns what waits already."""
    grant_id = None if owner.grant is None else owner.grant.id
    wanted = (grant_id, to, draft.content, deliver_at)
    for message in entry.of_user(tx, owner.id):
        same = (message.grant_id, message.to, message.content, message.deliver_at) == wanted
        if same and not message.failed:
            return message.id
    return create(tx, owner, to, draft, None, deliver_at, email_domain)


def edit(tx: Tx, owner: User, entry_id: int, change: ScheduledChange, email_domain: str) -> None:
    """Apply the given changes. A failed message needs a new time, and is then pending again."""
    if change.is_empty:
        raise NothingToChange()
    message = _get_own(tx, owner, entry_id)
    if change.deliver_at is not None:
        entry.check_time(change.deliver_at, tx.now)
    elif message.failed:
        raise TimeNotInFuture()
    to = _changed_destination(message, change)
    draft = change.draft or message.draft()
    if not change.is_about_time_alone:
        _check_sending(tx, owner, to, draft, email_domain)
    _check_length(tx, owner, draft.length - message.draft().length)

    entry.update(tx, message.id, to, draft, change.deliver_at or message.deliver_at)
    if change.draft is not None:
        actions.files.attachments.hold_for_scheduled(tx, owner, message.id, change.draft.path_ids)
    events.log.announce(tx, ScheduledMessageSaved("update", message.id), to=Users([owner.id]))


def delete(tx: Tx, owner: User, entry_id: int) -> None:
    message = _get_own(tx, owner, entry_id)
    actions.files.attachments.release_from_scheduled(tx, message.id)
    tx.delete("scheduled_message", id=message.id)
    events.log.announce(tx, ScheduledMessageRemoved(message.id), to=Users([owner.id]))


def _check_length(tx: Tx, owner: User, added: int) -> None:
    if (
        added <= 0
        or tx.count_rows("scheduled_message", owner_id=owner.id) < domain.limits.LATER_UNCOUNTED
    ):
        return
    if entry.length_of(tx, owner.id) + added > domain.limits.MAX_LATER_LENGTH:
        raise BadRequest(
            "Your scheduled messages together are too long (limit:"
            f" {domain.limits.MAX_LATER_LENGTH} characters, with their HTML)",
            problem="no-room-left",
        )


def _get_own(tx: Tx, owner: User, entry_id: int) -> ScheduledMessage:
    message = entry.find(tx, entry_id)
    if message is None or message.owner_id != owner.id:
        raise BadRequest("Scheduled message does not exist", problem="not-found")
    if message.sent_at is not None:
        raise BadRequest(
            "Scheduled message was already sent", problem="scheduled-message-sent-already"
        )
    return message


def _changed_destination(message: ScheduledMessage, change: ScheduledChange) -> Destination:
    known = message.to
    was_in_channel = isinstance(known, ToChannel)
    in_channel = was_in_channel if change.in_channel is None else change.in_channel
    if in_channel != was_in_channel and change.to is None:
        raise BadRequest("Recipient required when updating type of scheduled message.")
    if in_channel and not was_in_channel and change.topic is None:
        raise BadRequest("Topic required when updating scheduled message type to channel.")

    to, topic = change.to, change.topic
    if to is None:
        to = known.channel_id if isinstance(known, ToChannel) else list(known.user_ids)
    if topic is None and isinstance(known, ToChannel):
        topic = known.topic
    return entry.destination(message.owner_id, to, topic, in_channel=in_channel)


def _check_sending(tx: Tx, sender: User, to: Destination, draft: Draft, email_domain: str) -> None:
    if isinstance(to, ToChannel):
        actions.messages.send_checks.check_to_channel(tx, sender, to.channel_id, to.topic, draft)
    else:
        actions.messages.send_checks.check_to_people(
            tx, sender, list(to.user_ids), draft, email_domain
        )


# --- by the server ---


def deliver(tx: Tx, seen: ScheduledMessage, draft: Draft, email_domain: str, began: float) -> bool:
    """Send the message if it is still as `seen`. Raises any error of sending.

    After a downtime, a message that was due long before `began` is too late. Messages that only
    waited for their turn are sent, however many there are.
    """
    if entry.find(tx, seen.id) != seen or not seen.is_due(tx.now):
        return False
    realm = storage.organization.realms.current(tx)
    if realm.deactivated:
        raise OrganizationDeactivated()
    if seen.grant_id is not None and not realm.setting("enable_agent_access"):
        raise GrantEnded()
    if seen.is_too_late(began):
        raise TooLateToDeliver()
    sender = storage.people.users.find(tx, seen.owner_id)
    assert sender is not None
    wait = _slow_mode_wait(tx, sender, seen.to)
    if wait:
        entry.update(tx, seen.id, seen.to, seen.draft(), math.ceil(tx.now + wait))
        events.log.announce(tx, ScheduledMessageSaved("update", seen.id), to=Users([sender.id]))
        return True
    # The files were resolved when the message was scheduled, by the URL its owner used then.
    kept = actions.files.attachments.release_from_scheduled(tx, seen.id)
    draft = replace(draft, path_ids=tuple({*draft.path_ids, *kept}))
    if isinstance(seen.to, ToChannel):
        actions.messages.send.to_channel(tx, sender, seen.to.channel_id, seen.to.topic, draft)
    else:
        actions.messages.send.to_people(tx, sender, list(seen.to.user_ids), draft, email_domain)
    entry.mark_sent(tx, seen.id)
    events.log.announce(tx, ScheduledMessageRemoved(seen.id), to=Users([sender.id]))
    return True


def _slow_mode_wait(tx: Tx, sender: User, to: Destination) -> int:
    channel = storage.channels.table.find(tx, to.channel_id) if isinstance(to, ToChannel) else None
    return (
        0 if channel is None else actions.messages.send_checks.slow_mode_wait(tx, sender, channel)
    )


def fail(tx: Tx, seen: ScheduledMessage, notice: Draft) -> bool:
    """Mark the message as failed if it is still as `seen`, and notify its owner."""
    if entry.find(tx, seen.id) != seen:
        return False
    tx.update("scheduled_message", seen.id, failed=True)
    events.log.announce(tx, ScheduledMessageSaved("update", seen.id), to=Users([seen.owner_id]))
    owner = storage.people.users.find(tx, seen.owner_id)
    if (
        owner is not None
        and owner.is_active
        and not storage.organization.realms.current(tx).deactivated
    ):
        actions.messages.notices.send_to_user(
            tx, owner.id, NoticeText(notice.content, notice.rendered)
        )
    return True


def fail_of_grant(tx: Tx, grant: Grant) -> None:
    """Do not send what an agent has scheduled; its owner can schedule it again."""
    waiting = tx.column(
        "SELECT id FROM scheduled_message WHERE grant_id = :grant AND realm_id = :realm"
        " AND sent_at IS NULL AND NOT failed ORDER BY id",
        grant=grant.id,
    )
    for entry_id in waiting:
        tx.update("scheduled_message", entry_id, failed=True)
        cancelled = ScheduledMessageSaved("update", entry_id)
        events.log.announce(tx, cancelled, to=Users([grant.user_id]))


def delete_old_sent(tx: Tx) -> int:
    """Delete some messages that were sent long ago. Returns their number."""
    return entry.delete_sent_before(tx, tx.now - SENT_KEPT_SECONDS, DELETED_PER_BATCH)
