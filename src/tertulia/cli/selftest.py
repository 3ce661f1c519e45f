"""`tertulia selftest`: tries this installation in a temporary folder, with real processes."""

import base64
import contextlib
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import click

START_SECONDS = 60
COMMAND = [sys.executable, "-c", "from tertulia.cli import main; main(prog_name='tertulia')"]
EMAIL, TEXT = "owner@example.com", "Hello from the self-test"


@click.command()
def selftest() -> None:
    """Test this installation: start, first owner, message, restart, backup, restore.

    Everything happens in a temporary folder and on a free port of 127.0.0.1.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tertulia-selftest-") as folder:
        _run_all(Path(folder))
    click.echo(f"The self-test passed in {time.monotonic() - began:.1f} seconds.")


def _run_all(folder: Path) -> None:
    data, restored, archive = folder / "data", folder / "restored", folder / "backup.tar"
    with contextlib.ExitStack() as stack:
        with _step("start"):
            server = stack.enter_context(_server(data, folder / "first.log"))
        with _step("first owner"):
            key = server.create_owner()
        with _step("first message"):
            server.send(key)
    with _step("restart"), _server(data, folder / "second.log") as server:
        server.check_message(key)
    with _step("backup"):
        _run("backup", str(archive), "--with-secret", "--data", str(data))
    with _step("restore"):
        _run("restore", str(archive), "--data", str(restored))
        with _server(restored, folder / "third.log") as server:
            server.check_message(key)


@contextlib.contextmanager
def _step(name: str) -> Iterator[None]:
    began = time.monotonic()
    try:
        yield
    except click.ClickException:
        raise
    except Exception as error:
        raise click.ClickException(f"{name} failed: {type(error).__name__}: {error}") from error
    click.echo(f"{name:<14} ok  {time.monotonic() - began:5.1f} s")


class _Server:
    """A running server, over HTTP."""

    def __init__(self, link: str) -> None:
        self._link = urlsplit(link)
        self._password = secrets.token_urlsafe(16)

    def create_owner(self) -> str:
        """Fill in the first-run page. Returns the owner's API key."""
        code = self._link.query.removeprefix("code=")
        form = {"organization": "Self-test", "full_name": "Owner", "email": EMAIL, "code": code}
        status, _ = self._request("POST", self._link.path, form | {"password": self._password})
        _expect(status == 303, f"the first-run page answered {status}")
        login = {"username": EMAIL, "password": self._password}
        return str(self._call("POST", "/fetch_api_key", login)["api_key"])

    def send(self, key: str) -> None:
        message = {"type": "channel", "to": "general", "topic": "self-test", "content": TEXT}
        self._call("POST", "/messages", message, key)

    def check_message(self, key: str) -> None:
        query = urlencode({"anchor": "newest", "num_before": 1, "num_after": 0})
        found = self._call("GET", f"/messages?{query}", {}, key)["messages"]
        _expect(bool(found) and TEXT in found[-1]["content"], "the message is not there")

    def _call(
        self, method: str, path: str, fields: dict[str, str], key: str | None = None
    ) -> dict[str, Any]:
        status, body = self._request(method, f"/api/v1{path}", fields, key)
        _expect(status == 200, f"{method} {path} answered {status}: {body[:200]!r}")
        answer: dict[str, Any] = json.loads(body)
        return answer

    def _request(
        self, method: str, path: str, fields: dict[str, str], key: str | None = None
    ) -> tuple[int, bytes]:
        headers = {"Origin": f"{self._link.scheme}://{self._link.netloc}"}
        if method == "POST":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        if key is not None:
            login = base64.b64encode(f"{EMAIL}:{key}".encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        assert self._link.hostname is not None
        connection = HTTPConnection(self._link.hostname, self._link.port, timeout=START_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, urlencode(fields), headers)
            response = connection.getresponse()
            return response.status, response.read()


@contextlib.contextmanager
def _server(data: Path, log: Path) -> Iterator[_Server]:
    """A server process on a free port; it must stop by itself after SIGTERM."""
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  # our own program
            [*COMMAND, "serve", "--data", str(data), "--port", "0"],
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(),
        )
    try:
        yield _Server(_address(process, log))
    finally:
        process.terminate()
        process.wait(START_SECONDS)
    _expect(process.returncode == 0, f"the server ended with {process.returncode}")


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """The address that a server prints: of its first-run page, if it has no accounts."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        text = log.read_text(encoding="utf-8", errors="replace")
        _expect(process.poll() is None, f"the server did not start:\n{text}")
        if "There are no accounts" not in text and "  Data " in text:
            return str(re.findall(r"http://\S+", text)[0])
        if found := re.search(r"http://\S+/setup/\S+\n", text):
            return found[0].strip()
        time.sleep(0.05)
    raise click.ClickException(f"The server did not start within {START_SECONDS} seconds.")


def _run(*words: str) -> None:
    done = subprocess.run(  # noqa: S603  # our own program
        [*COMMAND, *words], capture_output=True, text=True, env=_environment()
    )
    _expect(done.returncode == 0, f"tertulia {words[0]}: {done.stderr}")


def _environment() -> dict[str, str]:
    """The environment without settings of a real server."""
    return {name: text for name, text in os.environ.items() if not name.startswith("TERTULIA_")}


def _expect(is_so: bool, problem: str) -> None:
    if not is_so:
        raise click.ClickException(f"The self-test failed: {problem}.")
