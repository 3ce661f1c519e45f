"""Unread messages as a client is told of them at register: by conversation and by topic."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import msgspec

from tertulia import domain
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import Visibility
from tertulia.events.snapshot.asked_unread import FoundUnread
from tertulia.events.snapshot.facts import Facts
from tertulia.events.whereabouts import Spot

Topic = tuple[int, str]  # the channel, and the name as it is compared

_encode = msgspec.json.Encoder().encode

Waiting = tuple[Spot, list[int]]


class UnreadTopic(msgspec.Struct):
    """A topic, in its newest spelling, and what waits there."""

    stream_id: int
    topic: str
    unread_message_ids: list[int]

    def with_what(self, other: "UnreadTopic") -> "UnreadTopic":
        """Together with the same topic in another spelling."""
        ids = sorted(self.unread_message_ids + other.unread_message_ids)
        newest = self if ids[-1] == self.unread_message_ids[-1] else other
        return UnreadTopic(self.stream_id, newest.topic, ids)


def told(user: User, facts: Facts, *, empty_topic_name: bool) -> bytes:
    """What is unread, as JSON."""
    unread = facts.unread
    assert unread is not None, "it was asked for"
    if unread.told is None:
        unread.told = _encode(unread_state(user, facts, unread, empty_topic_name=empty_topic_name))
    return unread.told


def unread_state(
    user: User, facts: Facts, unread: FoundUnread, *, empty_topic_name: bool
) -> dict[str, Any]:
    """What is in channels that one is not in is left out, and what is muted is not counted."""
    muted: dict[int, bool] = {}  # by channel that one is in
    for alike in facts.subscriptions:
        if alike.active:
            muted |= dict.fromkeys(alike.channel_ids, alike.is_muted)
    policies: dict[Topic, Visibility] = {
        (each.channel_id, domain.channels.topics.fold(each.topic)): each.policy
        for each in facts.user_topics
    }
    unnamed = domain.channels.topics.shown("", empty_topic_name)
    direct: list[Waiting] = []
    topics: dict[Topic, UnreadTopic] = {}
    count = 0
    is_muted = domain.personal.topic_policies.is_muted
    for spot, ids in unread.places:
        channel_id, name, key, _ = spot
        if channel_id is None:
            direct.append((spot, ids))
            count += len(ids)
        elif channel_id in muted:
            topic = (channel_id, key)
            waiting = UnreadTopic(channel_id, name or unnamed, ids)
            known = topics.get(topic)
            topics[topic] = waiting if known is None else waiting.with_what(known)
            policy = policies.get(topic)
            if not (muted[channel_id] if policy is None else is_muted(muted[channel_id], policy)):
                count += len(ids)
    return {
        "count": count,
        **_conversations(user, direct),
        "streams": sorted(topics.values(), key=attrgetter("stream_id")),
        "mentions": list(unread.mentioned),
        "old_unreads_missing": unread.is_cut,
    }


def _conversations(user: User, waiting: Iterable[Waiting]) -> dict[str, Any]:
    pairs: dict[int, list[int]] = {}
    groups: dict[str, list[int]] = {}
    for spot, ids in waiting:
        others = [user_id for user_id in spot.member_ids if user_id != user.id]
        if len(others) > 1:
            groups[",".join(str(user_id) for user_id in spot.member_ids)] = ids
        else:
            pairs[others[0] if others else user.id] = ids
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
