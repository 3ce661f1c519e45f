"""Rate limits: headers, and what happens beyond."""

import math

import pytest
from tests.support.people import Chat, basic

from tertulia.config import Rate


def limited(start_server):
    server = start_server(rate_limit=Rate(3, 60), rate_limit_anonymous=Rate(2, 60))
    return Chat.found(server, "")


def test_every_answer_has_the_remaining_number(start_server):
    chat = limited(start_server)
    ana = chat.person("ana")

    responses = [ana.get("/users/me") for _ in range(3)]

    assert [each.headers["X-RateLimit-Limit"] for each in responses] == ["3"] * 3
    assert [each.headers["X-RateLimit-Remaining"] for each in responses] == ["2", "1", "0"]
    assert int(responses[-1].headers["X-RateLimit-Reset"]) >= int(chat.server.clock()) + 30


def test_too_many_requests_are_refused_until_time_has_passed(start_server):
    chat = limited(start_server)
    ana, ben = chat.people("ana", "ben")
    for _ in range(3):
        ana.get("/users/me").succeeds()

    refused = ana.get("/users/me")

    response = refused.fails("API usage exceeded rate limit", code="RATE_LIMIT_HIT", status=429)
    assert 0 < response["retry-after"] <= 20
    assert int(refused.headers["Retry-After"]) == math.ceil(response["retry-after"])
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    ben.get("/users/me").succeeds()
    chat.server.clock.move(seconds=response["retry-after"])
    ana.get("/users/me").succeeds()


def test_errors_and_calls_without_effect_count(start_server):
    chat = limited(start_server)
    ana = chat.person("ana")

    for _ in range(3):
        ana.get("/messages/999")

    assert ana.get("/users/me").status == 429


def test_anonymous_callers_share_the_limit_of_their_address(start_server):
    chat = limited(start_server)

    responses = [chat.stranger.get("/server_settings") for _ in range(3)]

    assert [each.status for each in responses] == [200, 200, 429]
    assert responses[0].headers["X-RateLimit-Limit"] == "2"


@pytest.mark.parametrize("path", ["/api/v1/users/me", "/avatar/1", "/user_uploads/1/a/b.txt"])
def test_guesses_of_keys_are_limited(start_server, path):
    chat = limited(start_server)
    ana = chat.person("ana")
    guess = chat.stranger.with_headers(Authorization=basic(ana.email, "x" * 32))

    responses = [guess.raw("GET", path).status for _ in range(4)]

    assert responses == [401, 401, 429, 429]
    ana.get("/users/me").succeeds()


def test_without_limits_there_are_no_headers(ana):
    assert "X-RateLimit-Limit" not in ana.get("/users/me").headers
