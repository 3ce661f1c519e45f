"""Opens the data: the database, the secret that seals its keys, and the lock on both.

A SQLite file belongs to one server at a time. Any data can be used only with its secret.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tertulia import __version__, file_permissions, storage, upgrade_plan
from tertulia.config import Config
from tertulia.database import BlockingDatabase
from tertulia.database.dialects import sqlite_check
from tertulia.database.schema import SchemaState
from tertulia.domain.people.keys import Vault, WrongSecret
from tertulia.errors import StartupError
from tertulia.log import log
from tertulia.upgrade_plan import STOPPED_SERVER_SECONDS

ODD_CLOCK_SECONDS = 2.0
WRONG_CLOCK_SECONDS = 60.0
SILENT_SECONDS = 2.0
MIN_FREE_BYTES = 1 << 20  # below this, a failure to open the database is one of a full disk
RESTORE_MARK = "restore-unfinished"


class WrongClock(StartupError):
    def __init__(self, behind: float) -> None:
        where = "behind" if behind > 0 else "ahead of"
        super().__init__(
            f"This machine's clock is {abs(behind):.0f} seconds {where} the database's."
            " Please set it right first."
        )


class FolderInUse(StartupError):
    def __init__(self, folder: Path) -> None:
        super().__init__(f"Another Tertulia server is running on the data in {folder}.")


class DiskFull(StartupError):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"The disk of {folder} is full, and the database cannot be opened. Please free some"
            " space first."
        )


class NoData(StartupError):
    def __init__(self, config: Config) -> None:
        super().__init__(
            f"There is no Tertulia data in {config.data}."
            if sqlite_file(config)
            else "There is no Tertulia data in this database."
        )


class RestoreInterrupted(StartupError):
    """A restore began here and was not finished."""

    def __init__(self, config: Config) -> None:
        super().__init__(
            f"A restore into {config.data} was not finished. Please run `tertulia restore` again,"
            f" or delete {' and '.join(map(str, _signs_of_restore(config)))} to start with nothing."
        )


def open_database(config: Config, *, to_serve: bool = True) -> BlockingDatabase:
    """Open the database and migrate its schema; create it if there is none.

    Raises RestoreInterrupted if a restore was not finished, and UpgradeRefused.
    """
    _check_restored(config)
    _create_private_files(config)
    database = BlockingDatabase.at(config.database_url)
    with _announced_wait(), _full_disk_named(config):
        database.dialect.cluster.check_fitness()
        _upgrade(database, to_serve=to_serve)
    return database


@contextlib.contextmanager
def _full_disk_named(config: Config) -> Iterator[None]:
    """Without space for its side files SQLite reports "disk I/O error". Raises DiskFull."""
    try:
        yield
    except sqlite3.OperationalError as error:
        file = sqlite_file(config)
        if file is not None and shutil.disk_usage(file.parent).free < MIN_FREE_BYTES:
            raise DiskFull(file.parent) from error
        raise


@contextlib.contextmanager
def _announced_wait() -> Iterator[None]:
    """Log that the database has not answered yet, instead of waiting in silence."""
    timer = threading.Timer(SILENT_SECONDS, _announce_wait)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _announce_wait() -> None:
    log.warning("database.waiting", seconds=SILENT_SECONDS)


def open_alongside_server(config: Config) -> BlockingDatabase:
    """Open the database for a command that may run beside the server.

    Raises NoData if there is none. A SQLite file is migrated only if no server runs, and no
    database if that is one-way (UpgradeRefused). The connection stays open, so the caller must
    close the database.
    """
    database = _existing_database(config)
    database.reuse_connections()
    schema = _check_filled(config, database)
    schema.check()
    if schema.missing():
        with folder_lock(config):
            _upgrade(database, to_serve=False)
    return database


def _upgrade(database: BlockingDatabase, *, to_serve: bool) -> None:
    """Migrate the schema, and log the old and the new version. Raises UpgradeRefused."""
    upgrade_plan.check(database, to_serve=to_serve)
    before = database.schema()
    database.migrate()
    after = database.schema()
    version = __version__
    former = database.of(0).read(storage.server_values.find, storage.server_values.VERSION)
    is_same = before.applied == after.applied
    if former == version and is_same:
        return
    if not before.is_empty and not (former is None and is_same):
        log.warning(
            "database.upgraded",
            from_version=former or "unknown",
            to_version=version,
            from_schema=max(before.applied),
            to_schema=max(after.applied),
            one_way=after.must_know > before.must_know,
        )
    database.of(0).write(storage.server_values.store, storage.server_values.VERSION, version)


def find_database(config: Config) -> BlockingDatabase:
    """Open the database as it is. Raises NoData if there is none."""
    database = _existing_database(config)
    _check_filled(config, database)
    return database


def _existing_database(config: Config) -> BlockingDatabase:
    file = sqlite_file(config)
    if file is not None and not file.exists():
        raise NoData(config)
    return BlockingDatabase.at(config.database_url)


def _check_filled(config: Config, database: BlockingDatabase) -> SchemaState:
    with _full_disk_named(config):
        schema = database.schema()
    if schema.is_empty:
        raise NoData(config)
    return schema


def open_vault(config: Config) -> Vault:
    """The vault of the server's secret. The first start generates the secret."""
    vault = load_vault(config)
    if vault is None:
        write_secret(config, secrets.token_urlsafe(48).encode())
        vault = load_vault(config)
        assert vault is not None
    return vault


