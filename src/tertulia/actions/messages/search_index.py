"""Search index: updated a few messages at a time."""

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.realm import Realm
from tertulia.storage.search.execution import MAX_FRESH_BYTES, MAX_UNINDEXED_MESSAGES

MAX_COUNTED = 10_000


def is_language_outdated(tx: Tx) -> bool:
    """Whether stems in the index are in another language than that of the organization."""
    language = _language(tx)
    return language is not None and storage.search.languages.of(tx) != (language,)


def realms_with_outdated_language(tx: Tx) -> list[int]:
    """All organizations of which that is true."""
    languages = storage.search.languages.of_all(tx)
    return [
        realm.id
        for realm in storage.organization.realms.list_all(tx)
        if realm.id in languages and languages[realm.id] != (_language_of(realm),)
    ]


def start_language_change(tx: Tx) -> None:
    """Stem new words in the language of the organization."""
    language = _language(tx)
    if language is not None:
        storage.search.languages.start_change(tx, language)


def _language(tx: Tx) -> str | None:
    """The language of stems for the organization, unless it was deleted."""
    realm = storage.organization.realms.find(tx, tx.realm_id)
    return None if realm is None else _language_of(realm)


def _language_of(realm: Realm) -> str:
    return domain.search.languages.of_code(str(realm.setting("default_language")))


def is_far_behind(tx: Tx) -> bool:
    """Whether more is unindexed than a search scans."""
    limit = MAX_UNINDEXED_MESSAGES + 1
    behind = storage.search.index.count_fresh(tx, limit)
    if behind + len(storage.search.index.changed(tx, limit)) > MAX_UNINDEXED_MESSAGES:
        return True
    return storage.search.index.bytes_behind(tx, MAX_UNINDEXED_MESSAGES) > MAX_FRESH_BYTES


def count_behind(tx: Tx) -> int:
    """The number of unindexed messages, at most MAX_COUNTED."""
    return min(storage.search.index.count_behind(tx, MAX_COUNTED), MAX_COUNTED)
