"""Bodies that are slow to decode: bounded, decoded off the event loop, and refused undecoded beyond
the rate limit."""

import asyncio
import contextlib
import select
import socket
import sys
import threading

import pytest
from tests.http.sample_api import FORM, SampleApi, http_scope
from tests.support.complexity import grows_linearly
from tests.support.people import Chat
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.config import Rate
from tertulia.errors.parameters import MalformedForm
from tertulia.http import forms, multipart, request
from tertulia.http.forms import QUICK_BYTES, decoded
from tertulia.http.json_text import MAX_DEPTH, decode_json, read_json
from tertulia.http.memory_quota import MAX_BYTES
from tertulia.http.parameter_rules import Problem
from tertulia.http.request import ANONYMOUS_BODY_BYTES, MAX_QUERY_BYTES

LARGE = b"name=soup&x=" + b"%41" * 100_000
MULTIPART = "multipart/form-data; boundary=x"


@pytest.fixture
def decodings(monkeypatch):
    """How many bytes were decoded, and on which threads."""
    noted: list[tuple[int, bool]] = []

    def noting(decode):
        def note(body, *args):
            noted.append((len(body), threading.current_thread().name.startswith("forms")))
            return decode(body, *args)

        return note

    for name in ("read_urlencoded", "read_multipart"):
        monkeypatch.setattr(request, name, noting(getattr(request, name)))
    return noted


@pytest.mark.parametrize(
    "body, content_type",
    [
        (LARGE, FORM),
        (
            b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nsoup\r\n'
            b'--x\r\nContent-Disposition: form-data; name="x"\r\n\r\n' + LARGE + b"\r\n--x--\r\n",
            MULTIPART,
        ),
    ],
)
def test_a_large_form_is_decoded_off_the_loop(decodings, body, content_type):
    response = SampleApi().post("/pots", content=body, headers={"Content-Type": content_type})

    assert response.json()["name"] == "soup"
    assert [off_loop for size, off_loop in decodings if size > QUICK_BYTES] == [True]


def test_a_long_query_is_refused_before_it_is_decoded(decodings):
    quick, long = "1" * (MAX_QUERY_BYTES - len("hot=")), "1" * MAX_QUERY_BYTES

    responses = [SampleApi().get(f"/pots?hot={each}") for each in (quick, long)]

    assert [each.json()["code"] for each in responses] == ["BAD_REQUEST", "REQUEST_URI_TOO_LONG"]
    assert responses[1].status_code == 414
    assert [size for size, _ in decodings] == [MAX_QUERY_BYTES]


@pytest.mark.parametrize("path", ["/api/v1/messages", "/json/messages", "/", "/login/"])
def test_every_page_refuses_a_long_query(chat, path):
    response = chat.stranger.raw("GET", f"{path}?a={'%41' * MAX_QUERY_BYTES}")

    assert response.status == 414


def test_large_parameters_are_checked_off_the_loop(monkeypatch):
    threads = []

    def noted(text):
        threads.append(threading.current_thread().name)
        return decode_json(text)

    monkeypatch.setattr("tertulia.http.params.decode_json", noted)
    many = ",".join("1" for _ in range(QUICK_BYTES))

    for sizes in (many, "1"):
        body = f"method=GET&sizes=[{sizes}]"
        SampleApi().post("/pots", content=body, headers={"Content-Type": FORM}).raise_for_status()

    assert [name.startswith("forms") for name in threads] == [True, False]


def test_one_large_form_is_decoded_at_a_time():
    at_once = most = 0
    lock = threading.Lock()

    def work():
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        threading.Event().wait(0.01)
        with lock:
            at_once -= 1

    async def scene():
        await asyncio.gather(*(decoded("ana", QUICK_BYTES + 1, work) for _ in range(10)))

    asyncio.run(scene())

    assert most == 1


def test_a_form_is_limited_to_one_megabyte_unless_its_endpoint_allows_more(chat):
    ana = chat.person("ana")
    bot = chat.person("robot", bot="generic", owner=ana)

    refused = ana.raw("POST", "/api/v1/messages", b"a=" + b"%41" * 400_000, Content_Type=FORM)

    assert (refused.status, refused.json["code"]) == (413, "REQUEST_ENTITY_TOO_LARGE")
    bot.put("/bot_storage", storage={"soup": "é" * 300_000}).succeeds()


