"""Several organizations on one server: simultaneous sends are written together."""

from contextlib import closing
from functools import partial

import pytest
from tests.support.event_queue import in_background
from tests.support.people import Chat
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import storage
from tertulia.database.dialects.postgres import Postgres


@pytest.fixture
def patient(monkeypatch) -> None:
    """Servers wait for a lock for as long as a test does."""
    lock_timeout = f"{TIMEOUT_SECONDS}s"
    monkeypatch.setattr(Postgres, "limits", Postgres.limits | {"lock_timeout": lock_timeout})


@pytest.mark.parametrize("kind", [pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_failed_notice_loses_no_event(own_chat, monkeypatch):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    for _ in range(2):
        ana.says("First", to="kitchen > lunch")
    queue = ben.listens_for("message")
    received: list[int] = []

    with own_chat.server.broadcasts_fail():
        second = ana.says("Second", to="kitchen > lunch")
    third = ana.says("Third", to="kitchen > lunch")

    def has_received_both() -> bool:
        received.extend(each["message"]["id"] for each in queue.all())
        return len(received) == 2

    eventually(has_received_both)
    assert received == [second.id, third.id]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("is_busy", [False, True])
def test_simultaneous_sends_of_several_organizations_are_delivered_in_each(own_chat, is_busy):
    """Also while another transaction holds one of them, which does not delay the others."""
    server = own_chat.server
    chats = [own_chat, *(Chat.found(server, name) for name in ("garden", "cellar"))]
    pairs = [chat.people("ana", "ben", channels=["kitchen"]) for chat in chats]
    for _ in range(2):
        for ana, _ben in pairs:
            ana.says("First", to="kitchen > lunch")
    queue = [ben.listens_for("message") for _, ben in pairs]

    is_held = is_busy and server.database.is_shared
    with closing(server.database.dialect.connect()) as holder:
        if is_held:
            holder.execute("BEGIN")
            server.database.dialect.lock_organization(holder, own_chat.realm.id)
        sends = [
            [in_background(partial(ana.says, "Soup", to="kitchen > lunch")) for ana, _ in pairs]
            for _ in range(5)
        ]
        if is_held:
            for row in sends:
                for send in row[1:]:
                    send.result(TIMEOUT_SECONDS)
            assert not any(row[0].done() for row in sends)
    text = [
        [send.result(TIMEOUT_SECONDS).id for send in column] for column in zip(*sends, strict=True)
    ]

    for chat, ids, listening in zip(chats, text, queue, strict=True):
        assert [each["message"]["id"] for each in listening.all()] == sorted(ids)
        assert chat.read(storage.log.gaps) == []
