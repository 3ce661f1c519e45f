"""The law of the API description: /api/v1/openapi.json describes what the server does."""

import hashlib
import html
import importlib
import json
from typing import Any

import jsonschema
import pytest
from tests.api.good_calls import address, ask, good_calls
from tests.support.client import wire

from tertulia.api.routes import ROUTES
from tertulia.app import description
from tertulia.domain.personal.settings import DEFAULTS as PREFERENCES
from tertulia.events.types.event import wire_types
from tertulia.http.routing import Route
from tertulia.web.api_page import shown_calls

PREFIX = "/api/v1"


@pytest.fixture
def chat(mail_chat):
    """Some calls need a server that sends mail."""
    return mail_chat


def fetch_document(chat) -> dict[str, Any]:
    document: dict[str, Any] = chat.stranger.raw("GET", f"{PREFIX}/openapi.json").json
    return document


def validator(document: dict[str, Any], *pointer: str) -> Any:
    """Validates a value against a part of the document."""
    schema = document
    for step in pointer:
        schema = schema[step]
    return jsonschema.Draft202012Validator(schema | {"components": document["components"]})


def described(path: str) -> str:
    """A path as the description writes it."""
    return PREFIX + path.replace(":path}", "}")


def operation(document, route: Route) -> dict[str, Any]:
    found: dict[str, Any] = document["paths"][described(route.path)][route.method.lower()]
    return found


def documented(described) -> dict[str, dict[str, Any]]:
    """The schema of each parameter, in the query or in a form."""
    found = {}
    for each in described["parameters"]:
        if each["in"] == "query":
            found[each["name"]] = each["schema"].get("contentSchema", each["schema"])
    for media in described.get("requestBody", {}).get("content", {}).values():
        found |= media["schema"].get("properties", {})
    return found


PUBLIC = {(route.method, route.path) for route in ROUTES if route.access == "public"}


@pytest.fixture
def scene(chat):
    return good_calls(chat)


def test_exactly_the_routes_are_described(chat):
    document = fetch_document(chat)

    found = {
        (method.upper(), path) for path, methods in document["paths"].items() for method in methods
    }

    assert found == {(route.method, described(route.path)) for route in ROUTES}
    assert document["openapi"].startswith("3.1")


def test_lists_and_objects_in_forms_are_described_as_json(chat):
    """Without it a generated client sends a list as several fields of one name."""
    document = fetch_document(chat)
    forms = {
        (method, path): form
        for path, operations in document["paths"].items()
        for method, described in operations.items()
        for kind, form in described.get("requestBody", {}).get("content", {}).items()
        if kind == "application/x-www-form-urlencoded"
    }
    nested = {
        (*place, name)
        for place, form in forms.items()
        for name, schema in form["schema"].get("properties", {}).items()
        if schema.get("type") in ("array", "object")
    }

    as_json = {
        (*place, name)
        for place, form in forms.items()
        for name, how in form.get("encoding", {}).items()
        if how == {"contentType": "application/json"}
    }

    assert ("post", "/api/v1/users/me/subscriptions", "subscriptions") in nested
    assert nested <= as_json


def test_every_route_has_a_valid_call(scene):
    _, calls, _ = scene

    missing = [
        f"Give {route.method} {route.path} a good call in tests/api/good_calls.py."
        for route in ROUTES
        if (route.method, route.path) not in calls
    ]
    assert not missing, "\n".join(missing)
    assert len(calls) == len(ROUTES)


def test_every_answer_matches_its_description(chat, scene):
    ana, calls, path_params = scene
    document = fetch_document(chat)

    for (method, path), params in calls.items():
        given = ask(ana, method, address((method, path), path_params), **params)
        response, status = given.succeeds(), str(given.status)
        pointer = ("paths", described(path), method.lower(), "responses", status, "content")
        problems = validator(document, *pointer, "application/json", "schema").iter_errors(response)
        assert [f"{method} {path} {each.json_path} {each.message}" for each in problems] == []


def test_every_operation_is_refused_to_deactivated_users_and_in_unknown_organizations(chat, scene):
    ana, calls, path_params = scene
    gone, owner = chat.people("gone", "keeper", role="owner")
    owner.delete(f"/users/{gone.id}").succeeds()
    nowhere = ana.with_headers(Host="nowhere.localhost")

    for route in calls:
        method, path = route[0], address(route, path_params)
        assert 400 <= nowhere.request(method, path).status < 500, route
        if route not in PUBLIC:
            assert gone.request(method, path).status == 401, route


