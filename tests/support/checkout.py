"""A checkout in which the commands of the documentation are run as they are written."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tests.support.cli_runner import clean_environment
from tests.support.waiting import TIMEOUT_SECONDS

ROOT = Path(__file__).parents[2]
DEFAULT_PORT = "9009"


def write(folder: Path) -> None:
    """What `make serve` needs of a checkout, with our .venv instead of one made for an hour."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    (folder / ".venv").mkdir()
    (folder / ".venv/bin").symlink_to(Path(sys.executable).parent)
    (folder / ".venv/runtime.stamp").touch()


@contextmanager
def first_terminal(folder: Path, command: str, port: str) -> Iterator[str]:
    """Start a server by a command. Gives the address of the first-run page that it prints."""
    output = folder / "output"
    terminal = subprocess.Popen(
        ["sh", "-c", command],
        cwd=folder,
        # The tests may run under make, which passes its own ARGS on.
        env=clean_environment(TERTULIA_PORT=port, MAKEFLAGS="", ARGS=""),
        stdout=output.open("wb"),
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while "/setup/?code=" not in output.read_text():
            assert time.monotonic() < deadline, output.read_text()
            time.sleep(0.02)
        yield output.read_text().splitlines()[-1]
    finally:
        os.killpg(terminal.pid, signal.SIGTERM)
        terminal.wait(TIMEOUT_SECONDS)


def create_owner(link: str, email: str) -> None:
    """Fill in the first-run page."""
    with urllib.request.urlopen(link) as page:
        assert 'type="password"' in page.read().decode()
    form = {"organization": "Cine", "full_name": "Ana", "email": email}
    form |= {"password": "lentils, always lentils", "code": link.partition("=")[2]}
    address = urlsplit(link)
    request = urllib.request.Request(
        link.partition("?")[0],
        urlencode(form).encode(),
        {"Origin": f"{address.scheme}://{address.netloc}"},
    )
    with urllib.request.urlopen(request) as entered:
        assert urlsplit(entered.url).path in ("/", "/login/")  # urllib keeps no cookies


def second_terminal(folder: Path, commands: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-e", "-c", commands],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
