"""POST, PATCH, DELETE /users/me/subscriptions: answers, errors and events."""

from typing import Any

import pytest
from tests.support.people import Chat, Person

from tertulia import actions


def subscribe(who: Person, *names: str, **params: Any):
    wanted = [{"name": name} for name in names]
    return who.post("/users/me/subscriptions", subscriptions=wanted, **params)


def test_a_new_channel_is_reported_before_its_subscription(chat, ana, ben):
    anas, bens = (
        ana.listens_for("stream", "subscription"),
        ben.listens_for("stream", "subscription"),
    )

    response = subscribe(ana, "kitchen").succeeds()

    kitchen = chat.channel("kitchen").id
    assert response["subscribed"] == {str(ana.id): ["kitchen"]}
    assert response["already_subscribed"] == {}
    assert response["new_subscription_messages_sent"] is True
    assert "unauthorized" not in response
    created, added = anas.all()
    assert (created["op"], created["streams"][0]["subscriber_count"]) == ("create", 0)
    assert added["subscriptions"][0]["subscribers"] == [ana.id]
    assert added["subscriptions"][0]["subscriber_count"] == 0
    assert added["subscriptions"][0]["push_notifications"] is None
    _, peer = bens.all()
    assert peer == {
        "type": "subscription",
        "op": "peer_add",
        "stream_ids": [kitchen],
        "user_ids": [ana.id],
    }


def test_one_call_is_one_event_for_all_channels_with_the_same_users(chat, ana, ben, cleo):
    subscribe(ana, "kitchen", "garden").succeeds()
    queue, bens = cleo.listens_for("subscription"), ben.listens_for("subscription")

    subscribe(ana, "kitchen", "garden", principals=[ben.id]).succeeds()

    assert queue.next()["stream_ids"] == sorted(
        [chat.channel("kitchen").id, chat.channel("garden").id]
    )
    assert queue.silent()
    assert [each["name"] for each in bens.next()["subscriptions"]] == ["garden", "kitchen"]


def test_different_users_get_separate_events(ana, ben, cleo):
    subscribe(ana, "kitchen", "garden").succeeds()
    subscribe(ben, "kitchen").succeeds()
    queue = ana.listens_for("subscription")

    subscribe(ana, "kitchen", "garden", principals=[ben.id, cleo.id]).succeeds()

    assert [event["user_ids"] for event in queue.all()] == [[ben.id, cleo.id], [cleo.id]]


def test_names_match_regardless_of_case_and_are_stripped(ana, ben):
    subscribe(ana, "Kitchen").succeeds()

    response = subscribe(ben, "  KITCHEN ", "kitchen").succeeds()

    assert response["subscribed"] == {str(ben.id): ["Kitchen"]}


def test_subscription_settings_survive_unsubscribing(chat, in_kitchen, ana):
    kitchen = chat.channel("kitchen").id
    ana.patch(f"/users/me/subscriptions/{kitchen}", property="color", value="#0AF").succeeds()
    ana.leaves("kitchen")
    queue = ana.listens_for("subscription")

    ana.joins("kitchen")

    assert queue.next()["subscriptions"][0]["color"] == "#00aaff"


def test_a_colour_can_be_chosen_when_subscribing(ana):
    wanted = [{"name": "kitchen", "color": "#F00"}]
    queue = ana.listens_for("subscription")

    ana.post("/users/me/subscriptions", subscriptions=wanted).succeeds()

    assert queue.next()["subscriptions"][0]["color"] == "#ff0000"
    bad = ana.post("/users/me/subscriptions", subscriptions=[{"name": "x", "color": "red"}])
    bad.fails("Invalid subscriptions[0]: Value error, color is not a valid hex color code")


def test_new_subscriptions_get_distinct_colours(ana):
    ana.joins("kitchen", "garden", "cellar")

    found = ana.get("/users/me/subscriptions").succeeds()["subscriptions"]
    colors = [each["color"] for each in found]
    assert len(set(colors)) == len(colors)


def test_a_channel_can_turn_on_push_notifications_for_its_subscribers(ana, ben):
    queue = ben.listens_for("subscription")

    subscribe(ana, "alarms", default_push_notifications=True, principals=[ben.id]).succeeds()

    (added,) = queue.next()["subscriptions"]
    assert (added["default_push_notifications"], added["push_notifications"]) == (True, True)


def test_the_caller_is_not_subscribed_if_others_are_named(ana, ben):
    response = subscribe(ana, "kitchen", principals=[ben.id]).succeeds()

    assert response["subscribed"] == {str(ben.id): ["kitchen"]}


