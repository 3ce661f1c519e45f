"""GET and DELETE /events: waiting, acknowledging, and the end of a queue."""

import pytest
from tests.support.people import Chat
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import actions

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def bad_queue(reply, queue_id):
    response = reply.fails(f"Bad event queue ID: {queue_id}", code="BAD_EVENT_QUEUE_ID")
    assert response["queue_id"] == queue_id


@pytest.fixture
def channels():
    return ["kitchen"]


@pytest.fixture
def queue(ana, ben):
    """Ana sends, Ben listens."""
    return ben.listens_for("message")


def numbers(reply) -> list[int]:
    return [event["id"] for event in reply.succeeds()["events"]]


# --- acknowledging ---


def test_a_new_queue_is_empty(queue):
    response = queue.poll(-1).succeeds()

    assert response == {"result": "success", "msg": "", "events": []}


def test_the_same_last_event_id_gives_the_same_events(ana, queue):
    ana.says("one", to="kitchen > count")
    ana.says("two", to="kitchen > count")

    first, again = queue.poll(-1).succeeds(), queue.poll(-1).succeeds()

    assert first == again
    assert [each["message"]["content"] for each in first["events"]] == ["one", "two"]


def test_an_id_acknowledges_everything_up_to_it(ana, queue):
    for word in ("one", "two", "three"):
        ana.says(word, to="kitchen > count")
    one, two, three = numbers(queue.poll(-1))

    assert numbers(queue.poll(one)) == [two, three]
    assert numbers(queue.poll(one)) == [two, three]
    assert numbers(queue.poll(three)) == []
    assert one < two < three


def test_acknowledged_events_are_gone(ana, queue):
    ana.says("one", to="kitchen > count")
    ana.says("two", to="kitchen > count")
    one, two = numbers(queue.poll(-1))
    queue.poll(two).succeeds()

    for earlier in (-1, one):
        queue.poll(earlier).fails(f"An event newer than {earlier} has already been pruned!")

    assert numbers(queue.poll(two)) == []


@pytest.mark.parametrize("number", [2**40, 2**62])
def test_an_id_beyond_the_log_is_refused(ana, queue, number):
    ana.says("one", to="kitchen > count")

    response = queue.poll(number)

    assert (response.status, response.json["code"]) == (400, "BAD_EVENT_QUEUE_ID")
    assert len(queue.all()) == 1


@pytest.mark.parametrize("number", [0, 77, -2, -(2**62)])
def test_an_id_that_was_never_given_out_is_refused(ana, queue, number):
    ana.says("one", to="kitchen > count")

    queue.poll(number).fails(f"Event {number} was not in this queue")

    assert len(queue.all()) == 1


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**40])
def test_an_id_that_is_no_number_is_refused(queue, number):
    response = queue.poll(number)

    assert response.status == 400
    assert response.json["code"] == "BAD_REQUEST"


def test_a_wrong_id_does_not_cost_a_queue_its_events(chat, ana, queue):
    ana.says("one", to="kitchen > count")
    chat.server.becomes_cold()

    assert queue.poll(2**50).status == 400

    assert [each["message"]["content"] for each in queue.all()] == ["one"]


# --- parameters ---


@pytest.mark.parametrize(
    "params, msg",
    [
        ({"last_event_id": -1}, "Missing 'queue_id' argument"),
        ({"queue_id": UNKNOWN}, "Missing 'last_event_id' argument"),
        (
            {"queue_id": UNKNOWN, "last_event_id": -1, "dont_block": "yes"},
            "dont_block is not valid JSON",
        ),
        ({"queue_id": UNKNOWN, "last_event_id": "x"}, "last_event_id is not valid JSON"),
        ({"queue_id": UNKNOWN, "last_event_id": 1.5}, "last_event_id is not an integer"),
    ],
)
def test_required_parameters(chat, params, msg):
    chat.person("ana").get("/events", **params).fails(msg)


def test_an_unknown_queue_is_refused(ana):
    for queue_id in (UNKNOWN, "no-such-queue", "", "x" * 5000, "é\n"):
        bad_queue(ana.get("/events", queue_id=queue_id, last_event_id=-1), queue_id)
        bad_queue(ana.delete("/events", queue_id=queue_id), queue_id)


def test_another_users_queue_is_unknown(chat, ana, queue):
    eve = Chat.found(chat.server).person("eve")

    for other in (ana, eve):
        response = other.get("/events", queue_id=queue.queue_id, last_event_id=-1, dont_block=True)
        bad_queue(response, queue.queue_id)
        bad_queue(other.delete("/events", queue_id=queue.queue_id), queue.queue_id)

    assert queue.silent()


def test_anonymous_callers_cannot_poll(chat, queue):
    response = chat.stranger.get("/events", queue_id=queue.queue_id, last_event_id=-1)

    response.asks_to_log_in()


def test_a_poll_without_a_queue_registers_one(ana, ben):
    made = ben.get("/events", dont_block=True).succeeds()
    ana.says("one", to="kitchen > count")

    assert (made["events"], made["idle_queue_timeout_secs"]) == ([], 600)
    response = ben.get("/events", queue_id=made["queue_id"], last_event_id=-1).succeeds()
    assert [each["type"] for each in response["events"]] == ["message"]


