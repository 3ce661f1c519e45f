"""Custom profile fields: definitions and values."""

from typing import Any

import pytest

from tertulia import domain

FIELDS = "/realm/profile_fields"
MINE = "/users/me/profile_data"
DECKS = {"0": {"text": "Upper", "order": "1"}, "1": {"text": "Lower", "order": "2"}}


def fields_of(person):
    return person.get(FIELDS).succeeds()["custom_fields"]


def asks(person, name, kind=1, **more):
    """Create a field and return its id."""
    return person.post(FIELDS, name=name, field_type=kind, **more).succeeds()["id"]


def fills_in(person, *pairs):
    return person.patch(MINE, data=[{"id": number, "value": value} for number, value in pairs])


def profile_of(viewer, person):
    shown = viewer.get(f"/users/{person.id}", include_custom_profile_fields=True).succeeds()
    return shown["user"]["profile_data"]


def field_events(person, *values):
    return [
        {
            "type": "realm_user",
            "op": "update",
            "person": {"user_id": person.id, "custom_profile_field": value},
        }
        for value in values
    ]


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="admin")


def test_fields_are_announced_to_all(ana, ben, gus):
    queue = gus.listens_for("custom_profile_fields")

    boat = asks(ana, "Boat", hint="your boat")
    deck = asks(ana, "Deck", 3, field_data=DECKS, display_in_profile_summary=True)
    host = asks(ana, "", 7, field_data={"subtype": "github"}, use_for_user_matching=True)
    badge = asks(ana, "Badge", required=True, editable_by_user=False)

    usual = {"hint": "", "field_data": "", "required": False, "editable_by_user": True}
    expected = [
        {**usual, "id": boat, "name": "Boat", "type": 1, "hint": "your boat", "order": boat},
        {
            **usual,
            "id": deck,
            "name": "Deck",
            "type": 3,
            "field_data": '{"0":{"text":"Upper","order":"1"},"1":{"text":"Lower","order":"2"}}',
            "order": deck,
            "display_in_profile_summary": True,
        },
        {
            **usual,
            "id": host,
            "name": "GitHub username",
            "type": 7,
            "field_data": '{"subtype":"github"}',
            "order": host,
            "use_for_user_matching": True,
        },
        {
            **usual,
            "id": badge,
            "name": "Badge",
            "type": 1,
            "order": badge,
            "required": True,
            "editable_by_user": False,
        },
    ]
    assert fields_of(ben) == expected
    assert queue.all() == [
        {"type": "custom_profile_fields", "fields": expected[:count]} for count in (1, 2, 3, 4)
    ]
    state = gus.registers(fetch_event_types=["custom_profile_fields", "realm"])
    assert state["custom_profile_fields"] == expected
    assert state["custom_profile_field_types"]["PRONOUNS"] == {"id": 8, "name": "Pronouns"}
    assert state["realm_default_external_accounts"]["github"] == {
        "text": "GitHub",
        "url_pattern": "https://github.com/%(username)s",
        "name": "GitHub username",
        "hint": "",
    }


def test_fields_are_changed_in_part_ordered_and_deleted(ana, ben):
    boat, crew = asks(ana, "Boat", hint="which?"), asks(ana, "Crew", 6)
    fills_in(ben, (boat, "Gull"), (crew, [ana.id])).succeeds()
    queue = ben.listens_for("custom_profile_fields", "realm_user")

    ana.patch(f"{FIELDS}/{boat}", name="Vessel").succeeds()
    ana.patch(f"{FIELDS}/{boat}", name="Vessel", hint="which?").succeeds()
    ana.patch(f"{FIELDS}/{boat}").succeeds()
    ana.patch(FIELDS, order=[crew, boat]).succeeds()

    shown = [(each["name"], each["hint"], each["order"]) for each in fields_of(ben)]
    assert shown == [("Crew", "", 0), ("Vessel", "which?", 1)]
    assert [event["type"] for event in queue.all()] == ["custom_profile_fields"] * 2

    ana.delete(f"{FIELDS}/{boat}").succeeds()

    (left,) = queue.next()["fields"]
    assert left["id"] == crew
    assert queue.silent()
    assert profile_of(ana, ben).keys() == {str(crew)}
    ana.delete(f"{FIELDS}/{boat}").fails(f"Field id {boat} not found.")