def test_users_can_be_named_by_a_visible_address(chat):
    ana, root = chat.person("ana"), chat.person("root", role="admin")
    ben = chat.person("ben", settings={"email_address_visibility": 3})

    subscribe(ana, "kitchen", principals=[ben.api_email.upper()]).succeeds()
    subscribe(root, "garden", principals=[ben.email]).succeeds()

    subscribe(ana, "cellar", principals=[ben.email]).fails("No such user")


@pytest.mark.parametrize("principal", [0, 99_999_999, "nobody@example.com"])
def test_unknown_users_fail_the_whole_call(ana, principal):
    subscribe(ana, "kitchen", principals=[principal]).fails("No such user")

    names = [each["name"] for each in ana.get("/streams").succeeds()["streams"]]
    assert "kitchen" not in names


def test_deactivated_users_fail_the_whole_call(chat, ana, ben):
    chat.write(actions.people.users.deactivate, ben.id)

    subscribe(ana, "kitchen", principals=[ana.id, ben.id]).fails("User is deactivated")


def test_a_private_channel_cannot_be_joined(ana, ben, admin):
    subscribe(ana, "vault", invite_only=True).succeeds()

    for outsider in (ben, admin):
        subscribe(outsider, "vault").fails("Unable to access channel (vault).")
        subscribe(outsider, "vault", principals=[ana.id]).fails("Unable to access channel (vault).")
    response = subscribe(ben, "vault", "kitchen", authorization_errors_fatal=False).succeeds()

    assert response["unauthorized"] == ["vault"]
    assert response["subscribed"] == {str(ben.id): ["kitchen"]}


def test_users_with_the_permission_to_join_or_add_may_join(chat):
    ana, ben, cleo, dan = chat.people("ana", "ben", "cleo", "dan")
    one = {"direct_members": [ben.id], "direct_subgroups": []}
    two = {"direct_members": [cleo.id], "direct_subgroups": []}
    subscribe(
        ana, "vault", invite_only=True, can_subscribe_group=one, can_add_subscribers_group=two
    ).succeeds()
    chat.permit("can_add_subscribers_group", "nobody")

    subscribe(cleo, "vault", principals=[dan.id]).succeeds()
    subscribe(ben, "vault").succeeds()

    subscribe(ben, "vault", principals=[cleo.id]).fails("Insufficient permission")


def test_own_bots_may_be_subscribed_like_oneself(chat, in_kitchen, ana):
    bot = chat.person("bot", bot="generic", owner=ana)
    chat.permit("can_add_subscribers_group", "nobody")

    subscribe(ana, "general", principals=[bot.id]).succeeds()
    response = ana.leaves("general", principals=[bot.id])

    assert response["removed"] == ["general"]


def test_a_private_channel_is_revealed_to_new_subscribers(ana, ben, cleo, admin):
    bens, cleos = ben.listens_for("stream", "subscription"), cleo.listens_for("stream")
    admins = admin.listens_for("stream", "subscription")

    subscribe(ana, "vault", invite_only=True, principals=[ana.id, ben.id]).succeeds()

    assert [(event["type"], event["op"]) for event in bens.all()] == [
        ("stream", "create"),
        ("subscription", "add"),
    ]
    assert [event["op"] for event in admins.all()] == ["create", "peer_add"]
    assert cleos.silent()


def test_unsubscribing_from_a_private_channel_hides_it(chat, ana, ben):
    subscribe(ana, "vault", invite_only=True, principals=[ana.id, ben.id]).succeeds()
    vault = chat.channel("vault").id
    bens, anas = ben.listens_for("stream", "subscription"), ana.listens_for("subscription")

    ben.leaves("vault")

    assert bens.all() == [
        {
            "type": "subscription",
            "op": "remove",
            "subscriptions": [{"name": "vault", "stream_id": vault}],
        },
        {
            "type": "stream",
            "op": "delete",
            "streams": [{"stream_id": vault}],
            "stream_ids": [vault],
        },
    ]
    assert anas.next() == {
        "type": "subscription",
        "op": "peer_remove",
        "stream_ids": [vault],
        "user_ids": [ben.id],
    }


def test_messages_of_an_unsubscribed_channel_are_read(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "garden"])
    ana.says("Soup", to="kitchen > lunch")
    rose = ana.says("Roses", to="garden > flowers")

    ben.leaves("kitchen")
    ben.joins("kitchen")

    unread = ben.registers(fetch_event_types=["message", "update_message_flags"])["unread_msgs"]
    assert [each["unread_message_ids"] for each in unread["streams"]] == [[rose.id]]


