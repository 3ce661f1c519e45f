"""The forum of a channel: its topics, each with its opening message and how many replies it has.

Clients fetch the messages themselves by their ids, with the permissions of `GET /messages`.
"""

from typing import Annotated, Literal

import msgspec

from tertulia import actions, domain, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.http.parameter_rules import AtLeast, AtMost
from tertulia.http.replies import Reply
from tertulia.storage.channels.subscriptions import RECEIVED_WHILE_SUBSCRIBED
from tertulia.storage.channels.topics import ChannelTopic
from tertulia.wire import Doc
from tertulia.wire_fields import AllowEmptyTopicName, ChannelId, TopicName

MAX_COUNTED = 1_000  # replies of a topic; of 100 topics, that takes 11 ms of CPU
MAX_AUTHORS = 3
SCANNED_REPLIES = 30  # for the last authors

Order = Literal["latest", "newest", "unanswered"]


class ForumTopic(Reply):
    name: TopicName
    first_id: Annotated[int, Doc("The id of the oldest message, which opens the topic.")]
    max_id: Annotated[int, Doc("The id of the newest message.")]
    reply_count: Annotated[
        int, Doc(f"The number of messages after the first, counted up to {MAX_COUNTED:,}.")
    ]
    last_authors: Annotated[
        list[int], Doc(f"Users with the last replies, newest first, at most {MAX_AUTHORS}.")
    ]


class Forum(Reply):
    topics: Annotated[list[ForumTopic], Doc("The requested part of the topics, in their order.")]
    unanswered_count: Annotated[
        int, Doc("The number of topics in the channel without a reply that are not resolved.")
    ]
    found_last: Annotated[bool, Doc("Whether there are no topics after these.")]


class ForumPart(msgspec.Struct, frozen=True):
    order: Order
    offset: int
    limit: int


def is_unanswered(topic: ChannelTopic) -> bool:
    return topic.first_id == topic.newest_id and not topic.name.startswith(
        domain.channels.topics.RESOLVED_PREFIX
    )


def ordered(topics: list[ChannelTopic], order: Order) -> list[ChannelTopic]:
    """Topics of a channel, by their newest message or by their first one."""
    if order == "latest":
        return topics
    newest = sorted(topics, key=lambda each: each.first_id, reverse=True)
    return newest if order == "newest" else [each for each in newest if is_unanswered(each)]


def read(tx: Tx, user: User | None, channel_id: int, part: ForumPart) -> Forum:
    """The topics of a channel that the reader may read. Anonymous readers have no account."""
    topics, received_by = actions.channels.lookups.readable_topics(tx, user, channel_id)
    found = ordered(topics, part.order)
    end = part.offset + part.limit
    return Forum(
        topics=[_opened(tx, channel_id, each, received_by) for each in found[part.offset : end]],
        unanswered_count=sum(map(is_unanswered, topics)),
        found_last=len(found) <= end,
    )


def _opened(tx: Tx, channel_id: int, topic: ChannelTopic, received_by: int | None) -> ForumTopic:
    where, params = storage.channels.topics.condition(
        tx, channel_id, domain.channels.topics.fold(topic.name)
    )
    replies = f"FROM message m WHERE m.{where} AND m.id > :first"
    if received_by is not None:
        replies += f" AND {RECEIVED_WHILE_SUBSCRIBED}"
        params["me"] = received_by
    count = tx.number(
        f"SELECT count(*) AS value FROM (SELECT 1 {replies} LIMIT :limit) counted",
        first=topic.first_id,
        limit=MAX_COUNTED,
        **params,
    )
    authors = tx.column(
        f"SELECT m.sender_id {replies} ORDER BY m.id DESC LIMIT :limit",
        first=topic.first_id,
        limit=SCANNED_REPLIES,
        **params,
    )
    last_authors = list(dict.fromkeys(authors))[:MAX_AUTHORS]
    return ForumTopic(topic.name, topic.first_id, topic.newest_id, count, last_authors)


async def show(
    call: Call,
    stream_id: ChannelId,
    *,
    order: Annotated[
        Order,
        Doc("`latest`: last reply first; `newest`: last started first; `unanswered`: no reply."),
    ] = "latest",
    offset: Annotated[int, AtLeast(0), Doc("How many topics to leave out.")] = 0,
    limit: Annotated[int, AtLeast(1), AtMost(100), Doc("How many topics to return.")] = 20,
    allow_empty_topic_name: AllowEmptyTopicName = False,
) -> Forum:
    """List topics of a channel with their opening messages."""
    part = ForumPart(order, offset, limit)
    found = await call.db.read(read, call.caller, stream_id, part)
    for each in found.topics:
        each.name = domain.channels.topics.shown(each.name, allow_empty_topic_name)
    return found
