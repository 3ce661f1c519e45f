"""What a large organization costs: 1,000 channels, 5,000 users, 50 subscriptions each.

Creates it by plain SQL in its own folder, calls the application in this process and prints the CPU
of each call, the first time and later, and the memory. The first call comes a second after the
start, when the server has prepared the register data.

    python bench/large_directory.py
"""

import argparse
import asyncio
import base64
import json
import random
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tertulia import actions
from tertulia.app import Application
from tertulia.config import Config
from tertulia.database import BlockingDatabase, Database
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import COLORS
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, Role

EMAIL = "ana@example.com"
SECRET = b"a secret for measuring only"
CHANNELS, PEOPLE, EACH = 1000, 5000, 50
PRIVATE_EVERY = 10  # one channel in ten is private
LOOKS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/register", {}),
    ("POST", "/register", {"include_subscribers": "true"}),
    ("GET", "/streams", {}),
    ("GET", "/streams", {"include_all": True}),
    ("GET", "/users/me/subscriptions", {}),
    ("GET", "/users/me/subscriptions", {"include_subscribers": "true"}),
]
IDLE_SECONDS = 1.0
BUDGET_MS = 60.0
BUDGET_JOIN_SECONDS = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", help="postgresql://… of an empty database")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = arguments.database or f"sqlite:///{folder}/bench.db"
        begun = time.perf_counter()
        with ProcessPoolExecutor(1) as elsewhere:  # so that our memory is that of serving alone
            key = elsewhere.submit(build, url).result()
        print(f"built in {time.perf_counter() - begun:.1f} s")
        before = memory_mib()
        config = Config(data=Path(folder), rate_limit=None)
        application = Application(config, Database(BlockingDatabase.at(url)), Vault(SECRET))
        caller = Caller(application, EMAIL, key)
        failed = asyncio.run(measure(application, caller, before))
    sys.exit(failed)


def build(url: str) -> str:
    """Create the organization and return the key of a user."""
    database = BlockingDatabase.at(url)
    database.migrate()
    realm = database.of(0).write(actions.organization.creation.create, "Large", "")
    new = NewUser(EMAIL, "Ana", Role.ADMINISTRATOR)
    ana, key = database.of(realm.id).write(actions.people.account_creation.add, Vault(SECRET), new)
    database.of(realm.id).write(fill, ana.id)
    return key


def fill(tx: Tx, ana: int) -> None:
    """Everything at once, without checks: this measures reading."""
    model = tx.one("SELECT permissions FROM channel WHERE name_key = 'general'")
    assert model is not None
    tx.execute_many(
        "INSERT INTO account (realm_id, email, email_key, full_name, role, joined_at, settings)"
        " VALUES (:realm, :email, :email, :name, :role, :now, '{}')",
        (
            {
                "realm": tx.realm_id,
                "email": f"person{number}@example.com",
                "name": f"Person {number}",
                "role": 600 if number % 50 == 0 else 400,
                "now": tx.now,
            }
            for number in range(PEOPLE - 1)
        ),
    )
    tx.execute_many(
        "INSERT INTO channel (realm_id, name, name_key, description, rendered_description,"
        " created_at, creator_id, invite_only, history_public, permissions)"
        " VALUES (:realm, :name, :name, :text, :html, :now, :creator, :private, :open, :allowed)",
        (
            {
                "realm": tx.realm_id,
                "name": f"channel {number:04}",
                "text": f"All that concerns number {number}",
                "html": f"<p>All that concerns number {number}</p>",
                "now": tx.now,
                "creator": ana,
                "private": number % PRIVATE_EVERY == 0,
                "open": True,
                "allowed": model["permissions"],
            }
            for number in range(CHANNELS)
        ),
    )
    _subscribe_all(tx)


