"""Private things of a user get the same answer as unused ids.

An owner has one of everything: drafts, files, reminders, sessions, passkeys, messages in private
channels. Users of every role, and an anonymous caller, make a valid call of every route with these
ids, and again with unused ids. Where everyone may see a thing, its existence may show; `SEEN` and
`shows_ids` of the features list those calls.
"""

import re
from typing import Any

import pytest
from tests.abuse.test_other_organizations import FAR_AWAY, NUMBERS, elsewhere, plain
from tests.api.good_calls import FAREWELLS, address, good_calls
from tests.support.people import Caller, Chat

from tertulia.features import FEATURES
from tertulia.features.feature import Callers

# A new name in each call gives another answer.
NEW_EACH_TIME = {("POST", "/channels/create"), ("POST", "/user_groups/create")}
BY_NAME = {("PATCH", "/users/me/subscriptions")}
OF_BOTS = {(method, "/bot_storage") for method in ("GET", "PUT", "DELETE")}
LEFT_OUT = FAREWELLS | NEW_EACH_TIME | BY_NAME | OF_BOTS


def of_features(callers: Callers) -> set[str]:
    return {call for each in FEATURES for call in each.shows_ids.get(callers, ())}


OF_PROFILES = {"DELETE /users/me/profile_data", "PATCH /users/me/profile_data"}
FOR_ALL = OF_PROFILES | {  # profile fields, groups by name, and a file whose URL is known
    "GET /user_uploads/{realm_id_str}/{filename:path}",
    "POST /user_groups/{group_id}/deactivate",
}
FOR_MEMBERS = (
    FOR_ALL
    | of_features("members")
    | {  # users and groups
        "GET /user_groups/{group_id}/members",
        "GET /user_groups/{group_id}/members/{user_id}",
        "GET /user_groups/{group_id}/subgroups",
        "GET /users/{user_id}",
        "GET /users/{user_id}/channels",
        "GET /users/{user_id}/subscriptions/{stream_id}",
        "PATCH /user_groups/{group_id}",
        "POST /user_groups/{group_id}/members",
        "POST /user_groups/{group_id}/subgroups",
    }
)
FOR_HUMANS = (
    FOR_MEMBERS
    | of_features("humans")
    | {  # who owns bots
        "DELETE /bots/{bot_id}",
        "GET /bots/{bot_id}/api_key",
        "PATCH /bots/{bot_id}",
        "POST /bots/{bot_id}/api_key/regenerate",
    }
)
SEEN = {
    "moderator": FOR_HUMANS,
    "member": FOR_HUMANS,
    "bot": (FOR_MEMBERS - OF_PROFILES) | of_features("bots"),  # to people it may write to
    "guest": FOR_ALL,
    "lonely guest": FOR_ALL,
    "stranger": set(),
}


@pytest.fixture
def chat(mail_chat):
    """Some calls need a server that sends mail."""
    return mail_chat


def people(chat: Chat) -> dict[str, Caller]:
    member = chat.person("mallory")
    return {
        "moderator": chat.person("mod", role="moderator"),
        "member": member,
        "bot": chat.person("robot", bot="generic", owner=member),
        "guest": chat.person("gus", role="guest", channels=["lobby"]),
        "lonely guest": chat.person("lone", role="guest"),
        "stranger": chat.stranger,
    }


def takes_numbers(route: tuple[str, str], params: dict[str, Any]) -> bool:
    return bool(NUMBERS & params.keys()) or re.search(r"_id(_str)?\}", route[1]) is not None


def test_ids_of_private_things_are_like_unused_ids_for_others(chat):
    ana, calls, path_params = good_calls(chat)
    chat.permit("can_access_all_users_group", "members")
    for name in ("kitchen", "loft"):
        private = {"is_private": True, "history_public_to_subscribers": True}
        ana.patch(f"/streams/{chat.channel(name).id}", **private).succeeds()
    for who, caller in people(chat).items():
        found, tried = set(), 0
        for route in calls:
            params = calls[route]
            if route in LEFT_OUT or not takes_numbers(route, params):
                continue
            path = address(route, path_params)
            nowhere = re.sub(r"\d+", lambda match: str(int(match[0]) + FAR_AWAY), path)
            unknown = {
                name: elsewhere(each) if name in NUMBERS else each for name, each in params.items()
            }
            before = chat.head()
            theirs = caller.request(route[0], path, **params)
            if theirs.status != 200:
                assert chat.head() == before, (who, route)
            nobodys = caller.request(route[0], nowhere, **unknown)
            if plain(theirs) != plain(nobodys):
                found.add(" ".join(route))
            tried += 1

        assert tried > 80
        assert found == SEEN[who], who
