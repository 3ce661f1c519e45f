"""An organization that another transaction holds does not delay the others."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.databases import Databases
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.database.dialects.postgres import Postgres

pytestmark = pytest.mark.postgres

PATIENT = {"lock_timeout": "60s", "statement_timeout": "120s"}


@pytest.fixture
def chats(databases: Databases, monkeypatch) -> Any:
    """Five organizations of one server, which waits for a lock longer than any test lasts."""
    monkeypatch.setattr(Postgres, "limits", Postgres.limits | PATIENT)
    url, folder = databases.new("postgres")
    server = Server(url, folder).start()
    yield [Chat.found(server, name) for name in ("", "bakery", "cellar", "dairy", "eatery")]
    server.stop()
    databases.give_back(url)


def held(chat: Chat) -> Any:
    """A connection that holds the row of an organization, until it is closed."""
    dialect = chat.server.database.dialect
    connection = dialect.connect()
    connection.execute("BEGIN")
    dialect.lock_organization(connection, chat.realm.id)
    return connection


def while_held(
    stuck: list[Chat], begin: Callable[[], list[Future[Any]]], others: Callable[[], None]
):
    """Hold some organizations, start writes that must wait for them, and let others act
    meanwhile."""
    holders = [held(each) for each in stuck]
    try:
        waiting = begin()
        others()
        assert not any(each.done() for each in waiting)  # so the rows were held all the time
    finally:
        for each in holders:
            each.close()
    for each in waiting:
        each.result(TIMEOUT_SECONDS).succeeds()


def test_actions_of_other_organizations_finish_while_some_are_held(chats: list[Chat]):
    anas = [house.person("ana", channels=["kitchen"]) for house in chats]

    def rename(ana: Any) -> Any:
        return ana.patch("/settings", full_name="Anna")

    with ThreadPoolExecutor(8) as threads:

        def begin() -> list[Future[Any]]:
            return [threads.submit(rename, ana) for ana in anas[:2] for _ in range(2)]

        def others() -> None:
            for _ in range(3):
                for ana in anas[2:]:
                    rename(ana).succeeds()

        while_held(chats[:2], begin, others)


def test_fast_path_sends_of_other_organizations_finish_while_some_are_held(chats: list[Chat]):
    anas = [house.person("ana", channels=["kitchen"]) for house in chats]

    def send(ana: Any) -> Any:
        return ana.post("/messages", type="channel", to="kitchen", topic="lunch", content="Soup")

    for ana in anas:
        for _ in range(2):
            send(ana).succeeds()

    with ThreadPoolExecutor(16) as threads:

        def begin() -> list[Future[Any]]:
            return [threads.submit(send, ana) for ana in anas[:3] for _ in range(3)]

        def others() -> None:
            for _ in range(5):
                for done in [threads.submit(send, ana) for ana in anas[3:]]:
                    done.result(TIMEOUT_SECONDS).succeeds()

        while_held(chats[:3], begin, others)


def test_messages_of_a_held_organization_keep_their_order(chats: list[Chat]):
    ana, ben = chats[0].people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    ana.says("first", to="kitchen > lunch")

    with ThreadPoolExecutor() as threads:

        def begin() -> list[Future[Any]]:
            post = {"type": "channel", "to": "kitchen", "topic": "lunch", "content": "second"}
            return [threads.submit(ana.post, "/messages", **post)]

        while_held(chats[:1], begin, lambda: None)
    ana.says("third", to="kitchen > lunch")

    received = [queue.next()["message"]["content"] for _ in range(3)]
    assert received == ["first", "second", "third"]


def test_sends_that_wait_for_a_held_organization_get_distinct_ids(chats: list[Chat]):
    anas = [house.person("ana", channels=["kitchen"]) for house in chats[:2]]

    def send(ana: Any) -> Any:
        return ana.post("/messages", type="channel", to="kitchen", topic="lunch", content="Soup")

    sent: list[Future[Any]] = []
    with ThreadPoolExecutor(16) as threads:

        def begin() -> list[Future[Any]]:
            path = f"/messages/{first}/reactions"
            reaction = threads.submit(anas[0].post, path, emoji_name="tada")
            for _ in range(5):
                send(anas[1]).succeeds()  # now the reaction waits, and sends queue behind it
            sent.extend(threads.submit(send, anas[0]) for _ in range(12))
            return [reaction, *sent]

        def others() -> None:
            sent.extend(threads.submit(send, anas[1]) for _ in range(3))
            for each in sent[-3:]:
                each.result(TIMEOUT_SECONDS).succeeds()

        for ana in anas:
            send(ana).succeeds()
        first = send(anas[0]).succeeds()["id"]
        while_held(chats[:1], begin, others)
        sent.extend(threads.submit(send, ana) for ana in anas for _ in range(12))

    ids = [each.result(TIMEOUT_SECONDS).succeeds()["id"] for each in sent]
    assert len(set(ids)) == len(ids) == 39
