"""Thousands of messages due in the same second, while users chat.

Each is sent exactly once and in order, and chatting users wait hardly longer than usual. The
simulator kills servers while messages are due (`tests/simulation`).
"""

import itertools
import statistics
import threading
import time
from typing import Any

import pytest
from tests.crash.client import Client, Unreachable
from tests.crash.conftest import NewServer
from tests.crash.people import Person, create_organization
from tests.support.databases import Databases, Kind

from tertulia import domain, features, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.features.scheduled.entry import ToChannel

SENDERS = 16  # users who chat
TIMEOUT_SECONDS = 1800
MAX_CONSECUTIVE_DUE = 160  # due messages between two messages of chatting users


def on_both(*values: Any, mark: pytest.MarkDecorator | None = None) -> list[Any]:
    marks = [mark] if mark else []
    return [
        pytest.param("sqlite", *values, marks=marks),
        pytest.param("postgres", *values, marks=[*marks, pytest.mark.postgres]),
    ]


@pytest.mark.parametrize("kind, count", on_both(10_000, mark=pytest.mark.soak))
def test_ten_thousand_due_messages_do_not_delay_chatting_users(
    databases: Databases, new_server: NewServer, kind: Kind, count: int
):
    scene = Scene(*databases.ready(kind), new_server, count)

    usual_before = scene.talk_for(seconds=20)
    scene.bring_the_moment()
    meanwhile = scene.talk_until_all_is_sent()
    usual_after = scene.talk_for(seconds=20)

    scene.end()
    assert scene.received() == scene.expected
    assert scene.stored() == scene.expected
    assert scene.longest_run() <= MAX_CONSECUTIVE_DUE
    usual = max(percentile_99(usual_before), percentile_99(usual_after))
    assert percentile_99(meanwhile) <= 2 * usual, (usual, percentile_99(meanwhile))


class Scene:
    """A user with scheduled messages, a listener, and users who chat."""

    def __init__(self, url: str, folder: Any, new_server: NewServer, count: int) -> None:
        names = "ana ben " + " ".join(f"p{number}" for number in range(SENDERS))
        self.expected = [f"later {number}" for number in range(count)]
        self._database = BlockingDatabase.at(url)
        self._reader = BlockingDatabase.at(url)  # asked again and again
        self._reader.reuse_connections()
        self._ana, self._ben, *talkers = create_organization(url, names).values()
        (self._realm_id,) = [row["id"] for row in self._read(_realms)]
        self.server = new_server(url, folder)
        self.server.start()
        self._queue = Listener(self._ben.at(self.server.port))
        for some in batches(self.expected):
            self._database.of(self._realm_id).write(_write_in_advance, self._ana.id, some)
        self._talkers = [Talker(person, self.server.port) for person in talkers]
        for talker in self._talkers:
            talker.start()

    # --- actions ---

    def talk_for(self, seconds: float) -> list[float]:
        """Let users chat, and return how long each send took."""
        start = time.perf_counter()
        time.sleep(seconds)
        return self._waits_since(start)

    def bring_the_moment(self) -> None:
        """Make all scheduled messages due in the same second."""
        self._database.of(self._realm_id).write(_make_due, int(time.time()))

    def talk_until_all_is_sent(self) -> list[float]:
        start = time.perf_counter()
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while left := self.count_left():
            assert time.monotonic() < deadline, f"{left} are still to be sent"
            time.sleep(0.01)
        return self._waits_since(start)

    def end(self) -> None:
        for talker in self._talkers:
            talker.stop()
        self._reader.close()

    # --- checks ---

    def count_left(self) -> int:
        return self._reader.of(self._realm_id).read(_count_left)

    def received(self) -> list[str]:
        return self._queue.read_all()

    def stored(self) -> list[str]:
        return [content for content in self._read(_contents) if content.startswith("later ")]

    def longest_run(self) -> int:
        """How many due messages came in a row, without a chat message in between."""
        runs = itertools.groupby(self._read(_contents), lambda each: each.startswith("later "))
        return max(len(list(some)) for is_due, some in runs if is_due)

    def _waits_since(self, start: float) -> list[float]:
        return [each for talker in self._talkers for each in talker.waits_since(start)]

    def _read(self, query: Any) -> Any:
        return self._database.of(getattr(self, "_realm_id", 0)).read(query)


class Talker(threading.Thread):
    """Sends messages one after the other, each with a key, until stopped."""

    def __init__(self, person: Person, port: int) -> None:
        super().__init__(daemon=True)
        self._client = person.at(port)
        self._name = person.email
        self._waits: list[tuple[float, float]] = []
        self._stopping = threading.Event()

    def run(self) -> None:
        for number in itertools.count():
            if self._stopping.is_set():
                return
            start = time.perf_counter()
            while not self._says(f"{self._name} {number}"):
                time.sleep(0.02)
            self._waits.append((start, time.perf_counter() - start))

    def waits_since(self, moment: float) -> list[float]:
        return [wait for start, wait in self._waits if start >= moment]

    def stop(self) -> None:
        self._stopping.set()
        self.join()

    def _says(self, content: str) -> bool:
        fields = {"type": "channel", "to": "general", "topic": self._name}
        try:
            response = self._client.post(
                "/messages", {"Idempotency-Key": content}, content=content, **fields
            )
        except Unreachable:
            return False
        assert response.status == 200 or response.is_outage, response.body
        return response.status == 200


class Listener:
    """Registers at the beginning and polls at the end."""

    def __init__(self, client: Client) -> None:
        self._client = client
        response = client.post("/register", event_types=["message"], fetch_event_types=[])
        self._queue_id, self._last_event_id = response["queue_id"], response["last_event_id"]

    def read_all(self) -> list[str]:
        """The scheduled messages in the order of their arrival."""
        self._client.close()
        received: list[str] = []
        while events := self._poll():
            self._last_event_id = events[-1]["id"]
            received += [event["message"]["content"] for event in events if "message" in event]
        return [content for content in received if content.startswith("later ")]

    def _poll(self) -> list[dict[str, Any]]:
        response = self._client.get(
            "/events", queue_id=self._queue_id, last_event_id=self._last_event_id, dont_block=True
        )
        assert response.status == 200, response.body
        found: list[dict[str, Any]] = response["events"]
        return found


def percentile_99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def batches(contents: list[str], size: int = 1000) -> list[list[str]]:
    return [contents[start : start + size] for start in range(0, len(contents), size)]


def _realms(tx: Tx) -> list[Any]:
    return tx.all("SELECT id FROM realm")


def _count_left(tx: Tx) -> int:
    return int(tx.value("SELECT count(*) AS value FROM scheduled_message WHERE sent_at IS NULL"))


def _contents(tx: Tx) -> list[str]:
    return [row["content"] for row in tx.all("SELECT content FROM message ORDER BY id")]


def _make_due(tx: Tx, at: int) -> None:
    tx.execute("UPDATE scheduled_message SET deliver_at = :at WHERE deliver_at > :at", at=at)


def _write_in_advance(tx: Tx, owner_id: int, contents: list[str]) -> None:
    channel = storage.channels.table.find_by_name(tx, "general")
    assert channel is not None
    for content in contents:
        draft = Draft(content, f"<p>{content}</p>", 0, "tests", read_by_sender=False)
        features.scheduled.entry.insert(
            tx, owner_id, ToChannel(channel.id, "later"), draft, None, domain.limits.MAX_TIME
        )
