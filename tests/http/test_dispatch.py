"""The whole way: a request goes in, JSON comes out, in the order and the words promised."""

import asyncio
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.http.sample_api import FORM, SampleApi, http_scope
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.http.exchange import EXCHANGE


def test_a_success_is_one_line_of_json_with_result_and_msg_first(sample_api):
    response = sample_api.post("/pots", data={"name": "borscht"})

    assert response.status_code == 200
    assert response.text == (
        '{"result":"success","msg":"","pot_id":1,"name":"borscht","note":"soup"}\n'
    )


def test_every_answer_has_the_common_headers(sample_api):
    for response in [
        sample_api.get("/pots"),
        sample_api.get("/nothing"),
        sample_api.call("PUT", "/pots"),
        sample_api.post("/burn", data={"secret": "s"}),
    ]:
        headers = response.headers
        assert headers["content-type"] == "application/json"
        assert headers["content-length"] == str(len(response.content))
        assert headers["cache-control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
        assert parsedate_to_datetime(headers["expires"]).year > 2000
        assert headers["vary"] == "Accept-Language"
        assert headers["access-control-allow-origin"] == "*"
        assert "Authorization" in headers["access-control-allow-headers"]
        assert headers["access-control-allow-methods"] == "GET, POST, DELETE, PUT, PATCH, HEAD"
        assert response.content.endswith(b"}\n")


@pytest.mark.parametrize(
    "method, path, status, answer",
    [
        ("GET", "/nothing", 404, {"msg": "Not found", "code": "NOT_FOUND"}),
        (
            "GET",
            "/pots/",
            404,
            {
                "msg": "Not found. There is something at /api/v1/pots,"
                " without the slash at the end.",
                "code": "NOT_FOUND",
            },
        ),
        ("GET", "/pots/%ff", 400, {"msg": "The request is not valid UTF-8", "code": "BAD_REQUEST"}),
        (
            "PUT",
            "/pots/1",
            405,
            {
                "msg": "Method Not Allowed",
                "code": "METHOD_NOT_ALLOWED",
                "allowed_methods": ["GET", "PATCH", "DELETE", "HEAD"],
            },
        ),
        ("POST", "/pots", 400, {"msg": "Missing 'name' argument", "code": "BAD_REQUEST"}),
    ],
)
def test_every_error_is_json_with_a_code(sample_api, method, path, status, answer):
    found = sample_api.call(method, path)

    assert (found.status_code, found.json()) == (status, {"result": "error", **answer})


def test_errors_are_reported_in_order_of_path_login_role_and_parameters(sample_api):
    def error_text(path: str, who: str, **fields: str) -> str:
        msg: str = sample_api.post(path, who=who, data=fields).json()["msg"]
        return msg

    assert error_text("/nothing", "") == "Not found"
    assert error_text("/pots", "").startswith("Not logged in")
    assert error_text("/pots", "guest", kind="cake") == "Not allowed for guest users"
    assert error_text("/pots", "ana", kind="cake") == "Missing 'name' argument"
    assert error_text("/pots", "ana", kind="cake", name="") == "name cannot be blank"
    assert error_text("/pots", "ana", kind="cake", name="x") == "Invalid kind"


def test_an_unreadable_form_is_reported_only_after_login(sample_api):
    form = {"content": b"name=%ff", "headers": {"Content-Type": FORM}}

    assert sample_api.post("/pots", who="", **form).status_code == 401
    assert (
        sample_api.post("/pots", who="ana", **form).json()["msg"]
        == "The request is not valid UTF-8"
    )
    assert sample_api.get("/pots?sizes=%ff").json()["msg"] == "The request is not valid UTF-8"


def test_head_is_accepted_wherever_get_is(sample_api):
    full, head = sample_api.get("/pots/7"), sample_api.call("HEAD", "/pots/7")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == full.headers["content-length"]
    assert sample_api.call("HEAD", "/burn").status_code == 405


def test_options_needs_no_login(sample_api):
    response = sample_api.call("OPTIONS", "/pots/7", who="")

    assert (response.status_code, response.content) == (204, b"")
    assert response.headers["allow"] == "DELETE, GET, HEAD, PATCH"
    assert response.headers["access-control-allow-origin"] == "*"


def test_parameters_may_be_in_query_form_or_multipart_and_the_body_wins(sample_api):
    query = sample_api.post("/pots?name=query").json()
    form = sample_api.post("/pots?name=query&name=again", data={"name": "form"}).json()
    parts = sample_api.post("/pots?kind=stew", files={"name": (None, b"parts")}).json()

    assert [query["name"], form["name"], parts["name"]] == ["query", "form", "parts"]
    assert parts["note"] == "stew"


def test_a_json_body_is_read_like_a_form(sample_api):
    response = sample_api.post("/pots", json={"name": "soup"})

    assert response.json() == sample_api.post("/pots", data={"name": "soup"}).json()
    assert response.json()["result"] == "success"


def test_unsupported_parameters_are_listed_last(sample_api):
    response = sample_api.call("PATCH", "/pots/7?zest=1", data={"pot_id": "7", "client": "me"})
    encoded = sample_api.get("/pots/rung?b=1&a=2")
    bare = sample_api.get("/pots/silent?b=1")

    assert response.text == (
        '{"result":"success","msg":"","ignored_parameters_unsupported":["pot_id","zest"]}\n'
    )
    assert list(encoded.json()) == ["result", "msg", "pots", "ignored_parameters_unsupported"]
    assert encoded.json()["ignored_parameters_unsupported"] == ["a", "b"]
    assert bare.json()["ignored_parameters_unsupported"] == ["b"]
    assert sample_api.get("/pots/silent").text == '{"result":"success","msg":""}\n'


def test_a_field_called_method_overrides_the_method_of_a_post(sample_api):
    assert sample_api.post("/pots/7", data={"method": "PATCH"}).text == (
        '{"result":"success","msg":""}\n'
    )
    assert sample_api.post("/pots/7", data={"method": "dance"}).status_code == 405
    assert sample_api.post("/pots/7?method=PATCH").status_code == 405


def test_files_are_read_beside_the_fields(sample_api):
    response = sample_api.post("/deliveries", files={"f": ("a.txt", b"leek"), "g": ("b.txt", b"")})

    assert response.json()["pots"] == ["f a.txt 4", "g b.txt 0"]
    assert sample_api.post("/deliveries").json()["pots"] == []


# --- Bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size, status", [(2900, 200), (3100, 413)])
def test_the_size_of_a_body_is_limited_by_route(sample_api, size, status):
    fields = {"x": "y" * (size - 2)}

    response = sample_api.post("/deliveries", data=fields)

    assert response.status_code == status
    if status == 413:
        assert response.json() == {
            "result": "error",
            "msg": "The request is too large (limit: 3000 bytes)",
            "code": "REQUEST_ENTITY_TOO_LARGE",
        }


@pytest.mark.parametrize("path, limit", [("/api/v1/deliveries", 3000), ("/api/v1/pots", 5 << 20)])
def test_a_body_without_a_length_is_limited_while_it_is_read(path, limit):
    kitchen = SampleApi(max_body_bytes=5 << 20)
    chunk = {"type": "http.request", "body": b"y" * (1 << 19), "more_body": True}
    scope = {"method": "POST", "path": path, "headers": [(b"content-type", FORM.encode())]}

    status, response = kitchen.raw(scope, *[chunk] * 40)

    assert (status, response["msg"]) == (413, f"The request is too large (limit: {limit} bytes)")


def test_a_large_body_is_read_only_after_authentication():
    kitchen = SampleApi(max_body_bytes=5 << 20)
    large = {"name": "soup", "x": "y" * (2 << 20)}

    assert kitchen.post("/pots", who="", data=large).status_code == 401
    assert kitchen.post("/pots", data=large).json()["name"] == "soup"
    assert (
        kitchen.raw(
            {
                "method": "POST",
                "path": "/api/v1/pots",
                "headers": [(b"content-type", FORM.encode()), (b"content-length", b"9" * 15)],
            }
        )[0]
        == 413
    )


@pytest.mark.parametrize(
    "headers",
    [[(b"x-%d" % number, b"") for number in range(200)], [(b"x", b"y" * 70_000)]],
)
def test_the_size_of_headers_is_limited(sample_api, headers):
    status, response = sample_api.raw({"headers": headers})

    assert (status, response["code"]) == (431, "REQUEST_HEADER_FIELDS_TOO_LARGE")


def test_the_length_of_a_url_is_limited(sample_api):
    status, response = sample_api.raw({"query": b"x" * 300_000})

    assert (status, response["code"]) == (414, "REQUEST_URI_TOO_LONG")


# --- Who is asking --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "agent, client, name",
    [
        ("ZulipMobile/27.1 (iOS 17)", None, "ZulipMobile"),
        ("ZulipPython/0.9", "my bot", "my bot"),
        ("curl", None, "curl"),
        ("Mozilla 5.0", None, "Mozilla"),
        ("x" * 50, None, "x" * 30),
        ("", None, "Unspecified"),
        ("/1.0", "", "Unspecified"),
        ("curl", "a\0\nb", "ab"),
    ],
)
def test_the_client_name_comes_from_parameter_or_user_agent(sample_api, agent, client, name):
    params = {} if client is None else {"client": client}

    response = sample_api.get("/whoami", headers={"User-Agent": agent}, params=params)

    assert response.json()["pots"][1] == name


