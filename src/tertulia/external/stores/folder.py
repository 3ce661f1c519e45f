"""A file store in a local or shared folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfileobj
from typing import IO

from tertulia import file_permissions
from tertulia.domain.files.upload_locations import UNFINISHED
from tertulia.external.stores.store import NotInStore, StoreUnavailable

FILE_MODE, FOLDER_MODE = 0o600, 0o700


class FolderStore:
    max_file_bytes: int | None = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, contents: IO[bytes], size: int, digest: str) -> None:
        path = self._folder / name
        draft = path.with_name(path.name + UNFINISHED)
        try:
            file_permissions.make_folders(path.parent, FOLDER_MODE)
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
            with open(handle, "wb") as file:
                file_permissions.match_folder(file.fileno(), path.parent)
                copyfileobj(contents, file)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(path)
            for folder in (path.parent, path.parent.parent):
                _sync(folder)
        except OSError as error:
            raise _trouble(self._folder, error) from error

    def read(self, name: str, start: int, max_bytes: int) -> bytes:
        try:
            with (self._folder / name).open("rb") as file:
                return os.pread(file.fileno(), max_bytes, start)
        except FileNotFoundError:
            self._check_there()
            raise NotInStore(name) from None
        except OSError as error:
            raise _trouble(self._folder, error) from error

    def delete(self, name: str) -> None:
        try:
            for each in (name, name + UNFINISHED):
                (self._folder / each).unlink(missing_ok=True)
        except OSError as error:
            raise _trouble(self._folder, error) from error
        self._check_there()

    def sizes(self) -> Iterator[tuple[str, int]]:
        self._check_there()
        for path in self._folder.glob("*/*/*"):
            if path.is_file():
                yield str(path.relative_to(self._folder)), path.stat().st_size

    def _check_there(self) -> None:
        """A missing folder means an unmounted disk, not missing files."""
        if not self._folder.is_dir():
            raise StoreUnavailable(f"The folder for files, {self._folder}, does not exist.")


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _trouble(folder: Path, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(f"The folder for files, {folder}: {error.strerror}.")
