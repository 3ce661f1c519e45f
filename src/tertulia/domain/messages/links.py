"""Links to messages, topics and channels in the web client, which every client understands."""

from collections.abc import Sequence

from tertulia.memo import memoized


def channel_link(channel_id: int, name: str) -> str:
    return f"#narrow/channel/{slug(channel_id, name)}"


@memoized("topic_addresses", 1 << 12)
def topic_link(channel_id: int, name: str, topic: str) -> str:
    return f"{channel_link(channel_id, name)}/topic/{encoded(topic)}"


def conversation_link(member_ids: Sequence[int]) -> str:
    ids = ",".join(str(user_id) for user_id in member_ids)
    return f"#narrow/dm/{ids}{'-group' if len(member_ids) > 2 else ''}"


def slug(channel_id: int, name: str) -> str:
    """A channel in the URL of a message."""
    return f"{channel_id}-{encoded(name.replace(' ', '-'))}"


def encoded(text: str) -> str:
    """Percent-encoding as clients expect it in a fragment: with a dot for the percent sign."""
    return "".join(map(_IN_LINKS.__getitem__, text.encode()))


_IN_LINKS = [
    chr(byte) if byte < 128 and (chr(byte).isalnum() or chr(byte) in "-_~") else f".{byte:02X}"
    for byte in range(256)
]
