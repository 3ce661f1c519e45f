"""Mode and owner of the files that the server and its commands create.

Only the owner can read a private file, regardless of the umask and the folder. A command run with
sudo writes into the data folder of a server that another user runs, and that server could not read
a file owned by root. So new files get the owner of their folder. SQLite does the same for the files
beside a database.
"""

import os
import stat
from pathlib import Path

MODE = 0o600


def create_private(path: Path) -> None:
    """Create an empty file if there is none.

    An existing file is not even opened: closing it would release SQLite's locks on it.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE))
    except FileExistsError:
        return
    path.chmod(MODE)
    match_folder(path, path.parent)


def write_private(path: Path, data: bytes) -> None:
    """Replace the content of a file."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, MODE), "wb") as file:
        os.fchmod(file.fileno(), MODE)
        match_folder(file.fileno(), path.parent)
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


def match_folder(target: int | Path, folder: Path) -> None:
    """Give a new or open file the owner of its folder, if we are root."""
    if os.geteuid() != 0:
        return
    owner = folder.stat()
    if (owner.st_uid, owner.st_gid) != (0, 0):
        os.chown(target, owner.st_uid, owner.st_gid)


def make_folders(folder: Path, mode: int) -> None:
    """Create a folder and its missing parents, each with the owner of its parent."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            each.mkdir(mode=mode)
        except FileExistsError:
            continue  # another process was faster
        match_folder(each, each.parent)
