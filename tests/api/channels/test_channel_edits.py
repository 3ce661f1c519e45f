"""PATCH and DELETE /streams/{id}: changes of a channel, and who receives their events."""

from typing import Any

import pytest
from tests.support.people import Chat

from tertulia import actions

MODERN = {"notification_settings_null": True, "archived_channels": True}


def kitchen_of(chat: Chat) -> int:
    return chat.channel("kitchen").id


@pytest.fixture
def kitchen(chat, in_kitchen, ana):
    """The id of a channel that Ana created; users after it in the arguments are subscribed."""
    return kitchen_of(chat)


@pytest.fixture
def path(kitchen):
    return f"/streams/{kitchen}"


def update(channel_id: int, name: str, property: str, value: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "stream",
        "op": "update",
        "stream_id": channel_id,
        "name": name,
        "property": property,
        "value": value,
        **more,
    }


def test_a_rename_reports_the_old_and_the_new_name(chat, kitchen, ana, ben):
    queue = ben.listens_for("stream")

    ana.patch(f"/streams/{kitchen}", new_name=" Cookery ").succeeds()

    assert queue.next() == update(kitchen, "kitchen", "name", "Cookery")
    assert chat.channel("cookery").id == kitchen


def test_a_rename_may_change_only_the_case(chat):
    ana = chat.person("ana", channels=["kitchen", "garden"])
    path = f"/streams/{kitchen_of(chat)}"

    ana.patch(path, new_name="Kitchen").succeeds()

    ana.patch(path, new_name="Kitchen").fails("Channel already has that name.")
    response = ana.patch(path, new_name="GARDEN").fails(
        "Channel 'GARDEN' already exists", code="CHANNEL_ALREADY_EXISTS", status=409
    )
    assert response["channel_name"] == "GARDEN"
    ana.patch(path, new_name="x" * 61).fails("Channel name too long (limit: 60 characters).")
    ana.patch(path, new_name=" ").fails("Channel name can't be empty.")


def test_a_description_is_one_line_and_reported_even_if_unchanged(kitchen, ana):
    queue = ana.listens_for("stream")

    for _ in range(2):
        ana.patch(f"/streams/{kitchen}", description="one\ntwo").succeeds()

    text = update(
        kitchen, "kitchen", "description", "one two", rendered_description="<p>one two</p>"
    )
    assert queue.all() == [text, text]
    ana.patch(f"/streams/{kitchen}", description="d" * 1025).fails(
        "description is too long (limit: 1024 characters)"
    )


def test_an_empty_change_succeeds_without_events(kitchen, ana):
    queue = ana.listens_for()

    ana.patch(f"/streams/{kitchen}").succeeds()

    assert queue.silent()


def test_a_change_that_fails_in_part_changes_nothing(chat, kitchen, ana):
    queue = ana.listens_for()

    ana.patch(
        f"/streams/{kitchen}", description="not kept", can_send_message_group={"new": 99_999_999}
    ).fails("Invalid user group")

    assert queue.silent()
    assert chat.channel("kitchen").description == ""


def test_parts_are_reported_in_order(chat, kitchen, ana):
    queue = ana.listens_for("stream")

    ana.patch(
        f"/streams/{kitchen}",
        new_name="turret",
        description="high",
        can_remove_subscribers_group={"new": chat.group("members")},
    ).succeeds()

    received = [(event["property"], event["name"]) for event in queue.all()]
    assert received == [
        ("description", "kitchen"),
        ("name", "kitchen"),
        ("can_remove_subscribers_group", "turret"),
    ]


# --- privacy --------------------------------------------------------------------------------------


def privacy(channel_id: int, private: bool, shared: bool, web_public: bool = False):
    return update(
        channel_id,
        "kitchen",
        "invite_only",
        private,
        history_public_to_subscribers=shared,
        is_web_public=web_public,
    )


def test_making_a_channel_private_hides_it_from_others(chat, kitchen, ana, ben):
    cleo, admin = chat.person("cleo"), chat.person("admin", role="admin")
    insiders = [who.listens_for("stream", "subscription") for who in (ben, admin)]
    outside = cleo.listens_for("stream", "subscription")

    ana.patch(f"/streams/{kitchen}", is_private=True).succeeds()

    for queue in insiders:
        assert queue.all() == [privacy(kitchen, True, False)]
    assert outside.all() == [
        {
            "type": "stream",
            "op": "delete",
            "streams": [{"stream_id": kitchen}],
            "stream_ids": [kitchen],
        }
    ]


