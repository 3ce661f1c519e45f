"""For `tertulia check`: file stores outside of the database, and the files in them."""

import contextlib

from tertulia import storage
from tertulia.actions.data_check import CheckResult
from tertulia.config import Config
from tertulia.database import BlockingDatabase
from tertulia.external.stores.file_stores import FileStores
from tertulia.external.stores.store import StoreUnavailable
from tertulia.jobs import upload_migration
from tertulia.transfer.backup.file_snapshot import FileSnapshot


def examine(config: Config, database: BlockingDatabase) -> list[CheckResult]:
    """No output if all files are in the database and the setting says so."""
    stores = FileStores(config)
    uploads = database.of(0).read(storage.files.upload_locations.in_stores)
    stray = _orphaned_files(database, stores)
    if not uploads and not stores.is_used and not stray:
        return []
    store_names = sorted(
        {each.place for each in uploads} | ({stores.chosen} if stores.is_used else set())
    )
    summary = f"{len(uploads):,} files in {', '.join(store_names) or 'stores'}"
    if stray:
        summary += f"; {stray:,} more that are not in the database (tertulia files sweep)"
    problems = []
    for store_name in store_names:
        stored = [each for each in uploads if each.place == store_name]
        try:
            missing = FileSnapshot(database, stores, None).missing(stored)
        except StoreUnavailable as trouble:
            problems.append(str(trouble))
            continue
        if missing:
            problems.append(
                f"{len(missing)} of {len(stored)} files in {store_name} are missing or damaged"
            )
    return [CheckResult("stores", summary, problems)]


def _orphaned_files(database: BlockingDatabase, stores: FileStores) -> int:
    count = 0
    for store_name in stores.known:
        with contextlib.suppress(StoreUnavailable):  # reported above for stores in use
            count += len(upload_migration.orphaned_files(database, stores, store_name))
    return count
