"""User status."""

import pytest

from tertulia import actions

SUNFLOWER = {
    "emoji_name": "sunflower",
    "emoji_code": "1f33b",
    "reaction_type": "unicode_emoji",
}
CLEARED = {"emoji_name": "", "emoji_code": "", "reaction_type": "unicode_emoji"}


def status_of(person, viewer):
    return viewer.get(f"/users/{person.id}/status").succeeds()["status"]


def registered_status(person, viewer):
    state = viewer.registers(fetch_event_types=["user_status"])["user_status"]
    return state.get(str(person.id), {})


@pytest.mark.parametrize(
    "params, event_fields, shown",
    [
        ({"status_text": " resting "}, {"status_text": "resting"}, {"status_text": "resting"}),
        ({"status_text": ""}, {"status_text": ""}, {}),
        ({"emoji_name": "sunflower"}, SUNFLOWER, SUNFLOWER),
        (SUNFLOWER, SUNFLOWER, SUNFLOWER),
        ({"emoji_name": "sunflower", "emoji_code": "1f33b"}, SUNFLOWER, SUNFLOWER),
        ({"emoji_name": "sunflower", "reaction_type": "unicode_emoji"}, SUNFLOWER, SUNFLOWER),
        ({"emoji_name": ""}, CLEARED, {}),
        ({"away": True}, {"away": True}, {"away": True}),
        ({"away": False}, {"away": False}, {}),
    ],
)
def test_all_users_receive_the_changed_parts_only(ana, ben, params, event_fields, shown):
    queue = ben.listens_for("user_status")

    ana.post("/users/me/status", **params).succeeds()

    assert queue.all() == [{"type": "user_status", "user_id": ana.id, **event_fields}]
    assert status_of(ana, ben) == shown
    assert registered_status(ana, ben) == shown


@pytest.mark.parametrize("type_", [None, "service_extra_emoji", "zulip_extra_emoji"])
def test_the_special_emoji_under_both_its_types(ana, ben, type_):
    code = None if type_ is None else "zulip"

    ana.post(
        "/users/me/status", emoji_name="zulip", emoji_code=code, reaction_type=type_
    ).succeeds()

    assert status_of(ana, ben) == {
        "emoji_name": "zulip",
        "emoji_code": "zulip",
        "reaction_type": "service_extra_emoji",
    }


@pytest.mark.parametrize(
    "agent, type_",
    [
        ("ZulipFlutter/30.0.262 (Android 14)", "zulip_extra_emoji"),
        ("ZulipPython/0.9.0", "zulip_extra_emoji"),
        ("zulip-js/2.1.0", "zulip_extra_emoji"),
        ("curl/8.0", "service_extra_emoji"),
    ],
)
def test_zulips_clients_get_zulips_name_of_the_special_emoji(in_kitchen, ana, ben, agent, type_):
    ben = ben.with_headers(User_Agent=agent)
    queue = ben.listens_for("user_status", "reaction")
    soup = ana.says("Soup's on", to="kitchen > lunch")

    ana.post("/users/me/status", emoji_name="zulip", status_text="service_extra_emoji").succeeds()
    ana.post(f"/messages/{soup.id}/reactions", emoji_name="zulip").succeeds()

    status = {"emoji_name": "zulip", "emoji_code": "zulip", "reaction_type": type_}
    assert [each["reaction_type"] for each in queue.all()] == [type_, type_]
    assert status_of(ana, ben) == {"status_text": "service_extra_emoji", **status}
    assert registered_status(ana, ben) == {"status_text": "service_extra_emoji", **status}
    assert ben.sees(soup)["reactions"][0]["reaction_type"] == type_


def test_omitted_parts_stay(ana, ben):
    ana.post("/users/me/status", status_text="gardening", emoji_name="sunflower").succeeds()
    ana.post("/users/me/status", status_text="digging").succeeds()

    assert status_of(ana, ben) == {"status_text": "digging", **SUNFLOWER}

    ana.post("/users/me/status", emoji_name="").succeeds()

    assert status_of(ana, ben) == {"status_text": "digging"}


