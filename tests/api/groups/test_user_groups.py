"""User groups: creating and changing them."""

from typing import Any

import pytest
from tests.support.groups import group_event, make, only, shown
from tests.support.people import Chat, Person

from tertulia import actions, storage
from tertulia.domain.people.user import NOTIFICATION_BOT

PERMISSIONS = [
    "can_add_members_group",
    "can_join_group",
    "can_leave_group",
    "can_manage_group",
    "can_mention_group",
    "can_remove_members_group",
]


# --- creating ---


def test_a_new_group_is_announced_to_all(chat: Chat) -> None:
    ana, ben, guest = (
        chat.person("ana"),
        chat.person("ben"),
        chat.person("gus", role="guest"),
    )
    queue = [ben.listens_for("user_group"), guest.listens_for("user_group")]

    group_id = make(ana, "bakers", (ben, ana, ben), description="those who bake")

    for each in queue:
        event = each.next()
        created = event["group"].pop("date_created")
        assert isinstance(created, int)
        assert event == {
            "type": "user_group",
            "op": "add",
            "group": {
                "id": group_id,
                "name": "bakers",
                "description": "those who bake",
                "creator_id": ana.id,
                "members": [ana.id, ben.id],
                "direct_subgroup_ids": [],
                "is_system_group": False,
                "can_add_members_group": only(ana),
                "can_join_group": chat.group("nobody"),
                "can_leave_group": chat.group("everyone"),
                "can_manage_group": only(ana),
                "can_mention_group": chat.group("everyone"),
                "can_remove_members_group": chat.group("nobody"),
                "deactivated": False,
            },
        }
        assert each.silent()
        assert shown(ben, group_id) == event["group"] | {"date_created": created}


def test_subgroups_of_a_new_group_are_reported_by_their_own_event(chat: Chat) -> None:
    ana = chat.person("ana")
    inner = make(ana, "inner")
    queue = ana.listens_for("user_group")

    outer = make(ana, "outer", subgroups=[chat.group("moderators"), inner, inner])

    subgroups = sorted([chat.group("moderators"), inner])
    assert queue.next()["group"]["direct_subgroup_ids"] == []
    assert queue.next() == group_event("add_subgroups", outer, direct_subgroup_ids=subgroups)
    assert queue.silent()
    assert shown(ana, outer)["direct_subgroup_ids"] == subgroups


def test_permissions_can_be_set_on_creation(chat: Chat, ana: Person, ben: Person) -> None:
    inner = make(ana, "inner")
    moderators, members = chat.group("moderators"), chat.group("members")

    group_id = make(
        ana,
        "cooks",
        can_add_members_group=moderators,
        can_join_group={"direct_members": [], "direct_subgroups": [members]},
        can_leave_group={"direct_members": [], "direct_subgroups": []},
        can_manage_group={"direct_members": [ben.id, ana.id, ben.id], "direct_subgroups": []},
        can_mention_group={"direct_members": [ben.id], "direct_subgroups": [inner, moderators]},
    )

    group = shown(ben, group_id)
    assert [group[name] for name in PERMISSIONS] == [
        moderators,
        members,
        chat.group("nobody"),
        only(ana, ben),
        only(ben, groups=(moderators, inner)),
        chat.group("nobody"),
    ]


@pytest.mark.parametrize(
    "name, problem",
    [
        ("", "User group name can't be empty!"),
        ("  ", "User group name can't be empty!"),
        ("g" * 101, "User group name cannot exceed 100 characters."),
        ("@x", "User group name cannot start with '@'."),
        ("role:x", "User group name cannot start with 'role:'."),
        ("user:x", "User group name cannot start with 'user:'."),
        ("stream:x", "User group name cannot start with 'stream:'."),
        ("channel:x", "User group name cannot start with 'channel:'."),
        ("ba\0d", "Invalid character in user group name, at position 3."),
        ("bakers", "User group 'bakers' already exists."),
        (" bakers ", "User group 'bakers' already exists."),
    ],
)
def test_a_name_must_be_valid_and_free(name: str, problem: str, ana: Person) -> None:
    make(ana, "bakers")
    other = make(ana, "other")

    ana.post("/user_groups/create", name=name, description="", members=[]).fails(problem)

    ana.patch(f"/user_groups/{other}", name=name).fails(problem)


def test_names_may_be_long_and_differ_only_in_case(ana: Person) -> None:
    made = [make(ana, name) for name in ("bakers", "Bakers", "g" * 100, " spaced ")]

    assert [shown(ana, each)["name"] for each in made] == ["bakers", "Bakers", "g" * 100, "spaced"]


