"""Subscribing, listing and unsubscribing, for oneself and for others."""

import pytest
from tests.support.people import Chat

from tertulia import actions
from tertulia.domain.channels.channel import COLORS

PATH = "/users/me/subscriptions"


def names_of(person, **params) -> list[str]:
    response = person.get(PATH, **params).succeeds()
    return [each["name"] for each in response["subscriptions"]]


def joins(caller, *names, **params):
    return caller.post(PATH, subscriptions=[{"name": name} for name in names], **params)


def leaves(caller, *names, **params):
    return caller.delete(PATH, subscriptions=list(names), **params)


# --- subscribing ---


def test_a_missing_channel_is_created(ana):
    response = joins(ana, "garden", "kitchen").succeeds()

    assert response["subscribed"] == {str(ana.id): ["garden", "kitchen"]}
    assert response["already_subscribed"] == {}
    assert {"kitchen", "garden"} <= set(names_of(ana))


def test_an_existing_channel_is_found_regardless_of_case(ana, ben):
    ana.joins("Kitchen")

    first = joins(ben, "  KITCHEN ").succeeds()
    again = joins(ben, "kitchen").succeeds()

    assert first["subscribed"] == {str(ben.id): ["Kitchen"]}
    assert (again["subscribed"], again["already_subscribed"]) == ({}, {str(ben.id): ["Kitchen"]})


def test_settings_apply_only_to_a_new_channel(chat, ana, ben):
    ana.joins("kitchen")

    joins(ben, "kitchen", invite_only=True, topics_policy="empty_topic_only").succeeds()

    kitchen = chat.channel("kitchen")
    assert (kitchen.invite_only, kitchen.topics_policy) == (False, "inherit")


def test_others_can_be_subscribed_without_the_caller(ana, ben, cleo, gus):
    ben.joins("kitchen")

    response = joins(ana, "kitchen", principals=[ben.id, cleo.id, gus.id, cleo.id]).succeeds()

    assert response["already_subscribed"] == {str(ben.id): ["kitchen"]}
    assert response["subscribed"] == {str(cleo.id): ["kitchen"], str(gus.id): ["kitchen"]}
    assert names_of(gus) == ["kitchen"]
    assert "kitchen" not in names_of(ana)


def test_others_can_be_named_by_their_public_address(chat, ana, ben):
    cleo = chat.person("cleo", settings={"email_address_visibility": 1})

    response = joins(ana, "kitchen", principals=[ben.api_email, cleo.email.upper()]).succeeds()

    assert set(response["subscribed"]) == {str(ben.id), str(cleo.id)}


def test_no_principals_means_oneself(ana):
    assert joins(ana, "kitchen", principals=[]).succeeds()["subscribed"] == {
        str(ana.id): ["kitchen"]
    }


def test_an_empty_list_succeeds(chat):
    response = joins(chat.person("ana")).succeeds()

    assert (response["subscribed"], response["already_subscribed"]) == ({}, {})


def test_a_bot_can_subscribe_itself(chat, in_kitchen, ana):
    bot = chat.person("helper", bot="generic", owner=ana)

    joins(bot, "kitchen").succeeds()

    assert names_of(bot) == ["kitchen"]


@pytest.mark.parametrize(
    "subscriptions, msg",
    [
        (None, "Missing 'subscriptions' argument"),
        ("[{", "subscriptions is not valid JSON"),
        ("5", "subscriptions is not a list"),
        ('"x"', "subscriptions is not a list"),
        ([{"description": "x"}], 'subscriptions[0]["name"] field is missing: Field required'),
        ([{"name": 5}], 'subscriptions[0]["name"] is not a string'),
        ([{"name": None}], 'subscriptions[0]["name"] is not a string'),
        ([{"name": "  "}], "Channel name can't be empty."),
        ([{"name": "x" * 61}], "Channel name too long (limit: 60 characters)."),
        ([{"name": "kit\0chen"}], "Invalid character in channel name, at position 4."),
        ([{"name": "kitchen\ud800"}], "subscriptions is not valid JSON"),
        (
            [{"name": "attic", "description": "d" * 1025}],
            'subscriptions[0]["description"] is too long (limit: 1024 characters)',
        ),
    ],
)
def test_invalid_channels_are_refused(chat, ana, subscriptions, msg):
    before = chat.head()

    ana.post(PATH, subscriptions=subscriptions).fails(msg)

    assert chat.head() == before