def test_an_unchanged_status_is_reported_again(ana, ben):
    ana.post("/users/me/status", status_text="resting")
    queue = ben.listens_for("user_status")

    ana.post("/users/me/status", status_text="resting").succeeds()

    assert queue.next()["status_text"] == "resting"


def test_away_is_the_inverse_of_showing_presence(ana, ben):
    mine, others = ana.listens_for(), ben.listens_for()

    ana.post("/users/me/status", status_text="x", away=True).succeeds()

    assert mine.all() == [
        {"type": "user_settings", "op": "update", "property": "presence_enabled", "value": False},
        {"type": "user_status", "user_id": ana.id, "away": True, "status_text": "x"},
    ]
    assert [event["type"] for event in others.all()] == ["user_status"]

    ana.patch("/settings", presence_enabled=True).succeeds()

    assert others.all() == [{"type": "user_status", "user_id": ana.id, "away": False}]
    assert status_of(ana, ben) == {"status_text": "x"}


@pytest.mark.parametrize(
    "params, problem",
    [
        ({}, "Client did not pass any new values."),
        ({"emoji_code": "1f528"}, "Client did not pass any new values."),
        ({"reaction_type": "unicode_emoji"}, "Client did not pass any new values."),
        (
            {"status_text": "x", "emoji_code": "1f528"},
            "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
        ),
        (
            {"away": True, "reaction_type": "realm_emoji"},
            "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
        ),
        ({"status_text": "s" * 61}, "status_text is too long (limit: 60 characters)"),
        ({"status_text": "a\0"}, "status_text must not contain null bytes"),
        ({"emoji_name": "no_such_thing"}, "Emoji 'no_such_thing' does not exist"),
        ({"emoji_name": "hammer", "emoji_code": "1f42c"}, "Invalid emoji name."),
        ({"emoji_name": "hammer", "emoji_code": "zzz"}, "Invalid emoji code."),
        ({"emoji_name": "no_such_thing", "reaction_type": "unicode_emoji"}, "Invalid emoji code."),
        (
            {"emoji_name": "tick", "emoji_code": "999", "reaction_type": "realm_emoji"},
            "Invalid custom emoji.",
        ),
        (
            {"emoji_name": "zulip", "emoji_code": "x", "reaction_type": "zulip_extra_emoji"},
            "Invalid emoji code.",
        ),
        (
            {"emoji_name": "x", "emoji_code": "zulip", "reaction_type": "zulip_extra_emoji"},
            "Invalid emoji name.",
        ),
        (
            {"emoji_name": "hammer", "emoji_code": "1f528", "reaction_type": "sticker"},
            "Invalid emoji type.",
        ),
        ({"away": "yes"}, "away is not valid JSON"),
    ],
)
def test_invalid_statuses_are_refused(ana, ben, params, problem):
    queue = ben.listens_for()

    ana.post("/users/me/status", **params).fails(problem)

    assert queue.silent()
    assert status_of(ana, ben) == {}


def test_a_text_of_sixty_characters_is_accepted(ana):
    ana.post("/users/me/status", status_text=f" {'😀' * 60} ").succeeds()


def test_an_invalid_part_changes_nothing(ana, ben):
    ana.post("/users/me/status", status_text="x", away=True, emoji_name="no_such").fails(
        "Emoji 'no_such' does not exist"
    )

    assert status_of(ana, ben) == {}


TOMORROW = 4_000_000_000  # far enough