def load_vault(config: Config) -> Vault | None:
    """The vault, or None without a secret."""
    secret = find_secret(config)
    if secret is None:
        return None
    try:
        return Vault(secret, partial(find_secret, config))
    except ValueError:
        raise WrongSecret(f"{config.secret_file} does not hold a secret.") from None


def find_secret(config: Config) -> bytes | None:
    if config.secret:
        return config.secret.encode()
    try:
        return config.secret_file.read_bytes().strip()
    except FileNotFoundError:
        return None


def check_vault(config: Config, database: BlockingDatabase) -> None:
    """Check that the secret matches the keys in the database.

    Raises WrongSecret. Without this check every login would fail without an explanation.
    """
    sealed = database.of(0).read(storage.data_check.any_sealed_key)
    if sealed is None:
        return
    vault = load_vault(config)
    if vault is None:
        raise WrongSecret(
            f"The secret that belongs to this data is missing: {config.secret_file} or the setting"
            " TERTULIA_SECRET."
        )
    try:
        vault.unseal(sealed)
    except WrongSecret:
        if _return_to_former(config, sealed):
            return
        raise WrongSecret(
            "The keys in this database were sealed with another secret. Give this server the same"
            f" one: the file {config.secret_file} or the setting TERTULIA_SECRET."
        ) from None


def replace_secret(config: Config, secret: bytes) -> None:
    """Replace the secret. The old one is kept beside it until all keys are sealed again."""
    former = _former_secret(config)
    file_permissions.write_private(former, (find_secret(config) or b"") + b"\n")
    draft = config.secret_file.with_name("secret.new")
    file_permissions.write_private(draft, secret + b"\n")
    draft.replace(config.secret_file)


def drop_previous_secret(config: Config) -> None:
    _former_secret(config).unlink(missing_ok=True)


def _former_secret(config: Config) -> Path:
    return config.secret_file.with_name("secret.former")


def _return_to_former(config: Config, sealed: bytes) -> bool:
    """Restore the former secret if the server was killed while it was being replaced."""
    former = _former_secret(config)
    try:
        Vault(former.read_bytes().strip()).unseal(sealed)
    except (FileNotFoundError, ValueError, WrongSecret):
        return False
    former.replace(config.secret_file)
    log.warning("server.secret_restored")
    return True


def check_clock(database: BlockingDatabase) -> None:
    """Raise WrongClock if our clock is far from the database's, which other servers use too."""
    behind = database.compare_clocks()
    if abs(behind) > WRONG_CLOCK_SECONDS:
        raise WrongClock(behind)
    if abs(behind) > ODD_CLOCK_SECONDS:
        log.warning("database.clock_skew", behind_s=round(behind, 1))


