"""On PostgreSQL a write that prepares changes rows before it locks the organization.

Here it is a topic that moves to another channel. A row of one of its messages is held, so that the
move waits inside its preparation.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.databases import Databases
from tests.support.people import Chat, Person
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database.dialects.postgres import Postgres

pytestmark = pytest.mark.postgres

MANY = 150  # so many that the topic moves as a row


@pytest.fixture
def chat(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chat]:
    """A server that waits for the row of a message longer than any test lasts."""
    limits = Postgres.prepare_limits | {"lock_timeout": "60s"}
    monkeypatch.setattr(Postgres, "prepare_limits", limits)
    url, folder = databases.new("postgres")
    server = Server(url, folder).start()
    yield Chat.found(server, "")
    server.stop()
    databases.give_back(url)


@pytest.fixture
def ana(chat: Chat) -> Person:
    return chat.person("ana", role="admin", channels=["porch", "attic"])


def move(chat: Chat, person: Person, message_id: int) -> Any:
    return person.patch(
        f"/messages/{message_id}",
        stream_id=chat.channel("attic").id,
        propagate_mode="change_all",
        send_notification_to_new_thread=False,
    )


def found_in(person: Person, channel: str) -> list[int]:
    window = {"anchor": "newest", "num_before": 500, "narrow": [["channel", channel]]}
    return [each["id"] for each in person.get("/messages", **window).succeeds()["messages"]]


def holding(chat: Chat, message_id: int) -> Any:
    """A connection that holds the row of a message, until it is closed."""
    connection = chat.server.database.dialect.connect()
    connection.execute("BEGIN")
    connection.execute("SELECT FROM message WHERE id = %s FOR UPDATE", (message_id,))
    return connection


def waiting_sessions(chat: Chat) -> Any:
    with chat.server.database.dialect.connect() as connection:
        sql = "SELECT count(*) AS found FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        return connection.execute(f"{sql} AND datname = current_database()").fetchone()["found"]


def test_others_send_while_the_messages_of_a_move_are_written(chat: Chat, ana: Person) -> None:
    ben = chat.person("ben", channels=["porch"])
    ids = chat.fill(ana, "porch > chairs", MANY)
    held = holding(chat, ids[-1])

    with ThreadPoolExecutor(1) as threads:
        moving = threads.submit(move, chat, ana, ids[0])
        eventually(lambda: waiting_sessions(chat) == 1)
        late = ben.says("chair", to="porch > chairs").id
        ben.patch("/settings", full_name="Benno").succeeds()
        before = found_in(ana, "porch")
        held.close()
        moving.result(TIMEOUT_SECONDS).succeeds()

    assert before == [*ids, late]
    assert found_in(ana, "porch") == []
    assert found_in(ana, "attic") == [*ids, late]


def test_a_move_is_repeated_after_an_edit_of_one_of_its_messages(chat: Chat, ana: Person) -> None:
    """The edit has locked the organization and waits for the message, so the move ends first."""
    ids = chat.fill(ana, "porch > chairs", MANY)
    held = holding(chat, ids[-1])

    with ThreadPoolExecutor(2) as threads:
        moving = threads.submit(move, chat, ana, ids[0])
        eventually(lambda: waiting_sessions(chat) == 1)
        editing = threads.submit(ana.patch, f"/messages/{ids[1]}", content="stool")
        eventually(lambda: waiting_sessions(chat) == 2)
        held.close()
        editing.result(TIMEOUT_SECONDS).succeeds()
        moving.result(TIMEOUT_SECONDS).succeeds()

    assert "stool" in ana.sees(ids[1])["content"]
    assert found_in(ana, "attic") == ids
