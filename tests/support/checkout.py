"""A fresh clone in which the commands of the documentation are run as they are written."""

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

import pytest
from tests.support import ordinary_user
from tests.support.cli_runner import clean_environment
from tests.support.waiting import TIMEOUT_SECONDS

ROOT = Path(__file__).parents[2]
DEFAULT_PORT = "9009"


@contextmanager
def cloned() -> Iterator[Path]:
    """A clone that belongs to an ordinary user. Its `.venv` is ours: nothing is downloaded."""
    if not (ROOT / ".git").exists() or shutil.which("make") is None:
        pytest.skip("this is no git checkout, or there is no make")
    with ordinary_user.home() as home:
        folder = home / "tertulia"
        subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
        (folder / ".venv").mkdir()
        for each in Path(sys.prefix).iterdir():
            if each.suffix != ".stamp":
                (folder / ".venv" / each.name).symlink_to(each)
        for name in ("runtime", "dev"):
            (folder / f".venv/{name}.stamp").touch()
        ordinary_user.give(folder, *folder.rglob("*"))
        yield folder


def environment(folder: Path, **more: str) -> dict[str, str]:
    """That of a user in a clone, with its code instead of ours."""
    return clean_environment(PYTHONPATH=str(folder / "src"), HOME=str(folder.parent), **more)


@contextmanager
def first_terminal(folder: Path, command: str, port: str) -> Iterator[str]:
    """Start a server by a command. Gives the address of the first-run page that it prints."""
    output = folder / "output"
    terminal = subprocess.Popen(
        [*ordinary_user.prefix(), "sh", "-c", command],
        cwd=folder,
        env=environment(folder, TERTULIA_PORT=port),
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


def second_terminal(folder: Path, commands: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ordinary_user.prefix(), "sh", "-e", "-c", commands],
        cwd=folder,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=5 * TIMEOUT_SECONDS,
    )
