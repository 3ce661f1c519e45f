"""Opens an export: a folder, or a tar or zip archive that is unpacked into one.

Archives are untrusted: a name that leads out of the folder is refused, links are skipped, and
unpacking stops before the disk is full, because a server may be writing to it.

Names of files are compared in Unicode's composed form, because macOS decomposes them.
"""

import contextlib
import fcntl
import gzip
import lzma
import os
import shutil
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tertulia.errors import StartupError

MIN_FREE_BYTES = 1 << 29  # left free on the disk
BLOCK_BYTES = 1 << 22
UTF8_NAME = 1 << 11  # a flag of a file in a ZIP archive

# The message for an archive that is damaged or encrypted.
UNREADABLE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,
)


class InvalidExport(StartupError):
    """The input is not an export in a known format."""


@contextlib.contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The folder with the files of an export; an archive is unpacked beside itself."""
    if path.is_dir():
        yield path
        return
    beside, prefix = path.absolute().parent, f".tertulia-{path.name}-"
    _remove_stale(beside, prefix)
    with tempfile.TemporaryDirectory(dir=beside, prefix=prefix) as place, _lock(Path(place)):
        try:
            _unpack(path, Path(place))
        except UNREADABLE as error:
            raise InvalidExport(f"{path} cannot be unpacked: {type(error).__name__}.") from None
        yield Path(place)


def _remove_stale(beside: Path, prefix: str) -> None:
    """Delete folders that killed commands have unpacked; a running command holds a lock on its
    folder."""
    for place in beside.iterdir():
        if place.name.startswith(prefix) and place.is_dir():
            with contextlib.suppress(BlockingIOError), _lock(place):
                shutil.rmtree(place, ignore_errors=True)


@contextlib.contextmanager
def _lock(place: Path) -> Iterator[None]:
    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _unpack(path: Path, place: Path) -> None:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as zipped:
            for entry in zipped.infolist():
                if not entry.is_dir():
                    _put(place, zip_name(entry), zipped.open(entry))
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as tar:
            for member in tar:  # regular files only: links may lead out of the folder
                contents = tar.extractfile(member) if member.isfile() else None
                if contents is not None:
                    _put(place, member.name, contents)
            _check_end(tar)
    else:
        target = place / path.name
        target.symlink_to(path.absolute())


def zip_name(entry: zipfile.ZipInfo) -> str:
    """The name of a file in a ZIP archive, whose writer may have left out the flag of UTF-8."""
    if entry.flag_bits & UTF8_NAME:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode()
    except ValueError:
        return entry.filename


def _check_end(tar: tarfile.TarFile) -> None:
    """Only zeros may follow the last file; otherwise a damaged header would pass for the end."""
    assert tar.fileobj is not None
    tar.fileobj.seek(tar.offset)
    rest = tar.fileobj.read(tarfile.BLOCKSIZE)
    while rest.count(0) == len(rest) > 0:
        rest = tar.fileobj.read(tarfile.RECORDSIZE)
        if not rest:
            return
    raise tarfile.ReadError


def _put(place: Path, name: str, contents: IO[bytes]) -> None:
    target = (place / composed(name)).resolve()
    if not target.is_relative_to(place.resolve()):
        raise InvalidExport(f"The archive contains a name that leads out of it: {name!r}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with contents, target.open("wb") as file:
        while block := contents.read(BLOCK_BYTES):
            _check_free_space(place)
            file.write(block)


def _check_free_space(place: Path) -> None:
    if shutil.disk_usage(place).free < MIN_FREE_BYTES + BLOCK_BYTES:
        megabytes = MIN_FREE_BYTES >> 20
        raise InvalidExport(
            f"There is not enough free space to unpack it in {place.parent}, where {megabytes} MB"
            " must stay free. Unpack it elsewhere, and give that folder instead."
        )


def find(folder: Path, path: str) -> Path | None:
    """A file of an export, unless its name leads out of the folder."""
    for name in dict.fromkeys((path, composed(path), unicodedata.normalize("NFD", path))):
        found = folder / name
        if found.resolve().is_relative_to(folder.resolve()) and found.is_file():
            return found
    return None


def composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def open_in(folder: Path, path: str) -> IO[bytes]:
    """Open a file of an export. Raises FileNotFoundError."""
    found = find(folder, path)
    if found is None:
        raise FileNotFoundError(path)
    return found.open("rb")


def folder_with(folder: Path, *names: str) -> Path | None:
    """The folder that contains these files: this one, or one up to two levels below."""
    for place in [folder, *sorted(folder.glob("*/")), *sorted(folder.glob("*/*/"))]:
        if all((place / name).exists() for name in names):
            return place
    return None
