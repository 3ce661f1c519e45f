"""Scratch folders: where an export is written before it is stored.

A process that is killed leaves its folder behind. Each folder has a lock, which ends with its
process, and the next export deletes the folders whose lock is free. They are in the data folder,
because temporary folders of the system are often in memory.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tertulia import file_permissions

NAME = "exports"  # in the data folder
LOCK = "lock"


@contextmanager
def open_scratch(data: Path) -> Iterator[Path]:
    """An empty folder that is deleted at the end. Abandoned ones are deleted, too."""
    parent = data / NAME
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file_permissions.match_folder(parent, data)
    with _locked(parent):  # a folder is not abandoned before its process has locked it
        _delete_abandoned(parent)
        made = Path(tempfile.mkdtemp(dir=parent))
        (made / "new").mkdir()
        own = os.open(made / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(own, fcntl.LOCK_EX)
    try:
        yield made / "new"
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(own)


def _delete_abandoned(parent: Path) -> None:
    for folder in parent.iterdir():
        if folder.is_dir() and not _is_locked(folder / LOCK):
            shutil.rmtree(folder, ignore_errors=True)


def _is_locked(file: Path) -> bool:
    try:
        found = os.open(file, os.O_RDWR)
    except OSError:  # its process was killed before it made one
        return False
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(found)
    return False


@contextmanager
def _locked(parent: Path) -> Iterator[None]:
    own = os.open(parent / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(own, fcntl.LOCK_EX)
        yield
    finally:
        os.close(own)
