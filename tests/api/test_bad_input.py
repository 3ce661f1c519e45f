"""Invalid input: the answer is JSON and no 500; a refused request changes nothing."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.people import Chat

FORM = "application/x-www-form-urlencoded"
BOUNDARY = "multipart/form-data; boundary=x"


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="owner", channels=["kitchen"])


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
def test_unreadable_forms_are_refused(ana, body):
    response = ana.raw("POST", "/api/v1/messages", body, Content_Type=FORM)

    assert response.status == 400


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
def test_unreadable_multipart_forms_are_refused(ana, content_type, body):
    response = ana.raw("POST", "/api/v1/messages", body, Content_Type=content_type)

    assert response.status == 400


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
def test_unknown_paths_are_refused(ana, target):
    response = ana.raw("GET", quote(target, safe="/%?=@"))

    assert response.status in (400, 404)
    assert response.json["result"] == "error"


def test_a_too_large_body_is_refused(start_server):
    chat = Chat.found(start_server(max_body_bytes=2000), "")
    ana = chat.person("ana", channels=["kitchen"])

    response = ana.tries_to_say("x" * 3000, to="kitchen > lunch")

    msg = "The request is too large (limit: 2000 bytes)"
    response.fails(msg, code="REQUEST_ENTITY_TOO_LARGE", status=413)


def test_too_large_headers_are_refused(ana):
    response = ana.with_headers(X_Long="x" * 60_000, X_Longer="y" * 60_000).raw(
        "GET", "/api/v1/users/me"
    )

    assert response.status in (400, 431)


@pytest.mark.parametrize(
    "header",
    ["Basic " + "A" * 20_000, "Basic \xff", "Basic AAAA AAAA", "", "Basic  ", "\x80\x81"],
)
def test_malformed_credentials_are_refused(chat, header):
    response = chat.stranger.with_headers(Authorization=header).get("/users/me")

    assert response.status in (400, 401)


# --- random bytes ---


@settings(max_examples=60)
@given(
    body=st.binary(max_size=200),
    content_type=st.sampled_from([FORM, BOUNDARY, "multipart/form-data", "text/plain", ""]),
    query=st.binary(max_size=50),
)
def test_random_bytes_get_an_answer_in_json(ana, body, content_type, query):
    target = f"/api/v1/users/me/subscriptions?{quote(query, safe='=&%')}"

    response = ana.raw("POST", target, body, Content_Type=content_type)

    assert response.status < 500


def test_null_bytes_are_refused(chat, ana):
    before = chat.head()

    for reply in (
        ana.post("/channel_folders/create", name="house", description="a\0b"),
        ana.post("/user_groups/create", name="crew", description="a\0b", members=[]),
        ana.post("/users/me/subscriptions", subscriptions=[{"name": "x", "description": "\0"}]),
    ):
        reply.fails("A text must not contain null bytes")
    ana.patch("/realm", name="a\0b").fails("name must be a text of 1 to 40 characters")
    assert chat.head() == before
