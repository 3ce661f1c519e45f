"""Calls that name many messages, users or groups: bounded writes, and the same result."""

from tests.support.groups import make, shown
from tests.support.write_counter import COUNTER

from tertulia import domain
from tertulia.actions.messages import flags


def test_many_messages_are_flagged_in_several_writes(in_kitchen, ana, monkeypatch):
    monkeypatch.setattr(flags, "MAX_PER_WRITE", 2)
    ids = [ana.says(f"{number}", to="kitchen > lunch").id for number in range(5)]
    queue = ana.listens_for("update_message_flags")

    found = ana.post("/messages/flags", messages=ids, op="add", flag="starred").succeeds()

    assert found["messages"] == ids
    assert [each for event in queue.all() for each in event["messages"]] == ids
    assert all("starred" in ana.sees(each)["flags"] for each in ids)


def test_a_large_call_with_an_invisible_message_flags_nothing(in_kitchen, ana, monkeypatch):
    monkeypatch.setattr(flags, "MAX_PER_WRITE", 2)
    ids = [ana.says(f"{number}", to="kitchen > lunch").id for number in range(5)]

    ana.post("/messages/flags", messages=[*ids, 10**9], op="add", flag="starred").fails(
        "Invalid message(s)"
    )

    assert not any("starred" in ana.sees(each)["flags"] for each in ids)


def test_all_messages_of_a_narrow_are_flagged_in_several_writes(in_kitchen, ana, monkeypatch):
    monkeypatch.setattr(flags, "MAX_PER_WRITE", 2)
    ids = [ana.says(f"{number}", to="kitchen > lunch").id for number in range(5)]
    window = {"anchor": "oldest", "num_before": 0, "num_after": 100, "narrow": []}

    found = ana.post("/messages/flags/narrow", **window, op="add", flag="starred").succeeds()

    assert (found["processed_count"], found["updated_count"]) == (5, 5)
    assert all("starred" in ana.sees(each)["flags"] for each in ids)


def test_members_change_in_one_write_and_are_notified_in_others(ana, chat, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_NOTICES_PER_WRITE", 2)
    crew = chat.people(*(f"crew{number}" for number in range(5)))
    group_id = make(ana, "bakers", (ana,))
    ids = [each.id for each in crew]

    with COUNTER.recording() as writes:
        ana.post(f"/user_groups/{group_id}/members", add=ids).succeeds()

    assert sum(each.action.endswith("notify_members") for each in writes) == 3
    assert shown(ana, group_id)["members"] == [ana.id, *ids]
    for each in crew:
        (notice,) = each.get("/messages", anchor="newest", num_before=9).succeeds()["messages"]
        assert "bakers" in notice["content"]


def test_the_statements_of_drafts_do_not_grow_with_their_recipients(ana, chat):
    crew = chat.people(*(f"crew{number}" for number in range(20)))
    letters = [
        {"type": "private", "to": [each.id], "topic": "", "content": "x"} for each in [*crew, ana]
    ]

    with COUNTER.recording() as writes:
        ana.post("/drafts", drafts=letters).succeeds()

    (write,) = writes
    assert write.statements < 2 * len(letters)


def test_a_permission_names_a_limited_number_of_users(owner, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_MEMBERS_PER_PERMISSION", 2)
    named = {"direct_members": [owner.id] * 3, "direct_subgroups": []}

    owner.patch("/realm", can_create_groups={"new": named}).fails(
        "'can_create_groups' names too many users or groups (limit: 2). Create a group of them."
    )


def test_members_of_a_group_see_the_channels_that_a_group_around_it_opens(chat, admin):
    """Only channels that depend on a changed group are compared."""
    inner, outer = make(admin, "bakers"), make(admin, "cooks")
    admin.post(f"/user_groups/{outer}/subgroups", add=[inner]).succeeds()
    admin.post(
        "/channels/create",
        name="cellar",
        subscribers=[admin.id],
        invite_only=True,
        can_subscribe_group=outer,
    ).succeeds()
    ben = chat.person("ben")
    queue = ben.listens_for("stream")

    admin.post(f"/user_groups/{inner}/members", add=[ben.id]).succeeds()

    event = queue.next()
    assert (event["op"], [each["name"] for each in event["streams"]]) == ("create", ["cellar"])
