"""Widgets: interactive messages such as polls and to-do lists.

`/poll` and `/todo` at the start of a message create one. A client can also send one beside the
content, for example a form with choices. Later actions are submessages, which clients combine; this
module checks that clients can parse them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.domain import limits
from tertulia.domain.groups.group import GroupValue
from tertulia.errors import BadRequest

WIDGET = "widget"
PER_MESSAGE = 10_000
MAX_BUTTONS = 25
MAX_LENGTH = 1_000_000  # of all submessages of a message: every reader gets all of them
_COMMAND = re.compile(r"/(poll|todo)(?:\s+(.*))?")
_BULLET = re.compile(r"[-*]\s+")


class Submessage(msgspec.Struct, frozen=True):
    id: int
    message_id: int
    sender_id: int
    msg_type: str
    content: str


# --- commands ---


def widget_of_command(content: str) -> str | None:
    """The widget that a message starts, in API format."""
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


# --- payloads of clients ---


class PollData(msgspec.Struct):
    question: str = ""
    options: list[str] = []
    others_may_add: bool | msgspec.UnsetType = msgspec.UNSET  # options; if unset, they may


class TaskData(msgspec.Struct):
    task: str
    desc: str = ""


class TodoData(msgspec.Struct):
    task_list_title: str = ""
    tasks: list[TaskData] = []


class FormChoice(msgspec.Struct):
    """A choice, and the message that selecting it sends. With an id it is a button: selecting it
    calls the bot, and clients that do not know buttons send the message."""

    short_name: str
    long_name: str
    reply: str
    type: Literal["multiple_choice"] = "multiple_choice"
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    style: Literal["plain", "danger"] | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET


class FormData(msgspec.Struct):
    """`may_press` are a group, or people and groups; unset for all who may read the message.
    `select` shows the buttons as one list, and is the word on its button. `for_each` lets each
    person press once; otherwise the first press closes the buttons."""

    type: Literal["choices"]
    heading: str
    choices: list[FormChoice]
    may_press: GroupValue | UnsetType = UNSET
    select: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    for_each: bool | UnsetType = UNSET

    @property
    def has_buttons(self) -> bool:
        return any(each.id is not UNSET for each in self.choices)


class _Poll(msgspec.Struct, tag_field="widget_type", tag="poll"):
    extra_data: PollData


class _Todo(msgspec.Struct, tag_field="widget_type", tag="todo"):
    extra_data: TodoData


class _Form(msgspec.Struct, tag_field="widget_type", tag="zform"):
    extra_data: FormData


def widget_of_client(widget: dict[str, Any]) -> str:
    """Check a widget that a client sends with a message, and encode it."""
    try:
        known = msgspec.convert(widget, _Poll | _Todo | _Form)
    except msgspec.ValidationError as problem:
        raise BadRequest(f"Widgets: {problem!s}", problem="widget-invalid") from None
    if isinstance(known, _Form) and known.extra_data.has_buttons:
        check_buttons(known.extra_data)
    content = msgspec.json.encode(known).decode()
    if len(content) > limits.MAX_MESSAGE_LENGTH:
        raise BadRequest(
            f"Widgets: too long (limit: {limits.MAX_MESSAGE_LENGTH} characters)",
            problem="widget-invalid",
        )
    return content


def check_buttons(data: FormData) -> None:
    ids = [each.id for each in data.choices]
    if not 0 < len(ids) <= MAX_BUTTONS or UNSET in ids or len(set(ids)) < len(ids):
        raise BadRequest(
            "Widgets: 1 to {limit} buttons, each with an id of its own",
            problem="buttons-invalid",
            limit=MAX_BUTTONS,
        )


# --- submessages ---

Words = Annotated[str, msgspec.Meta(min_length=1)]
Index = Annotated[int, msgspec.Meta(ge=0, le=PER_MESSAGE)]
# An option of the poll itself, or one that a user added. Zulip's phone app cannot show a list of
# messages in which it finds any other key.
OptionKey = Annotated[str, msgspec.Meta(pattern=r"^(canned|[1-9][0-9]{0,9}),(0|[1-9][0-9]{0,4})$")]

# The same of a task, the other way around.
TaskKey = Annotated[str, msgspec.Meta(pattern=r"^(0|[1-9][0-9]{0,4}),(canned|[1-9][0-9]{0,9})$")]


class Vote(msgspec.Struct, tag="vote"):
    key: OptionKey
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


class ToggleTask(msgspec.Struct, tag="strike"):
    key: TaskKey


class Title(msgspec.Struct, tag="new_task_list_title"):
    title: Words


class Press(msgspec.Struct, tag="press"):
    """A user has pressed a button. Only the server writes this part and the next one."""

    choice: str
    interaction: int
    at: int


class Release(msgspec.Struct, tag="release"):
    """A press was taken back, or the bot has not answered it."""

    interaction: int


class Buttons(msgspec.Struct, tag="buttons"):
    """The bot has changed its buttons."""

    extra_data: FormData


def buttons_of(parts: Sequence[Submessage], author_id: int) -> FormData | None:
    """The buttons of a message, as its author has set them last; None if it has none."""
    if not parts:
        return None
    try:
        data = msgspec.json.decode(parts[0].content, type=_Form).extra_data
    except msgspec.MsgspecError:
        return None
    for each in parts[1:]:
        if each.sender_id == author_id:
            try:
                data = msgspec.json.decode(each.content, type=Buttons).extra_data
            except msgspec.MsgspecError:
                continue
    return data if data.has_buttons else None


# Choosing in a form sends a message or calls its bot, so users add nothing to it themselves.
_KINDS = {
    "poll": msgspec.json.Decoder(Vote | NewOption | Question),
    "todo": msgspec.json.Decoder(NewTask | ToggleTask | Title),
}


def texts_of(submessages: Iterable[Submessage]) -> Iterator[str]:
    """The texts that users have added to a widget."""
    for each in submessages:
        try:
            addition = msgspec.json.decode(
                each.content, type=Vote | NewOption | Question | NewTask | ToggleTask | Title
            )
        except msgspec.MsgspecError:  # the widget itself, which the message has as its content
            continue
        match addition:
            case NewOption():
                yield addition.option
            case Question():
                yield addition.question
            case NewTask():
                yield f"{addition.task} {addition.desc}"
            case Title():
                yield addition.title


def check_addition(widget: str, content: str, *, by_author: bool) -> None:
    """Raise BadRequest for a submessage that clients cannot parse or only the author may add."""
    known = json.loads(widget)
    kind = known["widget_type"]
    if kind not in _KINDS:
        raise BadRequest(
            "You cannot attach a submessage to this message.", problem="submessage-not-allowed"
        )
    try:
        addition = _KINDS[kind].decode(content)
    except msgspec.ValidationError as problem:
        raise BadRequest(f"Invalid submessage: {problem!s}") from None
    except (msgspec.DecodeError, UnicodeError):
        raise BadRequest("Invalid json for submessage") from None
    if isinstance(addition, Question | Title) and not by_author:
        raise BadRequest(
            "Only the author of a widget may change what it is about.",
            problem="widget-of-another-author",
        )
    may_add = known["extra_data"].get("others_may_add", True)
    if isinstance(addition, NewOption) and not (by_author or may_add):
        raise BadRequest(
            "Only the author of this poll may add options.",
            problem="poll-options-of-another-author",
        )


_WIDGETS = {"poll": _Poll, "todo": _Todo, "zform": _Form}
_Addition = Vote | NewOption | Question | NewTask | ToggleTask | Title | Press | Release | Buttons


def is_readable(content: str) -> bool:
    """Whether clients can parse a widget, or an addition to one, that was stored elsewhere."""
    try:
        part = msgspec.json.decode(content, type=dict[str, Any])
        if "widget_type" not in part:
            msgspec.convert(part, _Addition)
        elif part["widget_type"] in _WIDGETS:
            msgspec.convert(part, _WIDGETS[part["widget_type"]])
    except (msgspec.DecodeError, UnicodeError, TypeError):  # ValidationError is a DecodeError
        return False
    return True
