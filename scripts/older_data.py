"""Make the data folders of older versions that `tests/crash/test_older_data.py` opens.

Check out the older commit elsewhere, install it into its own environment, and run:

    python scripts/older_data.py OLD/.venv/bin/tertulia tests/crash/data/NAME.tar.xz

The older server runs with the secret of the tests. People act through its API, one event queue is
left half read, and, where that version knows single sign-on, a browser leaves for the provider and
does not return. With `--postgres URL` the same happens in that empty database, and the archive
holds a dump of it. The archive also holds `facts.json`: what the test needs to know.
"""

import argparse
import base64
import json
import os
import signal
import socket
import sqlite3
import subprocess
import tarfile
import tempfile
import threading
import time
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

SECRET = "nobody will ever guess this secret"
LEAVE = "/accounts/login/social/oidc/keycloak"
TIMEOUT_SECONDS = 60


class OlderServer:
    def __init__(self, program: str, folder: Path, database: str, issuer: str) -> None:
        self._program, self._folder = program, folder
        self._flags = ["--data", str(folder), *(["--database", database] if database else [])]
        self.port = _free_port()
        if self._knows_single_sign_on():
            (folder / "tertulia.toml").write_text(
                f'[[openid]]\nname = "keycloak"\nissuer = "{issuer}"\nclient_id = "chat"\n'
                'client_secret = "the secret of the client"\n'
            )

    def run(self, *words: str) -> str:
        command = [self._program, *words, *self._flags]
        done = subprocess.run(command, env=_environment(), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        return done.stdout

    def add(self, name: str, role: str) -> dict[str, str]:
        words = ("--name", name.title(), "--role", role, "--json")
        account = json.loads(self.run("user", "add", f"{name}@example.com", *words))
        return {"email": f"{name}@example.com", "key": account.get("api_key") or account["key"]}

    def start(self) -> None:
        command = [self._program, "serve", *self._flags, "--port", str(self.port)]
        self._process = subprocess.Popen(command, env=_environment())
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not self._answers():
            if time.monotonic() > deadline:
                raise SystemExit("the older server does not answer")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
            connection.request("GET", "/api/v1/server_settings")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(TIMEOUT_SECONDS)

    def ask(self, method: str, path: str, who: dict[str, str], **params: Any) -> dict[str, Any]:
        """Ask the API. Raises KeyError for an endpoint that this version does not have."""
        given = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in params.items()
        }
        login = base64.b64encode(f"{who['email']}:{who['key']}".encode()).decode()
        headers = {"Authorization": f"Basic {login}"}
        body, target = urlencode(given), f"/api/v1{path}"
        if method == "GET":
            body, target = "", f"{target}?{body}"
        else:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        found: dict[str, Any] = json.loads(answer.read())
        if answer.status in (404, 405):
            raise KeyError(path)
        if answer.status != 200:
            raise SystemExit(f"{method} {path}: {answer.status} {found}")
        return found

    def leave_for_the_provider(self) -> dict[str, str]:
        """What a browser knows that is at the provider now; empty without single sign-on."""
        connection = HTTPConnection("localhost", self.port, timeout=TIMEOUT_SECONDS)
        connection.request("GET", LEAVE)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 302:
            return {}
        sent = parse_qs(urlsplit(answer.headers["Location"]).query)
        return {
            "cookie": answer.headers["Set-Cookie"].partition(";")[0],
            "state": sent["state"][0],
            "nonce": sent["nonce"][0],
            "return_path": urlsplit(sent["redirect_uri"][0]).path,
        }

    def _knows_single_sign_on(self) -> bool:
        return (
            "ldap"
            in subprocess.run(
                [self._program, "--help"], check=True, capture_output=True, text=True
            ).stdout
        )


