"""kill -9 while many messages are moved: readers see all of them moved, or nothing.

A part of a topic is moved in portions. On PostgreSQL a whole topic that moves to another channel is
written before the organization is locked, in the same transaction.
"""

import contextlib
import threading
import time
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from tests.crash.client import Client, Unreachable
from tests.crash.conftest import NewServer
from tests.crash.people import Person, create_organization
from tests.crash.server import ServerProcess
from tests.support.databases import Databases, Kind
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import domain, storage
from tertulia.database import BlockingDatabase
from tertulia.database.blocking import BlockingOrgDatabase
from tertulia.database.tx import Tx
from tertulia.markdown import VERSION

MESSAGES = 3000
PREPARED = (200, 1000, 2000)  # messages with which each kill waits until they are prepared
WRITING = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'"
    " AND query LIKE 'UPDATE message SET channel_id%'"
)
HAS_WRITTEN = (
    "SELECT 1 FROM pg_stat_activity WHERE pid = %s"
    " AND (state = 'idle' OR query LIKE 'SELECT FROM log_head%%')"
)


@pytest.mark.parametrize("to", ["topic", "channel"])
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_killed_move_moves_everything_or_nothing(
    databases: Databases, new_server: NewServer, kind: Kind, to: str
):
    lunch = new_topic(databases, new_server, kind)
    ana, server, database = lunch.ana, lunch.server, lunch.database
    _, *moving = lunch.message_ids
    where = {"topic": "dinner"} if to == "topic" else {"stream_id": lunch.garden_id}
    seen = []

    for count in PREPARED:
        server.start()
        move = Move(ana.at(server.port), moving[0], where)
        move.wait_until(lambda count=count: database.read(prepared) >= count)
        server.kill()
        move.end()
        server.start()
        seen.append(moved(ana.at(server.port), where))
        assert seen[-1] in ([], moving)
        if seen[-1]:
            break  # the kill was too late
        server.end()

    assert seen[0] == [], "no move was cut off, so nothing was shown"
    if not seen[-1]:
        server.start()
        Move(ana.at(server.port), moving[0], where).end()
    assert moved(ana.at(server.port), where) == moving


@pytest.mark.postgres
@pytest.mark.parametrize("moment", ["writing", "written"])
def test_a_move_that_is_killed_before_it_locks_the_organization_moves_nothing(
    databases: Databases, new_server: NewServer, moment: str
):
    lunch = new_topic(databases, new_server, "postgres")
    ana, server = lunch.ana, lunch.server
    first, where = lunch.message_ids[0], {"stream_id": lunch.garden_id}
    server.start()
    with (
        psycopg.connect(lunch.url, autocommit=True) as watcher,
        psycopg.connect(lunch.url) as holder,
    ):
        sessions: list[int] = []

        def writes() -> bool:
            sessions.extend(pid for (pid,) in watcher.execute(WRITING).fetchall())
            return bool(sessions)

        def has_written() -> bool:
            """It waits for the organization, or has given up after a moment."""
            return watcher.execute(HAS_WRITTEN, sessions[:1]).fetchone() is not None

        move = Move(ana.at(server.port), first, where, "change_all")
        move.wait_until(writes)
        if moment == "written":
            holder.execute("SELECT FROM log_head WHERE realm_id = 1 FOR UPDATE")
            move.wait_until(has_written)
        server.kill()
        assert move.is_cut_off()

    server.start()
    client = ana.at(server.port)
    assert in_channel(client, "kitchen") == lunch.message_ids
    assert in_channel(client, "garden") == []
    Move(client, first, where, "change_all").end()
    assert in_channel(client, "kitchen") == []
    assert in_channel(client, "garden") == lunch.message_ids


@dataclass(frozen=True)
class LargeTopic:
    """An organization with a large topic in the kitchen, and an empty garden."""

    url: str
    server: ServerProcess
    ana: Person
    garden_id: int
    message_ids: list[int]

    @property
    def database(self) -> BlockingOrgDatabase:
        return BlockingDatabase.at(self.url).of(1)


def new_topic(databases: Databases, new_server: NewServer, kind: Kind) -> LargeTopic:
    url, folder = databases.ready(kind)
    ana, server = create_organization(url, "ana")["ana"], new_server(url, folder)
    server.start()
    ana.at(server.port).joins("kitchen", "garden")
    server.end()
    database = BlockingDatabase.at(url).of(1)
    garden = database.read(storage.channels.table.find_by_name, "garden")
    assert garden is not None
    return LargeTopic(url, server, ana, garden.id, database.write(fill, ana.id))


class Move:
    """A move that runs on a thread of its own."""

    def __init__(
        self,
        client: Client,
        message_id: int,
        where: dict[str, Any],
        mode: str = "change_later",
    ) -> None:
        self._client = client
        self._is_cut_off = True
        self._path = f"/messages/{message_id}"
        self._params = {"propagate_mode": mode, "send_notification_to_new_thread": False} | where
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait_until(self, condition: Any) -> None:
        """Until the condition is true, or the move has ended."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self._thread.is_alive() and not condition() and time.monotonic() < deadline:
            time.sleep(0.001)

    def end(self) -> None:
        self._thread.join(TIMEOUT_SECONDS)
        assert not self._thread.is_alive()

    def is_cut_off(self) -> bool:
        """Whether its answer has not arrived when the server has ended."""
        self.end()
        return self._is_cut_off

    def _run(self) -> None:
        with contextlib.suppress(Unreachable):
            self._client.patch(self._path, **self._params)
            self._is_cut_off = False


def fill(tx: Tx, sender_id: int) -> list[int]:
    kitchen = storage.channels.table.find_by_name(tx, "kitchen")
    assert kitchen is not None
    draft = domain.messages.message.Draft("Soup", "<p>Soup</p>", VERSION, "test", False)
    return [
        storage.messages.table.insert_in_channel(tx, sender_id, kitchen.id, "lunch", draft)
        for _ in range(MESSAGES)
    ]


def prepared(tx: Tx) -> int:
    """The messages in the row that is made for a move."""
    return tx.number(
        "SELECT count(*) AS value FROM message WHERE topic_id > (SELECT min(t.id) FROM topic t"
        " WHERE t.name = 'lunch')"
        " AND topic_id IN (SELECT t.id FROM topic t WHERE t.name = 'lunch')"
    )


def moved(client: Client, where: dict[str, Any]) -> list[int]:
    return in_channel(client, where.get("stream_id", "kitchen"), where.get("topic", "lunch"))


def in_channel(client: Client, channel: int | str, topic: str | None = None) -> list[int]:
    narrow = [{"operator": "channel", "operand": channel}]
    narrow += [] if topic is None else [{"operator": "topic", "operand": topic}]
    found = client.get("/messages", anchor="oldest", num_before=0, num_after=5000, narrow=narrow)
    return [each["id"] for each in found["messages"]]
