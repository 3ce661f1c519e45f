"""Index batches: messages that are about to be indexed.

Texts are read and split into words before the write transaction, so that other writers wait only
for rows. The rows of a batch are bounded, and so are those of each message: a message with more
words, or more new words, than the index lists gets a signature, which has at most 64 rows. How many
new words it may have also depends on its length and on the budget of its sender.

Between `prepare` and `write` a message can change, be deleted, or be indexed by another server.
`search_head.changes` counts changes, and `write` skips texts that were read too early.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

import msgspec
from msgspec import field

from tertulia import domain
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.database.yielding import YieldPoint
from tertulia.domain.search.budget import Spending
from tertulia.domain.search.query import SearchedText
from tertulia.storage.search import (
    changes,
    index,
    languages,
    phrase_filter,
    removal,
    signatures,
    texts,
)


def of(tx: Tx, person_ids: Collection[int]) -> dict[int, Spending]:
    """The spending of those of some people who have taken anything."""
    rows = tx.tuples(
        "SELECT person_id, words, at FROM search_budget"
        " WHERE realm_id = :realm AND person_id IN :ids",
        ids=list(person_ids),
    )
    return {person_id: Spending(words, at) for person_id, words, at in rows}


def store(tx: Tx, spending: Mapping[int, Spending]) -> None:
    for person_id, spent in sorted(spending.items()):
        tx.upsert(
            "search_budget", ("realm_id", "person_id"),
            person_id=person_id, words=spent.words, at=spent.at,
        )  # fmt: skip


# Of a message in the index; 10,000 characters of English have about 600.
MAX_WORDS_PER_MESSAGE = 768
MAX_NEW_WORDS_PER_MESSAGE = 128
MAX_NEW_GRAMS_PER_MESSAGE = 768
MAX_MESSAGES = 50
MAX_TEXT_BYTES = 64_000
MAX_ROWS = 1024  # more only for a message that is alone in its batch
MAX_ROWS_OF_ONE_MESSAGE = (
    MAX_WORDS_PER_MESSAGE + MAX_NEW_WORDS_PER_MESSAGE + MAX_NEW_GRAMS_PER_MESSAGE + 1
)
WORDS_BETWEEN_YIELDS = 500
# Of a message that is indexed again; it loses the others in earlier batches.
MAX_REMOVED_WORDS = 128


class BatchLimits(msgspec.Struct, frozen=True):
    """The limits of a batch; it has at least one message."""

    messages: int = MAX_MESSAGES
    text_bytes: int = MAX_TEXT_BYTES
    rows: int | None = MAX_ROWS


class Document(msgspec.Struct, frozen=True):
    """The index entry of a message: words, or a signature."""

    message_id: int
    words: frozenset[str]
    signature: list[bytes] | None = None


class _Source(msgspec.Struct):
    """A message to be indexed, and what its words add to the vocabulary."""

    person_id: int  # the sender, or the owner of a bot
    sent_at: float
    length: int
    words: set[str]
    removed_rows: int = 0

    @property
    def has_few_words(self) -> bool:
        return len(self.words) <= MAX_WORDS_PER_MESSAGE


class IndexBatch(msgspec.Struct):
    change: int  # the number of changes when the texts were read
    indexed_to: int
    language: str  # of the stems in signatures
    changed: list[Document] = field(default_factory=list)
    fresh: list[Document] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)  # marked as changed, but deleted
    shrinking: int | None = None  # a message that loses some of its words
    spending: dict[int, Spending] = field(default_factory=dict)  # of the budgets, by person
    rows: int = 0
    is_bounded: bool = True
    has_marked_topic: bool = False  # with messages to be marked one by one

    @property
    def is_empty(self) -> bool:
        has_messages = self.changed or self.fresh or self.missing or self.shrinking is not None
        return not (has_messages or self.has_marked_topic)


def index_messages(tx: Tx, limit: int = MAX_MESSAGES) -> int:
    """Index some messages in this transaction: for commands that no other writer waits for."""
    while changes.has_marked_topic(tx):
        changes.expand_topic(tx)
    length = limit * index.USUAL_LENGTH
    return write(tx, prepare(tx, BatchLimits(limit, length, rows=None)))


def prepare(tx: Tx, limits: BatchLimits | None = None) -> IndexBatch:
    """Read and split the next messages: changed ones for half of the batch, then new ones."""
    limits = limits or BatchLimits()
    batch = IndexBatch(
        changes.count(tx),
        index.indexed_to(tx),
        languages.of(tx)[0],
        is_bounded=limits.rows is not None,
        has_marked_topic=changes.has_marked_topic(tx),
    )
    plan = _Plan(tx, limits, batch)
    plan.add_changed()
    plan.add_fresh()
    return batch


def write(tx: Tx, batch: IndexBatch) -> int:
    """Write a batch, as far as it is still valid. Returns how many messages are done."""
    if batch.language != languages.of(tx)[0]:
        return 0
    if batch.has_marked_topic:
        changes.expand_topic(tx)
    done = 0
    ids = [document.message_id for document in (*batch.changed, *batch.fresh)]
    noted = changes.last_of(tx, ids)
    current = {message_id for message_id, change in noted.items() if change <= batch.change}
    documents = [each for each in batch.changed if each.message_id in current]
    removed = [*batch.missing, *(each.message_id for each in documents)]
    if batch.is_bounded:
        removed = _removed(tx, removed, batch.shrinking)
        documents = [each for each in documents if each.message_id in {*removed}]
    index.delete(tx, removed)
    if batch.fresh and index.indexed_to(tx) == batch.indexed_to:
        there = texts.existing(tx, [each.message_id for each in batch.fresh])
        documents += [each for each in batch.fresh if each.message_id in there]
        done += len(batch.fresh) - len(there)
        changes.unmark(tx, sorted(there & current))
        tx.upsert("search_head", ("realm_id",), indexed_to=batch.fresh[-1].message_id)
    index.add(tx, {each.message_id: each.words for each in documents}, batch.change)
    signed = {each.message_id: each.signature for each in documents if each.signature is not None}
    signatures.insert(tx, signed)
    phrase_filter.exclude(tx, list(signed))
    store(tx, batch.spending)
    return done + len(documents) + len({*batch.missing} & {*removed})


def _removed(tx: Tx, message_ids: list[int], shrinking: int | None) -> list[int]:
    """Those of the deleted and changed messages that fit into half of MAX_REMOVED_ROWS.

    A message that needs more, or `shrinking`, loses words within the other half. All others stay
    marked as changed.
    """
    half = removal.MAX_REMOVED_ROWS // 2
    rows = index.removal_rows(tx, message_ids)
    if shrinking is None:
        shrinking = next((each for each in message_ids if rows.get(each, 0) > half), None)
    if shrinking is not None:
        index.delete_some_words(tx, shrinking, half)
    return removal.within(rows, message_ids, half)


class _Plan:
    """Fills a batch, within its limits."""

    def __init__(self, tx: Tx, limits: BatchLimits, batch: IndexBatch) -> None:
        self._tx = tx
        self._limits = limits
        self._batch = batch
        self._yield_point = YieldPoint(tx.yields_to, tx.interruption)
        self._known: set[str] = set()  # words that are in the vocabulary, or will be
        self._listed: set[str] = set()
        self._grams: set[str] = set()
        self._known_grams: set[str] = set()
        self._spending: dict[int, Spending] = {}
        self._bytes = 0

    def add_changed(self) -> None:
        limits = self._limits
        stale = index.stale(self._tx, max(1, (limits.messages + 1) // 2))
        counts = index.word_counts(self._tx, stale)
        kept = []
        for message_id in stale:
            if limits.rows is not None and counts.get(message_id, 0) > MAX_REMOVED_WORDS:
                if self._batch.shrinking is None:
                    self._batch.shrinking = message_id
                    self._batch.rows += 2 * MAX_REMOVED_WORDS
            else:
                kept.append(message_id)
        sizes = texts.sizes(self._tx, kept)
        self._batch.missing = [message_id for message_id in kept if message_id not in sizes]
        sources = self._sources([(each, sizes[each]) for each in kept if each in sizes], half=True)
        for message_id, source in sources.items():
            source.removed_rows = 2 * counts.get(message_id, 0)
            if not self._add(message_id, source, self._batch.changed):
                return

    def add_fresh(self) -> None:
        count = self._limits.messages - len(self._batch.changed)
        sizes = texts.fresh_sizes(self._tx, self._batch.indexed_to, count)
        for message_id, source in self._sources(sizes).items():
            if not self._add(message_id, source, self._batch.fresh):
                return

    def _sources(
        self, sizes: Sequence[tuple[int, int]], *, half: bool = False
    ) -> dict[int, _Source]:
        """As many of these messages as fit, in the same order."""
        limit = self._limits.text_bytes // 2 if half else self._limits.text_bytes
        ids: list[int] = []
        for message_id, size in sizes:
            if self._bytes and self._bytes + size > limit:
                break
            self._bytes += size
            ids.append(message_id)
        rows = {row["id"]: row for row in texts.with_senders(self._tx, ids)}
        sources: dict[int, _Source] = {}
        for message_id in ids:
            if message_id in rows:
                sources[message_id] = _source(rows[message_id])
                self._yield_point.yield_to_requests()
        self._add_words(list(sources.values()))
        return sources

    def _add_words(self, sources: list[_Source]) -> None:
        """Read which words and grams of these messages the index has, and the senders' budgets."""
        looked_up = set[str]().union(*(each.words for each in sources if each.has_few_words))
        self._known |= index.find_words(self._tx, looked_up - self._known).keys()
        new = looked_up - self._known
        if new:
            grams = set[str]().union(*map(domain.search.words.grams, new))
            self._known_grams |= index.known_grams(self._tx, grams)
        people = {each.person_id for each in sources} - self._spending.keys()
        self._spending |= of(self._tx, people)

    def _add(self, message_id: int, source: _Source, documents: list[Document]) -> bool:
        """Add a message to the batch, unless it would have too many rows then."""
        words = source.words
        new = words - self._known if source.has_few_words else words
        grams: set[str] = set()
        excess = 0
        is_listed = source.has_few_words and len(new) <= MAX_NEW_WORDS_PER_MESSAGE
        if is_listed:
            grams = set[str]().union(*map(domain.search.words.grams, new))
            excess = domain.search.budget.excess(
                len(new), len(grams - self._known_grams), source.length
            )
            spent = self._spending.get(source.person_id, Spending())
            is_listed = len(grams) <= MAX_NEW_GRAMS_PER_MESSAGE and (
                not excess or spent.has_room_for(excess, source.sent_at)
            )
        rows = 1 + source.removed_rows
        if is_listed:
            rows += len(words - self._listed) + len(new) + len(grams - self._grams)
            document = Document(message_id, frozenset(words))
        else:
            document = Document(message_id, frozenset(), self._signature(words))
            rows += len(document.signature or ())
        limit = self._limits.rows
        if limit is not None and self._batch.rows and self._batch.rows + rows > limit:
            return False
        self._batch.rows += rows
        documents.append(document)
        if is_listed:
            self._listed |= words
            self._grams |= grams
            self._known |= new
            self._known_grams |= grams
            if excess:
                spent = spent.plus(excess, source.sent_at)
                self._spending[source.person_id] = spent
                self._batch.spending[source.person_id] = spent
        self._yield_point.yield_to_requests()
        return True

    def _signature(self, words: Iterable[str]) -> list[bytes]:
        keys: set[int] = set()
        left = iter(words)
        while some := list(islice(left, WORDS_BETWEEN_YIELDS)):
            keys |= domain.search.signature.keys_of(some, self._batch.language)
            self._yield_point.yield_to_requests()
        return domain.search.signature.of(keys)


def _source(row: Row) -> _Source:
    text = SearchedText(row["rendered"], row["topic"])
    length = len(text.folded) + len(text.folded_topic)
    return _Source(row["person_id"], row["sent_at"], length, text.words)
