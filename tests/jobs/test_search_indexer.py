"""The search index follows a moment later, and catches up with older messages."""

import time
from dataclasses import replace

import pytest
from tests.support.people import Chat, Person
from tests.support.waiting import eventually

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.jobs.search_indexer import MUCH

INDEX = ("search_document", "search_posting", "search_word", "search_gram", "search_head")


def found(person, text: str) -> list[int]:
    answer = person.get(
        "/messages", anchor="newest", num_before=1000, narrow=[["search", text]]
    ).succeeds()
    return [each["id"] for each in answer["messages"]]


def problems(tx: Tx) -> list[str]:
    (finding,) = [each for each in actions.data_check.run(tx, None) if each.subject == "search"]
    return finding.problems


def behind(chat: Chat) -> int:
    return chat.read(actions.messages.search_index.count_behind)


def test_a_message_is_indexed_a_moment_later(chat: Chat, in_kitchen: None, ana: Person) -> None:
    soup = ana.says("soup", to="kitchen > lunch").id

    eventually(lambda: behind(chat) == 0)

    assert chat.read(storage.search.index.indexed_to) >= soup
    ana.patch(f"/messages/{soup}", content="stew").succeeds()
    eventually(lambda: behind(chat) == 0)
    assert (found(ana, "stew"), found(ana, "soup")) == ([soup], [])
    assert chat.read(problems) == []


@pytest.mark.parametrize("text", ["$$x$$ " * 1000, "漢字" * 5000])
def test_long_messages_are_indexed_while_users_keep_talking(chat: Chat, text: str) -> None:
    ana = chat.person("ana", channels=["kitchen"])
    long = ana.says(text, to="kitchen > formulas").id
    said = 0

    while chat.read(storage.search.index.indexed_to) < long:
        ana.says("and so on", to="kitchen > lunch")
        said += 1
        time.sleep(0.02)  # there is no pause as long as the index waits for

    assert said < MUCH


def test_messages_from_before_the_index_are_indexed_in_batches(own_chat: Chat) -> None:
    ana = own_chat.person("ana", channels=["kitchen"])
    old = own_chat.fill(ana, "kitchen > count", actions.messages.search_index.BATCH_SIZE + 20)
    eventually(lambda: behind(own_chat) == 0)

    own_chat.write(as_before_the_migration)
    own_chat.server.restart()

    eventually(lambda: behind(own_chat) == 0)
    assert found(ana, "count") == old
    assert found(ana, f"{actions.messages.search_index.BATCH_SIZE}") == [
        old[actions.messages.search_index.BATCH_SIZE]
    ]
    assert own_chat.read(problems) == []
    metrics = own_chat.server.client.raw("GET", "/metrics").body.decode()
    assert "tertulia_search_behind_messages" in metrics


def as_before_the_migration(tx: Tx) -> None:
    for table in INDEX:
        tx.execute(f"DELETE FROM {table}")


def test_check_finds_an_inconsistent_index(chat: Chat) -> None:
    ana = chat.person("ana", channels=["kitchen"])
    gone = ana.says("soup", to="kitchen > lunch").id
    eventually(lambda: behind(chat) == 0)

    def damage(tx: Tx) -> list[str]:
        tx.execute("DELETE FROM search_document WHERE message_id = :id", id=gone)
        tx.execute(
            "INSERT INTO search_document (message_id, realm_id, words, joints)"
            " VALUES (0, :realm, :none, :one)",
            realm=tx.realm_id,
            none=b"",
            one=b"\1\0",
        )
        tx.execute(
            "INSERT INTO search_word (realm_id, word, stem) VALUES (:realm, 'x', 'x')",
            realm=tx.realm_id,
        )
        told = problems(tx)
        raise Undone(told)

    with pytest.raises(Undone) as undone:
        chat.write(damage)
    assert undone.value.args[0] == [
        "1 messages that are gone are still in the search index",
        "1 messages are missing in the search index",
        "1 messages have joints in the search index that it does not know",
        "1 words of the search index are in no message",
    ]


class Undone(Exception):
    """Rolls back the changes and carries what was found."""


def test_new_words_of_a_bot_count_against_its_owners_budget(
    chat: Chat, in_kitchen: None, ana: Person
) -> None:
    robot = chat.person("robot", bot="generic", owner=ana, channels=["kitchen"])
    spent = []

    for speaker, first in ((ana, 0x4E00), (robot, 0x6E00)):
        speaker.says("".join(map(chr, range(first, first + 30))), to="kitchen > lunch")
        eventually(lambda: behind(chat) == 0)
        spent.append(chat.read(storage.search.budget.of, [ana.id, robot.id]))

    alone, together = spent
    assert alone.keys() == together.keys() == {ana.id}
    assert together[ana.id].words > alone[ana.id].words > 0


@pytest.mark.postgres
def test_two_servers_share_the_indexing(two_servers) -> None:
    chat, other = two_servers
    ana = chat.person("ana", channels=["kitchen"])
    there = replace(ana, server=other)
    eventually(lambda: there.get("/users/me").status == 200)

    said = []
    for number in range(30):
        speaker = (ana, there)[number % 2]
        said.append(speaker.says(f"soup {number}", to="kitchen > lunch").id)
        assert found((there, ana)[number % 2], "soup") == said
    ana.delete(f"/messages/{said.pop()}")

    eventually(lambda: behind(chat) == 0)
    assert found(ana, "soup") == found(there, "soup") == said
    assert chat.read(problems) == []