def test_a_rate_limited_caller_is_refused_before_decoding(start_server, decodings):
    chat = Chat.found(start_server(rate_limit=Rate(3), rate_limit_anonymous=Rate(2)), "")
    ana = chat.person("ana")
    limits = {ana: 3, chat.stranger: 2}
    for who, limit in limits.items():
        for _ in range(limit):
            who.get("/server_settings" if who is chat.stranger else "/users/me")
    decodings.clear()

    for who in limits:
        response = who.raw("POST", "/api/v1/fetch_api_key", LARGE, Content_Type=FORM)
        assert (response.status, response.json["code"]) == (429, "RATE_LIMIT_HIT")

    assert decodings == []


DOORS = ["/login/", "/complete/saml/", "/saml/logout/"]


@pytest.mark.parametrize("path", DOORS)
def test_a_rate_limited_visitor_of_a_login_page_is_refused_before_decoding(
    start_server, decodings, path
):
    chat = Chat.found(start_server(rate_limit=Rate(3), rate_limit_anonymous=Rate(2)), "")
    for _ in range(2):
        chat.stranger.get("/server_settings")
    decodings.clear()

    response = chat.stranger.raw("POST", path, b"x=" + b"%41" * 70_000, Content_Type=FORM)

    assert response.status == 429
    assert decodings == []


def test_large_forms_to_login_pages_are_limited_in_memory(start_server):
    """Unfinished requests of one address."""
    server = start_server()
    Chat.found(server, "")
    head = f"POST /complete/saml/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: {FORM}\r\n"
    begun = f"{head}Content-Length: 250000\r\n\r\nx=".encode()

    with contextlib.ExitStack() as stack:
        lines = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            for _ in range(80)
        ]
        for line in lines:
            line.sendall(begun)
        answered, _, _ = select.select(lines, [], [], TIMEOUT_SECONDS)

        assert answered
        assert answered[0].recv(12) == b"HTTP/1.1 429"


def test_little_is_decoded_for_an_unknown_caller_before_the_rate_limit(chat, decodings):
    large = b"username=" + b"%41" * ANONYMOUS_BODY_BYTES

    response = chat.stranger.raw("POST", "/api/v1/messages", large, Content_Type=FORM)

    assert response.status == 401
    assert [size for size, _ in decodings if size > ANONYMOUS_BODY_BYTES] == []


PUBLIC = ["/api/v1/fetch_api_key", "/api/v1/jwt/fetch_api_key", "/login/"]


@pytest.mark.parametrize("path", PUBLIC)
def test_an_anonymous_caller_may_send_16_kb(chat, decodings, path):
    quick = b"username=" + b"%41" * ((ANONYMOUS_BODY_BYTES - len("username=")) // 3)

    responses = [
        chat.stranger.raw("POST", path, body, Content_Type=FORM) for body in (quick, quick + b"%41")
    ]

    assert responses[0].status != 413
    assert responses[1].status == 413
    assert [size for size, _ in decodings if size] == [len(quick)]


def test_an_anonymous_chunked_body_may_have_16_kb(chat, decodings):
    piece = b"a=" + b"%41" * 8000
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(piece), piece)

    response = chat.stranger.raw(
        "POST", "/api/v1/fetch_api_key", chunks, Content_Type=FORM, Transfer_Encoding="chunked"
    )

    assert response.status == 413
    assert decodings == []


def test_percent_escapes_are_decoded_and_invalid_ones_kept():
    assert forms.read_urlencoded(b"a=%41%4a%4A&b=%&c=%4&d=%zz%41&e=a+b%2B&f=%E3%81%82%C3%A9") == {
        "a": "AJJ",
        "b": "%",
        "c": "%4",
        "d": "%zzA",
        "e": "a b+",
        "f": "あé",
    }