@pytest.mark.parametrize(
    "principals, msg",
    [
        ([987_654], "No such user"),
        ([-1], "No such user"),
        ([2**63], "No such user"),
        (["nobody@example.com"], "No such user"),
    ],
)
def test_users_who_cannot_be_subscribed(chat, principals, msg):
    joins(chat.person("ana"), "kitchen", principals=principals).fails(msg)


def test_hidden_deactivated_and_foreign_users_cannot_be_subscribed(chat, ana, ben, cleo):
    eve = Chat.found(chat.server).person("eve")
    chat.write(actions.people.users.deactivate, ben.id)

    joins(ana, "kitchen", principals=[ben.id]).fails("User is deactivated")
    joins(ana, "kitchen", principals=[eve.id]).fails("No such user")
    joins(ana, "kitchen", principals=[cleo.email]).fails("No such user")


def test_ids_and_addresses_do_not_mix(ana):
    response = joins(ana, "kitchen", principals=[ana.id, ana.api_email])

    assert response.status == 400
    assert response.json["msg"].startswith("principals")


def test_a_call_is_all_or_nothing(chat, ana):
    before = chat.head()

    joins(ana, "attic", "kitchen", "x" * 61).fails("Channel name too long (limit: 60 characters).")
    joins(ana, "attic", principals=[ana.id, 987_654]).fails("No such user")

    assert chat.head() == before
    assert not {"attic", "kitchen"} & set(names_of(ana))


def test_a_private_channel_cannot_be_joined(chat, ana, ben):
    root = chat.person("root", role="owner")
    ana.joins("cellar", invite_only=True)

    for outsider in (ben, root):
        joins(outsider, "cellar").fails("Unable to access channel (cellar).")
        joins(outsider, "cellar", principals=[ben.id]).fails("Unable to access channel (cellar).")


def test_unauthorized_channels_may_be_listed_instead(ana, ben):
    ana.joins("cellar", invite_only=True)

    response = joins(ben, "cellar", "kitchen", authorization_errors_fatal=False).succeeds()

    assert response["unauthorized"] == ["cellar"]
    assert response["subscribed"] == {str(ben.id): ["kitchen"]}
    assert "cellar" not in names_of(ben)
    assert "unauthorized" not in joins(ben, "kitchen").succeeds()


def test_a_subscriber_adds_others_to_a_private_channel(ana, ben):
    ana.joins("cellar", invite_only=True)

    joins(ana, "cellar", principals=[ben.id]).succeeds()

    assert "cellar" in names_of(ben)


@pytest.mark.parametrize("permission", ["can_add_subscribers_group", "can_subscribe_group"])
def test_the_permission_to_subscribe_needs_no_invitation(ana, ben, cleo, permission):
    held_by_ben = {"direct_members": [ben.id], "direct_subgroups": []}
    ana.joins("cellar", invite_only=True, **{permission: held_by_ben})

    joins(ben, "cellar").succeeds()

    joins(cleo, "cellar").fails("Unable to access channel (cellar).")


def test_administering_a_channel_does_not_give_access_to_its_messages(ana, ben):
    ana.joins(
        "cellar",
        invite_only=True,
        can_administer_channel_group={"direct_members": [ben.id], "direct_subgroups": []},
    )

    joins(ben, "cellar").fails("Unable to access channel (cellar).")


def test_adding_others_can_be_restricted(chat, ana, ben, cleo):
    root = chat.person("root", role="admin")
    ana.joins("kitchen")
    chat.permit("can_add_subscribers_group", "nobody")
    bens_bot = chat.person("helper", bot="generic", owner=ben)

    joins(ben, "kitchen", principals=[cleo.id]).fails("Insufficient permission")
    joins(ben, "kitchen", principals=[cleo.id], authorization_errors_fatal=False).fails(
        "Insufficient permission"
    )

    joins(ben, "kitchen", principals=[ben.id, bens_bot.id]).succeeds()
    joins(ana, "kitchen", principals=[cleo.id]).succeeds()  # she administers what she created
    joins(root, "kitchen", principals=[root.id]).succeeds()


