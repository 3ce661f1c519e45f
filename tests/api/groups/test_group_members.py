"""Members of user groups: users, subgroups, and what membership gives access to."""

from typing import Any

import pytest
from tests.support.groups import group_event, make, only, shown
from tests.support.people import Chat, Person

from tertulia import actions, domain

# --- members ---


def test_members_are_added_and_removed_in_one_call(ana: Person, ben: Person, cleo: Person) -> None:
    group_id = make(ana, "bakers", (ana, ben))
    queue = ben.listens_for("user_group")

    ana.post(f"/user_groups/{group_id}/members", add=[cleo.id], delete=[ben.id]).succeeds()
    ana.post(f"/user_groups/{group_id}/members", add=[ben.id], delete=[ben.id]).succeeds()

    assert queue.all() == [
        group_event("add_members", group_id, user_ids=[cleo.id]),
        group_event("remove_members", group_id, user_ids=[ben.id]),
        group_event("add_members", group_id, user_ids=[ben.id]),
        group_event("remove_members", group_id, user_ids=[ben.id]),
    ]
    assert shown(ben, group_id)["members"] == [ana.id, cleo.id]


def test_more_members_than_one_write_takes_follow_in_others(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domain.limits, "MAX_MEMBERS_PER_WRITE", 2)
    ana, *others = chat.people("ana", "ben", "cleo", "dan", "eve")
    ids = [each.id for each in others]
    nobody = chat.group("nobody")
    queue = ana.listens_for("user_group")

    named = {"name": "crew", "description": "", "members": [*ids, *ids]}
    closed = {"can_manage_group": nobody, "can_add_members_group": nobody}
    ana.post("/user_groups/create", **named | {"name": "closed"}, **closed).succeeds()
    made = ana.post("/user_groups/create", **named)
    group_id = made.succeeds()["group_id"]
    path = f"/user_groups/{group_id}/members"
    ana.post(path, delete=ids[:3]).succeeds()
    ana.post(path, add=[*ids[:3], ana.id, 0]).fails("Invalid user ID: 0")
    ana.post(path, add=ids[:3]).succeeds()

    assert [sorted(_members(event)) for event in queue.all()] == [
        ids[:2], ids[2:], ids[:2], ids[2:], ids[:2], ids[2:3], ids[:2], ids[2:3],
    ]  # fmt: skip
    assert shown(ana, group_id)["members"] == sorted(ids)
    chat.server.restart()
    assert shown(ana, group_id)["members"] == sorted(ids)


def _members(event: dict[str, Any]) -> list[int]:
    found: list[int] = event["user_ids"] if "user_ids" in event else event["group"]["members"]
    return found


def test_membership_changes_are_all_or_nothing(ana: Person, ben: Person, cleo: Person) -> None:
    group_id = make(ana, "bakers", (ana, ben))
    path = f"/user_groups/{group_id}/members"
    queue = ben.listens_for()

    ana.post(path, add=[cleo.id, ben.id]).fails(f"User {ben.id} is already a member of this group")
    ana.post(path, add=[cleo.id], delete=[cleo.id, 10**6]).fails(
        "There is no member '1000000' in this user group"
    )
    ana.post(path, delete=[ben.id, cleo.id]).fails(
        f"There is no member '{cleo.id}' in this user group"
    )
    ana.post(path, add=[cleo.id], add_subgroups=[group_id]).fails(
        f"User group {group_id} is already a subgroup of one of the passed subgroups."
    )
    ana.post(path, add=[cleo.id, 10**6]).fails("Invalid user ID: 1000000")

    assert queue.silent()
    assert shown(ana, group_id)["members"] == [ana.id, ben.id]


@pytest.mark.parametrize(
    "path, words",
    [
        ("members", '"add", "delete", "add_subgroups" or "delete_subgroups".'),
        ("subgroups", '"add" or "delete".'),
    ],
)
def test_an_empty_change_is_refused(path: str, words: str, ana: Person) -> None:
    group_id = make(ana, "bakers")

    nothing = ana.post(f"/user_groups/{group_id}/{path}")

    nothing.fails(f"Nothing to do. Specify at least one of {words}")
    ana.post(f"/user_groups/{group_id}/{path}", add=[]).fails(
        f"Nothing to do. Specify at least one of {words}"
    )
    ana.post(f"/user_groups/{group_id}/{path}", add=5).fails("add is not a list")


def test_joining_and_leaving_have_their_own_permissions(chat: Chat) -> None:
    ana, ben, mod = *chat.people("ana", "ben"), chat.person("mod", role="moderator")
    group_id = make(ana, "bakers", can_join_group=chat.group("members"))
    path = f"/user_groups/{group_id}/members"

    ben.post(path, add=[mod.id]).fails("Insufficient permission")
    ben.post(path, add=[ben.id, mod.id]).fails("Insufficient permission")
    ben.post(path, add=[ben.id]).succeeds()
    mod.post(path, add=[mod.id]).succeeds()
    mod.post(path, delete=[ben.id]).fails("Insufficient permission")
    mod.post(path, delete=[mod.id]).succeeds()
    ana.patch(
        f"/user_groups/{group_id}",
        can_join_group={"new": chat.group("nobody")},
        can_leave_group={"new": chat.group("moderators")},
    ).succeeds()

    mod.post(path, add=[mod.id]).fails("Insufficient permission")
    ben.post(path, delete=[ben.id]).fails("Insufficient permission")


