"""Conventions of every endpoint: passing parameters, and the form of answers."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.people import Chat
from tests.support.server import Server

CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key",
    "Access-Control-Allow-Methods": "GET, POST, DELETE, PUT, PATCH, HEAD",
}
FORM = "application/x-www-form-urlencoded"


def names_in(answer):
    return [each["name"] for each in answer["subscriptions"]]


# --- parameters ---


def test_urlencoded_and_multipart_forms_are_equal(in_kitchen, ana):
    boundary = "so long and thanks"
    fields = {"type": "channel", "to": "kitchen", "topic": "lunch", "content": "Söup & bread"}
    parts = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )

    sent = ana.raw(
        "POST",
        "/api/v1/messages",
        f"{parts}--{boundary}--\r\n".encode(),
        Content_Type=f'multipart/form-data; boundary="{boundary}"',
    ).succeeds()

    assert ana.sees(sent["id"])["content"] == "<p>Söup &amp; bread</p>"


def test_parameters_of_a_post_may_be_in_the_query(in_kitchen, ana):
    sent = ana.raw(
        "POST", "/api/v1/messages?type=channel&to=kitchen&topic=lunch&content=Soup+is%20on"
    ).succeeds()

    assert ana.sees(sent["id"])["content"] == "<p>Soup is on</p>"


def test_parameters_of_a_delete_may_be_in_the_query(in_kitchen, ana):
    left = ana.raw("DELETE", "/api/v1/users/me/subscriptions?subscriptions=%5B%22kitchen%22%5D")

    assert left.succeeds()["removed"] == ["kitchen"]


def test_the_body_overrides_the_query_and_the_last_value_the_first(in_kitchen, ana):
    sent = ana.raw(
        "POST",
        "/api/v1/messages?type=channel&to=kitchen&topic=query&content=query",
        b"topic=first&topic=last&content=body",
        Content_Type=FORM,
    ).succeeds()

    seen = ana.sees(sent["id"])
    assert (seen["subject"], seen["content"]) == ("last", "<p>body</p>")


@pytest.mark.parametrize("media", ["application/json", "application/x-www-form-urlencoded"])
def test_a_json_body_works_like_a_form(in_kitchen, ana, media):
    body = {
        "type": "channel",
        "to": "kitchen",
        "topic": "x",
        "content": "x",
        "read_by_sender": True,
    }

    sent = ana.raw(
        "POST", "/api/v1/messages", json.dumps(body).encode(), Content_Type=media
    ).succeeds()

    assert "read" in ana.sees(sent["id"])["flags"]


@pytest.mark.parametrize(
    "body, msg",
    [
        ({"content": None}, "Missing 'content' argument"),
        ({"content": 5}, "content is not a string"),
        ({"content": {"a": 1}}, "content is not a string"),
        ({"content": "x", "read_by_sender": "true"}, "read_by_sender is not a boolean"),
    ],
)
def test_a_json_body_with_another_type_is_refused(in_kitchen, ana, body, msg):
    message = json.dumps({"type": "channel", "to": "kitchen", "topic": "x"} | body).encode()

    ana.raw("POST", "/api/v1/messages", message, Content_Type="application/json").fails(msg)


@pytest.mark.parametrize(
    "media, body, msg",
    [
        ("application/json", b"[1]", "The form data cannot be read: a JSON body is an object"),
        ("application/json", b"{", "The form data cannot be read: the body is not valid JSON"),
        ("text/plain", b"content=x", "Parameters are read from a form"),
        ("", b"content=x", "Parameters are read from a form"),
    ],
)
def test_another_body_gets_an_explanation(chat, media, body, msg):
    sent = chat.person("ana").raw("POST", "/api/v1/messages", body, Content_Type=media).json

    assert sent["msg"].startswith(msg)


def test_common_mistakes_of_first_bots_are_understood(in_kitchen, ana):
    soup = ana.says("Soup", to="#kitchen > lunch")

    ana.post("/messages", type="dm", to=[ana.id], content="x", read_by_sender="True").succeeds()
    for emoji in (":tada:", "🎂", "soup"):
        ana.post(f"/messages/{soup.id}/reactions", emoji_name=emoji).succeeds()
    ana.delete(f"/messages/{soup.id}/reactions", emoji_name="🎂").succeeds()

    names = [each["emoji_name"] for each in ana.sees(soup)["reactions"]]
    assert names == ["tada", "soup"]


def test_an_unknown_event_type_is_reported(ana):
    state = ana.registers(event_types=["mesage", "message"], fetch_event_types=[])

    assert state["unknown_event_types"] == ["mesage"]
    assert "unknown_event_types" not in ana.registers(event_types=["message", "realm_user"])


@pytest.mark.on_one
def test_a_trailing_slash_is_reported(chat):
    chat.stranger.raw("GET", "/api/v1/server_settings/").fails(
        "Not found. There is something at /api/v1/server_settings, without the slash at the end.",
        code="NOT_FOUND",
        status=404,
    )


def test_a_field_called_method_replaces_the_method_of_a_post(in_kitchen, ana):
    requested = ana.post("/users/me/subscriptions", method="GET").succeeds()

    assert "kitchen" in names_in(requested)


def test_unknown_parameters_are_listed_in_order(ana):
    response = ana.get("/users/me", zeta=1, alpha="two", client="ZulipMobile").succeeds()

    assert response["ignored_parameters_unsupported"] == ["alpha", "zeta"]


def test_an_id_repeated_in_the_body_is_ignored_and_listed(ana):
    note = ana.says("milk", to=[ana])

    response = ana.get(f"/messages/{note.id}", message_id=note.id).succeeds()

    assert response["ignored_parameters_unsupported"] == ["message_id"]


def test_an_error_lists_no_ignored_parameters(ana):
    response = ana.get("/users/me/subscriptions", include_subscribers="maybe", colour="red")

    assert "ignored_parameters_unsupported" not in response.fails("Invalid include_subscribers")


def test_null_means_an_omitted_parameter(ana):
    everyone = ana.get("/users", user_ids="null", client_gravatar="null").succeeds()

    assert [each["user_id"] for each in everyone["members"]] == [ana.id]


# --- paths and methods ---


def test_double_slashes_count_as_one(ana):
    me = ana.raw("GET", "/api/v1//users//me").succeeds()

    assert me["user_id"] == ana.id


@pytest.mark.parametrize(
    "path",
    [
        "/no_such_thing",
        "/messages/abc",
        "/messages/-1",
        "/users/me/nothing",
        "/",
        "",
    ],
)
def test_an_unknown_path_gets_json(chat, ana, path):
    for caller in (ana, chat.stranger):
        response = caller.raw("GET", f"/api/v1{path}")

        response.fails("Not found", code="NOT_FOUND", status=404)


@pytest.mark.parametrize(
    "method, path, what",
    [
        ("POST", "/remotes/push/notify", "a push notification service for other servers"),
    ],
)
def test_unsupported_features_have_their_own_error(ana, method, path, what):
    ana.request(method, path).fails(
        f"This server does not offer {what}.", code="NOT_FOUND", status=404
    )


@pytest.fixture(scope="module")
def bare_server(databases):
    """A server without external services."""
    no_limits: dict[str, Any] = dict.fromkeys(
        ("push_service_url", "bigbluebutton_url", "nextcloud_url"), ""
    )
    url, folder = databases.ready("sqlite")
    server = Server(url, folder, no_limits).start()
    yield server
    server.stop()


@pytest.fixture
def bare_chat(bare_server):
    return Chat.found(bare_server)


@pytest.mark.parametrize(
    "path, meant",
    [
        ("/messages", "/api/v1/messages"),
        ("/api/messages", "/api/v1/messages"),
        ("/v1/messages/7/reactions", "/api/v1/messages/7/reactions"),
        ("/api/users/me", "/api/v1/users/me"),
        ("/api/v2/messages", "/api/v1/messages"),
        ("/api/v1/api/v1/messages", "/api/v1/messages"),  # a site with the prefix
    ],
)
def test_a_path_without_the_prefix_is_answered_with_the_right_one(ana, path, meant):
    reply = ana.raw("POST", path)

    error = {"result": "error", "msg": f"Not found. Did you mean {meant}?", "code": "NOT_FOUND"}
    assert (reply.status, reply.json) == (404, error)


@pytest.mark.parametrize("path", ["/api/nothing", "/api/v1/v1/nothing", "/api/v1/nothing"])
def test_other_paths_are_just_not_found(ana, path):
    assert ana.raw("GET", path).json["msg"] == "Not found"


@pytest.mark.parametrize(
    "to, hint",
    [
        (["Ben"], "Name people by user id or email address; GET /users lists both."),
        ("@Ben", "Name people by user id or email address; GET /users lists both."),
        ("[1,2", "`to` looks like JSON, but is not valid: compare its brackets and quotes."),
        ("1,2", "Send user ids as a JSON list of numbers, like [7, 9]."),
        (
            "1",
            "`to` of a direct message is a JSON list of user ids or email addresses, like [7, 9].",
        ),
        ("nobody@example.com", None),
    ],
)
def test_recipients_that_cannot_be_found_are_explained(ana, to, hint):
    reply = ana.post("/messages", type="direct", to=to, content="hi")

    assert reply.status == 400
    assert reply.json.get("hint") == hint


def test_a_channel_with_half_a_bracket_is_explained(ana):
    hint = "`to` looks like JSON, but is not valid: compare its brackets and quotes."

    half = ana.post("/messages", type="stream", to="[kitchen", topic="x", content="x")
    other = ana.post("/messages", type="stream", to="attic", topic="x", content="x")

    assert half.json["hint"] == hint
    assert "hint" not in other.json


@pytest.mark.parametrize(
    "key, msg, word", [("open sesame", "Malformed", "password"), ("x" * 32, "Invalid", "zuliprc")]
)
def test_a_wrong_key_is_explained(chat, key, msg, word):
    login = base64.b64encode(f"ana@example.com:{key}".encode()).decode()
    error = chat.stranger.with_headers(Authorization=f"Basic {login}").get("/users/me").json

    assert error["msg"] == f"{msg} API key"
    assert word in error["hint"]


def test_a_device_is_registered_without_a_push_service(bare_chat):
    ana = bare_chat.person("ana")

    device_id = ana.post("/register_client_device").succeeds()["device_id"]

    ana.post("/mobile_push/register", device_id=device_id).fails(
        "Server is not configured to use push notification service.",
        code="PUSH_SERVICE_NOT_CONFIGURED",
    )
    ana.post("/remove_client_device", device_id=device_id).succeeds()


@pytest.mark.parametrize(
    "method, path, code, msg",
    [
        (
            method,
            path,
            "PUSH_SERVICE_NOT_CONFIGURED",
            "Server is not configured to use push notification service.",
        )
        for method, path in [
            ("POST", "/mobile_push/register"),
            ("POST", "/mobile_push/e2ee/test_notification"),
            ("POST", "/users/me/apns_device_token"),
            ("DELETE", "/users/me/android_gcm_reg_id"),
        ]
    ]
    + [
        (
            "POST",
            "/calls/zoom/create",
            "BAD_REQUEST",
            "Zoom credentials have not been configured",
        ),
        (
            "POST",
            "/calls/nextcloud_talk/create",
            "BAD_REQUEST",
            "Nextcloud Talk credentials have not been configured",
        ),
        (
            "GET",
            "/calls/bigbluebutton/create",
            "BAD_REQUEST",
            "BigBlueButton credentials have not been configured",
        ),
        ("GET", "/dev_list_users", "BAD_REQUEST", "Endpoint not available in production."),
    ],
)
@pytest.mark.on_one
def test_unconfigured_features_have_their_own_error(bare_chat, method, path, code, msg):
    bare_chat.person("ana").request(method, path).fails(msg, code=code)


def test_another_api_version_is_an_unknown_path(chat):
    response = chat.stranger.raw("GET", "/api/v2/users/me")

    assert response.status == 404
    assert response.json["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    "method, path, allowed",
    [
        ("POST", "/users/me", ["GET", "DELETE", "HEAD"]),
        ("GET", "/register", ["POST"]),
        ("GET", "/fetch_api_key", ["POST"]),
        ("PUT", "/users/me/subscriptions", ["GET", "POST", "PATCH", "DELETE", "HEAD"]),
        ("POST", "/server_settings", ["GET", "HEAD"]),
        ("PATCH", "/events", ["GET", "DELETE", "HEAD"]),
    ],
)
def test_a_wrong_method_is_reported_before_authentication(chat, method, path, allowed):
    reply = chat.stranger.request(method, path)

    response = reply.fails("Method Not Allowed", code="METHOD_NOT_ALLOWED", status=405)
    assert response["allowed_methods"] == allowed
    assert reply.headers["Allow"] == ", ".join(allowed)


def test_options_needs_no_authentication(chat):
    response = chat.stranger.raw("OPTIONS", "/api/v1/users/me/subscriptions")

    assert (response.status, response.body) == (204, b"")
    assert response.headers["Allow"] == "DELETE, GET, HEAD, PATCH, POST"


def test_head_answers_like_get_without_a_body(ana):
    got, head = ana.get("/users/me"), ana.raw("HEAD", "/api/v1/users/me")

    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"]


# --- answers ---


@pytest.mark.parametrize(
    "method, path", [("GET", "/server_settings"), ("GET", "/nothing"), ("OPTIONS", "/users")]
)
def test_answers_may_be_read_by_pages_of_any_origin(chat, method, path):
    response = chat.stranger.raw(method, f"/api/v1{path}")

    assert {name: response.headers[name] for name in CORS} == CORS


def test_answers_must_not_be_cached(chat):
    response = chat.stranger.get("/server_settings")

    assert "no-store" in response.headers["Cache-Control"]
    assert response.headers["Vary"] == "Accept-Language"


def test_result_and_msg_come_first_and_a_newline_last(chat):
    body = chat.stranger.get("/server_settings").body

    assert body.startswith(b'{"result":"success","msg":"",')
    assert body.endswith(b"}\n")


# --- pages around the API ---


def test_the_front_page_redirects_to_the_login_page(chat):
    chat.person("ana")  # a server without accounts redirects to its first-run page
    page = chat.stranger.raw("GET", "/")

    assert (page.status, page.headers["location"]) == (303, "/login/")
    assert chat.realm.name.encode() in chat.stranger.raw("GET", "/login/").body


def test_an_unknown_organization_has_no_page(chat):
    assert chat.stranger.raw("GET", "/login/", Host="elsewhere.localhost").status == 404


def test_health_and_metrics_answer_on_this_machine(chat):
    assert chat.stranger.raw("GET", "/health").json == {"status": "ok", "writes": "ok"}
    assert b"tertulia_requests_total" in chat.stranger.raw("GET", "/metrics").body


@pytest.mark.on_both
def test_each_of_many_health_checks_at_once_is_answered(chat):
    with ThreadPoolExecutor(16) as threads:
        replies = list(threads.map(lambda _: chat.stranger.raw("GET", "/health"), range(300)))

    assert {reply.status for reply in replies} == {200}


@pytest.mark.on_one
@pytest.mark.parametrize("name", ["kitchen.localhost", "LOCALHOST:9009", "127.0.0.1", "[::1]:9009"])
def test_metrics_can_be_read_by_host_name_of_this_machine(chat, name):
    assert chat.stranger.raw("GET", "/metrics", Host=name).status == 200


@pytest.mark.on_one
@pytest.mark.parametrize(
    "header, value",
    [
        ("X_Forwarded_For", "192.0.2.7"),
        ("X_Real_IP", "192.0.2.7"),
        ("Forwarded", "for=192.0.2.7"),
        ("Via", "1.1 proxy"),
        ("Host", "chat.example.com"),
        ("Host", "192.0.2.7:9009"),
        ("Host", "[::1"),
    ],
)
def test_metrics_cannot_be_read_through_a_proxy(chat, header, value):
    assert chat.stranger.raw("GET", "/metrics", **{header: value}).status == 404


def test_every_user_has_an_avatar(chat, ana):
    address = ana.get("/users/me").succeeds()["avatar_url"]

    picture = chat.stranger.raw("GET", address)

    assert picture.headers["Content-Type"] == "image/png"
    assert picture.body.startswith(b"\x89PNG")
