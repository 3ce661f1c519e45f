"""Connection poolers: session mode works, anything else is refused."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.support.databases import POSTGRES, Databases
from tests.support.people import Chat
from tests.support.ports import own_port
from tests.support.server import Server
from tests.support.waiting import eventually

from tertulia import data_dir
from tertulia.config import Config
from tertulia.database.dialects.postgres_sessions import SessionsShared

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed"),
]


@contextmanager
def pooled(url: str, mode: str, *more: str) -> Iterator[str]:
    """The URL of a database behind our own pgbouncer, with further settings."""
    server, port = urlsplit(POSTGRES), own_port()
    folder = Path(tempfile.mkdtemp(prefix="tertulia-pooler-"))
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={server.hostname} port={server.port or 5432} user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = {mode}\n" + "".join(f"{line}\n" for line in more)
    )
    as_unprivileged = ["-u", "nobody"] if os.geteuid() == 0 else []  # it refuses to run as root
    folder.chmod(0o755)
    with subprocess.Popen([str(PGBOUNCER), "-q", *as_unprivileged, str(settings)]) as pooler:
        try:
            eventually(lambda: is_listening(port))
            yield f"postgresql://postgres@127.0.0.1:{port}/{urlsplit(url).path.lstrip('/')}"
        finally:
            pooler.terminate()
            shutil.rmtree(folder)


def is_listening(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


RESET_ALWAYS = "server_reset_query_always = 1"
ROUND_ROBIN = "server_round_robin = 1"


@pytest.mark.parametrize(
    "settings",
    [
        (),
        (RESET_ALWAYS,),
        (RESET_ALWAYS, ROUND_ROBIN),
        (RESET_ALWAYS, ROUND_ROBIN, "min_pool_size = 4"),
        (RESET_ALWAYS, "min_pool_size = 4"),
    ],
)
def test_shared_sessions_are_refused(databases: Databases, settings: tuple[str, ...]):
    url, folder = databases.new("postgres")

    with pooled(url, "transaction", *settings) as address, pytest.raises(SessionsShared):
        data_dir.open_database(Config(data=folder, database=address))

    databases.give_back(url)


def test_session_mode_works(databases: Databases):
    url, folder = databases.new("postgres")

    with pooled(url, "session") as address:
        data_dir.open_database(Config(data=folder, database=address))
        chat = Chat.found(Server(address, folder).start(), "")
        ana, ben = chat.people("ana", "ben", channels=["kitchen"])
        queue = ben.listens_for("message")
        soup = ana.says("Soup?", to="kitchen > lunch")
        assert queue.next()["message"]["id"] == soup.id
        chat.server.stop()

    databases.give_back(url)
