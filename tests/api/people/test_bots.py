"""Bots: created and managed by users."""

from typing import Any

from tests.support.access_matrix import create_people
from tests.support.people import Chat, basic

from tertulia import actions, domain, storage

NO_DEFAULTS = {
    "default_sending_stream": None,
    "default_events_register_stream": None,
    "default_all_public_streams": False,
}
HOOK = "http://hooks.example.com/echo"


def make(person, short_name="tide", **about):
    """Create a bot and return it as the API does."""
    params = {"full_name": f"{short_name.capitalize()} Bot", "short_name": short_name} | about
    return person.post("/bots", **params).succeeds()


def at_work(person, made, short_name="tide"):
    """The bot itself, with its key."""
    email = f"{short_name}-bot@tertulia.invalid"
    return person.with_headers(Authorization=basic(email, made["api_key"]))


def looked_after(person):
    found = person.registers(fetch_event_types=["realm_bot"])["realm_bots"]
    return {each.pop("user_id"): each for each in found}


def test_a_new_bot_is_announced_to_all_and_its_details_to_its_managers(chat, ana, ben):
    cleo = chat.person("cleo", role="admin")
    queue = {person: person.listens_for() for person in (ana, ben, cleo)}

    made = make(ana)

    number, key, picture = made["user_id"], made["api_key"], made["avatar_url"]
    expected = {"user_id": number, "api_key": key, "avatar_url": picture, **NO_DEFAULTS}
    assert made == expected | {"result": "success", "msg": ""}
    received = {person: each.all() for person, each in queue.items()}
    names = [(each["type"], each["op"]) for each in received[ben]]
    assert names == [("realm_user", "add"), *[("user_group", "add_members")] * 2]
    person = received[ben][0]["person"]
    assert (person["full_name"], person["email"]) == ("Tide Bot", "tide-bot@tertulia.invalid")
    assert (person["bot_type"], person["bot_owner_id"], person["role"]) == (1, ana.id, 400)
    bot = {"user_id": number, **NO_DEFAULTS, "services": []}
    expected_value = [{"type": "realm_bot", "op": "add", "bot": bot}]
    assert received[ana] == received[cleo] == received[ben] + expected_value
    assert looked_after(ana) == looked_after(cleo) == {number: {**NO_DEFAULTS, "services": []}}
    assert looked_after(ben) == {}
    assert at_work(ana, made).get("/users/me").succeeds()["user_id"] == number


def test_an_outgoing_webhook_has_a_service_and_its_token_is_in_no_log(chat, ana):
    queue = ana.listens_for("realm_bot")

    made = make(ana, bot_type=3, payload_url=f'"{HOOK}"', interface_type=1)
    quiet = make(ana, "quiet", bot_type=3)

    (service,) = queue.next()["bot"]["services"]
    assert (service["base_url"], service["interface"]) == (HOOK, 1)
    assert len(service["token"]) == 32
    assert looked_after(ana)[made["user_id"]]["services"] == [service]
    (unset,) = queue.next()["bot"]["services"]
    assert unset["base_url"] == ""
    assert looked_after(ana)[quiet["user_id"]]["services"] == [unset]
    entries = chat.read(storage.log.after, chat.realm.id, 0, 10_000)
    assert not any(service["token"] in entry.payload for entry in entries)


def test_invalid_bots_are_refused(chat):
    ana, head = chat.person("ana", channels=["kitchen"]), chat.head
    chat.person("eve", channels=["garden"]).patch(
        f"/streams/{chat.channel('garden').id}", is_private=True
    ).succeeds()
    make(ana)
    before = head()
    refused: list[tuple[dict[str, Any], str]] = [
        ({"full_name": "Tide Bot"}, "Name is already in use."),
        ({"full_name": "Ana"}, "Name is already in use."),
        ({"full_name": ""}, "Name must not be empty!"),
        ({"full_name": "b" * 101}, "Name too long!"),
        ({"full_name": "b*t"}, "Invalid characters in name!"),
        ({"full_name": "bot|12"}, "Invalid format!"),
        ({"short_name": "tide"}, "Email is already in use."),
        ({"short_name": "TIDE"}, "Email is already in use."),
        ({"short_name": ""}, "Bad name or username"),
        ({"short_name": "a b@c"}, "Bad name or username"),
        ({"short_name": "s" * 61}, "Bad name or username"),
        ({"bot_type": 9}, "Invalid bot type"),
        ({"bot_type": 0}, "Invalid bot type"),
        ({"bot_type": "x"}, "bot_type is not valid JSON"),
        ({"bot_type": 4}, "Invalid embedded bot name."),
        ({"bot_type": 3, "interface_type": 7}, "Invalid interface type"),
        *(
            ({"bot_type": 3, "payload_url": f'"{url}"'}, PROBLEM)
            for url in ("not an address", "ftp://x.example", "http://", "http://x:99999", "")
        ),
        ({"default_sending_stream": "nowhere"}, "Invalid channel name 'nowhere'"),
        ({"default_events_register_stream": "garden"}, "Invalid channel name 'garden'"),
        ({"default_all_public_streams": "maybe"}, "default_all_public_streams is not valid JSON"),
        ({"config_data": {"a": 1}}, 'config_data["a"] is not a string'),
        ({"config_data": {"a" * 1001: ""}}, "Invalid configuration data!"),
        (
            {"config_data": {str(number): "" for number in range(101)}},
            "config_data is too long (limit: 100 items)",
        ),
    ]

    for about, problem in refused:
        params = {"full_name": "Other Bot", "short_name": "other"} | about
        ana.post("/bots", **params).fails(problem)
    ana.post("/bots", full_name="Other Bot").fails("Missing 'short_name' argument")
    ana.post("/bots", short_name="other").fails("Missing 'full_name' argument")

    assert head() == before
    make(ana, "other")


