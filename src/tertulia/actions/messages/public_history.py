"""What a reader without an account may read: topics and messages of web-public channels.

Each function checks the channel in the transaction that reads the messages. A channel, topic or
message that is not public does not exist: the error is the same.
"""

from collections.abc import Callable

import msgspec

from tertulia import domain, storage
from tertulia.actions.channels import lookups
from tertulia.caches.topic_starts import PAGE_MESSAGES, TopicOfChannel, TopicStarts
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message, TopicMessage
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.errors.http import NotFound
from tertulia.storage.messages.topic_pages import TopicHead, TopicNeighbours

PAGE_TOPICS = 50
FEED_MESSAGES = 50
MAX_COUNTED = 1_000  # messages of a topic in a list
MAX_COUNTED_TOPICS = 200  # of a channel in a list
LONG_TOPIC = 1_000  # messages; counting more of them would delay other requests


FindStarts = Callable[[TopicOfChannel], TopicStarts | None]


class LongTopic(Exception):
    """The starts of the pages of a topic are needed, and must be read on a thread."""

    def __init__(self, key: TopicOfChannel) -> None:
        super().__init__(key)
        self.key = key


class TopicLine(msgspec.Struct, frozen=True):
    """A topic in a list."""

    channel_id: int
    newest: Message
    count: int  # MAX_COUNTED stands for as many or more


class TopicList(msgspec.Struct, frozen=True):
    channel: Channel
    topics: list[TopicLine]
    next_before: int | None


class ChannelExtent(msgspec.Struct, frozen=True):
    """How much a channel has, and since when nothing new."""

    topics: int  # MAX_COUNTED_TOPICS stands for as many or more
    newest_at: float | None


class TopicPage(msgspec.Struct, frozen=True):
    """A page of a topic."""

    channel: Channel
    topic: str  # as its newest message has it
    messages: list[TopicMessage]
    number: int
    count: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.count // PAGE_MESSAGES))


def topics(tx: Tx, channel_id: int, before: int | None) -> TopicList:
    channel = public(tx, channel_id)
    heads, next_before = storage.messages.topic_pages.newest_topics(
        tx, channel.id, before, PAGE_TOPICS
    )
    return TopicList(channel, _lines(tx, heads), next_before)


def newest_topics(tx: Tx, channel_ids: list[int], limit: int) -> list[TopicLine]:
    """The newest topics of several channels."""
    heads: list[TopicHead] = []
    for channel_id in channel_ids:
        channel = public(tx, channel_id)
        heads += storage.messages.topic_pages.newest_topics(tx, channel.id, None, limit)[0]
    heads.sort(key=lambda head: head.newest_id, reverse=True)
    return _lines(tx, heads[:limit])


def extent(tx: Tx, channel_id: int) -> ChannelExtent:
    channel = public(tx, channel_id)
    return ChannelExtent(
        storage.messages.topic_pages.count_topics(tx, channel.id, MAX_COUNTED_TOPICS),
        storage.messages.topic_pages.newest_at(tx, channel.id),
    )


def topic_page(
    tx: Tx,
    channel: Channel,
    topic: str,
    number: int,
    find_starts: FindStarts,
    *,
    with_content: bool = False,
) -> TopicPage:
    """A page of a topic of a channel with public pages, which `public` returns, counted from 1.
    `with_content`: with what was written, as Markdown.

    Raises LongTopic if `find_starts` does not know a topic that would take long to count.
    """
    key = TopicOfChannel(tx.realm_id, channel.id, domain.channels.topics.fold(topic))
    starts = find_starts(key)
    count = _count(tx, key, LONG_TOPIC) if starts is None else starts.count
    if starts is None and count == LONG_TOPIC:
        raise LongTopic(key)
    offset = (number - 1) * PAGE_MESSAGES
    if not 0 <= offset < count:
        raise NotFound()
    first_id = 0
    if starts is not None:
        first_id = starts.starts[number - 1]
    elif offset:
        first_id = storage.messages.topic_pages.id_at(tx, channel.id, key.topic_key, offset)
    messages = storage.messages.topic_pages.page(
        tx, channel.id, key.topic_key, first_id, PAGE_MESSAGES, with_content=with_content
    )
    if not messages:  # deleted since the starts were read
        raise NotFound()
    name = storage.messages.topic_pages.current_name(tx, channel.id, key.topic_key)
    return TopicPage(channel, topic if name is None else name, messages, number, count)


def neighbours(tx: Tx, found: TopicPage) -> TopicNeighbours:
    """The topics before and after a topic, in its channel."""
    key = domain.channels.topics.fold(found.topic)
    return storage.messages.topic_pages.neighbours(tx, found.channel.id, key)


def starts_of(tx: Tx, key: TopicOfChannel) -> TopicStarts:
    """Where the pages of a long topic start. Reads the whole topic, so it belongs on a thread."""
    return storage.messages.topic_pages.starts(tx, key.channel_id, key.topic_key, PAGE_MESSAGES)


def locate(tx: Tx, message_id: int) -> tuple[Channel, str, int]:
    """The channel and topic of a message, and the page of the topic that has it."""
    message = storage.messages.table.find(tx, message_id)
    if message is None or message.channel_id is None:
        raise NotFound()
    channel = public(tx, message.channel_id)
    before = storage.messages.topic_pages.count_before(
        tx, channel.id, domain.channels.topics.fold(message.topic), message.id
    )
    return channel, message.topic, before // PAGE_MESSAGES + 1


def newest(tx: Tx, channel_ids: list[int], topic: str | None = None) -> list[Message]:
    """The newest messages of channels, or of a topic, for a feed; newest first."""
    for channel_id in channel_ids:
        public(tx, channel_id)
    if topic is None:
        ids = storage.messages.table.newest_in(tx, channel_ids, FEED_MESSAGES)
    else:
        ids = storage.messages.topic_pages.newest_ids(
            tx, channel_ids[0], domain.channels.topics.fold(topic), FEED_MESSAGES
        )
        if not ids:
            raise NotFound()
    found = storage.messages.table.find_many(tx, tx.realm_id, ids)
    return storage.messages.details.with_details(tx, [found[each] for each in ids if each in found])


def public(tx: Tx, channel_id: int) -> Channel:
    """A channel with public pages. Raises NotFound."""
    try:
        channel = lookups.open_to_all(tx, channel_id)
    except ChannelNotAccessible:
        raise NotFound() from None
    if channel.archived:
        raise NotFound()
    return channel


def _lines(tx: Tx, heads: list[TopicHead]) -> list[TopicLine]:
    newest = storage.messages.table.find_many(tx, tx.realm_id, [head.newest_id for head in heads])
    return [
        TopicLine(
            head.channel_id,
            newest[head.newest_id],
            _count(tx, TopicOfChannel(tx.realm_id, head.channel_id, head.key), MAX_COUNTED),
        )
        for head in heads
        if head.newest_id in newest
    ]


def _count(tx: Tx, key: TopicOfChannel, limit: int) -> int:
    return storage.messages.topic_pages.count(tx, key.channel_id, key.topic_key, limit)
