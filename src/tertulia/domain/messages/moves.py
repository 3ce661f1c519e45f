"""Moves of messages: resolving a topic, and the notices about a move.

A notice is written as source and HTML at once, because a transaction renders nothing.
"""

from html import escape

import msgspec

from tertulia.domain.channels import topics
from tertulia.domain.channels.channel import Channel
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME, RESOLVED_PREFIX
from tertulia.domain.messages import links, notices
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.user import User

# Within #**channel>topic** these would end the link or start other markup.
_MARKUP = frozenset("`>*&[]$")


def is_resolved(topic: str) -> bool:
    return topic.startswith(RESOLVED_PREFIX)


def toggles_resolved(old: str, new: str) -> bool:
    """Whether a rename only resolves or reopens a topic."""
    same = old.lstrip(RESOLVED_PREFIX) == new.lstrip(RESOLVED_PREFIX)
    return same and is_resolved(old) != is_resolved(new)


def is_resolved_without_name(topic: str) -> bool:
    return topic in (RESOLVED_PREFIX.strip(), f"{RESOLVED_PREFIX}{EMPTY_TOPIC_NAME}")


class Move(msgspec.Struct, frozen=True):
    """Where messages are moved, and what is known before."""

    channel: Channel
    target: Channel
    prev_topic: str
    topic: str
    ids: list[int]
    leaves_nothing: bool  # the old topic is empty afterwards

    @property
    def new_topic(self) -> str | None:
        return None if self.topic == self.prev_topic else self.topic

    @property
    def new_channel_id(self) -> int | None:
        return None if self.target.id == self.channel.id else self.target.id

    @property
    def only_changes_case(self) -> bool:
        same_channel = self.new_channel_id is None
        return same_channel and topics.fold(self.prev_topic) == topics.fold(self.topic)

    @property
    def only_resolves(self) -> bool:
        same_channel = self.new_channel_id is None
        return same_channel and toggles_resolved(self.prev_topic, self.topic)


# --- notices ---


def resolved_notice(user: User, topic: str) -> NoticeText:
    state = "resolved" if is_resolved(topic) else "unresolved"
    who = notices.person(user)
    text = f"has marked this topic as {state}."
    return NoticeText(f"{who.source} {text}", f"<p>{who.html} {text}</p>")


def arrival_notice(
    user: User, count: int, whole: bool, link: str, origin: NoticeText
) -> NoticeText:
    """The notice in the new topic; `link` points to the first moved message."""
    if whole:
        what = NoticeText("This topic was", "This topic was")
    elif count == 1:
        short = link[link.index("#") :]
        what = NoticeText(
            f"[A message]({link}) was", f'<a href="{escape(short)}">A message</a> was'
        )
    else:
        what = NoticeText(f"{count} messages were", f"{count} messages were")
    return _notice(what, "moved here from", origin, user)


def departure_notice(user: User, count: int, whole: bool, target: NoticeText) -> NoticeText:
    """The notice in the old topic."""
    if whole:
        return _notice(NoticeText("This topic was", "This topic was"), "moved to", target, user)
    text = "A message was" if count == 1 else f"{count} messages were"
    return _notice(NoticeText(text, text), "moved from this topic to", target, user)


def topic_link(channel: Channel, topic: str, newest_id: int | None) -> NoticeText:
    """A link to a topic by one of its messages, so that it survives further moves."""
    address = links.topic_link(channel.id, channel.name, topic)
    shown = escape(topic, quote=False) if topic else f"<em>{EMPTY_TOPIC_NAME}</em>"
    with_id = "" if newest_id is None else f"/with/{newest_id}"
    html = (
        f'<a class="stream-topic" data-stream-id="{channel.id}"'
        f' href="/{escape(address)}{with_id}">#{escape(channel.name, quote=False)} &gt; {shown}</a>'
    )
    if _MARKUP & set(channel.name + topic):
        text = _without_markup(f"{channel.name} > {topic or EMPTY_TOPIC_NAME}")
        return NoticeText(f"[#{text}]({address})", html)
    return NoticeText(f"#**{channel.name}>{topic}**", html)


def message_link(site: str, channel: Channel, topic: str, message_id: int) -> str:
    narrow_link = links.topic_link(channel.id, channel.name, topic)
    return f"{site}/{narrow_link}/near/{message_id}"


def _notice(what: NoticeText, verb: str, where: NoticeText, user: User) -> NoticeText:
    who = notices.person(user)
    return NoticeText(
        f"{what.source} {verb} {where.source} by {who.source}.",
        f"<p>{what.html} {verb} {where.html} by {who.html}.</p>",
    )


def _without_markup(text: str) -> str:
    return "".join(f"&#{ord(char)};" if char in _MARKUP else char for char in text)
