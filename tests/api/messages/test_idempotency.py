"""Idempotency: a send with a key happens once, however often it is repeated."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.people import Chat

REUSED = "This key was already used for a different message"


def keyed(person, key):
    return person.with_headers(Idempotency_Key=key)


def count(person) -> int:
    response = person.get("/messages", anchor="newest", num_before=100).succeeds()
    return len(response["messages"])


def test_a_repeat_gets_the_same_answer_and_creates_nothing(in_kitchen, ana):
    queue = ana.listens_for("message")

    responses = [keyed(ana, "k").says("Soup's on", to="kitchen > lunch").answer for _ in range(3)]

    assert responses[0] == responses[1] == responses[2]
    assert responses[0]["automatic_new_visibility_policy"] == 3
    assert len(queue.all()) == 1
    assert count(ana) == 1


def test_direct_messages_are_idempotent_too(ana, ben):
    responses = [keyed(ana, "k").says("psst", to=[ben]).answer for _ in range(2)]

    assert responses[0] == responses[1]
    assert count(ben) == 1


def test_a_queue_and_a_local_id_are_a_key(in_kitchen, ana):
    queue = ana.listens_for("message")

    def send(local_id, queue_id=queue.queue_id):
        message = ana.says("Soup's on", to="kitchen > lunch", queue_id=queue_id, local_id=local_id)
        return message.id

    first, again, other, elsewhere = (
        send("1.01"),
        send("1.01"),
        send("1.02"),
        send("1.01", "unknown"),
    )

    assert first == again
    assert len({first, other, elsewhere}) == 3
    assert len(queue.all()) == 3


def test_a_local_id_without_a_queue_is_no_key(in_kitchen, ana):
    for _ in range(2):
        ana.says("Soup's on", to="kitchen > lunch", local_id="1.01")

    assert count(ana) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"content": "Bread's on"},
        {"topic": "dinner"},
        {"to": "garden"},
        {"type": "direct", "to": "[{id}]"},
    ],
    ids=["words", "topic", "channel", "kind"],
)
def test_the_same_key_with_other_content_is_refused(chat, other):
    ana = chat.person("ana", channels=["kitchen", "garden"])
    params = {"type": "channel", "to": "kitchen", "topic": "lunch", "content": "Soup's on"}
    keyed(ana, "k").post("/messages", **params).succeeds()
    changed = params | {name: value.format(id=ana.id) for name, value in other.items()}

    keyed(ana, "k").post("/messages", **changed).fails(REUSED)

    assert count(ana) == 1


def test_normalized_differences_do_not_matter(in_kitchen, ana):
    first = keyed(ana, "k").says("Soup's on", to="kitchen > lunch")
    again = keyed(ana, "k").says("\nSoup's on  \n", to="kitchen >  lunch ")

    assert first.id == again.id


def test_every_user_has_their_own_keys(chat, in_kitchen, ana, ben):
    eve = Chat.found(chat.server).person("eve", channels=["kitchen"])

    sent = [keyed(who, "k").says("x", to="kitchen > lunch").id for who in (ana, ben, eve)]

    assert len(set(sent)) == 3


def test_a_failed_send_does_not_use_its_key(ana):
    keyed(ana, "k").tries_to_say("x", to="attic > y").fails(
        "Channel 'attic' does not exist", code="STREAM_DOES_NOT_EXIST"
    )
    ana.joins("attic")

    keyed(ana, "k").says("something else", to="attic > y")


def test_a_key_expires_after_a_day(chat, in_kitchen, ana):
    first = keyed(ana, "k").says("Soup's on", to="kitchen > lunch").id
    chat.server.clock.move(hours=23)
    within = keyed(ana, "k").says("Soup's on", to="kitchen > lunch").id
    chat.server.clock.move(hours=2)

    after = keyed(ana, "k").says("Soup's on", to="kitchen > lunch").id
    again = keyed(ana, "k").says("Soup's on", to="kitchen > lunch").id

    assert first == within != after == again


def test_a_key_survives_a_restart(own_chat):
    ana = own_chat.person("ana", channels=["kitchen"])
    first = keyed(ana, "k").says("Soup's on", to="kitchen > lunch")

    own_chat.server.restart()

    assert keyed(ana, "k").says("Soup's on", to="kitchen > lunch").id == first.id
    assert count(ana) == 1


def test_simultaneous_repeats_create_one_message(in_kitchen, ana):
    with ThreadPoolExecutor(12) as pool:
        sends = [
            pool.submit(keyed(ana, f"k{n % 3}").says, f"{n % 3}", to="kitchen > lunch")
            for n in range(36)
        ]
        ids = {each.result().id for each in sends}

    assert len(ids) == 3
    assert count(ana) == 3


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_the_length_of_a_key_is_limited(in_kitchen, ana, key):
    response = keyed(ana, key).tries_to_say("x", to="kitchen > lunch")

    response.fails("Idempotency-Key must have 1 to 200 characters")


@pytest.mark.parametrize("key", ["x" * 200, "a b/c", "é", "echo:q:1", "key:k"])
def test_a_key_may_be_any_text(in_kitchen, ana, key):
    ids = {keyed(ana, key).says("x", to="kitchen > lunch").id for _ in range(2)}

    assert len(ids) == 1


def test_a_repeat_is_answered_even_if_the_sender_may_no_longer_send(ana):
    ana.joins("cellar", invite_only=True)
    first = keyed(ana, "k").says("x", to="cellar > y")
    ana.leaves("cellar")

    assert keyed(ana, "k").says("x", to="cellar > y").id == first.id
