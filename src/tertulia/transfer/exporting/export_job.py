"""The job that writes the exports that administrators and users request."""

import asyncio
import os
import time
import zipfile
from pathlib import Path

from tertulia import features, storage
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES
from tertulia.external.stores.file_stores import FileStores
from tertulia.log import log
from tertulia.storage.archive_queries import ArchivedMessages
from tertulia.storage.organization.exports import RealmExport
from tertulia.transfer.backup import file_snapshot
from tertulia.transfer.backup.file_snapshot import FileSnapshot
from tertulia.transfer.exporting import scratch_folder, zulip_export
from tertulia.transfer.exporting.zulip_export import ExportArchive
from tertulia.transfer.html_archive.writer import HtmlArchive


class ExportJobs:
    def __init__(self, database: Database, stores: FileStores, data: Path) -> None:
        """`data` is the data folder."""
        self._database = database
        self._stores = stores
        self._data = data

    async def run_once(self) -> None:
        for realm_id, export_id in await self._database.of(0).read(features.exports.waiting):
            db = self._database.of(realm_id)
            export = await db.write(features.exports.claim, export_id)
            if export is not None:
                await self._make(realm_id, export)

    async def _make(self, realm_id: int, export: RealmExport) -> None:
        db = self._database.of(realm_id)
        name = f"tertulia-export-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(export.requested_at))}"
        with scratch_folder.open_scratch(self._data) as folder:
            file = folder / f"{name}{'.zip' if export.has_pages else '.tar.gz'}"
            try:
                await asyncio.to_thread(self._write, realm_id, export, file, name)
            except Exception:
                log.exception("export.failed", realm_id=realm_id, export_id=export.id)
                await db.write(features.exports.fail, export)
                return
            upload_id = await self._store(realm_id, file)
            size = file.stat().st_size
        await db.write(features.exports.finish, export, upload_id, file.name, size)

    def _write(self, realm_id: int, export: RealmExport, file: Path, name: str) -> None:
        with file_snapshot.open_snapshot(self._database.blocking, self._stores) as files:
            if export.has_pages:
                pages = file.with_name(name)
                self._database.blocking.of(realm_id).read(_write_pages, export, pages, files)
                _zip(pages, file)
                return
            archive = ExportArchive(file, name)
            self._database.blocking.of(realm_id).read(_write, export, archive, files)
            archive.close()

    async def _store(self, realm_id: int, file: Path) -> int:
        db = self._database.of(realm_id)
        upload_id = await db.write(storage.files.uploads.insert)
        with file.open("rb") as contents:
            position = 0
            while piece := contents.read(PIECE_BYTES):
                await db.write(storage.files.uploads.add_piece, upload_id, position, piece)
                position += 1
        return upload_id


def _write(tx: Tx, export: RealmExport, archive: ExportArchive, files: FileSnapshot) -> None:
    planned = zulip_export.plan(tx, export.kind)
    zulip_export.write(tx, planned, archive, files, lambda done: None)


def _write_pages(tx: Tx, export: RealmExport, folder: Path, files: FileSnapshot) -> None:
    planned = zulip_export.plan(tx, export.kind)
    if export.person_id is not None:
        chosen = features.exports.of_person(tx, export.person_id)
    else:
        chosen = ArchivedMessages(export.kind, planned.consenting, channel_id=export.channel_id)
    HtmlArchive(tx, chosen, folder, files, lambda done: None).write()


def _zip(folder: Path, file: Path) -> None:
    """Files are deleted as soon as they are in the archive, so that the disk has them once."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for path in (Path(parent) / name for name in sorted(names)):
                archive.write(path, path.relative_to(folder.parent))
                path.unlink()
