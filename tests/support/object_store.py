"""An S3-compatible store: `rclone serve s3` on a free port, which checks signatures."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.ports import own_port
from tests.support.waiting import eventually

RCLONE = shutil.which("rclone", path=str(Path(sys.executable).parent))
KEY_ID, KEY = "tertulia", "nobody else puts files here"


def files_below(folder: Path) -> list[Path]:
    """All files of a folder, in which folders may be deleted meanwhile."""
    return [Path(path, name) for path, _, names in os.walk(folder) for name in names]


class ObjectStore:
    """A bucket that can be unavailable for a while."""

    def __init__(self, folder: Path) -> None:
        self.bucket = folder / "chat"
        self.bucket.mkdir(parents=True)
        self._log = folder.with_suffix(".log")
        self._port = own_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "s3_bucket": f"http://127.0.0.1:{self._port}/chat",
            "s3_folder": "some/where",
            "s3_key_id": KEY_ID,
            "s3_secret": KEY,
        }

    @property
    def files(self) -> list[Path]:
        return files_below(self.bucket)

    def open(self) -> "ObjectStore":
        assert RCLONE is not None
        where = ["--addr", f"127.0.0.1:{self._port}", "--auth-key", f"{KEY_ID},{KEY}"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [RCLONE, "serve", "s3", *where, str(self.bucket.parent)],
                stdout=log,
                stderr=log,
            )
        eventually(self._listens)
        return self

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _listens(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self._port)) == 0
