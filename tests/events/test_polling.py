"""GET and DELETE /events: waiting, acknowledging, and the ends of a queue."""

import time

import pytest
from tests.support.people import Chat
from tests.support.waiting import PATIENCE_SECONDS, eventually

from tertulia import actions
from tertulia.jobs.housekeeping import keep_positions

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def bad_queue(reply, queue_id):
    told = reply.fails(f"Bad event queue ID: {queue_id}", code="BAD_EVENT_QUEUE_ID")
    assert told["queue_id"] == queue_id


@pytest.fixture
def channels():
    return ["kitchen"]


@pytest.fixture
def ears(ana, ben):
    """Ana may talk: Ben listens."""
    return ben.listens_for("message")


def numbers(reply) -> list[int]:
    return [event["id"] for event in reply.succeeds()["events"]]


# --- acknowledging ---


def test_nothing_has_happened_yet(ears):
    answer = ears.poll(-1).succeeds()

    assert answer == {"result": "success", "msg": "", "events": []}


def test_the_same_number_gives_the_same_events(ana, ears):
    ana.says("one", to="kitchen > count")
    ana.says("two", to="kitchen > count")

    first, again = ears.poll(-1).succeeds(), ears.poll(-1).succeeds()

    assert first == again
    assert [each["message"]["content"] for each in first["events"]] == ["one", "two"]


def test_a_number_acknowledges_everything_up_to_it(ana, ears):
    for word in ("one", "two", "three"):
        ana.says(word, to="kitchen > count")
    one, two, three = numbers(ears.poll(-1))

    assert numbers(ears.poll(one)) == [two, three]
    assert numbers(ears.poll(one)) == [two, three]
    assert numbers(ears.poll(three)) == []
    assert one < two < three


def test_what_was_acknowledged_is_gone(ana, ears):
    ana.says("one", to="kitchen > count")
    ana.says("two", to="kitchen > count")
    one, two = numbers(ears.poll(-1))
    ears.poll(two).succeeds()

    for earlier in (-1, one):
        ears.poll(earlier).fails(f"An event newer than {earlier} has already been pruned!")

    assert numbers(ears.poll(two)) == []


@pytest.mark.parametrize("number", [2**40, 2**62])
def test_a_number_beyond_the_log_belongs_to_another_queue(ana, ears, number):
    ana.says("one", to="kitchen > count")

    answer = ears.poll(number)

    assert (answer.status, answer.json["code"]) == (400, "BAD_EVENT_QUEUE_ID")
    assert len(ears.all()) == 1


@pytest.mark.parametrize("number", [0, 77, -2, -(2**62)])
def test_a_number_that_was_never_given(ana, ears, number):
    ana.says("one", to="kitchen > count")

    ears.poll(number).fails(f"Event {number} was not in this queue")

    assert len(ears.all()) == 1


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**40])
def test_a_number_that_is_none(ears, number):
    answer = ears.poll(number)

    assert answer.status == 400
    assert answer.json["code"] == "BAD_REQUEST"


def test_a_wrong_number_costs_a_cold_queue_nothing(chat, ana, ears):
    ana.says("one", to="kitchen > count")
    chat.server.goes_cold()

    assert ears.poll(2**50).status == 400

    assert [each["message"]["content"] for each in ears.all()] == ["one"]


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
def test_what_has_to_be_said(chat, params, msg):
    chat.person("ana").get("/events", **params).fails(msg)


def test_an_unknown_queue(ana):
    for queue_id in (UNKNOWN, "no-such-queue", "", "x" * 5000, "é\n"):
        bad_queue(ana.get("/events", queue_id=queue_id, last_event_id=-1), queue_id)
        bad_queue(ana.delete("/events", queue_id=queue_id), queue_id)


def test_somebody_elses_queue_is_unknown(chat, ana, ears):
    eve = Chat.found(chat.server).person("eve")

    for other in (ana, eve):
        answer = other.get("/events", queue_id=ears.queue_id, last_event_id=-1, dont_block=True)
        bad_queue(answer, ears.queue_id)
        bad_queue(other.delete("/events", queue_id=ears.queue_id), ears.queue_id)

    assert ears.silent()


def test_strangers_hear_nothing(chat, ears):
    answer = chat.stranger.get("/events", queue_id=ears.queue_id, last_event_id=-1)

    answer.asks_to_log_in()


def test_a_poll_without_a_queue_makes_one(ana, ben):
    made = ben.get("/events", dont_block=True).succeeds()
    ana.says("one", to="kitchen > count")

    assert (made["events"], made["idle_queue_timeout_secs"]) == ([], 600)
    heard = ben.get("/events", queue_id=made["queue_id"], last_event_id=-1).succeeds()
    assert [each["type"] for each in heard["events"]] == ["message"]


