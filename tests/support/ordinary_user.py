"""An ordinary user: who we are, or `nobody` where the tests run as root."""

import os
import pwd
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.databases import memory_folder

IS_ROOT = os.geteuid() == 0
USER = "nobody"


def prefix() -> list[str]:
    """What stands before a command so that this user runs it."""
    if not IS_ROOT:
        return []
    gid = pwd.getpwnam(USER).pw_gid
    return ["setpriv", f"--reuid={USER}", f"--regid={gid}", "--clear-groups"]


@contextmanager
def home() -> Iterator[Path]:
    """A folder that this user can reach, and others cannot."""
    with tempfile.TemporaryDirectory(prefix="tertulia-home-", dir=memory_folder()) as folder:
        give(Path(folder))
        yield Path(folder)


def give(*paths: Path) -> None:
    """Make this user the owner of files."""
    if IS_ROOT:
        for path in paths:
            os.chown(
                path, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid, follow_symlinks=False
            )