PROBLEM = "Invalid payload_url: Value error, Not a URL"


def test_the_name_of_a_deactivated_bot_is_free(ana):
    made = make(ana)

    ana.delete(f"/bots/{made['user_id']}").succeeds()

    make(ana, "ebb", full_name="Tide Bot")


def test_the_number_of_bots_is_limited(chat, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_BOTS", 2)
    ana, ben = chat.people("ana", "ben")
    first, foreign = make(ana), make(ben, "foreign")
    ana.delete(f"/bots/{first['user_id']}").succeeds()
    make(ana, "second")

    too_many = "Too many bots (limit: 2)"
    ana.post("/bots", full_name="Third", short_name="third").fails(too_many)
    ben.patch(f"/bots/{foreign['user_id']}", bot_owner_id=ana.id).fails(too_many)


def test_who_may_create_bots(chat):
    people = create_people(chat)

    def makes(who, bot_type):
        name = f"{who}-{next(numbers)}"
        response = people[who].post("/bots", full_name=name, short_name=name, bot_type=bot_type)
        return response.json["msg"] or "yes"

    numbers = iter(range(100))
    kinds = ("owner", "admin", "mod", "full", "new", "guest", "bot", "gone", "far")
    refused = {
        "guest": "Not allowed for guest users",
        "bot": "This endpoint does not accept bot requests.",
        "gone": "Account is deactivated",
    }

    assert {who: makes(who, 1) for who in kinds} == dict.fromkeys(kinds, "yes") | refused

    chat.permit("can_create_bots_group", "moderators")
    chat.permit("can_create_write_only_bots_group", "fullmembers")
    no = "Insufficient permission"
    assert {who: makes(who, 2) for who in kinds} == dict.fromkeys(kinds, "yes") | refused | {
        "new": no
    }
    for kind in (1, 3):
        assert {who: makes(who, kind) for who in kinds} == dict.fromkeys(kinds, "yes") | refused | {
            "new": no,
            "full": no,
        }

    chat.permit("can_create_write_only_bots_group", "nobody")
    assert makes("mod", 2) == "yes"
    assert makes("full", 2) == no


def test_users_see_their_own_bots_and_keys(chat):
    ana, ben = chat.person("ana", channels=["kitchen"]), chat.person("ben")
    first = make(ana, default_sending_stream="Kitchen", default_all_public_streams=True)
    gone = make(ana, "gone")
    make(ben, "foreign")
    ana.delete(f"/bots/{gone['user_id']}").succeeds()

    (listed,) = ana.get("/bots").succeeds()["bots"]

    defaults = NO_DEFAULTS | {
        "default_sending_stream": "kitchen",
        "default_all_public_streams": True,
    }
    assert listed == {
        "username": "tide-bot@tertulia.invalid",
        "full_name": "Tide Bot",
        "api_key": first["api_key"],
        "avatar_url": first["avatar_url"],
        **defaults,
    }
    assert {name: first[name] for name in defaults} == defaults
    guest = chat.person("guest", role="guest")
    guest.get("/bots").fails("Not allowed for guest users")


def test_changes_of_a_bot_are_reported_to_its_managers(chat):
    ana, ben = chat.person("ana", channels=["kitchen", "hall"]), chat.person("ben")
    cleo = chat.person("cleo", role="admin")
    number = make(ana, bot_type=3)["user_id"]
    (service,) = looked_after(ana)[number]["services"]
    queue = {person: person.listens_for() for person in (ana, ben, cleo)}

    changed = ana.patch(
        f"/bots/{number}",
        full_name="Ebb Bot",
        default_sending_stream="kitchen",
        default_events_register_stream="hall",
        default_all_public_streams=True,
        service_payload_url=HOOK,
        service_interface=2,
        config_data={"depth": "12"},
    ).succeeds()

    assert {name: changed[name] for name in changed.keys() - {"result", "msg", "avatar_url"}} == {
        "full_name": "Ebb Bot",
        "service_interface": 2,
        "service_payload_url": HOOK,
        "config_data": {"depth": "12"},
        "default_sending_stream": "kitchen",
        "default_events_register_stream": "hall",
        "default_all_public_streams": True,
        "bot_owner": ana.api_email,
    }
    renamed = {"user_id": number, "full_name": "Ebb Bot"}
    expected = [{"type": "realm_user", "op": "update", "person": renamed}]
    assert queue[ben].all() == expected
    expected += [
        {"type": "realm_bot", "op": "update", "bot": {"user_id": number, name: value}}
        for name, value in {
            "default_sending_stream": "kitchen",
            "default_events_register_stream": "hall",
            "default_all_public_streams": True,
            "services": [service | {"base_url": HOOK, "interface": 2}],
        }.items()
    ]
    assert queue[ana].all() == queue[cleo].all() == expected

    same = ana.patch(f"/bots/{number}", full_name="Ebb Bot", service_payload_url=HOOK).succeeds()
    assert same == changed == ana.patch(f"/bots/{number}").succeeds()
    assert queue[ana].silent()

    cleared = ana.patch(f"/bots/{number}", default_sending_stream="").succeeds()
    assert cleared["default_sending_stream"] is None
    assert queue[ana].next()["bot"] == {"user_id": number, "default_sending_stream": None}


def test_invalid_changes_are_refused(chat, ana, ben):
    ended, helper = chat.person("ended"), chat.person("helper", bot="generic")
    chat.write(actions.people.users.deactivate, ended.id)
    number, other = make(ana)["user_id"], make(ben, "other")["user_id"]
    before = looked_after(ana), chat.head()
    refused: list[tuple[dict[str, Any], str]] = [
        ({"full_name": "Other Bot"}, "Name is already in use."),
        ({"full_name": " "}, "Name must not be empty!"),
        ({"default_sending_stream": "nowhere"}, "Invalid channel name 'nowhere'"),
        ({"bot_owner_id": 987_654}, "Failed to change owner, no such user"),
        ({"bot_owner_id": helper.id}, "Failed to change owner, bots can't own other bots"),
        ({"bot_owner_id": ended.id}, "Failed to change owner, user is deactivated"),
        ({"service_interface": 3}, "Invalid interface type"),
        (
            {"service_payload_url": "nowhere"},
            "Invalid service_payload_url: Value error, Not a URL",
        ),
        ({"service_payload_url": HOOK}, "Only outgoing webhook bots are called at an address."),
        ({"full_name": "Ebb Bot", "bot_owner_id": 0}, "Failed to change owner, no such user"),
    ]

    for change, problem in refused:
        ana.patch(f"/bots/{number}", **change).fails(problem)

    assert (looked_after(ana), chat.head()) == before
    ana.patch(f"/bots/{number}", service_interface=2).succeeds()
    assert looked_after(ben).keys() == {other}


def test_administrators_assign_roles(chat):
    ana, adam = chat.person("ana"), chat.person("adam", role="admin")
    number = make(ana)["user_id"]
    queue = adam.listens_for("realm_user", "user_group")

    adam.patch(f"/bots/{number}", role=600).succeeds()

    person = {"user_id": number, "role": 600}
    assert queue.next() == {"type": "realm_user", "op": "update", "person": person}
    moved = [(each["op"], each["group_id"]) for each in queue.all()]
    assert moved == [
        ("remove_members", chat.group("members")),
        ("add_members", chat.group("everyone")),
        ("remove_members", chat.group("fullmembers")),
    ]
    refused = {"code": "UNAUTHORIZED_PRINCIPAL"}
    unknown = "Invalid role: Value error, Not in the list of possible values"
    adam.patch(f"/bots/{number}", role=55).fails(unknown)
    adam.patch(f"/bots/{number}", role=100).fails("Must be an organization owner", **refused)
    ana.patch(f"/bots/{number}", role=200).fails("Must be an organization administrator", **refused)


def test_a_new_administrator_receives_all_bots(chat):
    olga = chat.person("olga", role="owner")
    ana, ben = chat.people("ana", "ben")
    own, foreign = make(ben, "own"), make(ana, bot_type=3, payload_url=HOOK)
    before = looked_after(ben)
    queue = ben.listens_for("realm_bot")

    olga.patch(f"/users/{ben.id}", role=200).succeeds()

    (received,) = queue.all()
    number = received["bot"].pop("user_id")
    assert (received["op"], number) == ("add", foreign["user_id"])
    assert looked_after(ben) == before | {number: received["bot"]}

    olga.patch(f"/users/{ben.id}", role=400).succeeds()

    assert queue.all() == [{"type": "realm_bot", "op": "delete", "bot": {"user_id": number}}]
    assert looked_after(ben) == before
    assert before.keys() == {own["user_id"]}


def test_bots_are_deactivated_with_their_owner(chat):
    olga, ana = chat.person("olga", role="owner"), chat.person("ana")
    bot = at_work(ana, make(ana))

    olga.delete(f"/users/{ana.id}").succeeds()

    bot.get("/users/me").fails("Account is deactivated", status=401, code="UNAUTHORIZED")


def test_a_bot_can_change_owner(chat, ana, ben):
    cleo = chat.person("cleo", role="admin")
    number = make(ana)["user_id"]
    queue = {person: person.listens_for() for person in (ana, ben, cleo)}

    changed = ana.patch(f"/bots/{number}", bot_owner_id=ben.id).succeeds()

    assert changed["bot_owner"] == ben.api_email
    person = {"user_id": number, "bot_owner_id": ben.id}
    expected = [{"type": "realm_user", "op": "update", "person": person}]
    gone = {"type": "realm_bot", "op": "delete", "bot": {"user_id": number}}
    bot = {"user_id": number, **NO_DEFAULTS, "services": []}
    assert queue[cleo].all() == expected
    assert queue[ana].all() == [*expected, gone]
    assert queue[ben].all() == [*expected, {"type": "realm_bot", "op": "add", "bot": bot}]
    ana.patch(f"/bots/{number}", full_name="Mine").fails("Insufficient permission")

    cleo.patch(f"/bots/{number}", bot_owner_id=cleo.id).succeeds()
    assert [each["type"] for each in queue[cleo].all()] == ["realm_user"]


def test_who_may_manage_a_bot(chat, ana, ben):
    number = make(ana)["user_id"]
    calls = {
        "PATCH": f"/bots/{number}",
        "GET": f"/bots/{number}/api_key",
        "POST": f"/bots/{number}/api_key/regenerate",
        "DELETE": f"/bots/{number}",
    }
    refused = {
        "Insufficient permission": [ben, chat.person("mo", role="moderator")],
        "Not allowed for guest users": [chat.person("guest", role="guest")],
        "This endpoint does not accept bot requests.": [chat.person("bot", bot="generic")],
        "No such bot": [Chat.found(chat.server).person("far", role="owner")],
    }

    for problem, people in refused.items():
        for person in people:
            for method, path in calls.items():
                person.request(method, path).fails(problem)
    for person in (ana, chat.person("ad", role="admin"), chat.person("ow", role="owner")):
        for method, path in calls.items():
            person.request(method, path).succeeds()
    notifier = chat.read(actions.people.users.get_by_email, "notification-bot@tertulia.invalid").id
    for unknown in (ben.id, 987_654, notifier):
        for method, path in calls.items():
            ana.request(method, path.replace(str(number), str(unknown))).fails("No such bot")


def test_an_owners_bot_cannot_be_managed_by_administrators(chat):
    """Its key would give owner rights to whom it can be read by."""
    olga, adam = chat.person("olga", role="owner"), chat.person("adam", role="admin")
    bot = chat.person("crown", role="owner", bot="generic", owner=olga)

    for method, path in (("GET", "/api_key"), ("POST", "/api_key/regenerate"), ("PATCH", "")):
        adam.request(method, f"/bots/{bot.id}{path}").fails("Insufficient permission")
        olga.request(method, f"/bots/{bot.id}{path}").succeeds()


def test_a_new_key_ends_the_old_one_and_its_queues(ana):
    made = make(ana)
    number, bot = made["user_id"], at_work(ana, made)
    queue = bot.post("/register").succeeds()["queue_id"]
    assert ana.get(f"/bots/{number}/api_key").succeeds()["api_key"] == made["api_key"]

    fresh = ana.post(f"/bots/{number}/api_key/regenerate").succeeds()

    assert fresh["api_key"] != made["api_key"]
    bot.get("/users/me").fails("Invalid API key", status=401, code="UNAUTHORIZED")
    again = at_work(ana, fresh)
    assert again.get("/users/me").succeeds()["user_id"] == number
    again.get("/events", queue_id=queue, last_event_id=-1).fails(
        f"Bad event queue ID: {queue}", code="BAD_EVENT_QUEUE_ID"
    )
    assert ana.get(f"/bots/{number}/api_key").succeeds()["api_key"] == fresh["api_key"]


def test_a_deactivated_bot_stays_so(ana, ben):
    made = make(ana)
    number, bot = made["user_id"], at_work(ana, made)
    queue = {person: person.listens_for() for person in (ana, ben)}

    ana.delete(f"/bots/{number}").succeeds()
    ana.delete(f"/bots/{number}").succeeds()

    person = {"user_id": number, "is_active": False}
    expected = [{"type": "realm_user", "op": "update", "person": person}]
    assert queue[ana].all() == queue[ben].all() == expected
    bot.get("/users/me").fails("Account is deactivated", status=401, code="UNAUTHORIZED")
    assert looked_after(ana).keys() == {number}


def test_an_incoming_webhook_can_only_send(in_kitchen, ana):
    bot = at_work(ana, make(ana, bot_type=2, default_sending_stream="kitchen"))
    params = {"type": "channel", "topic": "tide", "content": "high"}

    bot.post("/messages", **params).succeeds()

    refused = "This API is not available to incoming webhook bots."
    for method, path in (
        ("GET", "/users/me"),
        ("POST", "/register"),
        ("GET", "/messages"),
        ("PUT", "/bot_storage"),
    ):
        bot.request(method, path).fails(refused, status=401, code="UNAUTHORIZED")


def test_a_bot_uses_its_default_channels(chat):
    ana = chat.person("ana", channels=["kitchen", "hall"])
    number = make(ana)["user_id"]
    bot = at_work(ana, {"api_key": ana.get(f"/bots/{number}/api_key").succeeds()["api_key"]})
    params = {"type": "channel", "topic": "tide", "content": "high"}

    def received(**asked):
        queue = bot.post("/register", event_types=["message"], **asked).succeeds()["queue_id"]
        for location in ("kitchen", "hall"):
            ana.says(location, to=f"{location} > tide")
        polled = bot.get("/events", queue_id=queue, last_event_id=-1, dont_block=True).succeeds()
        return [each["message"]["content"] for each in polled["events"]]

    bot.post("/messages", **params).fails("Missing channel")
    assert received() == []

    ana.patch(f"/bots/{number}", default_sending_stream="hall").succeeds()
    response = bot.post("/messages", **params).succeeds()
    assert "hall" in response["message_link"]

    ana.patch(f"/bots/{number}", default_all_public_streams=True).succeeds()
    assert received() == ["kitchen", "hall"]
    assert received(all_public_streams=False) == []

    ana.patch(f"/bots/{number}", default_events_register_stream="hall").succeeds()
    assert received() == received(narrow=[]) == ["hall"]
    assert received(narrow=[["channel", "kitchen"]]) == ["kitchen"]


def test_a_renamed_default_channel_is_reported(chat):
    """To the managers of the bot, unless they may not see the channel any more."""
    adam = chat.person("adam", role="admin", channels=["kitchen"])
    ana = chat.person("ana", channels=["kitchen"])
    kitchen = chat.channel("kitchen").id
    number = make(ana, default_sending_stream="kitchen")["user_id"]
    queue = {person: person.listens_for("realm_bot") for person in (ana, adam)}

    def known_to(person):
        return looked_after(person)[number]["default_sending_stream"]

    adam.patch(f"/streams/{kitchen}", new_name="galley").succeeds()

    for person in (ana, adam):
        bot = {"user_id": number, "default_sending_stream": "galley"}
        assert queue[person].all() == [{"type": "realm_bot", "op": "update", "bot": bot}]
        assert known_to(person) == "galley"

    adam.patch(f"/streams/{kitchen}", is_private=True).succeeds()
    adam.leaves("galley", principals=[ana.id])
    adam.patch(f"/streams/{kitchen}", new_name="secret").succeeds()
    assert (known_to(ana), known_to(adam)) == (None, "secret")


def test_bots_created_by_the_command_line_are_announced(chat, ana):
    queue = ana.listens_for("realm_bot")

    bot = chat.person("helper", bot="generic", owner=ana)

    assert queue.next()["bot"]["user_id"] == bot.id
    assert looked_after(ana).keys() == {bot.id}