def test_adding_and_removing_others_have_their_own_permissions(chat: Chat) -> None:
    ana, ben, cleo = chat.people("ana", "ben", "cleo")
    group_id = make(ana, "bakers", can_add_members_group=only(ben), can_leave_group=only(ana))
    inner, location = make(ana, "inner"), f"/user_groups/{group_id}"

    ben.post(f"{location}/members", add=[cleo.id, ben.id]).succeeds()
    ben.post(f"{location}/subgroups", add=[inner]).succeeds()
    ben.post(f"{location}/members", delete=[cleo.id]).fails("Insufficient permission")
    ben.post(f"{location}/members", delete=[ben.id]).fails("Insufficient permission")
    ben.post(f"{location}/subgroups", delete=[inner]).fails("Insufficient permission")
    ana.patch(location, can_remove_members_group={"new": only(cleo)}).succeeds()

    cleo.post(f"{location}/members", delete=[ben.id]).succeeds()
    cleo.post(f"{location}/subgroups", delete=[inner]).succeeds()
    cleo.post(f"{location}/members", delete=[cleo.id]).succeeds()
    cleo.post(f"{location}/members", add=[cleo.id]).fails("Insufficient permission")


def test_notification_bot_informs_users_who_were_added_or_removed(chat: Chat) -> None:
    ana, ben = chat.people("ana", "ben")
    bot = chat.person("bot", bot="generic", owner=ana)
    group_id = make(ana, "bakers", can_join_group=chat.group("members"))
    path = f"/user_groups/{group_id}/members"
    queue = [person.listens_for("message", apply_markdown=True) for person in (ana, ben, bot)]

    ana.post(path, add=[ana.id, ben.id, bot.id]).succeeds()
    ana.post(path, delete=[ben.id]).succeeds()
    ben.post(path, add=[ben.id]).succeeds()

    received = [queue[1].next()["message"] for _ in range(2)]
    assert [(each["sender_full_name"], each["type"]) for each in received] == [
        ("Notification Bot", "private"),
        ("Notification Bot", "private"),
    ]
    shown_group = (
        f'<span class="user-group-mention silent" data-user-group-id="{group_id}">bakers</span>'
    )
    shown_ana = f'<span class="user-mention silent" data-user-id="{ana.id}">Ana</span>'
    assert [each["content"] for each in received] == [
        f"<p>{shown_ana} added you to the group {shown_group}.</p>",
        f"<p>{shown_ana} removed you from the group {shown_group}.</p>",
    ]
    assert all(each.silent() for each in queue)


def test_only_active_members_count_and_others_can_still_be_removed(chat: Chat) -> None:
    ana, gone = chat.people("ana", "gone")
    group_id = make(ana, "bakers", (ana, gone))
    chat.write(actions.people.users.deactivate, gone.id)
    path = f"/user_groups/{group_id}/members"

    assert ana.get(path).succeeds()["members"] == [ana.id]
    assert not ana.get(f"{path}/{gone.id}").succeeds()["is_user_group_member"]

    ana.post(path, delete=[gone.id]).succeeds()


# --- subgroups ---


def test_groups_can_be_nested_to_any_depth(ana: Person, ben: Person, cleo: Person) -> None:
    inner = make(ana, "inner", (cleo,))
    middle = make(ana, "middle", (ben,), subgroups=[inner])
    outer = make(ana, "outer", (ana,))
    queue = ben.listens_for("user_group")

    ana.post(f"/user_groups/{outer}/subgroups", add=[middle]).succeeds()

    assert queue.all() == [group_event("add_subgroups", outer, direct_subgroup_ids=[middle])]
    path = f"/user_groups/{outer}"
    members = ben.get(f"{path}/members").succeeds()["members"]
    assert members == sorted([ana.id, ben.id, cleo.id])
    direct = ben.get(f"{path}/members", direct_member_only=True).succeeds()["members"]
    assert direct == [ana.id]
    assert ben.get(f"{path}/subgroups").succeeds()["subgroups"] == sorted([inner, middle])
    direct = ben.get(f"{path}/subgroups", direct_subgroup_only=True).succeeds()["subgroups"]
    assert direct == [middle]
    is_member = f"{path}/members/{cleo.id}"
    assert ben.get(is_member).succeeds()["is_user_group_member"]
    response = ben.get(is_member, direct_member_only=True).succeeds()
    assert not response["is_user_group_member"]