def test_making_a_channel_public_shows_it_with_its_subscribers(chat, kitchen, ana, ben):
    cleo = chat.person("cleo")
    ana.patch(f"/streams/{kitchen}", is_private=True).succeeds()
    bens, cleos = ben.listens_for("stream"), cleo.listens_for("stream", "subscription")

    ana.patch(f"/streams/{kitchen}", is_private=False).succeeds()

    assert bens.all() == [privacy(kitchen, False, True)]
    created, peers = cleos.all()
    assert created["streams"][0]["subscriber_count"] == 2
    assert (peers["op"], peers["user_ids"]) == ("peer_add", [ana.id, ben.id])


def test_a_guest_who_is_not_subscribed_receives_nothing(gus, path, ana):
    queue = gus.listens_for()

    ana.patch(path, is_private=True).succeeds()
    ana.patch(path, is_private=False).succeeds()

    assert queue.silent()


def test_a_private_history_can_be_shared_and_protected_again(kitchen, ana):
    queue = ana.listens_for("stream")

    ana.patch(f"/streams/{kitchen}", is_private=True).succeeds()
    ana.patch(f"/streams/{kitchen}", history_public_to_subscribers=True).succeeds()
    ana.patch(f"/streams/{kitchen}", history_public_to_subscribers=False).succeeds()

    assert queue.all() == [
        privacy(kitchen, True, False),
        privacy(kitchen, True, True),
        privacy(kitchen, True, False),
    ]


@pytest.mark.parametrize(
    "change, msg",
    [
        ({"history_public_to_subscribers": False}, "Invalid parameters"),
        ({"is_private": False, "history_public_to_subscribers": False}, "Invalid parameters"),
        ({"is_private": True, "is_web_public": True}, "Invalid parameters"),
        ({"is_web_public": True}, "Web-public channels are not enabled."),
        (
            {"is_private": True, "is_default_stream": True},
            "A default channel cannot be private.",
        ),
    ],
)
def test_impossible_privacy_changes_are_refused(chat, change, msg):
    ana = chat.person("ana", role="owner", channels=["kitchen"])

    ana.patch(f"/streams/{kitchen_of(chat)}", **change).fails(msg)


def test_a_default_channel_stays_public(chat):
    ana = chat.person("ana", role="admin", channels=["kitchen"])
    path = f"/streams/{kitchen_of(chat)}"
    ana.patch(path, is_default_stream=True).succeeds()

    ana.patch(path, is_private=True).fails("A default channel cannot be private.")

    ana.patch(path, is_private=True, is_default_stream=False).succeeds()
    assert chat.channel("kitchen").invite_only


def test_limited_topics_and_a_protected_history_do_not_go_together(chat, path, ana):
    expected = (
        "Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group"
    )
    limited = {"new": chat.group("moderators")}
    ana.patch(path, can_create_topic_group=limited).succeeds()

    ana.patch(path, is_private=True).fails(expected)

    ana.patch(path, is_private=True, history_public_to_subscribers=True).succeeds()


def test_pending_messages_of_a_channel_made_private_are_withdrawn(cleo, path, ana):
    queue = cleo.listens_for("message", "stream", all_public_streams=True)
    ana.says("Between us", to="kitchen > secrets")

    ana.patch(path, is_private=True).succeeds()

    assert [event["type"] for event in queue.all() if event["type"] == "message"] == []


# --- permissions ----------------------------------------------------------------------------------


def test_the_posting_permission_is_reported_in_three_forms(chat, kitchen, ana):
    kitchen, group = kitchen, chat.group("administrators")
    queue = ana.listens_for("stream")

    ana.patch(f"/streams/{kitchen}", can_send_message_group={"new": group}).succeeds()
    value = {"direct_members": [], "direct_subgroups": [chat.group("members")]}
    ana.patch(f"/streams/{kitchen}", can_send_message_group={"new": value}).succeeds()
    ana.patch(
        f"/streams/{kitchen}", can_send_message_group={"new": chat.group("everyone")}
    ).succeeds()

    assert queue.all() == [
        update(kitchen, "kitchen", "can_send_message_group", group),
        update(kitchen, "kitchen", "stream_post_policy", 2),
        update(kitchen, "kitchen", "is_announcement_only", True),
        update(kitchen, "kitchen", "can_send_message_group", chat.group("members")),
        update(kitchen, "kitchen", "stream_post_policy", 1),
        update(kitchen, "kitchen", "is_announcement_only", False),
        update(kitchen, "kitchen", "can_send_message_group", chat.group("everyone")),
    ]


