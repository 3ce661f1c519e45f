"""Messages of a document as HTML.

A page has a hundred messages, so they are not part of the template: a loop in a template takes four
times as long. The template has a mark in their place, and the messages are encoded one by one: a
single emoji would make encoding the whole page four times as slow.
"""

from collections.abc import Iterable, Iterator
from html import escape

from tertulia.documents import view
from tertulia.documents.texts import Texts
from tertulia.documents.view import FormerVersion, ShownMessage, ShownPerson, ShownReaction
from tertulia.domain.messages.widget_state import Poll, TodoList

MARK = "\0"  # no stored text contains it


def insert(page: str, messages: bytes) -> bytes:
    """A page with messages in place of its mark, if it has one."""
    before, _, after = page.partition(MARK)
    return before.encode() + messages + after.encode()


def of_all(texts: Texts, messages: Iterable[ShownMessage]) -> Iterator[bytes]:
    """The HTML of each message, to be joined."""
    headings: dict[int, tuple[str, str]] = {}  # all messages of a sender have the same object
    for message in messages:
        if message.begins_day:
            date = escape(texts.long_date(message.sent_at))
            yield f'<div class="day"><span>{date}</span></div>\n'.encode()
        sender = headings.get(id(message.sender))
        if sender is None:
            sender = escape(message.sender.name), _heading(texts, message.sender)
            headings[id(message.sender)] = sender
        yield _article(texts, message, *sender).encode()


def _article(texts: Texts, message: ShownMessage, name: str, heading: str) -> str:
    iso = view.iso(message.sent_at)
    time = iso[11:16]
    kind, who = ("line first", heading) if message.shows_sender else ("line", "<div></div>")
    content = message.html if message.widget is None else _widget(texts, message.widget)
    if message.is_edited:
        content += f'<span class="edited">{texts.edited}</span>'
    if message.deleted_at is not None:
        date = texts.date(message.deleted_at)
        content += f' <strong class="deleted">{texts.deleted_on.format(date=date)}</strong>'
    if message.former:
        content += "".join([_former(texts, each) for each in message.former])
    if message.reactions:
        content += _reactions(texts, message.reactions)
    return (
        f'<article id="m{message.id}" class="{kind}" aria-label="{name}, {time}">{who}'
        f'<div class="what" dir="auto">{content}</div>'
        f'<a class="when" href="{message.link}"><time datetime="{iso}">{time}</time></a>'
        "</article>\n"
    )


def _former(texts: Texts, version: FormerVersion) -> str:
    summary = texts.earlier_version.format(date=texts.date(version.replaced_at))
    return f"<details><summary>{summary}</summary>{version.html}</details>"


def _heading(texts: Texts, sender: ShownPerson) -> str:
    bot = " bot" if sender.is_bot else ""
    if sender.picture is None:
        letter = escape(sender.letter)
        mark = f'<span class="av p{sender.shade}{bot}" aria-hidden="true">{letter}</span>'
    else:
        picture = escape(sender.picture)
        mark = f'<img class="av" src="{picture}" alt="" width="24" height="24" loading="lazy">'
    tag = f'<span class="tag">{texts.bot}</span>' if sender.is_bot else ""
    name = f'<span class="name"><bdi>{escape(sender.name)}</bdi></span>'
    return f'<div class="who">{mark}<span class="id">{name}{tag}</span></div>'


def _widget(texts: Texts, widget: Poll | TodoList) -> str:
    if isinstance(widget, Poll):
        options = "".join(
            f"<li><bdi>{escape(option.text)}</bdi>"
            f" <small>{texts.votes_of(option.voters)}</small></li>"
            for option in widget.options
        )
        return f'<div class="poll"><p>{escape(widget.question)}</p><ul>{options}</ul></div>'
    tasks = "".join(
        f"<li>{_done(texts, task.text) if task.is_done else escape(task.text)}"
        f" <small>{escape(task.description)}</small></li>"
        for task in widget.tasks
    )
    return f'<div class="todo"><p><b>{escape(widget.title)}</b></p><ul>{tasks}</ul></div>'


def _done(texts: Texts, task: str) -> str:
    return f"<s>{escape(task)}</s> <small>({texts.done})</small>"


def _reactions(texts: Texts, reactions: list[ShownReaction]) -> str:
    shown = "".join(
        f'<li><span class="re">{_emoji(each)}<b>{each.count}</b></span></li>' for each in reactions
    )
    return f'<ul class="reacts" aria-label="{texts.reactions}">{shown}</ul>'


def _emoji(reaction: ShownReaction) -> str:
    if reaction.image is None:
        return escape(reaction.text)
    name, image = escape(reaction.name), escape(reaction.image)
    return f'<img class="emoji" src="{image}" alt=":{name}:" loading="lazy">'
