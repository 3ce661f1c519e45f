"""`tertulia restore`: an empty place is filled with what a backup holds."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tertulia import opening
from tertulia.backup import archives, keys, restoring
from tertulia.backup.keys import Settled
from tertulia.cli.data import note_everywhere
from tertulia.cli.flags import config_options
from tertulia.cli.progress import Progress
from tertulia.config import Config
from tertulia.domain.people.keys import Vault
from tertulia.storage.database.tx import Tx


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@config_options(for_serve=False)
def restore(file: Path, **flags: Any) -> None:
    """Fill an empty place with what a backup holds."""
    config = Config.load(flags, os.environ)
    about = archives.verify(file)
    settled = Settled()

    opening.make_folder(config)
    with opening.folder_lock(config), archives.opened(file) as archive:
        restoring.check_empty(config)
        if archive.secret is not None and opening.find_secret(config) is None:
            opening.keep_secret(config, archive.secret)
        theirs = None if archive.secret is None else Vault(archive.secret)
        ours = opening.open_vault(config)

        def settle(tx: Tx) -> None:
            nonlocal settled
            settled = keys.settle(tx, ours, theirs)
            note_everywhere(tx)

        now = datetime.now(UTC).timestamp()
        progress = Progress(about.total, "rows")
        leap = restoring.leap_since(about, now)
        with opening.marked_restore(config):
            restoring.restore(archive, config, leap, settle, progress.show)
        progress.end()

    taken = datetime.fromtimestamp(about.taken_at, UTC)
    click.echo(f"Restored everything as of {taken:%Y-%m-%d %H:%M:%S} UTC.", err=True)
    if settled.renewed:
        click.echo(
            f"The secret was not in the backup, so all {settled.renewed} API keys are new:"
            " people log in again with their passwords, and bots need what"
            " `tertulia user zuliprc` prints.",
            err=True,
        )
