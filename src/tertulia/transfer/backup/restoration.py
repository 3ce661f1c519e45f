"""Restores a copy into an empty database, completely or not at all.

Restored data must not be confused with what clients know from before: event queues are deleted, and
all id sequences skip ahead so that no id is assigned twice.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from tertulia import data_dir, features, file_permissions, storage
from tertulia.config import Config
from tertulia.database import BlockingDatabase, id_counters, schema
from tertulia.database.dialects.sqlite import Sqlite
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault, WrongSecret
from tertulia.errors import StartupError
from tertulia.transfer.backup import archives
from tertulia.transfer.backup.archives import BadBackup, Progress
from tertulia.transfer.backup.contents import Block, Copy, CopyInfo

Finish = Callable[[Tx], None]


class NotEmpty(StartupError):
    """The target of a restore already contains data."""


def id_gap_since(about: CopyInfo, now: float) -> int:
    return id_counters.jump_after(now - about.taken_at)


def check_empty(config: Config) -> None:
    """Raises NotEmpty if the target contains data."""
    file = data_dir.sqlite_file(config)
    if file is not None and (not file.exists() or not file.stat().st_size):
        return
    if file is not None or not BlockingDatabase.at(config.database_url).schema().is_empty:
        where = f"in {file}" if file is not None else "in this database"
        raise NotEmpty(f"There is data {where} already; choose an empty target.")


def restore(copy: Copy, config: Config, id_gap: int, finish: Finish, progress: Progress) -> None:
    """Fill an empty database; `finish` runs at the end of the transaction."""
    check_empty(config)
    _check_known(copy.about)
    file = data_dir.sqlite_file(config)
    if file is None:
        _fill(BlockingDatabase.at(config.database_url), copy, id_gap, finish, progress)
        return
    draft = file.with_name(f"{file.name}.part")
    _remove(draft)
    file_permissions.create_private(draft)
    try:
        _fill(BlockingDatabase(Sqlite(draft)), copy, id_gap, finish, progress)
        archives.sync(draft)
        draft.rename(file)
        archives.sync(file.parent)
    finally:
        _remove(draft)


def _check_known(about: CopyInfo) -> None:
    if schema.OF_0_3 not in about.migrations:
        raise BadBackup(
            f"This backup was made by {about.version}, which is older than 0.3.0. Restore it with"
            " version 0.3.0, start that once, and back up again."
        )
    known = {each.number for each in schema.migrations()}
    if not known.issuperset(each for each in about.migrations if each > schema.OF_0_3):
        raise BadBackup(
            f"This backup was made by a newer Tertulia ({about.version}); restore it with that."
        )


def _fill(
    database: BlockingDatabase, copy: Copy, id_gap: int, finish: Finish, progress: Progress
) -> None:
    dialect = database.dialect
    connection = dialect.connect()
    try:
        dialect.bulk_load(connection).start()
        dialect.begin_write(connection)
        dialect.lock_schema(connection)

        had = set(copy.about.migrations)
        schema.apply(connection, dialect, schema.as_of(had))
        tx = Tx(connection, dialect, 0, database.clock())
        _load(tx, copy, progress)
        schema.apply(connection, dialect, [m for m in schema.migrations() if m.number not in had])
        id_counters.jump(tx, copy.about.counters, id_gap)
        if id_gap:
            storage.table_copy.drop_pending_jobs(tx)
        for realm in storage.organization.realms.list_all(tx):
            storage.log.start_epoch(tx.for_realm(realm.id))
        finish(tx)
        dialect.command(connection, "COMMIT")
        dialect.bulk_load(connection).end()
    finally:
        connection.close()
    database.analyze()


def _load(tx: Tx, copy: Copy, progress: Progress) -> None:
    aside = tx.bulk.suspend_indexes()
    about = copy.about
    done = 0

    def rows_of(blocks: Iterator[tuple[str, Block]]) -> Iterator[Sequence[Any]]:
        nonlocal done
        for _, block in blocks:
            yield from block
            done += len(block)
            progress(done)

    for table, blocks in groupby(copy.blocks(), key=itemgetter(0)):
        storage.table_copy.load(tx, table, about.tables[table], rows_of(blocks))
    storage.table_copy.run_statements(tx, aside)
    for table, expected in about.rows.items():
        if storage.table_copy.count(tx, table) != expected:
            raise BadBackup(f"Not all rows of {table} were restored.")


def _remove(file: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


class ResealedKeys(msgspec.Struct, frozen=True):
    """How many keys were kept, re-encrypted and replaced."""

    kept: int = 0
    renewed: int = 0


def reseal(tx: Tx, ours: Vault, theirs: Vault | None) -> ResealedKeys:
    """Make every key readable with our secret.

    Keys that are encrypted with our secret stay. Keys that are encrypted with the other secret, if
    it is given, are re-encrypted. All others cannot be read, so their owners get new ones.
    """
    sealed = storage.data_check.any_sealed_key(tx)
    if sealed is None or _opens(ours, sealed):
        return ResealedKeys(kept=len(storage.data_check.keys(tx)))
    changed = features.key_rotation.reencrypt(tx, theirs, ours)
    return ResealedKeys(kept=changed) if theirs is not None else ResealedKeys(renewed=changed)


def _opens(vault: Vault, sealed: bytes) -> bool:
    try:
        vault.unseal(sealed)
    except WrongSecret:
        return False
    return True
