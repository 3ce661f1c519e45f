"""Creating channels by subscribing: every setting, and who may choose it."""

from typing import Any

import pytest
from tests.support.people import Chat

PATH = "/users/me/subscriptions"


def creates(caller, name="attic", **settings):
    return caller.post(PATH, subscriptions=[{"name": name}], **settings)


def created(caller, name="attic", **settings):
    creates(caller, name, **settings).succeeds()
    listed = caller.get(PATH).succeeds()["subscriptions"]
    return next(each for each in listed if each["name"] == name)


@pytest.mark.parametrize(
    "name, problem", [("invite_only", "a boolean"), ("can_subscribe_group", "an integer")]
)
def test_a_null_that_a_client_failed_to_fill_in_opens_no_channel(chat, name, problem):
    ana = chat.person("ana", role="owner")

    creates(ana, **{name: "null"}).fails(f"{name} is not {problem}")

    ana.get("/get_stream_id", stream="attic").fails("Invalid channel name 'attic'")


@pytest.mark.parametrize(
    "settings, shown",
    [
        ({}, {"invite_only": False, "history_public_to_subscribers": True}),
        ({"history_public_to_subscribers": False}, {"history_public_to_subscribers": True}),
        (
            {"invite_only": True},
            {"invite_only": True, "history_public_to_subscribers": False},
        ),
        (
            {"invite_only": True, "history_public_to_subscribers": True},
            {"invite_only": True, "history_public_to_subscribers": True},
        ),
        ({"message_retention_days": 5}, {"message_retention_days": 5}),
        ({"message_retention_days": "unlimited"}, {"message_retention_days": -1}),
        ({"message_retention_days": '"unlimited"'}, {"message_retention_days": -1}),
        ({"message_retention_days": "realm_default"}, {"message_retention_days": None}),
        ({"topics_policy": "disable_empty_topic"}, {"topics_policy": "disable_empty_topic"}),
        ({"topics_policy": '"empty_topic_only"'}, {"topics_policy": "empty_topic_only"}),
    ],
)
def test_a_chosen_setting_is_stored(chat, settings, shown):
    root = chat.person("root", role="owner")

    attic = created(root, **settings)

    assert {name: attic[name] for name in shown} == shown


@pytest.mark.parametrize(
    "permission",
    [
        "can_add_subscribers_group",
        "can_administer_channel_group",
        "can_create_topic_group",
        "can_delete_any_message_group",
        "can_delete_own_message_group",
        "can_move_messages_out_of_channel_group",
        "can_move_messages_within_channel_group",
        "can_remove_subscribers_group",
        "can_resolve_topics_group",
        "can_send_message_group",
        "can_subscribe_group",
    ],
)
def test_a_permission_may_be_a_group_or_users_and_groups(chat, permission):
    root, ana = chat.person("root", role="owner"), chat.person("ana")
    moderators, nobody = chat.group("moderators"), chat.group("nobody")
    mixed = {"direct_members": [ana.id, root.id], "direct_subgroups": [moderators]}

    def value(name, given):
        return created(root, name, **{permission: given})[permission]

    assert value("one", moderators) == moderators
    assert value("two", {"direct_members": [], "direct_subgroups": [moderators]}) == moderators
    assert value("three", {"direct_members": [], "direct_subgroups": []}) == nobody
    assert value("four", mixed) == {
        "direct_members": sorted([root.id, ana.id]),
        "direct_subgroups": [moderators],
    }
    creates(root, "five", **{permission: 987_654}).fails("Invalid user group")
    creates(
        root, "five", **{permission: {"direct_members": [987_654], "direct_subgroups": []}}
    ).fails("Invalid user ID: 987654")
    msg = f"'{permission}' setting cannot be set to 'role:internet' group."
    creates(root, "five", **{permission: chat.group("internet")}).fails(msg)
    creates(root, "five", **{permission: "everyone"}).fails(f"{permission} is not valid JSON")


@pytest.mark.parametrize(
    "permission, allowed",
    [
        ("can_add_subscribers_group", False),
        ("can_administer_channel_group", False),
        ("can_subscribe_group", False),
        ("can_create_topic_group", True),
        ("can_send_message_group", True),
        ("can_remove_subscribers_group", True),
    ],
)
def test_some_permissions_cannot_be_given_to_everyone(chat, permission, allowed):
    root = chat.person("root", role="owner")

    response = creates(root, **{permission: chat.group("everyone")})

    if allowed:
        response.succeeds()
    else:
        response.fails(f"'{permission}' setting cannot be set to 'role:everyone' group.")


def test_a_group_of_another_organization_is_refused(chat):
    root, other = chat.person("root", role="owner"), Chat.found(chat.server)

    response = creates(root, can_send_message_group=other.group("members"))

    response.fails("Invalid user group")