def test_the_old_value_must_match(chat, path, ana):
    members, everyone = chat.group("members"), chat.group("everyone")
    queue = ana.listens_for("stream")

    response = ana.patch(path, can_send_message_group={"new": everyone, "old": members}).fails(
        "'old' value does not match the expected value.", code="EXPECTATION_MISMATCH"
    )
    ana.patch(path, can_send_message_group={"new": everyone}).succeeds()
    wrapped = {"direct_members": [], "direct_subgroups": [everyone]}
    ana.patch(path, can_send_message_group={"new": everyone, "old": wrapped}).succeeds()

    assert response["field_name"] == "old"
    assert queue.silent()


@pytest.mark.parametrize(
    "value, msg",
    [
        (1, "can_send_message_group does not have the expected format"),
        ([1], "can_send_message_group does not have the expected format"),
        ({"old": 1}, 'can_send_message_group["new"] field is missing: Field required'),
        ({"new": 99_999_999}, "Invalid user group"),
        (
            {"new": {"direct_members": [], "direct_subgroups": [99_999_999]}},
            "Invalid user group",
        ),
        (
            {"new": {"direct_members": [99_999_999], "direct_subgroups": []}},
            "Invalid user ID: 99999999",
        ),
    ],
)
def test_invalid_permission_values_are_refused(kitchen, ana, value, msg):
    ana.patch(f"/streams/{kitchen}", can_send_message_group=value).fails(msg)


def test_some_groups_are_never_allowed(chat, path, ana):
    ana.patch(path, can_send_message_group={"new": chat.group("internet")}).fails(
        "'can_send_message_group' setting cannot be set to 'role:internet' group."
    )
    ana.patch(path, can_administer_channel_group={"new": chat.group("everyone")}).fails(
        "'can_administer_channel_group' setting cannot be set to 'role:everyone' group."
    )


def test_a_permission_can_open_a_private_channel_to_a_user(chat):
    ana = chat.person("ana")
    ben, cleo = chat.people("ben", "cleo")
    ana.joins("kitchen", invite_only=True)
    kitchen = kitchen_of(chat)
    bens, cleos = ben.listens_for("stream", "subscription"), cleo.listens_for()
    value = {"direct_members": [ben.id], "direct_subgroups": []}

    ana.patch(f"/streams/{kitchen}", can_administer_channel_group={"new": value}).succeeds()

    created, peers = bens.all()
    assert (created["op"], peers["user_ids"]) == ("create", [ana.id])
    assert cleos.silent()
    ben.patch(f"/streams/{kitchen}", description="kept by Ben").succeeds()
    ben.patch(f"/streams/{kitchen}", can_subscribe_group={"new": value}).fails(
        "Channel content access is required."
    )
    ana.patch(f"/streams/{kitchen}", description="no longer Ana's").fails(
        "You do not have permission to administer this channel."
    )


def test_only_some_may_change_who_deletes_messages(chat, kitchen, ana):
    ana.patch(
        f"/streams/{kitchen}",
        can_delete_own_message_group={"new": chat.group("everyone")},
    ).fails("Insufficient permission")


def test_deactivated_users_are_left_out_of_permissions(chat, kitchen, ana, ben):
    value = {"direct_members": [ana.id, ben.id], "direct_subgroups": []}
    ana.patch(f"/streams/{kitchen}", can_administer_channel_group={"new": value}).succeeds()

    chat.write(actions.people.users.deactivate, ben.id)

    shown = ana.get(f"/streams/{kitchen}").succeeds()["stream"]
    assert shown["can_administer_channel_group"]["direct_members"] == [ana.id]
    assert shown["subscriber_count"] == 1


# --- other settings -------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["allow_empty_topic", "disable_empty_topic", "empty_topic_only"])
def test_each_topics_policy_takes_effect(kitchen, ana, policy):
    queue = ana.listens_for("stream")

    ana.patch(f"/streams/{kitchen}", topics_policy=policy).succeeds()

    assert queue.next() == update(kitchen, "kitchen", "topics_policy", policy)
    empty = ana.tries_to_say("Hello", "kitchen > ")
    named = ana.tries_to_say("Hello", "kitchen > lunch")
    assert (empty.status == 200) is (policy != "disable_empty_topic")
    assert (named.status == 200) is (policy != "empty_topic_only")


