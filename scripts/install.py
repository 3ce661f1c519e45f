"""install.py REQUIREMENTS: pip install with hashes, showing progress.

Most of pip's time goes into reading the index and downloading, one package after the other. The
file pins every package with its hashes, so several pips can each fetch a share of it as wheels;
another one then unpacks them. What is installed already is not fetched again.

At a terminal one line is redrawn for each package; elsewhere a line is printed every five seconds.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from importlib import metadata
from pathlib import Path

PIP = [sys.executable, "-m", "pip"]
QUICK = ["--disable-pip-version-check", "--no-deps", "--progress-bar", "off"]
MAX_PROCESSES = 4
SECONDS_BETWEEN_LINES = 5
SHOWN_LINES = 20  # of a pip that failed


def main(requirements: str) -> int:
    wanted = [each for each in pinned(requirements) if not is_installed(each)]
    if not wanted:
        return 0
    progress = Progress(len(wanted))
    with tempfile.TemporaryDirectory(prefix="tertulia-install-") as folder:
        count = min(MAX_PROCESSES, os.cpu_count() or 1, len(wanted))
        fetching = [
            Pip(fetch(Path(folder), number, wanted[number::count]), progress)
            for number in range(count)
        ]
        failed = [each for each in fetching if each.wait()]
        if not failed:
            progress.show("unpacking")
            wheels = sorted(map(str, Path(folder, "wheels").glob("*.whl")))
            unpacking = Pip([*PIP, "install", *QUICK, "--no-index", "--no-compile", *wheels])
            failed = [unpacking] if unpacking.wait() else []
    progress.end()
    for each in failed:
        sys.stderr.writelines(each.last_lines)
    return 1 if failed else 0


def pinned(requirements: str) -> list[str]:
    """The packages of a requirements file, each with its hashes."""
    text = Path(requirements).read_text(encoding="utf-8")
    return re.findall(r"^\w\S*==.*\n(?:[ \t]+--hash.*\n)*", f"{text}\n", re.MULTILINE)


def is_installed(requirement: str) -> bool:
    name, version = re.split(r"==|[\s;\\]", requirement)[:2]
    try:
        return metadata.version(re.sub(r"\[.*", "", name)) == version
    except metadata.PackageNotFoundError:
        return False


def fetch(folder: Path, number: int, share: list[str]) -> list[str]:
    """The command that fetches some packages, and builds those that have no wheel."""
    listed = folder / f"requirements-{number}.txt"
    listed.write_text("".join(share), encoding="utf-8")
    wheels = str(folder / "wheels")
    return [*PIP, "wheel", *QUICK, "--require-hashes", "--wheel-dir", wheels, "-r", str(listed)]


class Pip:
    """A pip whose output is counted while it runs; `said` has its last lines."""

    def __init__(self, command: list[str], progress: "Progress | None" = None) -> None:
        self._progress = progress
        self.last_lines: deque[str] = deque(maxlen=SHOWN_LINES)
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait(self) -> int:
        code = self._process.wait()
        self._reader.join()
        return code

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.last_lines.append(line)
            word, _, rest = line.partition(" ")
            if self._progress and word in (
                "Collecting",
                "Processing",
            ):  # from an index, or from a folder
                self._progress.count(re.split(r"[=<>\s;]|-\d", rest)[0].rpartition("/")[2])


class Progress:
    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._is_terminal = sys.stdout.isatty()
        self._printed_at = time.monotonic()
        self._lock = threading.Lock()

    def count(self, name: str) -> None:
        with self._lock:
            self._done = min(self._done + 1, self._total)
            self.show(name)

    def show(self, what: str) -> None:
        text = f"  {self._done} of {self._total} packages: {what}"
        if self._is_terminal:
            print(f"\r\033[K{text}", end="", flush=True)
        elif time.monotonic() - self._printed_at >= SECONDS_BETWEEN_LINES or what == "unpacking":
            self._printed_at = time.monotonic()
            print(text, flush=True)

    def end(self) -> None:
        if self._is_terminal:
            print("\r\033[K", end="", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
