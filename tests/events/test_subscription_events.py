"""Events when a user joins the organization, subscribes to a channel, or unsubscribes."""

from tests.support.model_state import watch

from tertulia import actions

TYPES = ("stream", "subscription")


def summaries(queue):
    """Each event as a word and its subject."""
    return [summary(event) for event in queue.all()]


def summary(event):
    kind = (event["type"], event["op"])
    if kind in (("stream", "create"), ("subscription", "add"), ("subscription", "remove")):
        things = event.get("streams") or event["subscriptions"]
        return (*kind, [each["name"] for each in things])
    if kind == ("stream", "delete"):
        return (*kind, event["stream_ids"])
    return (*kind, event["stream_ids"], event["user_ids"])


# --- subscribing ---


def test_a_new_public_channel_is_announced_to_all_but_guests(chat, ana, ben, gus):
    hers, his, guests = (who.listens_for(*TYPES) for who in (ana, ben, gus))

    ana.joins("kitchen")

    number = chat.channel("kitchen").id
    created = ("stream", "create", ["kitchen"])
    assert summaries(hers) == [created, ("subscription", "add", ["kitchen"])]
    assert summaries(his) == [created, ("subscription", "peer_add", [number], [ana.id])]
    assert guests.silent()


def test_a_new_private_channel_is_announced_to_subscribers_and_administrators(chat):
    ana, ben, cleo = chat.people("ana", "ben", "cleo")
    root = chat.person("root", role="admin")
    hers, his, outside, above = (who.listens_for(*TYPES) for who in (ana, ben, cleo, root))

    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])

    number = chat.channel("cellar").id
    created = ("stream", "create", ["cellar"])
    # She has a permission in the channel from the start; he sees it only once he is subscribed.
    assert summaries(hers) == [created, ("subscription", "add", ["cellar"])]
    assert summaries(his) == [created, ("subscription", "add", ["cellar"])]
    assert summaries(above) == [created, ("subscription", "peer_add", [number], [ana.id, ben.id])]
    assert outside.silent()


def test_subscribing_sends_the_complete_subscription(ana, ben):
    ana.joins("kitchen")
    queue = ben.listens_for("subscription")

    ben.joins("kitchen")

    (added,) = queue.next()["subscriptions"]
    listed = ben.get("/users/me/subscriptions", include_subscribers="true").succeeds()
    (kept,) = (each for each in listed["subscriptions"] if each["name"] == "kitchen")
    assert added == kept | {"subscriber_count": 1}
    assert added["subscribers"] == [ana.id, ben.id]


def test_subscribing_again_sends_nothing(in_kitchen, ana, ben):
    hers, his = ana.listens_for(), ben.listens_for()

    ana.joins("kitchen")

    assert hers.silent()
    assert his.silent()


def test_a_guest_receives_a_channel_when_subscribed(chat, in_kitchen, ana):
    gus = chat.person("gus", role="guest")
    queue = gus.listens_for(*TYPES)

    ana.joins("kitchen", principals=[gus.id])

    assert summaries(queue) == [
        ("stream", "create", ["kitchen"]),
        ("subscription", "add", ["kitchen"]),
    ]


def test_a_queue_without_the_stream_type_receives_only_the_subscription(ana, gus):
    queue = gus.listens_for("subscription")

    ana.joins("cellar", invite_only=True, principals=[gus.id])

    assert summaries(queue) == [("subscription", "add", ["cellar"])]


# --- unsubscribing ---


def test_unsubscribing_from_a_public_channel(chat, in_kitchen, ana, ben):
    cleo, gus = chat.person("cleo"), chat.person("gus", role="guest")
    hers, his, outside, guests = (who.listens_for(*TYPES) for who in (ana, ben, cleo, gus))

    ana.leaves("kitchen")

    number = chat.channel("kitchen").id
    assert summaries(hers) == [("subscription", "remove", ["kitchen"])]
    assert (
        summaries(his)
        == summaries(outside)
        == [("subscription", "peer_remove", [number], [ana.id])]
    )
    assert guests.silent()


