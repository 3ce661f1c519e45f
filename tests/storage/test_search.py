"""The search index finds what reading every message would, after any changes of messages."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from tertulia import actions, domain, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.messages.message import Draft
from tertulia.domain.organization.realm import Realm
from tertulia.domain.search.query import SearchedText
from tertulia.storage.messages.edits import MoveTarget
from tertulia.storage.messages.selections import BEYOND_ALL, Selection
from tertulia.storage.search.execution import SearchCursor

TABLES = (
    *("search_document", "search_posting", "search_word", "search_gram", "search_stale"),
    *("search_joint", "search_signature"),
)
WORDS = [
    *("soup", "soups", "souper", "market", "supermarket", "the", "run", "running", "café"),
    *("東京タワー", "京都", "zebra", "x1", "a_b"),
]
QUERIES = [
    *("soup", "market", "mark", "run", "running soup", "the", "the soup", "zebra", "京", "東京"),
    *("cafe soup", '"soup market"', '"oup mar"', '"the run"', "upermarke", "nothing", "token 7"),
    *("token", '"x1 the"', '"東京タワー soup"', "!!", "topic", '"c 3"', '"up the so"', '"n the r"'),
]
APART = 9000  # so that a few hundred messages are spread as widely as a million


@dataclass
class SearchModel:
    """Messages, and their texts in a plain model."""

    tx: Tx
    author: int
    texts: dict[int, tuple[str, str]] = field(default_factory=dict)
    inserted: int = 0

    def insert(self, text: str, topic: str) -> int:
        given = storage.messages.table.insert_in_channel(
            self.tx, self.author, self.channel_id(), topic, draft(text)
        )
        self.inserted += 1
        number = self.inserted * APART
        self.tx.execute("UPDATE message SET id = :new WHERE id = :id", new=number, id=given)
        storage.search.index.record_changes(self.tx, [number])
        self.texts[number] = (text, topic)
        return number

    def channel_id(self) -> int:
        found = storage.channels.table.find_by_name(self.tx, "market")
        if found is None:
            found = storage.channels.table.insert(
                self.tx, NewChannel("market"), "", self.author, {}
            )
        return found.id

    def edit(self, number: int, text: str) -> None:
        storage.messages.edits.set_content(self.tx, number, draft(text))
        self.texts[number] = (text, self.texts[number][1])

    def move(self, numbers: list[int], topic: str) -> None:
        to = MoveTarget(self.channel_id(), topic, new_topic=topic)
        parts = [
            part
            for topic_before in sorted({self.texts[number][1] for number in numbers})
            for each in storage.messages.edits.parts_of(self.tx, self.channel_id(), topic_before)
            if (part := each.among(set(numbers))).ids
        ]
        storage.messages.edits.move(self.tx, parts, self.author, to)
        self.texts |= {number: (self.texts[number][0], topic) for number in numbers}

    def delete(self, numbers: list[int]) -> None:
        storage.messages.table.delete(self.tx, numbers)
        for number in numbers:
            del self.texts[number]

    def holding(self, query: str) -> list[int]:
        requested = domain.search.query.parse(query)
        return sorted(
            number
            for number, (text, topic) in self.texts.items()
            if requested.matches(SearchedText(f"<p>{text}</p>", topic))
        )

    def check(self) -> None:
        """In any state, the index finds what reading every message finds."""
        for query in QUERIES:
            expected = self.holding(query)
            found = Selection(search=SearchCursor(self.tx, domain.search.query.parse(query), []))
            assert (
                storage.messages.history.before(self.tx, found, BEYOND_ALL, 10_000) == expected
            ), query
            middle = self.inserted // 2 * APART
            later = [number for number in expected if number > middle]
            assert storage.messages.history.after(self.tx, found, middle, 7) == later[:7], query
            earlier = [number for number in expected if number < middle]
            assert storage.messages.history.before(self.tx, found, middle, 7) == earlier[-7:], query
            some = list(self.texts)[::3]
            assert storage.messages.history.among(self.tx, found, some) == sorted(
                {*expected} & {*some}
            ), query
            missing = Selection(
                search=SearchCursor(self.tx, None, [domain.search.query.parse(query)])
            )
            others = sorted({*self.texts} - {*expected})
            assert storage.messages.history.after(self.tx, missing, 0, 10_000) == others, query
        for pair in pairwise(QUERIES):
            excluded = Selection(
                search=SearchCursor(
                    self.tx,
                    domain.search.query.parse("token"),
                    [domain.search.query.parse(query) for query in pair],
                )
            )
            expected = sorted({*self.holding("token")}.difference(*map(self.holding, pair)))
            found_ids = storage.messages.history.before(self.tx, excluded, BEYOND_ALL, 10_000)
            assert found_ids == expected, pair


def draft(text: str) -> Draft:
    return Draft(text, f"<p>{text}</p>", render_version=1, client="test", read_by_sender=True)


def words(chance: random.Random) -> str:
    some = chance.choices(WORDS, k=chance.randint(1, 5))
    return " ".join([*some, f"token{chance.randint(1, 40)}"])


@pytest.mark.parametrize("listed", [storage.search.batch.MAX_WORDS_PER_MESSAGE, 5])
def test_the_index_finds_the_same_as_a_full_scan(
    database: BlockingDatabase, realm: Realm, monkeypatch: pytest.MonkeyPatch, listed: int
) -> None:
    """Whether it lists the words of all messages, or many of them have a signature."""
    monkeypatch.setattr(storage.search.batch, "MAX_WORDS_PER_MESSAGE", listed)

    def scene(tx: Tx) -> None:
        chance = random.Random(5)
        model = SearchModel(tx, storage.people.users.list_all(tx)[0].id)
        for number in range(200):
            model.insert(words(chance), f"topic {number % 4}")
            if number in (70, 140):
                while storage.search.batch.index_messages(tx, 50):
                    pass
                storage.search.phrase_filter.index_batch(tx, limit=60, least=1)
        model.check()  # the last ones are not indexed, and some have no joints

        numbers = list(model.texts)
        for number in chance.sample(numbers, 30):
            model.edit(number, words(chance))
        model.move(chance.sample(numbers, 30), "abc 3")
        model.delete(chance.sample(numbers, 30))
        model.check()  # many are indexed with their old text

        while storage.search.batch.index_messages(tx, 50):
            pass
        assert storage.search.index.count_behind(tx, 10) == 0
        model.check()

        while storage.search.phrase_filter.index_batch(tx, limit=50, least=1):
            pass
        model.check()
        if listed > 5:
            assert not SearchCursor(
                tx, domain.search.query.parse('"zebra soup x1 the"'), []
            ).filter_by_index(
                [number for number in model.texts if number not in model.holding('"zebra soup"')]
            )
        candidates = SearchCursor(tx, domain.search.query.parse('"up the so"'), []).filter_by_index(
            list(model.texts)
        )
        if listed > 5:
            # by its ends, short as they are
            assert len(candidates) < len(model.holding("the")) / 2

        model.delete(list(model.texts))
        model.check()
        while storage.search.batch.index_messages(tx, 50):
            pass
        left = {table: tx.value(f"SELECT count(*) AS value FROM {table}") for table in TABLES}
        assert left == dict.fromkeys(TABLES, 0)

    database.of(realm.id).write(scene)


def test_negated_words_are_excluded_by_the_index(database: BlockingDatabase, realm: Realm) -> None:
    """The texts are replaced without a trace, so only the index has the words."""

    def scene(tx: Tx) -> list[int]:
        model = SearchModel(tx, storage.people.users.list_all(tx)[0].id)
        first, second, third, fourth = (
            model.insert(text, "topic") for text in ("red soup", "blue pan", "green pan", "salt")
        )
        while storage.search.batch.index_messages(tx, 50):
            pass
        tx.execute("UPDATE message SET rendered = '' WHERE realm_id = :realm")
        model.edit(fourth, "more soup")  # not indexed in this form: its text decides

        unwanted = [domain.search.query.parse(text) for text in ("soups", "green pan", "pot")]
        kept = Selection(search=SearchCursor(tx, None, unwanted))
        found = storage.messages.history.before(tx, kept, BEYOND_ALL, 10)
        assert {first, third, fourth}.isdisjoint(found)
        return [number for number in found if number == second]

    assert len(database.of(realm.id).write(scene)) == 1


def test_messages_changed_during_phrase_indexing_are_found_as_they_are_now(
    database: BlockingDatabase, realm: Realm
) -> None:
    def scene(tx: Tx) -> None:
        joints = storage.search.phrase_filter
        model = SearchModel(tx, storage.people.users.list_all(tx)[0].id)
        edited, gone = model.insert("the soup market", "x"), model.insert("the run", "x")
        model.insert("running soup market", "x")
        storage.search.batch.index_messages(tx, 10)

        some = joints.pending_joints(tx, limit=10, least=1)
        for part in range(joints.PARTS):
            joints.join_part(tx, some, part)
            if part == joints.PARTS // 2:
                model.edit(edited, "soup market the run")
                storage.search.batch.index_messages(tx, 10)
                model.delete([gone])
            model.check()
        joints.finish_joining(tx, some)
        model.check()

        assert joints.index_batch(tx, limit=10, least=1) == 1
        model.check()
        model.delete(list(model.texts))
        left = {table: tx.value(f"SELECT count(*) AS value FROM {table}") for table in TABLES}
        assert left == dict.fromkeys(TABLES, 0)

    database.of(realm.id).write(scene)


def test_long_texts_are_indexed_a_few_at_a_time(
    database: BlockingDatabase, realm: Realm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers wait for it, and HTML may be much longer than the text."""
    monkeypatch.setattr(storage.search.index, "USUAL_LENGTH", 10)
    long = "soup &amp; " * 15

    def scene(tx: Tx) -> None:
        model = SearchModel(tx, storage.people.users.list_all(tx)[0].id)
        numbers = [model.insert(long, "x"), model.insert(long, "x"), model.insert("the run", "x")]
        assert [storage.search.batch.index_messages(tx, 10) for _ in range(4)] == [1, 1, 1, 0]

        for number in numbers:
            model.edit(number, f"{long} anew")
        model.insert("soup", "x")
        model.check()
        assert [storage.search.batch.index_messages(tx, 10) for _ in range(4)] == [1, 1, 1, 1]
        assert storage.search.batch.index_messages(tx, 10) == 0
        model.check()

    database.of(realm.id).write(scene)


