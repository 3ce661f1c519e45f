"""`tertulia move`: from SQLite to PostgreSQL or back, without a file between them."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tertulia import data_dir
from tertulia.cli.data import note_everywhere
from tertulia.cli.flags import config_options
from tertulia.cli.progress import Progress
from tertulia.config import Config, ConfigError
from tertulia.database.tx import Tx
from tertulia.external.stores.file_stores import FileStores
from tertulia.transfer.backup import file_snapshot, restoration
from tertulia.transfer.backup.contents import LiveCopy
from tertulia.transfer.backup.file_snapshot import HeldFiles


@click.command()
@click.option("--to", "target", metavar="URL", required=True, help="sqlite:///… or postgresql://…")
@config_options(for_serve=False)
def move(target: str, **flags: Any) -> None:
    """Copy everything into another, empty database.

    No server may run on the data meanwhile. What was there before stays as it was.
    """
    config = Config.load(flags, os.environ)
    database = data_dir.find_database(config)
    to = replace(config, database=_address(target))
    if _place(to) == _place(config):
        raise click.UsageError("--to is where everything is already.")

    def copy_over(tx: Tx, files: HeldFiles) -> None:
        copy = LiveCopy(tx, files)
        progress = Progress(copy.about.total, "rows")
        restoration.restore(copy, to, 0, note_everywhere, progress.show)
        progress.end()

    with data_dir.folder_lock(config), data_dir.folder_lock(to):
        data_dir.check_alone(database)
        with file_snapshot.held(database, FileStores(config)) as files:
            database.read_now(0, copy_over, files)
    click.echo(
        "Everything is there. Start the server on it with --database, TERTULIA_DATABASE_URL or a"
        " line in tertulia.toml; the old database can be deleted when all is well.",
        err=True,
    )


def _place(config: Config) -> Path | str:
    file = data_dir.sqlite_file(config)
    return config.database_url if file is None else file.resolve()


def _address(url: str) -> str:
    try:
        chosen = Config.load({"database": url}, {}).database
    except ConfigError as error:
        raise click.UsageError(str(error).replace("--database", "--to")) from None
    if not chosen:
        raise click.UsageError("--to needs an address.")
    return chosen