@contextlib.contextmanager
def marked_restore(config: Config) -> Iterator[None]:
    """Mark the data folder until a restore is finished, so that no server starts there with an
    empty organization."""
    file_permissions.write_private(config.data / RESTORE_MARK, b"")
    yield
    (config.data / RESTORE_MARK).unlink(missing_ok=True)


def _check_restored(config: Config) -> None:
    if not _signs_of_restore(config):
        return
    file = sqlite_file(config)
    if file is None:
        is_empty = BlockingDatabase.at(config.database_url).schema().is_empty
    else:
        is_empty = not file.exists() or not file.stat().st_size
    if is_empty:
        raise RestoreInterrupted(config)


def _signs_of_restore(config: Config) -> list[Path]:
    """The files that an interrupted restore leaves: its mark, and half of a database."""
    file = sqlite_file(config)
    halves = [] if file is None else [file.with_name(f"{file.name}.part")]
    return [each for each in [config.data / RESTORE_MARK, *halves] if each.exists()]


@contextlib.contextmanager
def folder_lock(config: Config) -> Iterator[None]:
    """Lock the SQLite file against a second server. PostgreSQL may be shared."""
    path = sqlite_file(config)
    if path is None:
        yield
        return
    make_folder(config)
    file_permissions.create_private(_lock_file(path))
    with open(_lock_file(path), "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUse(config.data) from None
        yield


def start_quick_check(config: Config, database: BlockingDatabase, *, waits: bool) -> None:
    """Check SQLite's file on a thread, and log and report damage. PostgreSQL checks itself.

    Before the first account the file is small, and the caller waits: the last line of the terminal
    is then the address of the first-run page.
    """
    file = sqlite_file(config)
    if file is not None:
        check = threading.Thread(
            target=sqlite_check.quick_check,
            args=(file, database.health.damaged),
            name="quick check",
            daemon=True,
        )
        check.start()
        if waits:
            check.join()


def check_alone(database: BlockingDatabase) -> None:
    """Raise StartupError if another server uses this PostgreSQL. SQLite has the folder lock.

    PostgreSQL notices the end of a server that was just stopped a moment later: wait for that.
    """
    deadline = time.monotonic() + STOPPED_SERVER_SECONDS
    while database.has_peers():
        if time.monotonic() > deadline:
            raise StartupError("Another Tertulia works on this database; please stop it first.")
        time.sleep(STOPPED_SERVER_SECONDS / 20)


def sqlite_file(config: Config) -> Path | None:
    """The SQLite file; None if the data is in PostgreSQL."""
    url = config.database_url
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def lock_exclusively(config: Config) -> None:
    """Make files private that an older server created with the default umask."""
    path = sqlite_file(config)
    files = [] if path is None else [path, _lock_file(path), *_sqlite_side_files(path)]
    for file in [*files, config.secret_file]:
        try:
            if file_permissions.tighten(file):
                log.warning("server.file_made_private", file=str(file))
        except OSError:
            log.warning("server.file_readable_by_others", file=str(file))


def make_folder(config: Config) -> None:
    file = sqlite_file(config)
    for folder in {config.data} | ({file.parent} if file is not None else set()):
        if folder.exists() and not folder.is_dir():
            raise StartupError(f"The data folder {folder} is a file. Choose another with --data.")
        file_permissions.make_folders(folder, 0o700)


def _create_private_files(config: Config) -> None:
    """Create the folder and the database file as private. SQLite would use the umask."""
    make_folder(config)
    path = sqlite_file(config)
    if path is not None:
        file_permissions.create_private(path)


def _lock_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _sqlite_side_files(path: Path) -> list[Path]:
    """The files that SQLite keeps beside the database."""
    return [path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal")]


def write_secret(config: Config, secret: bytes) -> None:
    """Write the secret file atomically. An existing one stays."""
    path = config.secret_file
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secret + b"\n")
            file.flush()
            file_permissions.match_folder(file.fileno(), path.parent)
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
