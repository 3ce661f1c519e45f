"""Public pages: web-public channels without an account and without scripts."""

import asyncio
import json
import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from itertools import count, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser
from tests.support.axe import violations
from tests.support.cli_runner import Terminal
from tests.support.client import Reply
from tests.support.databases import Databases, Kind
from tests.support.files import uploads
from tests.support.html_validity import MARKUP, feed_errors, html_errors
from tests.support.people import Chat, Person
from tests.support.pictures import picture
from tests.support.server import Server
from tests.support.shared_servers import SharedServers

from tertulia import domain
from tertulia.actions.messages import public_history
from tertulia.caches.topic_starts import PAGE_MESSAGES
from tertulia.database.yielding import LoopYieldPoint
from tertulia.documents import message_html
from tertulia.web.public import appearance, feeds, pacing
from tertulia.web.public.pacing import STEP_SECONDS, rest_after

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
MAX_AGE_SECONDS = 90
CONTACT = "hello+pages@example.com"


@pytest.fixture(scope="module")
def open_servers(databases: Databases) -> Iterator[SharedServers]:
    with SharedServers(
        databases,
        web_public_streams_enabled=True,
        public_pages_max_age_seconds=MAX_AGE_SECONDS,
        public_contact_email=CONTACT,
    ) as servers:
        yield servers


@pytest.fixture
def square(kind: Kind, open_servers: SharedServers) -> Chat:
    """An organization that can be read without an account."""
    chat = open_servers.chat_on(kind)
    chat.set("enable_spectator_access", True)
    return chat


@pytest.fixture
def ana(square: Chat) -> Person:
    """The owner, with a web-public channel and one for members."""
    ana = square.person("ana", role="owner")
    ana.joins("square", is_web_public=True)
    ana.joins("house")
    return ana


def page(chat: Chat, path: str, **headers: str) -> Reply:
    return chat.stranger.raw("GET", path, None, **headers)


def text_of(reply: Reply) -> str:
    return reply.body.decode()


def path_of(chat: Chat, channel: str, topic: str = "") -> str:
    number = chat.channel(channel).id
    end = f"{topic.replace(' ', '.20')}/" if topic else ""
    return f"/public/{number}-{channel}/{end}"


def test_a_topic_page_shows_its_messages_without_a_script(square, ana):
    ana.says("**Come in**", to="square > opening hours")
    ana.says("Members only", to="house > secrets")

    reply = page(square, path_of(square, "square", "opening hours"))

    assert reply.status == 200
    assert "<strong>Come in</strong>" in text_of(reply)
    assert "Members only" not in text_of(reply)
    assert "application/ld+json" in text_of(reply)
    scripts = re.findall(r"<script(?! type=.application/ld)", text_of(reply))
    assert not scripts


def test_the_index_and_the_channel_list_topics_newest_first(square, ana):
    ana.says("One", to="square > first")
    ana.says("Two", to="square > second")
    ana.says("Secret", to="house > indoors")

    for path in ("/public/", path_of(square, "square")):
        text = text_of(page(square, path))
        assert text.index("second</bdi>") < text.index("first</bdi>")
        assert "indoors" not in text
        assert "house" not in text


def test_the_index_says_how_many_topics_a_channel_has_and_of_when_the_newest_is(
    square, ana, monkeypatch
):
    monkeypatch.setattr(public_history, "MAX_COUNTED_TOPICS", 3)
    monkeypatch.setattr(appearance, "MAX_COUNTED_TOPICS", 3)
    ana.joins("empty", is_web_public=True)

    sizes = []
    for topic in ("", "bread", "Bread", "cheese", "wine", "water"):
        ana.says("Hello", to=f"square > {topic}")
        ana.says("Hello", to="house > private")
        cards = re.findall(r"<small>(.*?)</small>", text_of(page(square, "/public/")))
        assert cards[0] == "0 topics"
        assert re.search(
            r'· <time datetime="[0-9TZ:-]+">[0-9]+ [A-Z][a-z]+ [0-9]+</time>', cards[1]
        )
        sizes.append(cards[1].partition(" ·")[0])

    assert sizes == ["1 topic", "2 topics", "2 topics", *["3 topics or more"] * 3]


