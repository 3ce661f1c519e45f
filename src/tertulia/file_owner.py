"""The owner of files that root writes for the server of another user.

A command run with sudo writes into the data folder of a server that another user runs. That server
cannot read a file that stays root's. So what is made in a folder gets the owner of the folder.
SQLite does the same for what it keeps beside a database.
"""

import os
from pathlib import Path


def match_folder(target: int | Path, folder: Path) -> None:
    """Give a new file, or an open one, to the owner of its folder; only root can."""
    if os.geteuid() != 0:
        return
    owner = folder.stat()
    if (owner.st_uid, owner.st_gid) != (0, 0):
        os.chown(target, owner.st_uid, owner.st_gid)


def make_folders(folder: Path, mode: int) -> None:
    """Make a folder and those above it that are missing, each with the owner of the one above."""
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
