"""The inverted index: which messages contain which words.

It is the same on both databases: words have numbers, and each word has a bitmap of messages. A
search for a part of a word looks in the vocabulary, which is small, for the words that contain it.
Messages that were sent or changed since the last update are known (`indexed_to`, `search_stale`)
and read directly, so a search is never behind. We have our own index because those of the databases
find neither parts of words nor Japanese, and differ from each other.

Writers of one organization take turns, so its messages are committed in the order of their ids, and
one number says how far they are indexed.
"""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

from pyroaring import BitMap

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.search.query import QueryTerm
from tertulia.storage.search import changes, languages, phrase_filter, segments, signatures, texts
from tertulia.storage.search.segments import SegmentChanges, SegmentTable

POSTINGS = SegmentTable("search_posting", "word_id")  # the messages that contain a word
_GRAMS = SegmentTable("search_gram", "gram")  # the words that contain some letters
USUAL_LENGTH = 20_000  # bytes of HTML of a message; nearly all have fewer


# --- updating ---


def indexed_to(tx: Tx) -> int:
    """The last message that was indexed."""
    return tx.number("SELECT indexed_to AS value FROM search_head WHERE realm_id = :realm")


def realms_behind(tx: Tx) -> list[int]:
    """Organizations with messages that are not indexed in their current form.

    Compares with the newest message: to find out whether there is any message beyond a parameter,
    PostgreSQL would read all of them.
    """
    return tx.column(
        "SELECT r.id FROM realm r LEFT JOIN search_head h ON h.realm_id = r.id"
        " WHERE (SELECT m.id FROM message m WHERE m.realm_id = r.id ORDER BY m.id DESC LIMIT 1)"
        " > coalesce(h.indexed_to, 0) OR (SELECT s.message_id FROM search_stale s"
        " WHERE s.realm_id = r.id LIMIT 1) IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM search_stale_topic t WHERE t.realm_id = r.id) ORDER BY r.id"
    )


def count_behind(tx: Tx, limit: int) -> int:
    """The number of messages not indexed in their current form; stops counting at `limit`."""
    changed_ids = tx.number(
        "SELECT count(*) AS value FROM (SELECT message_id FROM"
        f" ({changes.MARKED}) marked WHERE message_id <= :head LIMIT :limit) found",
        head=indexed_to(tx),
        limit=limit,
    )
    return count_fresh(tx, limit) + changed_ids


def count_fresh(tx: Tx, limit: int) -> int:
    """The number of messages that were never indexed; stops counting at `limit`."""
    return tx.number(
        "SELECT count(*) AS value FROM (SELECT 1 FROM message"
        " WHERE realm_id = :realm AND id > :head LIMIT :limit) AS fresh",
        head=indexed_to(tx),
        limit=limit,
    )


def bytes_behind(tx: Tx, limit: int) -> int:
    """The bytes of HTML of the messages that are not indexed in their current form, of at most so
    many."""
    ids = [*changed(tx, limit), *newest_unindexed(tx, limit)]
    return sum(texts.sizes(tx, ids).values())


def is_something_long(tx: Tx) -> bool:
    """Whether one of the unindexed messages takes long to read."""
    return tx.exists(
        "SELECT 1 FROM message WHERE realm_id = :realm AND id > :head"
        f" AND {tx.dialect.sql.byte_length('rendered')} > :usual LIMIT 1",
        head=indexed_to(tx),
        usual=USUAL_LENGTH,
    )


def changed(tx: Tx, limit: int) -> list[int]:
    """Messages that changed after they were indexed, newest first."""
    return tx.column(
        f"SELECT s.message_id FROM ({changes.MARKED}) s"
        " JOIN message m ON m.id = s.message_id WHERE s.message_id <= :head"
        " ORDER BY s.message_id DESC LIMIT :limit",
        head=indexed_to(tx),
        limit=limit,
    )


def all_changed(tx: Tx) -> list[int]:
    """All messages that changed after they were indexed, in any order."""
    return tx.ids(f"SELECT message_id AS id FROM ({changes.MARKED}) marked")


def stale(tx: Tx, limit: int) -> list[int]:
    """Messages that changed or were deleted after they were indexed, newest first; without those of
    marked topics."""
    return tx.column(
        "SELECT message_id FROM search_stale WHERE realm_id = :realm AND message_id <= :head"
        " ORDER BY message_id DESC LIMIT :limit",
        head=indexed_to(tx),
        limit=limit,
    )


def word_counts(tx: Tx, message_ids: Sequence[int]) -> dict[int, int]:
    """The number of words and word pairs in the index, by message."""
    rows = tx.tuples(
        "SELECT message_id, length(words), coalesce(length(joints), 0) FROM search_document"
        " WHERE message_id IN :ids",
        ids=list(message_ids),
    )
    return {
        message_id: words // array("I").itemsize + joints // array("H").itemsize
        for message_id, words, joints in rows
    }