def test_guests_cannot_subscribe_themselves(gus):
    joins(gus, "general").fails("Not allowed for guest users")
    joins(gus, "elsewhere").fails("Not allowed for guest users")


def test_anonymous_callers_cannot_subscribe(chat):
    joins(chat.stranger, "general").asks_to_log_in()


# --- listing ---


def test_a_complete_subscription(chat, ana, ben):
    description = "Recipes & **pots**"
    ana.post(PATH, subscriptions=[{"name": "kitchen", "description": description}]).succeeds()
    joins(ben, "kitchen").succeeds()

    response = ana.get(PATH, include_subscribers="true").succeeds()

    (kitchen,) = (each for each in response["subscriptions"] if each["name"] == "kitchen")
    nobody, everyone = chat.group("nobody"), chat.group("everyone")
    rendered = kitchen.pop("rendered_description")
    assert rendered.startswith("<p>Recipes &amp;")
    assert kitchen == {
        "stream_id": chat.channel("kitchen").id,
        "name": "kitchen",
        "description": description,
        "date_created": int(chat.channel("kitchen").created_at),
        "creator_id": ana.id,
        "invite_only": False,
        "is_web_public": False,
        "history_public_to_subscribers": True,
        "is_archived": False,
        "folder_id": None,
        "first_message_id": None,
        "is_recently_active": True,
        "message_retention_days": None,
        "topics_policy": "inherit",
        "slow_mode_seconds": 0,
        "slow_mode_until": None,
        "stream_post_policy": 1,
        "is_announcement_only": False,
        "stream_weekly_traffic": None,
        "subscriber_count": 2,
        "default_push_notifications": False,
        "topic_summaries_allowed": True,
        "can_add_subscribers_group": nobody,
        "can_administer_channel_group": {"direct_members": [ana.id], "direct_subgroups": []},
        "can_create_topic_group": everyone,
        "can_delete_any_message_group": nobody,
        "can_delete_own_message_group": nobody,
        "can_move_messages_out_of_channel_group": nobody,
        "can_move_messages_within_channel_group": nobody,
        "can_remove_subscribers_group": chat.group("administrators"),
        "can_resolve_topics_group": nobody,
        "can_send_message_group": everyone,
        "can_subscribe_group": nobody,
        "subscribers": [ana.id, ben.id],
        "color": COLORS[2],
        "is_muted": False,
        "in_home_view": True,
        "pin_to_top": False,
        "desktop_notifications": None,
        "audible_notifications": None,
        "push_notifications": None,
        "email_notifications": None,
        "wildcard_mentions_notify": None,
    }


def test_the_list_is_sorted_by_name(chat):
    ana = chat.person("ana", channels=["zoo", "attic", "kitchen"])

    assert names_of(ana) == ["attic", "general", "kitchen", "sandbox", "zoo"]


@pytest.mark.parametrize("include, there", [("false", False), ("true", True), ("partial", True)])
def test_subscribers_are_listed_on_request(in_kitchen, ana, include, there):
    response = ana.get(PATH, include_subscribers=include).succeeds()

    assert all(("subscribers" in each) is there for each in response["subscriptions"])


def test_deactivated_users_are_no_subscribers(chat, in_kitchen, ana, ben):
    chat.write(actions.people.users.deactivate, ben.id)

    (kitchen,) = (
        each
        for each in ana.get(PATH, include_subscribers="true").succeeds()["subscriptions"]
        if each["name"] == "kitchen"
    )

    assert (kitchen["subscribers"], kitchen["subscriber_count"]) == ([ana.id], 1)


def test_include_subscribers_has_three_values(chat):
    response = chat.person("ana").get(PATH, include_subscribers="maybe")

    response.fails("Invalid include_subscribers")


def test_new_users_are_subscribed_to_default_channels(chat):
    root = chat.person("root", role="admin")
    root.joins("hall", is_default_stream=True)

    assert names_of(chat.person("ana")) == ["general", "hall", "sandbox"]
    assert names_of(chat.person("gus", role="guest")) == []
    assert names_of(chat.person("helper", bot="generic", owner=root)) == []


def test_every_subscription_gets_its_own_colour(chat):
    ana = chat.person("ana", channels=[f"c{number}" for number in range(24)])

    response = ana.get(PATH).succeeds()

    used = [each["color"] for each in response["subscriptions"]]
    assert set(used) == set(COLORS)


