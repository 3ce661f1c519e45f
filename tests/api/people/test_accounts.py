"""Accounts: creating, changing, deactivating and reactivating them; one's own key."""

from typing import Any

from tests.support.access_matrix import create_people
from tests.support.fake_smtp import text_in
from tests.support.groups import make, only
from tests.support.people import Chat, basic
from tests.support.waiting import TIMEOUT_SECONDS

NEW: dict[str, Any] = {"email": "dora@example.com", "password": "open sesame", "full_name": "Dora"}

ADMIN_ONLY = "Insufficient permission"
OWNER_ONLY = ("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL")


def updated(user_id, **parts):
    return {"type": "realm_user", "op": "update", "person": {"user_id": user_id, **parts}}


def members(op, group_id, user_id):
    return {
        "type": "user_group",
        "op": f"{op}_members",
        "group_id": group_id,
        "user_ids": [user_id],
    }


# --- creating ---


def test_a_new_account_can_log_in_and_has_the_defaults(chat):
    root, ben = chat.person("root", role="admin"), chat.person("ben")
    root.patch("/realm/user_settings_defaults", twenty_four_hour_time=True).succeeds()
    ben.says("Welcome", to="general > greetings")
    queue = ben.listens_for()

    user_id = root.post("/users", **NEW).succeeds()["user_id"]

    received = queue.all()
    assert [(each["type"], each.get("op")) for each in received] == [
        ("realm_user", "add"),
        ("user_group", "add_members"),
        ("user_group", "add_members"),
        ("subscription", "peer_add"),
    ]
    person = received[0]["person"]
    assert (person["user_id"], person["full_name"], person["role"]) == (user_id, "Dora", 400)
    assert (person["is_active"], person["profile_data"]) == (True, {})
    login = chat.stranger.post("/fetch_api_key", username=NEW["email"], password=NEW["password"])
    key = login.succeeds()["api_key"]
    dora = ben.with_headers(Authorization=basic(NEW["email"], key))
    state = dora.registers()
    assert {each["name"] for each in state["subscriptions"]} == {"general", "sandbox"}
    assert state["user_settings"]["twenty_four_hour_time"] is True
    assert state["user_settings"]["enter_sends"] is True
    assert state["unread_msgs"]["count"] == 1


def test_invalid_accounts_are_refused(chat):
    root, ben = chat.person("root", role="owner"), chat.person("ben")
    head = chat.head()

    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"email": "BEN@example.com"}, "Email is already in use."),
        ({"email": "dora"}, "Enter a valid email address."),
        ({"full_name": " "}, "Name must not be empty!"),
        ({"full_name": "x" * 101}, "Name too long!"),
        ({"full_name": "D@ra"}, "Invalid characters in name!"),
        ({"full_name": "Dora|12"}, "Invalid format!"),
        ({"password": "short"}, "A password has at least 8 characters."),
        ({"password": "x" * 101}, "A password has at most 100 characters."),
        ({"email": "x" * 1001}, "email is too long (limit: 1000 characters)"),
        ({"email": None}, "Missing 'email' argument"),
        ({"password": None}, "Missing 'password' argument"),
        ({"full_name": None}, "Missing 'full_name' argument"),
    ]
    for wrong, msg in wrongs:
        root.post("/users", **NEW | wrong).fails(msg)
    chat.set("require_unique_names", True)
    root.post("/users", **NEW | {"full_name": "BEN"}).fails(
        "Unique names required in this organization."
    )
    ben.post("/users").fails("Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL")
    assert chat.head() == head + 1


def test_a_server_may_restrict_accounts_to_the_command_line(start_server):
    chat = Chat.found(start_server(accounts_api=False), "")
    root, ben = chat.person("root", role="owner"), chat.person("ben")

    root.post("/users", **NEW).fails("User not authorized to create users")
    root.post("/users").fails("Missing 'email' argument")
    root.patch(f"/users/{ben.id}", full_name="Benno", new_email="b@example.com").fails(
        "User not authorized to change user emails"
    )
    assert ben.record.full_name == "Ben"
    root.patch(f"/users/{ben.id}", full_name="Benno").succeeds()