@pytest.mark.parametrize(
    "group, number", [("everyone", 1), ("administrators", 2), ("fullmembers", 3), ("moderators", 4)]
)
def test_older_clients_get_the_posting_permission_as_a_number(chat, group, number):
    root = chat.person("root", role="owner")

    attic = created(root, can_send_message_group=chat.group(group))

    assert (attic["stream_post_policy"], attic["is_announcement_only"]) == (number, number == 2)


def test_a_default_channel_is_for_new_users(chat):
    root = chat.person("root", role="admin")

    attic = created(root, is_default_stream=True)

    assert attic["stream_id"] in root.registers()["realm_default_streams"]


# --- who may choose what ---


@pytest.mark.parametrize(
    "role, settings, msg",
    [
        ("member", {"is_default_stream": True}, "Insufficient permission"),
        (
            "admin",
            {"is_default_stream": True, "invite_only": True},
            "A default channel cannot be private.",
        ),
        ("owner", {"is_web_public": True}, "Web-public channels are not enabled."),
        ("owner", {"is_web_public": True, "invite_only": True}, "Invalid parameters"),
        ("member", {"can_delete_any_message_group": 1}, "Insufficient permission"),
        ("member", {"can_delete_own_message_group": 1}, "Insufficient permission"),
        ("owner", {"topics_policy": "whatever"}, "Invalid topics_policy"),
        ("owner", {"invite_only": "yes"}, "invite_only is not valid JSON"),
        ("owner", {"invite_only": 1}, "invite_only is not a boolean"),
        (
            "owner",
            {
                "invite_only": True,
                "can_create_topic_group": {"direct_members": [], "direct_subgroups": []},
            },
            "Unsupported parameter combination:"
            " history_public_to_subscribers, can_create_topic_group",
        ),
    ],
)
def test_settings_that_may_not_be_chosen_are_refused(chat, role, settings, msg):
    root = chat.person("root", role=role)
    before = chat.head()

    creates(root, **settings).fails(msg)

    assert chat.head() == before


@pytest.mark.parametrize("given", ["forever", '"forever"', 0, -5, 2**40, 1.5, "true"])
def test_an_invalid_retention_is_refused(chat, given):
    response = creates(chat.person("root", role="owner"), message_retention_days=given)

    words = str(given).strip('"')
    response.fails(f"Bad value for 'message_retention_days': {words}")


def test_only_owners_set_a_retention(chat):
    creates(chat.person("root", role="admin"), message_retention_days=10).fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )


@pytest.mark.parametrize(
    "setting, settings",
    [
        ("can_create_public_channel_group", {}),
        ("can_create_private_channel_group", {"invite_only": True}),
        ("can_set_topics_policy_group", {"topics_policy": "allow_empty_topic"}),
    ],
)
def test_creation_can_be_restricted(chat, setting, settings):
    ana, moe = chat.person("ana"), chat.person("moe", role="moderator")
    chat.permit(setting, "moderators")

    creates(ana, **settings).fails("Insufficient permission")

    creates(moe, **settings).succeeds()


def test_web_public_channels_require_server_organization_and_permission(start_server):
    chat = Chat.found(start_server(web_public_streams_enabled=True), "")
    ana, root = chat.person("ana"), chat.person("root", role="owner")
    creates(root, is_web_public=True).fails("Web-public channels are not enabled.")
    chat.set("enable_spectator_access", True)

    creates(ana, is_web_public=True).fails("Insufficient permission")
    attic = created(root, is_web_public=True)

    assert (attic["is_web_public"], attic["invite_only"]) == (True, False)


# --- of several errors the first is reported ---

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "retention": ({"message_retention_days": 0}, "Bad value for 'message_retention_days': 0"),
    "topics policy": ({"topics_policy": "allow_empty_topic"}, "Insufficient permission"),
    "name": ({"subscriptions": [{"name": ""}]}, "Channel name can't be empty."),
    "default": ({"is_default_stream": True}, "Insufficient permission"),
    "web-public": ({"is_web_public": True}, "Web-public channels are not enabled."),
    "not an owner": ({"message_retention_days": 9}, "Must be an organization owner"),
    "access": ({"subscriptions": [{"name": "cellar"}]}, "Unable to access channel (cellar)."),
    "principal": ({"principals": [987_654]}, "No such user"),
}


@pytest.mark.parametrize(
    "first, second",
    [
        ("retention", "topics policy"),
        ("retention", "principal"),
        ("topics policy", "name"),
        ("topics policy", "access"),
        ("name", "default"),
        ("name", "principal"),
        ("default", "web-public"),
        ("default", "not an owner"),
        ("default", "principal"),
        ("web-public", "not an owner"),
        ("not an owner", "principal"),
        ("access", "principal"),
    ],
)
def test_the_first_of_two_errors_is_reported(chat, ana, ben, first, second):
    ben.joins("cellar", invite_only=True)
    chat.permit("can_set_topics_policy_group", "nobody")
    params = {"subscriptions": [{"name": "attic"}]} | WRONG[second][0] | WRONG[first][0]

    response = ana.post(PATH, **params)

    assert response.json["msg"] == WRONG[first][1]
