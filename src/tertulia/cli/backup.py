"""`tertulia backup`: everything in one file, once or on a schedule."""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

import tertulia.features  # noqa: F401
from tertulia import actions, data_dir
from tertulia.cli.errors import describe
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import as_json, record_everywhere, show_json
from tertulia.cli.progress import Progress, inform, quiet
from tertulia.cli.sigterm import clean_up_on_sigterm
from tertulia.config import Config
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.external.stores.file_stores import FileStores
from tertulia.transfer.backup import archives, file_snapshot
from tertulia.transfer.backup.contents import LiveCopy
from tertulia.transfer.backup.file_snapshot import FileSnapshot

UNITS = {"m": 60, "h": 3600, "d": 86400}
MOMENT = "%Y%m%d-%H%M%S"
ANY_MOMENT = r"[0-9]{8}-[0-9]{6}"


class Duration(click.ParamType[float]):
    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        match = re.fullmatch("([1-9][0-9]{0,4})([mhd])", str(value))
        if match is None:
            self.fail("must look like 30m, 12h or 1d.", param, ctx)
        return float(match[1]) * UNITS[match[2]]


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--with-secret",
    is_flag=True,
    help="Include the secret. The file then gives access to every account.",
)
@click.option(
    "--every",
    metavar="1d",
    type=Duration(),
    help="Keep running, and make a backup at this interval.",
)
@click.option(
    "--keep", metavar="N", type=click.IntRange(1), help="Delete all but the newest N dated backups."
)
@as_json
@quiet
@config_options(for_serve=False)
def backup(
    file: Path,
    with_secret: bool,
    every: float | None,
    keep: int | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Back up everything to one file; the server can keep running.

    With --every or --keep the file name gets the time: backup.tar becomes
    backup-20261115-183000.tar.
    """
    config = Config.load(flags, os.environ)
    with clean_up_on_sigterm():
        if every is None and keep is None:
            _take(config, file, with_secret, as_json)
            return
        if every is None:
            _take(config, _dated(file), with_secret, as_json)
            _rotate(file, keep)
            return
        data_dir.find_database(config)  # report a wrong --data at once
        while True:
            began = time.monotonic()
            try:
                _take(config, _dated(file), with_secret, as_json)
                _rotate(file, keep)
            except Exception as error:  # the next one may succeed
                click.echo(f"Backup failed: {_reason(error)}", err=True)
            time.sleep(max(0.0, began + every - time.monotonic()))


def _reason(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        return error.message
    return describe(error) or type(error).__name__


def _take(config: Config, file: Path, with_secret: bool, as_json: bool) -> None:
    with _failure_noted(config):
        lost = _write(config, file, with_secret)
    if as_json:
        found = {"file": str(file), "bytes": file.stat().st_size, "missing_files": lost}
        show_json(found)


def _write(config: Config, file: Path, with_secret: bool) -> int:
    """Write the file; returns how many uploaded files are missing from it."""
    database = data_dir.find_database(config)
    if file.exists():
        raise click.ClickException(f"{file} already exists.")
    if not file.parent.is_dir():  # it may be a disk that is not mounted, so it is not created
        raise click.ClickException(f"The folder {file.parent} does not exist.")
    secret = _secret(config) if with_secret else None

    def take(tx: Tx, files: FileSnapshot) -> int:
        copy = LiveCopy(tx, files)
        progress = Progress(copy.about.total, "rows")
        archives.write(copy, file, secret, progress.show)
        progress.end()
        return len(copy.lost_files)

    with file_snapshot.open_snapshot(database, FileStores(config)) as files:
        lost = database.of(0).read(take, files)
    _note(database, with_secret, file.stat().st_size)
    if lost:
        click.echo(
            f"{lost} uploaded files are missing from their store and from the backup.", err=True
        )
    inform(f"Wrote and verified {file}, {file.stat().st_size:,} bytes.")
    return lost


@contextlib.contextmanager
def _failure_noted(config: Config) -> Iterator[None]:
    """Note a failed backup in the database, for the status of the server."""
    try:
        yield
    except Exception as error:
        reason = _reason(error)
        with contextlib.suppress(Exception):  # the first error is the one to report
            database = data_dir.find_database(config)
            if not database.schema().missing():
                database.of(0).write(actions.server_status.record_failed_backup, reason)
        raise


def _note(database: BlockingDatabase, with_secret: bool, size_bytes: int) -> None:
    """Add an audit log entry; the backup counts even if that fails."""
    if database.schema().missing():
        return  # an older server owns this data
    details = {"with_secret": None} if with_secret else {}
    try:
        database.of(0).write(record_everywhere, details)
        database.of(0).write(actions.server_status.record_backup, size_bytes)
    except Exception as error:
        why = describe(error)
        if why is None:
            raise
        click.echo(f"The audit log has no entry for this backup. {why}", err=True)


def _secret(config: Config) -> bytes:
    secret = data_dir.find_secret(config)
    if secret is None:
        raise click.ClickException(f"There is no secret in {config.secret_file}.")
    return secret


def _dated(file: Path) -> Path:
    return file.with_name(f"{file.stem}-{datetime.now(UTC).strftime(MOMENT)}{file.suffix}")


def _rotate(file: Path, keep: int | None) -> None:
    """Delete the oldest dated backups and leftover partial files, and nothing else."""
    ours = re.compile(f"{re.escape(file.stem)}-{ANY_MOMENT}{re.escape(file.suffix)}")
    folder = file.absolute().parent
    dated = sorted(each for each in folder.iterdir() if ours.fullmatch(each.name))
    for half in folder.glob("*.part"):
        if ours.fullmatch(half.stem):
            with contextlib.suppress(archives.BackupInProgress):
                archives.remove_stale(half)
    if keep is None:
        return
    for old in dated[:-keep]:
        old.unlink()
        inform(f"Deleted {old}.")