def test_every_error_matches_its_description(chat, scene):
    ana, _, _ = scene
    error = validator(fetch_document(chat), "components", "schemas", "Error")

    for response in (
        ana.get("/messages/0"),
        ana.get("/nothing"),
        ana.put("/users"),
        chat.stranger.get("/users/me"),
        ana.post("/messages", type="channel", to="attic", topic="x", content="x"),
    ):
        assert list(error.iter_errors(response.json)) == []


# A value that each documented parameter accepts beside the valid call.
VALUES: dict[str, Any] = {
    "slow_mode_until": 4102444800,
    "form": {"title": "Plan", "fields": [{"name": "plan", "type": "text"}]},
    "may_use": {"direct_members": [], "direct_subgroups": []},
    "area": "people",
    "source": "command",
    "widget_content": {"widget_type": "poll", "extra_data": {}},
    "role": 400,
    "authentication_methods": {"Email": True},
    "jitsi_server_url": "default",
    "bot_owner_id": "null",
    "config_data": {"depth": "12"},
    "default_events_register_stream": "general",
    "default_sending_stream": "general",
    "payload_url": "http://hooks.example.com",
    "service_payload_url": "http://hooks.example.com",
    **{name: value for name, value in PREFERENCES.items() if type(value) is not bool},
    "emoji_code": "1f389",
    "email": "ana@example.com",
    "full_name": "Ana",
    "new_password": "open sesame",
    "reaction_type": "unicode_emoji",
    "stream": "general",
    "timezone": "Europe/Berlin",
    "anchor": "newest",
    "anchor_date": "2024-01-01",
    "ends_at": 4102444800,
    "event_types": ["message"],
    "fetch_event_types": [],
    "folder_id": "null",
    "history_public_to_subscribers": True,
    "idle_queue_timeout": 100,
    "invite_expires_in_minutes": 60,
    "include_anchor": True,
    "include_subscribers": "true",
    "is_archived": True,
    "is_private": False,
    "is_web_public": False,
    "last_event_id": -1,
    "local_id": "1",
    "message_retention_days": "unlimited",
    "narrow": [],
    "presence_history_limit_days": 1,
    "prev_content_sha256": hashlib.sha256(b"Soup").hexdigest(),
    "queue_id": "q",
    "sender_id": "null",
    "topic": "lunch",
    "topics_policy": "inherit",
    "client_capabilities": {"notification_settings_null": True},
}
APART: dict[str, dict[str, Any]] = {"message_ids": {"message_ids": []}}  # excludes the others


@pytest.mark.on_one
def test_exactly_the_documented_parameters_are_accepted(chat, scene):
    ana, calls, path_params = scene
    document = fetch_document(chat)

    for route in ROUTES:
        good = calls[route.method, route.path]
        location = (route.method, route.path)
        names = documented(operation(document, route))
        names.pop(route.contract.files_argument or "", None)
        assert names.keys() == route.contract.names
        names = {each.name: names[each.name] for each in route.contract.parameters}
        for name in {"webhook_secret", "deletion_delay_days", "answer_token"} - good.keys():
            names.pop(name, None)  # must be right or absent: they have tests of their own
        for name, schema in names.items():
            good = calls[route.method, route.path]
            given = {name: good.get(name, sample(name, schema, route.method))}
            params = APART.get(name) or good | given
            if name == "queue_id" and route.path == "/messages":
                params["local_id"] = "1"
            if name == "stream" and "stream_id" in good:
                del params["stream_id"]
            response = ask(ana, route.method, address(location, path_params), **params).json
            assert "ignored_parameters_unsupported" not in response, name
            assert response["result"] == "success" or name in good, (name, response)
        if (route.method, route.path) == ("DELETE", "/events"):
            good = {"queue_id": ana.listens_for("message").queue_id}
        else:
            good = calls[route.method, route.path]
        path = address(location, path_params)
        response = ask(ana, route.method, path, **good, not_a_parameter=1).succeeds()
        assert response["ignored_parameters_unsupported"] == ["not_a_parameter"]


