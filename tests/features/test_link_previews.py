"""Previews of linked pages: what is fetched, what clients see, and what is never contacted."""

import html
import ipaddress
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.fake_webhooks import Receiver, redirect, stream_for_ever
from tests.support.people import Chat
from tests.support.waiting import eventually

from tertulia import features
from tertulia.domain.messages import link_previews
from tertulia.features.link_previews import LinkPreview

HOME = (ipaddress.ip_network("127.0.0.1/32"),)
HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = b"""<!doctype html><html><head><title>Ignored</title>
<meta property="og:title" content="Soup &amp; bread &lt;3">
<meta property="og:description" content="How to
cook it">
<meta property="og:image" content="/pot.png"></head>
<body><meta property="og:title" content="No"></body>"""


@pytest.fixture
def site() -> Iterator[Receiver]:
    receiver = Receiver(answer=(200, PAGE, HTML))
    yield receiver
    receiver.close()


@pytest.fixture
def chat(start_server) -> Chat:
    chat = Chat.found(start_server(link_preview_networks=HOME))
    chat.set("inline_url_embed_preview", True)
    return chat


def preview_of(person: Any, message: Any) -> str:
    content = person.sees(message)["content"]
    return str(content[content.find('<div class="message_embed">') :]) if "embed" in content else ""


def all_done(chat: Chat) -> None:
    eventually(lambda: chat.read(_waiting) == 0)


def _waiting(tx: Any) -> int:
    return int(tx.number("SELECT count(*) AS value FROM outbox WHERE transport = 'preview'"))


def test_a_linked_page_is_shown_below_the_message(chat, site):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message", "update_message")

    sent = ana.says(f"look: {site.url} and {site.url}", to="kitchen > lunch")

    message, update = queue.next(), queue.waits().result()[0]
    assert "message_embed" not in message["message"]["content"]
    assert update["rendering_only"] is True
    assert update["user_id"] is None
    assert update["message_ids"] == [sent.id]
    shown = preview_of(ben, sent)
    assert update["rendered_content"].endswith(shown)
    assert "Soup &amp; bread &lt;3</a>" in shown
    assert '<div class="message_embed_description">How to cook it</div>' in shown
    image = site.url.removesuffix("/hook") + "/pot.png"
    assert f'style="background-image: url(&quot;{image}&quot;)"' in shown
    assert len(site.requests) == 1
    assert "last_edit_timestamp" not in ben.sees(sent)


def test_a_page_is_fetched_once_a_week(chat, site):
    ana = chat.person("ana", channels=["kitchen"])
    first = ana.says(site.url, to="kitchen > lunch")
    eventually(lambda: preview_of(ana, first))
    second = ana.says(site.url, to="kitchen > lunch")
    eventually(lambda: preview_of(ana, second))

    assert len(site.requests) == 1


def test_an_edit_changes_the_preview(chat, site):
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    eventually(lambda: preview_of(ana, message))

    ana.patch(f"/messages/{message.id}", content="no link").succeeds()
    all_done(chat)
    assert not preview_of(ana, message)

    ana.patch(f"/messages/{message.id}", content=f"again {site.url}").succeeds()
    eventually(lambda: preview_of(ana, message))


def test_the_sender_and_moderators_remove_a_preview_for_good(chat, site):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    eventually(lambda: preview_of(ana, message))

    ben.delete(f"/messages/{message.id}/link_previews").fails(
        "You don't have permission to delete this message"
    )
    assert preview_of(ana, message)
    ana.delete(f"/messages/{message.id}/link_previews").succeeds()
    assert not preview_of(ben, message)
    ana.patch(f"/messages/{message.id}", content=f"again {site.url}").succeeds()
    all_done(chat)
    assert not preview_of(ben, message)


def test_an_organization_without_previews_and_a_server_without_fetch_nothing(start_server, site):
    off = Chat.found(start_server(link_preview_networks=HOME))
    forbidden = Chat.found(start_server(link_preview_networks=HOME, link_previews=False))
    forbidden.set("inline_url_embed_preview", True)
    for chat in (off, forbidden):
        ana = chat.person("ana", channels=["kitchen"])
        message = ana.says(site.url, to="kitchen > lunch")
        all_done(chat)
        assert not preview_of(ana, message)

    assert site.requests == []


def test_private_addresses_are_never_contacted(start_server, site):
    chat = Chat.found(start_server())
    chat.set("inline_url_embed_preview", True)
    ana = chat.person("ana", channels=["kitchen"])
    local = site.url.replace("127.0.0.1", "localhost")
    message = ana.says(f"{site.url} {local}", to="kitchen > lunch")
    all_done(chat)

    assert site.requests == []
    assert not preview_of(ana, message)