SLOW_UNITS = {
    "escapes": (forms.read_urlencoded, b"a=", b"%41a", b""),
    "backslashes": (forms.read_urlencoded, b"a=", b"\\%41", b""),
    "lists": (read_json, b'{"a":[0', b",[]", b"]}"),
    "objects": (read_json, b'{"a":[0', b',{"a":"["}', b"]}"),
}


@pytest.mark.parametrize("decode, begin, unit, end", SLOW_UNITS.values(), ids=SLOW_UNITS)
def test_decoding_takes_linear_time_and_few_python_calls(decode, begin, unit, end):
    def work(size):
        return decode(begin + unit * (size // len(unit)) + end)

    assert work(1000)["a"]
    assert calls_of(lambda: work(1 << 20)) < 100
    assert grows_linearly(work, 100_000)


def calls_of(work):
    """How many Python functions are called; that is what makes decoding slow."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_percent_signs_that_are_no_escape_are_bounded():
    most = b"%z" * forms.MAX_LONE_PERCENT_SIGNS

    assert forms.read_urlencoded(b"a=" + most + b"%41") == {"a": most.decode() + "A"}
    with pytest.raises(MalformedForm):
        forms.read_urlencoded(b"a=" + most + b"%")


@pytest.mark.parametrize("unit", ["[]", "{}", "[[[]]]"])
def test_the_number_of_json_values_is_bounded(unit):
    few, many = (f"[{','.join([unit] * count)}]" for count in (1000, 100_000))

    assert len(decode_json(few)) == 1000
    with pytest.raises(Problem, match="too many values"):
        decode_json(many)


@pytest.mark.parametrize("inner", ['"]"', '"\\"["', '"\\\\"', '{"a": "[{"}', "1"])
def test_json_may_be_32_levels_deep(inner):
    levels = MAX_DEPTH - inner.startswith("{")

    assert decode_json("[" * levels + inner + "]" * levels)
    with pytest.raises(Problem):
        decode_json("[" * (levels + 1) + inner + "]" * (levels + 1))


def test_headers_of_form_parts_are_bounded_together():
    head = b'--x\r\nContent-Disposition: form-data; name="a"' + b"; b=c" * 1000 + b"\r\n\r\nd\r\n"

    assert multipart.read_multipart(head * 10 + b"--x--\r\n", MULTIPART) == ({"a": "d"}, [])
    with pytest.raises(MalformedForm):
        multipart.read_multipart(head * 100 + b"--x--\r\n", MULTIPART)


# --- unread responses ---


TIMES = 60


class Lazy:
    """A client that requests much and reads only when a test says so."""

    def __init__(self, kitchen: SampleApi) -> None:
        self.kitchen = kitchen
        self.reads = asyncio.Event()
        self.is_answered = asyncio.Event()
        self.statuses: list[int] = []
        self.sent = 0

    async def asks(self) -> None:
        many = b"sizes=[" + b",".join(b"1" for _ in range(60_000)) + b"]"
        headers = [(b"content-type", FORM.encode()), (b"authorization", b"ana")]

        async def receive():
            return {"type": "http.request", "body": b"method=GET&" + many}

        async def send(message):
            if message["type"] == "http.response.start":
                self.statuses.append(message["status"])
                if len(self.statuses) == TIMES:
                    self.is_answered.set()
                return
            if self.statuses[-1] == 200:
                await self.reads.wait()
            self.sent += len(message["body"])

        await self.kitchen.api(http_scope(method="POST", headers=headers), receive, send)


def test_unread_responses_of_one_caller_are_bounded():
    async def scene() -> Lazy:
        lazy = Lazy(SampleApi())
        asking = [asyncio.create_task(lazy.asks()) for _ in range(TIMES)]
        await lazy.is_answered.wait()
        waiting = lazy.statuses.count(200)
        assert 1 < waiting < TIMES
        assert lazy.statuses.count(429) == TIMES - waiting
        lazy.reads.set()
        await asyncio.gather(*asking)
        assert lazy.sent <= MAX_BYTES + TIMES * 200

        await lazy.asks()
        return lazy

    assert asyncio.run(scene()).statuses[-1] == 200
