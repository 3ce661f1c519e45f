"""`tertulia export`: an organization, or the data of one user, as an archive."""

import os
from pathlib import Path

import click

from tertulia import actions
from tertulia.cli.data import OpenOrganization, in_organization
from tertulia.cli.progress import Progress
from tertulia.database.tx import Tx
from tertulia.domain.organization.exports import KINDS, WITHOUT_CONSENT
from tertulia.external.stores.file_stores import FileStores
from tertulia.transfer.backup import file_snapshot
from tertulia.transfer.backup.file_snapshot import HeldFiles
from tertulia.transfer.exporting import zulip_export
from tertulia.transfer.exporting.zulip_export import ExportArchive

MODE = 0o600


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--type",
    "kind",
    type=click.Choice(KINDS),
    default=WITHOUT_CONSENT,
    show_default=True,
    help="Public channels only; also private data of users who consented; or everything.",
)
@click.option("--person", metavar="EMAIL", help="Export the data of one user only.")
@in_organization
def export(opened: OpenOrganization, file: Path, kind: str, person: str | None) -> None:
    """Export an organization in Zulip's export format."""
    if file.exists():
        raise click.ClickException(f"{file} already exists.")
    draft = file.with_name(f"{file.name}.part")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE))
    try:
        if person is None:
            _organization(opened, draft, kind)
        else:
            _person(opened, draft, person)
        draft.rename(file)
    finally:
        draft.unlink(missing_ok=True)
    click.echo(f"Wrote {file}, {file.stat().st_size:,} bytes.", err=True)


def _organization(opened: OpenOrganization, draft: Path, kind: str) -> None:
    def leave(tx: Tx, files: HeldFiles) -> None:
        planned = zulip_export.plan(tx, kind)
        progress = Progress(planned.messages, "messages")
        archive = ExportArchive(draft, "tertulia-export")
        zulip_export.write(tx, planned, archive, files, progress.show)
        archive.close()
        progress.end()

    with file_snapshot.held(opened.database, FileStores(opened.config)) as files:
        opened.read(leave, files)
    opened.database.write_now(opened.realm.id, opened.note)


def _person(opened: OpenOrganization, draft: Path, email: str) -> None:
    user = opened.read(actions.people.get_by_email, email)

    def leave(tx: Tx, files: HeldFiles) -> None:
        archive = ExportArchive(draft, "tertulia-person")
        zulip_export.write_person(tx, user, archive, files)
        archive.close()

    with file_snapshot.held(opened.database, FileStores(opened.config)) as files:
        opened.read(leave, files)
    opened.database.write_now(opened.realm.id, opened.note, user)
