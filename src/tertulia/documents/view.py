"""Messages as documents show them.

What differs between a public page and an archive is in `Appearance`: whose names are shown, and
where links lead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from typing import Protocol

import msgspec

from tertulia import domain
from tertulia.documents.texts import Texts
from tertulia.domain.channels.channel import Channel
from tertulia.domain.channels.topics import RESOLVED_PREFIX
from tertulia.domain.messages.message import Message, Reaction, TopicMessage
from tertulia.domain.messages.widget_state import Poll, TodoList
from tertulia.memo import memoized

SHADES = 9  # colours of the round mark with a person's first letter
SNIPPET_CHARACTERS = 160
SAME_SENDER_SECONDS = 600  # a later message of the same sender shows the name again
NO_REACTIONS: list["ShownReaction"] = []
NO_VERSIONS: list["FormerVersion"] = []
_DIGITS = [f"{number:02}" for number in range(60)]  # a page has hundreds of them
_ME = re.compile(r"<p>/me ")
_WITHOUT_ALT = re.compile(r"<img (?![^>]*\balt=)")  # the link around it has a title
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
    """A message before an edit, where the document shows edits."""

    html: str
    replaced_at: float


class ShownMessage(msgspec.Struct, frozen=True):
    id: int
    sender: ShownPerson
    begins_day: bool
    shows_sender: bool
    html: str  # rendered and escaped by the server
    sent_at: float
    is_edited: bool
    reactions: list[ShownReaction]
    widget: Poll | TodoList | None
    link: str  # its permanent address
    former: list[FormerVersion] = []
    deleted_at: float | None = None  # where the document shows deleted messages


class Appearance(Protocol):
    @property
    def deletions(self) -> Mapping[int, float]:
        """When the messages that are shown although they are deleted were deleted, by id."""

    def person(self, user_id: int) -> ShownPerson: ...

    def html(self, message: Message | TopicMessage) -> str:
        """The rendered content, with links that lead somewhere in this document."""

    def emoji_image(self, code: str) -> str | None:
        """The image of a custom emoji."""

    def special_emoji_image(self) -> str: ...

    def link(self, message_id: int) -> str: ...

    def former(self, message: Message | TopicMessage) -> list[FormerVersion]:
        """The versions before edits, oldest first; none if the document does not show them."""


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


def messages(look: Appearance, found: Iterable[Message | TopicMessage]) -> Iterator[ShownMessage]:
    people: dict[int, ShownPerson] = {}
    deletions = look.deletions
    before: Message | TopicMessage | None = None
    day = None
    for message in found:
        sender = people.get(message.sender_id)
        if sender is None:
            sender = people[message.sender_id] = look.person(message.sender_id)
        begins_day = day != (day := day_of(message.sent_at))
        yield ShownMessage(
            message.id,
            sender,
            begins_day,
            begins_day or before is None or not _continues(before, message),
            _html(look, message, sender),
            message.sent_at,
            message.edited_at is not None,
            _reactions(look, message.reactions) if message.reactions else NO_REACTIONS,
            domain.messages.widget_state.of_message(message) if message.submessages else None,
            look.link(message.id),
            look.former(message) if message.edits else NO_VERSIONS,
            deletions.get(message.id),
        )
        before = message


def description(channel: Channel) -> str:
    """The description of a channel as plain text."""
    return domain.messages.notification_text.plain_text(channel.rendered_description)


def titled(texts: Texts, name: str) -> tuple[str, bool]:
    """The title of a topic, and whether it is resolved."""
    title = name.removeprefix(RESOLVED_PREFIX)
    return title or texts.general_chat, title != name


def snippet(message: Message | TopicMessage) -> str:
    text = domain.messages.notification_text.plain_text(message.rendered)
    text = " ".join(text.split())
    return text if len(text) <= SNIPPET_CHARACTERS else f"{text[: SNIPPET_CHARACTERS - 1]}…"


def iso(at: float) -> str:
    day, seconds = divmod(int(at), 86_400)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{_date(day)}T{_DIGITS[hour]}:{_DIGITS[minute]}:{_DIGITS[second]}Z"


@memoized("dates", 256)
def _date(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(day)).isoformat()


def day_of(at: float) -> int:
    return int(at // 86_400)


def _continues(before: Message | TopicMessage, message: Message | TopicMessage) -> bool:
    return (
        before.sender_id == message.sender_id
        and message.sent_at - before.sent_at < SAME_SENDER_SECONDS
    )


def _html(look: Appearance, message: Message | TopicMessage, sender: ShownPerson) -> str:
    html = domain.messages.plain_text.formulas_as_mathml(look.html(message))
    if "emoji-" in html:
        html = _EMOJI.sub(_emoji_character, html)
    if "<img " in html:
        html = _WITHOUT_ALT.sub('<img alt="" ', html)
    if "<pre>" in html:
        html = html.replace("<pre>", '<pre tabindex="0">')  # else long lines need a mouse
    if message.is_me:
        name = escape(sender.name)
        html = _ME.sub(lambda _: f'<p class="does"><b>{name}</b> ', html, count=1)
    return html


def _emoji_character(found: re.Match[str]) -> str:
    """Emoji are rendered as names; clients draw them, a page without a script cannot."""
    return f'class="emoji"{found[2]}>{_characters(found[1])}</span>'


def _characters(code: str) -> str:
    return "".join(chr(int(each, 16)) for each in code.split("-"))


def _reactions(look: Appearance, found: Sequence[Reaction]) -> list[ShownReaction]:
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
