"""The terms of a narrow in SQL: each function returns a condition over `message m`.

Parameters are named through the selection. If a term alone leads to few messages, it notes in the
selection that the organization need not be scanned.
"""

from pyroaring import BitMap64

from tertulia.database.tx import Tx
from tertulia.domain.channels.topics import RESOLVED_PREFIX
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.storage.channels import topics
from tertulia.storage.messages.flags import with_flag
from tertulia.storage.messages.selections import Selection

DIRECT = "m.conversation_id IS NOT NULL"
RESOLVED = (
    "m.topic_id IN (SELECT p.id FROM topic p WHERE p.realm_id = :realm"
    f" AND substr(p.name, 1, {len(RESOLVED_PREFIX)}) = '{RESOLVED_PREFIX}')"
)
HAS = {
    "link": "m.has_link",
    "image": "m.has_image",
    "attachment": "m.has_attachment",
    "reaction": "EXISTS (SELECT 1 FROM reaction r WHERE r.message_id = m.id)",
}
KINDS_OF_CHANNELS = {
    "public": "NOT c.invite_only",
    "web-public": "c.is_web_public",
    "archived": "c.archived",
}


def in_channel(selection: Selection, channel_id: int, *, by_index: bool = True) -> str:
    return f"{'' if by_index else '+'}m.channel_id = {selection.value(channel_id)}"


def in_channels(selection: Selection, realm_id: int, kind: str) -> str:
    # The plus keeps the planner from using an index for this condition.
    return (
        "+m.channel_id IN (SELECT c.id FROM channel c"
        f" WHERE c.realm_id = {selection.value(realm_id)} AND {KINDS_OF_CHANNELS[kind]})"
    )


def in_topic(tx: Tx, selection: Selection, channel_id: int | None, topic_key: str) -> str:
    """In a topic of one channel, or in the topics of this name in all channels."""
    if channel_id is None:
        return (
            "m.topic_id IN (SELECT p.id FROM topic p WHERE p.realm_id ="
            f" {selection.value(tx.realm_id)} AND p.name_key = {selection.value(topic_key)})"
        )
    rows = topics.rows_of(tx, channel_id, topic_key)
    if len(rows) == 1:  # so that the index is in the order of the messages
        return f"m.topic_id = {selection.value(rows[0])}"
    return f"m.topic_id IN {selection.value(rows)}"


def sent_by(selection: Selection, user_id: int) -> str:
    return f"m.sender_id = {selection.value(user_id)}"


def in_conversation(selection: Selection, conversation_id: int) -> str:
    return f"m.conversation_id = {selection.value(conversation_id)}"


def in_conversations_of(selection: Selection, user_id: int) -> str:
    return (
        "m.conversation_id IN (SELECT d.conversation_id FROM conversation_member d"
        f" WHERE d.user_id = {selection.value(user_id)})"
    )


def until(selection: Selection, message_id: int) -> str:
    return f"m.id <= {selection.value(message_id)}"


def later_than(selection: Selection, message_id: int) -> str:
    return f"m.id > {selection.value(message_id)}"


def with_policy(selection: Selection, user_id: int, *policies: TopicPolicy) -> str:
    """In a topic for which the user has one of these policies."""
    listed = ", ".join(str(int(policy)) for policy in policies)
    return (
        "EXISTS (SELECT 1 FROM topic p JOIN user_topic t ON t.channel_id = p.channel_id"
        f" AND t.topic_key = p.name_key WHERE p.id = m.topic_id"
        f" AND t.user_id = {selection.value(user_id)} AND t.policy IN ({listed}))"
    )


def muted(selection: Selection, user_id: int) -> str:
    """In a muted topic, or in a muted channel and not in an unmuted topic."""
    muted_topic = with_policy(selection, user_id, TopicPolicy.MUTED)
    wanted_topic = with_policy(selection, user_id, TopicPolicy.UNMUTED, TopicPolicy.FOLLOWED)
    return (
        f"m.channel_id IS NOT NULL AND ({muted_topic} OR (m.channel_id IN"
        " (SELECT s.channel_id FROM subscription s"
        f" WHERE s.user_id = {selection.value(user_id)} AND s.is_muted) AND NOT {wanted_topic}))"
    )


# --- sets of ids ---


def flagged(tx: Tx, user_id: int, *flags: str) -> BitMap64:
    """The messages with one of these flags for a user."""
    return BitMap64(with_flag(tx, user_id, *flags))


def in_followed_topics(tx: Tx, user_id: int) -> BitMap64:
    """All messages of the topics that a user follows, received or not."""
    rows = tx.all(
        "SELECT m.id FROM user_topic t JOIN topic p"
        " ON p.channel_id = t.channel_id AND p.name_key = t.topic_key"
        " JOIN message m ON m.topic_id = p.id"
        f" WHERE t.user_id = :user AND t.policy = {int(TopicPolicy.FOLLOWED)}",
        user=user_id,
    )
    return BitMap64(row["id"] for row in rows)


def mentioning_everyone(tx: Tx, user_id: int) -> BitMap64:
    """Messages with a wildcard mention in a channel while the user was subscribed."""
    rows = tx.all(
        "SELECT m.id FROM message m JOIN subscription_span s"
        " ON s.channel_id = m.origin_channel_id AND s.start_message_id < m.id"
        " AND (s.end_message_id IS NULL OR m.id <= s.end_message_id)"
        " WHERE m.realm_id = :realm AND m.channel_wildcard AND s.user_id = :user",
        user=user_id,
    )
    return BitMap64(row["id"] for row in rows)
