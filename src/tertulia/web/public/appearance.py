"""What a reader without an account sees: public channels, and names, pictures and links."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
from starlette.requests import Request

from tertulia import events
from tertulia.actions.messages.public_history import (
    MAX_COUNTED,
    MAX_COUNTED_TOPICS,
    ChannelExtent,
    TopicLine,
)
from tertulia.caches.topic_starts import TopicOfChannel, TopicStarts, TopicStartsCache
from tertulia.documents import view_models
from tertulia.documents.template_engine import DocumentTexts
from tertulia.documents.view_models import (
    SHADES,
    FormerVersion,
    ShownChannel,
    ShownPerson,
    ShownTopic,
)
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message, TopicMessage
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.user import UPLOADED
from tertulia.errors.http import NotFound
from tertulia.events.directory.organization import Organization
from tertulia.fair_queue import Person
from tertulia.web.public import addresses

# Markdown writes absolute addresses of this server relative to its root, where the chat is.
_RELATIVE = re.compile(r'(\s(?:href|src)=")(?=#|user_uploads/)')
SPECIAL_EMOJI_IMAGE = "/static/generated/emoji/images/emoji/unicode/zulip.png"


class PublicAppearance:
    deletions: ClassVar[Mapping[int, float]] = {}
    link_prefix = addresses.MESSAGES

    def __init__(self, org: Organization) -> None:
        self._org = org

    def person(self, user_id: int) -> ShownPerson:
        user = self._org.users.get(user_id)
        if user is None or not self._org.may_know(None, user):
            return ShownPerson(UNKNOWN_NAME, SHADES, None, False)
        picture = None
        if user.avatar_source == UPLOADED:
            picture = events.types.people.user.avatar_url(self._org, user, client_gravatar=False)
        return ShownPerson(user.full_name, user.id % SHADES + 1, picture, user.is_bot)

    def html(self, message: Message | TopicMessage) -> str:
        html = self._org.shown(message.rendered)
        if '="#' in html or '="user_uploads/' in html:
            html = _RELATIVE.sub(r"\1/", html)
        return view_models.with_known_names(self, html)

    def text(self, content: str) -> str:
        """What was written, as Markdown, with mentions only of people whom the reader may know."""
        return events.public_messages.markdown(self._org, content)

    def emoji_image(self, code: str) -> str | None:
        custom = self._org.emoji.get(int(code))
        return None if custom is None else custom.still_url or custom.source_url

    def special_emoji_image(self) -> str:
        return SPECIAL_EMOJI_IMAGE

    def former(self, t: DocumentTexts, message: Message | TopicMessage) -> list[FormerVersion]:
        return []

    def channel(self, t: DocumentTexts, channel: Channel, extent: ChannelExtent) -> ShownChannel:
        name = "public.many-topics" if extent.topics == MAX_COUNTED_TOPICS else "public.topic-count"
        return ShownChannel(
            name=channel.name,
            about=view_models.description(channel),
            path=addresses.channel_path(channel.id, channel.name),
            shade=channel.id % SHADES + 1,
            size=t(name, count=extent.topics),
            date=None if extent.newest_at is None else t.day(extent.newest_at, "short"),
            iso=None if extent.newest_at is None else view_models.iso(extent.newest_at),
        )

    def topic(self, t: DocumentTexts, line: TopicLine) -> ShownTopic:
        name, newest = self._org.channels[line.channel_id].name, line.newest
        title, is_resolved = view_models.titled(t, newest.topic)
        return ShownTopic(
            title=title,
            is_resolved=is_resolved,
            path=addresses.topic_path(line.channel_id, name, newest.topic),
            messages=t.count(line.count, MAX_COUNTED),
            date=t.day(newest.sent_at, "short"),
            iso=view_models.iso(newest.sent_at),
            sender=self.person(newest.sender_id).name,
            snippet=view_models.snippet(self, newest),
        )


class Visit(msgspec.Struct, frozen=True):
    """A request for a public page of an organization that has them."""

    request: Request
    person: Person
    org: Organization
    site: str
    t: DocumentTexts
    look: PublicAppearance
    contact: str  # the email address for readers; may be empty
    topic_starts: TopicStartsCache
    long_topics: dict[TopicOfChannel, TopicStarts] = {}  # read for this request
    is_current: bool = False  # whether `org` knows everything that the transaction reads

    @property
    def params(self) -> dict[str, Any]:
        return self.request.path_params

    @property
    def channels(self) -> list[Channel]:
        """The channels with public pages, by name."""
        found = [each for each in self.org.channels.values() if _is_public(each)]
        return sorted(found, key=lambda channel: channel.name.casefold())

    def channel(self, segment: str) -> Channel:
        channel_id = addresses.channel_id_of(segment)
        found = None if channel_id is None else self.org.channels.get(channel_id)
        if found is None or not _is_public(found):
            raise NotFound()
        return found

    def topic(self, segment: str) -> str:
        topic = addresses.topic_of(segment)
        if topic is None:
            raise NotFound()
        return topic

    def find_starts(self, key: TopicOfChannel) -> TopicStarts | None:
        """Those of the cache may lack the last events: then a page starts a message too late, and
        is not cached."""
        return self.long_topics.get(key) or self.topic_starts.find(key)


class PublicDocument(msgspec.Struct, frozen=True):
    """A public page, feed or sitemap to render, with its template's values."""

    template: str
    media_type: str
    values: dict[str, Any]
    headers: dict[str, str] = {}
    messages: list[TopicMessage] = []  # of a page of a topic


def _is_public(channel: Channel) -> bool:
    return channel.is_web_public and not channel.archived
