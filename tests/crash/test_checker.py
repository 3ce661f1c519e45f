"""Tests of the checker: it finds errors that are planted."""

from typing import Any

import pytest
from tests.crash.checker import ReceivedMessages, problems
from tests.crash.history import (
    ACTION_BY_EVENT,
    MISSING,
    ExpectedHistory,
    ObservedHistory,
    is_missing,
)
from tests.crash.workload import Actor
from tests.support.conformance import the_contract

HISTORY = {"kitchen": {1: "Soup", 2: "Tea", 4: "Cake"}, "garden": {3: "Roses"}}
ACKNOWLEDGED = [("Soup", 1), ("Tea", 2), ("Roses", 3)]  # the listener did not receive the cake
BOTH = ["kitchen", "garden"]


def test_a_correct_history_passes():
    listeners = [
        ReceivedMessages("ana", BOTH, [1, 2, 3, 4]),
        ReceivedMessages("ben", ["garden"], [3]),
    ]

    assert list(problems(HISTORY, ACKNOWLEDGED, listeners)) == []


@pytest.mark.parametrize(
    "acknowledged, received, problem",
    [
        ([*ACKNOWLEDGED, ("Bread", 5)], [1, 2, 3, 4], "acknowledged as 5 but lost: 'Bread'"),
        ([("Tea", 1)], [1, 2, 3, 4], "acknowledged as 1 but lost: 'Tea'"),
        (ACKNOWLEDGED, [1, 3, 4], "  missed: [2]"),
        (ACKNOWLEDGED, [1, 2, 3], "  missed: [4]"),
        (ACKNOWLEDGED, [1, 2, 2, 3, 4], "  twice: [2]"),
        (ACKNOWLEDGED, [1, 3, 2, 4], "  out of order: [2]"),
        (ACKNOWLEDGED, [1, 2, 3, 4, 5], "  not theirs: [5]"),
    ],
)
def test_planted_errors_are_found(acknowledged, received, problem):
    assert problem in problems(HISTORY, acknowledged, [ReceivedMessages("ana", BOTH, received)])


def test_a_message_that_was_sent_twice_is_found():
    doubled = HISTORY | {"garden": {3: "Roses", 5: "Roses"}}

    assert list(
        problems(doubled, ACKNOWLEDGED, [ReceivedMessages("ana", BOTH, [1, 2, 3, 4, 5])])
    ) == ["stored 2 times: 'Roses'"]


def test_every_compared_event_is_caused_and_tracked():
    events = [name.removeprefix("event ") for name in the_contract().table if "event " in name]

    missing = [MISSING.format(name) for name in events if is_missing(name)]

    assert not missing, "\n".join(missing)
    assert {*ACTION_BY_EVENT} <= {*events}
    assert {*ACTION_BY_EVENT.values()} <= {*Actor.ACTIONS}


def test_an_event_that_no_listener_tracks_is_reported():
    observed = ObservedHistory("ana")
    observed.apply({"id": 1, "type": "reaction", "op": "double"})
    observed.apply({"id": 2, "type": "presence", "op": "new"})

    assert list(observed.compare(ObservedHistory("the server"))) == [
        f"ana: {MISSING.format('reaction double')}"
    ]


# --- histories ---


def message(number: int, event_id: int, content: str = "Soup") -> dict[str, Any]:
    expected = {"id": number, "content": content}
    return {"id": event_id, "type": "message", "message": expected, "flags": []}


def like(number: int, event_id: int, op: str = "add") -> dict[str, Any]:
    return {"id": event_id, "type": "reaction", "op": op, "message_id": number, "user_id": 9}


TRUE = [message(1, 1), message(2, 2), like(1, 3), like(2, 4), like(2, 5, "remove")]
FAULTS = {
    "a message is lost": [message(1, 1), like(1, 3)],
    "a message is received twice": [*TRUE, message(2, 6)],
    "a message has other words": [message(1, 1, "Tea"), *TRUE[1:]],
    "a like is lost": [message(1, 1), message(2, 2)],
    "a like is received twice": [*TRUE, like(1, 6)],
    "a like that was taken back stays": TRUE[:-1],
    "an event is out of order": [message(2, 2), message(1, 1), *TRUE[2:]],
    "a message is delivered that is not stored": [*TRUE, message(3, 6)],
    "something is read that is not": [
        *TRUE,
        {"id": 6, "type": "update_message_flags", "op": "add", "flag": "read", "messages": [1]},
    ],
}


def observed_history(events: list[dict[str, Any]]) -> ObservedHistory:
    observed = ObservedHistory("ana")
    for event in events:
        observed.apply(event)
    return observed


def test_a_correct_history_passes_the_checker():
    assert list(observed_history(TRUE).compare(observed_history(TRUE))) == []


@pytest.mark.parametrize("events", FAULTS.values(), ids=FAULTS.keys())
def test_the_checker_finds_wrong_events(events):
    assert list(observed_history(events).compare(observed_history(TRUE)))


@pytest.mark.parametrize(
    "steps, found, is_wrong",
    [
        (["done a"], "a", False),
        (["done a"], None, True),
        (["done a", "tried b"], "a", False),
        (["done a", "tried b"], "b", False),
        (["done a", "tried b"], "c", True),
        (["done a", "tried b", "done c"], "b", True),
        (["tried a"], None, False),
    ],
)
def test_the_checker_finds_wrong_answers(steps, found, is_wrong):
    expected = ExpectedHistory("ana")
    for step in steps:
        what, value = step.split()
        (expected.record_acknowledged if what == "done" else expected.record_attempt)("soup", value)

    assert bool(list(expected.compare({"soup": found}))) is is_wrong
