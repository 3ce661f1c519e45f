"""`tertulia import`: an organization that lived on another server."""

import contextlib
import hashlib
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tertulia import actions, data_dir
from tertulia.cli.data import command_act
from tertulia.cli.flags import config_options
from tertulia.cli.progress import Progress
from tertulia.config import Config
from tertulia.transfer.importing import archive_reader
from tertulia.transfer.importing.archive_reader import NoExport
from tertulia.transfer.importing.importer import Importer
from tertulia.transfer.importing.sources import mattermost, rocketchat, slack, zulip
from tertulia.transfer.importing.tally import Tally
from tertulia.transfer.model import Source

HERE = str(Path(__file__).parents[1])
OPENERS = (zulip.open_export, slack.open_export, rocketchat.open_export, mattermost.open_export)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.option("--name", metavar="NAME", help="Of the organization; that of the export by default.")
@click.option("--subdomain", metavar="S", default="", help="Its place before the host name.")
@click.option("--dry-run", is_flag=True, help="Only say what would be brought.")
@config_options(for_serve=False)
def import_(file: Path, name: str | None, subdomain: str, dry_run: bool, **flags: Any) -> None:
    """Bring in an export of Zulip, Slack, Mattermost or Rocket.Chat.

    FILE is an archive or a folder. Whoever is interrupted runs the same command again.
    """
    config = Config.load(flags, os.environ)
    with archive_reader.opened(file) as folder, _understood(file):
        source = _open(folder, file)
        if dry_run:
            _show(source, source.tally().foreseen())
            return
        database = data_dir.open_database(config)
        data_dir.check_vault(config, database)
        bringing = Importer(database, data_dir.open_vault(config), source, _mark(file, source))
        progress = Progress(source.message_count, "messages")
        tally = bringing.run((name or source.name)[:40], subdomain, progress.show)
        progress.end()
        database.write_now(bringing.realm.id, actions.organization.audit.note, command_act())
    _show(source, tally)
    click.echo(
        "People come without passwords: `tertulia user link` prints a link to hand over, with which"
        " one chooses a password, and `tertulia user password` gives one. Whoever logs in by"
        " another way is known by the address.",
        err=True,
    )


@contextlib.contextmanager
def _understood(file: Path) -> Iterator[None]:
    """Exports are lists of anything: what no server would write is found where it is used."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        ours = [each for each in traceback.extract_tb(error.__traceback__) if HERE in each.filename]
        place = f"{Path(ours[-1].filename).name}, line {ours[-1].lineno}"
        raise NoExport(
            f"{file} holds something that cannot be understood, or is damaged"
            f" ({place}: {type(error).__name__})."
        ) from error


def _open(folder: Path, file: Path) -> Source:
    for opener in OPENERS:
        source: Source | None = opener(folder)
        if source is not None:
            return source
    raise NoExport(f"{file} is no export of Zulip, Slack, Mattermost or Rocket.Chat.")


def _show(source: Source, tally: Tally) -> None:
    """What was read, dropped and brought, by kind: brought is the difference of the others."""
    click.echo(f"From {source.kind}:")
    click.echo(f"{'read':>11}{'dropped':>11}{'brought':>11}")
    for kind in tally.kinds():
        read, dropped, brought = tally.read[kind], tally.dropped_of(kind), tally.brought[kind]
        click.echo(f"{read:>11,}{dropped:>11,}{brought:>11,}  {kind}")
    if any(tally.dropped.values()):
        click.echo("Not brought along:")
        for kind, reasons in sorted(tally.dropped.items()):
            for reason, number in sorted(reasons.items()):
                click.echo(f"{number:>11,}  {kind} {reason}")
    if tally.notes:
        click.echo("In another form:")
        for what, number in sorted(tally.notes.items()):
            click.echo(f"{number:>11,}  {what}")
    for kind, number in tally.unaccounted().items():
        click.echo(f"The sum of {kind} is off by {number:,}. Please report this.", err=True)


def _mark(file: Path, source: Source) -> str:
    """By which the same export is known when it is brought again."""
    told = f"{source.kind} {file.name} {source.name} {source.message_count}"
    return hashlib.sha256(told.encode()).hexdigest()