def test_users_who_unsubscribe_together_receive_each_others_events(chat):
    ana, ben = chat.person("ana", role="owner", channels=["kitchen"]), chat.person("ben")
    ben.joins("kitchen")
    hers = ana.listens_for(*TYPES)

    ana.delete(
        "/users/me/subscriptions", subscriptions=["kitchen"], principals=[ana.id, ben.id]
    ).succeeds()

    number = chat.channel("kitchen").id
    assert summaries(hers) == [
        ("subscription", "remove", ["kitchen"]),
        ("subscription", "peer_remove", [number], [ben.id]),
    ]


def test_unsubscribing_from_a_private_channel_hides_it(chat, ana, ben):
    root = chat.person("root", role="admin")
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    hers, his, above = (who.listens_for(*TYPES) for who in (ana, ben, root))

    ben.leaves("cellar")

    number = chat.channel("cellar").id
    gone = [("subscription", "remove", ["cellar"]), ("stream", "delete", [number])]
    assert summaries(his) == gone
    assert (
        summaries(hers) == summaries(above) == [("subscription", "peer_remove", [number], [ben.id])]
    )


def test_a_guest_who_unsubscribes_loses_the_channel(in_kitchen, gus):
    queue = gus.listens_for(*TYPES)

    gus.leaves("kitchen")

    assert [each[:2] for each in summaries(queue)] == [
        ("subscription", "remove"),
        ("stream", "delete"),
    ]


def test_several_users_at_once_are_one_event(chat, ana, ben, cleo):
    root = chat.person("root", role="admin")
    root.joins("kitchen", principals=[ana.id, ben.id])
    queue = cleo.listens_for("subscription")

    root.leaves("kitchen", principals=[ana.id, ben.id])

    (event,) = queue.all()
    assert event["user_ids"] == [ana.id, ben.id]


# --- users ---


def test_a_new_user_is_announced(chat):
    ana = chat.person("ana", role="admin")
    queue = ana.listens_for("realm_user", "user_group")

    ben = chat.person("ben")

    added, *groups = queue.all()
    person = added["person"]
    assert (added["op"], person["user_id"], person["is_active"]) == ("add", ben.id, True)
    assert (person["profile_data"], person["delivery_email"]) == ({}, ben.email)
    assert [(each["op"], each["group_id"], each["user_ids"]) for each in groups] == [
        ("add_members", chat.group("members"), [ben.id]),
        ("add_members", chat.group("fullmembers"), [ben.id]),
    ]


def test_a_new_user_is_announced_with_what_each_listener_may_see(chat):
    ana, root = chat.person("ana"), chat.person("root", role="owner")
    hers, above = ana.listens_for("realm_user"), root.listens_for("realm_user")

    ben = chat.person("ben")

    assert hers.next()["person"]["delivery_email"] is None
    assert above.next()["person"]["delivery_email"] == ben.email


def test_a_deactivation_is_announced_to_all(chat, ana, ben):
    queue = ana.listens_for("realm_user")

    chat.write(actions.people.users.deactivate, ben.id)

    assert queue.all() == [
        {
            "type": "realm_user",
            "op": "update",
            "person": {"user_id": ben.id, "is_active": False},
        }
    ]


def test_an_organization_setting_is_announced_to_all(chat, ana):
    queue = ana.listens_for("realm")

    chat.set("name", "Casa")
    chat.set("waiting_period_threshold", 3)
    chat.set("waiting_period_threshold", 3)

    assert [(each["property"], each["value"]) for each in queue.all()] == [
        ("name", "Casa"),
        ("waiting_period_threshold", 3),
    ]
    assert ana.registers()["realm_name"] == "Casa"


# --- the law: a watcher has the state of a newcomer ---


def test_a_watcher_has_the_state_of_a_newcomer(chat, ana, ben):
    root = chat.person("root", role="owner")
    watcher = watch(ben)

    ana.joins("kitchen", "garden")
    ana.joins("cellar", invite_only=True)
    ben.joins("kitchen")
    ana.joins("cellar", principals=[ben.id, root.id])
    ana.joins("attic", invite_only=True, principals=[root.id])
    cleo = chat.person("cleo", channels=["garden", "kitchen"])
    ben.leaves("general")
    cleo.leaves("kitchen")
    ana.leaves("cellar", principals=[root.id])
    ana.leaves("cellar", principals=[ben.id])
    ana.joins("garden", principals=[ben.id, cleo.id])

    assert watcher.sees() == watch(ben).sees()