def test_the_name_of_a_deactivated_group_stays_taken(ana: Person) -> None:
    group_id = make(ana, "bakers")
    ana.post(f"/user_groups/{group_id}/deactivate").succeeds()

    again = ana.post("/user_groups/create", name="bakers", description="", members=[])

    again.fails("User group 'bakers' already exists.")


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"members": [10**6]}, "Invalid user ID: 1000000"),
        ({"members": ["ana"]}, "members[0] is not an integer"),
        ({"members": None}, "Missing 'members' argument"),
        ({"description": None}, "Missing 'description' argument"),
        ({"name": None}, "Missing 'name' argument"),
        ({"subgroups": [10**6]}, "Invalid user group ID: 1000000"),
        ({"can_mention_group": 10**6}, "Invalid user group"),
        (
            {"can_mention_group": {"direct_members": [10**6], "direct_subgroups": []}},
            "Invalid user ID: 1000000",
        ),
        (
            {"can_mention_group": {"direct_members": [], "direct_subgroups": [10**6]}},
            "Invalid user group",
        ),
    ],
)
def test_unknown_members_are_refused(change: dict[str, Any], problem: str, ana: Person) -> None:
    queue = ana.listens_for("user_group")
    params = {"name": "bakers", "description": "", "members": [], **change}

    ana.post("/user_groups/create", **params).fails(problem)

    assert queue.silent()


def test_members_of_another_organization_are_unknown(chat: Chat) -> None:
    ana, far = chat.person("ana"), Chat.found(chat.server).person("far")
    far_group, group_id = make(far, "far"), make(ana, "near")
    near = {"name": "x", "description": ""}
    path = f"/user_groups/{group_id}"

    ana.post("/user_groups/create", **near, members=[far.id]).fails(f"Invalid user ID: {far.id}")
    ana.post("/user_groups/create", **near, members=[], subgroups=[far_group]).fails(
        f"Invalid user group ID: {far_group}"
    )
    ana.patch(path, can_mention_group={"new": far_group}).fails("Invalid user group")
    ana.patch(path, can_mention_group={"new": only(far)}).fails(f"Invalid user ID: {far.id}")
    ana.post(f"{path}/members", add=[far.id]).fails(f"Invalid user ID: {far.id}")
    ana.post(f"{path}/members", delete=[far.id]).fails(
        f"There is no member '{far.id}' in this user group"
    )
    ana.post(f"{path}/subgroups", add=[far_group]).fails(f"Invalid user group ID: {far_group}")
    ana.post(f"{path}/subgroups", delete=[far_group]).fails(f"Invalid user group ID: {far_group}")
    ana.get(f"{path}/members/{far.id}").fails("No such user")


def test_deactivated_users_and_system_bots_are_unknown(chat: Chat) -> None:
    ana, gone = chat.people("ana", "gone")
    chat.write(actions.people.users.deactivate, gone.id)
    bot = chat.read(storage.people.users.find_system_bot, NOTIFICATION_BOT)
    assert bot is not None
    group_id = make(ana, "bakers")

    for each in (gone.id, bot.id):
        ana.post("/user_groups/create", name="x", description="", members=[each]).fails(
            f"Invalid user ID: {each}"
        )
        ana.post(f"/user_groups/{group_id}/members", add=[each]).fails(f"Invalid user ID: {each}")
        value = {"direct_members": [each], "direct_subgroups": []}
        ana.patch(f"/user_groups/{group_id}", can_join_group={"new": value}).fails(
            f"Invalid user ID: {each}"
        )


def test_the_organization_restricts_the_creation_of_groups(chat: Chat) -> None:
    ana, mod, bot = (
        chat.person("ana"),
        chat.person("mod", role="moderator"),
        chat.person("bot", bot="generic"),
    )
    make(bot, "of the bot", (bot,))
    chat.permit("can_create_groups", "moderators")

    refused = ana.post("/user_groups/create", name="x", description="", members=[])

    refused.fails("Insufficient permission")
    bot.post("/user_groups/create", name="x", description="", members=[]).fails(
        "Insufficient permission"
    )
    make(mod, "of a moderator")


# --- values of permissions ---


