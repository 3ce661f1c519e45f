"""`tertulia move`: from SQLite to PostgreSQL or back."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tertulia import data_dir
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import record_everywhere
from tertulia.cli.progress import Progress, quiet
from tertulia.config import Config, ConfigError
from tertulia.database.tx import Tx
from tertulia.external.stores.file_stores import FileStores
from tertulia.transfer.backup import file_snapshot, restoration
from tertulia.transfer.backup.contents import LiveCopy
from tertulia.transfer.backup.file_snapshot import FileSnapshot


@click.command()
@click.option("--to", "target", metavar="URL", required=True, help="sqlite:///… or postgresql://…")
@quiet
@config_options(for_serve=False)
def move(target: str, **flags: Any) -> None:
    """Copy everything to another database, such as from SQLite to PostgreSQL.

    Stop the server first. The new database must be empty. The command does not change the old one.
    """
    config = Config.load(flags, os.environ)
    database = data_dir.find_database(config)
    to = replace(config, database=_address(target))
    if _data_location(to) == _data_location(config):
        raise click.UsageError("--to names the current database.")

    def copy_over(tx: Tx, files: FileSnapshot) -> None:
        copy = LiveCopy(tx, files)
        progress = Progress(copy.about.total, "rows")
        restoration.restore(copy, to, 0, record_everywhere, progress.show)
        progress.end()

    with data_dir.folder_lock(config), data_dir.folder_lock(to):
        data_dir.check_alone(database)
        with file_snapshot.open_snapshot(database, FileStores(config)) as files:
            database.of(0).read(copy_over, files)
    click.echo(
        "Copied everything. Start the server with the new database: --database,"
        " TERTULIA_DATABASE_URL or a line in tertulia.toml. Then you can delete the old one.",
        err=True,
    )


def _data_location(config: Config) -> Path | str:
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