# --- changing ---


def test_name_and_address_can_be_changed(chat):
    root = chat.person("root", role="admin")
    ben, gus = chat.people("ben", "gus")
    queue, admin_queue = gus.listens_for("realm_user"), root.listens_for("realm_user")

    root.patch(f"/users/{ben.id}", full_name=" Benno ", new_email="benno@example.com").succeeds()
    root.patch(f"/users/{ben.id}", full_name="Benno", new_email="benno@example.com").succeeds()
    root.patch(f"/users/{ben.api_email}", full_name=" ").succeeds()
    root.patch("/users/benno@example.com", full_name="Ben").succeeds()
    root.patch(f"/users/{ben.id}").succeeds()

    named = [updated(ben.id, full_name="Benno"), updated(ben.id, full_name="Ben")]
    assert queue.all() == named
    address = updated(ben.id, delivery_email="benno@example.com")
    assert admin_queue.all() == [named[0], address, named[1]]
    assert ben.record.email == "benno@example.com"


def test_invalid_changes_are_refused(chat):
    owner, root = chat.person("owner", role="owner"), chat.person("root", role="admin")
    ben, gus = chat.people("ben", "gus")
    head = chat.head()

    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"full_name": "a@b"}, "Invalid characters in name!"),
        ({"full_name": "n" * 101}, "Name too long!"),
        ({"full_name": "Ben|1"}, "Invalid format!"),
        ({"role": 77}, "Invalid role: Value error, Not in the list of possible values"),
        ({"role": "admin"}, "role is not valid JSON"),
        ({"new_email": "ben"}, "Enter a valid email address."),
        ({"new_email": gus.email.upper()}, "Email is already in use."),
        ({"role": 300, "new_email": gus.email}, "Email is already in use."),
    ]
    for wrong, msg in wrongs:
        root.patch(f"/users/{ben.id}", **{"full_name": "Benno", **wrong}).fails(msg)
    msg, code = OWNER_ONLY
    root.patch(f"/users/{ben.id}", role=100).fails(msg, code=code)
    root.patch(f"/users/{owner.id}", role=400).fails(msg, code=code)
    root.delete(f"/users/{owner.id}").fails(msg, code=code)
    only_owner = "The owner permission cannot be removed from the only organization owner."
    owner.patch(f"/users/{owner.id}", role=200).fails(only_owner)
    for who in ("987654", "nobody@example.com", "0", "9" * 30):
        root.patch(f"/users/{who}", full_name="X").fails("No such user")
    assert chat.head() == head


def test_an_address_may_change_its_case(chat):
    root, ben = chat.person("root", role="admin"), chat.person("ben")

    root.patch(f"/users/{ben.id}", new_email="BEN@example.com").succeeds()

    assert ben.record.email == "BEN@example.com"
    assert ben.get("/users/me").succeeds()["delivery_email"] == "BEN@example.com"


def test_a_role_changes_the_system_groups(chat, owner):
    ben, gus = chat.people("ben", "gus")
    queue = gus.listens_for("realm_user", "user_group")
    ids = {name: chat.group(name) for name in ("members", "moderators", "fullmembers", "everyone")}

    for role in (300, 600, 400, 400):
        owner.patch(f"/users/{ben.id}", role=role).succeeds()

    assert queue.all() == [
        updated(ben.id, role=300),
        members("remove", ids["members"], ben.id),
        members("add", ids["moderators"], ben.id),
        members("remove", ids["fullmembers"], ben.id),
        updated(ben.id, role=600),
        members("remove", ids["moderators"], ben.id),
        members("add", ids["everyone"], ben.id),
        updated(ben.id, role=400),
        members("remove", ids["everyone"], ben.id),
        members("add", ids["members"], ben.id),
        members("add", ids["fullmembers"], ben.id),
    ]


