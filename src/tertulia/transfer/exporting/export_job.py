"""The job that writes the exports that administrators request."""

import asyncio
import tempfile
import time
from pathlib import Path

from tertulia import actions, storage
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES
from tertulia.domain.organization.exports import GIVEN_UP_SECONDS, RealmExport
from tertulia.external.stores.file_stores import FileStores
from tertulia.log import log
from tertulia.storage.archive_queries import ArchivedMessages
from tertulia.transfer.backup import file_snapshot
from tertulia.transfer.backup.file_snapshot import FileSnapshot
from tertulia.transfer.exporting import zulip_export
from tertulia.transfer.exporting.zulip_export import ExportArchive
from tertulia.transfer.html_archive.writer import HtmlArchive


class ExportJobs:
    def __init__(self, database: Database, stores: FileStores) -> None:
        self._database = database
        self._stores = stores

    async def run_once(self) -> None:
        before = self._database.clock() - GIVEN_UP_SECONDS
        waiting = await self._database.read_in(0, storage.organization.exports.waiting, before)
        for realm_id, export_id in waiting:
            db = self._database.of(realm_id)
            export = await db.write(actions.organization.exports.start, export_id)
            if export is not None:
                await self._make(realm_id, export)

    async def _make(self, realm_id: int, export: RealmExport) -> None:
        db = self._database.of(realm_id)
        name = f"tertulia-export-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(export.asked_at))}"
        with tempfile.TemporaryDirectory(prefix="tertulia-") as folder:
            file = Path(folder) / f"{name}.tar.gz"
            try:
                await asyncio.to_thread(self._write, realm_id, export, file, name)
            except Exception:
                log.exception("export.failed", realm_id=realm_id, export_id=export.id)
                await db.write(actions.organization.exports.fail, export)
                return
            upload_id = await self._store(realm_id, file)
            size = file.stat().st_size
        await db.write(actions.organization.exports.finish, export, upload_id, file.name, size)

    def _write(self, realm_id: int, export: RealmExport, file: Path, name: str) -> None:
        archive = ExportArchive(file, name)
        with file_snapshot.open_snapshot(self._database, self._stores) as files:
            self._database.read_now(realm_id, _write, export, archive, files)
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
    if export.channel_id is None:
        zulip_export.write(tx, planned, archive, files, lambda done: None)
        return
    chosen = ArchivedMessages(export.kind, planned.consenting, channel_id=export.channel_id)
    with tempfile.TemporaryDirectory(prefix="tertulia-") as folder:
        HtmlArchive(tx, chosen, Path(folder), files, lambda done: None).write()
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                with path.open("rb") as contents:
                    name = path.relative_to(folder).as_posix()
                    archive.put_file(name, path.stat().st_size, contents)