def test_a_redirect_to_a_private_address_is_not_followed(chat, site):
    inside = Receiver(host="127.0.0.2", answer=(200, PAGE, HTML))
    site.answer = redirect(inside.url)
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    all_done(chat)

    assert inside.requests == []
    assert not preview_of(ana, message)
    inside.close()


@pytest.mark.parametrize(
    "answer",
    [
        (404, PAGE, HTML),
        (200, PAGE, {"Content-Type": "image/png"}),
        (200, b"<html><body>no title</body>", HTML),
        (200, b"", HTML),
        stream_for_ever,
    ],
    ids=["missing", "no page", "no title", "empty", "endless"],
)
def test_a_page_without_metadata_has_no_preview(chat, site, answer):
    site.answer = answer
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    all_done(chat)

    assert not preview_of(ana, message)


@pytest.mark.parametrize(
    "charset, page",
    [
        ("idna", b"<title>Soup</title>"),
        ("unicode_escape", b"<title>Soup</title><meta name=description content='\\ud800'>"),
        ("iso-8859-1", b"<title>Soup</title><meta name=description content='\xe9'>"),
        ("no-such-set", b"<title>Soup</title>"),
    ],
)
def test_a_page_with_a_strange_character_set_is_fetched_once(chat, site, charset, page):
    site.answer = (200, page, {"Content-Type": f"text/html; charset={charset}"})
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    all_done(chat)

    assert "Soup" in preview_of(ana, message)
    assert len(site.requests) == 1


def test_only_character_sets_that_decode_in_linear_time_are_used() -> None:
    """`punycode` takes quadratic time; its page is read as UTF-8."""
    for charset in features.link_previews.CHARSETS:
        page = "<title>x</title>".encode(charset)
        found = features.link_previews.read(
            "https://h.example/", f"text/html; charset={charset}", page
        )
        assert found.title == "x", charset
    page = b"<title>a-b</title>"
    found = features.link_previews.read("https://h.example/", "text/html; charset=punycode", page)
    assert found.title == "a-b"


def test_a_message_deleted_meanwhile_leaves_nothing(chat, site):
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    chat.person("olga", role="owner").delete(f"/messages/{message.id}").succeeds()

    all_done(chat)


def test_proxied_images_are_of_this_server(start_server, site):
    chat = Chat.found(start_server(link_preview_networks=HOME, external_pictures=True))
    chat.set("inline_url_embed_preview", True)
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    eventually(lambda: preview_of(ana, message))

    style = re.search(r'style="([^"]*)"', preview_of(ana, message))
    assert style
    assert html.unescape(style[1]).startswith('background-image: url("/external_content/')


def meta(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{content}">'


TITLE = meta("og:title", "x")


@pytest.mark.parametrize(
    "page, title, image",
    [
        ("<title>A &amp; B</title>", "A & B", ""),
        ('<meta name="twitter:title" content="T">', "T", ""),
        ("<meta property=og:title content=bare>", "bare", ""),
        (TITLE + meta("og:image", "javascript:1"), "x", ""),
        (TITLE + meta("og:image", "//h.example/i.png"), "x", "https://h.example/i.png"),
        (TITLE + meta("og:image", "https://h.example/a&quot;);x"), "x", ""),
        ("<title" * 100_000, "", ""),
        (meta("og:title", "x" * 5000), "x" * 199 + "…", ""),
    ],
)
def test_title_and_image_of_a_page_are_extracted(page: str, title: str, image: str) -> None:
    found = features.link_previews.read("https://h.example/page", "text/html", page.encode())

    assert (found.title, found.image) == (title, image)


def test_hostile_values_stay_text() -> None:
    preview = LinkPreview('https://h.example/"><b>', "<script>", '"><img src=x>', "")

    shown = features.link_previews.with_previews("<p>hi</p>", [preview])

    assert "<script>" not in shown
    assert "<img" not in shown
    assert "<b>" not in shown
    assert link_previews.without_previews(shown) == "<p>hi</p>"


def test_a_page_that_reveals_a_bug_is_given_up(chat, site, monkeypatch):
    """Not fetched again and again for as long as the message exists."""

    def fail(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(features.link_previews, "read", fail)
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(site.url, to="kitchen > lunch")
    eventually(lambda: chat.read(_tries) == 1)
    chat.server.clock.move(minutes=2)

    all_done(chat)
    assert not preview_of(ana, message)


def _tries(tx: Any) -> int:
    return int(tx.number("SELECT max(tries) AS value FROM outbox WHERE transport = 'preview'") or 0)