def test_another_role_shows_and_hides_channels(chat):
    owner, ben = chat.person("owner", role="owner"), chat.person("ben", channels=["kitchen"])
    owner.joins("cellar", invite_only=True)
    owner.joins("garden")
    queue = ben.listens_for("stream", "subscription", "default_streams")
    cellar, garden = chat.channel("cellar").id, chat.channel("garden").id
    defaults = [chat.channel(name).id for name in ("general", "sandbox")]

    owner.patch(f"/users/{ben.id}", role=200).succeeds()
    shown, peers = queue.all()
    assert [each["stream_id"] for each in shown["streams"]] == [cellar]
    assert (peers["op"], peers["user_ids"]) == ("peer_add", [owner.id])

    owner.patch(f"/users/{ben.id}", role=600).succeeds()
    *hidden, received = queue.all()
    assert [each["stream_ids"] for each in hidden] == [[cellar], [garden]]
    assert received == {"type": "default_streams", "default_streams": []}
    ben.get(f"/streams/{garden}").fails("Invalid channel ID")

    owner.patch(f"/users/{ben.id}", role=400).succeeds()
    shown, peers, received = queue.all()
    assert [each["stream_id"] for each in shown["streams"]] == [garden]
    assert received["default_streams"] == defaults


def test_a_user_who_becomes_a_guest_receives_no_messages_of_hidden_channels(chat):
    owner, ben = chat.person("owner", role="owner", channels=["garden"]), chat.person("ben")
    queue = ben.listens_for("message", all_public_streams=True)
    owner.says("before", to="garden > roses")

    owner.patch(f"/users/{ben.id}", role=600).succeeds()
    owner.says("after", to="garden > roses")

    assert queue.silent()


def test_a_role_shows_and_hides_addresses(owner, ben):
    queue = ben.listens_for("realm_user")

    owner.patch(f"/users/{ben.id}", role=200).succeeds()
    owner.patch(f"/users/{ben.id}", role=400).succeeds()

    assert queue.all() == [
        updated(ben.id, role=200),
        updated(owner.id, delivery_email=owner.email),
        updated(ben.id, role=400),
        updated(owner.id, delivery_email=None),
    ]


# --- deactivating and reactivating ---


def test_a_deactivated_account_loses_everything_and_gets_it_back(chat):
    root = chat.person("root", role="owner", channels=["kitchen", "cellar"])
    ben, gus = chat.people("ben", "gus", channels=["kitchen"])
    helper = chat.person("helper", bot="generic", owner=ben)
    bakers = make(root, "bakers", (root, ben), can_add_members_group=only(root, ben))
    root.patch("/realm", can_create_groups={"new": only(root, ben)}).succeeds()
    kitchen = chat.channel("kitchen").id
    root.patch(f"/streams/{kitchen}", can_send_message_group={"new": only(root, ben)}).succeeds()
    queue = ben.listens_for("message").waits_raw()
    event_queue = gus.listens_for()

    root.delete(f"/users/{ben.id}").succeeds()

    assert queue.result(TIMEOUT_SECONDS).json["code"] == "BAD_EVENT_QUEUE_ID"
    for person in (ben, helper):
        person.get("/users/me").fails("Account is deactivated", code="UNAUTHORIZED", status=401)
    alone = only(root)
    defaults = [chat.channel(name).id for name in ("general", "sandbox")]
    where = sorted([*defaults, kitchen])
    assert event_queue.all() == [
        updated(helper.id, is_active=False),
        updated(ben.id, is_active=False),
        {
            "type": "subscription",
            "op": "peer_remove",
            "stream_ids": where,
            "user_ids": [ben.id],
        },
        {
            "type": "stream",
            "op": "update",
            "stream_id": kitchen,
            "name": "kitchen",
            "property": "can_send_message_group",
            "value": alone,
        },
        {
            "type": "user_group",
            "op": "update",
            "group_id": bakers,
            "data": {"can_add_members_group": alone},
        },
        {
            "type": "realm",
            "op": "update_dict",
            "property": "default",
            "data": {"can_create_groups": alone},
        },
    ]
    assert ben.id not in root.get(f"/user_groups/{bakers}/members").succeeds()["members"]
    assert ben.id not in root.get(f"/streams/{kitchen}/members").succeeds()["subscribers"]
    root.delete(f"/users/{ben.id}").fails("User is deactivated")

    root.post(f"/users/{ben.id}/reactivate").succeeds()

    back = event_queue.all()
    groups = [chat.group("fullmembers"), chat.group("members"), bakers]
    assert back[0] == updated(ben.id, is_active=True)
    assert (back[1]["op"], back[1]["stream_ids"]) == ("peer_add", where)
    assert back[2:5] == [members("add", each, ben.id) for each in groups]
    assert [each["type"] for each in back[5:]] == ["stream", "user_group", "realm"]
    assert ben.says("I am back", to="kitchen > lunch").id
    helper.get("/users/me").fails("Account is deactivated", code="UNAUTHORIZED", status=401)
    root.post(f"/users/{ben.id}/reactivate").succeeds()
    assert [each["type"] for each in event_queue.all()] == ["message"]


