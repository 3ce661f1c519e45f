"""PostgreSQL is restarted again and again, cleanly and not, while users act."""

import itertools
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crash.cluster import cluster
from tests.crash.conftest import NewServer
from tests.crash.load import send_until_accepted
from tests.crash.people import create_organization
from tests.crash.server import ServerProcess
from tests.crash.test_kill import data_problems
from tests.crash.workload import LAST_CONTENT, Actor, Replica
from tests.support.waiting import TIMEOUT_SECONDS, eventually

pytestmark = [pytest.mark.postgres, pytest.mark.soak]

MAX_ACTIONS_PER_RESTART = 25
RESTARTS = int(os.environ.get("TERTULIA_TEST_RESTARTS", "50"))


def test_database_restarts_lose_nothing(tmp_path: Path, new_server: NewServer):
    with cluster() as postgres:
        url = f"postgresql://postgres@{postgres.address}/postgres"
        server = new_server(url, tmp_path / "data")
        ways = itertools.cycle(["fast", "immediate"])

        live_through(url, server, lambda: postgres.restart(next(ways)), RESTARTS)


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
        wait_until_done(actors, done(actors) + chance.randrange(1, MAX_ACTIONS_PER_RESTART))
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
