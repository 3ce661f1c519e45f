"""Notices of Notification Bot about moved messages and resolved topics."""

from tertulia import domain, storage
from tertulia.actions.messages import notices
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message
from tertulia.domain.messages.moves import Move
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy

UNDO_SECONDS = 60  # a topic reopened so soon was resolved by mistake: its notice is deleted instead


def post(tx: Tx, user: User, move: Move, *, to_old: bool, to_new: bool, site: str) -> None:
    """Post the requested notices of a move; a resolved topic always gets one."""
    if move.only_resolves:
        _post_resolve_notice(tx, user, move)
        return
    count = len(move.ids)
    if to_new:
        link = domain.messages.moves.message_link(site, move.target, move.topic, move.ids[0])
        newest = storage.channels.topics.newest_message(tx, move.channel.id, move.prev_topic)
        origin = domain.messages.moves.topic_link(move.channel, move.prev_topic, newest)
        words = domain.messages.moves.arrival_notice(user, count, move.leaves_nothing, link, origin)
        notices.post(tx, move.target, move.topic, words, read_by=[user.id])
    if to_old:
        newest = storage.channels.topics.newest_message(tx, move.target.id, move.topic)
        target = domain.messages.moves.topic_link(move.target, move.topic, newest)
        words = domain.messages.moves.departure_notice(user, count, move.leaves_nothing, target)
        notices.post(tx, move.channel, move.prev_topic, words, read_by=[user.id])


def undone_notice(tx: Tx, move: Move) -> Message | None:
    """The last resolve notice of a topic, if the change just undoes it."""
    if not move.only_resolves:
        return None
    newest_id = storage.channels.topics.newest_message(tx, move.channel.id, move.topic)
    newest = None if newest_id is None else storage.messages.table.find(tx, newest_id)
    if newest is not None and newest.resolve_notice and tx.now - newest.sent_at <= UNDO_SECONDS:
        return newest
    return None


def _post_resolve_notice(tx: Tx, user: User, move: Move) -> None:
    words = domain.messages.moves.resolved_notice(user, move.topic)
    wanted_by = _unread_for(tx, move.channel, move.topic, user)
    notices.post(tx, move.channel, move.topic, words, read_by=[user.id], unread_only_for=wanted_by)


def _unread_for(tx: Tx, channel: Channel, topic: str, actor: User) -> list[int]:
    """Users for whom a resolve notice is unread: by default, followers of the topic.

    Users who have muted the acting user are excluded.
    """
    setting = "resolved_topic_notice_auto_read_policy"
    chosen = {
        user.id: user.prefers(setting)
        for user in storage.people.users.users_with_setting(tx, setting)
    }
    following = {
        user_id
        for user_id, policy in storage.personal.topic_policies.policies(
            tx, channel.id, topic
        ).items()
        if policy == TopicPolicy.FOLLOWED
    }
    wanting = {user_id for user_id, choice in chosen.items() if choice == "never"} | {
        user_id
        for user_id in following
        if chosen.get(user_id, "except_followed") == "except_followed"
    }
    wanting -= {actor.id, *storage.personal.muted_users.muted_by(tx, actor.id)}
    return sorted(
        storage.channels.subscriptions.active_user_ids(tx, channel.id, among=sorted(wanting))
    )
