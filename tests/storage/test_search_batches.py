"""Index batches: what a transaction writes is bounded, for any text."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pytest
from tests.support.database_plan import thorough_except
from tests.support.unusual_texts import (
    HOSTILE,
    base64_log,
    chinese,
    chinese_prose,
    english,
)

from tertulia import actions, domain, storage
from tertulia.database import BlockingDatabase
from tertulia.database.dialect import BulkLoad, Cursor
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.organization.realm import Realm
from tertulia.domain.search.query import SearchedText
from tertulia.storage.messages.selections import BEYOND_ALL, Selection
from tertulia.storage.search import batch as batches
from tertulia.storage.search.execution import MAX_FRESH_BYTES, SearchCursor

LENGTH = domain.limits.MAX_MESSAGE_LENGTH
TABLES = (
    *("search_document", "search_posting", "search_word", "search_gram", "search_stale"),
    *("search_joint", "search_signature"),
)
ITEM_BYTES, INDEX_ENTRY_BYTES = 4, 32  # of a row of PostgreSQL, besides its columns
MESSAGE_BYTES = 500  # of a message in PostgreSQL with its indexes, besides its text


class RowCount:
    """A dialect that counts written rows."""

    def __init__(self, dialect: Any) -> None:
        self._dialect = dialect
        self.rows = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dialect, name)

    def run(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor:
        cursor: Cursor = self._dialect.run(connection, sql, params)
        if not sql.startswith("SELECT"):
            self.rows += max(0, cursor.rowcount)
        return cursor

    def bulk_load(self, connection: Any) -> Any:
        return CountingBulkLoad(self._dialect.bulk_load(connection), self)


class CountingBulkLoad:
    def __init__(self, bulk: BulkLoad, count: RowCount) -> None:
        self._bulk, self._count = bulk, count

    def load_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        def counted() -> Iterator[Sequence[Any]]:
            for row in rows:
                self._count.rows += 1
                yield row

        self._bulk.load_rows(table, columns, counted())


class Index:
    """The index of an organization, each step in its own transaction, as in the job."""

    def __init__(self, database: BlockingDatabase, realm: Realm) -> None:
        self._database, self._realm = database, realm

    def read(self, query: Any, *args: Any) -> Any:
        return self._database.of(self._realm.id).read(query, *args)

    def write(self, action: Any, *args: Any) -> Any:
        return self._database.of(self._realm.id).write(action, *args)

    def says(self, text: str) -> int:
        def insert(tx: Tx) -> int:
            author = storage.people.users.list_all(tx)[0].id
            location = storage.messages.conversations.get_or_start(tx, [author])
            return storage.messages.table.insert_in_conversation(tx, author, location, draft(text))

        number: int = self.write(insert)
        return number

    def says_all(self, texts: Sequence[str], at: float | None = None) -> list[int]:
        """Send messages in one transaction, at a time of the past."""

        def insert(tx: Tx) -> list[int]:
            author = storage.people.users.list_all(tx)[0].id
            location = storage.messages.conversations.get_or_start(tx, [author])
            ids = [
                storage.messages.table.insert_in_conversation(tx, author, location, draft(text))
                for text in texts
            ]
            if at is not None:
                tx.execute("UPDATE message SET sent_at = :at WHERE id IN :ids", at=at, ids=ids)
            return ids

        ids: list[int] = self.write(insert)
        return ids

    def edits(self, message_id: int, text: str) -> None:
        self.write(storage.messages.edits.set_content, message_id, draft(text))

    def deletes(self, *message_ids: int) -> int:
        """Delete messages and return the number of rows that the index wrote."""
        rows = self._counted(storage.search.removal.remove_deleted, message_ids)
        self.write(storage.messages.table.delete, message_ids)
        return rows

    def prepare(self) -> batches.IndexBatch:
        batch: batches.IndexBatch = self.read(batches.prepare)
        return batch

    def store(self, batch: batches.IndexBatch) -> int:
        """Write a batch and return the number of rows."""
        return self._counted(batches.write, batch)

    def _counted(self, action: Any, *args: Any) -> int:
        def count(tx: Tx) -> int:
            dialect = RowCount(tx.dialect)
            action(Tx(tx._connection, dialect, tx.realm_id, tx.now, announced=tx.announced), *args)
            return dialect.rows

        rows: int = self.write(count)
        return rows

    def catches_up(self) -> list[int]:
        """Index everything and return the rows of each transaction."""
        rows = []
        while not (batch := self.prepare()).is_empty:
            rows.append(self.store(batch))
        return rows

    def finds(self, query: str) -> list[int]:
        def find(tx: Tx) -> list[int]:
            search = SearchCursor(tx, domain.search.query.parse(query), [])
            return storage.messages.history.before(tx, Selection(search=search), BEYOND_ALL, 1000)

        ids: list[int] = self.read(find)
        return ids

    def candidates(self, query: str, among: list[int]) -> list[int]:
        def ask(tx: Tx) -> list[int]:
            return SearchCursor(tx, domain.search.query.parse(query), []).filter_by_index(among)

        ids: list[int] = self.read(ask)
        return ids

    def count(self, table: str) -> int:
        number: int = self.read(Tx.value, f"SELECT count(*) AS value FROM {table}")
        return number

    def bytes_on_disk(self) -> int:
        """The size of messages with their index."""
        if self._database.dialect.name == "sqlite":
            pages: int = self.read(
                Tx.value,
                "SELECT (SELECT page_count FROM pragma_page_count)"
                " - (SELECT freelist_count FROM pragma_freelist_count) AS value",
            )
            return pages * 4096
        sizes = " + ".join(f"pg_total_relation_size('{each}')" for each in ("message", *TABLES))
        return int(self.read(Tx.value, f"SELECT {sizes} AS value"))

    def bytes(self) -> int:
        """The same; on PostgreSQL without compression and unused space."""
        if self._database.dialect.name == "sqlite":
            return self.bytes_on_disk()
        queries = [
            f"SELECT coalesce(sum(pg_column_size(t) + {ITEM_BYTES} + {INDEX_ENTRY_BYTES} * (SELECT"
            f" count(*) FROM pg_index WHERE indrelid = '{table}'::regclass)), 0) AS value"
            f" FROM {table} t"
            for table in TABLES
        ]
        queries.append(
            "SELECT coalesce(sum(octet_length(content) + octet_length(rendered)"
            f" + {MESSAGE_BYTES}), 0) AS value FROM message"
        )
        return sum(int(self.read(Tx.value, query)) for query in queries)


def draft(text: str) -> Draft:
    return Draft(text, f"<p>{text}</p>", render_version=1, client="test", read_by_sender=True)


@pytest.fixture
def index(database: BlockingDatabase, realm: Realm) -> Index:
    return Index(database, realm)


@pytest.mark.on_both
@pytest.mark.parametrize("text_of", HOSTILE)
def test_rows_per_message_and_per_transaction_are_bounded(index: Index, text_of: Any) -> None:
    chance = random.Random(1)
    index.says("plain words before")
    for _ in range(6):
        index.says(text_of(chance))
    index.says("plain words after")
    words = index.count("search_word")

    rows = index.catches_up()

    # A row that exists is deleted and written again, and counts twice.
    assert max(rows) <= 2 * batches.MAX_ROWS_OF_ONE_MESSAGE
    assert len(rows) < 15
    assert index.count("search_word") - words <= 6 * batches.MAX_NEW_WORDS_PER_MESSAGE + 4


@pytest.mark.parametrize("text_of", thorough_except([chinese], HOSTILE))
def test_a_long_message_is_found_by_each_of_its_parts(index: Index, text_of: Any) -> None:
    chance = random.Random(2)
    texts = {index.says(text): text for text in (text_of(chance) for _ in range(2))}
    other = index.says("a plain message")

    def check() -> None:
        for message_id, text in texts.items():
            for start in (0, LENGTH // 2, LENGTH - 41):
                phrase = text[start : start + 40].strip()
                for requested in (f'"{phrase}"', max(phrase.split(), key=len)[:12]):
                    expected = holding(texts, requested)
                    assert message_id in expected
                    assert index.finds(requested) == expected, requested
        elsewhere = text_of(chance)[:30].strip()
        assert index.finds(f'"{elsewhere}"') == []
        assert index.finds("plain") == [other]
        assert index.finds("nowhere") == []

    check()  # before it is indexed
    limits = batches.BatchLimits(messages=1)
    index.store(index.read(batches.prepare, limits))
    check()  # while only the first one is indexed
    index.catches_up()
    check()


def holding(texts: Mapping[int, str], query: str) -> list[int]:
    requested = domain.search.query.parse(query)
    return [
        each
        for each, text in texts.items()
        if requested.matches(SearchedText(f"<p>{text}</p>", ""))
    ]


@pytest.mark.parametrize("few", [storage.search.signatures.MAX_UNSEGMENTED_SIGNATURES, 0])
def test_signatures_exclude_nearly_all_messages_without_a_phrase(
    index: Index, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(storage.search.signatures, "MAX_UNSEGMENTED_SIGNATURES", few)
    chance = random.Random(3)
    texts = {index.says(text): text for text in (chinese(chance) for _ in range(16))}
    index.catches_up()
    assert index.count("search_signature") == 16 * domain.search.signature.MAX_PARTS

    phrases = [text[7000:7006] for text in islice(texts.values(), 10)]
    candidates = [len(index.candidates(phrase, list(texts))) for phrase in phrases]

    assert sum(candidates) <= 15  # of 160


@pytest.mark.parametrize("text_of", thorough_except([chinese], [*HOSTILE, base64_log]))
@pytest.mark.parametrize("length, count", [(LENGTH, 8), (400, 30), (100, 60), (20, 150)])
def test_unusual_text_takes_at_most_four_times_the_space_of_english(
    index: Index, monkeypatch: pytest.MonkeyPatch, text_of: Any, length: int, count: int
) -> None:
    monkeypatch.setattr(domain.search.budget, "MAX_NEW_WORDS_PER_DAY", 0)  # it is used up
    chance = random.Random(4)
    for _ in range(20):
        index.says(english(chance, 400))
    index.catches_up()
    sizes = []
    for kind in (english, text_of):
        before = index.bytes()
        index.says_all([kind(chance, length) for _ in range(count)])
        index.catches_up()
        sizes.append(index.bytes() - before)

    plain, odd = sizes
    assert odd <= 4 * plain


@pytest.mark.parametrize("text_of", thorough_except([chinese], [*HOSTILE, base64_log]))
def test_the_index_of_a_long_unusual_text_takes_less_space_on_disk_than_the_text(
    index: Index, text_of: Any
) -> None:
    """As the database stores them: PostgreSQL compresses some texts, but no index of these."""
    chance = random.Random(13)
    before = index.bytes_on_disk()

    index.says_all([text_of(chance, LENGTH) for _ in range(20)])
    with_texts = index.bytes_on_disk()
    index.catches_up()

    assert index.bytes_on_disk() - with_texts < with_texts - before


def test_one_person_adds_a_bounded_number_of_new_words_per_day(index: Index) -> None:
    chance = random.Random(10)
    texts = [chinese(chance, 20) for _ in range(150)]

    message = index.says_all(texts)
    index.catches_up()

    most = domain.search.budget.MAX_NEW_WORDS_PER_DAY
    assert most / 2 < index.count("search_word")
    assert index.count("search_word") <= most + domain.search.budget.MIN_NEW_WORDS_PER_MESSAGE * 150
    assert index.count("search_signature") > 75  # one row for each short text
    for message_id, text in zip(message, texts, strict=True):
        assert index.finds(text[7:9]) == [message_id]


def test_most_messages_of_a_new_team_that_writes_without_spaces_have_their_words_listed(
    index: Index,
) -> None:
    chance = random.Random(11)

    for day in range(5):
        index.says_all([chinese_prose(chance, 25) for _ in range(30)], day * 86_400)
        index.catches_up()

    assert index.count("search_signature") <= 15  # a tenth
    assert index.count("search_budget") == 1


def short_hashes(chance: random.Random, length: int) -> str:
    return " ".join(f"{chance.getrandbits(48):012x}" for _ in range(length // 13))


@pytest.mark.parametrize("text_of", [chinese, english, short_hashes])
def test_deleting_messages_writes_a_bounded_number_of_rows_of_the_index(
    index: Index, monkeypatch: pytest.MonkeyPatch, text_of: Any
) -> None:
    monkeypatch.setattr(domain.search.budget, "MAX_NEW_WORDS_PER_DAY", 100_000)
    chance = random.Random(12)
    texts = [f"omega {text_of(chance, 1200)}" for _ in range(30)]
    message = index.says_all([*texts, *(text_of(chance, 60) for _ in range(100)), "omega"])
    kept = message.pop()
    index.catches_up()
    index.write(storage.search.phrase_filter.index_batch, 1000, 1)

    rows = [index.deletes(*message)]
    assert index.finds("omega") == [kept]
    assert index.read(storage.data_check.search_problems) == []
    assert not index.read(actions.messages.search_index.is_far_behind)
    rows += index.catches_up()

    marked = len(message)  # one row each says that the message is left to the indexer
    assert max(rows) <= storage.search.removal.MAX_REMOVED_ROWS + marked + 1
    assert index.finds("omega") == [kept]
    assert index.count("search_document") == 1
    assert index.count("search_word") == 1
    assert index.count("search_signature") == 0


def test_a_deleted_message_leaves_the_index_with_it_if_it_is_not_large(index: Index) -> None:
    soup = index.says("soup and bread for everyone")
    index.catches_up()

    index.deletes(soup)

    assert {table: index.count(table) for table in TABLES} == dict.fromkeys(TABLES, 0)


def test_texts_are_read_and_split_outside_of_the_writer(index: Index) -> None:
    index.says("soup")
    edited = index.says("bread")
    index.catches_up()
    index.edits(edited, "rice")
    index.says(chinese(random.Random(5)))
    requested = []

    def write(tx: Tx) -> None:
        class Noting(RowCount):
            def run(self, connection: Any, sql: str, params: Mapping[str, Any]) -> Cursor:
                requested.append(sql)
                return super().run(connection, sql, params)

        batches.write(Tx(tx._connection, Noting(tx.dialect), tx.realm_id, tx.now), batch)

    batch = index.prepare()
    index.write(write)

    assert requested
    assert not [sql for sql in requested if "rendered" in sql]
    assert index.prepare().is_empty


@pytest.mark.parametrize("text_of", [chinese, english])
def test_messages_changed_between_reading_and_writing_are_found_as_they_are_now(
    index: Index, text_of: Any
) -> None:
    chance = random.Random(6)
    long = text_of(chance, 3000)
    known, gone, later = (index.says(f"alpha {long}") for _ in range(3))
    index.catches_up()
    index.edits(known, f"gamma {long}")
    index.edits(gone, f"gamma {long}")
    fresh, fleeting, after = (index.says(f"gamma {long}") for _ in range(3))
    index.edits(fresh, f"delta {long}")

    batch = index.prepare()
    index.edits(known, f"omega {long}")
    index.edits(fresh, f"omega {long}")
    index.deletes(gone)
    index.deletes(fleeting)
    index.store(batch)

    def check() -> None:
        assert index.finds("omega") == [known, fresh]
        assert index.finds("delta") == []
        assert index.finds("gamma") == [after]
        assert index.finds("alpha") == [later]

    check()
    index.catches_up()
    check()
    for message_id in (known, later, fresh, after):
        index.deletes(message_id)
    assert {table: index.count(table) for table in TABLES} == dict.fromkeys(TABLES, 0)


def test_a_batch_that_another_server_wrote_meanwhile_changes_nothing(index: Index) -> None:
    first, second = index.says("soup one"), index.says("soup two")
    batch = index.prepare()
    index.catches_up()
    index.edits(first, "bread")
    stale = index.prepare()
    index.catches_up()
    index.edits(first, "rice")

    index.store(batch)
    index.store(stale)

    assert (index.finds("soup"), index.finds("bread"), index.finds("rice")) == (
        [second],
        [],
        [first],
    )
    index.catches_up()
    assert (index.finds("soup"), index.finds("rice")) == ([second], [first])
    assert index.count("search_document") == 2


def test_a_message_of_an_older_index_loses_its_words_a_few_at_a_time(index: Index) -> None:
    text = chinese(random.Random(7), 3000)
    message_id = index.says(text)
    words = SearchedText(f"<p>{text}</p>", "").words

    def index_as_before(tx: Tx) -> None:
        storage.search.index.add(tx, {message_id: words}, 0)
        tx.upsert("search_head", ("realm_id",), indexed_to=message_id)

    index.write(index_as_before)
    assert index.finds(text[1000:1010]) == [message_id]
    index.edits(message_id, f"soup {text}")

    while not (batch := index.prepare()).is_empty:
        assert index.store(batch) <= 2 * batches.MAX_ROWS_OF_ONE_MESSAGE
        assert index.finds("soup") == index.finds(text[1000:1010]) == [message_id]
    assert index.count("search_word") == 0
    assert index.count("search_signature") > 0


def long_words(chance: random.Random) -> list[str]:
    """As many words as one message can lose at once, all of maximal length."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    count = batches.MAX_REMOVED_WORDS
    return ["".join(chance.choice(letters) for _ in range(64)) for _ in range(count)]


