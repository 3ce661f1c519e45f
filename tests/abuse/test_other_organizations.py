"""Ids of another organization get the same answer as unused ids.

The owner of one organization makes a valid call of every route of another one, on their own host,
with the ids of the other organization, and again with unused ids.
"""

import re
from typing import Any

import pytest
from tests.api.good_calls import FAREWELLS, address, ask, good_calls
from tests.support.client import Reply
from tests.support.people import Chat

FAR_AWAY = 10_000_000
NUMBERS = {  # parameters that are ids
    *("to", "stream_id", "messages", "msg_ids", "message_id", "subscribers", "members"),
    *("subgroups", "add", "delete", "order", "ordered_linkifier_ids", "data"),
    *("subscription_data", "folder_id"),
}
WITHOUT_A_BOT = {("GET", "/bots"), *((method, "/bot_storage") for method in ("GET", "PUT"))}
BY_NAME = ("PATCH", "/users/me/subscriptions")
LEFT_OUT = FAREWELLS | WITHOUT_A_BOT | {("DELETE", "/bot_storage"), BY_NAME}


@pytest.fixture
def chat(mail_chat):
    """Some calls need a server that sends mail."""
    return mail_chat


def elsewhere(value: Any) -> Any:
    """The same with unused ids."""
    if isinstance(value, list):
        return [elsewhere(each) for each in value]
    if isinstance(value, dict):
        return {
            name: elsewhere(each) if name in ("id", "stream_id") else each
            for name, each in value.items()
        }
    return value + FAR_AWAY if type(value) is int else value


def plain(reply: Reply) -> tuple[int, str]:
    """A response without ids and without what differs each time."""
    words = re.sub(r'"(queue_id|timestamp|server_timestamp)":[^,}]*', "", reply.body.decode())
    return reply.status, re.sub(r"\d+", "#", words)


def test_ids_of_another_organization_are_like_unused_ids(chat):
    ana, calls, path_params = good_calls(chat)
    other = Chat.found(chat.server)
    far = other.person("far", role="owner")
    other.person("robot", bot="generic", owner=far)
    tried = 0
    for route in calls:
        params = calls[route]
        named = NUMBERS & params.keys()
        if route in LEFT_OUT or not (named or "_id}" in route[1]):
            continue
        path = address(route, path_params)
        nowhere = re.sub(r"\d+", lambda match: str(int(match[0]) + FAR_AWAY), path)
        unknown = {
            name: elsewhere(each) if name in NUMBERS else each for name, each in params.items()
        }
        theirs = ask(far, route[0], path, **params)
        nobodys = ask(far, route[0], nowhere, **unknown)
        assert plain(theirs) == plain(nobodys), route
        tried += 1

    assert tried > 60
    assert ana.get("/users/me").succeeds()["user_id"] == ana.id
