"""Guests with limited visibility: hidden users do not exist for them."""

from typing import Any

import pytest
from tests.support.people import Chat, Person

INCOMPLETE = {
    "client_capabilities": {"notification_settings_null": True, "user_list_incomplete": True}
}
PEOPLE = ("realm_user", "user_status", "presence", "typing")


@pytest.fixture
def limited(chat: Chat) -> Chat:
    """An organization that hides users from guests."""
    chat.permit("can_access_all_users_group", "members")
    return chat


def seen_by(person: Person) -> set[int]:
    return {each["user_id"] for each in person.get("/users").succeeds()["members"]}


def user_events(events: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [
        (each["op"], each["person"]["user_id"]) for each in events if each["type"] == "realm_user"
    ]


def test_a_guest_sees_users_of_shared_channels_and_bots(limited):
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    ana, gone = limited.people("ana", "gone", channels=["kitchen"])
    ben, cleo, dan = limited.people("ben", "cleo", "dan")
    helper = limited.person("helper", bot="generic", owner=cleo)
    other = limited.person("other", role="guest")
    ben.says("psst", to=[gus, dan])
    gone.delete("/users/me").succeeds()

    assert seen_by(gus) == {gus.id, ana.id, gone.id, ben.id, dan.id, helper.id}
    assert seen_by(other) == {other.id, helper.id}
    assert len(seen_by(ana)) == 8
    limited.permit("can_access_all_users_group", "everyone")
    assert len(seen_by(gus)) == 8


def test_conversations_count_after_a_restart(own_chat):
    own_chat.permit("can_access_all_users_group", "members")
    gus, (ana, ben) = own_chat.person("gus", role="guest"), own_chat.people("ana", "ben")
    ana.says("psst", to=[gus])

    own_chat.server.restart()

    assert seen_by(gus) == {gus.id, ana.id}
    gus.get(f"/users/{ben.id}").fails("Insufficient permission")


def test_a_hidden_user_gets_the_same_answer_as_an_unknown_one(limited):
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    everyone_sees = {"email_address_visibility": 1}
    ben = limited.person("ben", settings=everyone_sees)
    ben.post("/users/me/presence", status="active").succeeds()
    ben.post("/users/me/status", status_text="here").succeeds()
    kitchen = limited.channel("kitchen").id
    root = limited.person("root", role="owner")
    field = root.post("/realm/profile_fields", name="Boss", field_type=6).succeeds()["id"]
    ids = {"hidden": ben.id, "unknown": 987_654}
    stand_ins = {who: f"user{number}@tertulia.invalid" for who, number in ids.items()}
    addresses = {"hidden": ben.email, "unknown": "nix@example.com"}
    later = int(limited.server.clock()) + 3600

    def narrow(operator, operand):
        term = [{"operator": operator, "operand": operand}]
        return gus.get("/messages", anchor="newest", num_before=1, narrow=term)

    def send(to):
        return gus.post("/messages", type="direct", to=to, content="hello?")

    def fill_in(who):
        return gus.patch("/users/me/profile_data", data=[{"id": field, "value": [ids[who]]}])

    def draft(who):
        draft = {"type": "private", "to": [who], "topic": "", "content": "x"}
        return gus.post("/drafts", drafts=[draft])

    lookups: list[tuple[str, Any]] = [
        ("Insufficient permission", lambda who: gus.get(f"/users/{ids[who]}")),
        ("Insufficient permission", lambda who: gus.get(f"/users/{addresses[who]}")),
        ("Insufficient permission", lambda who: gus.get(f"/users/{stand_ins[who]}")),
        ("Insufficient permission", lambda who: gus.patch(f"/users/{ids[who]}", role=600)),
        ("Insufficient permission", lambda who: gus.patch(f"/users/{stand_ins[who]}")),
        ("Insufficient permission", lambda who: gus.delete(f"/users/{ids[who]}")),
        ("Insufficient permission", lambda who: gus.delete(f"/users/{addresses[who]}")),
        ("Insufficient permission", lambda who: gus.post(f"/users/{ids[who]}/reactivate")),
        ("Insufficient permission", lambda who: gus.post(f"/users/{ids[who]}/status")),
        ("No such user", lambda who: gus.get(f"/users/{ids[who]}/status")),
        ("No such user", lambda who: gus.get(f"/users/{ids[who]}/presence")),
        ("No such user", lambda who: gus.get(f"/users/{addresses[who]}/presence")),
        ("No such user", lambda who: gus.get(f"/users/{stand_ins[who]}/presence")),
        ("No such user", lambda who: gus.get(f"/users/{ids[who]}/channels")),
        ("No such user", lambda who: gus.get(f"/users/{ids[who]}/subscriptions/{kitchen}")),
        ("No such user", lambda who: gus.post(f"/users/me/muted_users/{ids[who]}")),
        ("No such user", lambda who: gus.delete(f"/users/me/muted_users/{ids[who]}")),
        (
            "No such user",
            lambda who: gus.delete(
                "/users/me/subscriptions", subscriptions=["kitchen"], principals=[ids[who]]
            ),
        ),
        ("Invalid user ID #", lambda who: gus.post("/typing", op="start", to=[ids[who]])),
        ("Invalid user ID #", lambda who: draft(ids[who])),
        ("Invalid user IDs: #", lambda who: fill_in(who)),
        ("Invalid narrow operator: unknown user #", lambda who: narrow("sender", ids[who])),
        ("Invalid narrow operator: unknown user #", lambda who: narrow("sender", addresses[who])),
        ("Invalid narrow operator: unknown user in #", lambda who: narrow("dm", [ids[who]])),
        ("Invalid narrow operator: unknown user in #", lambda who: narrow("dm", stand_ins[who])),
        (
            "Invalid narrow operator: unknown user #",
            lambda who: narrow("dm-including", ids[who]),
        ),
    ]
    no_access = "You do not have permission to access some of the recipients."
    lookups += [(no_access, lambda who, by=by: send([by[who]])) for by in (ids, addresses)]
    lookups += [
        (no_access, lambda who: send([stand_ins[who], gus.api_email])),
        (
            no_access,
            lambda who: gus.post(
                "/scheduled_messages",
                type="direct",
                to=[ids[who]],
                content="x",
                scheduled_delivery_timestamp=later,
            ),
        ),
    ]
    for number, (expected, look) in enumerate(lookups):
        responses = []
        for who in ("hidden", "unknown"):
            reply = look(who)
            response = reply.json["msg"]
            for by in (stand_ins, addresses, ids):
                response = response.replace(f"[{by[who]}]", "#").replace(str(by[who]), "#")
            responses.append((reply.status, reply.json.get("code"), response))
        assert responses[0] == responses[1], number
        assert responses[0][2] == expected, number
    assert gus.get("/users", user_ids=list(ids.values())).succeeds()["members"] == []
    pictures = [gus.raw("GET", f"/avatar/{who}") for who in (*ids.values(), *addresses.values())]
    assert {(reply.status, reply.body) for reply in pictures} == {(404, pictures[0].body)}


def test_users_become_visible_and_invisible(limited):
    root = limited.person("root", role="owner", channels=["kitchen"])
    ben, cleo = limited.people("ben", "cleo")
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    ben.post("/users/me/status", status_text="baking").succeeds()
    queue = gus.listens_for("realm_user", "user_status", **INCOMPLETE)

    ben.joins("kitchen")
    shown, event = queue.all()
    assert (shown["op"], shown["person"]["full_name"]) == ("add", "Ben")
    assert (shown["person"]["is_active"], shown["person"]["profile_data"]) == (True, {})
    assert event == {"type": "user_status", "user_id": ben.id, "status_text": "baking"}

    ben.leaves("kitchen")
    gone = {"user_id": ben.id, "full_name": "Unknown user"}
    assert queue.all() == [{"type": "realm_user", "op": "remove", "person": gone}]

    cleo.says("psst", to=[gus])
    cleo.says("psst", to=[gus])
    root.joins("attic", principals=[ben.id, cleo.id, gus.id])
    assert user_events(queue.all()) == [("add", cleo.id), ("add", ben.id)]

    gus.leaves("attic")
    everyone, members = limited.group("everyone"), limited.group("members")
    root.patch("/realm", can_access_all_users_group={"new": everyone}).succeeds()
    root.patch("/realm", can_access_all_users_group={"new": members}).succeeds()
    assert user_events(queue.all()) == [("remove", ben.id), ("add", ben.id), ("remove", ben.id)]

    root.patch(f"/users/{gus.id}", role=400).succeeds()
    root.patch(f"/users/{gus.id}", role=600).succeeds()
    assert user_events(queue.all()) == [
        ("add", ben.id),
        ("update", gus.id),
        ("remove", ben.id),
        ("update", gus.id),
    ]


def test_several_guests_become_members_together(limited):
    root = limited.person("root", role="owner", channels=["kitchen"])
    ben = limited.person("ben")
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    gil = limited.person("gil", role="guest")
    other = limited.person("other", role="guest")
    ben.says("psst", to=[gil, other])
    wanted = ("realm_user", "user_group", "default_streams")
    queues = [each.listens_for(*wanted, **INCOMPLETE) for each in (gus, gil, other)]

    root.patch("/realm/accounts", account_ids=[gus.id, gil.id], role=400).succeeds()
    seen = [queue.all() for queue in queues]

    assert sorted(user_events(seen[0])) == sorted(
        [*(("add", each.id) for each in (ben, gil, other)), ("update", gus.id), ("update", gil.id)]
    )
    assert sorted(user_events(seen[1])) == sorted(
        [*(("add", each.id) for each in (root, gus)), ("update", gus.id), ("update", gil.id)]
    )
    assert user_events(seen[2]) == [("update", gil.id)]
    moved = [
        [(each["op"], each["group_id"], each["user_ids"]) for each in events if "user_ids" in each]
        for events in (seen[0], seen[2])
    ]
    everyone, members = limited.group("everyone"), limited.group("members")
    assert ("remove_members", everyone, [gus.id, gil.id]) in moved[0]
    assert ("add_members", members, [gus.id, gil.id]) in moved[0]
    assert ("add_members", members, [gil.id]) in moved[1]
    assert [each["type"] for each in seen[0]].count("default_streams") == 1


def test_a_guest_receives_no_events_about_hidden_users(limited):
    root, ben = limited.person("root", role="owner"), limited.person("ben")
    gus = limited.person("gus", role="guest")
    queue, older = gus.listens_for(*PEOPLE, **INCOMPLETE), gus.listens_for(*PEOPLE)

    ben.patch("/settings", full_name="Benno", timezone="Asia/Tokyo").succeeds()
    ben.patch("/settings", email_address_visibility=1, presence_enabled=False).succeeds()
    ben.patch("/settings", presence_enabled=True).succeeds()
    root.patch(f"/users/{ben.id}", new_email="benno@example.com").succeeds()
    root.post("/users/me/presence", status="active").succeeds()
    root.post("/users/me/status", status_text="here").succeeds()
    root.post("/typing", op="start", to=[gus.id]).succeeds()
    root.patch(f"/users/{ben.id}", role=300).succeeds()
    root.delete(f"/users/{ben.id}").succeeds()
    root.post(f"/users/{ben.id}/reactivate").succeeds()
    new = root.post("/users", email="dora@example.com", password="open sesame", full_name="Dora")

    assert queue.silent()
    (placeholder,) = older.all()
    person = placeholder["person"]
    assert person["user_id"] == new.succeeds()["user_id"]
    assert (person["full_name"], person["role"]) == ("Unknown user", 400)


def test_a_late_poll_delivers_the_same_events(limited):
    root, ben = limited.person("root", role="owner"), limited.person("ben")
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    late = gus.listens_for("realm_user", "user_group", "user_status", **INCOMPLETE)
    limited.server.clock.move(minutes=5)
    limited.server.drop_cold_mailboxes()
    queue = gus.listens_for("realm_user", "user_group", "user_status", **INCOMPLETE)

    for name in ("Benno", "Benedikt"):
        root.patch(f"/users/{ben.id}", full_name=name).succeeds()
        ben.joins("kitchen")
        root.patch(f"/users/{ben.id}", full_name="Ben").succeeds()
        ben.post("/users/me/status", status_text=name).succeeds()
        ben.leaves("kitchen")
    root.delete(f"/users/{ben.id}").succeeds()
    root.patch(f"/users/{ben.id}", full_name="Nobody").succeeds()

    received = queue.all()
    seen = [("add", ben.id), ("update", ben.id), ("remove", ben.id)]
    assert user_events(received) == seen * 2
    moves = [each["op"] for each in received if each["type"] == "user_group"]
    assert moves == ["add_members", "add_members", "remove_members", "remove_members"] * 2
    received_events = late.all()
    assert user_events(received_events) == user_events(received)
    assert received_events[-2:] == received[-2:]


def test_what_register_returns_to_a_guest(limited):
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    ana, ben = limited.person("ana", channels=["kitchen"]), limited.person("ben", role="owner")
    gone = limited.person("gone")
    gone.delete("/users/me").succeeds()
    for person in (ana, ben):
        person.post("/users/me/status", status_text="here").succeeds()
        person.post("/users/me/presence", status="active").succeeds()

    state = gus.registers(slim_presence=True, **INCOMPLETE)
    older = gus.registers()

    assert [each["user_id"] for each in state["realm_users"]] == [gus.id, ana.id]
    assert state["realm_non_active_users"] == older["realm_non_active_users"] == []
    assert list(state["user_status"]) == list(state["presences"]) == [str(ana.id)]
    assert list(older["presences"]) == [ana.api_email]
    unknown = {each["user_id"]: each for each in older["realm_users"][2:]}
    assert unknown.keys() == {ben.id, gone.id}
    assert unknown[ben.id] | {"user_id": 0, "email": ""} == unknown[gone.id] | {
        "user_id": 0,
        "email": "",
    }
    assert unknown[ben.id]["email"] == f"user{ben.id}@tertulia.invalid"
    assert unknown[ben.id]["full_name"] == "Unknown user"
    response = gus.get("/realm/presence").succeeds()["presences"]
    assert list(response) == [ana.api_email]
    reply = gus.post("/users/me/presence", status="idle", last_update_id=-1).succeeds()
    assert reply["presences"].keys() == {str(ana.id), str(gus.id)}


def test_the_name_of_a_hidden_sender_is_not_shown(limited):
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    ana = limited.person("ana", channels=["kitchen"])
    soup = ana.says("Soup's on", to="kitchen > lunch")
    assert gus.sees(soup)["sender_full_name"] == "Ana"

    ana.leaves("kitchen", "general", "sandbox")

    shown = gus.sees(soup)
    assert (shown["sender_id"], shown["sender_full_name"]) == (ana.id, "Unknown user")
    assert shown["sender_email"] == f"user{ana.id}@tertulia.invalid"
    listed = gus.get("/messages", anchor=soup.id).succeeds()["messages"][0]
    assert listed["sender_full_name"] == "Unknown user"
    later = int(limited.server.clock()) + 3600
    gus.post("/reminders", message_id=soup.id, scheduled_delivery_timestamp=later).succeeds()
    (reminder,) = gus.get("/reminders").succeeds()["reminders"]
    assert "Unknown user [said]" in reminder["content"]
    queue = gus.listens_for("message")
    ana.says("More soup", to="kitchen > lunch")
    assert queue.next()["message"]["sender_full_name"] == "Unknown user"


def test_a_guest_can_mention_only_visible_users(limited):
    gus = limited.person("gus", role="guest", channels=["kitchen"])
    ana, ben = limited.person("ana", channels=["kitchen"]), limited.person("ben")

    words = f"@**Ana** @**Ben** @**Ben|{ben.id}** @**Nix**"
    rendered = gus.post("/messages/render", content=words).succeeds()["rendered"]

    assert f'data-user-id="{ana.id}"' in rendered
    assert f'data-user-id="{ben.id}"' not in rendered
    by_member = ana.post("/messages/render", content=words).succeeds()["rendered"]
    assert f'data-user-id="{ben.id}"' in by_member


def test_spectators_see_no_more_than_guests(start_server):
    server = start_server(web_public_streams_enabled=True)
    chat = Chat.found(server, "")
    ana = chat.person("ana", role="owner")
    chat.set("enable_spectator_access", True)
    ana.joins("square", is_web_public=True)
    hello = ana.says("Hello", to="square > greetings")
    assert len(chat.stranger.get("/users").succeeds()["members"]) == 1

    members = chat.group("members")
    ana.patch("/realm", can_access_all_users_group={"new": members}).succeeds()

    assert chat.stranger.get("/users").succeeds()["members"] == []
    state = chat.stranger.post("/register", fetch_event_types=["realm_user"]).succeeds()
    assert state["realm_users"] == []
    shown = chat.stranger.get(f"/messages/{hello.id}").succeeds()["message"]
    assert shown["sender_full_name"] == "Unknown user"
