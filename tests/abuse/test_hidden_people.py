"""Guests with limited visibility learn nothing about other users: neither who exists nor their
properties.

A guest who knows no one listens to everything while the others act. No event, list or state
contains the id of an unknown user, except of users who have written or reacted where the guest may
read, and of users whom a permission names.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.people import Chat, Person

CAPABLE = {
    "client_capabilities": {
        "notification_settings_null": True,
        "user_list_incomplete": True,
        "stream_typing_notifications": True,
        "include_deactivated_groups": True,
    }
}
PEOPLE = ("user_id", "user_ids", "members", "subscribers", "partial_subscribers", "sender_id")


@pytest.fixture
def lobby_chat(own_chat: Chat) -> Chat:
    own_chat.permit("can_access_all_users_group", "members")
    return own_chat


def numbers(response: Any, key: str = "") -> Iterator[int]:
    """All user ids in what a user received."""
    if isinstance(response, dict):
        for name, value in response.items():
            yield from numbers(value, name)
    elif isinstance(response, list):
        for value in response:
            yield from numbers(value, key)
    elif key in PEOPLE and isinstance(response, int):
        yield response


def lives(root: Person, ben: Person, square: int) -> None:
    """Actions among users whom the guest does not know."""
    group = {"name": "crew", "description": "", "members": [ben.id, root.id]}
    crew = root.post("/user_groups/create", **group).succeeds()["group_id"]
    members = f"/user_groups/{crew}/members"
    root.post(members, delete=[ben.id]).succeeds()
    root.post(members, add=[ben.id]).succeeds()
    root.patch(f"/users/{ben.id}", role=300).succeeds()
    root.patch("/realm", waiting_period_threshold=9).succeeds()
    root.patch("/realm", waiting_period_threshold=0).succeeds()
    ben.joins("square")
    ben.post("/typing", type="channel", op="start", stream_id=square, topic="x").succeeds()
    ben.leaves("square")
    ben.joins("square")
    new = {"email": "dora@example.com", "password": "open sesame", "full_name": "Dora"}
    root.post("/users", **new).succeeds()
    root.delete(f"/users/{ben.id}").succeeds()
    root.post(f"/users/{ben.id}/reactivate").succeeds()
    root.patch(f"/user_groups/{crew}", description="x").succeeds()


def test_a_guest_receives_no_id_of_a_hidden_user(start_server):
    house = Chat.found(start_server(web_public_streams_enabled=True), "")
    house.permit("can_access_all_users_group", "members")
    house.set("enable_spectator_access", True)
    root, ben = house.person("root", role="owner"), house.person("ben")
    gus = house.person("gus", role="guest")
    root.joins("square", is_web_public=True)
    square = house.channel("square").id
    queue, late = gus.listens_for(**CAPABLE), gus.listens_for(**CAPABLE)
    everyone = root.listens_for(**CAPABLE)

    lives(root, ben, square)

    received: list[Any] = queue.all()
    assert {*numbers(received)} <= {gus.id}
    assert {root.id, ben.id} <= {*numbers(everyone.all())}
    house.server.clock.move(minutes=5)
    house.server.drop_cold_mailboxes()
    assert {*numbers(late.all())} <= {gus.id}
    state = gus.registers(include_subscribers="true", **CAPABLE)
    bots = {each["user_id"] for each in state["cross_realm_bots"]}
    assert {*numbers(state)} <= {gus.id} | bots
    assert gus.get(f"/streams/{square}/members").succeeds()["subscribers"] == []
    stranger = house.stranger.post("/register").json
    assert not {*numbers(stranger.get("realm_user_groups", []))} & {root.id, ben.id}


def test_groups_appear_and_disappear_with_their_members(lobby_chat):
    root, ben = lobby_chat.person("root", role="owner"), lobby_chat.person("ben")
    gus = lobby_chat.person("gus", role="guest", channels=["kitchen"])
    crew = {"name": "crew", "description": "", "members": [ben.id]}
    number = root.post("/user_groups/create", **crew).succeeds()["group_id"]
    queue = gus.listens_for("user_group", **CAPABLE)
    groups = {number, lobby_chat.group("members"), lobby_chat.group("fullmembers")}

    ben.joins("kitchen")
    shown = queue.all()
    assert {(each["op"], each["group_id"]) for each in shown} == {
        ("add_members", group) for group in groups
    }
    listed = {each["id"]: each["members"] for each in gus.registers()["realm_user_groups"]}
    assert {group for group, members in listed.items() if ben.id in members} == groups

    ben.leaves("kitchen")
    assert {(each["op"], each["group_id"]) for each in queue.all()} == {
        ("remove_members", group) for group in groups
    }


def test_a_guest_who_knows_some_users_receives_events_about_those(lobby_chat):
    root = lobby_chat.person("root", role="owner")
    ana, ben = lobby_chat.person("ana", channels=["kitchen"]), lobby_chat.person("ben")
    gus = lobby_chat.person("gus", role="guest", channels=["kitchen"])
    queue, whole = (who.listens_for("user_group", **CAPABLE) for who in (gus, root))

    crew = {"name": "crew", "description": "", "members": [ana.id, ben.id]}
    group = root.post("/user_groups/create", **crew).succeeds()["group_id"]
    root.post(f"/user_groups/{group}/members", delete=[ana.id, ben.id]).succeeds()

    received = [each.get("group", {}).get("members", each.get("user_ids")) for each in queue.all()]
    assert received == [[ana.id], [ana.id]]
    both = [each.get("group", {}).get("members", each.get("user_ids")) for each in whole.all()]
    assert both == [[ana.id, ben.id]] * 2


def test_a_group_direct_message_does_not_reveal_other_recipients(lobby_chat):
    everyone_sees = {"email_address_visibility": 1}
    ana = lobby_chat.person("ana", channels=["kitchen"])
    ben = lobby_chat.person("ben", settings=everyone_sees)
    gus = lobby_chat.person("gus", role="guest", channels=["kitchen"])
    queue = gus.listens_for("typing", **CAPABLE)

    ana.post("/typing", op="start", to=[gus.id, ben.id]).succeeds()
    ben.post("/typing", op="start", to=[gus.id, ana.id]).succeeds()
    assert queue.silent()

    ana.says("hello", to=[gus, ben])
    ana.post("/typing", op="start", to=[gus.id, ben.id]).succeeds()
    assert queue.next()["sender"]["user_id"] == ana.id


def test_a_promoted_guest_receives_a_channel_before_its_subscribers(lobby_chat):
    root = lobby_chat.person("root", role="owner")
    root.joins("kitchen")
    gus = lobby_chat.person("gus", role="guest")
    queue = gus.listens_for("stream", "subscription", "realm_user", **CAPABLE)

    root.patch(f"/users/{gus.id}", role=400).succeeds()

    known: set[int] = set()
    for event in queue.all():
        if event["type"] == "stream":
            known.update(each["stream_id"] for each in event["streams"])
        elif event["type"] == "subscription":
            assert known.issuperset(event["stream_ids"]), event
    assert lobby_chat.channel("kitchen").id in known
