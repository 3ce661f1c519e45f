"""Files that only their owner can read, regardless of the umask and the folder."""

import os
import stat
from pathlib import Path

from tertulia import file_owner

MODE = 0o600


def create(path: Path) -> None:
    """Create an empty file if there is none.

    An existing file is not even opened: closing it would release SQLite's locks on it.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE))
    except FileExistsError:
        return
    path.chmod(MODE)
    file_owner.match_folder(path, path.parent)


def write(path: Path, data: bytes) -> None:
    """Replace the content of a file."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, MODE), "wb") as file:
        os.fchmod(file.fileno(), MODE)
        file_owner.match_folder(file.fileno(), path.parent)
        file.truncate()
        file.write(data)


def tighten(path: Path) -> bool:
    """Remove the permissions of group and others. Returns whether there were any.

    Raises OSError if this process may not change them.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return False
    if not mode & (stat.S_IRWXG | stat.S_IRWXO):
        return False
    path.chmod(mode & stat.S_IRWXU)
    return True