def sample(name: str, schema: dict[str, Any], method: str) -> Any:
    if name in VALUES:
        return VALUES[name]
    if name.endswith("_group"):
        nobody: dict[str, list[int]] = {"direct_members": [], "direct_subgroups": []}
        return {"new": nobody} if method == "PATCH" else nobody
    if "default" in schema:
        return schema["default"]
    usual = {"boolean": True, "integer": 1, "string": "x", "object": {}}
    return usual.get(str(schema.get("type")), [])


@pytest.mark.on_one
def test_documented_required_parameters_are_required(chat, scene):
    ana, calls, path_params = scene
    document = fetch_document(chat)

    for route in ROUTES:
        described = operation(document, route)
        required = [
            each["name"]
            for each in described["parameters"]
            if each["required"] and each["in"] == "query"
        ]
        for media in described.get("requestBody", {}).get("content", {}).values():
            required += media["schema"].get("required", [])
        for name in required:
            params = {k: v for k, v in calls[route.method, route.path].items() if k != name}
            response = ask(ana, route.method, route.path.format(**path_params), **params)
            response.fails(f"Missing '{name}' argument")


@pytest.mark.on_one
def test_every_described_json_body_is_accepted(chat, scene):
    ana, calls, path_params = scene
    document = fetch_document(chat)
    with_json = [
        (method, path)
        for (method, path) in calls
        if "application/json"
        in document["paths"][described(path)][method.lower()]
        .get("requestBody", {})
        .get("content", {})
        and not path.startswith("/external/")
    ]

    for method, path in with_json:
        params = calls[method, path]
        ask(ana, method, address((method, path), path_params), in_json=True, **params).succeeds()

    assert len(with_json) > 90


def test_every_kind_of_event_is_described(chat):
    document = fetch_document(chat)

    types = document["components"]["schemas"]["Event"]["discriminator"]["mapping"]

    sent_by_server = {"answer", "call", "call_signal", "heartbeat", "presence"}
    sent_by_server |= {"typing", "typing_edit_message"}
    assert types.keys() == wire_types() | sent_by_server


@pytest.mark.on_one
def test_the_valid_calls_match_the_documented_types(chat, scene):
    _, calls, _ = scene
    document = fetch_document(chat)

    for (method, path), params in calls.items():
        route = next(each for each in ROUTES if (each.method, each.path) == (method, path))
        for name, schema in documented(operation(document, route)).items():
            if name in params:
                value = params[name]
                value = value if schema.get("type") != "string" else wire(value)
                check = jsonschema.Draft202012Validator(
                    schema | {"components": document["components"]}
                )
                assert list(check.iter_errors(value)) == [], f"{method} {path} {name}"


def test_security_is_described(chat):
    document = fetch_document(chat)

    for route in ROUTES:
        security = operation(document, route)["security"]
        expected: dict[str, list[dict[str, Any]]] = {
            "public": [],
            "user": [{"basic": []}],
            "spectator": [{"basic": []}, {}],
            "key": [{"key": []}, {"basic": []}],
        }
        assert security == expected[route.access]


def test_the_description_is_the_same_for_all_and_at_every_start(chat):
    body = chat.stranger.raw("GET", f"{PREFIX}/openapi.json").body

    description.cache_clear()

    assert description() == body


@pytest.mark.on_one
def test_the_description_is_valid_and_complete(chat):
    document = fetch_document(chat)

    checking = importlib.import_module("openapi_spec_validator")  # slow to load
    assert list(checking.OpenAPIV31SpecValidator(document).iter_errors()) == []
    ids = [
        each["operationId"] for methods in document["paths"].values() for each in methods.values()
    ]
    titles = [
        *(each["summary"] for methods in document["paths"].values() for each in methods.values()),
        *(each["title"] for each in document["components"]["schemas"].values() if "title" in each),
    ]
    assert len(set(ids)) == len(ids)
    assert len(set(titles)) == len(titles)
    assert '"items": false' not in json.dumps(document)
    unsaid = [
        f"{route.method} {route.path}: {name}"
        for route in ROUTES
        for name in [
            *route.contract.path_types,
            *route.contract.names,
        ]
        if name not in documented_names(operation(document, route))
    ]
    assert not unsaid, "Describe these parameters with `Doc`: " + ", ".join(unsaid)


