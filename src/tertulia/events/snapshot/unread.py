"""Unread messages in the register snapshot, by conversation and topic."""

from operator import attrgetter
from typing import Annotated, cast

import msgspec

from tertulia import domain
from tertulia.domain.messages.message import Resolved
from tertulia.domain.people.user import User
from tertulia.events.snapshot.snapshot_data import SnapshotData
from tertulia.events.snapshot.unread_loader import FoundUnread
from tertulia.storage.personal.topic_policies import UserTopic
from tertulia.wire import Doc
from tertulia.wire_fields import ChannelId, SenderId, TopicName, UserId

_encode = msgspec.json.Encoder().encode


UnreadIds = Annotated[list[int], Doc("Ids of the unread messages.")]


class UnreadPerson(msgspec.Struct, gc=False):
    """The unread messages of a conversation with one person."""

    other_user_id: UserId
    sender_id: SenderId
    unread_message_ids: UnreadIds


class UnreadTopic(msgspec.Struct, gc=False):
    """The unread messages of a topic, in its newest spelling."""

    stream_id: ChannelId
    topic: TopicName
    unread_message_ids: UnreadIds

    @property
    def size(self) -> int:
        return len(self.unread_message_ids)

    def with_what(self, other: "UnreadTopic") -> "UnreadTopic":
        """Joined with the same topic in another spelling."""
        ids = sorted(self.unread_message_ids + other.unread_message_ids)
        newest = self if ids[-1] == self.unread_message_ids[-1] else other
        return UnreadTopic(self.stream_id, newest.topic, ids)


class UnreadGroup(msgspec.Struct, gc=False):
    """The unread messages of a conversation with several people."""

    user_ids_string: Annotated[str, Doc("Ids of the members, with commas.")]
    unread_message_ids: UnreadIds


class UnreadMessages(msgspec.Struct):
    count: Annotated[int, Doc("The number of unread messages without muted ones.")]
    pms: Annotated[list[UnreadPerson], Doc("Conversations with one person.")]
    huddles: Annotated[list[UnreadGroup], Doc("Conversations with several people.")]
    streams: Annotated[list[UnreadTopic], Doc("The topics of channels.")]
    mentions: Annotated[list[int], Doc("Ids of the messages that mention the user.")]
    old_unreads_missing: Annotated[bool, Doc("Whether there are older ones that are left out.")]


def encode(user: User, facts: SnapshotData, *, empty_topic_name: bool) -> bytes:
    """The unread messages as JSON."""
    unread = facts.unread
    assert unread is not None, "it was asked for"
    if unread.encoded is None:
        unread.encoded = _encode(
            unread_state(user, facts, unread, empty_topic_name=empty_topic_name)
        )
    return unread.encoded


def unread_state(
    user: User, facts: SnapshotData, unread: FoundUnread, *, empty_topic_name: bool
) -> UnreadMessages:
    """Leaves out channels without a subscription. Muted messages are not counted."""
    muted: dict[int | None, bool] = {}  # by subscribed channel
    for alike in facts.subscriptions:
        if alike.active:
            muted |= dict.fromkeys(alike.channel_ids, alike.is_muted)
    unnamed = domain.channels.topics.shown("", empty_topic_name)
    topics = _topics(
        [located for located in unread.locations if located[0].channel_id in muted], unnamed
    )
    direct = [located for located in unread.locations if located[0].channel_id is None]
    count = sum([len(ids) for _, ids in direct])
    count += sum([each.size for each in topics.values() if not muted[each.stream_id]])
    for policy in facts.user_topics:
        if policy.channel_id in muted:
            count += _correction(policy, muted[policy.channel_id]) * _size(policy, topics)
    people, groups = _conversations(user, direct)
    return UnreadMessages(
        count=count,
        pms=people,
        huddles=groups,
        streams=sorted(topics.values(), key=attrgetter("stream_id")),
        mentions=list(unread.mentioned),
        old_unreads_missing=unread.is_cut,
    )


def _topics(locations: Resolved, unnamed: str) -> dict[str, UnreadTopic]:
    """By topic key; different spellings are joined."""
    topics: dict[str, UnreadTopic] = {}
    for (channel_id, name, key, _), ids in locations:
        topic = UnreadTopic(cast(int, channel_id), name or unnamed, ids)
        topics[key] = topic.with_what(topics[key]) if key in topics else topic
    return topics


def _size(policy: UserTopic, topics: dict[str, UnreadTopic]) -> int:
    """The number of unread messages in a topic."""
    key = domain.messages.message.topic_key(policy.channel_id, policy.topic)
    return topics[key].size if key in topics else 0


def _correction(policy: UserTopic, is_channel_muted: bool) -> int:
    """1, -1 or 0: how the topic's policy changes what its channel counts."""
    is_muted = domain.personal.topic_policies.is_muted(is_channel_muted, policy.policy)
    return is_channel_muted - is_muted


def _conversations(user: User, waiting: Resolved) -> tuple[list[UnreadPerson], list[UnreadGroup]]:
    pairs: dict[int, list[int]] = {}
    groups: dict[str, list[int]] = {}
    for conversation, ids in waiting:
        others = [user_id for user_id in conversation.member_ids if user_id != user.id]
        if len(others) > 1:
            groups[",".join(str(user_id) for user_id in conversation.member_ids)] = ids
        else:
            pairs[others[0] if others else user.id] = ids
    return (
        [UnreadPerson(other, other, ids) for other, ids in sorted(pairs.items())],
        [UnreadGroup(key, ids) for key, ids in sorted(groups.items())],
    )