def test_headers_of_authentication_are_in_errors_too(sample_api):
    for who in ["ana", "stranger"]:
        assert sample_api.get("/pots/7", who=who).headers["X-RateLimit-Limit"] == "200"


# --- Logs -----------------------------------------------------------------------------------------


def test_a_refusal_is_logged_in_one_line_without_parameters(sample_api):
    with capture_logs() as logs:
        sample_api.post("/pots", data={"name": "a very secret soup"})

    (line,) = logs
    assert (line["log_level"], line["method"], line["path"]) == ("info", "POST", "/pots")
    assert (line["status"], line["code"]) == (400, "BAD_REQUEST")
    assert "secret" not in str(line)


def test_an_internal_error_is_a_500_with_a_request_id(sample_api):
    with capture_logs() as logs:
        response = sample_api.post("/burn", data={"secret": "hunter2"})

    (line,) = logs
    assert response.status_code == 500
    assert response.json() == {
        "result": "error",
        "msg": "Internal server error",
        "code": "INTERNAL_SERVER_ERROR",
    }
    assert line["request_id"] == response.headers["X-Request-Id"]
    assert (line["log_level"], line["error"]) == ("error", "builtins.RuntimeError")
    assert "burn" in line["trace"][-1]
    assert "hunter2" not in str(line)


