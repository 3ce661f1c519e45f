"""Message edits: new content, and moves to another topic or channel.

Everything is checked before anything is changed. Clients rely on the order of events: topic
policies, deletions for users who lose access, the update, the notices.
"""

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from tertulia import domain, events, storage
from tertulia.actions.channels import channel_stats, lookups
from tertulia.actions.files import attachments
from tertulia.actions.groups import permissions
from tertulia.actions.messages import access, deletion, move_notices, send_checks
from tertulia.actions.organization import audit
from tertulia.actions.personal import topic_policies
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.files.attachments import Attachment
from tertulia.domain.messages.message import Draft, Message
from tertulia.domain.messages.moves import Move
from tertulia.domain.organization.audit import Act
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.errors.messages import (
    ChannelEditTooLate,
    EditNotAllowed,
    MoveOnlyTheNewest,
    NothingToChange,
    TopicEditTooLate,
)
from tertulia.errors.parameters import ExpectationMismatch
from tertulia.events.audience import AffectedByMove, LostByMove, NoClients
from tertulia.events.types.messages.edits import (
    MessagesDeleted,
    MessagesInvalidated,
    MessageUpdated,
    PropagateMode,
)
from tertulia.storage.messages.edits import MoveTarget, TopicPart


class MessageChanges(msgspec.Struct, frozen=True):
    """The requested changes; None keeps a value."""

    draft: Draft | None = None
    topic: str | None = None
    channel_id: int | None = None
    mode: PropagateMode = "change_one"
    notifies_old_topic: bool = False
    notifies_new_topic: bool = True
    expected_sha256: str | None = None
    site: str = ""
    address: str = ""  # of the client, for the audit log

    @property
    def is_move(self) -> bool:
        return self.topic is not None or self.channel_id is not None


class MoveInterrupted(Exception):
    """Something else has changed while a move was prepared; it can be repeated."""


class PreparedMove(msgspec.Struct):
    """A topic whose messages move to another channel. On PostgreSQL most of them are written while
    others write, too."""

    message_id: int  # the move is judged by this message, so it is written last
    from_id: int
    target_id: int
    topic_ids: list[int]
    arrived_seq: int = 0

    def still_fits(self, tx: Tx, move: Move, parts: Sequence[TopicPart]) -> bool:
        """Whether these messages move in the same way, and the same users have them."""
        rows = {part.topic_id for part in parts if part.moves_as_row}
        ends = (move.channel.id, move.target.id)
        return (
            ends == (self.from_id, self.target_id)
            and rows.issuperset(self.topic_ids)
            and not storage.log.count_after(tx, self.arrived_seq - 1, DECIDING_RECEIVERS)
        )


# Kinds of events after which other users have the messages of a channel.
DECIDING_RECEIVERS = ["channel_changed", "joined", "left"]


class ContentChange(msgspec.Struct, frozen=True):
    """The id of an edit, if the content changed, and the users it newly mentions."""

    edit_id: int | None = None
    mentioned: tuple[int, ...] = ()
    in_topic: tuple[int, ...] = ()
    in_channel: bool = False


def change(
    tx: Tx,
    user: User,
    message_id: int,
    changes: MessageChanges,
    in_portions: bool = False,
    prepared: PreparedMove | None = None,
) -> list[Attachment] | TopicPart | PreparedMove:
    """Apply the changes. Returns the user's files that no message links any more.

    `in_portions`: if this moves many messages, nothing changes. If they are not all of a topic row,
    they are returned: call `split` for portions of them, and then this again. If they move to
    another channel, a move is returned that this needs in a write after its `prepare`. It raises
    MoveInterrupted.
    """
    user = permissions.current_rights(tx, user)
    message, channel = access.changeable(tx, user, message_id)
    changes = _without_unchanged(changes, message)
    if changes.draft is None and not changes.is_move:
        raise NothingToChange()
    if changes.draft is not None:
        _check_may_edit_content(tx, user, message)
    _check_combination(changes, message)

    move = None
    parts: list[TopicPart] = []
    if channel is not None and changes.is_move:
        move, parts = _plan(tx, user, message, channel, changes)
        for part in parts if in_portions else ():
            if part.must_be_split:
                return part
        if in_portions and (whole := _to_prepare(tx, message, move, parts)) is not None:
            return whole
        if prepared is not None and not prepared.still_fits(tx, move, parts):
            raise MoveInterrupted
    detached = []
    if changes.draft is not None:
        detached = attachments.claim(tx, user, message.id, changes.draft.path_ids)
    if move is not None and not move.only_resolves:
        _audit_moves_of_others(tx, user, message, changes, move, parts)
    _apply(tx, user, message, channel, changes, move, parts, prepared)
    return detached


