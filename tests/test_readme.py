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
from urllib.parse import urlencode, urlsplit

import pytest
from tests.support.cli_runner import clean_environment
from tests.support.ports import own_port
from tests.support.waiting import TIMEOUT_SECONDS

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
        terminal.wait(TIMEOUT_SECONDS)


def test_the_readme_leads_to_an_owner_in_the_browser_and_a_message_by_the_api(checkout, terminals):
    start, send = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
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
    wait_for("/setup/?code=", said=checkout / "said")
    link = (checkout / "said").read_text().splitlines()[-1]
    with urllib.request.urlopen(link) as page:
        assert 'type="password"' in page.read().decode()
    form = {"organization": "Cine", "full_name": "Ana", "email": "ana@example.com"}
    form |= {"password": "lentils, always lentils", "code": link.partition("=")[2]}
    page_of_form = urllib.request.Request(
        link.partition("?")[0],
        urlencode(form).encode(),
        {"Origin": f"http://127.0.0.1:{port}"},
    )
    with urllib.request.urlopen(page_of_form) as entered:
        assert urlsplit(entered.url).path in ("/", "/login/")  # urllib keeps no cookies
    response = subprocess.run(
        ["sh", "-e", "-c", send.replace(DEFAULT_PORT, port)],
        cwd=checkout,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )

    assert response.returncode == 0, response.stderr
    assert json.loads(response.stdout)["result"] == "success"


def wait_for(words: str, *, said: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while words not in said.read_text():
        assert time.monotonic() < deadline, said.read_text()
        time.sleep(0.02)


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= ONE_SCREEN
