"""Unread messages as a client is told of them at register: by conversation and by topic."""

from collections.abc import Iterable
from typing import Any

from tertulia import domain
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import Visibility
from tertulia.events.snapshot.facts import Facts
from tertulia.storage.messages.unread import UnreadMessage

Topic = tuple[int | None, str]  # the channel, and the name as it is compared


def unread_state(user: User, facts: Facts, *, empty_topic_name: bool) -> dict[str, Any]:
    """What is in channels that one is not in is left out, and what is muted is not counted."""
    muted: dict[int | None, bool] = {
        row.channel_id: row.is_muted for row in facts.subscriptions if row.active
    }
    policies: dict[Topic, Visibility] = {
        (each.channel_id, domain.channels.topics.fold(each.topic)): each.policy
        for each in facts.user_topics
    }
    direct = [each for each in facts.unread if each.channel_id is None]
    in_channels = [each for each in facts.unread if each.channel_id in muted]

    def counts(message: UnreadMessage) -> bool:
        policy = policies.get(
            (message.channel_id, domain.channels.topics.fold(message.topic)), Visibility.NONE
        )
        return not domain.personal.topic_policies.is_muted(muted[message.channel_id], policy)

    return {
        "count": len(direct) + sum(map(counts, in_channels)),
        **_conversations(user, direct),
        "streams": _topics(in_channels, empty_topic_name),
        "mentions": sorted(facts.mentioned),
        "old_unreads_missing": facts.unread_missing,
    }


def _conversations(user: User, messages: Iterable[UnreadMessage]) -> dict[str, Any]:
    pairs: dict[int, list[int]] = {}
    groups: dict[str, list[int]] = {}
    for message in messages:
        others = [user_id for user_id in message.member_ids if user_id != user.id]
        if len(others) > 1:
            key = ",".join(str(user_id) for user_id in message.member_ids)
            groups.setdefault(key, []).append(message.id)
        else:
            pairs.setdefault(others[0] if others else user.id, []).append(message.id)
    return {
        "pms": [
            {"other_user_id": other, "sender_id": other, "unread_message_ids": ids}
            for other, ids in sorted(pairs.items())
        ],
        "huddles": [
            {"user_ids_string": key, "unread_message_ids": ids}
            for key, ids in sorted(groups.items())
        ],
    }


def _topics(messages: Iterable[UnreadMessage], empty_topic_name: bool) -> list[dict[str, Any]]:
    topics: dict[Topic, list[UnreadMessage]] = {}
    for message in messages:
        place = (message.channel_id, domain.channels.topics.fold(message.topic))
        topics.setdefault(place, []).append(message)
    return [
        {
            "stream_id": channel_id,
            # In the newest spelling.
            "topic": domain.channels.topics.shown(found[-1].topic, empty_topic_name),
            "unread_message_ids": [message.id for message in found],
        }
        for (channel_id, _), found in sorted(topics.items())
    ]