@pytest.mark.parametrize(
    "permission, refused",
    [
        ("can_add_members_group", ["everyone", "internet"]),
        ("can_join_group", ["everyone", "internet"]),
        ("can_leave_group", ["internet"]),
        ("can_manage_group", ["everyone", "internet"]),
        ("can_mention_group", ["owners", "internet"]),
        ("can_remove_members_group", ["everyone", "internet"]),
    ],
)
def test_each_permission_refuses_some_system_groups(
    permission: str, refused: list[str], chat: Chat
) -> None:
    ana = chat.person("ana", role="owner")
    group_id = make(ana, "bakers")
    names = ["nobody", "owners", "administrators", "moderators", "fullmembers", "members"]

    for name in [*names, "everyone", "internet"]:
        number = chat.group(name)
        created = ana.post(
            "/user_groups/create", name=name, description="", members=[], **{permission: number}
        )
        for value in (number, only(groups=(number,))):
            edited = ana.patch(f"/user_groups/{group_id}", **{permission: {"new": value}})
            if name in refused:
                problem = f"'{permission}' setting cannot be set to 'role:{name}' group."
                created.fails(problem)
                edited.fails(problem)
            else:
                created.succeeds()
                edited.succeeds()
                assert shown(ana, group_id)[permission] == number


def test_creation_takes_a_value_and_editing_a_pair(chat: Chat, ana: Person) -> None:
    members = chat.group("members")
    group_id = make(ana, "bakers")

    bare = ana.patch(f"/user_groups/{group_id}", can_mention_group=members)
    bare.fails("can_mention_group does not have the expected format")
    pair = ana.post(
        "/user_groups/create",
        name="x",
        description="",
        members=[],
        can_mention_group={"new": members},
    )

    pair.fails('can_mention_group["direct_members"] field is missing: Field required')
    assert shown(ana, group_id)["can_mention_group"] == chat.group("everyone")


# --- editing ---


def test_a_group_is_renamed_and_described(ana: Person, ben: Person) -> None:
    group_id = make(ana, "bakers")
    queue = ben.listens_for("user_group")

    ana.patch(f"/user_groups/{group_id}", name=" pastry ", description="sweet").succeeds()
    ana.patch(f"/user_groups/{group_id}", name="pastry", description="sweet").succeeds()

    assert queue.all() == [
        group_event("update", group_id, data={"name": "pastry"}),
        group_event("update", group_id, data={"description": "sweet"}),
    ]
    group = shown(ben, group_id)
    assert (group["name"], group["description"]) == ("pastry", "sweet")


@pytest.mark.parametrize("permission", PERMISSIONS)
def test_permissions_change_only_from_the_expected_value(permission: str, chat: Chat) -> None:
    ana, ben = chat.people("ana", "ben")
    moderators, members = chat.group("moderators"), chat.group("members")
    owner = chat.person("owner", role="owner")
    group_id = make(ana, "bakers", (), **{permission: moderators})
    path = f"/user_groups/{group_id}"
    queue = ben.listens_for("user_group")

    wrong = owner.patch(path, **{permission: {"new": members, "old": members}})
    same = owner.patch(path, **{permission: {"new": only(groups=(moderators,))}})
    right = {"new": only(ben, ana, groups=(moderators,)), "old": only(groups=(moderators,))}
    owner.patch(path, **{permission: right}).succeeds()

    response = wrong.fails(
        "'old' value does not match the expected value.", code="EXPECTATION_MISMATCH"
    )
    assert response["field_name"] == "old"
    same.succeeds()
    value = only(ana, ben, groups=(moderators,))
    assert queue.all() == [group_event("update", group_id, data={permission: value})]
    assert shown(ben, group_id)[permission] == value


def test_an_edit_is_all_or_nothing(chat: Chat, ana: Person) -> None:
    group_id = make(ana, "bakers")
    before = shown(ana, group_id)
    queue = ana.listens_for("user_group")

    ana.patch(
        f"/user_groups/{group_id}",
        name="pastry",
        can_join_group={"new": chat.group("members")},
        can_manage_group={"new": chat.group("everyone")},
    ).fails("'can_manage_group' setting cannot be set to 'role:everyone' group.")

    assert queue.silent()
    assert shown(ana, group_id) == before


def test_deactivated_users_are_left_out_of_permissions(chat: Chat) -> None:
    ana, ben, gone = chat.people("ana", "ben", "gone")
    group_id = make(ana, "bakers", (ana, gone), can_join_group=only(ben, gone))
    chat.write(actions.people.users.deactivate, gone.id)

    group = shown(ana, group_id)

    assert (group["members"], group["can_join_group"]) == ([ana.id], only(ben))
    change = {"new": only(ana), "old": group["can_join_group"]}
    ana.patch(f"/user_groups/{group_id}", can_join_group=change).succeeds()
    assert shown(ana, group_id)["can_join_group"] == only(ana)


