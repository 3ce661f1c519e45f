"""Widgets: messages that others take part in, such as a poll or a to-do list.

`/poll` and `/todo` at the beginning of a message make one. Whatever happens in it later is a
submessage, which clients put together; here we only see to it that they can.
"""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from tertulia.errors import BadRequest

WIDGET = "widget"
PER_MESSAGE = 10_000
_COMMAND = re.compile(r"/(poll|todo)(?:\s+(.*))?")
_BULLET = re.compile(r"[-*]\s+")


@dataclass(frozen=True, slots=True)
class Submessage:
    id: int
    message_id: int
    sender_id: int
    msg_type: str
    content: str


# --- what a message begins ---


def may_be_widget(content: str) -> bool:
    """Whether a message may have begun one; the words of a widget never change."""
    return content.startswith(("/poll", "/todo"))


def begun_by(content: str) -> str | None:
    """The widget that a message begins, in the form that clients know."""
    first, *lines = content.split("\n")
    command = _COMMAND.fullmatch(first.rstrip())
    if command is None:
        return None
    kind, title = command[1], command[2] or ""
    entries = [entry for line in lines if (entry := _BULLET.sub("", line.strip(), count=1))]
    if kind == "poll":
        extra: dict[str, Any] = {"question": title, "options": entries}
    else:
        extra = {"task_list_title": title, "tasks": [_task(entry) for entry in entries]}
    return json.dumps({"widget_type": kind, "extra_data": extra}, ensure_ascii=False)


def _task(entry: str) -> dict[str, str]:
    task, _, description = entry.partition(":")
    return {"task": task.strip(), "desc": description.strip()}


# --- what others add ---

Words = Annotated[str, msgspec.Meta(min_length=1)]
Index = Annotated[int, msgspec.Meta(ge=0, le=PER_MESSAGE)]


class Vote(msgspec.Struct, tag="vote"):
    key: Words
    vote: Literal[1, -1]


class NewOption(msgspec.Struct, tag="new_option"):
    idx: Index
    option: Words


class Question(msgspec.Struct, tag="question"):
    question: Words


class NewTask(msgspec.Struct, tag="new_task"):
    key: Index
    task: Words
    desc: str
    completed: bool


class Strike(msgspec.Struct, tag="strike"):
    key: Words


class Title(msgspec.Struct, tag="new_task_list_title"):
    title: Words


_KINDS = {
    "poll": msgspec.json.Decoder(Vote | NewOption | Question),
    "todo": msgspec.json.Decoder(NewTask | Strike | Title),
}


def check_addition(widget: str, content: str, *, by_author: bool) -> None:
    """Raises for what the clients that show the widget could not understand."""
    kind = json.loads(widget)["widget_type"]
    try:
        addition = _KINDS[kind].decode(content)
    except msgspec.ValidationError as problem:
        raise BadRequest(f"Invalid submessage: {problem!s}") from None
    except (msgspec.DecodeError, UnicodeError):
        raise BadRequest("Invalid json for submessage") from None
    if isinstance(addition, Question | Title) and not by_author:
        raise BadRequest("Only the author of a widget may change what it is about.")
