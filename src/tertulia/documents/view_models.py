"""Messages as documents show them.

What differs between a public page and an archive is in `Appearance`: whose names are shown, and
where links lead.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape, unescape
from typing import Protocol

import msgspec

from tertulia import domain
from tertulia.documents.template_engine import DocumentTexts
from tertulia.domain.channels.channel import Channel
from tertulia.domain.channels.topics import RESOLVED_PREFIX
from tertulia.domain.messages.message import Message, Reaction, TopicMessage
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.memo import memoized

DAY_SECONDS = 86_400
SHADES = 9  # colours of the round mark with a person's first letter
SNIPPET_CHARACTERS = 160
# A page has a hundred times, so their parts are written once.
TIMES = [f"{minute // 60:02}:{minute % 60:02}" for minute in range(24 * 60)]
SECONDS = [f":{second:02}Z" for second in range(60)]
_ME = re.compile(r"<p>/me ")
_WITHOUT_ALT = re.compile(r'(?:<a href="([^"]*)"(?: title="([^"]*)")?>)?<img (?![^>]*\balt=)')
# Markdown leaves a code block that ends a quote in its paragraph, where HTML allows no blocks.
_PARAGRAPH_OF_BLOCKS = re.compile(r"<p>((?:(?!</?p>).)*?<div\b(?:(?!</?p>).)*)</p>", re.S)
_EMOJI = re.compile(r'class="emoji emoji-([0-9a-f-]+)"([^>]*)>[^<]*</span>')


class ShownPerson(msgspec.Struct, frozen=True):
    name: str
    shade: int
    picture: str | None
    is_bot: bool

    @property
    def letter(self) -> str:
        return self.name[:1].upper()


class ShownReaction(msgspec.Struct):
    name: str
    text: str
    image: str | None
    count: int


class FormerVersion(msgspec.Struct, frozen=True):
    """A text, place or question before it was changed, where the document shows changes."""

    html: str
    summary: str


class Appearance(Protocol):
    @property
    def deletions(self) -> Mapping[int, float]:
        """When the messages that are shown although they are deleted were deleted, by id."""

    def person(self, user_id: int) -> ShownPerson: ...

    def html(self, message: Message | TopicMessage) -> str:
        """The rendered content, with links that lead somewhere in this document. It is not asked
        for a content without attributes, which has no links."""

    def emoji_image(self, code: str) -> str | None:
        """The image of a custom emoji."""

    def special_emoji_image(self) -> str: ...

    @property
    def link_prefix(self) -> str:
        """The permanent address of a message is this and its id."""

    def former(self, t: DocumentTexts, message: Message | TopicMessage) -> list[FormerVersion]:
        """The versions before changes, oldest first; none if the document does not show them."""


class ShownChannel(msgspec.Struct, frozen=True):
    """A channel in the list of all."""

    name: str
    about: str
    path: str
    shade: int
    size: str
    date: str | None = None  # of its newest message
    iso: str | None = None


class ShownTopic(msgspec.Struct, frozen=True):
    """A topic in a list."""

    title: str
    is_resolved: bool
    path: str
    messages: str
    date: str
    iso: str
    sender: str
    snippet: str


def description(channel: Channel) -> str:
    """The description of a channel as plain text."""
    return domain.messages.notification_text.plain_text(channel.rendered_description)


def titled(t: DocumentTexts, name: str) -> tuple[str, bool]:
    """The title of a topic, and whether it is resolved."""
    title = name.removeprefix(RESOLVED_PREFIX)
    return title or t("public.general-chat"), title != name


def snippet(look: Appearance, message: Message | TopicMessage) -> str:
    text = _plain_text(with_known_names(look, message.rendered))
    return text if len(text) <= SNIPPET_CHARACTERS else f"{text[: SNIPPET_CHARACTERS - 1]}…"


def _plain_text(rendered: str) -> str:
    """The text in one line. Most messages are one paragraph without markup."""
    inner = rendered[3:-4]
    if rendered.startswith("<p>") and "<" not in inner and rendered.endswith("</p>"):
        text = unescape(inner)
    else:
        text = domain.messages.notification_text.plain_text(rendered)
    return " ".join(text.split())


def iso(at: float) -> str:
    day, second = divmod(int(at), DAY_SECONDS)
    return f"{date_of(day)}T{TIMES[second // 60]}{SECONDS[second % 60]}"


@memoized("dates", 256)
def date_of(day: int) -> str:
    """A day, counted from 1970, as `2026-11-17`."""
    return (date(1970, 1, 1) + timedelta(day)).isoformat()


def html_of(look: Appearance, message: Message | TopicMessage, sender: ShownPerson) -> str:
    """The content of a message, as readers without a script need it."""
    html = without_script(look.html(message))
    if message.is_me:
        name = escape(sender.name)
        html = _ME.sub(lambda _: f'<p class="does"><b>{name}</b> ', html, count=1)
    return html


def with_known_names(look: Appearance, html: str) -> str:
    """Rendered content that mentions people by name only if the reader may know them."""
    return domain.messages.known_mentions.in_html(
        html, lambda user_id: look.person(user_id).name != UNKNOWN_NAME
    )


def without_script(html: str) -> str:
    """Rendered content without what only a script could show, and valid as HTML."""
    if "katex" in html:
        html = domain.messages.plain_text.formulas_as_mathml(html)
    if "emoji-" in html:
        html = _EMOJI.sub(_emoji_character, html)
    if "<div" in html:
        html = _PARAGRAPH_OF_BLOCKS.sub(r"<div>\1</div>", html)
    if "<img " in html:
        html = _WITHOUT_ALT.sub(_with_alt, html)
    if "<pre>" in html:
        html = html.replace("<pre>", '<pre tabindex="0">')  # else long lines need a mouse
    return html


def _with_alt(found: re.Match[str]) -> str:
    """An image in a link is what the link says: its title, or the name of its file."""
    address, title = found[1], found[2]
    text = title or (address or "").rstrip("/").rpartition("/")[2]
    return f'{found[0]}alt="{text}" '


def _emoji_character(found: re.Match[str]) -> str:
    """Emoji are rendered as names; clients draw them, a page without a script cannot."""
    return f'class="emoji"{found[2]}>{_characters(found[1])}</span>'


@memoized("emoji_characters", 512)
def _characters(code: str) -> str:
    """Also U+FE0F where the character alone is a sign of text: those that are emoji by themselves
    are wide."""
    characters = "".join(chr(int(each, 16)) for each in code.split("-"))
    is_sign = len(characters) == 1 and unicodedata.east_asian_width(characters) != "W"
    return f"{characters}\ufe0f" if is_sign else characters


def reactions_of(look: Appearance, found: Sequence[Reaction]) -> list[ShownReaction]:
    by_emoji: dict[tuple[str, str], ShownReaction] = {}
    for reaction in found:
        key = (reaction.reaction_type, reaction.emoji_code)
        if key not in by_emoji:
            by_emoji[key] = _reaction(look, reaction)
        by_emoji[key].count += 1
    return list(by_emoji.values())


def _reaction(look: Appearance, reaction: Reaction) -> ShownReaction:
    name, text, image = reaction.emoji_name, "", None
    if reaction.reaction_type == "unicode_emoji":
        text = _characters(reaction.emoji_code)
    elif reaction.reaction_type == "realm_emoji":
        image = look.emoji_image(reaction.emoji_code)
        text = "" if image else f":{name}:"
    else:
        image = look.special_emoji_image()
    return ShownReaction(name, text, image, 0)
