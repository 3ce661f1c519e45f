"""Digests: a weekly mail to absent users, if there is something to report.

Channels with a protected history are left out: what a user may read there depends on when they were
subscribed.
"""

from collections.abc import Sequence

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.emails import BETWEEN, Email
from tertulia.domain.messages.catch_up import Sentence, Summary, UnreadConversation
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.digests import MAX_CHANNELS, ActiveTopic
from tertulia.domain.personal.topic_policies import TopicPolicy

KIND = "digest"


def write(
    tx: Tx,
    vault: Vault,
    user_id: int,
    active: Sequence[ActiveTopic],
    since: float,
    site: str,
    unread: Sequence[tuple[UnreadConversation, Summary]] = (),
) -> bool:
    """Send a digest to a user. False if there is nothing to report.

    A topic is quoted from its summary in `unread`, or else by its first messages.
    """
    storage.personal.digests.record(tx, user_id)
    user = storage.people.find(tx, user_id)
    if user is None or not domain.personal.digests.wants(user):
        return False
    topics = domain.personal.digests.chosen(_visible(tx, user, active))
    channels = _new_channels(tx, user, since)
    if not topics and not channels:
        return False
    realm = storage.organization.current(tx)
    leave = domain.personal.unsubscribe.address(vault, site, KIND, realm.id, user.id)
    shows_content = realm.setting(
        "message_content_allowed_in_email_notifications"
    ) and user.prefers("message_content_in_email_notifications")
    mail = Email(
        KIND,
        user.email,
        domain.emails.language_of(user),
        {
            "organization": realm.name,
            "topics": BETWEEN.join(
                _topic(tx, user, each, bool(shows_content), unread) for each in topics
            ),
            "channels": ", ".join(f"#{each.name}" for each in channels),
            "link": f"{site}/",
            "leave": leave,
        },
        headers=domain.personal.unsubscribe.headers(leave),
    )
    actions.mail_outbox.enqueue(tx, vault, mail)
    return True


def _visible(tx: Tx, user: User, active: Sequence[ActiveTopic]) -> list[ActiveTopic]:
    """The topics that a user would see in their channels, without those that they wrote alone."""
    own = {each.channel_id: each for each in storage.channels.subscriptions.of_user(tx, user.id)}
    channels = {
        each.id: each
        for each in storage.channels.find_many(tx, sorted(own))
        if each.history_public and not each.archived
    }
    found = []
    for each in active:
        if each.channel_id not in channels or each.only_writer == user.id:
            continue
        policy = storage.personal.topic_policies.policy(tx, user.id, each.channel_id, each.topic)
        is_wanted = policy in (TopicPolicy.UNMUTED, TopicPolicy.FOLLOWED)
        is_muted = policy == TopicPolicy.MUTED or own[each.channel_id].is_muted
        if is_wanted or not is_muted:
            found.append(each)
    return found


def _new_channels(tx: Tx, user: User, since: float) -> list[Channel]:
    if user.is_guest:
        return []
    return [
        each
        for each in storage.channels.list_all(tx)
        if each.created_at >= max(since, user.joined_at) and each.is_public and not each.archived
    ][:MAX_CHANNELS]


def _topic(
    tx: Tx,
    user: User,
    active: ActiveTopic,
    with_text: bool,
    unread: Sequence[tuple[UnreadConversation, Summary]],
) -> str:
    channel = storage.channels.find(tx, active.channel_id)
    assert channel is not None
    name = domain.channels.topics.shown(active.topic, allow_empty=False)
    title = f"#{channel.name} > {name} ({active.messages})"
    if not with_text:
        return title
    quoted = _quoted(tx, user, active, unread)
    if quoted:
        names = actions.people.visible_users.names_for(
            tx, user, [each.sender_id for each in quoted]
        )
        return BETWEEN.join([title, *(f"{names[each.sender_id]}: {each.text}" for each in quoted)])
    stored = storage.messages.find_many(tx, tx.realm_id, active.first_ids).values()
    # One may have moved where the user may not read, since the topics were counted for all users.
    messages = {each.id: each for each in actions.messages.visible(tx, user, stored)}
    senders = [each.sender_id for each in messages.values()]
    names = actions.people.visible_users.names_for(tx, user, senders)
    lines = [_line(names, messages[number]) for number in active.first_ids if number in messages]
    return BETWEEN.join([title, *lines])


def _quoted(
    tx: Tx,
    user: User,
    active: ActiveTopic,
    unread: Sequence[tuple[UnreadConversation, Summary]],
) -> list[Sentence]:
    """What matters of a topic, in the order in which it was written."""
    key = domain.messages.message.topic_key(active.channel_id, active.topic)
    for conversation, summary in unread:
        topic_location = conversation.channel_id, conversation.topic
        if domain.messages.message.topic_key(*topic_location) == key:
            found = actions.messages.catch_up.still_quotable(tx, user, summary.sentences)
            return sorted(found, key=lambda each: each.message_id)
    return []


def _line(names: dict[int, str], message: Message) -> str:
    return domain.personal.missed_messages.in_a_line(names[message.sender_id], message)
