"""Whatever is sent, the answer is JSON and no mistake of ours; what is refused changes nothing."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.people import Chat

from tertulia.api.routes import ROUTES
from tertulia.http.routing import Route

FORM = "application/x-www-form-urlencoded"
BOUNDARY = "multipart/form-data; boundary=x"

NASTY = [
    str(2**63),
    str(-(2**63) - 1),
    "-1",
    "1e400",
    "NaN",
    "null",
    "true",
    "",
    "\0",
    "a\0b",
    '"\\ud800"',
    '["\\udfff", 1]',
    "[" * 100_000,
    "[" * 40 + "]" * 40,
    '{"a":' * 40 + "1" + "}" * 40,
    "[9223372036854775808, -1, null, {}]",
    '{"name": null}',
    '[{"name": "\\u0000"}, {"name": 1e999}]',
    '[["is", "\\u0000"]]',
    '[{"operator": "id", "operand": 9223372036854775808}]',
    '[{"operator": "topic", "operand": "\\u0000"}]',
    '[{"operator": "dm", "operand": ["\\u0000"]}]',
    "﷽" * 3000,
    "9" * 5000,
    "\u202e\ufffe\U0010ffff",
]


def names_of(route: Route) -> list[str]:
    return [each.name for each in route.contract.parameters]


def address(route: Route, texts: dict[str, str]) -> str:
    path = route.path
    for name in route.contract.path_types:
        path = path.replace("{" + name + "}", quote(texts.get(name, "1"), safe=""))
    return path


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="owner", channels=["kitchen"])


@pytest.mark.on_one  # it is long, and `make soak` plays it on both
def test_every_parameter_takes_every_nasty_value_without_breaking(chat, ana, kind):
    """There are thousands of parameters, so each takes its share, and each database another."""
    shift = 4 if kind == "postgres" else 0
    note = ana.says("x", to=[ana])
    good: dict[str, Any] = {
        "type": "channel",
        "to": "kitchen",
        "topic": "lunch",
        "content": "x",
        "anchor": "newest",
        "subscriptions": [{"name": "kitchen"}],
        "queue_id": "q",
        "last_event_id": -1,
        "username": "ana@example.com",
        "password": "x",
    }
    for route in ROUTES:
        if route.path == "/fetch_api_key":
            continue  # slow on purpose; it has its own tests
        names = names_of(route)
        path = address(route, {"message_id": str(note.id)})
        for place, name in enumerate(names):
            for value in NASTY[(place + shift) % 8 :: 8]:
                params = {each: good[each] for each in names if each in good} | {name: value}
                before = chat.head()
                answer = ana.request(route.method, path, **params)
                if answer.status != 200:
                    assert 400 <= answer.status < 500, (route.path, name, value)
                    assert chat.head() == before


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe",
        b"content=%ff",
        b"content=%ED%A0%80",  # a lone surrogate in UTF-8
        b"content=\xc3\x28",
        b"%zz=%1",
        b"&&&===",
        b"a" * 300 + b"=1",
        b"&".join(b"p%d=1" % number for number in range(1500)),
        b"content=%00&type=channel&to=kitchen&topic=%00",
    ],
)
def test_forms_that_cannot_be_read(ana, body):
    answer = ana.raw("POST", "/api/v1/messages", body, Content_Type=FORM)

    assert answer.status == 400


@pytest.mark.parametrize(
    "content_type, body",
    [
        (BOUNDARY, b""),
        (BOUNDARY, b"--x"),
        (BOUNDARY, b"--x\r\n\r\n\r\n--x--"),
        (BOUNDARY, b'--x\r\nContent-Disposition: form-data; name="content"\r\n\r\n\xff\r\n--x--'),
        (BOUNDARY, b"--x\r\nContent-Disposition: attachment\r\n\r\n\r\n--x--"),
        ("multipart/form-data", b"--x--"),
        ("multipart/form-data; boundary=" + "x" * 300, b"--x--"),
    ],
)
def test_multipart_that_cannot_be_read(ana, content_type, body):
    answer = ana.raw("POST", "/api/v1/messages", body, Content_Type=content_type)

    assert answer.status == 400


@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/users/%ff",
        "/api/v1/users/%00",
        "/api/v1/users?user_ids=%ff",
        "/api/v1/messages/%2e%2e%2f",
        "/api/v1/messages/1%00",
        "/api/v1/../../etc/passwd",
        "/api/v1/users/" + "x" * 5000,
        "/api/v1/" + "a/" * 3000,
        "/api/v1/users/user99999999999999999999@tertulia.invalid",
        "/api/v1/users/user٣@tertulia.invalid".encode().decode("latin-1"),
    ],
)
def test_addresses_that_lead_nowhere(ana, target):
    answer = ana.raw("GET", quote(target, safe="/%?=@"))

    assert answer.status in (400, 404)
    assert answer.json["result"] == "error"


def test_a_body_that_is_too_large(start_server):
    chat = Chat.found(start_server(max_body_bytes=2000), "")
    ana = chat.person("ana", channels=["kitchen"])

    answer = ana.tries_to_say("x" * 3000, to="kitchen > lunch")

    msg = "The request is too large (limit: 2000 bytes)"
    answer.fails(msg, code="REQUEST_ENTITY_TOO_LARGE", status=413)


def test_headers_that_are_too_large(ana):
    answer = ana.with_headers(X_Long="x" * 60_000, X_Longer="y" * 60_000).raw(
        "GET", "/api/v1/users/me"
    )

    assert answer.status in (400, 431)


@pytest.mark.parametrize(
    "header",
    ["Basic " + "A" * 20_000, "Basic \xff", "Basic AAAA AAAA", "", "Basic  ", "\x80\x81"],
)
def test_credentials_that_are_nonsense(chat, header):
    answer = chat.stranger.with_headers(Authorization=header).get("/users/me")

    assert answer.status in (400, 401)


# --- anything at all ---

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["kitchen", "is", "dm", "topic", "name", "operator", "operand"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "operator", "operand", "negated", "direct_members"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
TEXTS = st.text(max_size=40) | JSON_VALUES.map(json.dumps) | st.sampled_from(NASTY)
CALLS = st.sampled_from([route for route in ROUTES if route.path != "/fetch_api_key"]).flatmap(
    lambda route: st.tuples(
        st.just(route),
        st.dictionaries(
            st.sampled_from([*names_of(route), "unknown", "client", "method"]), TEXTS, max_size=8
        ),
        st.fixed_dictionaries(dict.fromkeys(route.contract.path_types, TEXTS)),
    )
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(call=CALLS)
def test_anything_at_all_gets_an_answer_in_json(ana, call):
    route, params, texts = call
    texts = {name: text.encode(errors="replace").decode() for name, text in texts.items()}
    sent = {
        name: text.encode(errors="replace").decode()
        for name, text in params.items()
        if (name, text.upper()) != ("method", "OPTIONS")
    }

    answer = ana.request(route.method, address(route, texts), **sent)  # the client checks it

    assert answer.status < 500


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    body=st.binary(max_size=200),
    content_type=st.sampled_from([FORM, BOUNDARY, "multipart/form-data", "text/plain", ""]),
    query=st.binary(max_size=50),
)
def test_any_bytes_at_all_get_an_answer_in_json(ana, body, content_type, query):
    target = f"/api/v1/users/me/subscriptions?{quote(query, safe='=&%')}"

    answer = ana.raw("POST", target, body, Content_Type=content_type)

    assert answer.status < 500


def test_no_database_keeps_a_null_byte(chat, ana):
    before = chat.head()

    for reply in (
        ana.post("/channel_folders/create", name="house", description="a\0b"),
        ana.post("/user_groups/create", name="crew", description="a\0b", members=[]),
        ana.post("/users/me/subscriptions", subscriptions=[{"name": "x", "description": "\0"}]),
    ):
        reply.fails("A text must not contain null bytes")
    ana.patch("/realm", name="a\0b").fails("name must be a text of 1 to 40 characters")
    assert chat.head() == before
