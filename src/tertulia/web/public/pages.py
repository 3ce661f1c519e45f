"""Public pages for people: organization, channel, topic, and the redirect of a message."""

from typing import Any
from urllib.parse import quote

import msgspec
from msgspec.structs import replace
from starlette.responses import RedirectResponse, Response

from tertulia import actions, domain
from tertulia.actions.messages.public_history import TopicPage
from tertulia.database.tx import Tx
from tertulia.documents import view_models
from tertulia.documents.template_engine import DocumentTexts
from tertulia.errors.http import NotFound
from tertulia.web.public import addresses
from tertulia.web.public.appearance import PublicDocument, Visit

INDEX_TOPICS = 20
HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"


def index(tx: Tx, visit: Visit) -> PublicDocument:
    """The channels and newest topics."""
    org, channels, extent = visit.org, visit.channels, actions.messages.public_history.extent
    found = actions.messages.public_history.newest_topics(
        tx, [each.id for each in channels], INDEX_TOPICS
    )
    return _document(
        visit,
        "index.html",
        addresses.ROOT,
        channels=[visit.look.channel(visit.t, each, extent(tx, each.id)) for each in channels],
        topics=[visit.look.topic(visit.t, line) for line in found],
        description=org.realm.setting("description")
        or visit.t("public.description-index", name=org.realm.name),
        feed=f"{addresses.ROOT}feed.atom",
        may_register=_may_register(visit),
    )


def channel(tx: Tx, visit: Visit) -> PublicDocument | Response:
    """The topics of a channel, newest first; `?before=ID` continues."""
    channel, name = visit.channel(visit.params["channel"]), visit.org.realm.name
    path = addresses.channel_path(channel.id, channel.name)
    if visit.request.scope["path"] != path:
        return _redirect(visit, path)
    before = addresses.number(visit.request, "before")
    found = actions.messages.public_history.topics(tx, channel.id, before)
    about = view_models.description(channel)
    return _document(
        visit,
        "channel.html",
        path if before is None else f"{path}?before={before}",
        channel=channel,
        topics=[visit.look.topic(visit.t, line) for line in found.topics],
        older=found.next_before and f"{path}?before={found.next_before}",
        about=about,
        description=about or visit.t("public.description-channel", channel=channel.name, name=name),
        feed=f"{path}feed.atom",
    )


def topic(tx: Tx, visit: Visit) -> PublicDocument | Response:
    """A topic, a hundred messages per page; `?page=2`, `?as=text`."""
    is_text = addresses.parameters(visit.request).get("as") == "text"
    channel = visit.channel(visit.params["channel"])
    topic = visit.topic(visit.params["topic"])
    if not visit.is_current:  # else the directory is as the database
        channel = actions.messages.public_history.public(tx, channel.id)
    number = addresses.number(visit.request, "page") or 1
    found = actions.messages.public_history.topic_page(
        tx, channel, topic, number, visit.find_starts, with_content=is_text
    )
    path = addresses.topic_path(channel.id, channel.name, found.topic)
    if visit.request.scope["path"] != path:
        return _redirect(visit, path)
    return _topic_as_text(visit, found) if is_text else _topic_page(tx, visit, found)


def message(tx: Tx, visit: Visit) -> Response:
    """Redirect the permanent address of a message to the page that has it now."""
    message_id = visit.params["message_id"]
    if message_id >= 1 << 62:
        raise NotFound()
    channel, topic, page = actions.messages.public_history.locate(tx, message_id)
    path = addresses.topic_path(channel.id, channel.name, topic, page)
    return RedirectResponse(f"{path}#m{message_id}", 302, {"Cache-Control": "no-cache"})


def _redirect(visit: Visit, path: str) -> Response:
    """To the current name of a channel or topic."""
    query = visit.request.url.query
    return RedirectResponse(
        f"{path}?{query}" if query else path, 302, {"Cache-Control": "no-cache"}
    )


