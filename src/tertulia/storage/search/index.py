"""The index of words: which messages hold which, brought up to date when somebody looks.

The same on both databases: words with numbers, and for each word a bitmap of messages. A search
for part of a word goes through the vocabulary, which is small, to the words that contain it.
What was sent or changed since the index was last brought up to date is known (`indexed_to`,
`search_stale`) and read by itself, so a search is never behind. By hand, because what the databases
bring along finds neither parts of words nor Japanese, and not the same things in both.

Writers of one organization take turns, so its messages are committed in the order of their ids
and one number says how far the index has come.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pyroaring import BitMap

from tertulia import domain, storage
from tertulia.domain.search.query import Clue, SearchedText
from tertulia.storage.database.tx import Row, Tx
from tertulia.storage.search.segments import SegmentChanges, SegmentTable

POSTINGS = SegmentTable("search_posting", "word_id")  # the messages that hold a word
_GRAMS = SegmentTable("search_gram", "gram")  # the words that contain some letters
USUAL_LENGTH = 20_000  # of a message as HTML; nearly all are shorter


# --- keeping it up to date ---


def indexed_to(tx: Tx) -> int:
    """The last message that was indexed; those after it were not."""
    return tx.number("SELECT indexed_to AS value FROM search_head WHERE realm_id = :realm")


def realms_behind(tx: Tx) -> list[int]:
    """The organizations with messages that are not indexed as they are.

    Asked of the newest message: whether there is one beyond a point that it does not know,
    PostgreSQL finds out by reading them all.
    """
    return tx.column(
        "SELECT r.id FROM realm r LEFT JOIN search_head h ON h.realm_id = r.id"
        " WHERE (SELECT m.id FROM message m WHERE m.realm_id = r.id ORDER BY m.id DESC LIMIT 1)"
        " > coalesce(h.indexed_to, 0) OR (SELECT s.message_id FROM search_stale s"
        " WHERE s.realm_id = r.id LIMIT 1) IS NOT NULL ORDER BY r.id"
    )


def count_behind(tx: Tx, most: int) -> int:
    """How many messages are not indexed as they are; stops counting at `most`."""
    return tx.number(
        "SELECT count(*) AS value FROM (SELECT 1 FROM message"
        " WHERE realm_id = :realm AND id > :head LIMIT :most) AS fresh",
        head=indexed_to(tx),
        most=most,
    ) + len(stale(tx, most))


def is_something_long(tx: Tx) -> bool:
    """Whether one of the messages that are not indexed takes long to look through."""
    return tx.exists(
        "SELECT 1 FROM message WHERE realm_id = :realm AND id > :head AND length(rendered) > :usual"
        " LIMIT 1",
        head=indexed_to(tx),
        usual=USUAL_LENGTH,
    )


def stale(tx: Tx, most: int) -> list[int]:
    """Messages that have changed since they were indexed, newest first."""
    return tx.column(
        "SELECT message_id FROM search_stale WHERE realm_id = :realm"
        " ORDER BY message_id DESC LIMIT :most",
        most=most,
    )


def note_changes(tx: Tx, message_ids: Sequence[int]) -> None:
    """Remember that messages do not say any more what they said when they were indexed."""
    tx.execute(
        "INSERT INTO search_stale (realm_id, message_id)"
        " SELECT realm_id, message_id FROM search_document"
        " WHERE realm_id = :realm AND message_id IN :ids ON CONFLICT DO NOTHING",
        ids=list(message_ids),
    )


def index_some(tx: Tx, most: int) -> int:
    """Index what was changed, then what is new, oldest first; says how many that were.

    Others who write wait for it, so texts that are long come a few at a time.
    """
    changed = stale(tx, most)
    longest = most * USUAL_LENGTH
    known = _few(storage.search.texts.of(tx, changed), longest)
    changed = [each for each in changed if each not in known.left]
    forget(tx, changed)
    fresh = _few(_fresh(tx, indexed_to(tx), most - len(changed)), longest, known.length)
    _index(tx, [*known.rows, *fresh.rows])
    if fresh.rows:
        tx.replace("search_head", ("realm_id",), indexed_to=fresh.rows[-1]["id"])
    return len(changed) + len(fresh.rows)


def forget(tx: Tx, message_ids: Sequence[int]) -> None:
    """Take messages out of the index, and with them the words that nobody else uses."""
    ids = list(message_ids)
    if not ids:
        return
    rows = tx.all("SELECT message_id, words FROM search_document WHERE message_id IN :ids", ids=ids)
    storage.search.joints.forget(tx, ids)
    gone = SegmentChanges()
    for row in rows:
        for word_id in array("I", row["words"]):
            gone.note(word_id, [row["message_id"]])
    emptied = storage.search.segments.take_out(tx, POSTINGS, gone)
    tx.execute("DELETE FROM search_document WHERE message_id IN :ids", ids=ids)
    tx.execute("DELETE FROM search_stale WHERE message_id IN :ids", ids=ids)
    _forget_words(tx, emptied)


def newest_unindexed(tx: Tx, most: int) -> list[int]:
    """The newest messages that are not indexed yet."""
    rows = tx.all(
        "SELECT id FROM message WHERE realm_id = :realm AND id > :head"
        " ORDER BY id DESC LIMIT :most",
        head=indexed_to(tx),
        most=most,
    )
    return [row["id"] for row in rows]


def _fresh(tx: Tx, head: int, most: int) -> list[Row]:
    return tx.all(
        "SELECT id, rendered, topic FROM message WHERE realm_id = :realm AND id > :head"
        " ORDER BY id LIMIT :most",
        head=head,
        most=most,
    )


class FewTexts(NamedTuple):
    """As many of some messages as are indexed at once."""

    rows: list[Row]
    left: frozenset[int]
    length: int


def _few(rows: list[Row], longest: int, length: int = 0) -> FewTexts:
    """As many as fit beside others of that length, and at least one if there are none."""
    count = 0
    for row in rows:
        if length and length + len(row["rendered"]) > longest:
            break
        length += len(row["rendered"])
        count += 1
    return FewTexts(rows[:count], frozenset(row["id"] for row in rows[count:]), length)


def _index(tx: Tx, rows: list[Row]) -> None:
    of_message = {row["id"]: SearchedText(row["rendered"], row["topic"]).words for row in rows}
    holders: dict[str, list[int]] = {}
    for message_id, found in of_message.items():
        for word in found:
            holders.setdefault(word, []).append(message_id)
    numbers = _numbers(tx, set(holders))
    new = SegmentChanges()
    for word, message_ids in holders.items():
        new.note(numbers[word], message_ids)
    storage.search.segments.put_in(tx, POSTINGS, new)
    tx.load_rows(
        "search_document",
        ("message_id", "realm_id", "words"),
        (
            (message_id, tx.realm_id, array("I", [numbers[word] for word in found]).tobytes())
            for message_id, found in of_message.items()
        ),
    )


# --- the vocabulary ---


def word_ids(tx: Tx, clue: Clue) -> BitMap:
    """The words that a clue may mean."""
    found = BitMap()
    if clue.part is not None:
        found |= _containing(tx, clue.part)
    if clue.stem is not None or clue.word is not None:
        rows = tx.all(
            "SELECT id FROM search_word WHERE realm_id = :realm"
            f" AND {'word = :word' if clue.stem is None else 'stem = :stem'}",
            **({"word": clue.word} if clue.stem is None else {"stem": clue.stem}),
        )
        found.update(row["id"] for row in rows)
    return found


def words_like(tx: Tx, pattern: str) -> list[str]:
    """The words of a pattern of SQL, and perhaps some others: for it, some signs are wild."""
    rows = tx.tuples(
        "SELECT word FROM search_word WHERE realm_id = :realm AND word LIKE :pattern",
        pattern=pattern,
    )
    return [word for (word,) in rows]


def _containing(tx: Tx, part: str) -> BitMap:
    grams = domain.search.words.grams(part)
    found = BitMap()
    held = storage.search.segments.load(
        tx, _GRAMS, storage.search.segments.all_of(tx, _GRAMS), list(grams)
    )
    for segment, bits in held.items():
        if len(bits) == len(grams):
            found |= storage.search.segments.lifted(BitMap.intersection(*bits.values()), segment)
    if len(grams) == 1 and (
        len(part) == domain.search.words.SHORTEST_PART or domain.search.words.is_unspaced(part)
    ):
        return found
    rows = tx.all("SELECT id, word FROM search_word WHERE id IN :ids", ids=list(found))
    return BitMap(row["id"] for row in rows if part in row["word"])


def _numbers(tx: Tx, found: set[str]) -> dict[str, int]:
    """The number of each word; new ones get theirs."""
    numbers = _known(tx, found)
    missing = found - numbers.keys()
    if missing:
        tx.load_rows(
            "search_word",
            ("realm_id", "word", "stem"),
            ((tx.realm_id, word, domain.search.words.stem(word)) for word in sorted(missing)),
        )
        new = _known(tx, missing)
        storage.search.segments.put_in(tx, _GRAMS, _grams_of(new))
        numbers |= new
    return numbers


def _known(tx: Tx, some: set[str]) -> dict[str, int]:
    rows = tx.all(
        "SELECT id, word FROM search_word WHERE realm_id = :realm AND word IN :words",
        words=list(some),
    )
    return {row["word"]: row["id"] for row in rows}


def _grams_of(numbers: Mapping[str, int]) -> SegmentChanges:
    found = SegmentChanges()
    for word, number in numbers.items():
        for gram in domain.search.words.grams(word):
            found.note(gram, [number])
    return found


def _forget_words(tx: Tx, candidates: Iterable[int]) -> None:
    """Forget those of the words that no message holds any more."""
    ids = set(candidates)
    if not ids:
        return
    rows = tx.all(
        "SELECT DISTINCT word_id FROM search_posting WHERE realm_id = :realm"
        " AND segment IN :segments AND word_id IN :ids",
        segments=storage.search.segments.all_of(tx, POSTINGS),
        ids=sorted(ids),
    )
    unused = sorted(ids - {row["word_id"] for row in rows})
    rows = tx.all("SELECT id, word FROM search_word WHERE id IN :ids", ids=unused)
    storage.search.segments.take_out(
        tx, _GRAMS, _grams_of({row["word"]: row["id"] for row in rows})
    )
    tx.execute("DELETE FROM search_word WHERE id IN :ids", ids=unused)
