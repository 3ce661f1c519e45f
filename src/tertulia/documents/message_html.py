"""Messages of a document as HTML.

A page has a hundred messages, so they are not part of the template: a loop in a template takes four
times as long. The frame of the page has a mark in their place (`page_frame`).
"""

from collections.abc import Iterable, Iterator
from html import escape
from typing import NamedTuple

from tertulia import domain
from tertulia.documents import view_models
from tertulia.documents.template_engine import DocumentTexts
from tertulia.documents.view_models import Appearance, FormerVersion, ShownPerson, ShownReaction
from tertulia.domain.messages.message import Message, TopicMessage
from tertulia.domain.messages.widget_state import Poll
from tertulia.memo import memoized

SAME_SENDER_SECONDS = 600  # a later message of the same sender shows the name again
FIRST, LATER = '" class="line first" aria-label="', '" class="line" aria-label="'


class _Sender(NamedTuple):
    person: ShownPerson
    label: str  # the start of the labels of the sender's messages
    heading: str


def of_all(
    t: DocumentTexts, look: Appearance, messages: Iterable[Message | TopicMessage]
) -> Iterator[bytes]:
    """The HTML of each message, to be joined."""
    senders: dict[int, _Sender] = {}
    deletions, times, seconds = look.deletions, view_models.TIMES, view_models.SECONDS
    link = f'</div><a class="when" href="{look.link_prefix}'
    last_sender_id, last_sent_at, last_day, date = None, 0.0, None, ""
    for message in messages:
        sender_id, sent_at, content = message.sender_id, message.sent_at, message.rendered
        sender = senders.get(sender_id)
        if sender is None:
            sender = senders[sender_id] = _sender(t, look.person(sender_id))
        day, second = divmod(int(sent_at), view_models.DAY_SECONDS)
        if day != last_day:
            last_day, last_sender_id = day, None
            date = f'"><time datetime="{view_models.date_of(day)}T'
            shown = escape(t.day(sent_at, "long"))
            yield f'<div class="day"><span>{shown}</span></div>\n'.encode()
        if '="' in content or "<pre>" in content or message.is_me:
            content = view_models.html_of(look, message, sender.person)
        if (
            message.edited_at is not None
            or message.reactions
            or message.submessages
            or message.edits
            or deletions
        ):
            content = _with_details(t, look, message, content)
        if sender_id == last_sender_id and sent_at - last_sent_at < SAME_SENDER_SECONDS:
            kind, who = LATER, "<div></div>"
        else:
            kind, who = FIRST, sender.heading
        number, time = str(message.id), times[second // 60]
        yield (
            f'<article id="m{number}{kind}{sender.label}{time}">{who}'
            f'<div class="what" dir="auto">{content}{link}{number}{date}{time}'
            f'{seconds[second % 60]}">{time}</time></a></article>\n'
        ).encode()
        last_sender_id, last_sent_at = sender_id, sent_at


def _with_details(
    t: DocumentTexts, look: Appearance, message: Message | TopicMessage, content: str
) -> str:
    """The content with its poll or list, edits, deletion and reactions."""
    if message.submessages:
        content = _widget(t, message) or content
    if message.edited_at is not None:
        content += f'<span class="edited">{t("public.edited")}</span>'
    if message.id in look.deletions:
        deleted = t("public.deleted-on", date=t.day(look.deletions[message.id]))
        content += f' <strong class="deleted">{deleted}</strong>'
    if message.edits or message.submessages:
        content += "".join([_former(each) for each in look.former(t, message)])
    if message.reactions:
        content += _reactions(t, view_models.reactions_of(look, message.reactions))
    return content


@memoized("shown_senders", 256)
def _sender(t: DocumentTexts, person: ShownPerson) -> _Sender:
    return _Sender(person, f"{escape(person.name)}, ", _heading(t, person))


def _former(version: FormerVersion) -> str:
    return f"<details><summary>{version.summary}</summary>{version.html}</details>"


def _heading(t: DocumentTexts, sender: ShownPerson) -> str:
    bot = " bot" if sender.is_bot else ""
    if sender.picture is None:
        letter = escape(sender.letter)
        mark = f'<span class="av p{sender.shade}{bot}" aria-hidden="true">{letter}</span>'
    else:
        picture = escape(sender.picture)
        mark = f'<img class="av" src="{picture}" alt="" width="24" height="24" loading="lazy">'
    tag = f'<span class="tag">{t("public.bot")}</span>' if sender.is_bot else ""
    name = f'<span class="name"><bdi>{escape(sender.name)}</bdi></span>'
    return f'<div class="who">{mark}<span class="id">{name}{tag}</span></div>'


def _widget(t: DocumentTexts, message: Message | TopicMessage) -> str | None:
    widget = domain.messages.widget_state.of_message(message)
    if widget is None:
        return None
    if isinstance(widget, Poll):
        options = "".join(
            f"<li><bdi>{escape(option.text)}</bdi>"
            f" <small>{t('public.votes', count=len(option.voters))}</small></li>"
            for option in widget.options
        )
        return f'<div class="poll"><p>{escape(widget.question)}</p><ul>{options}</ul></div>'
    tasks = "".join(
        f"<li>{_done(t, task.text) if task.is_done else escape(task.text)}"
        f" <small>{escape(task.description)}</small></li>"
        for task in widget.tasks
    )
    return f'<div class="todo"><p><b>{escape(widget.title)}</b></p><ul>{tasks}</ul></div>'


def _done(t: DocumentTexts, task: str) -> str:
    return f"<s>{escape(task)}</s> <small>({t('public.done')})</small>"


def _reactions(t: DocumentTexts, reactions: list[ShownReaction]) -> str:
    shown = "".join(
        f'<li><span class="re">{_emoji(each)}<b>{each.count}</b></span></li>' for each in reactions
    )
    return f'<ul class="reacts" aria-label="{t("public.reactions")}">{shown}</ul>'


def _emoji(reaction: ShownReaction) -> str:
    if reaction.image is None:
        return escape(reaction.text)
    name, image = escape(reaction.name), escape(reaction.image)
    return f'<img class="emoji" src="{image}" alt=":{name}:" loading="lazy">'