def split(tx: Tx, part: TopicPart, ids: Sequence[int], row_id: int | None) -> int | None:
    """Prepare a portion of the messages for a move, which readers do not see. Returns the row that
    was made for them, or None if the topic was moved meanwhile."""
    return storage.messages.edits.split(tx, part.topic_id, ids, row_id)


def prepare(tx: Tx, move: PreparedMove) -> None:
    """Write the messages of a move that follows in the same transaction."""
    move.arrived_seq = storage.log.head(tx) + 1
    to = MoveTarget(move.target_id, "", new_channel_id=move.target_id, arrived_seq=move.arrived_seq)
    storage.messages.edits.prepare_move(tx, move.topic_ids, to, move.message_id)


def _to_prepare(
    tx: Tx, message: Message, move: Move, parts: Sequence[TopicPart]
) -> PreparedMove | None:
    """Where the history is protected, or was at some time, each message decides who has it."""
    rows = [part.topic_id for part in parts if part.moves_as_row]
    is_plain = move.channel.history_public and not storage.channels.table.was_closed(
        tx, move.channel.id
    )
    if not rows or move.new_channel_id is None or not is_plain:
        return None
    return PreparedMove(message.id, move.channel.id, move.target.id, rows)


def _audit_moves_of_others(
    tx: Tx,
    user: User,
    message: Message,
    changes: MessageChanges,
    move: Move,
    parts: Sequence[TopicPart],
) -> None:
    """Record in the audit log that messages of other users are moved."""
    count = storage.messages.edits.count_of_others(tx, parts, user.id)
    if count:
        channel_ids = {"from_stream_id": move.channel.id, "stream_id": move.target.id}
        details = {**channel_ids, "messages_of_others": count}
        act = Act(f"PATCH /messages/{message.id}", user.id, changes.address, details)
        audit.record(tx, act)


# --- checks ---


def _without_unchanged(changes: MessageChanges, message: Message) -> MessageChanges:
    """Drop changes to the current values. A topic for a direct message is an error, even an
    equal one."""
    if changes.channel_id == message.channel_id:
        changes = replace(changes, channel_id=None)
    if changes.topic == message.topic and message.channel_id is not None:
        changes = replace(changes, topic=None)
    return changes


def _check_may_edit_content(tx: Tx, user: User, message: Message) -> None:
    if message.sender_id != user.id:
        raise EditNotAllowed()
    if storage.messages.submessages.widget_of(tx, message.id) is not None:
        raise BadRequest("Widgets cannot be edited.", problem="widget-not-editable")
    realm = storage.organization.realms.current(tx)
    if not realm.setting("allow_message_editing"):
        raise BadRequest(
            "Your organization has turned off message editing", problem="editing-disabled"
        )
    if _is_too_old(tx, message, realm.setting("message_content_edit_limit_seconds")):
        raise BadRequest(
            "The time limit for editing this message has passed", problem="editing-time-passed"
        )


def _check_combination(changes: MessageChanges, message: Message) -> None:
    if message.channel_id is None:
        if changes.channel_id is not None:
            raise BadRequest("Direct messages cannot be moved to channels.")
        if changes.topic is not None:
            raise BadRequest("Direct messages cannot have topics.")
    if changes.mode != "change_one" and not changes.is_move:
        raise BadRequest("Invalid propagate_mode without topic or channel edit")
    if changes.topic is not None and domain.messages.moves.is_resolved_without_name(changes.topic):
        raise BadRequest(
            "General chat cannot be marked as resolved", problem="general-chat-not-resolvable"
        )
    if changes.draft is not None and changes.channel_id is not None:
        raise BadRequest("Cannot change message content while changing channel")
    if changes.draft is not None and changes.expected_sha256 is not None:
        present = hashlib.sha256(message.content.encode()).hexdigest()
        if present != changes.expected_sha256.lower():
            raise ExpectationMismatch(field_name="prev_content_sha256")


def _is_too_old(tx: Tx, message: Message, limit_seconds: int | None) -> bool:
    if limit_seconds is None:
        return False
    return tx.now - message.sent_at > limit_seconds + domain.limits.EDIT_GRACE_SECONDS


# --- planning a move ---


def _plan(
    tx: Tx, user: User, message: Message, channel: Channel, changes: MessageChanges
) -> tuple[Move, list[TopicPart]]:
    """Which messages move where. Raises if the user may not do that."""
    target = channel if changes.channel_id is None else _target(tx, user, changes.channel_id)
    topic = message.topic if changes.topic is None else changes.topic
    everything = storage.messages.edits.parts_of(tx, channel.id, message.topic)
    ids = _affected(tx, user, message, channel, changes.mode, everything)
    moved = set(ids)
    parts = [part for each in everything if (part := each.among(moved)).ids]
    leaves_nothing = len(parts) == len(everything) and all(part.is_whole for part in parts)
    move = Move(channel, target, message.topic, topic, ids, leaves_nothing)
    if changes.topic is not None:
        _check_topic_change(tx, user, message, move, changes.mode)
    if changes.channel_id is not None:
        _check_channel_change(tx, user, message, move, changes.mode)
    if not move.only_resolves:
        send_checks.check_topic(tx, user, target, topic, starts_topic=True)
    return move, parts