@pytest.mark.parametrize("counted", ["in each request", "once"])
def test_a_long_topic_has_pages_and_each_message_a_permanent_address(
    square, ana, counted, monkeypatch
):
    if counted == "once":
        monkeypatch.setattr(public_history, "LONG_TOPIC", 50)
    ids = [ana.says(f"Number {n}.", to="square > long").id for n in range(101)]
    path = path_of(square, "square", "long")

    first, second = page(square, path), page(square, f"{path}?page=2")

    assert "Number 99." in text_of(first)
    assert "Number 100." not in text_of(first)
    assert "Number 100." in text_of(second)
    assert "Number 99." not in text_of(second)
    moved = page(square, f"/public/message/{ids[100]}")
    assert (moved.status, moved.headers["location"]) == (302, f"{path}?page=2#m{ids[100]}")
    assert page(square, f"{path}?page=3").status == 404

    ana.says("Number 101.", to="square > long")
    assert "Number 101." in text_of(page(square, f"{path}?page=2"))
    ana.delete(f"/messages/{ids[0]}").succeeds()
    assert "Number 100." in text_of(page(square, path))
    assert "Number 100." not in text_of(page(square, f"{path}?page=2"))
    assert "Number 101." in text_of(page(square, f"{path}?page=2"))


def test_parameters_that_change_nothing_do_not_render_a_page_again(square, ana):
    ana.says("Hello", to="square > news")
    path = path_of(square, "square", "news")
    page(square, path)
    _, hits, _ = square.server.cache_statistics()["public_pages"]

    page(square, f"{path}?utm_source=newsletter&n=1")

    assert square.server.cache_statistics()["public_pages"][1] == hits + 1


def test_an_encoded_separator_in_a_parameter_does_not_change_another_page(square, ana):
    ana.says("Hello", to="square > news")
    path = path_of(square, "square", "news")
    page(square, f"{path}?page=1%26as=text")

    reply = page(square, f"{path}?page=1&as=text")

    assert reply.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("segment", [".00", "a.00b", ".ff"])
def test_an_address_that_no_topic_can_have_is_not_found(square, ana, segment):
    ana.says("Hello", to="square > news")

    assert page(square, f"{path_of(square, 'square')}{segment}/").status == 404
    assert page(square, f"{path_of(square, 'square')}{segment}/feed.atom").status == 404


@pytest.fixture
def two_open_servers(databases: Databases) -> Iterator[tuple[Chat, Server]]:
    """An organization at one server, and another server on the same database."""
    url, folder = databases.ready("postgres")
    servers = [Server(url, folder, {"web_public_streams_enabled": True}).start() for _ in range(2)]
    yield Chat.found(servers[0], ""), servers[1]
    for server in servers:
        server.stop()
    databases.give_back(url)


@pytest.mark.postgres
def test_another_server_forbids_robots_at_once_what_is_no_longer_public(two_open_servers):
    chat, other = two_open_servers
    chat.set("enable_spectator_access", True)
    ana = chat.person("ana", role="owner")
    ana.joins("square", is_web_public=True)
    stranger = replace(chat.stranger, server=other)

    for is_on in [False, True] * 5:
        ana.patch("/realm", enable_public_pages=is_on).succeeds()

        robots = text_of(stranger.raw("GET", "/robots.txt"))

        assert ("Allow: /public/" in robots) == is_on


def test_a_page_shows_changes_at_once_and_is_304_if_unchanged(square, ana):
    message = ana.says("Draft", to="square > news")
    ana.says("Something", to="house > other")
    path = path_of(square, "square", "news")
    etag = page(square, path).headers["etag"]

    assert page(square, path, If_None_Match=etag).status == 304
    assert page(square, path, If_None_Match=f'"other", {etag.removeprefix("W/")}').status == 304
    assert page(square, path, If_None_Match="*").status == 200
    ana.says("Elsewhere", to="house > other")
    assert page(square, path, If_None_Match=etag).status == 304

    ana.patch(f"/messages/{message.id}", content="Final").succeeds()
    changed = page(square, path, If_None_Match=etag)
    assert changed.status == 200
    assert "Final" in text_of(changed)
    assert "Draft" not in text_of(changed)

    etag = changed.headers["etag"]
    ana.post(f"/messages/{message.id}/reactions", emoji_name="tada").succeeds()
    assert "🎉" in text_of(page(square, path, If_None_Match=etag))

    etag = page(square, path).headers["etag"]
    ana.delete(f"/messages/{message.id}").succeeds()
    assert page(square, path, If_None_Match=etag).status == 404
    assert page(square, f"/public/message/{message.id}").status == 404


