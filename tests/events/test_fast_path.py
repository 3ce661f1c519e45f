"""Fast-path sends: a plain message after another by the same user skips the checks, with the
same result."""

import itertools
from typing import Any

import pytest
from tests.support.event_queue import in_background
from tests.support.people import Person
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import actions, storage
from tertulia.caches.send_permits import MAX_AGE_SECONDS
from tertulia.database.tx import Tx
from tertulia.domain.personal.topic_policies import Automatic, TopicPolicy, after_sending


@pytest.fixture
def appended(monkeypatch) -> list[int]:
    """How many messages each fast insert had."""
    counts: list[int] = []
    appending = storage.messages.fast_insert
    append, numbers = appending.append, appending.numbers

    def counting(tx: Tx, sends: Any) -> Any:
        given = append(tx, sends)
        counts.append(len(given or ()))
        return given

    def counting_numbers(rows: Any, now: float) -> Any:
        given = numbers(rows, now)
        counts.append(sum(map(len, given.values())))
        return given

    monkeypatch.setattr(appending, "append", counting)
    monkeypatch.setattr(appending, "numbers", counting_numbers)
    return counts


@pytest.fixture
def kitchen(in_kitchen: None, ana: Person, ben: Person) -> list[Person]:
    for _ in range(2):  # the first message of a user to a place changes more
        ana.says("First", to="kitchen > lunch")
        ana.says("First", to=[ben])
    return [ana, ben]


def test_a_fast_path_message_equals_an_ordinary_one(chat, kitchen, appended):
    ana, ben = kitchen
    queue = ben.listens_for("message", apply_markdown=True)

    in_channel = ana.says("/me **waves**, https://example.com", to="kitchen > lunch")
    direct = ana.says("Psst", to=[ben])

    assert appended == [1, 1]
    assert in_channel.id < direct.id
    received = [queue.next()["message"] for _ in range(2)]
    chat.server.becomes_cold()
    again = [each["message"] for each in queue.poll(-1).succeeds()["events"]]
    assert received == again
    for message, event in zip([in_channel, direct], received, strict=True):
        shown = ben.sees(message)
        assert event == {key: shown[key] for key in event}


def test_simultaneous_sends_are_one_insert(own_chat, appended):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    ana.says("First", to="kitchen > lunch")
    first = ana.says("Second", to="kitchen > lunch")
    queue = ben.listens_for("message")

    sends = [in_background(lambda: ana.says("Soup", to="kitchen > lunch")) for _ in range(20)]
    ids = sorted(send.result(TIMEOUT_SECONDS).id for send in sends)

    assert sum(appended) == 20
    assert len(appended) < 20
    assert [each["message"]["id"] for each in queue.all()] == ids
    assert first.id < ids[0]


def test_a_key_is_valid_for_one_message(chat, kitchen, appended):
    ana, _ = kitchen
    keyed = ana.with_headers(**{"Idempotency-Key": "soup"})

    once = keyed.says("Soup's on", to="kitchen > lunch")
    twice = keyed.says("Soup's on", to="kitchen > lunch")

    assert once.id == twice.id
    assert appended[:1] == [1]
    keyed.tries_to_say("Tea!", to="kitchen > lunch").fails(
        "This key was already used for a different message"
    )


@pytest.mark.parametrize(
    "words", ["@**Ben**", "@**all**", "/poll Soup?", "/todo"], ids=["name", "all", "poll", "todo"]
)
def test_a_message_with_further_effects_is_not_plain(kitchen, appended, words):
    ana, _ = kitchen

    ana.says(words, to="kitchen > lunch")

    assert appended == []


def test_a_send_permit_expires(chat, kitchen, appended):
    ana, _ = kitchen
    chat.server.clock.move(seconds=MAX_AGE_SECONDS + 1)

    ana.says("Anybody?", to="kitchen > lunch")
    ana.says("Hello?", to="kitchen > lunch")

    assert appended == [1]


def test_a_permission_change_by_another_process_is_respected(own_chat, appended):
    """Before this server has applied the event."""
    owner = own_chat.person("olga", role="owner")
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    for _ in range(3):
        ana.says("Soup?", to=[ben])
    before = sum(appended)

    with own_chat.server.applies_no_events(own_chat.realm.id):
        own_chat.write_from_outside(
            actions.people.accounts.deactivate, owner.record, ben.id, own_chat.server.vault
        )
        refused = in_background(lambda: ana.tries_to_say("Tea?", to=[ben]))
        eventually(lambda: len(appended) > before)

    refused.result(TIMEOUT_SECONDS).fails("A recipient's account is deactivated.")
    assert sum(appended) == before


def test_effects_of_a_first_message_do_not_repeat():
    everything = itertools.product(TopicPolicy, Automatic, Automatic, [True, False], [True, False])
    for before, follow, unmute, muted, starts in everything:
        once = after_sending(before, follow, unmute, channel_muted=muted, starts_topic=starts)
        again = after_sending(once, follow, unmute, channel_muted=muted, starts_topic=False)
        assert again == once