def _topic_page(tx: Tx, visit: Visit, found: TopicPage) -> PublicDocument:
    channel, t, number = found.channel, visit.t, found.number
    others = actions.messages.public_history.neighbours(tx, found)
    title, is_resolved = view_models.titled(t, found.topic)
    organization = visit.org.realm.name
    snippet = view_models.snippet(visit.look, found.messages[0])

    def path(page: int, topic: str = found.topic) -> str:
        return addresses.topic_path(channel.id, channel.name, topic, page)

    document = _document(
        visit,
        "topic.html",
        path(number),
        channel=channel.name,
        channel_path=addresses.channel_path(channel.id, channel.name),
        title=title,
        is_resolved="yes" if is_resolved else None,
        description=snippet
        or t("public.description-topic", topic=title, channel=channel.name, name=organization),
        extent=_extent(t, found),
        page_of=t("public.page-of", number=number, pages=found.pages) if found.pages > 1 else None,
        earlier=path(number - 1) if number > 1 else None,
        later=path(number + 1) if number < found.pages else None,
        earlier_topic=None if others.earlier is None else path(1, others.earlier),
        earlier_topic_title=view_models.titled(t, others.earlier or "")[0],
        later_topic=None if others.later is None else path(1, others.later),
        later_topic_title=view_models.titled(t, others.later or "")[0],
        posting=_json_ld(visit, title, f"{visit.site}{path(number)}", found, snippet),
        chat=f"/{domain.messages.links.topic_link(channel.id, channel.name, found.topic)}",
        feed=f"{path(1)}feed.atom",
        text_path=f"{path(1)}?as=text",
    )
    return replace(document, messages=found.messages)


def _extent(t: DocumentTexts, found: TopicPage) -> str:
    """How many messages a topic has; if they are on one page, by how many people; and when."""
    count = t.count(found.count)
    if found.pages == 1:
        senders = len({message.sender_id for message in found.messages})
        count += f" {t('public.by-people', count=senders)}"
    first, last = t.day(found.messages[0].sent_at), t.day(found.messages[-1].sent_at)
    return f"{count}, {first}" if first == last else f"{count}, {first} – {last}"


def _json_ld(visit: Visit, title: str, canonical: str, found: TopicPage, snippet: str) -> bytes:
    """The topic for search engines (schema.org), as JSON that is safe inside a script element."""
    first, last = found.messages[0], found.messages[-1]
    posting = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "headline": title,
        "url": canonical,
        "author": {"@type": "Person", "name": visit.look.person(first.sender_id).name},
        "datePublished": view_models.iso(first.sent_at),
        "dateModified": view_models.iso(last.edited_at or last.sent_at),
        "text": snippet,
        "commentCount": max(0, found.count - 1),
        "isPartOf": {"@type": "WebPage", "name": found.channel.name},
    }
    encoded = msgspec.json.encode(posting)
    return encoded.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


def _topic_as_text(visit: Visit, found: TopicPage) -> PublicDocument:
    look = visit.look
    values = {
        "title": view_models.titled(visit.t, found.topic)[0],
        "lines": [
            (
                look.person(each.sender_id).name,
                view_models.iso(each.sent_at),
                look.text(each.content),
            )
            for each in found.messages
        ],
    }
    return PublicDocument("public/topic.txt", TEXT, values, {"X-Robots-Tag": "noindex"})


def _document(visit: Visit, template: str, path: str, **values: Any) -> PublicDocument:
    canonical = f"{visit.site}{path}"
    own = {
        "t": visit.t,
        "canonical": canonical,
        "organization": visit.org.realm.name,
        "home": addresses.ROOT,
        "static": "/static/",
        "chat": "/",
        **_contact_links(visit, canonical),
    }
    return PublicDocument(f"public/{template}", HTML, {**own, **values})


def _contact_links(visit: Visit, canonical: str) -> dict[str, str | None]:
    """Links that write to the server's contact: to report the page, and to ask for an invitation
    if the organization requires one."""
    links: dict[str, str | None] = {"report": None, "ask": None}
    if visit.contact:
        write, t = f"mailto:{quote(visit.contact, safe='@')}?subject=", visit.t
        links["report"] = write + quote(t("public.report-subject", address=canonical), safe="")
        if not _may_register(visit):
            subject = t("public.ask-subject", name=visit.org.realm.name)
            links["ask"] = write + quote(subject, safe="")
    return links


def _may_register(visit: Visit) -> bool:
    return not visit.org.realm.setting("invite_required")
