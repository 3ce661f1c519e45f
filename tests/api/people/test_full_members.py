"""Full members: a user becomes one after the waiting period, with events."""

from tests.support.groups import group_event
from tests.support.people import Chat

from tertulia.jobs.housekeeping import announce_full_members

DAY = 86_400


def run_job(chat: Chat) -> None:
    """Run the job that runs every minute."""
    chat.server.do(announce_full_members(chat.server.database))


def test_after_the_waiting_period_a_user_is_a_full_member(own_chat: Chat) -> None:
    owner, ana = own_chat.person("owner", role="owner"), own_chat.person("ana")
    full = own_chat.group("fullmembers")
    owner.joins("cellar", invite_only=True, can_subscribe_group=full)
    owner.patch("/realm", waiting_period_threshold=3).succeeds()
    queue = ana.listens_for("user_group", "stream")
    before = ana.get(f"/user_groups/{full}/members").succeeds()["members"]

    own_chat.server.clock.move(seconds=2 * DAY)
    run_job(own_chat)
    too_early = queue.all()
    own_chat.server.clock.move(seconds=DAY)
    run_job(own_chat)
    run_job(own_chat)

    assert ana.id not in before
    assert too_early == []
    assert queue.next() == group_event("add_members", full, user_ids=[ana.id])
    assert [each["name"] for each in queue.next()["streams"]] == ["cellar"]
    assert queue.silent()
    assert ana.id in ana.get(f"/user_groups/{full}/members").succeeds()["members"]


def test_changes_during_a_downtime_are_reported_later(own_chat: Chat) -> None:
    owner, ana = own_chat.person("owner", role="owner"), own_chat.person("ana")
    full = own_chat.group("fullmembers")
    owner.patch("/realm", waiting_period_threshold=3).succeeds()
    queue = owner.listens_for("user_group")

    own_chat.server.stop()
    own_chat.server.clock.move(seconds=3 * DAY)
    own_chat.server.start()
    run_job(own_chat)

    assert queue.all() == [group_event("add_members", full, user_ids=[ana.id])]


def test_nothing_is_written_while_no_user_is_due(own_chat: Chat) -> None:
    owner = own_chat.person("owner", role="owner")
    own_chat.people("ana", "ben")
    owner.patch("/realm", waiting_period_threshold=3).succeeds()
    head = own_chat.head()

    own_chat.server.clock.move(seconds=DAY)
    run_job(own_chat)

    assert own_chat.head() == head


def test_another_waiting_period_adds_and_removes_full_members(chat: Chat) -> None:
    owner, ana, bot = (
        chat.person("owner", role="owner"),
        chat.person("ana"),
        chat.person("bot", bot="generic"),
    )
    full = chat.group("fullmembers")
    owner.joins("cellar", invite_only=True, can_subscribe_group=full)
    cellar = chat.channel("cellar").id
    queue = ana.listens_for("user_group", "realm", "stream")

    for days in (10, 0):
        owner.patch("/realm", waiting_period_threshold=days).succeeds()

    setting = {"type": "realm", "op": "update", "property": "waiting_period_threshold"}
    assert queue.next() == {**setting, "value": 10}
    assert queue.next() == group_event("remove_members", full, user_ids=[ana.id, bot.id])
    assert queue.next()["stream_ids"] == [cellar]
    assert queue.next() == {**setting, "value": 0}
    assert queue.next() == group_event("add_members", full, user_ids=[ana.id, bot.id])
    assert [each["stream_id"] for each in queue.next()["streams"]] == [cellar]
    assert queue.silent()
