"""Public pages for programs: Atom feeds, the sitemap of the public topics, and robots.txt.

A part of the sitemap covers a range of message ids of one channel and lists the topics whose newest
message is in it. The index needs only the oldest and newest id of each channel, so it costs the
same for a hundred thousand topics.
"""

import re
from typing import Any

import msgspec

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.documents import view_models
from tertulia.domain.messages.message import Message
from tertulia.errors.http import NotFound
from tertulia.web.public import addresses
from tertulia.web.public.appearance import PublicDocument, Visit

MIN_RANGE = 1 << 13  # message ids
MAX_PARTS = 512  # of a channel
ATOM = "application/atom+xml; charset=utf-8"
XML = "application/xml; charset=utf-8"

_NOT_IN_XML = re.compile("[\f\ufffe\uffff]")  # beside those that HTML forbids, too


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


def feed(tx: Tx, visit: Visit) -> PublicDocument:
    """The newest messages of the organization, a channel or a topic."""
    channels, title, path, topic = visit.channels, visit.org.realm.name, addresses.ROOT, None
    if "channel" in visit.params:
        channel = visit.channel(visit.params["channel"])
        channels, title = [channel], f"{channel.name} · {title}"
        path = addresses.channel_path(channel.id, channel.name)
        if "topic" in visit.params:
            topic = visit.topic(visit.params["topic"])
            path = addresses.topic_path(channel.id, channel.name, topic)
            title = f"{view_models.titled(visit.t, topic)[0]} · {title}"
    found = actions.messages.public_history.newest(tx, [each.id for each in channels], topic)
    values = {
        "title": title,
        "path": path,
        "visit": visit,
        "updated": view_models.iso(
            max((each.edited_at or each.sent_at for each in found), default=0)
        ),
        "entries": [_entry(visit, each) for each in found],
    }
    return PublicDocument("public/feed.atom", ATOM, values)


def _entry(visit: Visit, message: Message) -> dict[str, Any]:
    assert message.channel_id is not None
    sender = visit.look.person(message.sender_id)
    return {
        "url": f"{visit.site}{addresses.message_path(message.id)}",
        "title": view_models.titled(visit.t, message.topic)[0],
        "author": sender.name,
        "channel": visit.org.channels[message.channel_id].name,
        "published": view_models.iso(message.sent_at),
        "updated": view_models.iso(message.edited_at or message.sent_at),
        "html": view_models.html_of(visit.look, message, sender),
    }


def without_forbidden(text: str) -> str:
    return _NOT_IN_XML.sub("", text)


def sitemap_index(tx: Tx, visit: Visit) -> PublicDocument:
    parts = [part for each in visit.channels for part in _parts_of(tx, each.id)]
    return PublicDocument("public/sitemap_index.xml", XML, {"visit": visit, "parts": parts})


def sitemap(tx: Tx, visit: Visit) -> PublicDocument:
    """A part of the sitemap. Raises NotFound for a part that the index does not have."""
    params = visit.params
    channel = visit.channel(str(params["channel_id"]))
    part = SitemapPart(channel.id, params["first"], params["last"])
    if part not in _parts_of(tx, channel.id):
        raise NotFound()
    found = storage.messages.topic_pages.topics_between(tx, channel.id, part.first, part.last)
    topics = [
        SitemapEntry(
            addresses.topic_path(channel.id, channel.name, each.topic),
            view_models.iso(each.changed_at),
        )
        for each in found
    ]
    return PublicDocument("public/sitemap.xml", XML, {"visit": visit, "topics": topics})


def _parts_of(tx: Tx, channel_id: int) -> list[SitemapPart]:
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


def robots(site: str | None) -> str:
    """What robots may read. `site`: of an organization with public pages."""
    lines = ["User-agent: *"]
    if site is not None:
        lines += [f"Allow: {path}" for path in ("/public/", "/static/", "/user_uploads/")]
    lines.append("Disallow: /")
    if site is not None:
        lines.append(f"Sitemap: {site}/public/sitemap.xml")
    return "\n".join(lines) + "\n"
