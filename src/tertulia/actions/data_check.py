"""Data check: what `tertulia check` verifies, subject by subject."""

from collections.abc import Callable
from functools import partial

import msgspec
from msgspec import field

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault, WrongSecret


class CheckResult(msgspec.Struct, frozen=True):
    """The result of checking one subject."""

    subject: str
    summary: str
    problems: list[str] = field(default_factory=list)


def subjects(vault: Vault | None) -> dict[str, Callable[[Tx], CheckResult]]:
    """The checks: log, keys, search index, files and references. The schema must be up to date."""
    return {
        "log": _log,
        "keys": partial(_keys, vault=vault),
        "search": _search,
        "files": _files,
        "references": _references,
    }


def run(tx: Tx, vault: Vault | None) -> list[CheckResult]:
    return [check(tx) for check in subjects(vault).values()]


def _log(tx: Tx) -> CheckResult:
    logs, events = len(storage.organization.realms.list_all(tx)), storage.data_check.event_count(tx)
    summary = f"{_count(events, 'event')} of {_count(logs, 'organization')}, none missing"
    return CheckResult("log", summary, storage.log.gaps(tx) + storage.data_check.log_problems(tx))


def _keys(tx: Tx, vault: Vault | None) -> CheckResult:
    keys = storage.data_check.keys(tx)
    if vault is None:
        problems = ["the secret that opens the keys is missing"] if keys else []
        return CheckResult("keys", "none yet", problems)
    closed = sum(not _opens(vault, fingerprint, sealed) for fingerprint, sealed in keys)
    problems = [f"{closed} of {len(keys)} do not open with this secret"] if closed else []
    return CheckResult("keys", f"{_count(len(keys), 'key')}, opened by the secret", problems)


def _opens(vault: Vault, fingerprint: bytes, sealed: bytes) -> bool:
    try:
        return vault.fingerprint(vault.unseal(sealed)) == fingerprint
    except WrongSecret:
        return False


def _search(tx: Tx) -> CheckResult:
    messages, words = storage.data_check.search_counts(tx)
    summary = f"{_count(words, 'word')} of {_count(messages, 'message')}"
    return CheckResult("search", summary, storage.data_check.search_problems(tx))


def _files(tx: Tx) -> CheckResult:
    files, size = storage.data_check.file_counts(tx)
    summary = f"{_count(files, 'file')}, {_count(size, 'byte')}"
    return CheckResult("files", summary, storage.data_check.file_problems(tx))


def _references(tx: Tx) -> CheckResult:
    return CheckResult(
        "references",
        "none crosses between organizations",
        storage.data_check.foreign_references(tx),
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
