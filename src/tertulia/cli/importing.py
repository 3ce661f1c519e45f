"""`tertulia import`: imports an export of another chat server as a new organization."""

import contextlib
import hashlib
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tertulia import actions, data_dir, storage
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import audited_command
from tertulia.cli.progress import Progress
from tertulia.config import Config
from tertulia.database import Database
from tertulia.transfer.importing import archive_reader
from tertulia.transfer.importing.archive_reader import InvalidExport
from tertulia.transfer.importing.import_counts import ImportCounts
from tertulia.transfer.importing.importer import Importer
from tertulia.transfer.importing.sources import mattermost, rocketchat, slack, zulip
from tertulia.transfer.model import Source

HERE = str(Path(__file__).parents[1])
OPENERS = (zulip.open_export, slack.open_export, rocketchat.open_export, mattermost.open_export)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--name",
    metavar="NAME",
    help="The name of the new organization; default: the name in the export.",
)
@click.option("--subdomain", metavar="S", default="", help="The subdomain of the new organization.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported, but change nothing.")
@config_options(for_serve=False)
def import_(file: Path, name: str | None, subdomain: str, dry_run: bool, **flags: Any) -> None:
    """Import an export from Zulip, Slack, Mattermost or Rocket.Chat.

    FILE is an archive or a folder. If interrupted, run the same command again.
    """
    config = Config.load(flags, os.environ)
    with archive_reader.unpacked(file) as folder, _understood(file):
        source = _open(folder, file)
        if dry_run:
            _show(source, source.counts().predicted())
            return
        database = data_dir.open_database(config)
        data_dir.check_vault(config, database)
        _remove_unused(database, subdomain)
        importer = Importer(database, data_dir.open_vault(config), source, _mark(file, source))
        progress = Progress(source.message_count, "messages")
        counts = importer.run((name or source.name)[:40], subdomain, progress.show)
        progress.end()
        database.write_now(importer.realm.id, actions.organization.audit.record, audited_command())
    _show(source, counts)
    click.echo(
        "Imported users have no passwords. `tertulia user link --imported` prints a link for each"
        " user to choose one; `tertulia user password` sets one. LDAP and single sign-on match"
        " users by their email address.",
        err=True,
    )


def _remove_unused(database: Database, subdomain: str) -> None:
    """Delete the organization of a server that waits for its first owner: the import takes its
    place."""
    found = database.read_now(0, storage.organization.number_at, subdomain)
    if found is None or not database.read_now(0, actions.organization.first_run.is_waiting):
        return
    database.write_now(found, actions.organization.deactivation.deactivate, None)
    while database.write_now(found, actions.organization.deactivation.delete_batch):
        pass


@contextlib.contextmanager
def _understood(file: Path) -> Iterator[None]:
    """Turn errors from malformed data in an export into one message."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        ours = [each for each in traceback.extract_tb(error.__traceback__) if HERE in each.filename]
        location = f"{Path(ours[-1].filename).name}, line {ours[-1].lineno}"
        raise InvalidExport(
            f"{file} contains unexpected data, or is damaged ({location}: {type(error).__name__})."
        ) from error


def _open(folder: Path, file: Path) -> Source:
    for opener in OPENERS:
        source: Source | None = opener(folder)
        if source is not None:
            return source
    raise InvalidExport(f"{file} is not an export of Zulip, Slack, Mattermost or Rocket.Chat.")


def _show(source: Source, counts: ImportCounts) -> None:
    """Print the counts for each kind; imported is always read minus dropped."""
    click.echo(f"From {source.kind}:")
    click.echo(f"{'read':>11}{'dropped':>11}{'imported':>11}")
    for kind in counts.kinds():
        read, dropped, imported = counts.read[kind], counts.dropped_of(kind), counts.imported[kind]
        click.echo(f"{read:>11,}{dropped:>11,}{imported:>11,}  {kind}")
    if any(counts.dropped.values()):
        click.echo("Not imported:")
        for kind, reasons in sorted(counts.dropped.items()):
            for reason, number in sorted(reasons.items()):
                click.echo(f"{number:>11,}  {kind} {reason}")
    if counts.notes:
        click.echo("Imported in another form:")
        for what, number in sorted(counts.notes.items()):
            click.echo(f"{number:>11,}  {what}")
    for kind, number in counts.unaccounted().items():
        click.echo(f"The sum of {kind} is off by {number:,}. Please report this.", err=True)


def _mark(file: Path, source: Source) -> str:
    """A hash that identifies the same export when the command runs again."""
    text = f"{source.kind} {file.name} {source.name} {source.message_count}"
    return hashlib.sha256(text.encode()).hexdigest()