def test_a_word_is_deleted_with_its_last_message(database: BlockingDatabase, realm: Realm) -> None:
    def known(tx: Tx) -> set[str]:
        return {row["word"] for row in tx.all("SELECT word FROM search_word")}

    def scene(tx: Tx) -> None:
        model = SearchModel(tx, storage.people.users.list_all(tx)[0].id)
        secret, plain = (
            model.insert("the password is hunter2", "x"),
            model.insert("the weather", "x"),
        )
        storage.search.batch.index_messages(tx, 10)
        assert "hunter2" in known(tx)

        model.edit(secret, "the soup")
        storage.search.batch.index_messages(tx, 10)
        assert known(tx) == {"the", "soup", "weather", "x"}

        model.delete([plain])
        assert known(tx) == {"the", "soup", "x"}
        assert storage.search.index.word_ids(
            tx, domain.search.query.parse("weather").words[0]
        ) == storage.search.index.word_ids(tx, domain.search.query.parse("eathe").words[0])

    database.of(realm.id).write(scene)


def test_organizations_share_no_words(database: BlockingDatabase, realm: Realm) -> None:
    other = database.of(0).write(actions.organization.creation.create, "Otra", "otra")

    def talk(tx: Tx) -> None:
        model = SearchModel(tx, storage.people.users.list_all(tx)[0].id, inserted=100 * tx.realm_id)
        model.insert("our soup", "x")
        storage.search.batch.index_messages(tx, 10)
        assert model.holding("soup") == storage.messages.history.before(
            tx,
            Selection(search=SearchCursor(tx, domain.search.query.parse("soup"), [])),
            BEYOND_ALL,
            10,
        )

    database.of(realm.id).write(talk)
    database.of(other.id).write(talk)
    assert database.of(0).read(storage.search.index.realms_behind) == []