def _target(tx: Tx, user: User, channel_id: int) -> Channel:
    target = lookups.readable_by(tx, user, channel_id)
    if target.archived:
        raise ChannelNotAccessible()
    return target


def _affected(
    tx: Tx,
    user: User,
    message: Message,
    channel: Channel,
    mode: PropagateMode,
    everything: Sequence[TopicPart],
) -> list[int]:
    """The messages to move, oldest first.

    In a protected history users move only messages that they can see.
    """
    if mode == "change_one":
        return [message.id]
    first = message.id if mode == "change_later" else 0
    ids = sorted(each for part in everything for each in part.ids if each >= first)
    if not channel.history_public and len(ids) > 1:
        ids = access.received_ids(tx, user, channel, ids)
    return ids


def _check_topic_change(
    tx: Tx, user: User, message: Message, move: Move, mode: PropagateMode
) -> None:
    if move.only_resolves:
        if not _has_permission(
            tx, user, move.channel, "can_resolve_topics_group", "can_resolve_topics_group"
        ):
            raise BadRequest(
                "You don't have permission to resolve topics in this channel.",
                problem="resolving-not-allowed",
            )
        return
    for channel in {move.channel.id: move.channel, move.target.id: move.target}.values():
        if not _has_permission(
            tx,
            user,
            channel,
            "can_move_messages_between_topics_group",
            "can_move_messages_within_channel_group",
        ):
            raise EditNotAllowed()
    limit = storage.organization.realms.current(tx).setting(
        "move_messages_within_stream_limit_seconds"
    )
    if limit is not None and not user.is_moderator:
        _check_age(tx, message, move, mode, limit, TopicEditTooLate())


def _check_channel_change(
    tx: Tx, user: User, message: Message, move: Move, mode: PropagateMode
) -> None:
    if not _has_permission(
        tx,
        user,
        move.channel,
        "can_move_messages_between_channels_group",
        "can_move_messages_out_of_channel_group",
    ):
        raise BadRequest(
            "You don't have permission to move this message", problem="moving-not-allowed"
        )
    send_checks.check_may_post(tx, user, move.target)
    limit = storage.organization.realms.current(tx).setting(
        "move_messages_between_streams_limit_seconds"
    )
    if limit is not None and not user.is_moderator:
        _check_age(tx, message, move, mode, limit, ChannelEditTooLate())


def _check_age(
    tx: Tx,
    message: Message,
    move: Move,
    mode: PropagateMode,
    limit: int,
    too_late: TopicEditTooLate | ChannelEditTooLate,
) -> None:
    if mode != "change_all":
        if _is_too_old(tx, message, limit):
            raise too_late
        return
    moment = tx.now - limit - domain.limits.EDIT_GRACE_SECONDS
    movable = storage.messages.table.ids_since(tx, move.ids, moment)
    if not movable:
        raise BadRequest(
            "The time limit for moving this topic has passed.", problem="moving-time-passed"
        )
    if len(movable) < len(move.ids):
        raise MoveOnlyTheNewest(
            first_message_id_allowed_to_move=movable[0],
            total_messages_in_topic=len(move.ids),
            total_messages_allowed_to_move=len(movable),
        )


def _has_permission(tx: Tx, user: User, channel: Channel, in_realm: str, in_channel: str) -> bool:
    return (
        user.is_admin
        or permissions.has_realm_permission(tx, user, in_realm)
        or permissions.has_permission(tx, user, channel.permissions["can_administer_channel_group"])
        or permissions.has_permission(tx, user, channel.permissions[in_channel])
    )


# --- changes ---


def _apply(
    tx: Tx,
    user: User,
    message: Message,
    channel: Channel | None,
    changes: MessageChanges,
    move: Move | None,
    parts: Sequence[TopicPart],
    prepared: PreparedMove | None,
) -> None:
    reworded = ContentChange()
    if changes.draft is not None:
        reworded = _edit_content(tx, user, message, channel, changes.draft, move)
    event = MessageUpdated(
        user_id=user.id,
        at=tx.now,
        message_id=message.id,
        message_ids=[message.id] if move is None else move.ids,
        edit_id=reworded.edit_id,
        channel_id=message.channel_id,
        channel_name="" if channel is None else channel.name,
        mode=None if move is None else changes.mode,
        prev_topic=message.topic,
        topic=None if move is None else move.new_topic,
        new_channel_id=None if move is None else move.new_channel_id,
        newly_mentioned=list(reworded.mentioned),
        newly_in_topic_wildcard=list(reworded.in_topic),
        newly_channel_wildcard=reworded.in_channel,
    )
    if move is None or channel is None:
        events.log.announce(tx, event, to=access.holders(tx, message, channel))
        return
    _move(tx, user, message, move, parts, event, prepared)
    taken_back = move_notices.undone_notice(tx, move)
    if taken_back is not None:
        deletion.remove(tx, move.channel, [taken_back], None)
        return
    move_notices.post(
        tx,
        user,
        move,
        to_old=changes.notifies_old_topic,
        to_new=changes.notifies_new_topic,
        site=changes.site,
    )


