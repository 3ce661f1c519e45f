"""Tests of the checker: it finds errors that are planted."""

import pytest
from tests.crash.checker import ReceivedMessages, problems
from tests.crash.history import ACTION_BY_EVENT, MISSING, ObservedHistory, is_missing
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