def people_act(server: OlderServer, ana: dict[str, str], ben: dict[str, str]) -> dict[str, Any]:
    """Fill the folder; gives what there is to find in it."""

    def ask(who: dict[str, str], method: str, path: str, **params: Any) -> dict[str, Any]:
        return server.ask(method, path, who, **params)

    def maybe(who: dict[str, str], method: str, path: str, **params: Any) -> None:
        try:
            ask(who, method, path, **params)
        except KeyError:
            print(f"this version has no {method} {path}")

    def send(who: dict[str, str], content: str, topic: str = "lunch") -> int:
        sent = ask(
            who, "POST", "/messages", type="channel", to="kitchen", topic=topic, content=content
        )
        return int(sent["id"])

    for who in (ana, ben):
        ask(who, "POST", "/users/me/subscriptions", subscriptions=[{"name": "kitchen"}])
    ben_id = ask(ben, "GET", "/users/me")["user_id"]
    ana_id = ask(ana, "GET", "/users/me")["user_id"]
    secret = {"subscriptions": [{"name": "cellar"}], "invite_only": True, "principals": [ana_id]}
    ask(ana, "POST", "/users/me/subscriptions", **secret)
    first = send(ana, "Soup's on, **today** :tada:\n\n```python\nprint('soup')\n```")
    send(ben, "@**Ana** coming 湯はありますか")
    ask(ben, "POST", "/messages", type="direct", to=[ana_id], content="Is it hot?")
    ask(ben, "POST", f"/messages/{first}/reactions", emoji_name="tada")
    ask(ana, "POST", "/messages/flags", messages=[first], op="add", flag="starred")
    ask(ana, "PATCH", f"/messages/{first}", content="Soup's on, **tomorrow**")
    moved = send(ana, "Who brings bread?")
    ask(ana, "PATCH", f"/messages/{moved}", topic="bread", propagate_mode="change_one")
    gone = send(ana, "Never mind")
    maybe(ana, "PATCH", "/realm", deleted_message_grace_days=3650)
    maybe(ben, "POST", f"/messages/{gone}/reactions", emoji_name="tada")
    ask(ana, "DELETE", f"/messages/{gone}")
    maybe(ana, "POST", "/user_groups/create", name="cooks", description="", members=[ben_id])
    maybe(ben, "POST", "/users/me/status", status_text="eating")
    maybe(ben, "POST", "/users/me/alert_words", alert_words=["bread"])
    maybe(
        ben,
        "POST",
        "/user_topics",
        stream_id=_channel(ask, ben),
        topic="bread",
        visibility_policy=1,
    )
    maybe(ana, "POST", "/drafts", drafts=[_draft(ana_id)])
    later = int(time.time()) + 7 * 86400
    scheduled = {
        "type": "direct",
        "to": [ben_id],
        "content": "Lunch",
        "scheduled_delivery_timestamp": later,
    }
    maybe(ana, "POST", "/scheduled_messages", **scheduled)
    maybe(
        ana, "POST", "/realm/filters", pattern="#(?P<id>[0-9]+)", url_template="https://x.test/{id}"
    )
    maybe(ana, "POST", "/bots", full_name="Robot", short_name="robot", bot_type=1)

    queue_id = ask(ben, "POST", "/register", event_types=["message", "reaction"])["queue_id"]
    send(ana, "Heard before the upgrade")
    found = ask(ben, "GET", "/events", queue_id=queue_id, last_event_id=-1)["events"]
    waiting = [send(ana, f"Waits for the upgrade, {number}") for number in range(3)]
    ask(ana, "POST", f"/messages/{waiting[0]}/reactions", emoji_name="tada")
    return {
        "ana": ana,
        "ben": ben,
        "queue_id": queue_id,
        "last_event_id": found[-1]["id"],
        "waiting": waiting,
        "edited": first,
        "deleted": gone,
        "login": server.leave_for_the_provider(),
        "made_at": time.time(),
    }


def _channel(ask: Any, who: dict[str, str]) -> int:
    return int(ask(who, "GET", "/get_stream_id", stream="kitchen")["stream_id"])


def _draft(user_id: int) -> dict[str, Any]:
    return {"type": "private", "to": [user_id], "topic": "", "content": "Not yet"}


def discovery() -> str:
    """A provider of which a browser that leaves needs only the address; gives its issuer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = f"http://{self.headers['Host']}"
            ends = ("authorization", "token")
            endpoints = {f"{each}_endpoint": f"{host}/{each}" for each in ends}
            body = json.dumps({"issuer": host, "jwks_uri": f"{host}/keys", **endpoints}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

    provider = HTTPServer(("localhost", 0), Handler)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    return f"http://localhost:{provider.server_port}"


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if "TERTULIA" not in name}
    return kept | {"TERTULIA_SECRET": SECRET}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", help="the older version's `tertulia`")
    options.add_argument("archive", type=Path)
    options.add_argument("--postgres", default="", help="an empty database to fill instead")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        server = OlderServer(given.program, folder, given.postgres, discovery())
        server.start()
        try:
            facts = people_act(server, server.add("ana", "owner"), server.add("ben", "member"))
        finally:
            server.stop()
        (folder / "facts.json").write_text(json.dumps(facts, indent=1))
        if given.postgres:
            words = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", given.postgres]
            dump = subprocess.run(words, check=True, capture_output=True).stdout
            (folder / "dump.sql").write_bytes(dump)
        else:
            with sqlite3.connect(folder / "tertulia.db") as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                database.execute("VACUUM")
        with tarfile.open(given.archive, "w:xz") as archive:
            for name in ("facts.json", "tertulia.db", "dump.sql"):
                if (folder / name).exists():
                    archive.add(folder / name, name)


if __name__ == "__main__":
    main()