def test_a_status_has_an_end(ana, ben):
    queue = ben.listens_for("user_status")

    ana.post("/users/me/status", status_text="lunch", ends_at=TOMORROW).succeeds()

    event = {"type": "user_status", "user_id": ana.id, "status_text": "lunch", "ends_at": TOMORROW}
    assert queue.all() == [event]
    assert status_of(ana, ben) == {"status_text": "lunch", "ends_at": TOMORROW}
    assert registered_status(ana, ben) == {"status_text": "lunch", "ends_at": TOMORROW}
    ana.post("/users/me/status", ends_at=TOMORROW + 60).succeeds()
    assert queue.next()["ends_at"] == TOMORROW + 60
    ana.post("/users/me/status", away=True).succeeds()
    assert status_of(ana, ben)["ends_at"] == TOMORROW + 60


@pytest.mark.parametrize(
    "params", [{"ends_at": 0}, {"status_text": "digging"}, {"emoji_name": "sunflower"}]
)
def test_a_new_status_without_an_end_has_none(ana, ben, params):
    ana.post("/users/me/status", status_text="lunch", ends_at=TOMORROW).succeeds()
    queue = ben.listens_for("user_status")

    ana.post("/users/me/status", **params).succeeds()

    assert queue.next()["ends_at"] is None
    assert "ends_at" not in status_of(ana, ben)


def test_no_status_has_no_end(ana, ben):
    ana.post("/users/me/status", ends_at=TOMORROW).succeeds()
    ana.post("/users/me/status", status_text="", ends_at=TOMORROW).succeeds()

    assert status_of(ana, ben) == {}


@pytest.mark.parametrize("end", [1, -1, 10**13, "soon"])
def test_an_end_that_is_not_in_the_future_is_refused(ana, ben, end):
    queue = ben.listens_for()

    assert ana.post("/users/me/status", status_text="x", ends_at=end).status == 400

    assert queue.silent()
    assert status_of(ana, ben) == {}


def test_administrators_set_the_end_of_others(chat, ana, ben):
    boss = chat.person("boss", role="admin")

    boss.post(f"/users/{ana.id}/status", status_text="on leave", ends_at=TOMORROW).succeeds()

    assert status_of(ana, ben) == {"status_text": "on leave", "ends_at": TOMORROW}


def test_guests_have_a_status_and_bots_do_not(chat, ana):
    guest = chat.person("gus", role="guest")
    bot = chat.person("bot", bot="generic", owner=ana)

    guest.post("/users/me/status", status_text="visiting").succeeds()
    bot.post("/users/me/status", status_text="beep").fails(
        "This endpoint does not accept bot requests."
    )

    for user_id in (bot.id, 987_654):
        ana.get(f"/users/{user_id}/status").fails("No such user")


def test_administrators_set_the_status_of_others(chat, ana, ben):
    boss = chat.person("boss", role="admin")
    queue = ben.listens_for("user_status")

    boss.post(f"/users/{ana.id}/status", status_text="on leave", emoji_name="palm_tree").succeeds()

    assert queue.next()["user_id"] == ana.id
    assert status_of(ana, ben)["status_text"] == "on leave"
    ignored = boss.post(f"/users/{ana.id}/status", status_text="x", away=True).succeeds()
    assert ignored["ignored_parameters_unsupported"] == ["away"]
    assert "away" not in status_of(ana, ben)


def test_other_roles_cannot_set_the_status_of_others(chat, ana, ben):
    boss = chat.person("boss", role="admin")
    bot = chat.person("bot", bot="generic", owner=ana)

    for user_id in (ana.id, 987_654):
        ben.post(f"/users/{user_id}/status", status_text="x").fails("Insufficient permission")
    for user_id in (bot.id, 987_654):
        boss.post(f"/users/{user_id}/status", status_text="x").fails("No such user")


def test_a_deactivated_user_has_no_status(chat, ana, ben):
    ana.post("/users/me/status", status_text="bye").succeeds()
    chat.write(actions.people.users.deactivate, ana.id)

    ben.get(f"/users/{ana.id}/status").fails("User is deactivated")
    assert registered_status(ana, ben) == {}