# --- unsubscribing ---


def test_unsubscribing_and_subscribing_again(chat):
    def mute(tx, user_id):
        sql = "UPDATE subscription SET is_muted = :yes, color = '#abcdef' WHERE user_id = :user"
        tx.execute(sql, yes=True, user=user_id)

    ana = chat.person("ana", channels=["kitchen"])
    chat.write(mute, ana.id)

    left = leaves(ana, "KITCHEN").succeeds()
    again = leaves(ana, "kitchen").succeeds()

    assert (left["removed"], left["not_removed"]) == (["kitchen"], [])
    assert (again["removed"], again["not_removed"]) == ([], ["kitchen"])
    assert "kitchen" not in names_of(ana)
    joins(ana, "kitchen").succeeds()
    back = {each["name"]: each for each in ana.get(PATH).succeeds()["subscriptions"]}["kitchen"]
    assert (back["is_muted"], back["color"]) == (True, "#abcdef")


def test_guests_may_unsubscribe(in_kitchen, gus):
    leaves(gus, "kitchen").succeeds()

    assert names_of(gus) == []


def test_unsubscribing_from_a_missing_channel_is_refused(in_kitchen, ana):
    leaves(ana, "kitchen", "attic", "loft").fails("Channel(s) (attic, loft) do not exist")

    assert "kitchen" in names_of(ana)


@pytest.mark.parametrize(
    "subscriptions, msg",
    [
        (None, "Missing 'subscriptions' argument"),
        ([{"name": "kitchen"}], "subscriptions[0] is not a string"),
        ("kitchen", "subscriptions is not valid JSON"),
    ],
)
def test_invalid_unsubscriptions_are_refused(chat, subscriptions, msg):
    chat.person("ana").delete(PATH, subscriptions=subscriptions).fails(msg)


def test_unsubscribing_from_nothing_succeeds(chat):
    response = leaves(chat.person("ana")).succeeds()

    assert (response["removed"], response["not_removed"]) == ([], [])


def test_administrators_unsubscribe_others(chat, ana, ben, cleo):
    root = chat.person("root", role="admin")
    ana.joins("kitchen", principals=[ana.id, ben.id])
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])

    both = leaves(root, "kitchen", principals=[ana.id, ben.id, cleo.id]).succeeds()
    unseen = leaves(root, "cellar", principals=[ben.id]).succeeds()

    assert both["removed"] == ["kitchen", "kitchen"]
    assert both["not_removed"] == ["kitchen"]
    assert unseen["removed"] == ["cellar"]


def test_members_cannot_unsubscribe_others_without_permission(chat, ana, ben, cleo):
    ana.joins("kitchen", principals=[ana.id, ben.id, cleo.id])
    bens_bot = chat.person("helper", bot="generic", owner=ben, channels=["kitchen"])

    leaves(ben, "kitchen", principals=[cleo.id]).fails("Insufficient permission")

    leaves(ana, "kitchen", principals=[cleo.id]).succeeds()  # she administers what she created
    leaves(ben, "kitchen", principals=[bens_bot.id]).succeeds()


def test_the_permission_to_unsubscribe_others_can_be_granted(chat, ana, ben):
    root = chat.person("root", role="admin")
    members = chat.group("members")
    root.joins("kitchen", can_remove_subscribers_group=members, principals=[ana.id, ben.id])

    leaves(ana, "kitchen", principals=[ben.id]).succeeds()

    assert "kitchen" not in names_of(ben)


def test_unknown_users_cannot_be_unsubscribed(chat):
    root = chat.person("root", role="admin", channels=["kitchen"])

    leaves(root, "kitchen", principals=[987_654]).fails("No such user")


def test_subscriptions_of_an_archived_channel_stay(chat):
    def archive(tx):
        sql = "UPDATE channel SET archived = :yes WHERE realm_id = :r AND name = 'kitchen'"
        tx.execute(sql, yes=True, r=tx.realm_id)

    ana, ben = chat.person("ana", channels=["kitchen"]), chat.person("ben")
    chat.write(archive)

    for response in (joins(ben, "kitchen"), leaves(ana, "kitchen")):
        response.fails("Subscriptions in an archived channel cannot be changed.")
