"""kill -9 while users do everything that users do: nothing is lost or wrong."""

import os
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.crash.conftest import NewServer
from tests.crash.history import ExpectedHistory, ObservedHistory
from tests.crash.load import send_until_accepted
from tests.crash.people import create_organization
from tests.crash.server import ServerProcess
from tests.crash.test_kill import data_problems
from tests.crash.workload import LAST_CONTENT, Actor, Replica
from tests.support.databases import Databases, Kind
from tests.support.waiting import TIMEOUT_SECONDS, eventually

MAX_ACTIONS_PER_LIFE = 25
KILLS = int(os.environ.get("TERTULIA_TEST_KILLS", "1000"))  # on both databases together


@pytest.mark.parametrize(
    "kind, kills",
    [
        ("sqlite", 12),
        pytest.param("postgres", 8, marks=pytest.mark.postgres),
        pytest.param("sqlite", KILLS * 3 // 5, marks=pytest.mark.soak),
        pytest.param("postgres", KILLS * 2 // 5, marks=[pytest.mark.soak, pytest.mark.postgres]),
    ],
)
def test_kill_9_during_mixed_load_loses_nothing(
    databases: Databases, new_server: NewServer, kind: Kind, kills: int
):
    url, folder = databases.ready(kind)
    server = new_server(url, folder)

    def kill() -> None:
        server.kill()
        server.start()

    live_through(url, server, kill, kills)


def live_through(url: str, server: ServerProcess, trouble: Callable[[], None], times: int) -> None:
    """Users act while failures happen again and again; in the end nothing is wrong."""
    seed = os.environ.get("TERTULIA_TEST_SEED") or str(random.randrange(1_000_000))
    chance = random.Random(seed)
    people = create_organization(url, "ana ben cleo dan")
    server.start()
    for name in people:
        people[name].at(server.port).joins("kitchen")
    replicas = [Replica(name, people[name].at(server.port)) for name in ("ana", "dan")]
    actors = [
        Actor(name, people[name].at(server.port), "kitchen") for name in ("ana", "ben", "cleo")
    ]

    for thread in (*replicas, *actors):
        thread.start()
    for _ in range(times):
        wait_until_done(actors, done(actors) + chance.randrange(1, MAX_ACTIONS_PER_LIFE))
        if any(actor.expected.problems for actor in actors):
            break
        time.sleep(chance.uniform(0, 0.01))
        trouble()
    for actor in actors:
        actor.stop()
    fields = {"type": "channel", "to": "kitchen", "topic": "end"}
    send_until_accepted(people["ben"].at(server.port), LAST_CONTENT, fields)
    for replica in replicas:
        replica.join(TIMEOUT_SECONDS)

    problems = [each for actor in actors for each in actor.expected.compare(actor.found())]
    for replica in replicas:
        problems += replica.observed.compare(replica.truth())
    server.kill()
    problems += data_problems(url)
    assert not problems, f"TERTULIA_TEST_SEED={seed}\n" + "\n".join(problems[:30])
    assert {action for actor in actors for action in actor.done} == set(Actor.ACTIONS)
    assert sum(actor.expected.unanswered for actor in actors) > 0, "nothing was ever cut off"


def wait_until_done(actors: list[Actor], count: int) -> None:
    eventually(lambda: done(actors) >= count or any(actor.expected.problems for actor in actors))


def done(actors: list[Actor]) -> int:
    return sum(actor.expected.acknowledged for actor in actors)


# --- tests of the checker ---


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
