"""Deactivated user groups: what still refers to one, and reactivation."""

from tests.support.groups import group_event, listens, make, only, shown
from tests.support.people import Chat, Person


def test_a_group_is_deactivated_and_reactivated(ana: Person, ben: Person) -> None:
    group_id = make(ana, "bakers", (ben,))
    path = f"/user_groups/{group_id}"
    knowing, other = listens(ben), ben.listens_for("user_group")

    ana.post(f"{path}/deactivate").succeeds()
    ana.patch(path, name="crust").succeeds()
    ana.patch(path, description="asleep", can_join_group={"new": only(ben)}).succeeds()
    ana.post(f"{path}/members", add=[ana.id], delete=[ben.id]).succeeds()
    asleep = [each["id"] for each in ben.get("/user_groups").succeeds()["user_groups"]]
    ana.patch(path, deactivated=False, name="rolls").succeeds()

    members = [
        group_event("add_members", group_id, user_ids=[ana.id]),
        group_event("remove_members", group_id, user_ids=[ben.id]),
    ]
    details = [
        group_event("update", group_id, data={"description": "asleep"}),
        group_event("update", group_id, data={"can_join_group": only(ben)}),
    ]
    assert knowing.all() == [
        group_event("update", group_id, data={"deactivated": True}),
        group_event("update", group_id, data={"name": "crust"}),
        *details,
        *members,
        group_event("update", group_id, data={"name": "rolls"}),
        group_event("update", group_id, data={"deactivated": False}),
    ]
    group = shown(ben, group_id)
    assert (group["name"], group["deactivated"], group["members"]) == ("rolls", False, [ana.id])
    assert other.all() == [
        group_event("remove", group_id),
        *details,
        *members,
        {"type": "user_group", "op": "add", "group": group},
    ]
    assert group_id not in asleep


def test_simultaneous_changes_are_reported_in_order(chat: Chat, ana: Person) -> None:
    group_id = make(ana, "bakers")
    ana.post(f"/user_groups/{group_id}/deactivate").succeeds()
    queue = listens(ana)

    ana.patch(
        f"/user_groups/{group_id}",
        can_leave_group={"new": chat.group("members")},
        deactivated=False,
        description="awake",
    ).succeeds()

    assert queue.all() == [
        group_event("update", group_id, data={"description": "awake"}),
        group_event("update", group_id, data={"deactivated": False}),
        group_event("update", group_id, data={"can_leave_group": chat.group("members")}),
    ]


def test_a_group_cannot_be_deactivated_by_editing(ana: Person, ben: Person) -> None:
    group_id = make(ana, "bakers")
    queue = listens(ana)

    ana.patch(f"/user_groups/{group_id}", deactivated=True).succeeds()
    ben.patch(f"/user_groups/{group_id}", deactivated=True).fails("Insufficient permission")
    ana.patch(f"/user_groups/{group_id}", deactivated=False).succeeds()

    assert queue.silent()
    assert not shown(ana, group_id)["deactivated"]


def test_a_deactivated_group_cannot_be_used(chat: Chat) -> None:
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    group_id, other = make(owner, "asleep"), make(owner, "awake")
    owner.post(f"/user_groups/{group_id}/deactivate").succeeds()
    kitchen = f"/streams/{chat.channel('kitchen').id}"
    path = f"/user_groups/{group_id}"
    mixed = only(owner, groups=(group_id,))
    new = {"name": "x", "description": "", "members": []}

    for refused in (
        owner.post(f"{path}/deactivate"),
        owner.get(f"{path}/members"),
        owner.get(f"{path}/members/{owner.id}"),
        owner.get(f"{path}/subgroups"),
        owner.post("/user_groups/create", **new, subgroups=[group_id]),
        owner.post("/user_groups/create", **new, can_mention_group=group_id),
        owner.post("/user_groups/create", **new, can_mention_group=mixed),
        owner.patch(f"/user_groups/{other}", can_mention_group={"new": group_id}),
        owner.patch(f"/user_groups/{other}", can_mention_group={"new": mixed}),
        owner.patch(path, can_mention_group={"new": group_id}),
        owner.post(f"/user_groups/{other}/subgroups", add=[group_id]),
        owner.post(f"/user_groups/{other}/members", add_subgroups=[group_id]),
        owner.patch(kitchen, can_send_message_group={"new": group_id}),
        owner.patch(kitchen, can_send_message_group={"new": mixed}),
        owner.patch("/realm", can_create_groups={"new": group_id}),
        owner.patch("/realm", can_create_groups={"new": mixed}),
        owner.post(
            "/users/me/subscriptions",
            subscriptions=[{"name": "new"}],
            can_send_message_group=group_id,
        ),
    ):
        refused.fails("User group is deactivated.")
    owner.patch(path, deactivated=False).succeeds()
    owner.patch(kitchen, can_send_message_group={"new": mixed}).succeeds()


def test_a_group_in_use_cannot_be_deactivated_and_the_error_says_why(
    chat: Chat, owner: Person
) -> None:
    owner.joins("kitchen", "cellar")
    group_id = make(owner, "bakers")
    path = f"/user_groups/{group_id}"
    outer = make(owner, "outer", subgroups=[group_id], can_leave_group=group_id)
    mixed = only(owner, groups=(group_id,))
    kitchen, cellar = chat.channel("kitchen").id, chat.channel("cellar").id
    for channel_id in (kitchen, cellar):
        owner.patch(
            f"/streams/{channel_id}",
            can_send_message_group={"new": mixed},
            can_resolve_topics_group={"new": group_id},
        ).succeeds()
    owner.delete(f"/streams/{cellar}").succeeds()
    owner.patch(path, can_mention_group={"new": group_id}).succeeds()
    owner.patch(
        "/realm", can_create_groups={"new": mixed}, can_add_custom_emoji_group={"new": group_id}
    ).succeeds()
    queue = listens(owner)

    refused = owner.post(f"{path}/deactivate").fails(
        "Cannot deactivate user group in use.", code="CANNOT_DEACTIVATE_GROUP_IN_USE"
    )

    assert refused["objections"] == [
        {"type": "subgroup", "supergroup_ids": [outer]},
        {
            "type": "channel",
            "channel_id": kitchen,
            "settings": ["can_resolve_topics_group", "can_send_message_group"],
        },
        {"type": "user_group", "group_id": group_id, "settings": ["can_mention_group"]},
        {"type": "user_group", "group_id": outer, "settings": ["can_leave_group"]},
        {"type": "realm", "settings": ["can_add_custom_emoji_group", "can_create_groups"]},
    ]
    assert queue.silent()
    assert not shown(owner, group_id)["deactivated"]


def test_a_group_used_only_by_deactivated_groups_may_be_deactivated(ana: Person) -> None:
    inner = make(ana, "inner")
    outer = make(ana, "outer", subgroups=[inner], can_mention_group=inner)

    ana.post(f"/user_groups/{outer}/deactivate").succeeds()

    ana.post(f"/user_groups/{inner}/deactivate").succeeds()
