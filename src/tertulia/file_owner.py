"""The owner of files that root writes for the server of another user.

A command run with sudo writes into the data folder of a server that another user runs. That server
could not read a file owned by root. So new files get the owner of their folder. SQLite does the
same for the files beside a database.
"""

import os
from pathlib import Path


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
