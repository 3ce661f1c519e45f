"""Prompts: requests to a model, with the messages that it needs."""

from typing import Any

from tertulia.api.call import Call
from tertulia.errors import ClientError
from tertulia.mcp import reading, resources, transcript, wire
from tertulia.mcp.wire import ProtocolError

MAX_UNREAD = 200  # messages

PROMPTS: list[dict[str, Any]] = [
    {
        "name": "summarize_topic",
        "title": "Summarize a topic",
        "description": "What a topic is about, what was decided, and which questions are open.",
        "arguments": [
            {"name": "channel", "description": "Name of the channel", "required": True},
            {"name": "topic", "description": "Name of the topic", "required": True},
        ],
    },
    {
        "name": "catch_me_up",
        "title": "Catch me up",
        "description": "What is unread, in order of how much it concerns you.",
        "arguments": [],
    },
]

SUMMARIZE = (
    "Summarize this topic of a team chat in a few sentences. Then list what was decided and which"
    " questions are open, each with the person and the number of the message."
)
CATCH_UP = (
    "Tell me what I missed in these unread messages of a team chat. Begin with what concerns me:"
    " questions to me and mentions. Then decisions, then the rest in a sentence per topic. Name"
    " the channel and the topic of each."
)


async def get(call: Call, name: str, given: dict[str, str]) -> dict[str, Any]:
    if name == "summarize_topic":
        return _prompt(SUMMARIZE, await _topic(call, given))
    if name == "catch_me_up":
        narrow = [["is", "unread"]]
        page = await reading.messages_before(call, narrow, None, MAX_UNREAD)
        return _prompt(CATCH_UP, transcript.as_text(page.messages))
    raise ProtocolError(wire.INVALID_PARAMS, "Unknown prompt")


async def _topic(call: Call, given: dict[str, str]) -> str:
    if not given.get("channel") or "topic" not in given:
        raise ProtocolError(wire.INVALID_PARAMS, "Give a channel and a topic")
    try:
        channel = await reading.named(call, given["channel"])
    except ClientError as error:
        raise ProtocolError(wire.INVALID_PARAMS, error.msg) from None
    return await resources.topic_text(call, channel, given["topic"])


def _prompt(request: str, text: str) -> dict[str, Any]:
    content = {"type": "text", "text": f"{request}\n\n{text}"}
    return {"messages": [{"role": "user", "content": content}]}