def test_a_permission_is_held_through_nested_groups(chat: Chat) -> None:
    owner, cleo, ben = chat.person("owner", role="owner"), *chat.people("cleo", "ben")
    inner = make(owner, "inner", (cleo,))
    outer = make(owner, "outer", subgroups=[make(owner, "middle", subgroups=[inner])])
    owner.patch("/realm", can_create_groups={"new": outer}).succeeds()

    make(cleo, "of cleo")

    refused = ben.post("/user_groups/create", name="x", description="", members=[])
    refused.fails("Insufficient permission")
    owner.post(f"/user_groups/{inner}/members", delete=[cleo.id]).succeeds()
    refused = cleo.post("/user_groups/create", name="x", description="", members=[])
    refused.fails("Insufficient permission")


def test_a_system_group_can_be_contained(chat: Chat) -> None:
    ana, mod = chat.person("ana"), chat.person("mod", role="moderator")
    admin, gus = chat.person("admin", role="admin"), chat.person("gus", role="guest")
    bot = chat.person("bot", bot="generic")
    group_id = make(ana, "staff")

    ana.post(f"/user_groups/{group_id}/subgroups", add=[chat.group("moderators")]).succeeds()

    path = f"/user_groups/{group_id}"
    assert ana.get(f"{path}/members").succeeds()["members"] == sorted([mod.id, admin.id])
    everyone = ana.get(f"/user_groups/{chat.group('everyone')}/members").succeeds()["members"]
    assert everyone == sorted(each.id for each in (ana, mod, admin, gus, bot))
    found = ana.get(f"/user_groups/{chat.group('members')}/subgroups", direct_subgroup_only=True)
    assert found.succeeds()["subgroups"] == [chat.group("fullmembers")]
    found = ana.get(f"/user_groups/{chat.group('everyone')}/members/{bot.id}")
    assert found.succeeds()["is_user_group_member"]
    assert ana.get(f"/user_groups/{chat.group('nobody')}/members").succeeds()["members"] == []


def test_cycles_and_duplicates_are_refused(ana: Person) -> None:
    inner = make(ana, "inner")
    outer = make(ana, "outer", subgroups=[make(ana, "middle", subgroups=[inner])])
    queue = ana.listens_for("user_group")

    def circle(group_id: int) -> str:
        return f"User group {group_id} is already a subgroup of one of the passed subgroups."

    ana.post(f"/user_groups/{inner}/subgroups", add=[outer]).fails(circle(inner))
    ana.post(f"/user_groups/{inner}/members", add_subgroups=[outer]).fails(circle(inner))
    ana.post(f"/user_groups/{inner}/subgroups", add=[inner]).fails(circle(inner))
    (middle,) = shown(ana, outer)["direct_subgroup_ids"]
    ana.post(f"/user_groups/{outer}/subgroups", add=[inner, middle]).fails(
        f"User group {middle} is already a subgroup of this group."
    )
    ana.post(f"/user_groups/{outer}/subgroups", delete=[inner]).fails(
        f"User group {inner} is not a subgroup of this group."
    )
    ana.post(f"/user_groups/{outer}/subgroups", add=[10**6]).fails("Invalid user group ID: 1000000")

    assert queue.silent()


def test_subgroups_can_be_changed_together_with_members(ana: Person, ben: Person) -> None:
    inner, outer = make(ana, "inner"), make(ana, "outer", (ben,))
    queue = ana.listens_for("user_group")
    path = f"/user_groups/{outer}/members"

    ana.post(path, add=[ana.id], delete=[ben.id], add_subgroups=[inner]).succeeds()
    ana.post(path, delete_subgroups=[inner]).succeeds()

    assert queue.all() == [
        group_event("add_members", outer, user_ids=[ana.id]),
        group_event("remove_members", outer, user_ids=[ben.id]),
        group_event("add_subgroups", outer, direct_subgroup_ids=[inner]),
        group_event("remove_subgroups", outer, direct_subgroup_ids=[inner]),
    ]


# --- access through groups ---


def test_a_new_member_sees_the_channels_of_the_group(chat: Chat) -> None:
    ana, ben, cleo = chat.people("ana", "ben", "cleo")
    inner = make(ana, "inner")
    outer = make(ana, "outer", subgroups=[inner])
    ana.joins("cellar", invite_only=True, can_subscribe_group=outer)
    cellar = chat.channel("cellar").id
    queue = {name: who.listens_for("stream") for name, who in [("ben", ben), ("cleo", cleo)]}

    ana.post(f"/user_groups/{inner}/members", add=[ben.id]).succeeds()
    came = queue["ben"].next()
    ana.post(f"/user_groups/{outer}/subgroups", delete=[inner]).succeeds()
    went = queue["ben"].next()

    assert (came["op"], [each["stream_id"] for each in came["streams"]]) == ("create", [cellar])
    assert (went["op"], went["stream_ids"]) == ("delete", [cellar])
    assert all(each.silent() for each in queue.values())
    ben.get(f"/streams/{cellar}").fails("Invalid channel ID")
