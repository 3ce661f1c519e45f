"""Users: all, one by id or address, oneself; and visibility of addresses."""

from datetime import UTC, datetime

import pytest
from tests.support.people import Chat, basic

from tertulia import actions

EVERYONE, MEMBERS, ADMINISTRATORS, NOBODY, MODERATORS = 1, 2, 3, 4, 5


def shown(caller, user_id, **switches):
    return caller.get(f"/users/{user_id}", **switches).succeeds()["user"]


def test_a_complete_user(chat):
    ana = chat.person("ana", role="admin")

    user = shown(ana, ana.id)

    joined = datetime.fromtimestamp(ana.record.joined_at, UTC)
    assert user == {
        "user_id": ana.id,
        "email": f"user{ana.id}@tertulia.invalid",
        "delivery_email": "ana@example.com",
        "full_name": "Ana",
        "date_joined": joined.strftime("%Y-%m-%dT%H:%M+00:00"),
        "is_active": True,
        "is_owner": False,
        "is_admin": True,
        "is_guest": False,
        "is_bot": False,
        "bot_type": None,
        "role": 200,
        "timezone": "",
        "avatar_url": f"/user_avatars/{chat.realm.id}/{ana.id}.png?v=1",
        "avatar_version": 1,
        "is_imported_stub": False,
    }


@pytest.mark.parametrize(
    "role, number, owner, admin, guest",
    [
        ("owner", 100, True, True, False),
        ("admin", 200, False, True, False),
        ("moderator", 300, False, False, False),
        ("member", 400, False, False, False),
        ("guest", 600, False, False, True),
    ],
)
def test_roles(chat, role, number, owner, admin, guest):
    ana = chat.person("ana", role=role)

    user = shown(ana, ana.id)

    assert (user["role"], user["is_owner"], user["is_admin"], user["is_guest"]) == (
        number,
        owner,
        admin,
        guest,
    )


@pytest.mark.parametrize(
    "bot, number", [("generic", 1), ("incoming-webhook", 2), ("outgoing-webhook", 3)]
)
def test_a_bot_has_a_type_an_owner_and_a_visible_address(chat, ana, ben, bot, number):
    helper = chat.person("helper", bot=bot, owner=ana)

    user = shown(ben, helper.id, include_custom_profile_fields=True)

    assert (user["is_bot"], user["bot_type"], user["bot_owner_id"]) == (True, number, ana.id)
    assert user["email"] == user["delivery_email"] == helper.email
    assert "profile_data" not in user


def test_all_users_are_listed_including_deactivated_ones_without_system_bots(chat):
    ana, ben, gus = chat.people("ana", "ben", "gus")
    helper = chat.person("helper", bot="generic", owner=ana)
    chat.write(actions.people.users.deactivate, gus.id)

    members = ana.get("/users").succeeds()["members"]

    active = {each["user_id"]: each["is_active"] for each in members}
    assert active == {ana.id: True, ben.id: True, gus.id: False, helper.id: True}


def test_the_list_can_be_limited_to_some(chat):
    ana, ben, _ = chat.people("ana", "ben", "cleo")

    def listed(user_ids):
        members = ana.get("/users", user_ids=user_ids).succeeds()["members"]
        return [each["user_id"] for each in members]

    assert listed([ben.id, ana.id, ben.id, 987_654, -1, 2**70]) == [ana.id, ben.id]
    assert listed([]) == []


def test_profile_fields_are_returned_on_request(ana):
    assert "profile_data" not in ana.get("/users").succeeds()["members"][0]
    requested = ana.get("/users", include_custom_profile_fields=True).succeeds()
    assert requested["members"][0]["profile_data"] == {}
    assert shown(ana, ana.id, include_custom_profile_fields=True)["profile_data"] == {}


@pytest.mark.parametrize(
    "params, msg",
    [
        ({"user_ids": 8}, "user_ids is not a list"),
        ({"user_ids": ["x"]}, "user_ids[0] is not an integer"),
        ({"client_gravatar": "yes"}, "client_gravatar is not valid JSON"),
        ({"client_gravatar": 1}, "client_gravatar is not a boolean"),
    ],
)
def test_booleans_must_be_booleans(chat, params, msg):
    chat.person("ana").get("/users", **params).fails(msg)


