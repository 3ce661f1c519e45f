"""The disk: files of SQLite whose unsynced writes a power cut loses or tears.

SQLite runs in apsw with a VFS of ours. Reads and writes go to real files in memory. The VFS keeps
beside them what a power cut would leave: the bytes as of the last sync of each file, and the writes
since. It also injects errors, slow syncs, and kills between two writes.

A sync that fails drops its writes, as Linux does: a later sync that succeeds does not bring them to
the disk.
"""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
from tests.simulation.machine import ENTROPY, SCHEDULERS, Running, sleep

SECTOR_BYTES = 512
VFS_NAME = "simulated"
SIDE_FILES = ("", "-wal")  # -shm is rebuilt after a crash

# What a fault does before an operation: raise an error, or kill the process.
OnOperation = Callable[[str], None]


class DiskFile:
    """`unsynced` are the writes since the last sync, `dropped` the sectors of syncs that failed. A
    write without data cuts the file at its offset."""

    def __init__(self, content: bytes = b"") -> None:
        self.durable = bytearray(content)
        self.unsynced: list[tuple[int, bytes | None]] = []
        self.dropped: list[tuple[int, bytes]] = []
        self.is_created = bool(content)  # its name is on the disk

    def write(self, offset: int, data: bytes | None) -> None:
        """What is written again is no longer lost with the sync that failed."""
        self.unsynced.append((offset, data))
        end = None if data is None else offset + len(data)
        self.dropped = [each for each in self.dropped if not _overlaps(each, offset, end)]

    def sync(self) -> None:
        for offset, data in self.unsynced:
            _apply(self.durable, offset, data)
        self.unsynced.clear()
        self.is_created = True

    def fail_sync(self) -> None:
        """The system counts the pages as written, so no later sync writes them. The length of the
        file is no page: the next sync that succeeds writes it."""
        for offset, data in self.unsynced:
            if data is not None:
                for start in range(0, len(data), SECTOR_BYTES):
                    self.dropped.append((offset + start, data[start : start + SECTOR_BYTES]))
        self.unsynced = [write for write in self.unsynced if write[1] is None]

    def after_power_cut(self, rng: random.Random) -> bytes | None:
        """Some of the unsynced writes are on the disk, some of them in part."""
        if not self.is_created and rng.random() < 0.5:
            return None
        left = bytearray(self.durable)
        share = rng.choice([0.0, 0.5, 0.9, 1.0])
        for offset, data in [*self.dropped, *self.unsynced]:
            if data is None:
                if rng.random() < share:
                    _apply(left, offset, None)
                continue
            for start in range(0, len(data), SECTOR_BYTES):
                if rng.random() < share:
                    _apply(left, offset + start, data[start : start + SECTOR_BYTES])
        return bytes(left)


def _overlaps(write: tuple[int, bytes], start: int, end: int | None) -> bool:
    offset, data = write
    return offset + len(data) > start and (end is None or offset < end)


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del content[offset:]
        return
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


class Disk:
    """The folder of one life of a server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.files: dict[str, DiskFile] = {}
        self.is_durable = False  # nothing is lost, and a sync takes no time
        self.on_operation: OnOperation = lambda kind: None
        self.operations = 0
        self.sync_seconds: Callable[[], float | None] = lambda: None
        _DISKS[str(folder)] = self

    def after_kill(self, folder: Path) -> "Disk":
        """The disk of the next life: what the process wrote is there, synced or not."""
        disk = Disk(folder)
        shutil.copytree(self.folder, folder, dirs_exist_ok=True, ignore=self._is_simulated)
        for name, file in self.files.items():
            if (self.folder / name).exists():
                shutil.copyfile(self.folder / name, folder / name)
                disk.files[name] = file
        return disk

    def after_power_cut(self, folder: Path, rng: random.Random) -> "Disk":
        disk = Disk(folder)
        shutil.copytree(self.folder, folder, dirs_exist_ok=True, ignore=self._is_simulated)
        for name, file in sorted(self.files.items()):
            content = file.after_power_cut(rng)
            if content is not None:
                (folder / name).write_bytes(content)
                disk.files[name] = DiskFile(content)
                disk.files[name].is_created = True
        return disk

    def _is_simulated(self, folder: Any, names: list[str]) -> set[str]:
        """A database that was not opened is copied like any other file."""
        return {name for name in names if name in self.files or name.endswith("-shm")}

    def operate(self, kind: str) -> None:
        self.operations += 1
        self.on_operation(kind)


_DISKS: dict[str, Disk] = {}


class Vfs(apsw.VFS):
    def __init__(self) -> None:
        super().__init__(VFS_NAME, base="unix")

    def xOpen(self, name: Any, flags: list[int]) -> Any:
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name or "")
        disk = _DISKS.get(str(path.parent))
        is_ours = flags[0] & (apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_WAL)
        if disk is None or disk.is_durable or not is_ours:
            return super().xOpen(name, flags)
        if not path.exists():
            disk.files[path.name] = DiskFile()
        elif path.name not in disk.files:
            disk.files[path.name] = DiskFile(path.read_bytes())
        state = disk.files[path.name]
        return OpenFile("unix", name, flags, disk, state)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        path = Path(filename)
        if (disk := _DISKS.get(str(path.parent))) is not None:
            disk.files.pop(path.name, None)

    def xRandomness(self, numbytes: int) -> bytes:
        return ENTROPY.randbytes(numbytes)

    def xSleep(self, microseconds: int) -> int:
        sleep(microseconds / 1e6)
        return microseconds


class OpenFile(apsw.VFSFile):
    def __init__(self, base: str, name: Any, flags: list[int], disk: Disk, file: DiskFile) -> None:
        super().__init__(base, name, flags)
        self._disk, self._file = disk, file

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.operate("write")
        super().xWrite(data, offset)
        self._file.write(offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:
        self._disk.operate("truncate")
        super().xTruncate(newsize)
        self._file.write(newsize, None)

    def xSync(self, flags: int) -> None:
        thread, seconds = Running.thread, self._disk.sync_seconds()
        if seconds is not None:
            sleep(seconds)
        elif thread is not None:
            SCHEDULERS[-1].wake(thread)
            thread.park()
        try:
            self._disk.operate("sync")
        except apsw.Error:
            self._file.fail_sync()
            raise
        self._file.sync()


VFS = Vfs()