def test_a_topic_leads_to_the_topics_before_and_after_it_in_its_channel(square, ana):
    first = ana.says("By the river", to="square > where to park")
    ana.says("Members only", to="house > secrets")
    ana.says("Is it?", to="square > heated <yard>")
    ana.says("Members only", to="house > more secrets")
    path = path_of(square, "square", "heated .3Cyard.3E")

    alone = page(square, path)
    ana.says("At the door", to="square > ✔ tickets")
    both = page(square, path, If_None_Match=alone.headers["etag"])
    oldest = page(square, path_of(square, "square", "where to park"))
    ana.patch(f"/messages/{first.id}", topic="parking").succeeds()
    renamed = page(square, path, If_None_Match=both.headers["etag"])

    parking, tickets = path_of(square, "square", "where to park"), ".E2.9C.94.20tickets/"
    assert other_topics(alone) == [(parking, "Earlier: where to park")]
    assert other_topics(both) == [
        (parking, "Earlier: where to park"),
        (f"{path_of(square, 'square')}{tickets}", "Later: tickets"),
    ]
    assert other_topics(renamed)[0] == (path_of(square, "square", "parking"), "Earlier: parking")
    assert other_topics(oldest) == [(path, "Later: heated <yard>")]
    for shown in (alone, both, renamed):
        assert "secrets" not in text_of(shown)
        assert html_errors(text_of(shown)) == []


def other_topics(reply: Reply) -> list[tuple[str, str]]:
    """Where the links to other topics lead, and what they say."""
    _, _, after = text_of(reply).partition('aria-label="Other topics">')
    links = re.findall(
        r'<a class="b" href="([^"]+)">.*?<span>(.*?)</span>', after.split("</nav>")[0]
    )
    return [(path, unescape(title)) for path, title in links]


def test_a_retention_run_is_shown_at_once(square, ana):
    ana.says("Long ago", to="square > news")
    square.write(lambda tx: tx.execute("UPDATE message SET sent_at = sent_at - 400000"))
    ana.says("Today", to="square > news")
    path = path_of(square, "square", "news")
    etag = page(square, path).headers["etag"]
    channel = square.channel("square").id
    ana.patch(f"/streams/{channel}", message_retention_days=3).succeeds()

    square.server.run_job("retention")

    changed = page(square, path, If_None_Match=etag)
    assert "Today" in text_of(changed)
    assert "Long ago" not in text_of(changed)


@pytest.mark.parametrize("delete_messages", [False, True])
def test_an_erased_person_is_gone_at_once(square, ana, delete_messages):
    quentin = square.person("quentin")
    quentin.joins("square")
    quentin.says("Hello from me", to="square > news")
    ana.says("Hello", to="square > news")
    path = path_of(square, "square", "news")
    before = page(square, path)
    assert "Quentin" in text_of(before)

    ana.post(f"/users/{quentin.id}/erase", delete_messages=delete_messages).succeeds()
    square.server.catch_up()

    changed = page(square, path, If_None_Match=before.headers["etag"])
    assert changed.status == 200
    assert "Quentin" not in text_of(changed)
    assert ("Hello from me" in text_of(changed)) is not delete_messages


def test_a_proxy_may_keep_a_page_as_long_as_the_operator_says(square, ana):
    ana.says("Hello", to="square > news")
    path = path_of(square, "square", "news")
    etag = page(square, path).headers["etag"]

    for reply in (page(square, path), page(square, path, If_None_Match=etag)):
        assert reply.headers["cache-control"] == f"public, max-age={MAX_AGE_SECONDS}"
    assert page(square, "/public/999-nothing/").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("change", ["channel", "spectators", "pages", "archived"])
