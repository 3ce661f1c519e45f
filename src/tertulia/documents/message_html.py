"""Messages of a document as HTML.

A page has a hundred messages, so they are not part of the template: a loop in a template takes four
times as long.
"""

from html import escape

from tertulia.documents.texts import Texts
from tertulia.documents.view import FormerVersion, ShownMessage, ShownPerson, ShownReaction
from tertulia.domain.messages.widget_state import Poll, TodoList


def of_all(texts: Texts, messages: list[ShownMessage]) -> str:
    parts: list[str] = []
    headings: dict[ShownPerson, tuple[str, str]] = {}
    for message in messages:
        if message.begins_day:
            date = escape(texts.long_date(message.sent_at))
            parts.append(f'<div class="day"><span>{date}</span></div>')
        sender = headings.get(message.sender)
        if sender is None:
            sender = escape(message.sender.name), _heading(texts, message.sender)
            headings[message.sender] = sender
        parts.append(_article(texts, message, *sender))
    return "\n".join(parts)


def _article(texts: Texts, message: ShownMessage, name: str, heading: str) -> str:
    iso = message.iso
    time = iso[11:16]
    kind, who = ("line first", heading) if message.shows_sender else ("line", "<div></div>")
    content = message.html if message.widget is None else _widget(texts, message.widget)
    edited = f'<span class="edited">{texts.edited}</span>' if message.is_edited else ""
    edited += "".join(_former(texts, each) for each in message.former)
    reactions = _reactions(texts, message.reactions) if message.reactions else ""
    return (
        f'<article id="m{message.id}" class="{kind}" aria-label="{name}, {time}">{who}'
        f'<div class="what" dir="auto">{content}{edited}{reactions}</div>'
        f'<a class="when" href="{message.link}"><time datetime="{iso}">{time}</time></a></article>'
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
