"""`tertulia export`: an organization, or the data of one user, as an archive."""

import os
import shutil
from pathlib import Path

import click

from tertulia import actions, features, storage
from tertulia.cli.open_data import OpenOrganization, as_json, in_organization, show_json
from tertulia.cli.progress import Progress, inform, quiet
from tertulia.cli.sigterm import clean_up_on_sigterm
from tertulia.database.tx import Tx
from tertulia.external.stores.file_stores import FileStores
from tertulia.storage.archive_queries import ArchivedMessages
from tertulia.storage.organization.exports import KINDS, WITHOUT_CONSENT
from tertulia.transfer.backup import file_snapshot
from tertulia.transfer.backup.file_snapshot import FileSnapshot
from tertulia.transfer.exporting import zulip_export
from tertulia.transfer.exporting.zulip_export import ExportArchive
from tertulia.transfer.html_archive.writer import HtmlArchive

MODE = 0o600
FOLDER_MODE = 0o700


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
@click.option(
    "--html", "is_html", is_flag=True, help="Write a folder of pages that a browser opens."
)
@as_json
@quiet
@in_organization
@clean_up_on_sigterm()
def export(
    opened: OpenOrganization,
    file: Path,
    kind: str,
    person: str | None,
    is_html: bool,
    as_json: bool,
) -> None:
    """Export an organization in Zulip's export format, or as a folder of HTML pages."""
    if file.exists():
        raise click.ClickException(f"{file} already exists.")
    if is_html:
        damaged = _html(opened, file, kind, person)
        if as_json:
            show_json({"folder": str(file), "missing_files": damaged})
        return
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
    inform(f"Wrote {file}, {file.stat().st_size:,} bytes.")
    if as_json:
        show_json({"file": str(file), "bytes": file.stat().st_size})


def _html(opened: OpenOrganization, folder: Path, kind: str, email: str | None) -> list[str]:
    """Write the pages; returns the files that are missing or damaged."""
    user = None if email is None else opened.read(actions.people.users.get_by_email, email)
    draft = new_draft(folder)

    def write(tx: Tx, files: FileSnapshot) -> list[str]:
        planned = zulip_export.plan(tx, kind)
        chosen = ArchivedMessages(kind, planned.consenting)
        if user is not None:
            chosen = features.exports.of_person(tx, user.id)
        progress = Progress(storage.archive_queries.count(tx, chosen), "messages")
        archive = HtmlArchive(tx, chosen, draft, files, progress.show)
        archive.write()
        progress.end()
        warn_of_damaged_files(archive.damaged_files)
        return archive.damaged_files

    try:
        with file_snapshot.open_snapshot(opened.database, FileStores(opened.config)) as files:
            damaged = opened.read(write, files)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    opened.database.of(opened.realm.id).write(opened.record, *([] if user is None else [user]))
    inform(f"Wrote {folder}. Open {folder / 'index.html'} in a browser.")
    return damaged


def new_draft(folder: Path) -> Path:
    """The folder in which pages are written until they are complete. Deletes one that a killed
    command has left."""
    draft = folder.with_name(f"{folder.name}.part")
    if draft.is_dir() and any(draft.iterdir()) and not (draft / "static").is_dir():
        raise click.ClickException(f"{draft} already exists, and is not from an export.")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=FOLDER_MODE, parents=True)
    return draft


def warn_of_damaged_files(path_ids: list[str]) -> None:
    if path_ids:
        names = ", ".join(path_ids)
        click.echo(f"Files that are missing or damaged, and not exported: {names}", err=True)


def _organization(opened: OpenOrganization, draft: Path, kind: str) -> None:
    def write(tx: Tx, files: FileSnapshot) -> None:
        planned = zulip_export.plan(tx, kind)
        progress = Progress(planned.messages, "messages")
        archive = ExportArchive(draft, "tertulia-export")
        zulip_export.write(tx, planned, archive, files, progress.show)
        archive.close()
        progress.end()

    with file_snapshot.open_snapshot(opened.database, FileStores(opened.config)) as files:
        opened.read(write, files)
    opened.database.of(opened.realm.id).write(opened.record)


def _person(opened: OpenOrganization, draft: Path, email: str) -> None:
    user = opened.read(actions.people.users.get_by_email, email)

    def write(tx: Tx, files: FileSnapshot) -> None:
        archive = ExportArchive(draft, "tertulia-person")
        zulip_export.write_person(tx, user, archive, files)
        archive.close()

    with file_snapshot.open_snapshot(opened.database, FileStores(opened.config)) as files:
        opened.read(write, files)
    opened.database.of(opened.realm.id).write(opened.record, user)
