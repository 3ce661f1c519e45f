"""Rolling upgrade: an older server works beside a newer one.

The newer one is simulated by its effect on the database: a migration that adds something, and an
event that the older one does not know.
"""

import shutil
from collections.abc import Callable
from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict
from tests.support.cli_runner import Terminal
from tests.support.databases import Databases
from tests.support.people import Chat
from tests.support.server import Server

from tertulia import __version__, data_dir, storage, upgrade_plan
from tertulia.config import Config
from tertulia.database import BlockingDatabase, schema
from tertulia.database.schema import BREAKING, Migration, SchemaTooNew
from tertulia.database.tx import Tx
from tertulia.upgrade_plan import UpgradeRefused

Arrive = Callable[[], None]

ADDS = (
    "ALTER TABLE account ADD COLUMN shoe_size INTEGER NOT NULL DEFAULT 42;"
    " CREATE TABLE shoe (id {serial}, realm_id BIGINT NOT NULL, name TEXT NOT NULL);"
)
FROM_THE_FUTURE = 9_000


def migrate(database: BlockingDatabase, text: str) -> None:
    connection = database.dialect.connect()
    database.dialect.begin_write(connection)
    database.dialect.lock_schema(connection)
    missing = [Migration(FROM_THE_FUTURE, lambda: text)]
    schema.apply(connection, database.dialect, missing)
    connection.execute("COMMIT")
    connection.close()


def append_unknown_event(tx: Tx) -> None:
    storage.log.append(tx, "shoe_bought", '{"to":"all"}', '{"size":42}')


@pytest.mark.postgres
def test_an_older_server_works_beside_a_newer_one(databases: Databases):
    url, folder = databases.new("postgres", untouched=True)
    old = Server(url, folder).start()
    chat = Chat.found(old, "")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    ana.says("before", to="kitchen > upgrade")

    migrate(old.database.blocking, ADDS)
    new = Server(url, folder).start()
    new.write(chat.realm.id, append_unknown_event)
    replace(ana, server=new).says("by the newer one", to="kitchen > upgrade")
    cleo = chat.person("cleo", channels=["kitchen"])
    ana.says("by the older one", to="kitchen > upgrade")

    received = [event["message"]["content"] for event in queue.poll(-1).succeeds()["events"]]
    assert received == ["before", "by the newer one", "by the older one"]
    replace(cleo, server=new).get("/users/me").succeeds()
    old.restart()
    ana.says("after a restart", to="kitchen > upgrade")
    new.stop()
    old.stop()


@pytest.mark.postgres
def test_an_older_server_refuses_an_incompatible_schema(databases: Databases):
    url, _ = databases.new("postgres", untouched=True)
    database = BlockingDatabase.at(url)
    database.migrate()
    migrate(database, f"{BREAKING}\nALTER TABLE account ADD COLUMN shoe_size INTEGER;")

    with pytest.raises(SchemaTooNew, match=f"it needs schema {FROM_THE_FUTURE}"):
        database.migrate()
    assert database.schema().must_know == FROM_THE_FUTURE


@pytest.mark.parametrize("words", ["", BREAKING])
def test_an_upgrade_logs_its_versions_and_whether_it_is_one_way(
    databases: Databases, tmp_path, monkeypatch, words: str, kind
):
    url, folder = databases.new(kind, untouched=True)
    config = Config(data=folder, database=url)
    with capture_logs() as logged:
        data_dir.open_database(config)
    assert not upgrades(logged), "a new database is no upgrade"
    old = schema.latest()
    newer = tmp_path / "migrations"
    shutil.copytree(schema.FOLDER, newer)
    (newer / f"{FROM_THE_FUTURE}_shoes.sql").write_text(f"{words}\n{ADDS}")
    monkeypatch.setattr(schema, "FOLDER", newer)
    monkeypatch.setattr(data_dir, "__version__", "99.0.0")

    with capture_logs() as logged:
        data_dir.open_database(config)
        data_dir.open_database(config)

    assert upgrades(logged) == [
        {
            "event": "database.upgraded",
            "log_level": "warning",
            "from_version": __version__,
            "to_version": "99.0.0",
            "from_schema": old,
            "to_schema": FROM_THE_FUTURE,
            "one_way": bool(words),
        }
    ]


@pytest.fixture
def newer_version(tmp_path, monkeypatch) -> Arrive:
    """When it is called, this version gets a migration with which older servers cannot work."""

    def arrive() -> None:
        newer = tmp_path / "migrations"
        shutil.copytree(schema.FOLDER, newer)
        (newer / f"{FROM_THE_FUTURE}_shoes.sql").write_text(f"{BREAKING}\n{ADDS}")
        monkeypatch.setattr(schema, "FOLDER", newer)
        monkeypatch.setattr(upgrade_plan, "__version__", "99.0.0")
        monkeypatch.setattr(upgrade_plan, "STOPPED_SERVER_SECONDS", 0.1)

    return arrive


@pytest.mark.parametrize("command", ["audit", "org list"])
def test_a_command_makes_no_upgrade_that_cannot_be_undone(
    databases: Databases, newer_version: Arrive, command: str, kind
):
    url, folder = databases.new(kind, untouched=True)
    config = Config(data=folder, database=url)
    data_dir.open_database(config)
    terminal = Terminal(folder, url)
    newer_version()

    refused = terminal.runs(*command.split())

    assert refused.code == 1
    assert "this command does not do it" in refused.err
    assert terminal.runs("upgrade", "--check").out.strip() in refused.err
    assert FROM_THE_FUTURE not in BlockingDatabase.at(url).schema().applied
    data_dir.open_database(config)
    assert FROM_THE_FUTURE in BlockingDatabase.at(url).schema().applied


@pytest.mark.postgres
def test_a_server_makes_no_upgrade_that_cannot_be_undone_while_older_servers_run(
    databases: Databases, newer_version: Arrive
):
    url, folder = databases.new("postgres", untouched=True)
    config = Config(data=folder, database=url)
    old = Server(url, folder).start()
    newer_version()

    with pytest.raises(UpgradeRefused) as refused:
        data_dir.open_database(config)

    plan = upgrade_plan.described(upgrade_plan.examine(BlockingDatabase.at(url)))
    assert str(refused.value).splitlines()[1:] == plan
    assert plan[-1] == "Servers are running. Stop all of them before you start this version."
    assert FROM_THE_FUTURE not in BlockingDatabase.at(url).schema().applied
    old.stop()
    data_dir.open_database(config)
    assert FROM_THE_FUTURE in BlockingDatabase.at(url).schema().applied


def upgrades(logged: list[EventDict]) -> list[EventDict]:
    """Lines about upgrades: on a busy machine there are others, such as `database.waiting`."""
    return [each for each in logged if each["event"] == "database.upgraded"]
