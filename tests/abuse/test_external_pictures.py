"""External pictures: other sites never see the readers, and users cannot make the server fetch
internal addresses."""

import html
import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.support.client import Reply
from tests.support.event_queue import EventQueue
from tests.support.fake_webhooks import Receiver, disconnect, redirect, stream_for_ever
from tests.support.people import Chat, Person
from tests.support.pictures import huge, picture
from tests.support.ports import own_port

from tertulia.external import external_pictures

HOME = (ipaddress.ip_network("127.0.0.1/32"),)
INSIDE = "127.0.0.2"  # a machine that must not be contacted
PICTURE = picture("JPEG")
SRC = re.compile(r'<img src="([^"]*)"')


@dataclass
class Gallery(Receiver):
    """A site with a picture and other things by path."""

    things: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.site = self.url.removesuffix("/hook")

    def _reply(self, handler: Any) -> None:
        self.answer = self.things.get(handler.path.partition("?")[0], (404, b""))
        super()._reply(handler)


@pytest.fixture
def site() -> Iterator[Gallery]:
    gallery = Gallery(things={"/cat.jpg": (200, PICTURE)})
    yield gallery
    gallery.close()


@pytest.fixture
def inside() -> Iterator[Gallery]:
    gallery = Gallery(host=INSIDE, things={"/cat.jpg": (200, PICTURE)})
    yield gallery
    gallery.close()


@pytest.fixture
def chat(start_server) -> Chat:
    return Chat.found(start_server(external_pictures=True, external_picture_networks=HOME))


def shown(person: Person, content: str) -> list[str]:
    message = person.says(content, to="kitchen > pictures")
    return [html.unescape(src) for src in SRC.findall(person.sees(message)["content"])]


def fetch(person: Person, path: str) -> Reply:
    return person.chat.stranger.raw("GET", path)


def test_the_server_fetches_an_external_picture_once_for_all_readers(chat, site):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    content = f"{site.site}/cat.jpg?a=1&b=<2"

    (path,) = shown(ana, content)
    responses = [fetch(ana, path), fetch(ben, path)]

    for response in responses:
        assert (response.status, response.body) == (200, PICTURE)
        assert response.headers["content-type"] == "image/jpeg"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "max-age" in response.headers["cache-control"]
    (request,) = site.requests
    assert request.path == "/cat.jpg?a=1&b=%3C2"
    assert not {"cookie", "authorization", "referer", "x-forwarded-for"} & request.headers.keys()


def test_every_endpoint_that_returns_messages_rewrites_picture_urls(chat, site):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    queue: EventQueue = ben.listens_for("message", "update_message", apply_markdown=True)
    address = f"{site.site}/cat.jpg"
    message = ana.says(f"meow {address}", to="kitchen > cats")
    ana.patch(f"/messages/{message.id}", content=f"purr {address}").succeeds()
    search = [{"operator": "search", "operand": "purr"}]

    received = [
        queue.next()["message"]["content"],
        queue.next()["rendered_content"],
        ben.get("/messages", anchor="newest", num_before=1).succeeds()["messages"][0]["content"],
        ben.get("/messages", anchor="newest", num_before=1, narrow=search).succeeds()["messages"][
            0
        ]["match_content"],
        *(
            each["rendered_content"]
            for each in ben.get(f"/messages/{message.id}/history").succeeds()["message_history"]
        ),
        ben.post("/messages/render", content=address).succeeds()["rendered"],
    ]

    for each in received:
        (src,) = SRC.findall(each)
        assert src.startswith("/external_content/")
    assert site.requests == []


def test_a_video_of_another_site_is_not_loaded_before_it_is_played(chat, site):
    ana = chat.person("ana", channels=["kitchen"])
    message = ana.says(f"{site.site}/cat.mp4", to="kitchen > cats")

    (video,) = re.findall("<video [^>]*>", ana.sees(message)["content"])

    assert f'src="{site.site}/cat.mp4"' in video
    assert 'preload="none"' in video


def test_only_signed_urls_are_fetched(chat, site):
    ana = chat.person("ana", channels=["kitchen"])
    (path,) = shown(ana, f"{site.site}/cat.jpg")
    _, location, signature, written = path.split("/")
    other = f"{site.site}/dog.jpg".encode().hex()

    for forged in (
        f"/{location}/{signature}/{other}",
        f"/{location}/{'0' * 64}/{written}",
        f"/{location}/{signature}/{written[:-1]}",
        f"/{location}/{signature}/zz",
        f"/{location}/é/{written}",
        f"/{location}/{signature}/ff",
    ):
        assert fetch(ana, forged).status in (400, 403), forged
    assert site.requests == []


def test_only_pictures_of_bounded_size_are_passed_on(chat, site):
    ana = chat.person("ana", channels=["kitchen"])
    site.things |= {
        "/page.png": (200, b"<script>alert(1)</script>"),
        "/drawing.png": (200, b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        "/gone.png": (404, PICTURE),
        "/large.png": (200, PICTURE + bytes(external_pictures.MAX_BYTES)),
        "/wide.png": (200, huge(30_000, 2_000)),
        "/endless.png": stream_for_ever,
        "/rude.png": disconnect,
    }

    for name in site.things.keys() - {"/cat.jpg"}:
        (path,) = shown(ana, f"{site.site}{name}")
        response = fetch(ana, path)
        assert (response.status, response.body) == (404, b""), name


def test_redirects_are_limited_and_never_lead_to_internal_addresses(chat, site, inside):
    ana = chat.person("ana", channels=["kitchen"])
    for number in range(1, 6):
        site.things[f"/{number}.png"] = redirect(f"/{number - 1}.png" if number > 1 else "cat.jpg")
    site.things["/inside.png"] = redirect(f"{inside.site}/cat.jpg")
    site.things["/file.png"] = redirect("file:///etc/passwd")
    site.things["/nowhere.png"] = redirect("http://[")

    found = {name: fetch(ana, shown(ana, f"{site.site}{name}")[0]).status for name in site.things}

    assert found == {
        "/cat.jpg": 200,
        **{f"/{number}.png": 200 if number <= 3 else 404 for number in range(1, 6)},
        **dict.fromkeys(["/inside.png", "/file.png", "/nowhere.png"], 404),
    }
    assert inside.requests == []


def test_internal_addresses_are_not_fetched(start_server, site):
    chat = Chat.found(start_server(external_pictures=True))
    ana = chat.person("ana", channels=["kitchen"])
    port = site.site.rpartition(":")[2]

    for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0"):
        for path in shown(ana, f"http://{host}:{port}/cat.jpg"):
            assert fetch(ana, path).status == 404, host
    (path,) = shown(ana, f"http://127.0.0.1:{own_port()}/cat.jpg")
    assert fetch(ana, path).status == 404
    assert site.requests == []


def test_without_the_setting_messages_are_unchanged(start_server, site):
    chat = Chat.found(start_server())
    ana = chat.person("ana", channels=["kitchen"])
    address = f"{site.site}/cat.jpg"

    assert shown(ana, address) == [address]
    assert fetch(ana, f"/external_content/{'0' * 64}/{address.encode().hex()}").status == 404
