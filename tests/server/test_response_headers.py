"""Headers that every response has, and headers that are too many."""

import pytest


@pytest.mark.parametrize(
    "path",
    [
        "/health",
        "/metrics",
        "/login/",
        "/nothing/here",
        "/static/nothing.js",
        "/static/emoji.json",
        "/avatar/{ana}",
        "/user_avatars/nothing.png",
        "/api/v1/openapi.json",
        "/api/v1/server_settings",
        "/api/v1/nothing",
        "/json/nothing",
        "/robots.txt",
    ],
)
def test_no_browser_guesses_the_type_of_a_response(chat, ana, path):
    reply = ana.raw("GET", path.format(ana=ana.id))

    assert reply.headers["X-Content-Type-Options"] == "nosniff", reply.status


@pytest.mark.parametrize("path", ["/mcp", "/oauth/token", "/login/", "/api/v1/users"])
def test_a_request_with_too_many_headers_is_refused(chat, path):
    reply = chat.stranger.raw("GET", path, **{f"X-{number}": "x" for number in range(200)})

    assert reply.status == 431


def test_a_refusal_before_a_request_is_understood_has_it_too(chat):
    reply = chat.stranger.raw("GET", "/health", **{"X-Long": "x" * 600_000})

    assert reply.status == 431
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