def documented_names(described) -> set[str]:
    """The parameters with a description."""
    found = {each["name"] for each in described["parameters"] if each.get("description")}
    for media in described.get("requestBody", {}).get("content", {}).values():
        properties = media["schema"].get("properties", {})
        found |= {name for name, each in properties.items() if each.get("description")}
    return found


@pytest.mark.on_one
def test_every_field_of_every_answer_is_described(chat):
    document = fetch_document(chat)

    unsaid = [
        f"{kind}.{name}"
        for kind, schema in document["components"]["schemas"].items()
        for name, field in schema.get("properties", {}).items()
        if not field.get("description", "").endswith((".", ":"))
    ]
    assert not unsaid, "Describe these fields with `Doc`: " + ", ".join(unsaid)
    register_schema = (
        chat.person("ana", role="owner").post("/register").succeeds().keys() - ENVELOPE
    )
    unsaid = sorted(
        register_schema - document["components"]["schemas"]["Registered"]["properties"].keys()
    )
    assert not unsaid, "Describe these parts of the state (`StatePart`): " + ", ".join(unsaid)


@pytest.mark.on_one
def test_register_answers_have_the_described_types(chat, scene):
    ana, _, _ = scene
    gus = chat.person("gus", role="guest", channels=["kitchen"])
    chat.permit("can_access_all_users_group", "members")
    for to in ([gus], "kitchen > lunch"):
        ana.says("@**Gus** soup", to=to)
    chat.set("jitsi_server_url", "https://meet.example.com")
    check = validator(fetch_document(chat), "components", "schemas", "Registered")

    for who, options in (
        (ana, {"include_subscribers": True, "client_gravatar": False}),
        (ana, {"slim_presence": True, "client_capabilities": ALL_CAPABILITIES}),
        (gus, {}),
        (gus, {"include_subscribers": "partial", "client_capabilities": ALL_CAPABILITIES}),
    ):
        response = who.post("/register", **options).succeeds()
        wrong = [f"{each.json_path}: {each.message[:200]}" for each in check.iter_errors(response)]
        assert not wrong, "\n".join(wrong)


ALL_CAPABILITIES = {
    "notification_settings_null": True,
    "user_settings_object": True,
    "user_list_incomplete": True,
    "user_avatar_url_field_optional": True,
    "stream_typing_notifications": True,
    "include_deactivated_groups": True,
    "archived_channels": True,
    "empty_topic_name": True,
    "simplified_presence_events": True,
}


ENVELOPE = {"result", "msg"}
# Names that only the test has, or that must be new each time.
SCENERY = {
    "to_session_id",
    "bot_id",
    "account_ids",
    "add",
    "answer",
    "api_key",
    "code",
    "data",
    "device_id",
    "domain",
    "draft",
    "drafts",
    "email",
    "endpoint",
    "full_name",
    "held_user_ids",
    "user_ids",
    "members",
    "message_id",
    "messages",
    "msg_ids",
    "name",
    "order",
    "ordered_linkifier_ids",
    "password",
    "pattern",
    "queue_id",
    "short_name",
    "state",
    "stream_id",
    "stream_ids",
    "subscribers",
    "subscription_data",
    "token",
    "username",
}


@pytest.mark.on_one
def test_the_api_page_shows_every_call_with_a_working_example(chat, scene):
    ana, calls, path_params = scene
    chat.channel("general")
    page = html.unescape(chat.stranger.raw("GET", "/api").body.decode())
    shown = {f"{call.method} {call.path}": call for _, call in shown_calls(fetch_document(chat))}

    for route in ROUTES:
        call = shown[f"{route.method} {route.path.replace(':path}', '}')}"]
        needed = {
            each.name for each in call.parameters if each.is_required
        } - call.path_values.keys()
        assert call.curl(f"http://{chat.host}") in page
        assert call.python() in page
        unsaid = needed - call.example.keys() - {route.contract.files_argument}
        assert not unsaid, f"Give each parameter of {route.method} {route.path} an example."
        assert "…" not in call.path_values.values(), f"Give the parts of {route.path} an example."
        good = path_params | calls[route.method, route.path]
        own = {name: good[name] for name in call.example.keys() & good.keys() & SCENERY}
        if isinstance(call.example.get("to"), int):
            own["to"] = good["to"]
        path = address((route.method, route.path), path_params)
        ask(ana, route.method, path, **call.example | own).succeeds()
