"""The tools of an agent: a table of names, argument types and functions.

The arguments are a struct, from which the JSON Schema comes. A tool raises ClientError, which
becomes a result with `isError`, so that a model can read it and correct the call.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from tertulia.api.call import Call
from tertulia.errors import BadRequest
from tertulia.mcp import read_tools, wait_tool, write_tools


class Answer(NamedTuple):
    """A result as text for a model and as data for a program."""

    text: str
    data: dict[str, Any]


Run = Callable[[Call, Any, str | None], Awaitable[tuple[str, Any]]]


class Tool(NamedTuple):
    name: str
    arguments: type[msgspec.Struct]
    run: Run  # gets the call, the arguments and the id of the call, if it is unique
    writes: bool = False
    repeatable: bool = True  # a second call with the same arguments changes nothing more

    @property
    def description(self) -> str:
        return " ".join((self.run.__doc__ or "").split())

    def described(self) -> dict[str, Any]:
        """As `tools/list` shows it."""
        (schema,), parts = msgspec.json.schema_components(
            [self.arguments], ref_template="#/$defs/{name}"
        )
        own = parts[self.arguments.__name__]
        assert schema
        return {
            "name": self.name,
            "title": self.name.replace("_", " ").capitalize(),
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": own.get("properties", {}),
                "required": own.get("required", []),
                "additionalProperties": False,
            },
            "annotations": {
                "readOnlyHint": not self.writes,
                "destructiveHint": self.name == "edit_message",
                "idempotentHint": self.repeatable,
                "openWorldHint": False,
            },
        }


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("search_messages", read_tools.SearchArguments, read_tools.search),
        Tool("read_topic", read_tools.ReadTopicArguments, read_tools.read_topic),
        Tool("list_channels", read_tools.NoArguments, read_tools.list_channels),
        Tool("list_topics", read_tools.ListTopicsArguments, read_tools.list_topics),
        Tool("list_unread", read_tools.ListUnreadArguments, read_tools.list_unread),
        Tool("find_people", read_tools.FindPeopleArguments, read_tools.find_people),
        Tool("wait_for_messages", wait_tool.WaitArguments, wait_tool.wait_for_messages),
        Tool(
            "send_message",
            write_tools.SendMessageArguments,
            write_tools.send_message,
            writes=True,
            repeatable=False,  # only with a key
        ),
        Tool(
            "reply",
            write_tools.ReplyArguments,
            write_tools.reply,
            writes=True,
            repeatable=False,
        ),
        Tool("react", write_tools.ReactArguments, write_tools.react, writes=True),
        Tool(
            "edit_message", write_tools.EditMessageArguments, write_tools.edit_message, writes=True
        ),
        Tool(
            "upload_file",
            write_tools.UploadFileArguments,
            write_tools.upload_file,
            writes=True,
            repeatable=False,
        ),
        Tool(
            "schedule_message",
            write_tools.ScheduleMessageArguments,
            write_tools.schedule_message,
            writes=True,
        ),
    )
}


async def run(call: Call, tool: Tool, given: dict[str, Any], call_id: str | None) -> Answer:
    """Raises ClientError."""
    try:
        arguments = msgspec.convert(given, tool.arguments)
    except msgspec.ValidationError as error:
        raise BadRequest(f"Invalid arguments: {error}") from None
    text, data = await tool.run(call, arguments, call_id)
    return Answer(text, msgspec.to_builtins(data))
