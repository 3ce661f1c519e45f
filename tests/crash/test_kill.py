"""kill -9 at random moments while users send and poll, with PostgreSQL.

With SQLite the simulator kills servers (`tests/simulation`).

No acknowledged message is lost, no send with a key happens twice, and no listener misses an event,
receives it twice or out of order, or has to register again.
"""

import os
import random
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import pytest
from tests.crash import checker
from tests.crash.checker import History, ReceivedMessages
from tests.crash.client import Client
from tests.crash.conftest import NewServer
from tests.crash.load import (
    SHORT_PAUSE_SECONDS,
    Listener,
    RoamingClient,
    Sender,
    content_of,
    final_message,
    send_until_accepted,
)
from tests.crash.people import Person, create_organization
from tests.crash.server import ServerProcess
from tests.support.databases import Databases, Kind
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import storage
from tertulia.database import BlockingDatabase

MAX_MESSAGES_PER_LIFE = 60  # messages before the next kill


@pytest.mark.parametrize(
    "kind, kills",
    [
        pytest.param("postgres", 3, marks=pytest.mark.postgres),
        pytest.param("postgres", 300, marks=[pytest.mark.soak, pytest.mark.postgres]),
    ],
)
def test_kill_9_loses_nothing_and_repeats_nothing(
    databases: Databases, new_server: NewServer, kind: Kind, kills: int
):
    seed = os.environ.get("TERTULIA_TEST_SEED") or str(random.randrange(1_000_000))
    url, folder = databases.ready(kind)
    server = new_server(url, folder)
    scene = Scene(url, server, lambda person: person.at(server.port))

    scene.begin()
    kill_again_and_again(server, scene, random.Random(seed), kills)
    scene.end()

    problems = [*scene.problems(), *data_problems(url)]
    assert not problems, f"TERTULIA_TEST_SEED={seed}\n" + "\n".join(problems[:40])
    assert scene.repeats > 0, "no send was ever cut off, so nothing was shown"


def kill_again_and_again(
    server: ServerProcess, scene: "Scene", chance: random.Random, kills: int
) -> None:
    """Every kill hits a busy server; sometimes another one hits it during the start."""
    for number in range(kills):
        server.wait_until_it_answers()
        scene.wait_for_messages(chance.randrange(1, MAX_MESSAGES_PER_LIFE))
        time.sleep(chance.uniform(0, 0.02))
        server.kill()
        server.start(wait=False)
        if number % 6 == 5:
            time.sleep(chance.uniform(0, 0.5))
            server.kill()
            server.start(wait=False)
    server.wait_until_it_answers()


class Served(Protocol):
    """One server, or several of which any may be used."""

    def start(self) -> None: ...
    def end(self) -> None: ...