def _subscribe_all(tx: Tx) -> None:
    dice = random.Random(1)
    people = [row["id"] for row in tx.all("SELECT id FROM account WHERE NOT is_system_bot")]
    channels = [row["id"] for row in tx.all("SELECT id FROM channel WHERE name_key LIKE 'chan%'")]
    pairs = [
        {
            "realm": tx.realm_id,
            "channel": channel,
            "user": person,
            "yes": True,
            "color": COLORS[index % len(COLORS)],
        }
        for person in people
        for index, channel in enumerate(dice.sample(channels, EACH))
    ]
    tx.execute_many(
        "INSERT INTO subscription (realm_id, channel_id, user_id, active, color)"
        " VALUES (:realm, :channel, :user, :yes, :color)",
        pairs,
    )
    tx.execute_many(
        "INSERT INTO subscription_span (realm_id, channel_id, user_id, start_seq,"
        " start_message_id) VALUES (:realm, :channel, :user, 0, 0)",
        pairs,
    )


class Caller:
    """Calls the application as a server would, without a network."""

    def __init__(self, application: Application, email: str, key: str) -> None:
        self._application = application
        token = base64.b64encode(f"{email}:{key}".encode())
        self._headers = [(b"host", b"localhost"), (b"authorization", b"Basic " + token)]

    async def call(self, method: str, path: str, **params: Any) -> bytes:
        form = urlencode({name: _encoded_params(value) for name, value in params.items()}).encode()
        in_query = method == "GET"
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": f"/api/v1{path}",
            "raw_path": f"/api/v1{path}".encode(),
            "query_string": form if in_query else b"",
            "headers": [
                *self._headers,
                (b"content-type", b"application/x-www-form-urlencoded"),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            body = b"" if in_query else form
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._application(scope, receive, send)  # type: ignore[arg-type]
        body = b"".join(message.get("body", b"") for message in sent)
        assert sent[0]["status"] == 200, body[:300]
        return body


def _encoded_params(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


async def measure(application: Application, caller: Caller, before: float) -> bool:
    begun = time.process_time()
    async with application.running():
        loaded = time.process_time()
        print(f"directory loaded in {(loaded - begun) * 1000:.0f} ms")
        await asyncio.sleep(IDLE_SECONDS)
        print(f"registers prepared in {(time.process_time() - loaded) * 1000:.0f} ms")
        failed = False
        for method, path, params in LOOKS:
            first, later, size = await timed(caller, method, path, params)
            failed |= first > BUDGET_MS
            name = f"{method} {path} {' '.join(params)}"
            print(f"{name:52} {first:7.1f} ms first {later:7.1f} ms later {size / 1000:8.0f} kB")
        failed |= await measure_join(caller)
        print(f"memory: {memory_mib() - before:.0f} MiB more than an empty process")
    return failed


async def timed(
    caller: Caller, method: str, path: str, params: dict[str, Any]
) -> tuple[float, float, int]:
    """CPU in milliseconds of the first call and of the best of the next five."""
    taken = []
    size = 0
    for _ in range(6):
        begun = time.process_time()
        size = len(await caller.call(method, path, **params))
        taken.append((time.process_time() - begun) * 1000)
    return taken[0], min(taken[1:]), size


async def measure_join(caller: Caller) -> bool:
    body = json.loads(await caller.call("GET", "/users"))
    people = [user["user_id"] for user in body["members"][:1000]]
    best, spent = 1e9, 1e9
    for number in range(3):
        wanted = [{"name": f"all hands {number}"}]
        await caller.call("POST", "/users/me/subscriptions", subscriptions=wanted)
        begun, cpu = time.perf_counter(), time.process_time()
        await caller.call(
            "POST", "/users/me/subscriptions", subscriptions=wanted, principals=people
        )
        best = min(best, time.perf_counter() - begun)
        spent = min(spent, time.process_time() - cpu)
    print(f"1,000 people added to a channel in {best:.2f} s, {spent:.2f} s of CPU")
    return best > BUDGET_JOIN_SECONDS


def memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
