"""A user's own settings of a subscription: colour, mute, pin, notifications."""

from typing import Any

import pytest


def update(channel_id: int, property: str, value: Any) -> dict[str, Any]:
    return {
        "type": "subscription",
        "op": "update",
        "stream_id": channel_id,
        "property": property,
        "value": value,
    }


@pytest.fixture
def kitchen(chat):
    chat.person("cook", channels=["kitchen", "garden"])
    return chat.channel("kitchen").id


@pytest.fixture
def ana(chat, kitchen):
    return chat.person("ana", channels=["kitchen", "garden"])


def choose(who, *entries):
    return who.post("/users/me/subscriptions/properties", subscription_data=list(entries))


def entry(channel_id: int, property: str, value: Any) -> dict[str, Any]:
    return {"stream_id": channel_id, "property": property, "value": value}


@pytest.mark.parametrize(
    "property, value",
    [
        ("pin_to_top", True),
        ("desktop_notifications", False),
        ("audible_notifications", True),
        ("push_notifications", True),
        ("email_notifications", False),
        ("wildcard_mentions_notify", False),
    ],
)
def test_a_setting_is_reported_to_its_owner_even_if_unchanged(ben, ana, kitchen, property, value):
    queue, others = ana.listens_for("subscription"), ben.listens_for()

    for _ in range(2):
        choose(ana, entry(kitchen, property, value)).succeeds()

    assert queue.all() == [update(kitchen, property, value)] * 2
    assert others.silent()
    mine = ana.get("/users/me/subscriptions").succeeds()["subscriptions"]
    (found,) = (each for each in mine if each["stream_id"] == kitchen)
    assert found[property] is value


@pytest.mark.parametrize("property, value", [("is_muted", True), ("in_home_view", False)])
def test_muting_sends_two_events_for_either_parameter(ana, kitchen, property, value):
    queue = ana.listens_for("subscription")

    choose(ana, entry(kitchen, property, value)).succeeds()

    assert queue.all() == [
        update(kitchen, "in_home_view", False),
        update(kitchen, "is_muted", True),
    ]


@pytest.mark.parametrize(
    "given, stored", [("#F5CE6E", "#f5ce6e"), ("#0af", "#00aaff"), ("#c6a8ad", "#c6a8ad")]
)
def test_colours_are_normalized(ana, kitchen, given, stored):
    queue = ana.listens_for("subscription")

    choose(ana, entry(kitchen, "color", given)).succeeds()
    ana.patch(f"/users/me/subscriptions/{kitchen}", property="color", value=given).succeeds()

    assert queue.all() == [update(kitchen, "color", stored)] * 2


@pytest.mark.parametrize(
    "property, value, msg",
    [
        (
            "color",
            "red",
            "Invalid subscription_data[0]: Value error, color is not a valid hex color code",
        ),
        (
            "color",
            True,
            "Invalid subscription_data[0]: Value error, color is not a valid hex color code",
        ),
        ("is_muted", "true", "is_muted is not a boolean"),
        ("pin_to_top", 1, 'subscription_data[0]["value"]["bool"] is not a boolean'),
        ("push_notifications", None, 'subscription_data[0]["value"]["bool"] is not a boolean'),
        ("volume", True, "Unknown subscription property: volume"),
    ],
)
def test_invalid_values_are_refused(ana, kitchen, property, value, msg):
    choose(ana, entry(kitchen, property, value)).fails(msg)


@pytest.mark.parametrize(
    "data, msg",
    [
        ("{}", "subscription_data is not a list"),
        ("pin", "subscription_data is not valid JSON"),
        (
            [{"property": "color", "value": "#76ce90"}],
            'subscription_data[0]["stream_id"] field is missing: Field required',
        ),
        (
            [{"stream_id": "46", "property": "color", "value": "#76ce90"}],
            'subscription_data[0]["stream_id"] is not an integer',
        ),
        (
            [{"stream_id": 46, "property": "color"}],
            'subscription_data[0]["value"] field is missing: Field required',
        ),
    ],
)
def test_invalid_lists_of_settings_are_refused(ana, data, msg):
    ana.post("/users/me/subscriptions/properties", subscription_data=data).fails(msg)


def test_several_settings_are_all_or_nothing(chat, ana, kitchen):
    garden = chat.channel("garden").id
    queue = ana.listens_for()

    choose(ana, entry(kitchen, "pin_to_top", True), entry(99_999_999, "pin_to_top", True)).fails(
        "Invalid channel ID"
    )
    assert queue.silent()
    choose(ana, entry(kitchen, "pin_to_top", True), entry(garden, "color", "#bfd56f")).succeeds()

    assert queue.all() == [
        update(kitchen, "pin_to_top", True),
        update(garden, "color", "#bfd56f"),
    ]
    choose(ana).succeeds()
    assert queue.silent()


def test_a_subscription_is_required(chat, ben, ana, kitchen):
    ana.joins("vault", invite_only=True)

    choose(ben, entry(kitchen, "pin_to_top", True)).fails(f"Not subscribed to channel ID {kitchen}")
    choose(ben, entry(chat.channel("vault").id, "pin_to_top", True)).fails("Invalid channel ID")


def test_archived_channels_keep_their_settings(chat, ana, kitchen):
    chat.person("admin", role="admin").delete(f"/streams/{kitchen}").succeeds()

    choose(ana, entry(kitchen, "pin_to_top", True)).fails("Invalid channel ID")


def test_a_single_setting_can_be_changed(ana, kitchen):
    path = f"/users/me/subscriptions/{kitchen}"
    queue = ana.listens_for("subscription")

    ana.patch(path, property="pin_to_top", value=True).succeeds()
    ana.patch(path, property="color", value='"#94C849"').succeeds()

    assert queue.all() == [update(kitchen, "pin_to_top", True), update(kitchen, "color", "#94c849")]
    ana.patch(path, property="volume", value=True).fails("Unknown subscription property: volume")
    ana.patch(path, property="pin_to_top").fails("Missing 'value' argument")
    ana.patch(path, value=True).fails("Missing 'property' argument")
    ana.patch(path, property="pin_to_top", value="x").fails("pin_to_top is not a boolean")
    ana.patch("/users/me/subscriptions/99999999", property="pin_to_top", value=True).fails(
        "Invalid channel ID"
    )


def test_older_clients_get_inherited_values(chat, kitchen):
    ana = chat.person(
        "ana", channels=["kitchen"], settings={"enable_stream_push_notifications": True}
    )

    old = ana.registers(fetch_event_types=["subscription"])["subscriptions"]
    new = ana.registers(
        fetch_event_types=["subscription"],
        client_capabilities={"notification_settings_null": True},
    )["subscriptions"]

    shown = [each["push_notifications"] for each in old + new if each["stream_id"] == kitchen]
    assert shown == [True, None]