def test_oneself_with_the_newest_message_id(in_kitchen, ana, ben):
    assert ben.get("/users/me").succeeds()["max_message_id"] == -1
    soup = ana.says("Soup's on", to="kitchen > lunch")
    ana.says("not for ben", to=[ana])

    me = ben.get("/users/me").succeeds()

    assert me["max_message_id"] == soup.id
    assert (me["user_id"], me["delivery_email"], me["profile_data"]) == (ben.id, ben.email, {})
    assert me["avatar_url"]


def test_a_bot_sees_itself(chat, ana):
    helper = chat.person("helper", bot="generic", owner=ana)

    me = helper.get("/users/me").succeeds()

    assert (me["is_bot"], me["full_name"], me["email"]) == (True, "Helper", helper.email)
    assert "profile_data" not in me


# --- visibility of addresses ---


@pytest.mark.parametrize(
    "visibility, seen_by",
    [
        (EVERYONE, {"owner", "admin", "moderator", "member", "guest"}),
        (MEMBERS, {"owner", "admin", "moderator", "member"}),
        (MODERATORS, {"owner", "admin", "moderator"}),
        (ADMINISTRATORS, {"owner", "admin"}),
        (NOBODY, set()),
    ],
)
def test_an_address_is_shown_by_its_visibility_setting(chat, visibility, seen_by):
    ana = chat.person("ana", settings={"email_address_visibility": visibility})
    roles = ["owner", "admin", "moderator", "member", "guest"]
    viewers = {role: chat.person(f"the-{role}", role=role) for role in roles}

    seen = {role: shown(viewer, ana.id) for role, viewer in viewers.items()}

    public = ana.email if visibility == EVERYONE else f"user{ana.id}@tertulia.invalid"
    assert {each["email"] for each in seen.values()} == {public}
    assert {role for role, each in seen.items() if each["delivery_email"] == ana.email} == seen_by
    assert {each["delivery_email"] for each in seen.values()} <= {ana.email, None}
    assert shown(ana, ana.id)["delivery_email"] == ana.email


def test_a_user_is_found_by_a_visible_address(chat, ana, ben):
    root = chat.person("root", role="admin")

    assert shown(ben, ana.api_email)["user_id"] == ana.id
    assert shown(ben, ana.api_email.upper())["user_id"] == ana.id
    assert shown(root, ana.email.upper())["user_id"] == ana.id
    assert shown(ana, ana.email)["user_id"] == ana.id
    ben.get(f"/users/{ana.email}").fails("No such user")


def test_the_public_address_works_like_any_address(chat):
    root, ben = chat.person("root", role="owner"), chat.person("ben", channels=["kitchen"])
    ana = chat.person("ana", channels=["kitchen"])
    ana.post("/users/me/presence", status="active").succeeds()
    message = ben.says("psst", to=[ana])
    address = ana.api_email.upper()
    dm, sender = ({"operator": each, "operand": address} for each in ("dm", "sender"))

    by_address = ana.with_headers(Authorization=basic(address, ana.key))
    assert by_address.get("/users/me").succeeds()["user_id"] == ana.id
    assert shown(ben, address)["user_id"] == ana.id
    ben.get(f"/users/{address}/presence").succeeds()
    ben.post("/messages", type="direct", to=[address], content="hello").succeeds()
    found = ben.get("/messages", anchor="oldest", num_after=9, narrow=[dm]).succeeds()
    assert found["messages"][0]["id"] == message.id
    ben.get("/messages", anchor="oldest", narrow=[sender]).succeeds()
    join = {"subscriptions": [{"name": "garden"}], "principals": [address]}
    assert root.post("/users/me/subscriptions", **join).succeeds()["subscribed"] == {
        str(ana.id): ["garden"]
    }
    root.delete(
        "/users/me/subscriptions", subscriptions=["garden"], principals=[address]
    ).succeeds()
    root.patch(f"/users/{address}", full_name="Anna").succeeds()
    root.delete(f"/users/{address}").succeeds()
    assert (ana.record.full_name, ana.record.is_active) == ("Anna", False)