def test_accounts_that_cannot_be_deactivated(chat):
    owner, root = chat.person("owner", role="owner"), chat.person("root", role="admin")
    helper = chat.person("helper", bot="generic", owner=root)
    last = {"is_last_owner": True, "entity": "organization owner"}
    msg, code = "Cannot deactivate the only organization owner.", "CANNOT_DEACTIVATE_LAST_USER"

    for response in (owner.delete("/users/me"), owner.delete(f"/users/{owner.id}")):
        assert response.fails(msg, code=code).items() >= last.items()
    for who in (helper.id, helper.email, 987_654, "nobody@example.com"):
        owner.delete(f"/users/{who}").fails("No such user")
    owner.post("/users/987654/reactivate").fails("No such user")
    helper.delete("/users/me").fails("This endpoint does not accept bot requests.")
    owner.delete(f"/users/{root.api_email}").succeeds()
    assert not root.record.is_active


def test_users_may_deactivate_themselves_but_not_the_last_owner(ana, ben):
    ben.delete("/users/me").succeeds()

    ben.get("/users/me").fails("Account is deactivated", code="UNAUTHORIZED", status=401)
    reply = ana.delete("/users/me")
    response = reply.fails("Cannot deactivate the only user.", code="CANNOT_DEACTIVATE_LAST_USER")
    assert (response["is_last_owner"], response["entity"]) == (False, "user")


def test_users_reactivate_their_own_bots(chat):
    root = chat.person("root", role="admin")
    ben, gus = chat.people("ben", "gus")
    helper = chat.person("helper", bot="generic", owner=ben)
    root.delete(f"/users/{ben.id}").succeeds()
    root.post(f"/users/{ben.id}/reactivate").succeeds()

    gus.post(f"/users/{helper.id}/reactivate").fails(ADMIN_ONLY)
    ben.post(f"/users/{helper.id}/reactivate").succeeds()

    assert helper.get("/users/me").succeeds()["is_active"]
    root.patch(f"/users/{helper.id}", full_name="Egg timer").succeeds()
    assert helper.record.full_name == "Egg timer"


def test_messages_of_the_meantime_are_unread_after_reactivation(chat):
    root, ben = chat.person("root", role="admin", channels=["kitchen"]), chat.person("ben")
    ben.joins("kitchen")
    root.delete(f"/users/{ben.id}").succeeds()
    soup = root.says("Soup's on", to="kitchen > lunch")
    root.tries_to_say("psst", [ben]).fails("A recipient's account is deactivated.")

    root.post(f"/users/{ben.id}/reactivate").succeeds()

    (location,) = ben.registers()["unread_msgs"]["streams"]
    assert location["unread_message_ids"] == [soup.id]


# --- keys ---


def test_a_new_key_ends_the_old_one_and_its_queues_at_once(chat, ana):
    helper = chat.person("helper", bot="generic", owner=ana)

    for person in (ana, helper):
        waiting = person.listens_for("message").waits_raw()
        fresh = person.post("/users/me/api_key/regenerate").succeeds()["api_key"]
        assert waiting.result(TIMEOUT_SECONDS).json["code"] == "BAD_EVENT_QUEUE_ID"
        person.get("/users/me").fails("Invalid API key", code="UNAUTHORIZED", status=401)
        again = person.with_headers(Authorization=basic(person.email, fresh))
        assert again.get("/users/me").succeeds()["user_id"] == person.id