def test_a_channel_that_is_no_longer_public_is_gone(square, ana, change):
    message = ana.says("Hello", to="square > news")
    path = path_of(square, "square", "news")
    paths = [path, path_of(square, "square"), f"/public/message/{message.id}", f"{path}feed.atom"]
    assert [page(square, each).status for each in paths] == [200, 200, 302, 200]
    channel = square.channel("square").id

    if change == "channel":
        ana.patch(f"/streams/{channel}", is_web_public=False).succeeds()
    elif change == "archived":
        ana.delete(f"/streams/{channel}").succeeds()
    else:
        name = "enable_spectator_access" if change == "spectators" else "enable_public_pages"
        ana.patch("/realm", **{name: False}).succeeds()

    gone = page(square, "/public/999-nothing/")
    for each in paths:
        reply = page(square, each)
        assert (reply.status, text_of(reply)) == (404, text_of(gone)), each
    assert "Allow" not in text_of(page(square, "/robots.txt"))


def test_a_renamed_channel_and_a_moved_message_redirect(square, ana):
    message = ana.says("Hello", to="square > old name")
    old = path_of(square, "square", "old name")
    channel = square.channel("square").id

    ana.patch(f"/streams/{channel}", new_name="plaza").succeeds()
    ana.patch(f"/messages/{message.id}", topic="new name").succeeds()

    assert page(square, old).status == 404
    new = f"/public/{channel}-plaza/new.20name/"
    moved = page(square, f"/public/{channel}-square/new.20name/")
    assert (moved.status, moved.headers["location"]) == (302, new)
    found = page(square, f"/public/message/{message.id}")
    assert found.headers["location"] == f"{new}#m{message.id}"


def test_the_feeds_and_the_sitemap_list_what_is_public(square, ana):
    message = ana.says("**News** & more", to="square > a/b & c")
    ana.says("Secret", to="house > indoors")
    topic = f"{path_of(square, 'square')}a.2Fb.20.26.20c/"

    for feed in ("/public/feed.atom", f"{path_of(square, 'square')}feed.atom", f"{topic}feed.atom"):
        reply = page(square, feed)
        root = ElementTree.fromstring(text_of(reply))
        (entry,) = root.findall(f"{ATOM}entry")
        assert entry.findtext(f"{ATOM}title") == "a/b & c"
        assert "<strong>News</strong> &amp; more" in (entry.findtext(f"{ATOM}content") or "")
        assert (entry.findtext(f"{ATOM}id") or "").endswith(f"/public/message/{message.id}")
        etag = reply.headers["etag"]
        assert page(square, feed, If_None_Match=etag).status == 304

    index = ElementTree.fromstring(text_of(page(square, "/public/sitemap.xml")))
    parts = [each.text or "" for each in index.iter(f"{SITEMAP}loc")]
    assert len(parts) == 1
    part = page(square, "/public/" + parts[0].partition("/public/")[2])
    urls = [each.text or "" for each in ElementTree.fromstring(text_of(part)).iter(f"{SITEMAP}loc")]
    assert [url.partition("/public")[2] for url in urls] == [topic.removeprefix("/public")]
    robots = text_of(page(square, "/robots.txt"))
    assert "Allow: /public/\n" in robots
    assert "sitemap.xml" in robots


def test_an_organization_without_public_channels_has_no_pages(chat):
    assert page(chat, "/public/").status == 404
    assert text_of(page(chat, "/robots.txt")) == "User-agent: *\nDisallow: /\n"


def test_public_pages_show_only_names_visible_to_spectators(square, ana):
    ana.says("Hello", to="square > news")
    path = path_of(square, "square", "news")
    assert ana.name in text_of(page(square, path))

    square.permit("can_access_all_users_group", "members")

    text = text_of(page(square, path))
    assert ana.name not in text
    assert "Unknown user" in text


def test_public_pages_mention_only_people_visible_to_spectators(square, ana):
    bea = square.person("beatriz")
    ana.says(f"Ask @**{bea.name}** or @_**{bea.name}|{bea.id}**", to="square > news")
    paths = [
        path_of(square, "square", "news"),
        f"{path_of(square, 'square', 'news')}?as=text",
        f"{path_of(square, 'square', 'news')}feed.atom",
        path_of(square, "square"),
    ]
    assert all(bea.name in text_of(page(square, path)) for path in paths)

    square.permit("can_access_all_users_group", "members")

    for path in paths:
        text = text_of(page(square, path))
        assert bea.name not in text
        assert text.count("Unknown user") >= 2


