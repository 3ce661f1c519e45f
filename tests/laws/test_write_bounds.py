"""Every write has a bound: one transaction does little, however much a call asks for.

All other writes wait for it. Time depends on the machine, so statements and rows are counted. In an
organization that is large enough, each endpoint that takes a long list is called with a list as
long as its description allows, and each endpoint that writes is called for something large: a
channel of 10,000 subscribers, a topic of 15,000 messages, a user with 200 bots.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from bench.large_organization import enlarge
from tests.api.good_calls import address, ask, good_calls
from tests.support.fake_smtp import FakeSmtp
from tests.support.large_organization import LargeOrganization, grow
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.write_counter import COUNTER, CountedWrite

from tertulia import domain
from tertulia.api.routes import ROUTES

MAX = (400, 4500, 20_000)  # statements, changed rows and fetched rows
MIN_LONG_LIST = 100  # shorter lists need no call of their own

# Endpoints that may do more in one transaction, with the reason.
EXCEPTIONS = {
    "PATCH /messages/{message_id}": (
        400,
        15_500,
        20_000,
        "docs/decisions/0026: to another channel",
    ),
}

# Lists without a length in the description, and what limits them.
LIMITED_ELSEWHERE = {
    "direct_members": "actions.groups.permissions.checked_value",
    "direct_subgroups": "actions.groups.permissions.checked_value",
    "principals": "actions.channels.subscriptions.check_size, before the write",
    "narrow[]": "a term has an operator and an operand",
    "POST /messages to": "the endpoint, before the write",
    "POST /answers to": "the endpoint, before the write",
    "POST /calls to": "the endpoint, before the write",
    "POST /commands/{command_id}/calls to": "the endpoint, before the write",
    "POST /external/{integration} only_events": "nothing is written for it",
    "POST /external/{integration} exclude_events": "nothing is written for it",
    "profile_data[].value": "the limit of users in a profile field",
    "data[].value": "the limit of users in a profile field",
}

# Endpoints whose long lists are those of another, or whose work does not depend on them.
NOT_TRIED = {
    "PATCH /drafts/{draft_id}": "POST /drafts",
    "PATCH /settings/display": "PATCH /settings",
    "PATCH /settings/notifications": "PATCH /settings",
    "POST /invites": "POST /invites/multiuse",
    "POST /commands": "one row with all of them",
    "PATCH /commands/{command_id}": "one row with all of them",
    "POST /interactions/{interaction_id}/answer": "one row with the form",
    "POST /register": "its lists are options of one queue",
    "DELETE /bot_storage": "one statement for all keys",
    "PATCH /realm/linkifiers": "at most 200 linkifiers, one statement for their order",
    "POST /realm/filters": "one row with all templates",
    "PATCH /realm/filters/{filter_id}": "one row with all templates",
    "PATCH /realm/profile_fields": "at most 100 fields",
    "PATCH /users/me/profile_data": "at most 100 fields",
    "DELETE /users/me/profile_data": "at most 100 fields",
    "PATCH /users/{user_id}": "at most 100 fields",
    "PATCH /users/{email}": "at most 100 fields",
}

fresh = (f"new {number}" for number in itertools.count())


def largest_calls(large: LargeOrganization) -> dict[str, list[dict[str, Any]]]:
    """For each endpoint that takes a long list, calls with the largest ones. A key `/…` is a
    parameter in the path."""
    members, channels = large.member_ids, large.channel_ids
    kitchen = large.kitchen_id
    named = [{"name": name} for name in large.channel_names]
    crowd, *subgroups = large.group_ids
    many = domain.limits.MAX_SUBSCRIPTION_SETTINGS_PER_CALL
    read = large.message_ids[:10_000]
    terms = [{"operator": "channel", "operand": kitchen, "negated": False}] * 100
    draft = {"type": "stream", "to": [kitchen], "topic": "lunch", "content": "x" * 500}
    letter = {"type": "private", "to": members[:1000], "topic": "", "content": "x"}
    at = int(large.chat.server.clock()) + 3600
    later: dict[str, Any] = {"type": "direct", "to": members[:1000], "content": "x"}
    later["scheduled_delivery_timestamp"] = at
    words = [f"word {number}" for number in range(500)]
    everything = {"anchor": "oldest", "num_before": 0, "num_after": 5000, "narrow": terms}
    flags = [("add", "starred"), ("remove", "starred"), ("add", "read"), ("remove", "read")]
    links = {"invite_expires_in_minutes": 60, "invite_as": 400, "stream_ids": channels}
    links["group_ids"] = large.group_ids
    return {
        "POST /messages": [{"type": "direct", "to": members[:999], "content": "x"}] * 2,
        "POST /messages/flags": [{"messages": read, "op": op, "flag": flag} for op, flag in flags],
        "POST /messages/flags/narrow": [
            everything | {"op": op, "flag": flag} for op, flag in flags
        ],
        "POST /scheduled_messages": [later],
        "PATCH /scheduled_messages/{scheduled_message_id}": [
            {"/scheduled_message_id": _scheduled(large, at), "to": members[:1000], "type": "direct"}
        ],
        "POST /drafts": [{"drafts": [draft] * 990}, {"drafts": [letter]}],
        "POST /users/me/subscriptions": [
            {"subscriptions": [{"name": f"room {number}"} for number in range(100)]},
            {"subscriptions": named},
            {"subscriptions": named, "principals": members[:10]},
            {"subscriptions": [{"name": "channel of all"}]},
            {"subscriptions": [{"name": "channel of all"}], "principals": members},
        ],
        "DELETE /users/me/subscriptions": [
            {"subscriptions": ["channel of all"], "principals": members[:1000]},
            {"subscriptions": large.channel_names, "principals": members[:10]},
            {"subscriptions": large.channel_names},
        ],
        "PATCH /users/me/subscriptions": [{"add": named}, {"delete": large.channel_names}],
        "POST /users/me/subscriptions/properties": [
            {
                "subscription_data": [
                    {"stream_id": kitchen, "property": "is_muted", "value": number % 2 == 0}
                    for number in range(many)
                ]
            }
        ],
        "POST /channels/create": [{"name": next(fresh), "subscribers": members[:2000]}],
        "PATCH /channel_folders": [{"order": _folders(large)}],
        "POST /user_groups/create": [
            {"name": next(fresh), "description": "", "members": members, "subgroups": subgroups}
        ],
        "POST /user_groups/{group_id}/members": [
            {"/group_id": crowd, "add": members},
            {"/group_id": crowd, "delete": members},
        ],
        "POST /user_groups/{group_id}/subgroups": [
            {"/group_id": crowd, "add": subgroups},
            {"/group_id": crowd, "delete": subgroups},
        ],
        "POST /realm/legal_holds": [
            {"reason": "x", "held_user_ids": members[:250], "held_stream_ids": channels[:250]}
        ],
        "PATCH /settings": [
            {"high_contrast_mode": True, "target_users": {"user_ids": members[:1000]}}
        ],
        "PATCH /realm/accounts": [
            {"account_ids": members[:100], "role": role} for role in (200, 600, 400)
        ],
        "POST /typing": [{"type": "direct", "op": "start", "to": members[:1000]}],
        "POST /users/me/alert_words": [{"alert_words": words}],
        "DELETE /users/me/alert_words": [{"alert_words": words}],
        "POST /invites/multiuse": [links],
    }


# Calls that end what others need, in this order after all others.
ENDING = {
    "PATCH /streams/{stream_id}": 1,
    "PATCH /messages/{message_id}": 2,
    "POST /streams/{stream_id}/delete_topic": 3,
    "DELETE /streams/{stream_id}": 4,
    "POST /user_groups/{group_id}/deactivate": 5,
    "DELETE /users/{user_id}": 6,
    "POST /users/{user_id}/reactivate": 7,
    "POST /users/{user_id}/erase": 8,
}


def large_effects(large: LargeOrganization) -> dict[str, dict[str, Any]]:
    """Parameters with which a call has a large effect, where it has not with those of
    `good_calls`."""
    return {
        "POST /messages": {
            "type": "channel",
            "to": large.kitchen_id,
            "topic": "lunch",
            "content": f"@*group {len(large.group_ids) - 1}*",
        },
        "PATCH /messages/{message_id}": {
            "stream_id": large.channel_ids[0],
            "propagate_mode": "change_all",
        },
        "PATCH /streams/{stream_id}": {"is_private": True, "history_public_to_subscribers": False},
        "POST /streams/{stream_id}/delete_topic": {"topic_name": "lunch"},
        "POST /users/{user_id}/erase": {"delete_messages": True},
    }


def large_things(large: LargeOrganization) -> dict[str, Any]:
    """Parameters in paths: the largest channel, group and so on."""
    sender, other = large.member_ids[:2]
    for user_id in (sender, other):
        large.chat.write(enlarge, large, user_id)
    large.chat.server.restart()
    found: dict[str, Any] = {
        "group_id": large.group_ids[-1],
        "other_stream_id": large.kitchen_id,
        "POST /user_groups/{group_id}/deactivate": lambda: {"group_id": large.group_ids[-1]},
        "DELETE /users/{email}": lambda: {"email": f"m{other}@x.example"},
    }
    for route in ROUTES:
        if "/users/{user_id}" in route.path and not route.path.endswith("/export"):
            found[f"{route.method} {route.path}"] = lambda: {"user_id": sender}
    return found


@pytest.fixture(autouse=True)
def latency_guard() -> None:
    """Here counts are compared, and not what took long on a busy machine."""


@pytest.fixture
def large(own_chat: Chat) -> LargeOrganization:
    return grow(own_chat, own_chat.person("owner", role="owner", channels=["kitchen"]))


def test_the_largest_calls_do_little_in_one_transaction(large: LargeOrganization) -> None:
    problems = []
    for name, calls in largest_calls(large).items():
        method, path = name.split(" ")
        for params in calls:
            inside = {key[1:]: value for key, value in params.items() if key[0] == "/"}
            given = {key: value for key, value in params.items() if key[0] != "/"}
            with COUNTER.recording() as writes:
                large.owner.request(method, path.format(**inside), **given).succeeds()
            problems += problems_of(name, writes)

    assert not problems, "\n".join(problems)


def test_calls_with_large_effects_do_little_in_one_transaction(
    start_server: Callable[..., Server], smtp: FakeSmtp
) -> None:
    chat = Chat.found(start_server(**smtp.settings), "")
    ana, calls, paths = good_calls(chat)
    large = grow(chat, ana)
    effects, about = large_effects(large), paths | large_things(large)
    # A register writes the row of a queue; what it reads in a large organization takes seconds.
    tried = [route for route in calls if route[0] != "GET" and route != ("POST", "/register")]
    problems, failed = [], []
    for route in sorted(tried, key=lambda each: ENDING.get(f"{each[0]} {each[1]}", 0)):
        name = f"{route[0]} {route[1]}"
        path, params = address(route, about), effects.get(name) or calls[route]
        with COUNTER.recording() as writes:
            answer = ask(ana, route[0], path, **params)
        if answer.status != 200:
            failed.append(f"{name} {answer.status} {answer.body!r}")
        problems += problems_of(name, writes)

    assert not failed, "\n".join(failed)
    assert not problems, "\n".join(problems)


def problems_of(name: str, writes: list[CountedWrite]) -> list[str]:
    statements, rows, fetched, _ = EXCEPTIONS.get(name, (*MAX, ""))
    return [
        f"{name}: {each.action} ran {each.statements} statements, changed {each.rows} rows and"
        f" fetched {each.fetched}"
        for each in writes
        if each.statements > statements or each.rows > rows or each.fetched > fetched
    ]


def test_every_list_of_a_write_has_a_length() -> None:
    lists = list(lists_of_writes())
    unlimited = {(name, path) for name, path, limit in lists if limit is None}
    found = {
        f"{name} {path}"
        for name, path in unlimited
        if f"{name} {path}" not in LIMITED_ELSEWHERE
        and path not in LIMITED_ELSEWHERE
        and path.rpartition(".")[2] not in LIMITED_ELSEWHERE
    }

    assert not found, f"Give each list a MaxItems: {sorted(found)}"


def test_every_long_list_of_a_write_is_tried() -> None:
    source = inspect.getsource(largest_calls)
    long = {name for name, _, limit in lists_of_writes() if (limit or 0) >= MIN_LONG_LIST}

    missing = {name for name in long if f'"{name}":' not in source} - NOT_TRIED.keys()
    assert not missing, f"Add the largest call of {sorted(missing)}"


def lists_of_writes() -> Iterator[tuple[str, str, int | None]]:
    """The endpoint, the path in its parameters and the longest length of each list."""
    for route in ROUTES:
        if route.method != "GET":
            for parameter in route.contract.parameters:
                for path, limit in _lists(parameter.schema, parameter.name):
                    yield f"{route.method} {route.path}", path, limit


def _lists(schema: dict[str, Any], path: str) -> Iterator[tuple[str, int | None]]:
    for several in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(several, ()):
            yield from _lists(each, path)
    if schema.get("type") == "array":
        yield path, schema.get("maxItems")
        yield from _lists(schema.get("items", {}), f"{path}[]")
    for name, each in schema.get("properties", {}).items():
        yield from _lists(each, f"{path}.{name}")
    if isinstance(others := schema.get("additionalProperties"), dict):
        yield from _lists(others, f"{path}{{}}")


def _folders(large: LargeOrganization) -> list[int]:
    for _ in range(20):
        large.owner.post("/channel_folders/create", name=next(fresh), description="").succeeds()
    found = large.owner.get("/channel_folders").succeeds()["channel_folders"]
    return [each["id"] for each in found]


def _scheduled(large: LargeOrganization, at: int) -> int:
    given = {"type": "direct", "to": [large.owner.id], "content": "x"}
    made = large.owner.post("/scheduled_messages", **given, scheduled_delivery_timestamp=at)
    number: int = made.succeeds()["scheduled_message_id"]
    return number