# --- permissions ---

REFUSED = {
    "POST /users": "Must be an organization administrator",
    "PATCH /users": ADMIN_ONLY,
    "DELETE /users": ADMIN_ONLY,
    "POST reactivate": ADMIN_ONLY,
}


def test_who_may_manage_accounts(chat):
    people = create_people(chat)
    victims = iter(chat.people(*[f"victim{number}" for number in range(40)]))
    names = iter(f"new{number}@example.com" for number in range(40))
    found: dict[str, dict[str, str]] = {}

    def attempt(who, call):
        person, victim = people[who], next(victims)
        if call == "POST /users":
            response = person.post("/users", **NEW | {"email": next(names)})
        elif call == "PATCH /users":
            response = person.patch(f"/users/{victim.id}", full_name="X")
        elif call == "DELETE /users":
            response = person.delete(f"/users/{victim.id}")
        else:
            response = person.post(f"/users/{victim.id}/reactivate")
        return "" if response.json["result"] == "success" else response.json["msg"]

    kinds = ["owner", "admin", "mod", "full", "new", "guest", "bot", "gone", "far"]
    for who in kinds:
        found[who] = {call: attempt(who, call) for call in REFUSED}

    for who in kinds:
        leaving = {
            call: "" if response.json["result"] == "success" else response.json["msg"]
            for call, response in (
                ("DELETE me", people[who].delete("/users/me")),
                ("POST regenerate", people[who].post("/users/me/api_key/regenerate")),
            )
        }
        ended = "Account is deactivated"
        last = "Cannot deactivate the only organization owner."
        assert leaving == {
            "owner": {"DELETE me": last, "POST regenerate": ""},
            "far": {"DELETE me": last, "POST regenerate": ""},
            "bot": {
                "DELETE me": "This endpoint does not accept bot requests.",
                "POST regenerate": "",
            },
            "gone": {"DELETE me": ended, "POST regenerate": ended},
        }.get(who, {"DELETE me": "", "POST regenerate": ended}), who

    allowed = dict.fromkeys(REFUSED, "")
    assert found == {
        "owner": allowed,
        "admin": allowed,
        **dict.fromkeys(["mod", "full", "new", "guest", "bot"], REFUSED),
        "gone": dict.fromkeys(REFUSED, "Account is deactivated"),
        "far": {"POST /users": "", **dict.fromkeys(list(REFUSED)[1:], "No such user")},
    }


def test_a_deactivated_user_gets_a_mail_if_requested(mail_chat, smtp):
    boss = mail_chat.person("boss", role="admin")
    ben, cleo = mail_chat.people("ben", "cleo")

    boss.delete(f"/users/{cleo.id}").succeeds()
    params = {"deactivation_notification_comment": "Farewell!\n\nThe cooks"}
    boss.delete(f"/users/{ben.id}", **params).succeeds()

    mail = text_in(smtp.last_mail_to(ben.email, mail_chat))
    assert "has ended your account" in mail
    assert "Farewell!  The cooks" in mail or "Farewell! The cooks" in mail
    assert smtp.mails_to(cleo.email) == []


def test_an_unsupported_action_on_deactivation_is_refused_and_the_account_stays(chat):
    boss, ben = chat.person("boss", role="admin"), chat.person("ben")
    nothing = {"delete_profile": False, "delete_direct_messages": False}

    refused = boss.delete(f"/users/{ben.id}", actions=nothing | {"delete_direct_messages": True})

    refused.fails("This server does not delete a user's messages together with the account.")
    assert ben.record.is_active
    boss.delete(f"/users/{ben.id}", actions={"delete_everything": True}).fails(
        'Argument "delete_everything" at actions["delete_everything"] is unexpected'
    )
    boss.delete(f"/users/{ben.id}", actions=nothing).succeeds()
    assert not ben.record.is_active
