"""Organizations are loaded on first use and evicted when unused."""

import gc

import pytest
from tests.support.people import Chat
from tests.support.waiting import TIMEOUT_SECONDS, eventually


@pytest.fixture
def garden(own_chat) -> Chat:
    """One of two organizations, without listeners."""
    garden = Chat.found(own_chat.server, "garden")
    garden.people("ana", "ben", channels=["beds"])
    leaves(garden)
    return garden


def leaves(chat: Chat) -> None:
    """Simulate some minutes without requests."""
    server = chat.server
    server.becomes_cold()
    for _ in range(2):
        server.run_job("unused organizations")
    gc.collect()


def is_known(chat: Chat) -> bool:
    return chat.server.has_loaded(chat.realm.id)


def test_an_organization_stays_loaded_while_it_is_used(garden):
    before = is_known(garden)
    ana, ben = garden.person("cleo", channels=["beds"]), garden.person("dan", channels=["beds"])
    queue = ben.listens_for("message")
    poll = queue.waits()

    leaves(garden)
    while_listening = is_known(garden)
    ana.says("Roses are up", to="beds > roses")
    poll.result(TIMEOUT_SECONDS)
    leaves(garden)

    assert (before, while_listening, is_known(garden)) == (False, True, False)


def test_events_written_while_evicted_are_delivered_later(garden):
    ana = garden.person("cleo", channels=["beds"])
    queue = ana.listens_for("message", "subscription", idle_queue_timeout=86_400)
    message = ana.says("Roses are up", to="beds > roses")
    ana.get(f"/messages/{message.id}").succeeds()
    queue.all()
    leaves(garden)

    garden.write_from_outside(rewrite, message.id)
    eventually(lambda: not is_known(garden))

    response = ana.get(f"/messages/{message.id}", apply_markdown=False).json["message"]
    assert response["content"] == "Tulips"
    assert ana.says("And more", to="beds > roses").id > message.id
    assert [each["type"] for each in queue.all()] == ["message"]


def rewrite(tx, message_id):
    tx.execute("UPDATE message SET content = 'Tulips' WHERE id = :id", id=message_id)


def test_a_single_organization_is_never_evicted(own_chat):
    own_chat.person("ana", channels=["kitchen"]).get("/users/me").succeeds()

    leaves(own_chat)

    assert is_known(own_chat)
