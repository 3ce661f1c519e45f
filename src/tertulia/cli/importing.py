"""`tertulia import`: imports an export of another chat server as a new organization."""

import contextlib
import hashlib
import os
import secrets
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from tertulia import actions, data_dir, features, storage
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import as_json, audited_command, show_json
from tertulia.cli.progress import Progress, inform, quiet
from tertulia.config import Config
from tertulia.database import BlockingDatabase
from tertulia.domain.people.keys import Vault
from tertulia.transfer.importing import archive_reader, formats
from tertulia.transfer.importing.archive_reader import InvalidExport
from tertulia.transfer.importing.import_counts import ImportCounts
from tertulia.transfer.importing.importer import Importer
from tertulia.transfer.importing.times import UNKNOWN_ZONE, Zone
from tertulia.transfer.model import Source

HERE = str(Path(__file__).parents[1])


class TimeZone(click.ParamType[Zone]):
    name = "zone"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Zone:
        if isinstance(value, Zone):
            return value
        try:
            return Zone(ZoneInfo(str(value)), is_given=True)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            self.fail(f"{value} is not a time zone such as Europe/Madrid.", param, ctx)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--name",
    metavar="NAME",
    help="The name of the new organization; default: the name in the export.",
)
@click.option("--subdomain", metavar="S", default="", help="The subdomain of the new organization.")
@click.option(
    "--timezone",
    metavar="ZONE",
    type=TimeZone(),
    default=UNKNOWN_ZONE,
    help="The zone of times without one, such as Europe/Madrid: WhatsApp, old Telegram exports.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be imported, but change nothing.")
@as_json
@quiet
@config_options(for_serve=False)
def import_(
    file: Path,
    name: str | None,
    subdomain: str,
    timezone: Zone,
    dry_run: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Import an export of another chat as a new organization.

    FILE is an archive or a folder. If interrupted, run the same command again.
    """
    config = Config.load(flags, os.environ)
    with archive_reader.unpacked(file) as folder, _understood(file):
        source = formats.open_export(folder, file, timezone)
        show = _show_json if as_json else _show
        if dry_run:
            show(source, _rehearse(source, file))
            return
        database = data_dir.open_database(config, to_serve=False)
        data_dir.check_vault(config, database)
        _remove_unused(database, subdomain)
        importer = Importer(database, data_dir.open_vault(config), source, _mark(file, source))
        progress = Progress(source.message_count, "messages")
        counts = importer.run((name or source.name)[:40], subdomain, progress.show)
        progress.end()
        database.of(importer.realm.id).write(actions.organization.audit.record, audited_command())
    show(source, counts)
    inform(
        "Imported users have no passwords. `tertulia user link --imported` prints a link for each"
        " user to choose one; `tertulia user password` sets one. LDAP and single sign-on match"
        " users by their email address."
    )


def _remove_unused(database: BlockingDatabase, subdomain: str) -> None:
    """Delete the organization of a server that waits for its first owner: the import takes its
    place."""
    found = database.of(0).read(storage.organization.realms.number_at, subdomain)
    if found is None or not database.of(0).read(features.first_run.is_waiting):
        return
    database.of(found).write(features.deactivation.close, None)
    while database.of(found).write(features.deactivation.delete_batch):
        pass


# An OverflowError is an ArithmeticError: a number that is too large for a time or the database.
MALFORMED = (
    LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError,
)  # fmt: skip


@contextlib.contextmanager
def _understood(file: Path) -> Iterator[None]:
    """Turn errors from malformed data in an export into one message."""
    try:
        yield
    except MALFORMED as error:
        ours = [each for each in traceback.extract_tb(error.__traceback__) if HERE in each.filename]
        location = f"{Path(ours[-1].filename).name}, line {ours[-1].lineno}"
        raise InvalidExport(
            f"{file} contains unexpected data, or is damaged ({location}: {type(error).__name__})."
        ) from error


def _rehearse(source: Source, file: Path) -> ImportCounts:
    """Import into a database that is deleted afterwards, so that the counts are those of the
    import itself."""
    beside = file.absolute().parent
    place = beside if os.access(beside, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place, prefix=".tertulia-dry-run-") as scratch:
        database = BlockingDatabase.at(Config(data=Path(scratch)).database_url)
        database.migrate()
        importer = Importer(
            database, Vault(secrets.token_bytes(32)), source, "dry run", is_rehearsal=True
        )
        progress = Progress(source.message_count, "messages")
        return importer.run(source.name[:40], "", progress.show)


def _show_json(source: Source, counts: ImportCounts) -> None:
    kinds = {
        kind: {
            "read": counts.read[kind],
            "imported": counts.imported[kind],
            "dropped": dict(counts.dropped.get(kind, {})),
        }
        for kind in counts.kinds()
    }
    found = {"source": source.kind, "kinds": kinds, "in_another_form": dict(+counts.notes)}
    show_json(found | {"warnings": counts.warnings})


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
    if +counts.notes:
        click.echo("Imported in another form:")
        for what, number in sorted((+counts.notes).items()):
            click.echo(f"{number:>11,}  {what}")
    for warning in counts.warnings:
        click.echo(f"Warning: {warning}", err=True)
    for kind, number in counts.unaccounted().items():
        click.echo(f"The sum of {kind} is off by {number:,}. Please report this.", err=True)


def _mark(file: Path, source: Source) -> str:
    """A hash that identifies the same export when the command runs again."""
    text = f"{source.kind} {file.name} {source.name} {source.message_count}"
    return hashlib.sha256(text.encode()).hexdigest()