def _edit_content(
    tx: Tx, user: User, message: Message, channel: Channel | None, draft: Draft, move: Move | None
) -> ContentChange:
    """Change the content of a message."""
    alerted = sorted(draft.alerted)
    in_topic: list[int] = []
    if channel is None:
        mentioned = sorted(
            draft.mentions.user_ids | send_checks.check_group_mentions(tx, user, draft)
        )
        received = set(message.member_ids)
    else:
        mentioned, in_topic = send_checks.check_mentions(tx, user, channel, message.topic, draft)
        among = sorted({*mentioned, *in_topic, *alerted})
        received = storage.channels.subscriptions.receivers(tx, message, among)
        bots = send_checks.bots_mentioned_in(
            tx, channel, draft.mentions.user_ids.difference(mentioned)
        )
        if bots:
            mentioned += bots
            received |= storage.messages.flags.users_with_flag(
                tx, "historical", [message.id]
            ).intersection(bots)
    marks = {
        "mentioned": mentioned,
        "topic_wildcard_mentioned": in_topic,
        "has_alert_word": alerted,
    }
    topic = None if move is None else move.new_topic
    edit_id = storage.messages.edits.insert_content(tx, message, user.id, topic, None)
    storage.messages.edits.set_content(tx, message.id, draft)
    if draft.wants_previews:
        storage.outbox.insert(tx, "preview", user.id, message_id=message.id)
    newly: dict[str, tuple[int, ...]] = {}
    for flag, user_ids in marks.items():
        before = storage.messages.flags.users_with_flag(tx, flag, [message.id])
        storage.messages.flags.remove_flag(tx, flag, message.id)
        wanted = [user_id for user_id in user_ids if user_id in received]
        storage.messages.flags.add_flag(tx, flag, wanted, message.id)
        newly[flag] = tuple(sorted(set(wanted) - before))
    calls_all = channel is not None and draft.mentions.channel_wildcard
    return ContentChange(
        edit_id,
        newly["mentioned"],
        newly["topic_wildcard_mentioned"],
        calls_all and not message.channel_wildcard,
    )


def _move(
    tx: Tx,
    user: User,
    message: Message,
    move: Move,
    parts: Sequence[TopicPart],
    event: MessageUpdated,
    prepared: PreparedMove | None,
) -> None:
    if move.leaves_nothing and not move.only_changes_case:
        topic_policies.move(tx, move.channel.id, move.prev_topic, move.target, move.topic)
    recorded_id = None if event.edit_id is None else message.id
    to = MoveTarget(
        move.target.id,
        move.topic,
        move.new_topic,
        move.new_channel_id,
        counts_as_move=not move.only_resolves,
    )
    if move.new_channel_id is None:
        storage.messages.edits.move(tx, parts, user.id, to, recorded_id)
        unannounced = set(move.ids)
        for known, audience in access.holders_in(tx, move.channel, move.ids):
            events.log.announce(tx, event.among(known), to=audience)
            unannounced.difference_update(known)
        if unannounced:
            events.log.announce(tx, MessagesInvalidated(sorted(unannounced)), to=NoClients())
        return
    also = access.holders_by_history(tx, move.channel, move.ids)
    readers: list[tuple[list[int], list[int] | None]] = [(move.ids, None)]
    if not move.channel.history_public:
        readers = [*access.received_by(tx, move.channel.id, move.ids, also)]
    seq = storage.log.head(tx) + 1 if prepared is None else prepared.arrived_seq
    was_closed = storage.channels.table.was_closed(tx, move.channel.id)
    to = replace(to, arrived_seq=seq, origin_was_closed=was_closed)
    storage.messages.edits.move(tx, parts, user.id, to, recorded_id)
    for known, user_ids in readers:
        events.log.announce(
            tx,
            MessagesDeleted(known, move.channel.id, move.prev_topic),
            to=LostByMove(move.channel.id, move.target.id, also, user_ids),
        )
    events.log.announce(tx, event, to=AffectedByMove(move.channel.id, move.target.id, also))
    for channel in (move.channel, move.target):
        channel_stats.find_first_message(tx, channel)