def test_every_type_of_field_takes_values(ana, ben, gus):
    custom = {"subtype": "custom", "url_pattern": "https://code.example.com/%(username)s"}
    kinds: dict[int, dict[str, Any]] = {3: {"field_data": DECKS}, 7: {"field_data": custom}}
    ids = {kind: asks(ana, f"Field {kind}", kind, **kinds.get(kind, {})) for kind in range(1, 9)}
    given = {
        1: "*Gull*",
        2: "I am:\n* tall",
        3: "1",
        4: "2001-04-05",
        5: "https://ben.example.com/a?b#c",
        6: [ana.id, gus.id],
        7: "benny",
        8: "he/him",
    }
    queue = gus.listens_for("realm_user")

    fills_in(ben, *((ids[kind], value) for kind, value in given.items())).succeeds()

    texts = given | {6: f"[{ana.id},{gus.id}]"}
    html = {1: "<p><em>Gull</em></p>", 2: "<p>I am:</p>\n<ul>\n<li>tall</li>\n</ul>"}
    shown = {
        str(ids[kind]): {"value": text} | ({"rendered_value": html[kind]} if kind in html else {})
        for kind, text in texts.items()
    }
    assert profile_of(gus, ben) == shown
    assert ben.get("/users/me").succeeds()["profile_data"] == shown
    members = ana.get("/users", include_custom_profile_fields=True).succeeds()["members"]
    assert {each["user_id"]: each["profile_data"] for each in members}[ben.id] == shown
    people = gus.registers(fetch_event_types=["realm_user"])["realm_users"]
    assert {each["user_id"]: each["profile_data"] for each in people}[ben.id] == shown
    assert queue.all() == field_events(ben, *({"id": int(n)} | value for n, value in shown.items()))
    assert "profile_data" not in ana.get(f"/users/{ben.id}").succeeds()["user"]


def test_only_changes_are_reported_including_removals(ana, ben):
    boat, story = asks(ana, "Boat"), asks(ana, "Story", 2)
    fills_in(ben, (boat, "Gull"), (story, "long")).succeeds()
    queue = ana.listens_for("realm_user")

    fills_in(ben, (boat, "Gull"), (story, "")).succeeds()
    ben.delete(MINE, data=[boat]).succeeds()
    ben.delete(MINE, data=[boat]).succeeds()
    fills_in(ben, (story, None)).succeeds()

    assert queue.all() == field_events(
        ben,
        {"id": story, "value": "", "rendered_value": ""},
        {"id": boat, "value": None},
        {"id": story, "value": None},
    )
    assert profile_of(ana, ben) == {}


def test_a_removed_choice_clears_the_value(ana, ben, gus):
    deck = asks(ana, "Deck", 3, field_data=DECKS)
    fills_in(ben, (deck, "0")).succeeds()
    fills_in(gus, (deck, "1")).succeeds()
    queue = ana.listens_for("realm_user", "custom_profile_fields")

    fewer = {"1": {"text": "Below", "order": "1"}, "2": {"text": "Mast", "order": "2"}}
    ana.patch(f"{FIELDS}/{deck}", field_data=fewer).succeeds()

    assert queue.next()["fields"][0]["field_data"].startswith('{"1":{"text":"Below"')
    assert queue.all() == field_events(ben, {"id": deck, "value": None})
    assert (profile_of(ana, ben), profile_of(ana, gus)) == ({}, {str(deck): {"value": "1"}})


def test_invalid_fields_are_refused(ana, ben, monkeypatch):
    boat, other = asks(ana, "Boat"), asks(ana, "Other")
    asks(ana, "S1", display_in_profile_summary=True)
    third = asks(ana, "S2", 2, display_in_profile_summary=True)
    before, refused = fields_of(ana), "Must be an organization administrator"
    unknown_place = {"field_data": {"subtype": "nowhere"}}
    no_pattern = {"field_data": {"subtype": "custom"}}
    bad_pattern = {"field_data": {"subtype": "custom", "url_pattern": "https://x.example/me"}}
    many = {str(n): {"text": f"t{n}", "order": "1"} for n in range(101)}
    twins = {"0": {"text": "a", "order": "1"}, "1": {"text": "a", "order": "2"}}

    refusals: list[tuple[int | None, dict[str, Any], str]] = [
        (1, {"name": "Boat"}, "A field with that label already exists."),
        (1, {"name": " "}, "Label cannot be blank."),
        (1, {"name": "n" * 41}, "name is too long (limit: 40 characters)"),
        (1, {"hint": "h" * 81}, "hint is too long (limit: 80 characters)"),
        (99, {}, "Invalid field type."),
        (None, {}, "Missing 'field_type' argument"),
        (3, {}, "Field must have at least one choice."),
        (3, {"field_data": {}}, "Field must have at least one choice."),
        (3, {"field_data": many}, "Field must have at most 100 choices."),
        (3, {"field_data": twins}, "Field must not have two choices of the same text."),
        (3, {"field_data": {"0": "x"}}, 'field_data["0"] is not a dict'),
        (3, {"field_data": {"0": {}}}, 'field_data["0"]["text"] is not a string'),
        (3, {"field_data": {"": {}}}, "field_data has a choice with an invalid key"),
        (
            3,
            {"field_data": {"0": {"text": " ", "order": "1"}}},
            'field_data["0"]["text"] cannot be blank',
        ),
        (3, {"field_data": []}, "field_data is not a dict"),
        (7, {}, "Invalid external account type"),
        (7, unknown_place, "Invalid external account type"),
        (7, {"field_data": {"subtype": ["github"]}}, "Invalid external account type"),
        (7, no_pattern, "A custom external account needs a URL pattern"),
        (7, bad_pattern, "A URL pattern must be a URL with %(username)s in it"),
        (
            1,
            {"display_in_profile_summary": True},
            "Only 2 custom profile fields can be displayed in the profile summary.",
        ),
    ]
    for kind, params, msg in refusals:
        ana.post(FIELDS, **{"name": "New", "field_type": kind} | params).fails(msg)
    changes: list[tuple[str, dict[str, Any], str]] = [
        (f"{FIELDS}/{other}", {"name": "Boat"}, "A field with that label already exists."),
        (f"{FIELDS}/{other}", {"name": ""}, "Label cannot be blank."),
        (f"{FIELDS}/{third + 99}", {"name": "x"}, f"Field id {third + 99} not found."),
        (FIELDS, {"order": [boat]}, "Invalid order mapping."),
        (FIELDS, {"order": [field["id"] for field in before] + [boat]}, "Invalid order mapping."),
    ]
    for path, params, msg in changes:
        ana.patch(path, **params).fails(msg)
    for method, path in [("POST", FIELDS), ("PATCH", FIELDS), ("DELETE", f"{FIELDS}/{boat}")]:
        ben.request(method, path).fails(refused, code="UNAUTHORIZED_PRINCIPAL")

    assert fields_of(ana) == before
    monkeypatch.setattr(domain.limits, "MAX_PROFILE_FIELDS", len(before))
    ana.post(FIELDS, name="Last", field_type=1).fails("Too many custom profile fields (limit: 4)")