def phrases_of(chance: random.Random) -> list[str]:
    """Few words in so many orders that they have very many joints."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = [f"{a}{b}{c}" for a, b, c in zip(letters[1:], letters[3:], letters, strict=False)]
    return [chance.choice(words) for _ in range(LENGTH // 4)]


@pytest.mark.parametrize("words_of", thorough_except([phrases_of], [long_words, phrases_of]))
def test_a_message_that_alone_holds_many_words_is_reindexed_in_bounded_steps(
    index: Index, words_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domain.search.budget, "MAX_NEW_WORDS_PER_DAY", 100_000)
    words = words_of(random.Random(9))
    sources = []
    distinct = list(dict.fromkeys(words))
    for start in range(0, len(distinct), 8):  # each of these adds less than a message may
        sources.append(index.says(" ".join(distinct[start : start + 8])))
        index.catches_up()
    crafted = index.says(" ".join(words))
    index.catches_up()
    assert not index.count("search_signature")
    index.write(storage.search.phrase_filter.index_batch, 1000, 1)
    for message_id in sources:
        index.deletes(message_id)
    index.catches_up()

    index.edits(crafted, f"soup {' '.join(words)}")
    rows = []
    while not (batch := index.prepare()).is_empty:
        rows.append(index.store(batch))
        assert index.finds("soup") == index.finds(words[-1]) == [crafted]

    assert (
        max(rows) <= storage.search.removal.MAX_REMOVED_ROWS + 2 * batches.MAX_ROWS_OF_ONE_MESSAGE
    )
    index.edits(crafted, "rice")
    index.catches_up()
    assert (index.finds(words[-1]), index.finds("rice")) == ([], [crafted])
    index.deletes(crafted)
    index.catches_up()
    assert {table: index.count(table) for table in TABLES} == dict.fromkeys(TABLES, 0)


def test_changed_messages_do_not_delay_new_ones(index: Index) -> None:
    chance = random.Random(8)
    texts = [chinese(chance) for _ in range(8)]
    sent = [index.says(text) for text in texts]
    index.catches_up()
    for message_id, text in zip(sent, texts, strict=True):
        index.edits(message_id, f"{text}!")
    new = index.says("soup")

    index.store(index.prepare())

    assert index.read(storage.search.index.indexed_to) == new
    assert index.read(storage.search.index.stale, 100)


def test_a_search_indexes_much_unindexed_text_first(index: Index) -> None:
    text = "漢字" * (LENGTH // 2)
    is_far_behind = actions.messages.search_index.is_far_behind
    count = MAX_FRESH_BYTES // len(text.encode()) + 1

    for _ in range(count - 1):
        index.says(text)
    assert not index.read(is_far_behind)
    index.says(text)
    assert index.read(is_far_behind)

    index.store(index.prepare())
    assert not index.read(is_far_behind)
