"""Flags of messages: set and cleared on single messages or a range of history."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from pyroaring import BitMap64

from tertulia import domain, storage
from tertulia.actions.channels import lookups
from tertulia.actions.messages import access, history, narrow_selection, read_state
from tertulia.actions.messages.history import HistoryWindow, Window
from tertulia.actions.messages.narrow_terms import NarrowViewer
from tertulia.actions.people import visible_users
from tertulia.database.tx import Tx
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME
from tertulia.domain.messages.message import Message
from tertulia.domain.messages.narrow import Term
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.messages import InvalidMessage
from tertulia.events.types.messages.flags import UnreadDetails

MAX_PER_WRITE = 200  # the others follow in writes of their own
EDITABLE = ("read", "starred", "collapsed")
NOT_EDITABLE = (
    "mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
    "wildcard_mentioned",
    "group_mentioned",
    "has_alert_word",
    "historical",
)


class FlagUpdate(msgspec.Struct, frozen=True):
    """The result of a change of flags."""

    changed: list[int]
    ignored_channels: list[int]  # not subscribed, so nothing in them can be unread


def joined(updates: Sequence[FlagUpdate]) -> FlagUpdate:
    """The result of several writes."""
    return FlagUpdate(
        [each for update in updates for each in update.changed],
        sorted({each for update in updates for each in update.ignored_channels}),
    )


class Marked(msgspec.Struct, frozen=True):
    """The messages that were found, and the result."""

    found: HistoryWindow
    update: FlagUpdate


def update_in_narrow(
    tx: Tx, viewer: NarrowViewer, terms: list[Term], window: Window, op: str, flag: str
) -> Marked:
    """Set or clear a flag on the first messages of a narrow that are in the window. The caller
    updates the others with `update_remaining`."""
    _check_flag(op, flag)
    narrow = narrow_selection.narrowed(tx, viewer, terms)
    found = history.within(tx, viewer.user, narrow, window)
    return Marked(found, update(tx, viewer.user, found.ids[:MAX_PER_WRITE], op, flag))


def check(tx: Tx, user: User, message_ids: Sequence[int], op: str, flag: str) -> None:
    """Raise as `update` would, without a change."""
    _check_flag(op, flag)
    if (op, flag) == ("add", "read"):
        return
    ids = list(dict.fromkeys(message_ids))
    if flag != "read":
        marked = storage.messages.flags.flags_of(tx, user.id, ids)
        ids = [each for each in ids if flag not in marked.get(each, ())]
    _require_visible(tx, user, ids, storage.messages.table.find_many(tx, tx.realm_id, ids))


def update_remaining(
    tx: Tx, user: User, message_ids: Sequence[int], op: str, flag: str
) -> FlagUpdate:
    """Update messages that were found before. Those that have gone meanwhile are skipped."""
    found = storage.messages.table.find_many(tx, tx.realm_id, list(message_ids))
    visible = access.visible(tx, user, [found[each] for each in sorted(found)])
    return update(tx, user, [message.id for message in visible], op, flag)


def update(tx: Tx, user: User, message_ids: Sequence[int], op: str, flag: str) -> FlagUpdate:
    """Set or clear a flag on messages, and announce it to the user's clients."""
    _check_flag(op, flag)
    ids = list(dict.fromkeys(message_ids))
    if flag != "read":
        changed = _mark(tx, user, ids, op, flag)
        set_or_cleared: Literal["add", "remove"] = "add" if op == "add" else "remove"
        read_state.announce_flags(tx, user.id, set_or_cleared, flag, changed)
        return FlagUpdate(changed, [])
    if op == "add":
        return FlagUpdate(read_state.mark_read(tx, user.id, ids), [])
    subscriptions = [
        row for row in storage.channels.subscriptions.of_user(tx, user.id) if row.active
    ]
    done = _mark_unread(tx, user, ids, {row.channel_id for row in subscriptions})
    muted = {row.channel_id for row in subscriptions if row.is_muted}
    details = _details(tx, user, done.changed, muted)
    read_state.announce_flags(tx, user.id, "remove", flag, done.changed, details=details)
    return done


def _check_flag(op: str, flag: str) -> None:
    if flag in NOT_EDITABLE:
        raise BadRequest(f"Flag not editable: '{flag}'")
    if flag not in EDITABLE:
        raise BadRequest(f"Invalid flag: '{flag}'")
    if op not in ("add", "remove"):
        raise BadRequest(f"Invalid message flag operation: '{op}'")


