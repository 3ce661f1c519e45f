"""`tertulia import`: an organization that lived on another server."""

import contextlib
import hashlib
import os
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tertulia import actions, opening
from tertulia.cli.data import command_act
from tertulia.cli.flags import config_options
from tertulia.cli.progress import Progress
from tertulia.config import Config
from tertulia.moving import folders
from tertulia.moving.arrivals import ImportReport, Source
from tertulia.moving.bringing import Bringing
from tertulia.moving.folders import NoExport
from tertulia.moving.sources import mattermost, rocketchat, slack, zulip

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
    with folders.opened(file) as folder, _understood(file):
        source = _open(folder, file)
        if dry_run:
            _show(source, _foreseen(source))
            return
        database = opening.open_database(config)
        opening.check_vault(config, database)
        bringing = Bringing(database, opening.open_vault(config), source, _mark(file, source))
        progress = Progress(source.message_count, "messages")
        report = bringing.run((name or source.name)[:40], subdomain, progress.show)
        progress.end()
        database.write_now(bringing.realm.id, actions.organization.audit.note, command_act())
    _show(source, report)
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


def _foreseen(source: Source) -> ImportReport:
    people, found = source.people(), source.belongings()
    brought = {
        "people": sum(not each.is_bot and not each.is_house_bot for each in people),
        "bots": sum(each.is_bot for each in people),
        "channels": len(source.channels()),
        "files": sum(1 for _ in source.files()),
        "messages": source.message_count,
        "custom emoji": len(found.emoji),
        "pictures of people": len(found.avatars),
        "groups": len(found.groups),
        "profile fields": len(found.profile_fields),
        "topics muted or followed": len(found.topic_policies),
        "muted people": len(found.muted_people),
        "alert words": len(found.alert_words),
        "statuses": len(found.statuses),
    }
    return ImportReport(Counter(brought), source.left())


def _show(source: Source, report: ImportReport) -> None:
    click.echo(f"From {source.kind}:")
    for kind, number in report.brought.items():
        if number:
            click.echo(f"  {number:>9,}  {kind}")
    if +report.left:
        click.echo("Not brought along:")
        for kind, number in sorted((+report.left).items()):
            click.echo(f"  {number:>9,}  {kind}")


def _mark(file: Path, source: Source) -> str:
    """By which the same export is known when it is brought again."""
    told = f"{source.kind} {file.name} {source.name} {source.message_count}"
    return hashlib.sha256(told.encode()).hexdigest()