class Scene:
    """Two channels and a conversation with senders and listeners."""

    def __init__(
        self,
        url: str,
        server: Served,
        reach: Callable[[Person], Client],
        pause_seconds: float = SHORT_PAUSE_SECONDS,
    ) -> None:
        self._server = server
        self._pause_seconds = pause_seconds
        self._reach = reach
        self.people = create_organization(url, "ana ben cleo dan eva fay gil hal")
        pair = [self.people["dan"].id, self.people["eva"].id]
        self._destinations: dict[str, dict[str, Any]] = {
            "kitchen": {"type": "channel", "to": "kitchen", "topic": "lunch"},
            "garden": {"type": "channel", "to": "garden", "topic": "roses"},
            "direct": {"type": "direct", "to": pair},
        }
        self.senders: list[Sender] = []
        self.listeners: list[Listener] = []
        self._history: History = {}

    def begin(self) -> None:
        self._server.start()
        self.client("ana").joins("kitchen", "lobby")
        self.client("ben").joins("kitchen", "garden")
        self.client("cleo").joins("garden")

        capabilities = {"notification_settings_null": True, "empty_topic_name": True}
        self._listen("ana", "kitchen", apply_markdown=True)
        self._listen("ben", "kitchen garden", event_types=["message"], client_gravatar=False)
        self._listen("cleo", "garden", blocks=False, client_capabilities=capabilities)
        self._listen("dan", "direct")
        self._listen("eva", "direct", event_types=["message"], apply_markdown=True)
        self._listen("fay", "kitchen garden", all_public_streams=True)
        self._listen("gil", "kitchen", narrow=[["channel", "kitchen"]])

        self._send_messages("ana", "kitchen", "header")
        self._send_messages("ben", "kitchen")
        self._send_messages("cleo", "garden", "header")
        self._send_messages("ben", "garden")
        self._send_messages("dan", "direct", "local_id")
        self._send_messages("eva", "direct")
        self._roaming_client = RoamingClient(self.client("hal"), "lobby")
        for thread in (*self.listeners, *self.senders, self._roaming_client):
            thread.start()

    def end(self) -> None:
        """Let all users finish, and read what the server has stored."""
        for sender in self.senders:
            sender.stop()
        self._roaming_client.stop()
        for location, person in {"kitchen": "ben", "garden": "ben", "direct": "dan"}.items():
            send_until_accepted(
                self.client(person), final_message(location), self._destinations[location]
            )
        deadline = time.monotonic() + TIMEOUT_SECONDS
        for listener in self.listeners:
            listener.join(max(0, deadline - time.monotonic()))
        self._history = read_history([self.client("ben"), self.client("dan")])
        self._server.end()

    def wait_for_messages(self, count: int) -> None:
        enough = self.acknowledged + count
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.acknowledged < enough:
            assert time.monotonic() < deadline, "no message was sent"
            time.sleep(0.005)

    @property
    def acknowledged(self) -> int:
        return sum(len(sender.acknowledged) for sender in self.senders)

    @property
    def repeats(self) -> int:
        return sum(sender.repeats for sender in self.senders)

    def problems(self) -> Iterable[str]:
        for sender in self.senders:
            yield from sender.problems
        for listener in self.listeners:
            yield from listener.problems
        acknowledged = [each for sender in self.senders for each in sender.acknowledged.items()]
        hearings = [
            ReceivedMessages(each.name, each.destinations, each.message_ids)
            for each in self.listeners
        ]
        yield from checker.problems(self._history, acknowledged, hearings)

    def client(self, name: str) -> Client:
        return self._reach(self.people[name])

    def _listen(self, name: str, destinations: str, **options: Any) -> None:
        listener = Listener(name, self.client(name), destinations.split(), **options)
        listener.register()
        self.listeners.append(listener)

    def _send_messages(self, name: str, destination: str, proof: str = "") -> None:
        queue_id = next(each.queue_id for each in self.listeners if each.name == name)
        given = (self._destinations[destination], proof, queue_id, self._pause_seconds)
        self.senders.append(Sender(f"{name} in {destination}", self.client(name), *given))


def read_history(witnesses: list[Client]) -> History:
    """Everything the observers can see, by place."""
    history: History = {"kitchen": {}, "garden": {}, "direct": {}}
    for witness in witnesses:
        anchor: int | str = "oldest"
        found_newest = False
        while not found_newest:
            response = witness.get(
                "/messages", anchor=anchor, num_before=0, num_after=1000, apply_markdown=False
            )
            assert response.status == 200, response.body
            for message in response["messages"]:
                is_direct = message["type"] == "private"
                location = "direct" if is_direct else message["display_recipient"]
                history.setdefault(location, {})[message["id"]] = content_of(message)
                anchor = message["id"]
            found_newest = response["found_newest"]
    return history


def data_problems(url: str) -> Iterable[str]:
    """Problems in the data, found without the server."""
    database = BlockingDatabase.at(url)
    yield from database.of(0).read(storage.log.gaps)
    yield from database.of(0).read(storage.data_check.search_problems)
    yield from database.integrity_problems()
