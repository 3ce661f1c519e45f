"""Prompts: requests to a model, with the messages that it needs."""

from typing import Any

from tertulia import features
from tertulia.api.call import Call
from tertulia.features.catch_up.conversations import CaughtUpConversation
from tertulia.mcp import json_rpc, read_tools, resources, transcript
from tertulia.mcp.json_rpc import ProtocolError

MAX_CONVERSATIONS = 50

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
    "Tell me what I missed. These are the sentences of my unread messages in a team chat that"
    " matter most, what concerns me most first. Begin with questions to me and mentions, then"
    " decisions, then the rest in a sentence per topic. Name the channel and the topic of each, and"
    " link the messages."
)


async def get(call: Call, name: str, given: dict[str, str]) -> dict[str, Any]:
    if name == "summarize_topic":
        return _prompt(SUMMARIZE, await _topic(call, given))
    if name == "catch_me_up":
        return _prompt(CATCH_UP, await _missed(call))
    raise ProtocolError(json_rpc.INVALID_PARAMS, "Unknown prompt")


async def _topic(call: Call, given: dict[str, str]) -> str:
    if not given.get("channel") or "topic" not in given:
        raise ProtocolError(json_rpc.INVALID_PARAMS, "Give a channel and a topic")
    channel = await read_tools.named(call, given["channel"])
    return await resources.topic_text(call, channel, given["topic"])


async def _missed(call: Call) -> str:
    """The sentences that matter, as the page quotes them to a user who was away."""
    found = await features.catch_up.conversations.fetch(call, max_conversations=MAX_CONVERSATIONS)
    parts = [f"{_heading(call, each)}\n{_quotations(call, each)}" for each in found.conversations]
    return transcript.marked("\n\n".join(parts)) if parts else "Nothing is unread."


def _heading(call: Call, conversation: CaughtUpConversation) -> str:
    if conversation.stream_id is not None:
        channel = call.org.channels[conversation.stream_id]
        heading = transcript.topic_name(channel.name, conversation.topic or "")
    else:
        others = [each for each in conversation.user_ids if each != call.user.id]
        heading = transcript.conversation_name(call.org.users[each].full_name for each in others)
    return f"## {heading} ({conversation.message_count} unread)"


def _quotations(call: Call, conversation: CaughtUpConversation) -> str:
    return "\n".join(
        f"- {transcript.quoted_name(each.sender_full_name)} ({each.reason},"
        f" {call.site}/{each.message_link}):\n{transcript.quoted_text(each.text)}"
        for each in conversation.sentences
    )


def _prompt(request: str, text: str) -> dict[str, Any]:
    content = {"type": "text", "text": f"{request}\n\n{text}"}
    return {"messages": [{"role": "user", "content": content}]}
