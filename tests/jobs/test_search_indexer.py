"""The search index follows a moment later, and catches up with older messages."""

from dataclasses import replace

import pytest
from tests.support.people import Chat, Person
from tests.support.waiting import eventually

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.storage.search.execution import SearchCursor

INDEX = ("search_document", "search_posting", "search_word", "search_gram", "search_head")


def found(person, text: str) -> list[int]:
    response = person.get(
        "/messages", anchor="newest", num_before=1000, narrow=[["search", text]]
    ).succeeds()
    return [each["id"] for each in response["messages"]]


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
def test_a_long_message_is_indexed_without_waiting_for_a_pause(chat: Chat, text: str) -> None:
    ana = chat.person("ana", channels=["kitchen"])
    long = ana.says(text, to="kitchen > formulas").id
    jobs = {each.name: each for each in chat.server.jobs_on(chat.server.database)}

    async def run_first() -> None:  # it cannot know yet whether users are still sending
        await jobs["search"].work()

    chat.server.do(run_first())

    assert chat.read(storage.search.index.indexed_to) >= long


def test_messages_from_before_the_index_are_indexed_in_batches(own_chat: Chat) -> None:
    ana = own_chat.person("ana", channels=["kitchen"])
    old = own_chat.fill(ana, "kitchen > count", storage.search.batch.MAX_MESSAGES + 20)
    eventually(lambda: behind(own_chat) == 0)

    own_chat.write(as_before_the_migration)
    own_chat.server.restart()

    eventually(lambda: behind(own_chat) == 0)
    assert found(ana, "count") == old
    assert found(ana, f"{storage.search.batch.MAX_MESSAGES}") == [
        old[storage.search.batch.MAX_MESSAGES]
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
        result = problems(tx)
        raise Undone(result)

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
        spent.append(chat.read(storage.search.batch.of, [ana.id, robot.id]))

    alone, together = spent
    assert alone.keys() == together.keys() == {ana.id}
    assert together[ana.id].words > alone[ana.id].words > 0


@pytest.mark.postgres
def test_two_servers_share_the_indexing(two_servers) -> None:
    chat, other = two_servers
    ana = chat.person("ana", channels=["kitchen"])
    there = replace(ana, server=other)
    eventually(lambda: there.get("/users/me").status == 200)

    text = []
    for number in range(30):
        speaker = (ana, there)[number % 2]
        text.append(speaker.says(f"soup {number}", to="kitchen > lunch").id)
        assert found((there, ana)[number % 2], "soup") == text
    ana.delete(f"/messages/{text.pop()}")

    eventually(lambda: behind(chat) == 0)
    assert found(ana, "soup") == found(there, "soup") == text
    assert chat.read(problems) == []


# --- the language of the organization ---

IN_LANGUAGES = {
    "de": ("Die Besprechungen sind um zehn", "besprechung"),
    "fr": ("Les chevaux mangent", "cheval"),
    "pt": ("Duas reuniões amanhã", "reunião"),
    "es": ("Hay canciones nuevas", "canción"),
    "ar": ("الاجتماعات غدا", "اجتماع"),
    "ja": ("明日の会議です", "会議"),
}
LONG_TEXT = " ".join(f"x{n}y" for n in range(900))  # so many words that it gets a signature


def languages(chat: Chat) -> tuple[str, ...]:
    return chat.read(storage.search.languages.of)


def stems(tx: Tx) -> dict[str, str]:
    rows = tx.tuples("SELECT word, stem FROM search_word WHERE realm_id = :realm")
    return dict(rows)


@pytest.mark.parametrize("code", IN_LANGUAGES)
def test_stems_follow_the_language_of_the_organization(chat, in_kitchen, ana, code):
    """Messages before and after the change are found; so are parts of words, and long messages."""
    chat.person("owner", role="owner").patch("/realm", default_language=code).succeeds()
    text, requested = IN_LANGUAGES[code]
    old = ana.says(text, to="kitchen > lunch").id
    long = ana.says(f"{text} {LONG_TEXT}", to="kitchen > lunch").id
    chat.server.index_messages()
    new = ana.says(text, to="kitchen > lunch").id

    assert found(ana, requested) == [old, long, new]
    chat.server.index_messages()
    assert found(ana, requested) == [old, long, new]
    assert found(ana, text.split()[0][:3]) == [old, long, new]
    assert found(ana, "x899y") == [long]
    assert len(languages(chat)) == 1
    assert chat.read(problems) == []


def test_a_change_of_the_language_changes_the_stems_of_all_words(chat, in_kitchen, ana):
    owner = chat.person("owner", role="owner")
    message = ana.says("Die Häuser und Katzen", to="kitchen > lunch").id
    long = ana.says(f"Die Häuser {LONG_TEXT}", to="kitchen > lunch").id
    chat.server.index_messages()
    assert found(ana, "katze") == [message]  # a part of the word
    assert found(ana, "häusern") == []

    owner.patch("/realm", default_language="de").succeeds()
    chat.server.index_messages()

    assert found(ana, "häusern") == [message, long]
    assert chat.read(stems)["katzen"] == "katz"
    assert languages(chat) == ("german",)
    documents = chat.read(
        lambda tx: tx.number(
            "SELECT count(*) AS value FROM search_document WHERE realm_id = :realm"
        )
    )
    messages = chat.read(
        lambda tx: tx.number("SELECT count(*) AS value FROM message WHERE realm_id = :realm")
    )
    assert documents == messages
    assert chat.read(problems) == []


def hits(tx: Tx, text: str) -> list[int]:
    query = domain.search.query.parse(text, storage.search.languages.of(tx))
    cursor = SearchCursor(tx, query, [])
    return sorted(cursor.verify(cursor.next_batch(2**40, 100, back=True).ids))


def test_nothing_is_lost_while_the_language_changes(chat, in_kitchen, ana):
    """What both languages find is found all the time, what only German finds more and more."""
    ana.says("a test and Häuser", to="kitchen > lunch")
    ana.says(f"a test, Häuser {LONG_TEXT}", to="kitchen > lunch")
    chat.server.index_messages()

    def change(tx: Tx) -> list[tuple[int, int]]:
        """In one transaction, so that the server's job does not take part."""
        languages, counts = storage.search.languages, []
        languages.start_change(tx, "german")
        while languages.restem_some(tx, 1):
            counts.append((len(hits(tx, "tests")), len(hits(tx, "häusern"))))
            languages.finish_change(tx)
        assert languages.mark_some_signed(tx)
        counts.append((len(hits(tx, "tests")), len(hits(tx, "häusern"))))
        assert languages.of(tx) == ("german", "english")
        storage.search.batch.index_messages(tx)
        assert not languages.mark_some_signed(tx)
        languages.finish_change(tx)
        assert languages.of(tx) == ("german",)
        counts.append((len(hits(tx, "tests")), len(hits(tx, "häusern"))))
        return counts

    counts = chat.write(change)

    assert all(both == 2 for both, _ in counts)
    germans = [german for _, german in counts]
    assert germans == sorted(germans)
    assert (germans[0], germans[-1]) == (0, 2)


def test_words_that_were_split_before_a_change_of_the_language_are_split_again(
    chat, in_kitchen, ana
):
    ana.says(LONG_TEXT, to="kitchen > lunch")

    def change(tx: Tx) -> int:
        batch = storage.search.batch.prepare(tx)
        storage.search.languages.start_change(tx, "german")
        return storage.search.batch.write(tx, batch)

    assert chat.write(change) == 0
