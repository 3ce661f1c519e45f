"""The test server: the whole application on a free port, in its own thread."""

import asyncio
import itertools
import logging
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from tertulia import actions, domain, storage
from tertulia.app import Application
from tertulia.config import Config
from tertulia.database import BlockingDatabase, Database
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NOTIFICATION_BOT, BotType, NewUser, Role, User
from tertulia.server import http_server
from tertulia.server.event_loop import new_event_loop
from tertulia.testing.people import LOOK_AGAIN_SECONDS, Account

BOTS = {
    "generic": BotType.GENERIC,
    "incoming-webhook": BotType.INCOMING_WEBHOOK,
    "outgoing-webhook": BotType.OUTGOING_WEBHOOK,
}
ROLES = {role.name.lower(): role for role in Role}
START_SECONDS = 30.0


class ChatServer:
    """A running server with one organization that has no users yet."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self._ahead = 0.0
        self._names = itertools.count(1)
        usual = {"data": folder, "rate_limit": "off", "rate_limit_anonymous": "off"}
        config = Config.written(usual | settings, "the settings of the test")
        self._vault = Vault(secrets.token_bytes(32))
        blocking = BlockingDatabase.at(f"sqlite:///{folder / 'tertulia.db'}", self._clock)
        blocking.migrate()
        self._database = Database(blocking)
        self._realm = blocking.of(0).write(actions.organization.creation.create, "Test", "")
        self._application = Application(config, self._database, self._vault, self._clock)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.site = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._loop = new_event_loop()
        self._ready = threading.Event()
        about = http_server.uvicorn_config(config, self._application, self._application.connections)
        self._server = http_server.Server(about, self._application, self._ready.set)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self._ready.wait(START_SECONDS):
            raise RuntimeError("The server did not start")

    # --- users and channels ---

    def person(self, name: str, role: str = "member") -> Account:
        """Create a user."""
        return self._account(NewUser(self._email(name), name, role=ROLES[role]))

    def bot(
        self, name: str, owner: Account | None = None, kind: str = "generic", url: str = ""
    ) -> Account:
        """Create a bot; `url` is the address of an outgoing webhook."""
        owner = owner or self.person(f"Owner of {name}")
        bot = self._account(
            NewUser(
                self._email(name),
                name,
                bot_type=BOTS[kind],
                bot_owner_email=owner.email,
            )
        )
        if url:
            params = {"service_payload_url": url, "service_interface": 1}
            owner.call("PATCH", f"/bots/{bot.id}", **params)
        return bot

    def channel(self, name: str, *members: Account) -> str:
        """Subscribe accounts to a channel, which is created if it does not exist.
        Returns its name."""
        self._write(_subscribe, name, [each.id for each in members])
        return name

    # --- time ---

    def move_time(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0) -> None:
        """Advance the clock. Scheduled messages and reminders that become due on the way are sent
        one after the other, each at its time."""
        target = self._clock() + seconds + 60 * minutes + 3600 * hours
        while (due := self._next_delivery()) is not None and due <= target:
            self._ahead += max(0.0, due - self._clock())
            deadline = time.monotonic() + START_SECONDS
            while self._next_delivery() == due:
                if time.monotonic() > deadline:
                    raise RuntimeError("The server did not send what is due")
                time.sleep(LOOK_AGAIN_SECONDS)
        self._ahead += max(0.0, target - self._clock())

    def _next_delivery(self) -> float | None:
        return self._database.blocking.of(self._realm.id).read(storage.due_jobs.next_delivery)

    def _clock(self) -> float:
        return time.time() + self._ahead

    # --- internals ---

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._application.shutdown)
        self._server.should_exit = True
        self._thread.join(START_SECONDS)

    def _run(self) -> None:
        async def serve() -> None:
            async with self._application.running():
                await self._server.serve([self._listening])

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve())

    def _email(self, name: str) -> str:
        word = "".join(letter for letter in name.lower() if letter.isascii() and letter.isalnum())
        return f"{word or 'somebody'}-{next(self._names)}@example.com"

    def _account(self, new: NewUser) -> Account:
        user, key = self._write(actions.people.account_creation.add, self._vault, new)
        return Account(
            self.site, self.folder, user.id, user.full_name, user.email, key, self._is_listening
        )

    def _is_listening(self, user_id: int) -> bool:
        return bool(
            self._database.blocking.of(self._realm.id).read(storage.queues.of_user, user_id)
        )

    def _write(self, action: Any, *args: Any) -> Any:
        work = self._database.of(self._realm.id).write(action, *args)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(START_SECONDS)


@contextmanager
def started(**settings: Any) -> Iterator[ChatServer]:
    """A server in a temporary folder; the settings are those of docs/settings.md.

    Its log shows errors only, so that a failing test shows what the bot did, unless you configure
    structlog yourself.
    """
    if not structlog.is_configured():
        quiet = structlog.make_filtering_bound_logger(logging.ERROR)
        structlog.configure(wrapper_class=quiet)
    with tempfile.TemporaryDirectory(prefix="tertulia-") as folder:
        server = ChatServer(Path(folder), **settings)
        try:
            yield server
        finally:
            server.stop()


def _subscribe(tx: Tx, name: str, user_ids: list[int]) -> None:
    people: list[User] = storage.people.users.find_many(tx, user_ids)
    channel = storage.channels.table.find_by_name(tx, domain.names.visible_part(name).strip())
    if channel is None:
        founder = [*people, storage.people.users.find_system_bot(tx, NOTIFICATION_BOT)][0]
        assert founder is not None
        channel = actions.channels.creation.create_unchecked(tx, founder, NewChannel(name), "")
    actions.channels.subscriptions.join(tx, channel, people)