# --- waiting ---


def test_a_parked_poll_is_answered_when_an_event_arrives(ana, queue):
    waiting = queue.waits()
    assert not waiting.done()

    soup = ana.says("Soup's on", to="kitchen > lunch")

    (event,) = waiting.result(TIMEOUT_SECONDS)
    assert event["message"]["id"] == soup.id


def test_the_answer_of_a_parked_poll_names_its_queue(ana, queue):
    from_background = queue.waits_raw()

    ana.says("Soup's on", to="kitchen > lunch")

    assert from_background.result(TIMEOUT_SECONDS).succeeds()["queue_id"] == queue.queue_id
    assert "queue_id" not in queue.poll().succeeds()


def test_of_two_polls_the_earlier_returns_at_once(ana, queue):
    earlier = queue.waits()

    later = queue.waits()

    assert earlier.result(TIMEOUT_SECONDS) == []
    assert not later.done()
    ana.says("Soup's on", to="kitchen > lunch")
    assert len(later.result(TIMEOUT_SECONDS)) == 1


def test_a_poll_that_does_not_wait_ends_a_parked_one(queue):
    waiting = queue.waits()

    queue.poll().succeeds()

    assert waiting.result(TIMEOUT_SECONDS) == []


def test_deleting_a_queue_ends_its_parked_poll(queue):
    waiting = queue.waits_raw()

    queue.stops().succeeds()

    bad_queue(waiting.result(TIMEOUT_SECONDS), queue.queue_id)
    bad_queue(queue.stops(), queue.queue_id)
    bad_queue(queue.poll(), queue.queue_id)


def test_deleting_a_queue_requires_its_id(chat):
    chat.person("ana").delete("/events").fails("Missing 'queue_id' argument")


def test_a_heartbeat_arrives_while_nothing_happens(start_server):
    chat = Chat.found(start_server(heartbeat_seconds=1), "")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    everything, messages = ben.listens_for(), ben.listens_for("message")

    beats = [queue.waits() for queue in (everything, messages)]

    assert [each.result(TIMEOUT_SECONDS) for each in beats] == [[{"type": "heartbeat"}]] * 2
    soup = ana.says("Soup's on", to="kitchen > lunch")
    assert messages.next()["message"]["id"] == soup.id


def test_a_client_that_disconnects_misses_nothing(chat, ana, ben, queue):
    connection = ben.server.client.connect()
    target = f"/api/v1/events?queue_id={queue.queue_id}&last_event_id=-1"
    connection.request("GET", target, headers=ben.headers)
    eventually(lambda: chat.server.is_parked(queue.queue_id))
    connection.close()

    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert queue.next()["message"]["id"] == soup.id


def test_a_stopping_server_answers_all_parked_polls(own_chat):
    ana = own_chat.person("ana")
    waiting = [ana.listens_for("message").waits() for _ in range(5)]

    own_chat.server.stop()

    assert [each.result(TIMEOUT_SECONDS) for each in waiting] == [[]] * 5
    own_chat.server.start()


# --- idle queues ---


def sweep(chat):
    """Run the job that runs every 30 seconds."""
    chat.server.store_positions()


def test_an_unpolled_queue_is_deleted_in_time(own_chat):
    own_chat.server.clock.stop()
    ana = own_chat.person("ana")
    short = ana.listens_for("message", idle_queue_timeout=100)
    long = ana.listens_for("message", idle_queue_timeout='"mobile"')
    own_chat.server.clock.move(seconds=90)
    sweep(own_chat)
    short.poll().succeeds()
    own_chat.server.clock.move(seconds=90)
    sweep(own_chat)
    short.poll().succeeds()

    own_chat.server.clock.move(seconds=300)
    sweep(own_chat)

    bad_queue(short.poll(), short.queue_id)
    long.poll().succeeds()


def test_a_queue_with_a_parked_poll_is_not_deleted(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message", idle_queue_timeout=100)
    waiting = queue.waits()

    own_chat.server.clock.move(hours=5)
    sweep(own_chat)

    ana.says("Still there?", to="kitchen > lunch")
    assert len(waiting.result(TIMEOUT_SECONDS)) == 1


def test_beyond_the_limit_the_least_recently_polled_queue_is_dropped(own_chat, monkeypatch):
    monkeypatch.setattr(actions.queues, "MAX_PER_USER", 3)
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    his = ben.listens_for("message")
    first, second, third = (ana.listens_for("message") for _ in range(3))
    own_chat.server.clock.move(minutes=1)
    waiting = first.waits()
    assert third.silent()
    sweep(own_chat)

    fourth = ana.listens_for("message")

    assert second.poll().json["code"] == "BAD_EVENT_QUEUE_ID"
    ben.says("Soup's on", to="kitchen > lunch")
    assert len(waiting.result(TIMEOUT_SECONDS)) == 1
    assert [len(queue.all()) for queue in (third, fourth, his)] == [1, 1, 1]
