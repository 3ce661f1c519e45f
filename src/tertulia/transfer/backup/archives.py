"""The backup file: a plain tar archive that begins with a description of its contents.

    about.json          server version, schema, row counts, last ids
    secret              only on request
    rows/TABLE/NNNNNN   rows as MessagePack, compressed with zlib
    end.json            a digest of everything before

The digest detects a file that was truncated or changed.
"""

import contextlib
import fcntl
import hashlib
import io
import itertools
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from tertulia.errors import StartupError
from tertulia.transfer.backup.contents import Block, Copy, CopyInfo

ABOUT, SECRET, ROWS, END = "about.json", "secret", "rows/", "end.json"
LEVEL = 3  # zlib level: higher ones take much longer and save little
MODE = 0o600

Progress = Callable[[int], None]


class BadBackup(StartupError):
    """The file cannot be restored."""


class BackupInProgress(StartupError):
    """Another process is writing a backup to the same name."""

    def __init__(self, draft: Path) -> None:
        super().__init__(f"{draft} is being written by another process.")


class End(msgspec.Struct):
    digest: str
    rows: dict[str, int]


def write(copy: Copy, path: Path, secret: bytes | None, progress: Progress) -> None:
    """Write a copy to a temporary file, read it back, and rename it."""
    draft = partial_path(path)
    remove_stale(draft)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE), "wb") as file:
        try:
            _lock(file.fileno(), draft)
            _write(copy, file, secret, progress)
            file.flush()
            os.fsync(file.fileno())
            written = verify(draft)
            if written.rows != copy.about.rows:
                raise BadBackup("The backup contains other rows than were counted.")
            draft.rename(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    sync(path.parent)


def partial_path(path: Path) -> Path:
    """The name of a backup while it is written."""
    return path.with_name(f"{path.name}.part")


def remove_stale(draft: Path) -> None:
    """Delete the temporary file of a process that was killed. Raises BackupInProgress if it still
    runs."""
    try:
        handle = os.open(draft, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        _lock(handle, draft)
        draft.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _lock(handle: int, draft: Path) -> None:
    """Lock the file while it is open. Without support for locks this does nothing."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BackupInProgress(draft) from None
    except OSError:
        pass


def verify(path: Path) -> CopyInfo:
    """Read a whole file. Raises BadBackup if it is damaged."""
    with opened(path) as archive:
        for _ in archive.blocks():
            pass
        return archive.about


@contextlib.contextmanager
def opened(path: Path) -> Iterator["Archive"]:
    with path.open("rb") as file:
        try:
            with tarfile.open(fileobj=file, mode="r|") as tar:
                yield Archive(tar)
        except (tarfile.TarError, zlib.error, msgspec.DecodeError, UnicodeDecodeError, EOFError):
            raise BadBackup(f"{path} is not a complete backup.") from None


class Member(NamedTuple):
    name: str
    data: bytes
    before: str  # digest of all members before this one


class Archive:
    """Reads a file once, from the beginning to the end."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        members = _members(tar)
        first, second = next(members), next(members)
        if first.name != ABOUT:
            raise tarfile.TarError
        self.about = msgspec.json.decode(first.data, type=CopyInfo)
        self.secret = second.data if second.name == SECRET else None
        self._rest = members if second.name == SECRET else itertools.chain([second], members)

    def blocks(self) -> Iterator[tuple[str, Block]]:
        counts = dict.fromkeys(self.about.tables, 0)
        for member in self._rest:
            if member.name == END:
                end = msgspec.json.decode(member.data, type=End)
                if end == End(member.before, counts):
                    return
                break
            table = member.name.removeprefix(ROWS).partition("/")[0]
            if table not in counts:
                break
            block: Block = msgspec.msgpack.decode(zlib.decompress(member.data))
            counts[table] += len(block)
            yield table, block
        raise tarfile.TarError


def _members(tar: tarfile.TarFile) -> Iterator[Member]:
    digest = hashlib.sha256()
    while (info := tar.next()) is not None and (file := tar.extractfile(info)) is not None:
        data = file.read()
        yield Member(info.name, data, digest.hexdigest())
        _digest(digest, info.name, data)
    raise tarfile.TarError


def _write(copy: Copy, file: IO[bytes], secret: bytes | None, progress: Progress) -> None:
    digest = hashlib.sha256()
    about = copy.about
    counts = dict.fromkeys(about.tables, 0)
    with tarfile.open(fileobj=file, mode="w|") as tar:

        def add(name: str, data: bytes) -> None:
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(data), MODE, int(about.taken_at)
            tar.addfile(member, io.BytesIO(data))
            _digest(digest, name, data)

        add(ABOUT, msgspec.json.encode(about))
        if secret is not None:
            add(SECRET, secret)
        for number, (table, block) in enumerate(copy.blocks()):
            packed = zlib.compress(msgspec.msgpack.encode(block), LEVEL)
            add(f"{ROWS}{table}/{number:06}", packed)
            counts[table] += len(block)
            progress(sum(counts.values()))
        add(END, msgspec.json.encode(End(digest.hexdigest(), counts)))


def _digest(digest: "hashlib._Hash", name: str, data: bytes) -> None:
    digest.update(f"{name} {len(data)}\n".encode())
    digest.update(data)


def sync(path: Path) -> None:
    """Flush a file or a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
