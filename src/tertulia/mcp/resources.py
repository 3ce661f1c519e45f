"""Resources: topics as Markdown, with addresses that stay the same while a topic keeps its name."""

from typing import Any
from urllib.parse import unquote

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.domain.channels.channel import Channel
from tertulia.errors import ClientError
from tertulia.http.parameter_rules import parse_id
from tertulia.mcp import json_rpc, read_tools, transcript
from tertulia.mcp.json_rpc import ProtocolError
from tertulia.mcp.read_tools import TOPIC_URI

MARKDOWN = "text/markdown"
TOPICS_PER_CHANNEL = 20
CHANNELS_PER_PAGE = 20
MESSAGES_PER_TOPIC = 100

TEMPLATES = [
    {
        "uriTemplate": f"{TOPIC_URI}{{channel_id}}/topics/{{topic}}",
        "name": "topic",
        "title": "A topic",
        "description": "The newest messages of a topic, oldest first.",
        "mimeType": MARKDOWN,
    }
]


async def listed(call: Call, cursor: Any) -> dict[str, Any]:
    """Recent topics of the channels that the agent may read, some channels at a time."""
    start = 0 if cursor is None else parse_id(cursor) if isinstance(cursor, str) else None
    if start is None:
        raise ProtocolError(json_rpc.INVALID_PARAMS, "Invalid cursor")
    channels = await call.db.read(read_tools.readable_channels, call.user)
    found: list[dict[str, Any]] = []
    for channel in channels[start : start + CHANNELS_PER_PAGE]:
        for topic in await read_tools.topics_of(call, channel, TOPICS_PER_CHANNEL):
            found.append(
                {
                    "uri": topic.uri,
                    "name": f"#{channel.name} > {topic.name}",
                    "mimeType": MARKDOWN,
                }
            )
    following = start + CHANNELS_PER_PAGE
    more = {"nextCursor": str(following)} if following < len(channels) else {}
    return {"resources": found, **more}


async def read(call: Call, uri: str) -> dict[str, Any]:
    channel, topic = await _place(call, uri)
    text = await topic_text(call, channel, topic)
    return {"contents": [{"uri": uri, "mimeType": MARKDOWN, "text": text}]}


async def topic_text(call: Call, channel: Channel, topic: str) -> str:
    page = await read_tools.messages_before(
        call, read_tools.in_topic(channel, topic), None, MESSAGES_PER_TOPIC
    )
    if not page.messages:
        return "No messages."
    left_out = "Earlier messages are left out.\n\n" if page.has_more else ""
    title = f"# {transcript.topic_name(channel.name, topic)}"  # people wrote the names, too
    body = transcript.paragraphs(page.messages, with_place=False)
    text = transcript.marked(f"{title}\n\n{body}")
    return f"{left_out}{text}\n"


async def _place(call: Call, uri: str) -> tuple[Channel, str]:
    number, separator, quoted = uri.removeprefix(TOPIC_URI).partition("/topics/")
    channel_id = parse_id(number) if uri.startswith(TOPIC_URI) and separator else None
    if channel_id is not None:
        try:
            topic = domain.channels.topics.for_sending(unquote(quoted))
            readable = actions.channels.lookups.readable_by
            return await call.db.read(readable, call.user, channel_id), topic
        except ClientError:
            pass
    raise ProtocolError(json_rpc.INVALID_PARAMS, "Resource not found", {"uri": uri[:500]})
