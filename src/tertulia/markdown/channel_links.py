"""Links to channels, topics and messages: `#**launch**`, `#**launch>QA**`, `#**launch>QA@51**`."""

import re
from urllib.parse import quote

from tertulia.markdown import escape
from tertulia.markdown.model import LinkedChannel, Resolved
from tertulia.markdown.stash import Stash
from tertulia.markdown.tree import Link

REFERENCE = re.compile(r"(?<![^\s'\"({/<])#\*\*([^*]+)\*\*")
_TOPIC_AND_ID = re.compile(r"(.*)@([0-9]+)", re.DOTALL)


def topic_and_id(reference: str) -> tuple[str, str] | None:
    """`lunch@51` is `("lunch", "51")`; None for a topic without a message."""
    match = _TOPIC_AND_ID.fullmatch(reference)
    return (match[1], match[2]) if match else None


def apply(text: str, stash: Stash, found: Resolved, empty_topic_name: str) -> str:
    def replace(match: re.Match[str]) -> str:
        name, arrow, topic = match[1].partition(">")
        channel = found.channels.get(name) if arrow else None
        if channel is not None:
            newest = found.newest_in_topic.get((channel.id, topic.lower()))
            return _stash_topic_link(stash, channel, topic, newest, empty_topic_name)
        channel = found.channels.get(match[1])
        return _stash_channel_link(stash, channel) if channel else match[0]

    return REFERENCE.sub(replace, text)


def channel_address(channel: LinkedChannel) -> str:
    slug = _encode(channel.name.replace(" ", "-"))
    return f"/#narrow/channel/{channel.id}-{slug}"


def topic_address(channel: LinkedChannel, topic: str) -> str:
    return f"{channel_address(channel)}/topic/{_encode(topic)}"


def _stash_channel_link(stash: Stash, channel: LinkedChannel) -> str:
    return _stash_link(stash, "stream", channel, channel_address(channel), f"#{channel.name}", "")


def _stash_topic_link(
    stash: Stash, channel: LinkedChannel, topic: str, newest: int | None, empty_topic_name: str
) -> str:
    """Stash the link to a topic or to a message in it."""
    topic, message_id = topic_and_id(topic) or (topic, "")
    address, shown = topic_address(channel, topic), f"#{channel.name} > {topic}"
    emphasized = "" if topic else empty_topic_name
    if message_id:
        address = f"{address}/near/{message_id}"
        return _stash_link(stash, "message-link", None, address, shown, emphasized, " @ 💬")
    address += f"/with/{newest}" if newest else ""
    return _stash_link(stash, "stream-topic", channel, address, shown, emphasized)


def _stash_link(
    stash: Stash,
    kind: str,
    channel: LinkedChannel | None,
    address: str,
    shown: str,
    emphasized: str,
    ending: str = "",
) -> str:
    stream_id = str(channel.id) if channel else None
    opening = escape.tag("a", class_=kind, data_stream_id=stream_id, href=address)
    topic = f"<em>{escape.text(emphasized)}</em>" if emphasized else ""
    html = f"{opening}{escape.text(shown)}{topic}{ending}</a>"
    text = f"{shown}{emphasized}{ending}"
    return stash.keep(html, text, Link(address, text, is_reference=True))


def _encode(part: str) -> str:
    """Percent-encoding with dots instead of percent signs, as in the fragment of a narrow."""
    return quote(part, safe="").replace(".", "%2E").replace("%", ".")