def test_every_answer_is_observed_with_its_route_and_status(sample_api):
    sample_api.get("/pots/7")
    sample_api.get("/nothing")

    assert sample_api.observed == [("GET", "/pots/{pot_id}", 200), ("GET", "-", 404)]


# --- Long polls -----------------------------------------------------------------------------------


def test_a_long_poll_ends_when_its_client_disconnects(sample_api):
    async def scene() -> list[object]:
        class Impatient:
            def on_disconnect(self, leave: Callable[[], None] | None) -> None:
                if leave is not None:
                    asyncio.get_running_loop().call_soon(leave)

        scope = http_scope(path="/api/v1/wait") | {EXCHANGE: Impatient()}
        return await asyncio.wait_for(sample_api.exchange(scope, []), TIMEOUT_SECONDS)

    assert asyncio.run(scene()) == []
    assert sample_api.observed == []


def test_a_long_poll_is_answered_when_its_event_is_set(sample_api):
    async def scene() -> list[dict[str, object]]:
        left = asyncio.Event()
        sent: list[dict[str, object]] = []

        async def receive() -> dict[str, object]:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        poll = asyncio.create_task(sample_api.api(http_scope(path="/api/v1/wait"), receive, send))
        await asyncio.wait_for(sample_api.waits_for_bell.wait(), TIMEOUT_SECONDS)
        sample_api.bell.set()
        await poll
        return sent

    sent = asyncio.run(scene())

    assert sent[1]["body"] == b'{"result":"success","msg":"","pots":["rung"]}\n'


def test_requests_cut_off_by_a_stop_get_503(sample_api):
    async def scene() -> list[dict[str, Any]]:
        forever = asyncio.Event()
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            await forever.wait()
            return {}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        poll = asyncio.create_task(sample_api.api(http_scope(path="/api/v1/wait"), receive, send))
        await asyncio.wait_for(sample_api.waits_for_bell.wait(), TIMEOUT_SECONDS)
        poll.cancel()
        await poll
        return sent

    sent = asyncio.run(scene())

    assert sent[0]["status"] == 503
    assert (b"retry-after", b"1") in sent[0]["headers"]
    assert b'"code":"SERVICE_UNAVAILABLE"' in sent[1]["body"]


# --- Anything at all ------------------------------------------------------------------------------


@given(
    st.sampled_from(["GET", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"]),
    st.sampled_from(["/pots", "/pots/7", "/pots/", "/deliveries", "/whoami"]) | st.text(max_size=9),
    st.binary(max_size=30),
    st.binary(max_size=60),
    st.sampled_from([FORM, "multipart/form-data; boundary=x", "multipart/form-data", "text/plain"]),
)
def test_any_request_is_answered_without_an_internal_error(
    sample_api, method, path, query, body, content_type
):
    scope = http_scope(
        method=method,
        path="/api/v1" + path,
        query=query,
        headers=[(b"content-type", content_type.encode())],
    )
    message = {"type": "http.request", "body": body, "more_body": False}

    sent = asyncio.run(sample_api.exchange(scope, [message]))

    assert sent[0]["status"] < 500


@given(st.data())
def test_a_damaged_multipart_form_causes_no_internal_error(sample_api, data):
    form = httpx.Request("POST", "http://x", data={"name": "soup"}, files={"f": ("a.txt", b"leek")})
    body = bytearray(form.read())
    location = st.integers(0, len(body) - 1)
    for at in data.draw(st.lists(location, max_size=3)):
        body[at] = data.draw(st.integers(0, 255))
    scope = http_scope(
        method="POST",
        path="/api/v1/deliveries",
        headers=[(b"content-type", form.headers["content-type"].encode())],
    )
    message = {
        "type": "http.request",
        "body": bytes(body[: data.draw(location)]),
        "more_body": False,
    }

    sent = asyncio.run(sample_api.exchange(scope, [message]))

    assert sent[0]["status"] < 500
