"""`tertulia restore`: restores a backup."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tertulia import data_dir
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import record_everywhere
from tertulia.cli.progress import Progress, quiet
from tertulia.config import Config
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.transfer.backup import archives, restoration
from tertulia.transfer.backup.restoration import ResealedKeys


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@quiet
@config_options(for_serve=False)
def restore(file: Path, **flags: Any) -> None:
    """Restore a backup into an empty data folder or database."""
    config = Config.load(flags, os.environ)
    about = archives.verify(file)
    resealed = ResealedKeys()

    data_dir.make_folder(config)
    with data_dir.folder_lock(config), archives.opened(file) as archive:
        restoration.check_empty(config)
        if archive.secret is not None and data_dir.find_secret(config) is None:
            data_dir.write_secret(config, archive.secret)
        theirs = None if archive.secret is None else Vault(archive.secret)
        ours = data_dir.open_vault(config)

        def finish(tx: Tx) -> None:
            nonlocal resealed
            resealed = restoration.reseal(tx, ours, theirs)
            record_everywhere(tx)

        now = datetime.now(UTC).timestamp()
        progress = Progress(about.total, "rows")
        id_gap = restoration.id_gap_since(about, now)
        with data_dir.marked_restore(config):
            restoration.restore(archive, config, id_gap, finish, progress.show)
        progress.end()

    taken = datetime.fromtimestamp(about.taken_at, UTC)
    click.echo(f"Restored everything as of {taken:%Y-%m-%d %H:%M:%S} UTC.", err=True)
    if resealed.renewed:
        click.echo(
            f"The backup has no secret, so all {resealed.renewed} API keys are new. Users log in"
            " again with their passwords. For bots run `tertulia user zuliprc`.",
            err=True,
        )
