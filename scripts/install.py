"""install.py REQUIREMENTS: pip install with hashes, showing progress.

At a terminal one line is redrawn for each package; elsewhere a line is printed every five seconds.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

PIP = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
HOW = ["--progress-bar", "off", "--require-hashes", "-r"]
SECONDS_BETWEEN_LINES = 5


def main(requirements: str) -> int:
    total = len(re.findall(r"^\S+==", Path(requirements).read_text(encoding="utf-8"), re.MULTILINE))
    progress = Progress(total)
    pip = subprocess.Popen(
        [*PIP, *HOW, requirements], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert pip.stdout is not None
    said = []
    for line in pip.stdout:
        said.append(line)
        word, _, rest = line.partition(" ")
        if word in ("Collecting", "Requirement"):
            name = re.split(r"[=<>\s;]", rest.removeprefix("already satisfied: "))[0]
            progress.count(name)
        elif word == "Installing":
            progress.show("unpacking")
    code = pip.wait()
    progress.end()
    if code:
        sys.stderr.writelines(said[-20:])
    return code


class Progress:
    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._is_terminal = sys.stdout.isatty()
        self._printed_at = time.monotonic()

    def count(self, name: str) -> None:
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
