"""`tertulia export`: an organization, or all that is one person's, in an archive."""

import os
from pathlib import Path

import click

from tertulia import actions
from tertulia.backup import held_files
from tertulia.backup.held_files import HeldFiles
from tertulia.cli.data import OpenOrganization, in_organization
from tertulia.cli.progress import Progress
from tertulia.domain.organization.exports import KINDS, WITHOUT_CONSENT
from tertulia.links.stores.file_stores import FileStores
from tertulia.moving import leaving
from tertulia.moving.leaving import ExportArchive
from tertulia.storage.database.tx import Tx

MODE = 0o600


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--type",
    "kind",
    type=click.Choice(KINDS),
    default=WITHOUT_CONSENT,
    show_default=True,
    help="What leaves: what all can read, also what those can who agreed to it, or everything.",
)
@click.option("--person", metavar="EMAIL", help="Only what is one person's, in tables of ours.")
@in_organization
def export(opened: OpenOrganization, file: Path, kind: str, person: str | None) -> None:
    """Write an organization to an archive, in the form of Zulip's exports."""
    if file.exists():
        raise click.ClickException(f"{file} is there already.")
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
        planned = leaving.plan(tx, kind)
        progress = Progress(planned.messages, "messages")
        archive = ExportArchive(draft, "tertulia-export")
        leaving.write(tx, planned, archive, files, progress.show)
        archive.close()
        progress.end()

    with held_files.held(opened.database, FileStores(opened.config)) as files:
        opened.read(leave, files)
    opened.database.write_now(opened.realm.id, opened.note)


def _person(opened: OpenOrganization, draft: Path, email: str) -> None:
    user = opened.read(actions.people.get_by_email, email)

    def leave(tx: Tx, files: HeldFiles) -> None:
        archive = ExportArchive(draft, "tertulia-person")
        leaving.write_person(tx, user, archive, files)
        archive.close()

    with held_files.held(opened.database, FileStores(opened.config)) as files:
        opened.read(leave, files)
    opened.database.write_now(opened.realm.id, opened.note, user)