def record_changes(tx: Tx, message_ids: Sequence[int]) -> None:
    """Mark messages as changed since they were indexed."""
    changes.record(tx, message_ids)


def delete(tx: Tx, message_ids: Sequence[int]) -> None:
    """Remove messages from the index, and words that no other message contains."""
    ids = list(message_ids)
    if not ids:
        return
    rows = tx.all("SELECT message_id, words FROM search_document WHERE message_id IN :ids", ids=ids)
    phrase_filter.delete(tx, ids)
    gone = SegmentChanges()
    for row in rows:
        for word_id in array("I", row["words"]):
            gone.add(word_id, [row["message_id"]])
    emptied = segments.remove(tx, POSTINGS, gone)
    signatures.delete(tx, [row["message_id"] for row in rows if not row["words"]])
    tx.execute("DELETE FROM search_document WHERE message_id IN :ids", ids=ids)
    changes.unmark(tx, ids)
    _delete_unused_words(tx, emptied)


def removal_rows(tx: Tx, message_ids: Sequence[int]) -> dict[int, int]:
    """The maximum number of rows that `forget` writes for each of some indexed messages.

    A message without words has a signature.
    """
    rows = tx.all(
        "SELECT message_id, words, joints FROM search_document WHERE message_id IN :ids",
        ids=list(message_ids),
    )
    words_of = {row["message_id"]: array("I", row["words"]) for row in rows}
    costs = _removal_costs(tx, words_of)
    return {
        row["message_id"]: 2 * phrase_filter.count(row["joints"])
        + sum(costs[word_id] for word_id in words_of[row["message_id"]])
        + (0 if row["words"] else domain.search.signature.MAX_PARTS)
        for row in rows
    }