SAID = [
    *("<p>The report, the end</p>", "<p>the  report\nthe end</p>", "<p>the <b>rep</b>ort the</p>"),
    *("<p>the report &amp; the</p>", "<p>thé report the</p>", "<p>THE REPORT THE</p>"),
    *("<p>the report</p>\n<p>the end</p>", "<p>a 100% report the</p>", "<p>a 100x report the</p>"),
    *(
        "<p>a snake_case name</p>",
        "<p>a snakeXcase name</p>",
        "<p>wow! really</p>",
        "<p>so it is</p>",
    ),
    *("<p>the “report” the</p>", "<p>ｔｈｅ report the</p>", "<hr>", ""),
]
PHRASES = [
    *('"the report the"', '"the report"', '"report, the"', '"100% report"', '"snake_case name"'),
    *('"wow! really"', '"report & the"', '"report the en"', '"it is"'),
    *(f'"it is" "so {"very " * 80}long"', '"very short" "so it"', '"the end" -report'),
]


@pytest.mark.parametrize("query", PHRASES)
def test_the_text_filter_of_the_database_excludes_no_match(
    database: BlockingDatabase, realm: Realm, query: str
) -> None:
    def scene(tx: Tx) -> None:
        model = SearchModel(tx, storage.people.users.list_all(tx)[0].id)
        topics = ("", "the report the", "thé réport the", "100% sure: it is")
        pages = {model.insert(text, topic): (text, topic) for text in SAID for topic in topics}
        for number, (text, _) in pages.items():
            tx.execute("UPDATE message SET rendered = :text WHERE id = :id", text=text, id=number)
        while storage.search.batch.index_messages(tx, 50):
            pass

        requested = domain.search.query.parse(query)
        found = SearchCursor(tx, requested, []).verify([*pages])

        assert found == [
            number
            for number, page in pages.items()
            if requested.is_confirmed_by(SearchedText(*page))
        ]

    database.of(realm.id).write(scene)
