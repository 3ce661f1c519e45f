"""kill -9 while a large part of a topic is moved in portions: readers see all of it moved, or
nothing."""

import contextlib
import threading
import time
from typing import Any

import pytest
from tests.crash.client import Client, Unreachable
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.support.databases import Databases, Kind
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import domain, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.markdown import VERSION

MESSAGES = 3000
PREPARED = (200, 1000, 2000)  # messages with which each kill waits until they are prepared


@pytest.mark.parametrize("to", ["topic", "channel"])
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_killed_move_moves_everything_or_nothing(
    databases: Databases, new_server: NewServer, kind: Kind, to: str
):
    url, folder = databases.ready(kind)
    ana, server = create_organization(url, "ana")["ana"], new_server(url, folder)
    server.start()
    ana.at(server.port).joins("kitchen", "garden")
    server.end()
    database = BlockingDatabase.at(url).of(1)
    _, *moving = database.write(fill, ana.id)
    garden = database.read(storage.channels.table.find_by_name, "garden")
    assert garden is not None
    where = {"topic": "dinner"} if to == "topic" else {"stream_id": garden.id}
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


class Move:
    """A move that runs on a thread of its own."""

    def __init__(self, client: Client, message_id: int, where: dict[str, Any]) -> None:
        self._client = client
        self._path = f"/messages/{message_id}"
        self._params = {"propagate_mode": "change_later", "send_notification_to_new_thread": False}
        self._params |= where
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

    def _run(self) -> None:
        with contextlib.suppress(Unreachable):
            self._client.patch(self._path, **self._params)


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
    topic, channel = where.get("topic", "lunch"), where.get("stream_id", "kitchen")
    narrow = [
        {"operator": "channel", "operand": channel},
        {"operator": "topic", "operand": topic},
    ]
    found = client.get("/messages", anchor="oldest", num_before=0, num_after=5000, narrow=narrow)
    return [each["id"] for each in found["messages"]]