def test_the_answer_names_a_channel_once_per_removed_user(chat, in_kitchen, ana, ben):
    admin = chat.person("admin", role="admin")

    response = admin.leaves("kitchen", principals=[ana.id, ben.id, admin.id])

    assert response["removed"] == ["kitchen", "kitchen"]
    assert response["not_removed"] == ["kitchen"]
    admin.delete("/users/me/subscriptions", subscriptions=["nowhere", "kitchen", "nil"]).fails(
        "Channel(s) (nowhere, nil) do not exist"
    )
    assert admin.leaves()["removed"] == []


def test_only_some_may_remove_others(chat, in_kitchen, ana, ben, cleo):
    kitchen = chat.channel("kitchen").id
    refused = cleo.delete("/users/me/subscriptions", subscriptions=["kitchen"], principals=[ben.id])

    value = {"new": {"direct_members": [cleo.id], "direct_subgroups": []}}
    ana.patch(f"/streams/{kitchen}", can_remove_subscribers_group=value).succeeds()

    refused.fails("Insufficient permission")
    assert cleo.leaves("kitchen", principals=[ben.id])["removed"] == ["kitchen"]


def test_a_combined_edit_is_all_or_nothing(in_kitchen, ana):
    ana.patch("/users/me/subscriptions", add=[{"name": "attic"}], delete=["nowhere"]).fails(
        "Channel(s) (nowhere) do not exist"
    )
    response = ana.patch(
        "/users/me/subscriptions", add=[{"name": "garden"}], delete=["kitchen"]
    ).succeeds()

    assert response["subscribed"] == {str(ana.id): ["garden"]}
    assert response["removed"] == ["kitchen"]
    ana.get("/get_stream_id", stream="attic").fails("Invalid channel name 'attic'")
    empty: list[dict[str, list[str]]] = [{}, {"add": [], "delete": []}]
    for nothing in empty:
        ana.patch("/users/me/subscriptions", **nothing).fails(
            'Nothing to do. Specify at least one of "add" or "delete".'
        )


def test_guests_may_unsubscribe_but_not_subscribe(in_kitchen, gus):
    subscribe(gus, "kitchen").fails("Not allowed for guest users")
    gus.patch("/users/me/subscriptions", add=[{"name": "kitchen"}]).fails(
        "Not allowed for guest users"
    )

    assert gus.leaves("kitchen")["removed"] == ["kitchen"]


def test_subscriptions_of_an_archived_channel_cannot_change(chat, in_kitchen, ana, ben):
    ana.delete(f"/streams/{chat.channel('kitchen').id}").succeeds()
    cleo = chat.person("cleo")
    expected = "Subscriptions in an archived channel cannot be changed."

    subscribe(cleo, "kitchen").fails(expected)
    ben.delete("/users/me/subscriptions", subscriptions=["kitchen"]).fails(expected)


@pytest.mark.parametrize(
    "role, params, msg",
    [
        ("member", {"is_default_stream": True}, "Insufficient permission"),
        (
            "admin",
            {"is_default_stream": True, "invite_only": True},
            "A default channel cannot be private.",
        ),
        ("owner", {"is_web_public": True}, "Web-public channels are not enabled."),
        ("owner", {"is_web_public": True, "invite_only": True}, "Invalid parameters"),
        (
            "owner",
            {"message_retention_days": "soon"},
            "Bad value for 'message_retention_days': soon",
        ),
        ("owner", {"message_retention_days": 0}, "Bad value for 'message_retention_days': 0"),
        ("member", {"topics_policy": "never"}, "Invalid topics_policy"),
        ("member", {"folder_id": 12345678}, "Invalid channel folder ID"),
        ("member", {"can_send_message_group": 12345678}, "Invalid user group"),
        (
            "member",
            {"can_delete_any_message_group": {"direct_members": [], "direct_subgroups": []}},
            "Insufficient permission",
        ),
        ("member", {"announce": "yes"}, "announce is not valid JSON"),
    ],
)
def test_invalid_new_channels_are_refused(chat: Chat, role, params, msg):
    ana = chat.person("ana", role=role)

    subscribe(ana, "attic", **params).fails(msg)


def test_only_owners_set_the_retention_of_a_new_channel(admin):
    refused = subscribe(admin, "attic", message_retention_days=10)

    refused.fails("Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL")


