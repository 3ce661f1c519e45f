"""Scheduled messages: created and changed by users, and sent when they are due.

The rules of sending apply twice: when the message is scheduled and when it is sent. Sending,
removal and all events are one transaction, and a second attempt finds nothing to do. So neither a
crash nor a second server loses or duplicates a message.
"""

import msgspec
from msgspec.structs import replace

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.later.scheduled import Destination, ScheduledMessage, ToChannel
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import OrganizationDeactivated
from tertulia.errors.later import TimeNotInFuture, TooLateToDeliver
from tertulia.errors.messages import NothingToChange
from tertulia.errors.people import GrantEnded
from tertulia.events.audience import Users
from tertulia.events.types.later.scheduled import ScheduledMessageRemoved, ScheduledMessageSaved

SENT_KEPT_SECONDS = 86_400  # how long a late edit gets a specific error
DELETED_PER_BATCH = 1000


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
    domain.later.scheduled.check_time(deliver_at, tx.now)
    _check_sending(tx, owner, to, draft, email_domain)
    if storage.later.scheduled.count_of(tx, owner.id) >= domain.limits.MAX_SCHEDULED_MESSAGES:
        raise BadRequest(
            f"Too many scheduled messages (limit: {domain.limits.MAX_SCHEDULED_MESSAGES})"
        )
    _check_length(tx, owner, draft.length)
    entry_id = storage.later.scheduled.insert(
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
    for entry in storage.later.scheduled.of_user(tx, owner.id):
        same = (entry.grant_id, entry.to, entry.content, entry.deliver_at) == wanted
        if same and not entry.failed:
            return entry.id
    return create(tx, owner, to, draft, None, deliver_at, email_domain)


def edit(tx: Tx, owner: User, entry_id: int, change: ScheduledChange, email_domain: str) -> None:
    """Apply the given changes. A failed message needs a new time, and is then pending again."""
    if change.is_empty:
        raise NothingToChange()
    entry = _get_own(tx, owner, entry_id)
    if change.deliver_at is not None:
        domain.later.scheduled.check_time(change.deliver_at, tx.now)
    elif entry.failed:
        raise TimeNotInFuture()
    to = _changed_destination(entry, change)
    draft = change.draft or entry.draft()
    if not change.is_about_time_alone:
        _check_sending(tx, owner, to, draft, email_domain)
    _check_length(tx, owner, draft.length - entry.draft().length)

    storage.later.scheduled.update(tx, entry.id, to, draft, change.deliver_at or entry.deliver_at)
    if change.draft is not None:
        actions.files.attachments.hold_for_scheduled(tx, owner, entry.id, change.draft.path_ids)
    events.log.announce(tx, ScheduledMessageSaved("update", entry.id), to=Users([owner.id]))


def delete(tx: Tx, owner: User, entry_id: int) -> None:
    entry = _get_own(tx, owner, entry_id)
    actions.files.attachments.release_from_scheduled(tx, entry.id)
    storage.later.scheduled.delete(tx, entry.id)
    events.log.announce(tx, ScheduledMessageRemoved(entry.id), to=Users([owner.id]))


def _check_length(tx: Tx, owner: User, added: int) -> None:
    if added <= 0 or storage.later.scheduled.count_of(tx, owner.id) < domain.limits.LATER_UNCOUNTED:
        return
    if storage.later.scheduled.length_of(tx, owner.id) + added > domain.limits.MAX_LATER_LENGTH:
        raise BadRequest(
            "Your scheduled messages together are too long (limit:"
            f" {domain.limits.MAX_LATER_LENGTH} characters, with their HTML)"
        )


def _get_own(tx: Tx, owner: User, entry_id: int) -> ScheduledMessage:
    entry = storage.later.scheduled.find(tx, entry_id)
    if entry is None or entry.owner_id != owner.id:
        raise BadRequest("Scheduled message does not exist")
    if entry.sent_at is not None:
        raise BadRequest("Scheduled message was already sent")
    return entry


def _changed_destination(entry: ScheduledMessage, change: ScheduledChange) -> Destination:
    known = entry.to
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
    return domain.later.scheduled.destination(entry.owner_id, to, topic, in_channel=in_channel)


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
    if storage.later.scheduled.find(tx, seen.id) != seen or not seen.is_due(tx.now):
        return False
    realm = storage.organization.current(tx)
    if realm.deactivated:
        raise OrganizationDeactivated()
    if seen.grant_id is not None and not realm.setting("enable_agent_access"):
        raise GrantEnded()
    if seen.is_too_late(began):
        raise TooLateToDeliver()
    sender = storage.people.find(tx, seen.owner_id)
    assert sender is not None
    # The files were resolved when the message was scheduled, by the URL its owner used then.
    kept = actions.files.attachments.release_from_scheduled(tx, seen.id)
    draft = replace(draft, path_ids=tuple({*draft.path_ids, *kept}))
    if isinstance(seen.to, ToChannel):
        actions.messages.send.to_channel(tx, sender, seen.to.channel_id, seen.to.topic, draft)
    else:
        actions.messages.send.to_people(tx, sender, list(seen.to.user_ids), draft, email_domain)
    storage.later.scheduled.mark_sent(tx, seen.id)
    events.log.announce(tx, ScheduledMessageRemoved(seen.id), to=Users([sender.id]))
    return True


def fail(tx: Tx, seen: ScheduledMessage, notice: Draft) -> bool:
    """Mark the message as failed if it is still as `seen`, and notify its owner."""
    if storage.later.scheduled.find(tx, seen.id) != seen:
        return False
    storage.later.scheduled.mark_failed(tx, seen.id)
    events.log.announce(tx, ScheduledMessageSaved("update", seen.id), to=Users([seen.owner_id]))
    owner = storage.people.find(tx, seen.owner_id)
    if owner is not None and owner.is_active and not storage.organization.current(tx).deactivated:
        actions.messages.notices.send_to_user(
            tx, owner.id, NoticeText(notice.content, notice.rendered)
        )
    return True


def delete_old_sent(tx: Tx) -> int:
    """Delete some messages that were sent long ago. Returns their number."""
    return storage.later.scheduled.delete_sent_before(
        tx, tx.now - SENT_KEPT_SECONDS, DELETED_PER_BATCH
    )