def test_polls_are_shown_with_their_votes(square, ana):
    poll = ana.says("/poll Lunch?\nSoup\nBread", to="square > food")
    vote = '{"type":"vote","key":"canned,0","vote":1}'
    ana.post("/submessage", message_id=poll.id, msg_type="widget", content=vote).succeeds()

    text = text_of(page(square, path_of(square, "square", "food")))

    assert re.search(r"Soup</bdi> <small>1 vote<", text)
    assert re.search(r"Bread</bdi> <small>0 votes<", text)


def test_absolute_addresses_of_the_server_lead_to_the_chat_and_to_files(square, ana):
    file = uploads(ana, "plan.txt", b"the plan")
    site = f"http://{square.host}"
    ana.says(f"[file]({site}{file.url}) [chat]({site}/#narrow/is/dm)", to="square > news")

    text = text_of(page(square, path_of(square, "square", "news")))

    assert f'href="{file.url}">file<' in text
    assert 'href="/#narrow/is/dm">chat<' in text


def test_a_topic_can_be_read_as_text(square, ana):
    ana.says("**Bold** <b>", to="square > plain")

    reply = page(square, f"{path_of(square, 'square', 'plain')}?as=text")

    assert reply.headers["content-type"].startswith("text/plain")
    assert "**Bold** <b>" in text_of(reply)
    assert reply.headers["x-robots-tag"] == "noindex"


def test_names_with_markup_are_escaped_and_the_html_is_well_formed(square, ana):
    ana.says("</article><script>alert(1)</script>", to='square > "><script>x</script>')
    path = f"{path_of(square, 'square')}.22.3E.3Cscript.3Ex.3C.2Fscript.3E/"

    for address in ("/public/", path_of(square, "square"), path):
        text = text_of(page(square, address))
        assert "<script>" not in text
        assert not html_errors(text)


def test_every_kind_of_page_is_valid_whatever_people_write(square, ana):
    uploaded = uploads(ana, "a & <b>.png", picture(), "image/png")
    topic = '<All> & "kinds"'
    ana.patch("/realm", description='All <b> & "more"').succeeds()
    for text in (*MARKUP, f"[a picture]({uploaded.url})"):
        last = ana.says(text, to=f"square > {topic}")
    ana.post(f"/messages/{last.id}/reactions", emoji_name="tada").succeeds()
    ana.patch(f"/messages/{last.id}", content="and *edited*").succeeds()
    square.fill(ana, f"square > {topic}", PAGE_MESSAGES)

    channel = path_of(square, "square")
    shown = ["/public/", channel, f"{channel}{domain.messages.links.encoded(topic)}/"]
    assert len(text_of(page(square, shown[2])).split("<article")) == PAGE_MESSAGES + 1
    for path in (*shown, f"{shown[2]}?page=2", "/public/999-nothing/"):
        assert not html_errors(text_of(page(square, path))), path
    for path in shown:
        assert not feed_errors(page(square, f"{path}feed.atom").body), path


def test_a_control_character_in_a_message_leaves_the_feed_well_formed(square, ana):
    ana.says("before\x0cafter \x1b[0m \uffff", to="square > opening hours")

    feed = page(square, "/public/feed.atom").body

    assert not feed_errors(feed)
    assert "beforeafter" in feed.decode()


def test_a_control_character_in_a_message_leaves_the_pages_valid(square, ana):
    ana.says("before\x0bafter \x1b[0m\x7f", to="square > opening hours")

    channel = path_of(square, "square")
    topic = f"{channel}opening.20hours/"
    for path in (channel, topic):
        assert not html_errors(text_of(page(square, path)))
    assert "beforeafter [0m" in text_of(page(square, topic))


def test_a_conditional_request_does_not_tell_whether_a_private_channel_has_changed(square, ana):
    ana.says("Hello", to="house > private")
    ana.patch("/realm", description="Changes every page").succeeds()
    etag = page(square, path_of(square, "square")).headers["etag"]

    for path in (path_of(square, "house"), "/public/999-nothing/"):
        for known in (etag, "*"):
            assert page(square, path, If_None_Match=known).status == 404
    assert page(square, path_of(square, "square"), If_None_Match=etag).status == 304