@pytest.mark.parametrize(
    "name, msg",
    [
        ("  ", "Channel name can't be empty."),
        ("k" * 61, "Channel name too long (limit: 60 characters)."),
        ("ki\x07tchen", "Invalid character in channel name, at position 3."),
    ],
)
def test_invalid_names_are_refused(chat, name, msg):
    subscribe(chat.person("ana"), name).fails(msg)


def test_the_length_of_a_description_is_limited(chat):
    wanted = [{"name": "attic", "description": "d" * 1025}]

    reply = chat.person("ana").post("/users/me/subscriptions", subscriptions=wanted)

    reply.fails('subscriptions[0]["description"] is too long (limit: 1024 characters)')


@pytest.mark.parametrize("group, allowed", [("members", True), ("internet", False)])
def test_permissions_refuse_some_system_groups(chat, ana, group, allowed):
    reply = subscribe(ana, "attic", can_send_message_group=chat.group(group))

    if allowed:
        reply.succeeds()
    else:
        reply.fails("'can_send_message_group' setting cannot be set to 'role:internet' group.")
    subscribe(ana, "loft", can_add_subscribers_group=chat.group("everyone")).fails(
        "'can_add_subscribers_group' setting cannot be set to 'role:everyone' group."
    )


def test_a_protected_history_requires_that_everyone_may_start_topics(chat, ana):
    response = subscribe(
        ana, "vault", invite_only=True, can_create_topic_group=chat.group("moderators")
    ).fails(
        "Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group"
    )

    assert response["parameters"] == "history_public_to_subscribers, can_create_topic_group"


@pytest.mark.parametrize(
    "setting, params",
    [
        ("can_create_public_channel_group", {}),
        ("can_create_private_channel_group", {"invite_only": True}),
        ("can_set_topics_policy_group", {"topics_policy": "allow_empty_topic"}),
    ],
)
def test_the_organization_restricts_the_creation_of_channels(chat, ana, setting, params):
    chat.permit(setting, "nobody")

    subscribe(ana, "attic", **params).fails("Insufficient permission")


@pytest.mark.parametrize(
    "params, private, shared",
    [
        ({}, False, True),
        ({"history_public_to_subscribers": False}, False, True),
        ({"invite_only": True}, True, False),
        ({"invite_only": True, "history_public_to_subscribers": True}, True, True),
    ],
)
def test_privacy_of_a_new_channel(chat, params, private, shared):
    subscribe(chat.person("ana"), "attic", **params).succeeds()

    attic = chat.channel("attic")
    assert (attic.invite_only, attic.history_public) == (private, shared)


def test_settings_do_not_change_an_existing_channel(chat, in_kitchen, ana):
    subscribe(ana, "kitchen", invite_only=True, is_default_stream=True).succeeds()

    assert not chat.channel("kitchen").invite_only


# --- POST /channels/create ------------------------------------------------------------------------


def test_creating_subscribes_exactly_the_named_users(chat, ana, ben):
    queue = ben.listens_for("subscription", "message")

    response = ana.post("/channels/create", name="loft", subscribers=[ben.id]).succeeds()

    assert response["id"] == chat.channel("loft").id
    assert ana.get(f"/streams/{response['id']}/members").succeeds()["subscribers"] == [ben.id]
    assert [event["type"] for event in queue.all()] == ["subscription"]


def test_creating_without_subscribers_succeeds(ana):
    created = ana.post("/channels/create", name="loft", subscribers=[]).succeeds()["id"]

    assert ana.get(f"/streams/{created}/members").succeeds()["subscribers"] == []


def test_a_taken_name_is_a_conflict(chat):
    ana = chat.person("ana", channels=["loft"])
    ana.delete(f"/streams/{chat.channel('loft').id}").succeeds()

    response = ana.post("/channels/create", name="LOFT", subscribers=[]).fails(
        "Channel 'LOFT' already exists", code="CHANNEL_ALREADY_EXISTS", status=409
    )

    assert response["channel_name"] == "LOFT"


@pytest.mark.parametrize(
    "params, msg",
    [
        ({"name": "x"}, "Missing 'subscribers' argument"),
        ({"subscribers": []}, "Missing 'name' argument"),
        ({"name": "", "subscribers": []}, "name cannot be blank"),
        ({"name": "x" * 61, "subscribers": []}, "Channel name too long (limit: 60 characters)."),
        ({"name": "x", "subscribers": ["a@b.c"]}, "subscribers[0] is not an integer"),
        ({"name": "x", "subscribers": [99_999_999]}, "No such user"),
    ],
)
def test_invalid_creations_are_refused(chat, params, msg):
    chat.person("ana").post("/channels/create", **params).fails(msg)