def test_invalid_values_change_nothing(ana, ben):
    boat, story, deck = (
        asks(ana, "Boat"),
        asks(ana, "Story", 2),
        asks(ana, "Deck", 3, field_data=DECKS),
    )
    day, page, crew = asks(ana, "Day", 4), asks(ana, "Page", 5), asks(ana, "Crew", 6)
    badge = asks(ana, "Badge", editable_by_user=False)
    bot = ana.chat.person("robot", bot="generic", owner=ana)
    forbidden = "You are not allowed to change this field. Contact an administrator to update it."

    for field, value, msg in [
        (boat, "x" * 51, "Boat is too long (limit: 50 characters)"),
        (boat, [1], "Boat is not a string"),
        (boat, "a\0b", "Boat must not contain null bytes"),
        (story, "x" * 501, "Story is too long (limit: 500 characters)"),
        (deck, "9", "'9' is not a valid choice for 'Deck'."),
        (day, "soon", "Day is not a date"),
        (day, "2026-02-30", "Day is not a date"),
        (day, "20260203", "Day is not a date"),
        (page, "not a link", "Page is not a URL"),
        (page, "javascript:alert(1)", "Page is not a URL"),
        (page, "https://[", "Page is not a URL"),
        (page, "https://x.example/" + "x" * 2000, "Page is too long (limit: 2000 characters)"),
        (crew, "ana", "Crew is not a list"),
        (crew, ["ana"], "Crew[0] is not an integer"),
        (crew, [987_654, ana.id, bot.id], f"Invalid user IDs: 987654, {bot.id}"),
        (crew, [2**70], f"Invalid user IDs: {2**70}"),
        (crew, [ana.id] * 101, "Crew is too long (limit: 100 items)"),
        (badge, "7", forbidden),
        (badge, None, forbidden),
        (987_654, "x", "Field id 987654 not found."),
    ]:
        fills_in(ben, (boat, "Gull"), (field, value)).fails(msg)
    ben.patch(MINE, data={"id": boat}).fails("data is not a list")
    ben.patch(MINE).fails("Missing 'data' argument")
    ben.delete(MINE, data=[boat, 987_654]).fails("Field id 987654 not found.")
    bot.patch(MINE, data=[]).fails("This endpoint does not accept bot requests.")

    assert profile_of(ana, ben) == {}
    fills_in(ana, (badge, "1")).succeeds()  # administrators may edit everything
    assert profile_of(ben, ana)[str(badge)]["value"] == "1"


def test_administrators_set_values_of_others(ana, ben):
    badge, boat = asks(ana, "Badge", editable_by_user=False), asks(ana, "Boat")
    bot = ana.chat.person("robot", bot="generic", owner=ana)
    values = [{"id": badge, "value": "*7*"}, {"id": boat, "value": "Tern"}]
    queue = ben.listens_for("realm_user")

    ana.patch(f"/users/{ben.id}", profile_data=values).succeeds()
    ana.patch(f"/users/{ben.api_email}", profile_data=[{"id": boat, "value": None}]).succeeds()

    assert queue.all() == field_events(
        ben,
        {"id": badge, "value": "*7*", "rendered_value": "<p><em>7</em></p>"},
        {"id": boat, "value": "Tern", "rendered_value": "<p>Tern</p>"},
        {"id": boat, "value": None},
    )
    assert profile_of(ben, ben).keys() == {str(badge)}
    unknown = [{"id": boat, "value": "Gull"}, {"id": 987_654, "value": "x"}]
    for person, data, msg in [
        (ben, unknown, "Field id 987654 not found."),
        (bot, values, "Bots have no custom profile fields."),
    ]:
        renamed = {"full_name": "Renamed", "profile_data": data}
        ana.patch(f"/users/{person.id}", **renamed).fails(msg)
        assert person.record.full_name == person.name
    ben.patch(f"/users/{ana.id}", profile_data=values).fails("Insufficient permission")
