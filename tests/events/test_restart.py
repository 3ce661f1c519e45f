"""A queue is a position in the log: it continues after a restart."""

import pytest

from tertulia import actions
from tertulia.domain.people.user import NewUser


def contents(events) -> list[str]:
    return [each["message"]["content"] for each in events]


def test_a_queue_survives_a_restart(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    ana.says("one", to="kitchen > count")
    ana.says("two", to="kitchen > count")
    before = queue.poll(-1).succeeds()["events"]

    own_chat.server.restart()
    ana.says("three", to="kitchen > count")

    after = queue.poll(-1).succeeds()["events"]
    assert after[:2] == before
    assert contents(after) == ["one", "two", "three"]
    assert contents(queue.poll(after[1]["id"]).succeeds()["events"]) == ["three"]


def test_acknowledged_events_are_not_repeated(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    ana.says("one", to="kitchen > count")
    assert len(queue.all()) == 1
    assert queue.all() == []

    own_chat.server.restart()
    ana.says("two", to="kitchen > count")

    assert contents(queue.all()) == ["two"]


def test_events_during_a_downtime_arrive_afterwards(own_chat):
    ana = own_chat.person("ana")
    queue = ana.listens_for("realm_user")
    own_chat.server.stop()

    new = NewUser("ben@example.com", "Ben")
    ben, _ = own_chat.write_from_outside(
        actions.people.account_creation.add, own_chat.server.vault, new
    )
    own_chat.server.start()

    assert [each["person"]["user_id"] for each in queue.all()] == [ben.id]


def test_a_log_event_with_several_wire_events_continues_in_its_middle(own_chat):
    ana, ben = own_chat.people("ana", "ben")
    queue = ben.listens_for("stream", "subscription")
    ana.joins("cellar", invite_only=True, principals=[ben.id])
    create, add = queue.poll(-1).succeeds()["events"]

    own_chat.server.restart()

    assert queue.poll(create["id"]).succeeds()["events"] == [add]
    assert queue.poll(add["id"]).succeeds()["events"] == []


def test_a_deleted_queue_stays_deleted(own_chat):
    queue = own_chat.person("ana").listens_for("message")
    queue.stops().succeeds()

    own_chat.server.restart()

    assert queue.poll().json["code"] == "BAD_EVENT_QUEUE_ID"


def test_the_id_of_an_ephemeral_event_is_accepted_after_a_restart(own_chat):
    """A heartbeat has an id, and a client may use it after a restart."""
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    ana.says("one", to="kitchen > count")
    (event,) = queue.poll(-1).succeeds()["events"]
    beat = event["id"] + 1

    own_chat.server.restart()
    ana.says("two", to="kitchen > count")

    assert contents(queue.poll(beat).succeeds()["events"]) == ["two"]


def test_many_queues_keep_their_positions(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queues = [ben.listens_for("message") for _ in range(5)]
    for number, queue in enumerate(queues):
        ana.says(f"{number}", to="kitchen > count")
        queue.all()
        queue.all()

    own_chat.server.restart()

    rest = [contents(queue.all()) for queue in queues]
    assert rest == [[f"{n}" for n in range(first + 1, 5)] for first in range(5)]


@pytest.mark.parametrize("times", [3])
def test_queues_survive_several_restarts(own_chat, times):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")

    received = []
    for number in range(times):
        ana.says(f"{number}", to="kitchen > count")
        own_chat.server.restart()
        received += contents(queue.all())

    assert received == [f"{number}" for number in range(times)]
