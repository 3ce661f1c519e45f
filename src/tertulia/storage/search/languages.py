"""The language of the stems in the index.

Only the vocabulary and the signatures contain stems, so a change of the language indexes no message
with words again: the words get new stems, some at a time, and messages with a signature are marked
as changed. Until that is done, a search matches the stems of the former languages, too.
"""

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.search.languages import DEFAULT
from tertulia.storage.search import changes

WORDS_PER_STEP = 250
SIGNATURES_PER_STEP = 25


class _Progress(msgspec.Struct, frozen=True):
    language: str
    former: str  # separated by spaces; empty if all stems are in the language
    restemmed_to: str
    resigned_to: int


def of(tx: Tx) -> tuple[str, ...]:
    """The language of the index, and former ones of which it still has stems."""
    found = _progress(tx)
    return (found.language, *found.former.split())


def of_all(tx: Tx) -> dict[int, tuple[str, ...]]:
    """The same for all organizations whose messages are indexed."""
    rows = tx.tuples("SELECT realm_id, language, former_languages FROM search_head")
    return {realm_id: (language, *former.split()) for realm_id, language, former in rows}


def start_change(tx: Tx, language: str) -> None:
    """Stem new words in this language; `restem_some` changes the others."""
    known = of(tx)
    if known[0] == language:
        return
    former = " ".join(each for each in known if each != language)
    tx.execute(
        "INSERT INTO search_head (realm_id, indexed_to, language, former_languages)"
        " VALUES (:realm, 0, :language, :former) ON CONFLICT (realm_id) DO UPDATE"
        " SET language = excluded.language, former_languages = excluded.former_languages,"
        " restemmed_to = '', resigned_to = 0",
        language=language,
        former=former,
    )


def restem_some(tx: Tx, limit: int = WORDS_PER_STEP) -> bool:
    """Give some words their stems in the new language. Returns whether there were any."""
    progress = _progress(tx)
    rows = _words_left(tx, progress, limit)
    if not rows:
        return False
    stems = [
        {"id": word_id, "new": new}
        for word_id, word, old in rows
        if (new := domain.search.languages.stem(word, progress.language)) != old
    ]
    tx.execute_many("UPDATE search_word SET stem = :new WHERE id = :id", stems)
    tx.execute(
        "UPDATE search_head SET restemmed_to = :word WHERE realm_id = :realm", word=rows[-1][1]
    )
    return True


def mark_some_signed(tx: Tx) -> bool:
    """Mark some messages with signatures as changed. Returns whether there were any."""
    ids = _signed_left(tx, _progress(tx), SIGNATURES_PER_STEP)
    if not ids:
        return False
    changes.record(tx, ids)
    tx.execute("UPDATE search_head SET resigned_to = :id WHERE realm_id = :realm", id=ids[-1])
    return True


def finish_change(tx: Tx) -> None:
    """Forget the former languages, unless the language has changed again meanwhile."""
    progress = _progress(tx)
    if not _words_left(tx, progress, 1) and not _signed_left(tx, progress, 1):
        tx.execute("UPDATE search_head SET former_languages = '' WHERE realm_id = :realm")


def _words_left(tx: Tx, progress: _Progress, limit: int) -> list[tuple[int, str, str]]:
    """Words that may have a stem of a former language."""
    return tx.tuples(
        "SELECT id, word, stem FROM search_word WHERE realm_id = :realm AND word > :after"
        " ORDER BY word LIMIT :limit",
        after=progress.restemmed_to,
        limit=limit,
    )


def _signed_left(tx: Tx, progress: _Progress, limit: int) -> list[int]:
    """Messages whose signatures may have stems of a former language."""
    counts = domain.search.signature.PART_COUNTS
    return tx.column(
        "SELECT message_id FROM search_signature WHERE realm_id = :realm AND part IN :parts"
        " AND message_id > :after ORDER BY message_id LIMIT :limit",
        parts=[domain.search.signature.first_number(each) for each in counts],
        after=progress.resigned_to,
        limit=limit,
    )


def _progress(tx: Tx) -> _Progress:
    rows = tx.tuples(
        "SELECT language, former_languages, restemmed_to, resigned_to FROM search_head"
        " WHERE realm_id = :realm"
    )
    return _Progress(*rows[0]) if rows else _Progress(DEFAULT, "", "", 0)
