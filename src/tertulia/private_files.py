"""Files that nobody but their owner may read, whatever the umask and the folder say."""

import os
import stat
from pathlib import Path

from tertulia import file_owner

MODE = 0o600


def create(path: Path) -> None:
    """An empty file, if there is none.

    One that is there is not even opened: SQLite would lose its locks on it when it is closed.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE))
    except FileExistsError:
        return
    path.chmod(MODE)
    file_owner.match_folder(path, path.parent)


def write(path: Path, data: bytes) -> None:
    """Put this into a file, in place of what was there."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, MODE), "wb") as file:
        os.fchmod(file.fileno(), MODE)
        file_owner.match_folder(file.fileno(), path.parent)
        file.truncate()
        file.write(data)


def tighten(path: Path) -> bool:
    """Take away what others may do with a file; says whether they could do anything.

    Raises OSError if that is not for us to decide.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return False
    if not mode & (stat.S_IRWXG | stat.S_IRWXO):
        return False
    path.chmod(mode & stat.S_IRWXU)
    return True