def test_a_generated_address_cannot_be_taken(chat):
    root, ana = chat.person("root", role="owner"), chat.person("ana")
    eve = chat.person("eve", email=ana.api_email, settings={"email_address_visibility": EVERYONE})

    assert shown(root, ana.api_email)["user_id"] == ana.id
    response = root.post("/messages", type="direct", to=[ana.api_email], content="for ana")
    assert eve.get(f"/messages/{response.succeeds()['id']}").status == 400


@pytest.mark.parametrize(
    "who",
    ["987654", "0", str(2**63), "9" * 40, "nobody@example.com", "user@tertulia.invalid", "%F0%9F"],
)
def test_an_unknown_user_is_refused(chat, who):
    response = chat.person("ana").get(f"/users/{who}")

    if who.startswith("%"):
        response.fails("The request is not valid UTF-8")
    else:
        response.fails("No such user")


def test_users_of_another_organization_are_unknown(chat):
    ana, eve = chat.person("ana"), Chat.found(chat.server).person("eve", role="owner")

    ana.get(f"/users/{eve.id}").fails("No such user")
    ana.get(f"/users/{eve.email}").fails("No such user")
    ana.get(f"/users/user{eve.id}@tertulia.invalid").fails("No such user")
    assert ana.get("/users", user_ids=[eve.id]).succeeds()["members"] == []


def test_gravatar_may_be_left_to_the_client(own_chat):
    def use_gravatar(tx):
        tx.execute("UPDATE account SET avatar_source = 'G'")

    ana = own_chat.person("ana", settings={"email_address_visibility": EVERYONE})
    ben = own_chat.person("ben")
    own_chat.write(use_gravatar)
    own_chat.server.restart()

    assert shown(ben, ana.id)["avatar_url"] is None
    assert shown(ben, ana.id, client_gravatar=False)["avatar_url"] is not None
    assert shown(ana, ben.id)["avatar_url"] is not None


# --- without login ---


def test_anonymous_callers_see_no_users(chat):
    chat.stranger.get("/users").asks_to_log_in()


def test_spectators_see_users_in_a_web_public_organization(start_server):
    server = start_server(web_public_streams_enabled=True)
    chat = Chat.found(server, "")
    ana = chat.person("ana", role="owner", settings={"email_address_visibility": EVERYONE})
    chat.set("enable_spectator_access", True)
    assert chat.stranger.get("/users").status == 401
    ana.joins("square", is_web_public=True)

    (user,) = chat.stranger.get("/users", include_custom_profile_fields=True).succeeds()["members"]

    assert (user["full_name"], user["delivery_email"]) == ("Ana", None)
    assert len(user["date_joined"]) == len("2024-05-01")
    assert not {"timezone", "profile_data"} & user.keys()
    assert chat.stranger.get("/server_settings").succeeds()["realm_web_public_access_enabled"]


def test_a_wrong_key_is_refused_even_for_spectators(start_server):
    server = start_server(web_public_streams_enabled=True)
    chat = Chat.found(server, "")
    ana = chat.person("ana", role="owner")
    chat.set("enable_spectator_access", True)
    ana.joins("square", is_web_public=True)

    response = ana.with_headers(Authorization="Basic !!!").get("/users")

    msg = "Invalid authorization header for basic auth"
    response.fails(msg, code="UNAUTHORIZED", status=401)


def test_users_are_the_same_after_a_restart(own_chat):
    ana = own_chat.person("ana")
    before = ana.get("/users/me").succeeds()

    own_chat.server.restart()

    assert ana.get("/users/me").succeeds() == before


def test_the_waiting_period_applies_to_new_members(chat, ana):
    chat.set("waiting_period_threshold", 3)
    groups = {each["name"]: each for each in ana.registers()["realm_user_groups"]}
    assert groups["role:fullmembers"]["members"] == []
    chat.server.clock.move(hours=73)

    groups = {each["name"]: each for each in ana.registers()["realm_user_groups"]}

    assert groups["role:members"]["members"] == [ana.id]
    assert groups["role:fullmembers"]["members"] == [ana.id]