def test_who_may_manage_a_group(chat: Chat, owner: Person, admin: Person) -> None:
    ana, ben, cleo, gus = *chat.people("ana", "ben", "cleo"), chat.person("gus", role="guest")
    inner = make(owner, "inner", (ben, gus))
    group_id = make(ana, "bakers", can_manage_group=only(ana, groups=(inner,)))
    path = f"/user_groups/{group_id}"

    for person in (owner, ana, ben):
        person.patch(path, description=person.name).succeeds()
        person.post(f"{path}/members", add=[cleo.id]).succeeds()
        person.post(f"{path}/members", delete=[cleo.id]).succeeds()
        person.post(f"{path}/subgroups", add=[inner]).succeeds()
        person.post(f"{path}/subgroups", delete=[inner]).succeeds()
        person.post(f"{path}/deactivate").succeeds()
        person.patch(path, deactivated=False).succeeds()
    for person in (admin, cleo):
        person.patch(path, description=person.name).fails("Insufficient permission")
        person.patch(path).fails("Insufficient permission")
        person.post(f"{path}/members", add=[cleo.id]).fails("Insufficient permission")
        person.post(f"{path}/subgroups", add=[inner]).fails("Insufficient permission")
        person.post(f"{path}/deactivate").fails("Insufficient permission")
    gus.post(f"{path}/deactivate").fails("Insufficient permission")


def test_the_organization_restricts_the_management_of_all_groups(chat: Chat) -> None:
    owner, admin = chat.person("owner", role="owner"), chat.person("admin", role="admin")
    group_id = make(chat.person("ana"), "bakers")
    owner.patch("/realm", can_manage_all_groups={"new": chat.group("administrators")}).succeeds()

    admin.patch(f"/user_groups/{group_id}", description="by an administrator").succeeds()


def test_empty_and_unknown_edits_are_refused(ana: Person) -> None:
    group_id = make(ana, "bakers")

    ana.patch(f"/user_groups/{group_id}").fails("No new data supplied")
    for unknown in (10**6, 0):
        path = f"/user_groups/{unknown}"
        ana.patch(path, name="x").fails("Invalid user group")
        ana.patch(path, deactivated=True).fails("Invalid user group")
        ana.post(f"{path}/deactivate").fails("Invalid user group")
        ana.post(f"{path}/members", add=[ana.id]).fails("Invalid user group")
        ana.post(f"{path}/subgroups", add=[group_id]).fails("Invalid user group")
        ana.get(f"{path}/members").fails("Invalid user group")
        ana.get(f"{path}/members/{ana.id}").fails("Invalid user group")
        ana.get(f"{path}/subgroups").fails("Invalid user group")


def test_system_groups_cannot_be_changed(chat: Chat, owner: Person) -> None:
    path = f"/user_groups/{chat.group('members')}"

    owner.patch(path, name="x").fails("Insufficient permission")
    owner.patch(path, can_mention_group={"new": chat.group("members")}).fails(
        "Insufficient permission"
    )
    owner.post(f"{path}/members", add=[owner.id]).fails("Insufficient permission")
    owner.post(f"{path}/members", add_subgroups=[chat.group("owners")]).fails(
        "Insufficient permission"
    )
    owner.post(f"{path}/subgroups", add=[chat.group("owners")]).fails("Insufficient permission")
    owner.post(f"{path}/deactivate").fails("Insufficient permission")


def test_guests_cannot_manage_groups(chat: Chat, ana: Person, gus: Person) -> None:
    group_id = make(ana, "bakers", (gus,), can_manage_group=only(ana, gus))
    path = f"/user_groups/{group_id}"

    for refused in (
        gus.get("/user_groups"),
        gus.post("/user_groups/create", name="x", description="", members=[]),
        gus.patch(path, name="x"),
        gus.post(f"{path}/members", delete=[gus.id]),
        gus.post(f"{path}/subgroups", add=[group_id]),
        gus.get(f"{path}/members"),
        gus.get(f"{path}/members/{gus.id}"),
        gus.get(f"{path}/subgroups"),
    ):
        refused.fails("Not allowed for guest users")
    gus.post(f"{path}/deactivate").fails("Insufficient permission")
    chat.stranger.get("/user_groups").asks_to_log_in()
