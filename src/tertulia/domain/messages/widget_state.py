"""The state of a poll or to-do list: its submessages applied in order, as clients do."""

import msgspec

from tertulia.domain.messages.message import Message, TopicMessage
from tertulia.domain.messages.widgets import (
    NewOption,
    NewTask,
    PollData,
    Question,
    Title,
    TodoData,
    ToggleTask,
    Vote,
)


class PollOption(msgspec.Struct):
    text: str
    voters: list[int] = []


class Poll(msgspec.Struct):
    question: str
    options: list[PollOption]
    former: list[str] = []  # earlier questions, oldest first

    def has_vote_of(self, user_id: int) -> bool:
        return any(user_id in option.voters for option in self.options)


class Task(msgspec.Struct):
    text: str
    description: str
    is_done: bool


class TodoList(msgspec.Struct):
    title: str
    tasks: list[Task]
    former: list[str] = []  # earlier titles, oldest first


class _Widget(msgspec.Struct):
    widget_type: str
    extra_data: msgspec.Raw


def of_message(message: Message | TopicMessage) -> Poll | TodoList | None:
    """The widget of a message, if it is one of those that can be shown without a client.

    Submessages that cannot be read are left out, as clients do.
    """
    if not message.submessages:
        return None
    try:
        widget = msgspec.json.decode(message.submessages[0].content, type=_Widget)
        if widget.widget_type == "poll":
            return _poll(message, msgspec.json.decode(widget.extra_data, type=PollData))
        if widget.widget_type == "todo":
            return _todo(message, msgspec.json.decode(widget.extra_data, type=TodoData))
    except msgspec.MsgspecError:
        pass
    return None


def _poll(message: Message | TopicMessage, data: PollData) -> Poll:
    poll = Poll(data.question, [])
    may_add = data.others_may_add is not False
    options = {f"canned,{number}": PollOption(text) for number, text in enumerate(data.options)}
    for part in message.submessages[1:]:
        try:
            change = msgspec.json.decode(part.content, type=Vote | NewOption | Question)
        except msgspec.MsgspecError:
            continue
        match change:
            case Question():
                if part.sender_id == message.sender_id:
                    poll.former.append(poll.question)
                    poll.question = change.question
            case NewOption() if part.sender_id == message.sender_id or may_add:
                options.setdefault(f"{part.sender_id},{change.idx}", PollOption(change.option))
            case Vote() if change.key in options:
                voters = options[change.key].voters
                others = [each for each in voters if each != part.sender_id]
                options[change.key].voters = (
                    [*others, part.sender_id] if change.vote == 1 else others
                )
    poll.options = list(options.values())
    return poll


def _todo(message: Message | TopicMessage, data: TodoData) -> TodoList:
    todo = TodoList(data.task_list_title, [])
    tasks = {
        f"{number},canned": Task(each.task, each.desc, False)
        for number, each in enumerate(data.tasks)
    }
    for part in message.submessages[1:]:
        try:
            change = msgspec.json.decode(part.content, type=NewTask | ToggleTask | Title)
        except msgspec.MsgspecError:
            continue
        match change:
            case Title():
                if part.sender_id == message.sender_id:
                    todo.former.append(todo.title)
                    todo.title = change.title
            case NewTask():
                key = f"{change.key},{part.sender_id}"
                tasks.setdefault(key, Task(change.task, change.desc, change.completed))
            case ToggleTask() if change.key in tasks:
                tasks[change.key].is_done = not tasks[change.key].is_done
    todo.tasks = list(tasks.values())
    return todo
