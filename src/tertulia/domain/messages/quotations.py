"""Quotations: a message shown in another one, with its sender and link."""

import re
from collections.abc import Sequence

import msgspec

from tertulia.domain import limits
from tertulia.domain.channels import topics
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages import links
from tertulia.domain.messages.message import Message
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.people.user import User

TRUNCATED = "\n[message truncated]"
MAX_NAMES = 10

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_SPECIAL = str.maketrans(
    {"&": "&amp;", ">": "&gt;", "*": "&#42;", "`": "&#96;", "[": "&#91;", "]": "&#93;"}
)


class Quotation(msgspec.Struct, frozen=True):
    """A message with its sender and recipients."""

    message: Message
    sender: User | None  # None if the reader may not know the sender
    channel: Channel | None
    recipients: Sequence[User]  # of a direct message, without its sender


def quoted(opening: str, quotation: Quotation, site: str) -> str:
    """The message below an opening. It is cut off if both are too long for one message."""
    head = f"{opening}\n\n{_attribution(quotation, site)}\n"
    content = quotation.message.content
    fence = _fence_around(content)
    room = limits.MAX_MESSAGE_LENGTH - len(head) - len(f"{fence}quote\n\n{fence}")
    if len(content) > room:
        content = content[: max(0, room - len(TRUNCATED))] + TRUNCATED
    return f"{head}{fence}quote\n{content}\n{fence}"


def _attribution(quotation: Quotation, site: str) -> str:
    message, channel = quotation.message, quotation.channel
    who = UNKNOWN_NAME if quotation.sender is None else mention(quotation.sender)
    if channel is not None:
        narrow_link = links.topic_link(channel.id, channel.name, message.topic)
        name = f"#{channel.name} > {topics.shown(message.topic, allow_empty=False)}"
        where = f"in [{_escaped(name)}]({narrow_link}/with/{message.id})"
    else:
        narrow_link = links.conversation_link(message.member_ids)
        where = f"to {_listed([mention(user) for user in quotation.recipients])}"
    return f"{who} [said]({site}/{narrow_link}/near/{message.id}) {where}:"


def mention(user: User) -> str:
    """A silent mention, which notifies no one."""
    return f"@_**{user.full_name}|{user.id}**"


def _listed(names: list[str]) -> str:
    if len(names) > MAX_NAMES:
        names = [*names[: MAX_NAMES - 1], f"{len(names) - MAX_NAMES + 1} others"]
    if len(names) < 2:
        return names[0] if names else "themselves"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _escaped(name: str) -> str:
    """A name as the text of a link. The arrow between channel and topic is kept."""
    return " > ".join(part.translate(_SPECIAL) for part in name.split(" > "))


def _fence_around(content: str) -> str:
    longest = max((len(found) for found in _FENCE.findall(content)), default=2)
    return "`" * max(3, longest + 1)