def _mark_unread(tx: Tx, user: User, ids: list[int], mine: set[int]) -> FlagUpdate:
    """Messages in channels without a subscription cannot be unread; they are skipped."""
    visible = _require_visible(
        tx, user, ids, storage.messages.table.find_many(tx, tx.realm_id, ids)
    )
    here = [each for each in visible if each.channel_id is None or each.channel_id in mine]
    read_state.add_to_history(tx, user, here)
    read_state.catch_up(tx, user.id)  # once, and not in each of several writes
    waiting = storage.messages.unread.load(tx, user.id)
    changed = [message.id for message in here if message.id not in waiting]
    if changed:
        storage.messages.unread.change(tx, user.id, waiting | BitMap64(changed))
    elsewhere = {each.channel_id for each in visible if each.channel_id is not None} - mine
    return FlagUpdate(changed, sorted(elsewhere))


def _mark(tx: Tx, user: User, ids: list[int], op: str, flag: str) -> list[int]:
    marked = {
        each
        for each, flags in storage.messages.flags.flags_of(tx, user.id, ids).items()
        if flag in flags
    }
    others = [each for each in ids if each not in marked]
    kept = _require_visible(
        tx, user, others, storage.messages.table.find_many(tx, tx.realm_id, others)
    )
    if op == "remove":
        changed = [each for each in ids if each in marked]
        storage.messages.flags.remove_flags(tx, user.id, flag, changed)
        return changed
    read_state.add_to_history(tx, user, kept)
    storage.messages.flags.add_flags(tx, user.id, flag, others)
    return others


def _require_visible(
    tx: Tx, user: User, ids: Sequence[int], found: dict[int, Message]
) -> list[Message]:
    known = [found[each] for each in ids if each in found]
    visible = access.visible(tx, user, known)
    if len(visible) < len(ids):
        raise InvalidMessage()
    return visible


def _details(tx: Tx, user: User, ids: list[int], muted: set[int]) -> dict[int, UnreadDetails]:
    """The conversation of each message, for clients that have not loaded it."""
    policies = {
        (each.channel_id, domain.channels.topics.fold(each.topic)): each.policy
        for each in storage.personal.topic_policies.of_user(tx, user.id)
    }
    mentions = {
        each
        for each, flags in storage.messages.flags.flags_of(tx, user.id, ids).items()
        if {"mentioned", "topic_wildcard_mentioned"} & set(flags)
    } | set(storage.messages.flags.wildcards_since(tx, min(ids, default=0)))
    details: dict[int, UnreadDetails] = {}
    for each in storage.messages.unread.describe(tx, user.id, ids):
        if each.channel_id is None:
            others = [user_id for user_id in each.member_ids if user_id != user.id]
            details[each.id] = UnreadDetails(user_ids=others, mentioned=each.id in mentions)
        else:
            policy = policies.get((each.channel_id, domain.channels.topics.fold(each.topic)))
            details[each.id] = UnreadDetails(
                channel_id=each.channel_id,
                topic=each.topic,
                unmuted=not domain.personal.topic_policies.is_muted(
                    each.channel_id in muted, policy
                ),
                mentioned=each.id in mentions,
            )
    return details


def mark_conversation_read(tx: Tx, user: User, channel_id: int, topic: str | None = None) -> None:
    """Mark a channel or topic as read. A topic without messages is no error."""
    channel = lookups.visible_to(tx, user, channel_id)
    if topic is not None:
        topic = topic.strip()
        topic = "" if topic == EMPTY_TOPIC_NAME else topic
    read_state.mark_conversation_read(tx, user.id, channel.id, topic)


def read_receipts(tx: Tx, user: User, message_id: int) -> list[int]:
    """Who has read a message, as far as they and the organization allow it."""
    if not storage.organization.realms.current(tx).setting("enable_read_receipts"):
        raise BadRequest(
            "Read receipts are disabled in this organization.", problem="read-receipts-disabled"
        )
    message = access.visible_to(tx, user, message_id)
    if message.channel_id is None:
        holders = set(message.member_ids)
    else:
        holders = storage.channels.subscriptions.receivers(tx, message)
        holders |= storage.messages.flags.users_with_flag(tx, "historical", [message.id])
    holders.discard(message.sender_id)
    # Users who muted each other see no read receipts of each other.
    holders -= {mute.user_id for mute in storage.personal.muted_users.of_user(tx, user.id)}
    holders.difference_update(storage.personal.muted_users.muted_by(tx, user.id))
    readers = storage.messages.unread.readers_among(tx, message, sorted(holders))
    return [
        reader.id
        for reader in visible_users.find_many(tx, user, readers)
        if reader.is_active and reader.prefers("send_read_receipts")
    ]
