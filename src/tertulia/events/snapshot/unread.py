"""Unread messages as a client is told of them at register: by conversation and by topic."""

from typing import Any

from tertulia.domain.topics import fold, shown
from tertulia.domain.users import User
from tertulia.domain.visibility import Visibility, is_muted
from tertulia.events.directory import Organization
from tertulia.events.snapshot.facts import Facts


def unread_state(
    org: Organization, user: User, facts: Facts, *, empty_topic_name: bool
) -> dict[str, Any]:
    active = {row.channel_id: row for row in facts.subscriptions if row.active}
    policies = {(each.channel_id, fold(each.topic)): each.policy for each in facts.user_topics}
    direct: dict[int, list[int]] = {}
    groups: dict[str, list[int]] = {}
    topics: dict[tuple[int, str], tuple[str, list[int]]] = {}
    count = 0
    for message in facts.unread:
        if message.channel_id is None:
            count += 1
            others = [user_id for user_id in message.member_ids if user_id != user.id]
            if len(others) > 1:
                key = ",".join(str(user_id) for user_id in message.member_ids)
                groups.setdefault(key, []).append(message.id)
            else:
                direct.setdefault(others[0] if others else user.id, []).append(message.id)
        elif message.channel_id in active:
            key_of_topic = (message.channel_id, fold(message.topic))
            policy = policies.get(key_of_topic, Visibility.NONE)
            count += not is_muted(active[message.channel_id].is_muted, policy)
            _, ids = topics.get(key_of_topic, ("", []))
            ids.append(message.id)
            topics[key_of_topic] = (message.topic, ids)  # the newest spelling is shown
    return {
        "count": count,
        "pms": [
            {"other_user_id": other, "sender_id": other, "unread_message_ids": ids}
            for other, ids in sorted(direct.items())
        ],
        "streams": [
            {
                "stream_id": channel_id,
                "topic": shown(name, empty_topic_name),
                "unread_message_ids": ids,
            }
            for (channel_id, _), (name, ids) in sorted(topics.items())
        ],
        "huddles": [
            {"user_ids_string": key, "unread_message_ids": ids}
            for key, ids in sorted(groups.items())
        ],
        "mentions": sorted(facts.mentioned),
        "old_unreads_missing": facts.unread_missing,
    }
