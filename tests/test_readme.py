"""The commands of the README work, and it fits on one screen."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cli_runner import clean_environment
from tests.support.ports import own_port
from tests.support.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ONE_SCREEN = 60  # lines
DEFAULT_PORT = "9009"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What `make serve` needs of a checkout, with our .venv instead of one made for an hour."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/bin").symlink_to(Path(sys.executable).parent)
    (tmp_path / ".venv/runtime.stamp").touch()
    return tmp_path


@pytest.fixture
def terminals() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Open terminals; what still runs in them at the end is stopped."""
    opened: list[subprocess.Popen[bytes]] = []
    yield opened
    for terminal in opened:
        os.killpg(terminal.pid, signal.SIGTERM)
        terminal.wait(PATIENCE_SECONDS)


def test_the_commands_of_the_readme_start_a_server_add_an_owner_and_send(checkout, terminals):
    start, add_owner, send = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    port = str(own_port())

    terminals.append(
        subprocess.Popen(
            ["sh", "-c", start],
            cwd=checkout,
            # The tests may run under make, which passes its own ARGS on.
            env=clean_environment(TERTULIA_PORT=port, MAKEFLAGS="", ARGS=""),
            stdout=(checkout / "said").open("wb"),
            start_new_session=True,
        )
    )
    wait_for(f"http://127.0.0.1:{port}", said=checkout / "said")
    answer = subprocess.run(
        ["sh", "-e", "-c", add_owner + send.replace(DEFAULT_PORT, port)],
        cwd=checkout,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )

    assert answer.returncode == 0, answer.stderr
    link, sent = answer.stdout.splitlines()
    with urllib.request.urlopen(link) as page:
        assert 'type="password"' in page.read().decode()
    assert json.loads(sent)["result"] == "success"


def wait_for(words: str, *, said: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while words not in said.read_text():
        assert time.monotonic() < deadline, said.read_text()
        time.sleep(0.02)


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= ONE_SCREEN