def test_an_empty_topic_only_policy_requires_a_channel_without_topics(chat, path, ana):
    ana.says("Soup", to="kitchen > lunch")

    response = ana.patch(path, topics_policy="empty_topic_only").fails(
        "To enable this configuration, all messages in this channel must be in the general chat"
        " topic. Consider renaming or deleting other topics."
    )

    assert response["empty_topic_display_name"] == "general chat"
    ana.patch(path, topics_policy='"allow_empty_topic"').succeeds()
    ana.patch(path, topics_policy="inherit").succeeds()
    ana.patch(path, topics_policy="never").fails("Invalid topics_policy")
    chat.permit("can_set_topics_policy_group", "nobody")
    ana.patch(path, topics_policy="inherit").fails("Insufficient permission")


@pytest.mark.parametrize(
    "value, stored",
    [(7, 7), ("unlimited", -1), ('"unlimited"', -1), ("realm_default", None)],
)
def test_owners_set_the_retention(chat, value, stored):
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    path = f"/streams/{kitchen_of(chat)}"
    ana.patch(path, message_retention_days=30).succeeds()
    queue = ana.listens_for("stream")

    ana.patch(path, message_retention_days=value).succeeds()

    assert queue.next()["value"] == stored
    assert ana.get(path).succeeds()["stream"]["message_retention_days"] == stored


def test_others_cannot_set_the_retention(chat):
    ana = chat.person("ana", role="admin", channels=["kitchen"])
    path = f"/streams/{kitchen_of(chat)}"

    ana.patch(path, message_retention_days=7).fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )
    ana.patch(path, message_retention_days="soon").fails(
        "Bad value for 'message_retention_days': soon"
    )


def test_a_channel_moves_into_a_folder_and_out_again(chat):
    ana = chat.person("ana", role="admin", channels=["kitchen"])
    kitchen = kitchen_of(chat)
    folder = ana.post("/channel_folders/create", name="House", description="").succeeds()
    queue = ana.listens_for("stream")

    ana.patch(f"/streams/{kitchen}", folder_id=folder["channel_folder_id"]).succeeds()
    ana.patch(f"/streams/{kitchen}", folder_id="null").succeeds()

    assert queue.all() == [
        update(kitchen, "kitchen", "folder_id", folder["channel_folder_id"]),
        update(kitchen, "kitchen", "folder_id", None),
    ]
    ana.patch(f"/streams/{kitchen}", folder_id=99_999_999).fails("Invalid channel folder ID")


def test_push_notifications_can_become_the_default(kitchen, ana):
    queue = ana.listens_for("stream")

    for _ in range(2):
        ana.patch(f"/streams/{kitchen}", default_push_notifications=True).succeeds()

    assert queue.all() == [update(kitchen, "kitchen", "default_push_notifications", True)]


# --- archiving ------------------------------------------------------------------------------------


def test_archiving_is_an_update_for_new_clients_and_a_deletion_for_old_ones(kitchen, ana, ben):
    modern = ben.listens_for("stream", client_capabilities=MODERN)
    legacy = ben.listens_for("stream", "subscription")

    ana.delete(f"/streams/{kitchen}").succeeds()
    ana.patch(f"/streams/{kitchen}", is_archived=False).succeeds()

    assert modern.all() == [
        update(kitchen, "kitchen", "is_archived", True),
        update(kitchen, "kitchen", "is_archived", False),
    ]
    gone, back = legacy.all()
    assert (gone["op"], gone["stream_ids"]) == ("delete", [kitchen])
    assert (back["op"], back["streams"][0]["subscriber_count"]) == ("create", 2)


def test_an_archived_channel_is_read_only(kitchen, ana):
    soup = ana.says("Soup", to="kitchen > lunch")

    ana.delete(f"/streams/{kitchen}").succeeds()

    ana.delete(f"/streams/{kitchen}").fails("Channel is already deactivated")
    ana.tries_to_say("More", "kitchen > lunch").fails("Not authorized to send to channel 'kitchen'")
    ana.get("/get_stream_id", stream="kitchen").fails("Invalid channel name 'kitchen'")
    assert ana.sees(soup)["content"] == "<p>Soup</p>"
    assert ana.get(f"/streams/{kitchen}").succeeds()["stream"]["is_archived"] is True
    assert ana.get(f"/users/me/{kitchen}/topics").succeeds()["topics"] != []
    ana.patch(f"/streams/{kitchen}", description="still here").succeeds()


