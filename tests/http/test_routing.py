"""Addresses: which endpoint they lead to, and which they do not."""

from typing import Any

import pytest

from tertulia.errors.http import MethodNotAllowed, NotFound
from tertulia.errors.parameters import NotUtf8
from tertulia.http.parameter_rules import NO_ID
from tertulia.http.routing import Router, delete, get, patch, path_arguments, post, put


async def everything(call: Any) -> None:
    """Lists them all.

    In no order.
    """


async def by_id(call: Any, user_id: int) -> None:
    pass


async def by_email(call: Any, email: str) -> None:
    pass


async def topics(call: Any, channel_id: int) -> None:
    pass


async def file(call: Any, realm_id: int, path: str) -> None:
    pass


ROUTES = [
    get("/users", everything, "get-everything"),
    post("/users", everything, "post-everything"),
    patch("/users/{user_id}", by_id, "patch-by-id"),
    delete("/users/{user_id}", by_id, "delete-by-id"),
    put("/users/{user_id}", by_id, "put-by-id"),
    get("/users/{user_id}", by_id, "get-by-id"),
    get("/users/{email}", by_email, "get-by-email"),
    get("/users/me", everything, "get-everything"),
    get("/users/me/{channel_id}/topics", topics, "get-topics"),
    get("/files/{realm_id}/{path:path}", file, "get-file"),
]
ROUTER = Router(ROUTES, "/api/v1")


def lead(path: str) -> tuple[str, dict[str, Any]]:
    location, texts = ROUTER.find("/api/v1" + path)
    route = location.route("GET")
    return route.path, path_arguments(route, texts)


@pytest.mark.parametrize(
    "path, template, arguments",
    [
        ("/users", "/users", {}),
        ("/users/7", "/users/{user_id}", {"user_id": 7}),
        ("/users/007", "/users/{user_id}", {"user_id": 7}),
        (f"/users/{2**63 - 1}", "/users/{user_id}", {"user_id": 2**63 - 1}),
        (f"/users/{2**63}", "/users/{user_id}", {"user_id": NO_ID}),
        ("/users/" + "9" * 5000, "/users/{user_id}", {"user_id": NO_ID}),
        ("/users/-7", "/users/{email}", {"email": "-7"}),
        ("/users/%D9%A3", "/users/{email}", {"email": "٣"}),  # a digit, but not one of ours
        ("/users/ana%40example.com", "/users/{email}", {"email": "ana@example.com"}),
        ("/users/a%2Fb", "/users/{email}", {"email": "a/b"}),
        ("/users/me", "/users/me", {}),
        ("/users/me/5/topics", "/users/me/{channel_id}/topics", {"channel_id": 5}),
        ("//users///7", "/users/{user_id}", {"user_id": 7}),
        (
            "/files/1/ab/soup.png",
            "/files/{realm_id}/{path:path}",
            {"realm_id": 1, "path": "ab/soup.png"},
        ),
    ],
)
def test_a_path_is_routed_to_its_endpoint(path, template, arguments):
    assert lead(path) == (template, arguments)


@pytest.mark.parametrize(
    "path", ["", "/", "/nothing", "/users/", "/users/me/x/topics", "/users/a%00b", "/files/1"]
)
def test_other_paths_are_not_found(path):
    with pytest.raises(NotFound):
        lead(path)


def test_only_paths_below_the_prefix_are_routed():
    for path in ["/users", "/api/v2/users", "/api/v1users", ""]:
        with pytest.raises(NotFound):
            ROUTER.find(path)


def test_a_path_that_is_not_utf_8_is_refused():
    with pytest.raises(NotUtf8):
        lead("/users/%ff")


def test_a_wrong_method_gets_the_allowed_methods():
    location, _ = ROUTER.find("/api/v1/users/7")

    with pytest.raises(MethodNotAllowed) as caught:
        location.route("POST")

    assert caught.value.extra() == {"allowed_methods": ["GET", "PUT", "PATCH", "DELETE", "HEAD"]}
    assert caught.value.reply_headers() == {"Allow": "GET, PUT, PATCH, DELETE, HEAD"}


def test_a_route_has_a_summary_and_a_tag():
    route = ROUTES[0]

    assert (route.summary, route.tag) == ("Lists them all", "test_routing")


@pytest.mark.parametrize("path", ["/users", "/users/{id}", "/users/{user_id}/{other}"])
def test_a_path_that_contradicts_its_endpoint_is_an_error_at_start(path):
    with pytest.raises(TypeError, match="name different things"):
        get(path, by_id, "get-by-id")


def test_a_repeated_path_is_an_error_at_start():
    with pytest.raises(TypeError, match="twice"):
        Router(
            [
                get("/users/{user_id}", by_id, "get-by-id"),
                get("/users/{channel_id}", topics, "get-topics"),
            ]
        )