def test_an_etag_does_not_tell_how_much_happens_in_private(square, ana):
    before = page(square, "/public/").headers["etag"]
    for number in range(3):
        ana.says(f"line {number}", to="house > private")
    ana.says("Hello", to="square > opening hours")
    after = page(square, "/public/").headers["etag"]

    assert before != after
    for etag in (before, after):
        assert re.fullmatch(r'W/"[0-9a-f]{24}"', etag)


def test_pages_use_half_a_percent_of_a_cpu_while_others_send_requests(monkeypatch):
    monkeypatch.setattr(pacing, "MAX_PAUSE_SECONDS", 0.4)
    for used in (0.0001, 0.0009):
        rest = rest_after(used, is_busy=True)
        assert used / (used + rest) == pytest.approx(0.005)
        assert rest_after(used, is_busy=False) == 0

    assert rest_after(1, is_busy=True) == 0.4


def test_other_requests_go_first_while_a_page_is_rendered(square, ana, monkeypatch):
    for number in range(10):
        ana.says(f"line {number}", to="square > opening hours")
    rendered: list[int] = []
    steps: list[int] = []
    of_all, yield_to = message_html.of_all, LoopYieldPoint.yield_to_requests

    def counted(*given: Any) -> Iterator[bytes]:
        for each in of_all(*given):
            rendered.append(1)
            time.sleep(STEP_SECONDS)  # a long message
            yield each

    async def noted(self: LoopYieldPoint) -> None:
        steps.append(len(rendered))
        await yield_to(self)

    monkeypatch.setattr(message_html, "of_all", counted)
    monkeypatch.setattr(LoopYieldPoint, "yield_to_requests", noted)

    page(square, path_of(square, "square", "opening hours"))

    assert len(rendered) > 10
    assert max(later - earlier for earlier, later in pairwise(steps)) == 1


@pytest.fixture
def while_a_page_is_made(monkeypatch) -> Callable[[int, Callable[[], Any]], None]:
    """Set what happens while a page waits for other requests: before it is read, or after that."""

    def set_change(pause: int, change: Callable[[], Any]) -> None:
        pauses = count(1)
        yield_to = LoopYieldPoint.yield_to_requests

        async def changed(self: LoopYieldPoint) -> None:
            if next(pauses) == pause:
                await asyncio.to_thread(change)
            await yield_to(self)

        monkeypatch.setattr(LoopYieldPoint, "yield_to_requests", changed)

    return set_change


def test_an_etag_is_never_that_of_an_earlier_page(square, ana, while_a_page_is_made):
    message = ana.says("Old", to="square > news")
    path = path_of(square, "square", "news")
    etag = page(square, path).headers["etag"]
    while_a_page_is_made(1, lambda: ana.patch(f"/messages/{message.id}", content="New").succeeds())

    reply = page(square, f"{path}?as=text")

    assert "New" in text_of(reply)
    assert reply.headers.get("etag") != etag


@pytest.mark.parametrize("pause", [1, 2])
def test_a_channel_that_is_closed_while_a_page_is_made_is_not_found(
    square, ana, while_a_page_is_made, pause
):
    ana.says("Hello", to="square > news")
    channel = square.channel("square").id
    while_a_page_is_made(
        pause, lambda: ana.patch(f"/streams/{channel}", is_web_public=False).succeeds()
    )

    assert page(square, path_of(square, "square", "news")).status == 404