# --- waiting ---


def test_a_waiting_poll_is_answered_when_something_happens(ana, ears):
    waiting = ears.waits()
    assert not waiting.done()

    soup = ana.says("Soup's on", to="kitchen > lunch")

    (event,) = waiting.result(PATIENCE_SECONDS)
    assert event["message"]["id"] == soup.id


def test_an_answer_that_had_to_wait_names_its_queue(ana, ears):
    from_background = ears.waits_raw()

    ana.says("Soup's on", to="kitchen > lunch")

    assert from_background.result(PATIENCE_SECONDS).succeeds()["queue_id"] == ears.queue_id
    assert "queue_id" not in ears.poll().succeeds()


def test_of_two_polls_the_earlier_returns_at_once(ana, ears):
    earlier = ears.waits()

    later = ears.waits()

    assert earlier.result(PATIENCE_SECONDS) == []
    assert not later.done()
    ana.says("Soup's on", to="kitchen > lunch")
    assert len(later.result(PATIENCE_SECONDS)) == 1


def test_a_poll_that_does_not_wait_ends_one_that_does(ears):
    waiting = ears.waits()

    ears.poll().succeeds()

    assert waiting.result(PATIENCE_SECONDS) == []


def test_deleting_a_queue_ends_the_poll_that_waits_there(ears):
    waiting = ears.waits_raw()

    ears.stops().succeeds()

    bad_queue(waiting.result(PATIENCE_SECONDS), ears.queue_id)
    bad_queue(ears.stops(), ears.queue_id)
    bad_queue(ears.poll(), ears.queue_id)


def test_a_queue_has_to_be_named_to_be_deleted(chat):
    chat.person("ana").delete("/events").fails("Missing 'queue_id' argument")


def test_a_heart_beats_while_nothing_happens(start_server):
    chat = Chat.found(start_server(heartbeat_seconds=1), "")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    everything, messages = ben.listens_for(), ben.listens_for("message")

    beats = [ears.waits() for ears in (everything, messages)]

    assert [each.result(PATIENCE_SECONDS) for each in beats] == [[{"type": "heartbeat"}]] * 2
    soup = ana.says("Soup's on", to="kitchen > lunch")
    assert messages.next()["message"]["id"] == soup.id


def test_a_heart_beats_for_whoever_has_waited_longest(start_server):
    chat = Chat.found(start_server(heartbeat_seconds=1), "")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    messages, typing = ben.listens_for("message"), ben.listens_for("typing")
    first, patient = messages.waits(), typing.waits()
    time.sleep(0.6)
    ana.says("Soup's on", to="kitchen > lunch")
    first.result(PATIENCE_SECONDS)

    again = messages.waits()

    assert patient.result(PATIENCE_SECONDS) == [{"type": "heartbeat"}]
    assert not again.done()
    assert again.result(PATIENCE_SECONDS) == [{"type": "heartbeat"}]


def test_whoever_hangs_up_misses_nothing(chat, ana, ben, ears):
    connection = ben.server.client._connect()
    target = f"/api/v1/events?queue_id={ears.queue_id}&last_event_id=-1"
    connection.request("GET", target, headers=ben.headers)
    eventually(lambda: chat.server.is_parked(ears.queue_id))
    connection.close()

    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert ears.next()["message"]["id"] == soup.id


def test_a_stopping_server_answers_everybody_who_waits(own_chat):
    ana = own_chat.person("ana")
    waiting = [ana.listens_for("message").waits() for _ in range(5)]

    own_chat.server.stop()

    assert [each.result(PATIENCE_SECONDS) for each in waiting] == [[]] * 5
    own_chat.server.start()


# --- the end of a queue that nobody reads ---


def sweep(chat):
    """What the server does by itself every half minute."""
    server = chat.server
    server.do(keep_positions(server.database, server.application.delivery))


def test_a_queue_that_nobody_polls_is_forgotten_in_time(own_chat):
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


def test_a_queue_at_which_somebody_waits_is_not_forgotten(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    ears = ben.listens_for("message", idle_queue_timeout=100)
    waiting = ears.waits()

    own_chat.server.clock.move(hours=5)
    sweep(own_chat)

    ana.says("Still there?", to="kitchen > lunch")
    assert len(waiting.result(PATIENCE_SECONDS)) == 1


def test_of_too_many_queues_the_one_not_polled_for_longest_gives_way(own_chat, monkeypatch):
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
    assert len(waiting.result(PATIENCE_SECONDS)) == 1
    assert [len(ears.all()) for ears in (third, fourth, his)] == [1, 1, 1]
