"""Tests of the checker: it finds errors that are planted."""

import pytest
from tests.crash.checker import Heard, problems
from tests.crash.history import CAUSED_BY, MISSING, ObservedHistory, is_missing
from tests.crash.workload import Actor
from tests.support.conformance import the_contract

HISTORY = {"kitchen": {1: "Soup", 2: "Tea", 4: "Cake"}, "garden": {3: "Roses"}}
TOLD = [("Soup", 1), ("Tea", 2), ("Roses", 3)]  # the listener did not receive the cake
BOTH = ["kitchen", "garden"]


def test_a_correct_history_passes():
    hearings = [Heard("ana", BOTH, [1, 2, 3, 4]), Heard("ben", ["garden"], [3])]

    assert list(problems(HISTORY, TOLD, hearings)) == []


@pytest.mark.parametrize(
    "acknowledged, heard, words",
    [
        ([*TOLD, ("Bread", 5)], [1, 2, 3, 4], "acknowledged as 5 but lost: 'Bread'"),
        ([("Tea", 1)], [1, 2, 3, 4], "acknowledged as 1 but lost: 'Tea'"),
        (TOLD, [1, 3, 4], "  missed: [2]"),
        (TOLD, [1, 2, 3], "  missed: [4]"),
        (TOLD, [1, 2, 2, 3, 4], "  twice: [2]"),
        (TOLD, [1, 3, 2, 4], "  out of order: [2]"),
        (TOLD, [1, 2, 3, 4, 5], "  not theirs: [5]"),
    ],
)
def test_planted_errors_are_found(acknowledged, heard, words):
    assert words in problems(HISTORY, acknowledged, [Heard("ana", BOTH, heard)])


def test_a_message_that_was_sent_twice_is_found():
    doubled = HISTORY | {"garden": {3: "Roses", 5: "Roses"}}

    assert list(problems(doubled, TOLD, [Heard("ana", BOTH, [1, 2, 3, 4, 5])])) == [
        "said 2 times: 'Roses'"
    ]


def test_every_compared_event_is_caused_and_tracked():
    events = [name.removeprefix("event ") for name in the_contract().table if "event " in name]

    missing = [MISSING.format(name) for name in events if is_missing(name)]

    assert not missing, "\n".join(missing)
    assert {*CAUSED_BY} <= {*events}
    assert {*CAUSED_BY.values()} <= {*Actor.DEEDS}


def test_an_event_that_no_listener_tracks_is_reported():
    hearsay = ObservedHistory("ana")
    hearsay.hear({"id": 1, "type": "reaction", "op": "double"})
    hearsay.hear({"id": 2, "type": "presence", "op": "new"})

    assert list(hearsay.compare(ObservedHistory("the server"))) == [
        f"ana: {MISSING.format('reaction double')}"
    ]