def test_archiving_marks_all_messages_read_for_all(chat):
    chat.set("send_channel_events_messages", True)
    ana, ben, cleo, dan = chat.people("ana", "ben", "cleo", "dan", channels=["kitchen", "hall"])
    path = f"/streams/{kitchen_of(chat)}"
    soup, bread = (ana.says(food, to="kitchen > lunch") for food in ("Soup", "Bread"))
    light = ana.says("Lights off", to="hall > night")
    cleo.post("/messages/flags", messages=[bread.id], op="add", flag="read").succeeds()
    queue, before = ben.listens_for("message", "update_message_flags"), chat.read(stored_bitmaps)

    ana.delete(path).succeeds()

    assert chat.read(stored_bitmaps) == before
    (notice,) = queue.all()
    assert notice["flags"] == ["read"]
    for person in (ben, cleo):
        assert "read" in person.sees(soup)["flags"]
        assert not_read(person) == [light.id]
    receipts = ana.get(f"/messages/{soup.id}/read_receipts").succeeds()["user_ids"]
    assert sorted(receipts) == [ben.id, cleo.id, dan.id]

    ben.post("/messages/flags", messages=[soup.id], op="remove", flag="read").succeeds()
    assert not_read(ben) == [soup.id, light.id]
    receipts = ana.get(f"/messages/{soup.id}/read_receipts").succeeds()["user_ids"]
    assert sorted(receipts) == [cleo.id, dan.id]

    ana.patch(path, is_archived=False).succeeds()
    dinner = ana.says("Dinner", to="kitchen > lunch")
    assert not_read(cleo)[0] == light.id
    assert not_read(cleo)[-1] == dinner.id
    assert not_read(ben)[:2] == [soup.id, light.id]
    for moved, location in ((soup, "hall"), (light, "kitchen")):
        ana.patch(f"/messages/{moved.id}", stream_id=chat.channel(location).id).succeeds()
    assert not_read(dan) == not_read(cleo)


def not_read(person):
    """Unread ids, from register and from the messages, which must agree."""
    state = person.registers(fetch_event_types=["message", "update_message_flags"])["unread_msgs"]
    ids = sorted(each for location in state["streams"] for each in location["unread_message_ids"])
    found = person.get("/messages", anchor="first_unread", num_before=10, num_after=10).succeeds()
    assert [each["id"] for each in found["messages"] if "read" not in each["flags"]] == ids
    assert found["anchor"] == ids[0]
    narrow = [{"operator": "is", "operand": "unread"}]
    found = person.get("/messages", anchor="newest", num_before=10, narrow=narrow).succeeds()
    assert [each["id"] for each in found["messages"]] == ids
    return ids


def stored_bitmaps(tx):
    """The stored position of each user's bitmap: archiving must not write any."""
    rows = tx.all("SELECT user_id, bitmap FROM unread WHERE realm_id = :realm", realm=tx.realm_id)
    return {(row["user_id"], bytes(row["bitmap"])) for row in rows}


def test_unarchiving_an_active_channel_is_refused(path, ana):
    ana.patch(path, is_archived=True).succeeds()

    ana.patch(path, is_archived=False).fails("Channel is not currently deactivated")


def test_an_archived_channel_is_not_a_default_channel(chat):
    ana = chat.person("ana", role="admin", channels=["kitchen"])
    kitchen = kitchen_of(chat)
    ana.post("/default_streams", stream_id=kitchen).succeeds()
    queue = ana.listens_for("default_streams")

    ana.delete(f"/streams/{kitchen}").succeeds()

    assert kitchen not in queue.next()["default_streams"]


def test_the_first_message_id_is_reported_to_users_who_are_not_subscribed(chat):
    ana, ben = chat.people("ana", "ben")
    ana.joins("kitchen")
    queue, anas = ben.listens_for("stream"), ana.listens_for("stream")

    first = ana.says("Soup", to="kitchen > lunch")
    ana.says("More", to="kitchen > lunch")

    kitchen = kitchen_of(chat)
    assert queue.all() == [update(kitchen, "kitchen", "first_message_id", first.id)]
    assert anas.silent()
    assert ben.get(f"/streams/{kitchen}").succeeds()["stream"]["first_message_id"] == first.id
