"""The sitemap of the public topics, in parts of bounded size.

A part covers a range of message ids of one channel and lists the topics whose newest message is in
it. The index needs only the oldest and newest id of each channel, so it costs the same for a
hundred thousand topics.
"""

import msgspec

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.documents import view_models
from tertulia.domain.channels.channel import Channel
from tertulia.errors.http import NotFound
from tertulia.web.public import addresses

MIN_RANGE = 1 << 13  # message ids
MAX_PARTS = 512  # of a channel


class SitemapPart(msgspec.Struct, frozen=True):
    channel_id: int
    first: int
    last: int

    @property
    def path(self) -> str:
        return f"/public/sitemap/{self.channel_id}/{self.first}-{self.last}.xml"


class SitemapEntry(msgspec.Struct, frozen=True):
    path: str
    changed: str


def parts_of(tx: Tx, channel_id: int) -> list[SitemapPart]:
    channel = actions.messages.public_history.public(tx, channel_id)
    found = storage.messages.topic_pages.range_of_ids(tx, channel.id)
    if found is None:
        return []
    oldest, newest = found
    size = MIN_RANGE
    while (newest - oldest) // size >= MAX_PARTS:
        size *= 2
    starts = range(oldest - oldest % size, newest + 1, size)
    return [SitemapPart(channel.id, start, start + size) for start in starts]


def topics_of(tx: Tx, channel: Channel, part: SitemapPart) -> list[SitemapEntry]:
    """The topics of a part. Raises NotFound for a part that no index has."""
    actions.messages.public_history.public(tx, channel.id)
    if part not in parts_of(tx, channel.id):
        raise NotFound()
    found = storage.messages.topic_pages.topics_between(tx, channel.id, part.first, part.last)
    return [
        SitemapEntry(
            addresses.topic_path(channel.id, channel.name, each.topic),
            view_models.iso(each.changed_at),
        )
        for each in found
    ]
