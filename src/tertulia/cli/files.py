"""`tertulia files`: where uploaded files are stored, and moving them between stores."""

from typing import Any

import click

import tertulia.features  # noqa: F401
from tertulia import storage
from tertulia.cli.flags import config_options
from tertulia.cli.open_data import as_json, open_data, record_everywhere, show_json, show_table
from tertulia.cli.progress import Progress, inform, quiet
from tertulia.external.stores.file_stores import FileStores
from tertulia.external.stores.store import NotInStore
from tertulia.jobs import upload_migration


@click.group()
def files() -> None:
    """Manage uploaded files: show where they are, move them to another store."""


@files.command()
@as_json
@config_options(for_serve=False)
def show(as_json: bool, **flags: Any) -> None:
    """Show the number and size of the files in each store."""
    _, database = open_data(flags)
    counts = database.of(0).read(storage.files.upload_locations.counts)
    if as_json:
        show_json(
            {store_name: {"files": n, "bytes": size} for store_name, (n, size) in counts.items()}
        )
        return
    rows = [(store_name, f"{n:,}", f"{size:,}") for store_name, (n, size) in counts.items()]
    show_table([("place", "files", "bytes"), *rows])


@files.command()
@quiet
@config_options(for_serve=False)
def move(**flags: Any) -> None:
    """Move all files to the store that the setting `files` names.

    The server can keep running: every file stays readable. If interrupted, run it again.
    """
    config, database = open_data(flags)
    stores = FileStores(config)
    copier = upload_migration.UploadCopier(database, stores, config.files)
    counts = database.of(0).read(storage.files.upload_locations.counts)
    progress = Progress(
        sum(n for store_name, (n, _) in counts.items() if store_name != config.files), "files"
    )
    after = done = 0
    damaged: list[str] = []
    while upload := database.of(0).read(copier.next, after):
        after = upload.id
        try:
            done += copier.copy(upload)
        except (upload_migration.DamagedFile, NotInStore):
            damaged.append(upload.name or f"upload {upload.id}")
        progress.show(done)
    upload_migration.sweep(database, stores)
    database.of(0).write(record_everywhere)
    inform(f"Moved {done:,} files to {config.files}.")
    if damaged:
        raise click.ClickException(
            f"{len(damaged)} files are missing or damaged and not moved: {', '.join(damaged[:10])}"
        )


@files.command()
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@config_options(for_serve=False)
def sweep(yes: bool, **flags: Any) -> None:
    """Delete files in the stores that are not in the database, such as after a restore.

    Do not use it if another installation has files in the same folder or bucket (see s3_folder).
    """
    config, database = open_data(flags)
    stores = FileStores(config)
    upload_migration.sweep(database, stores)
    found = {
        store_name: upload_migration.orphaned_files(database, stores, store_name)
        for store_name in stores.known
    }
    count = sum(map(len, found.values()))
    size = sum(sum(each.values()) for each in found.values())
    if count and not yes:
        click.confirm(
            f"Delete {count:,} files of {size:,} bytes that are not in the database?",
            abort=True,
            err=True,
        )
    for store_name, names in found.items():
        for name in names:
            stores.store(store_name).delete(name)
    click.echo(f"Deleted {count:,} files of {size:,} bytes.", err=True)
