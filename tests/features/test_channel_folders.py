"""Channel folders: created, changed and ordered by administrators, visible to all."""

import pytest


def create(who, name, description=""):
    return who.post("/channel_folders/create", name=name, description=description)


def test_a_new_folder_is_announced_to_all(gus, admin):
    queue = gus.listens_for("channel_folder")

    number = create(admin, " House ", "All *rooms*").succeeds()["channel_folder_id"]

    event = queue.next()
    folder = event["channel_folder"]
    date = folder.pop("date_created")
    assert isinstance(date, int)
    assert (event["op"], folder) == (
        "add",
        {
            "id": number,
            "name": "House",
            "description": "All *rooms*",
            "rendered_description": folder["rendered_description"],
            "order": number,
            "creator_id": admin.id,
            "is_archived": False,
        },
    )
    listed = gus.get("/channel_folders").succeeds()["channel_folders"]
    assert [each["id"] for each in listed] == [number]
    at_register = gus.registers(fetch_event_types=["channel_folders"])["channel_folders"]
    assert at_register == listed


def test_a_description_is_required_and_may_be_empty(admin):
    admin.post("/channel_folders/create", name="House").fails("Missing 'description' argument")

    create(admin, "House", "").succeeds()


@pytest.mark.parametrize("role", ["moderator", "member", "guest"])
def test_other_roles_are_refused_before_parameters_are_checked(chat, role):
    ana = chat.person("ana", role=role)
    expected = "Must be an organization administrator"

    for reply in (
        create(ana, "", ""),
        ana.post("/channel_folders/create"),
        ana.patch("/channel_folders/1", is_archived="x"),
        ana.patch("/channel_folders"),
    ):
        reply.fails(expected, code="UNAUTHORIZED_PRINCIPAL")


@pytest.mark.parametrize(
    "params, msg",
    [
        ({"name": "  ", "description": ""}, "Channel folder name can't be empty."),
        ({"name": "f" * 61, "description": ""}, "name is too long (limit: 60 characters)"),
        (
            {"name": "x", "description": "d" * 1025},
            "description is too long (limit: 1024 characters)",
        ),
        (
            {"name": "Ro\x07oms", "description": ""},
            "Invalid character in channel folder name, at position 3.",
        ),
        ({"name": "x"}, "Missing 'description' argument"),
        ({"description": "x"}, "Missing 'name' argument"),
    ],
)
def test_invalid_folders_are_refused(admin, params, msg):
    admin.post("/channel_folders/create", **params).fails(msg)


def test_a_name_is_taken_until_its_folder_is_archived(admin):
    number = create(admin, "House").succeeds()["channel_folder_id"]
    path = f"/channel_folders/{number}"

    create(admin, "HOUSE").fails("Channel folder name already in use")
    admin.patch(path, is_archived=True).succeeds()
    other = create(admin, "house").succeeds()["channel_folder_id"]

    admin.patch(path, is_archived=False).fails("Channel folder name already in use")
    admin.patch(f"/channel_folders/{other}", name="Home").succeeds()
    admin.patch(path, is_archived=False).succeeds()


def test_each_change_is_one_event_and_no_change_is_none(admin):
    number = create(admin, "House").succeeds()["channel_folder_id"]
    path = f"/channel_folders/{number}"
    queue = admin.listens_for("channel_folder")

    for _ in range(2):
        admin.patch(path, name="Home", description="new", is_archived=True).succeeds()
    admin.patch(path).succeeds()

    assert [event["data"] for event in queue.all()] == [
        {"name": "Home"},
        {"description": "new", "rendered_description": "<p>new</p>"},
        {"is_archived": True},
    ]


def test_invalid_edits_are_refused(chat, admin):
    number = create(admin, "House").succeeds()["channel_folder_id"]
    create(admin, "Work").succeeds()
    path = f"/channel_folders/{number}"
    queue = admin.listens_for()

    admin.patch(path, description="lost", name="work").fails("Channel folder name already in use")
    admin.patch(path, name="").fails("Channel folder name can't be empty.")
    admin.patch("/channel_folders/99999999", name="x").fails("Invalid channel folder ID")

    assert queue.silent()


def test_a_folder_with_channels_cannot_be_archived(chat, admin):
    number = create(admin, "House").succeeds()["channel_folder_id"]
    admin.joins("kitchen", folder_id=number)
    path = f"/channel_folders/{number}"

    admin.patch(path, is_archived=True).fails(
        "You need to remove all the channels from this folder to archive it."
    )

    admin.patch(f"/streams/{chat.channel('kitchen').id}", folder_id="null").succeeds()
    admin.patch(path, is_archived=True).succeeds()
    assert admin.get("/channel_folders").succeeds()["channel_folders"] == []
    listed = admin.get("/channel_folders", include_archived=True).succeeds()["channel_folders"]
    assert [each["id"] for each in listed] == [number]


def test_folders_are_reordered(admin):
    one, two, three = (
        create(admin, name).succeeds()["channel_folder_id"] for name in ("one", "two", "three")
    )
    queue = admin.listens_for("channel_folder")

    admin.patch("/channel_folders", order=[three, one, two]).succeeds()

    assert queue.next() == {"type": "channel_folder", "op": "reorder", "order": [three, one, two]}
    listed = admin.get("/channel_folders").succeeds()["channel_folders"]
    assert [(each["id"], each["order"]) for each in listed] == [(three, 0), (one, 1), (two, 2)]
    for wrong in ([one, two], [one, two, two], [one, two, three, 99_999_999]):
        admin.patch("/channel_folders", order=wrong).fails("Invalid order mapping.")
    admin.patch("/channel_folders").fails("Missing 'order' argument")
    assert queue.silent()
