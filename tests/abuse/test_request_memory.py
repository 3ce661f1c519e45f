"""Memory of a request is freed with its answer, whether it succeeded or failed.

The garbage collector for cycles runs rarely, because it blocks the server. So nothing that a client
sent may be part of a cycle. An exception refers to its frames, which hold the request: if the
request refers to the exception, megabytes stay until the next collection.
"""

import gc
import socket
from collections.abc import Callable, Iterator

import pytest
from tests.support.client import Reply
from tests.support.people import Person
from tests.support.waiting import eventually

from tertulia.domain.messages.message import Draft
from tertulia.http.exchange import HttpExchange
from tertulia.http.request import ApiRequest
from tertulia.server.http_protocol import HttpConnection

TEXT = "👍" * 100

CALLS: dict[str, Callable[[Person], Reply]] = {
    "a message": lambda ana: ana.tries_to_say(TEXT, "kitchen > lunch"),
    "a message to nowhere": lambda ana: ana.tries_to_say(TEXT, "nowhere > lunch"),
    "an edit of nothing": lambda ana: ana.patch("/messages/999999", content=TEXT),
    "a draft that is none": lambda ana: ana.post("/drafts", drafts=[{"content": TEXT}]),
    "a draft of nobody": lambda ana: ana.patch("/drafts/999", draft={"content": TEXT}),
    "words that are looked for": lambda ana: ana.get(
        "/messages", anchor="newest", num_before=10, narrow=[["search", TEXT]]
    ),
    "a narrow that is none": lambda ana: ana.get(
        "/messages", anchor="newest", narrow=[["channel", TEXT]]
    ),
    "a queue of nobody": lambda ana: ana.get("/events", queue_id=TEXT, last_event_id=0),
    "a register": lambda ana: ana.post("/register", event_types=["message"]),
    "a place that is none": lambda ana: ana.post("/nowhere", content=TEXT),
    "a parameter that is none": lambda ana: ana.post("/messages", type=TEXT, to="[", content=TEXT),
    "a form that is none": lambda ana: ana.raw(
        "POST", "/api/v1/user_uploads", b"x" * 1000, Content_Type="multipart/form-data; boundary=b"
    ),
    "a picture that is none": lambda ana: ana.raw(
        "POST",
        "/api/v1/users/me/avatar",
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nx\r\n--b--\r\n',
        Content_Type="multipart/form-data; boundary=b",
    ),
}


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


TIMES = 8
FEW = 4  # the last ones may still be in transit


def left_behind(kinds: tuple[type, ...] = (ApiRequest, HttpExchange, Draft)) -> int:
    """How many objects of requests exist, or of other kinds."""
    return sum(isinstance(each, kinds) for each in gc.get_objects())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_nothing_remains_of_a_request(chat, no_collector, call):
    ana = chat.person("ana", channels=["kitchen"])
    before = left_behind()

    for _ in range(TIMES):
        call(ana)

    eventually(lambda: left_behind() <= before + FEW)


def test_nothing_remains_of_a_connection(chat, no_collector):
    before = left_behind((HttpConnection,))

    for _ in range(TIMES):
        with socket.create_connection(("127.0.0.1", chat.server.port), 30) as line:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            line.recv(1)

    eventually(lambda: left_behind((HttpConnection,)) <= before + FEW)


def test_emptied_caches_are_filled_again(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    before = ana.says("Soup", to="kitchen > lunch")

    chat.server.do(chat.server.database.shrink_memory())
    after = ana.says("Bread", to="kitchen > lunch")

    assert [ben.sees(each)["content"] for each in (before, after)] == [
        "<p>Soup</p>",
        "<p>Bread</p>",
    ]