def test_search_engines_get_structured_data_and_previews_get_open_graph(square, ana):
    ana.says("First </script> & <b>", to="square > opening hours")
    ana.says("Second", to="square > opening hours")
    path = path_of(square, "square", "opening hours")

    text = text_of(page(square, path))

    (posting,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
    found = json.loads(posting)
    assert found["@type"] == "DiscussionForumPosting"
    assert found["headline"] == "opening hours"
    assert found["author"]["name"] == "Ana"
    assert found["text"] == "First </script> & <b>"
    assert found["commentCount"] == 1
    (canonical,) = re.findall(r'<link rel="canonical" href="([^"]+)">', text)
    assert canonical == found["url"]
    assert canonical.endswith(path)
    described = dict(re.findall(r'<meta property="og:([a-z_]+)" content="([^"]*)">', text))
    assert unescape(described["description"]) == found["text"]
    assert described["title"].startswith("opening hours · square")
    assert described["url"] == canonical


def test_readers_report_a_page_and_ask_for_an_invitation_where_they_need_one(square, ana):
    ana.says("We close at six.", to="square > opening hours")
    square.set("name", "Café <Sol>")
    paths = ["/public/", path_of(square, "square"), path_of(square, "square", "opening hours")]

    for invite_required, asks in ((True, [("Invitation to Café <Sol>",)]), (False, [])):
        square.set("invite_required", invite_required)
        for path in paths:
            reply = page(square, path)
            canonical = re.findall(r'<link rel="canonical" href="([^"]+)">', text_of(reply))[0]
            links = [unescape(each) for each in re.findall(r'"(mailto:[^"]+)"', text_of(reply))]
            written = [urlsplit(each) for each in links]

            assert {unquote(each.path) for each in written} == {CONTACT}
            subjects = [tuple(parse_qs(each.query)["subject"]) for each in written]
            assert subjects == [*asks, (f"About {unescape(canonical)}",)]


def test_a_page_of_a_hundred_messages_is_less_than_30_kilobytes(square, ana):
    for number in range(PAGE_MESSAGES):
        text = f"Message {number}: **{number}** degrees, https://example.com/{number} :bread:"
        ana.says(text, to="square > oven")

    reply = page(square, path_of(square, "square", "oven"), Accept_Encoding="gzip")

    assert reply.headers["content-encoding"] == "gzip"
    assert 0 < int(reply.headers["content-length"]) < 30_000


def test_a_large_sitemap_has_parts_that_list_each_topic_once(square, ana, monkeypatch):
    monkeypatch.setattr(feeds, "MIN_RANGE", 4)
    topics = [f"t{number}" for number in range(12)]
    for topic in [*topics, "t0"]:
        ana.says("Hello", to=f"square > {topic}")

    index = ElementTree.fromstring(page(square, "/public/sitemap.xml").body)
    parts = [each.text or "" for each in index.iter(f"{SITEMAP}loc")]
    listed = []
    for part in parts:
        found = ElementTree.fromstring(page(square, urlsplit(part).path).body)
        listed += [each.text or "" for each in found.iter(f"{SITEMAP}loc")]

    assert len(parts) > 3
    assert sorted(each.split("/")[-2] for each in listed) == sorted(topics)


@pytest.mark.thorough
def test_all_links_of_the_demo_resolve_and_axe_finds_nothing(
    tmp_path: Path, chromium: Browser
) -> None:
    """Follow every link from /public/ without scripts; axe looks at pages of each kind."""
    terminal = Terminal(tmp_path / "data")
    try:
        port = terminal.serves("--demo", "--web-public-streams-enabled").port
        site = f"http://127.0.0.1:{port}"
        paths = _crawl(site)
        assert {_kind(path) for path in paths} == {"index", "channel", "topic", "other"}
        context = chromium.new_context(bypass_csp=True)
        page = context.new_page()
        for kind in ("index", "channel", "topic"):
            for path in [each for each in paths if _kind(each) == kind][:5]:
                page.goto(f"{site}{path}")
                assert not violations(page, path)
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()
    finally:
        terminal.close()


def _kind(path: str) -> str:
    parts = path.removeprefix("/public/").split("/")
    if "?" in path or path.endswith("feed.atom") or not path.startswith("/public/"):
        return "other"
    return {1: "index", 2: "channel", 3: "topic"}[len(parts)] if path.endswith("/") else "other"


def _crawl(site: str) -> list[str]:
    """All addresses of the site that the public pages lead to; each must answer."""
    waiting, seen = ["/public/"], {"/public/"}
    with httpx.Client(base_url=site, follow_redirects=True, timeout=60) as client:
        for path in waiting:
            reply = client.get(path)
            assert reply.status_code == 200, path
            if not path.startswith("/public/"):
                continue
            if reply.headers["content-type"].startswith("text/html"):
                assert not html_errors(reply.text), path
            if path.endswith("feed.atom"):
                assert not feed_errors(reply.content), path
            for found in re.findall(r'(?:href|src)="(/[^"#]*)', reply.text):
                address = unescape(found)
                if address not in seen:
                    seen.add(address)
                    waiting.append(address)
    return waiting
