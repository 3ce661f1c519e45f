"""Queues that are registered and never polled cost one position in the log."""

import pytest

from tertulia import actions, storage
from tertulia.events.delivery.mailbox import IDLE_AFTER_SECONDS, MAX_PENDING_BYTES

LONG = "soup " * 1900


def held(chat):
    """(events, bytes) in all mailboxes of the server."""
    return chat.server.pending()


def test_an_unpolled_queue_holds_nothing_and_misses_nothing(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    left = [ben.listens_for("message") for _ in range(5)]
    ana.says("first", to="kitchen > lunch")
    own_chat.server.clock.move(seconds=IDLE_AFTER_SECONDS + 1)

    for number in range(20):
        ana.says(f"{number}", to="kitchen > lunch")

    assert held(own_chat) == (0, 0)
    for queue in left:
        assert [each["message"]["content"] for each in queue.all()] == [
            "first",
            *(f"{number}" for number in range(20)),
        ]


def test_unacknowledged_events_are_delivered_again_once(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    for word in ("one", "two", "three"):
        ana.says(word, to="kitchen > count")
    given = queue.poll().succeeds()["events"]
    own_chat.server.clock.move(seconds=IDLE_AFTER_SECONDS + 1)
    ana.says("four", to="kitchen > count")
    assert held(own_chat) == (0, 0)

    queue.last_event_id = given[1]["id"]

    assert [each["message"]["content"] for each in queue.all()] == ["three", "four"]
    assert queue.silent()


@pytest.mark.parametrize("goes", ["away", "cold"])
def test_delivered_events_can_be_acknowledged_after_they_are_gone(own_chat, goes):
    ana = own_chat.person("ana", channels=["kitchen"])
    queue = ana.listens_for("scheduled_messages")
    at = int(own_chat.server.clock()) + 3600
    where = {"type": "channel", "to": own_chat.channel("kitchen").id, "topic": "lunch"}
    soup = ana.post("/scheduled_messages", content="Soup", scheduled_delivery_timestamp=at, **where)
    assert queue.next()["op"] == "add"
    own_chat.server.clock.move(seconds=IDLE_AFTER_SECONDS + 1)

    number = soup.succeeds()["scheduled_message_id"]
    ana.delete(f"/scheduled_messages/{number}").succeeds()
    if goes == "cold":
        own_chat.server.becomes_cold()

    assert [each["op"] for each in queue.all()] == ["remove"]


def test_events_merged_while_pending_are_complete_after_an_absence(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    soup, cake = (ana.says(word, to="kitchen > lunch") for word in ("soup", "cake"))
    queue = ben.listens_for("update_message_flags")
    for message in (soup, cake):
        ben.post("/messages/flags", messages=[message.id], op="add", flag="read").succeeds()
    positions = own_chat.server.positions(own_chat.realm.id)
    own_chat.write(storage.queues.store_positions, positions)

    own_chat.server.becomes_cold()

    received = [number for response in queue.all() for number in response["messages"]]
    assert sorted(received) == [soup.id, cake.id]


def test_housekeeping_empties_mailboxes_without_losing_events(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    ana.says("Soup", to="kitchen > lunch")
    own_chat.server.clock.move(seconds=IDLE_AFTER_SECONDS + 1)

    own_chat.server.drop_cold_mailboxes()

    assert held(own_chat) == (0, 0)
    assert queue.next()["message"]["content"] == "Soup"


def test_a_mailbox_is_limited_in_bytes_and_pages_the_rest(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    sent = [ana.says(LONG, to="kitchen > lunch").id for _ in range(MAX_PENDING_BYTES // 9000)]

    _, most = held(own_chat)
    pages = []
    while page := queue.all():
        pages.append([each["message"]["id"] for each in page])
        most = max(most, held(own_chat)[1])

    assert most < 1.1 * MAX_PENDING_BYTES
    assert len(pages) > 1
    assert [number for page in pages for number in page] == sent


def test_queues_of_one_account_are_limited(own_chat, monkeypatch):
    monkeypatch.setattr(actions.queues, "MAX_PER_USER", 5)
    ana = own_chat.person("ana")

    newest = [ana.listens_for("message") for _ in range(12)][-1]

    assert len(own_chat.read(storage.queues.of_user, ana.id)) == 5
    assert len(own_chat.server.queue_ids(own_chat.realm.id)) == 5
    assert newest.silent()