def delete_some_words(tx: Tx, message_id: int, max_rows: int) -> None:
    """Remove a changed message from some of its word pairs and words, in at most so many rows.

    Searches do not use the words of such a message.
    """
    row = tx.one(
        "SELECT d.words, d.joints FROM search_document d JOIN search_stale s"
        " ON s.realm_id = d.realm_id AND s.message_id = d.message_id WHERE d.message_id = :id",
        id=message_id,
    )
    if row is None:
        return
    room = max_rows
    if row["joints"]:
        room -= 2 * phrase_filter.delete_some(tx, message_id, max_rows // 2)
    word_ids = array("I", row["words"])
    costs = _removal_costs(tx, {message_id: word_ids})
    count = 0
    while count < len(word_ids) and (room >= costs[word_ids[count]] or room == max_rows):
        room -= costs[word_ids[count]]
        count += 1
    gone = SegmentChanges()
    for word_id in word_ids[:count]:
        gone.add(word_id, [message_id])
    emptied = segments.remove(tx, POSTINGS, gone)
    tx.execute(
        "UPDATE search_document SET words = :rest WHERE message_id = :id",
        rest=word_ids[count:].tobytes(),
        id=message_id,
    )
    _delete_unused_words(tx, emptied)


def _removal_costs(tx: Tx, words_of: Mapping[int, "array[int]"]) -> dict[int, int]:
    """The maximum number of rows that are written for each word if these messages are removed from
    it.

    A changed row is deleted and inserted. A word without messages is deleted, and so are its
    entries in the grams, of which a long word has many.
    """
    gone = SegmentChanges()
    for message_id in sorted(words_of):
        for word_id in words_of[message_id]:
            gone.add(word_id, [message_id])
    costs: dict[int, int] = {word_id: 0 for ids in words_of.values() for word_id in ids}
    unused = BitMap()
    for segment, removed in gone.by_segment.items():
        bits = segments.load(tx, POSTINGS, [segment], list(removed))
        for word_id, held in bits.get(segment, {}).items():
            costs[word_id] += 2
            if not held - BitMap(removed[word_id]):
                unused.add(word_id)
    rows = tx.all("SELECT id, word FROM search_word WHERE id IN :ids", ids=list(unused))
    for row in rows:
        costs[row["id"]] += 1 + 2 * len(domain.search.words.grams(row["word"]))
    return costs


def newest_unindexed(tx: Tx, limit: int) -> list[int]:
    """The newest messages that are not indexed yet."""
    rows = tx.all(
        "SELECT id FROM message WHERE realm_id = :realm AND id > :head"
        " ORDER BY id DESC LIMIT :limit",
        head=indexed_to(tx),
        limit=limit,
    )
    return [row["id"] for row in rows]


def add(tx: Tx, words_of: Mapping[int, Collection[str]], change: int) -> None:
    """Add messages with their words, which include all changes up to the given one."""
    holders: dict[str, list[int]] = {}
    for message_id in sorted(words_of):
        for word in words_of[message_id]:
            holders.setdefault(word, []).append(message_id)
    numbers = _numbers(tx, set(holders))
    new = SegmentChanges()
    for word, message_ids in holders.items():
        new.add(numbers[word], message_ids)
    segments.insert(tx, POSTINGS, new)
    tx.bulk.load_rows(
        "search_document",
        ("message_id", "realm_id", "words", "change"),
        (
            (
                message_id,
                tx.realm_id,
                array("I", [numbers[word] for word in found]).tobytes(),
                change,
            )
            for message_id, found in words_of.items()
        ),
    )


# --- the vocabulary ---


def word_ids(tx: Tx, term: QueryTerm) -> BitMap:
    """The words that a term may mean."""
    found = BitMap()
    if term.part is not None:
        found |= _containing(tx, term.part)
    if term.by_stem:
        found.update(
            tx.column(
                "SELECT id FROM search_word WHERE realm_id = :realm AND stem IN :stems",
                stems=sorted({stem for _, stem in term.stems}),
            )
        )
    elif term.word is not None:
        found.update(find_words(tx, {term.word}).values())
    return found


def words_like(tx: Tx, pattern: str) -> list[str]:
    """The words that match an SQL pattern, and perhaps some more: some characters are wildcards in
    it."""
    rows = tx.tuples(
        "SELECT word FROM search_word WHERE realm_id = :realm AND word LIKE :pattern",
        pattern=pattern,
    )
    return [word for (word,) in rows]


def _containing(tx: Tx, part: str) -> BitMap:
    grams = domain.search.words.grams(part)
    found = BitMap()
    held = segments.load(tx, _GRAMS, segments.all_of(tx, _GRAMS), list(grams))
    for segment, bits in held.items():
        if len(bits) == len(grams):
            found |= segments.lifted(BitMap.intersection(*bits.values()), segment)
    if len(grams) == 1 and (
        len(part) == domain.search.words.MIN_PART_LENGTH or domain.search.words.is_unspaced(part)
    ):
        return found
    rows = tx.all("SELECT id, word FROM search_word WHERE id IN :ids", ids=list(found))
    return BitMap(row["id"] for row in rows if part in row["word"])


def _numbers(tx: Tx, found: set[str]) -> dict[str, int]:
    """The number of each word; new words get one."""
    numbers = find_words(tx, found)
    missing = found - numbers.keys()
    if missing:
        language = languages.of(tx)[0]
        tx.bulk.load_rows(
            "search_word",
            ("realm_id", "word", "stem"),
            (
                (tx.realm_id, word, domain.search.languages.stem(word, language))
                for word in sorted(missing)
            ),
        )
        new = find_words(tx, missing)
        segments.insert(tx, _GRAMS, _grams_of(new))
        numbers |= new
    return numbers


def find_words(tx: Tx, some: set[str]) -> dict[str, int]:
    """Those of some words that the vocabulary has, with their numbers."""
    if not some:
        return {}
    rows = tx.all(
        "SELECT id, word FROM search_word WHERE realm_id = :realm AND word IN :words",
        words=list(some),
    )
    return {row["word"]: row["id"] for row in rows}


def known_grams(tx: Tx, some: set[str]) -> set[str]:
    """Those of some grams to which the next new word adds no row."""
    known_segments = segments.all_of(tx, _GRAMS)
    found = tx.tuples(
        "SELECT gram FROM search_gram WHERE realm_id = :realm AND segment IN :segments"
        " AND gram IN :grams",
        segments=known_segments[-1:],
        grams=sorted(some),
    )
    return {gram for (gram,) in found}


def _grams_of(numbers: Mapping[str, int]) -> SegmentChanges:
    found = SegmentChanges()
    for word, number in numbers.items():
        for gram in domain.search.words.grams(word):
            found.add(gram, [number])
    return found


def _delete_unused_words(tx: Tx, candidates: Iterable[int]) -> None:
    """Delete those of the words that no message contains any more."""
    ids = set(candidates)
    if not ids:
        return
    rows = tx.all(
        "SELECT DISTINCT word_id FROM search_posting WHERE realm_id = :realm"
        " AND segment IN :segments AND word_id IN :ids",
        segments=segments.all_of(tx, POSTINGS),
        ids=sorted(ids),
    )
    unused = sorted(ids - {row["word_id"] for row in rows})
    rows = tx.all("SELECT id, word FROM search_word WHERE id IN :ids", ids=unused)
    segments.remove(tx, _GRAMS, _grams_of({row["word"]: row["id"] for row in rows}))
    tx.execute("DELETE FROM search_word WHERE id IN :ids", ids=unused)
