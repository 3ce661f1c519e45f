"""Users' policies for topics: muted, unmuted, followed."""

from collections.abc import Sequence

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.personal.topic_policies import TopicPolicy


class UserTopic(msgspec.Struct, frozen=True):
    channel_id: int
    topic: str
    policy: TopicPolicy
    updated_at: float


def policy(tx: Tx, user_id: int, channel_id: int, topic: str) -> TopicPolicy:
    found = tx.value(
        "SELECT policy AS value FROM user_topic"
        " WHERE user_id = :user AND channel_id = :channel AND topic_key = :topic",
        user=user_id,
        channel=channel_id,
        topic=domain.channels.topics.fold(topic),
    )
    return TopicPolicy(found or 0)


def policies(
    tx: Tx, channel_id: int, topic: str, user_ids: Sequence[int] | None = None
) -> dict[int, TopicPolicy]:
    """The policies of these users, or of all, for one topic."""
    wanted = "" if user_ids is None else " AND user_id IN :users"
    rows = tx.all(
        "SELECT user_id, policy FROM user_topic WHERE realm_id = :realm"
        f" AND channel_id = :channel AND topic_key = :topic{wanted}",
        channel=channel_id,
        topic=domain.channels.topics.fold(topic),
        **({} if user_ids is None else {"users": list(user_ids)}),
    )
    return {row["user_id"]: TopicPolicy(row["policy"]) for row in rows}


def count_of(tx: Tx, user_id: int, policy: TopicPolicy | None = None) -> int:
    """The number of topics for which a user has a policy, or this policy."""
    wanted = "" if policy is None else " AND policy = :policy"
    return tx.number(
        f"SELECT count(*) AS value FROM user_topic WHERE user_id = :user{wanted}",
        user=user_id,
        **({} if policy is None else {"policy": int(policy)}),
    )


def set_policy(tx: Tx, user_id: int, channel_id: int, topic: str, value: TopicPolicy) -> None:
    """Set a policy; `none` deletes the row."""
    if value == TopicPolicy.NONE:
        tx.delete(
            "user_topic",
            user_id=user_id,
            channel_id=channel_id,
            topic_key=domain.channels.topics.fold(topic),
        )
        return
    tx.upsert(
        "user_topic",
        ("user_id", "channel_id", "topic_key"),
        user_id=user_id,
        channel_id=channel_id,
        topic_key=domain.channels.topics.fold(topic),
        topic=topic,
        policy=int(value),
        updated_at=tx.now,
    )


def of_user(tx: Tx, user_id: int) -> list[UserTopic]:
    """All policies of a user in channels that are not archived, newest first."""
    rows = tx.all(
        "SELECT t.channel_id, t.topic, t.policy, t.updated_at FROM user_topic t"
        " JOIN channel c ON c.id = t.channel_id"
        " WHERE t.user_id = :user AND t.realm_id = :realm AND NOT c.archived"
        " ORDER BY t.updated_at DESC, t.channel_id, t.topic_key",
        user=user_id,
    )
    return [
        UserTopic(row["channel_id"], row["topic"], TopicPolicy(row["policy"]), row["updated_at"])
        for row in rows
    ]
