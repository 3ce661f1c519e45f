"""Data of older versions: today's server opens that of 0.3.0, and queues and logins continue. Older
data is refused.

`scripts/older_data.py` made the archives, with version 0.3.0 (commit 51eee93f) and with 0.2 (commit
184081f4).
"""

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest
from tests.support.browser import Browser
from tests.support.cli_runner import Terminal
from tests.support.databases import Databases, Kind
from tests.support.event_queue import EventQueue
from tests.support.fake_oidc import MisbehavingProvider, misbehaving_provider, signed
from tests.support.people import Chat, Person
from tests.support.server import SECRET, Clock, Server

from tertulia import actions, storage
from tertulia.config.login_providers import OpenIdProvider
from tertulia.database import BlockingDatabase, schema
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import KeptSelection

ARCHIVES = Path(__file__).with_name("data")
CLIENT: dict[str, Any] = {"client_id": "chat", "client_secret": "the secret of the client"}
OF_0_3 = [
    pytest.param("0.3.0", id="0.3"),
    pytest.param("0.3.0-postgres", id="0.3-postgres", marks=pytest.mark.postgres),
]


@dataclass(frozen=True)
class OlderData:
    """A copy of an older folder or database, and what its archive says of it."""

    chat: Chat
    url: str
    facts: dict[str, Any]
    provider: MisbehavingProvider

    def person(self, name: str) -> Person:
        email, key = self.facts[name]["email"], self.facts[name]["key"]
        account = self.chat.read(storage.people.users.find_by_email, email)
        assert account is not None
        return self.chat.person_with_key(account, key)


@pytest.fixture
def older(request: pytest.FixtureRequest, databases: Databases) -> Iterator[OlderData]:
    url, folder = unpacked(databases, request.param)
    facts = json.loads((folder / "facts.json").read_text())
    clock = Clock(stopped_at=facts["made_at"] + 60)  # the upgrade took a minute
    with misbehaving_provider() as provider:
        openid = (OpenIdProvider(name="keycloak", issuer=provider.address, **CLIENT),)
        server = Server(url, folder, {"openid": openid}, clock=clock).start()
        realm = server.read(0, storage.organization.realms.first)
        assert realm is not None
        yield OlderData(Chat(server, realm, "localhost"), url, facts, provider)
        server.stop()


def unpacked(databases: Databases, name: str) -> tuple[str, Path]:
    kind: Kind = "postgres" if name.endswith("postgres") else "sqlite"
    url, folder = databases.new(kind, untouched=True)
    with tarfile.open(ARCHIVES / f"{name}.tar.xz") as archive:
        archive.extractall(folder)
    if kind == "postgres":
        load_dump(url, (folder / "dump.sql").read_text())
    return url, folder


def load_dump(url: str, dump: str) -> None:
    lines = (line for line in dump.splitlines() if not line.startswith("\\"))
    with psycopg.connect(url) as connection:
        connection.execute("\n".join(lines))


@pytest.mark.parametrize("older", OF_0_3, indirect=True)
def test_queues_of_an_older_version_continue(older: OlderData):
    ana, ben, facts = older.person("ana"), older.person("ben"), older.facts
    queue = EventQueue(ben, {name: facts[name] for name in ("queue_id", "last_event_id")})

    later = ana.says("After the upgrade", to="kitchen > lunch")
    received = queue.all()

    messages = [each["message"]["id"] for each in received if each["type"] == "message"]
    assert messages == [*facts["waiting"], later.id]
    assert [each["type"] for each in received].count("reaction") == 1
    found = ben.get(f"/messages/{facts['edited']}", apply_markdown=False).succeeds()["message"]
    assert found["content"] == "Soup's on, **tomorrow**"
    assert [each["emoji_name"] for each in found["reactions"]] == ["tada"]
    narrow = [{"operator": "search", "operand": "湯はあ"}]
    searched = ben.get("/messages", anchor="newest", num_before=5, narrow=narrow).succeeds()
    assert len(searched["messages"]) == 1
    state = ana.registers()
    assert {"kitchen", "cellar"} <= {each["name"] for each in state["subscriptions"]}

    older.chat.server.restart()
    last = ana.says("After a restart", to="kitchen > lunch")
    assert [each["message"]["id"] for each in queue.all()] == [last.id]
    older.chat.server.stop()
    checked = Terminal(older.chat.server.folder, older.url).runs("check", TERTULIA_SECRET=SECRET)
    older.chat.server.start()
    assert checked.code == 0, checked.out + checked.err


@pytest.mark.parametrize("older", OF_0_3, indirect=True)
def test_a_login_that_left_for_its_provider_before_the_upgrade_returns_after_it(older: OlderData):
    ana, login = older.person("ana"), older.facts["login"]
    claims = {"iss": older.provider.address, "aud": CLIENT["client_id"], "exp": 2**40}
    who = {"sub": "s-ana", "email": ana.email, "email_verified": True, "nonce": login["nonce"]}
    older.provider.is_openid(signed(claims | who))
    name, _, value = login["cookie"].partition("=")
    browser = Browser(older.chat, {name: value})

    back = {"state": login["state"], "code": "the code"}
    came = browser.opens(f"{login['return_path']}?{urlencode(back)}")

    assert (came.status, came.headers.get("Location")) == (303, "/")
    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == ana.id


@pytest.mark.parametrize("older", OF_0_3, indirect=True)
def test_a_message_that_an_older_version_deleted_can_be_restored(older: OlderData):
    chat, ana, ben = older.chat, older.person("ana"), older.person("ben")

    chat.write(actions.messages.restoration.restore_batch, KeptSelection())

    path = f"/messages/{older.facts['deleted']}"
    found = ana.get(path, apply_markdown=False).succeeds()["message"]
    assert found["content"] == "Never mind"
    assert [each["user_id"] for each in found["reactions"]] == [ben.id]


@pytest.mark.parametrize("name", OF_0_3)
def test_upgraded_data_has_the_schema_of_new_data(name: str, databases: Databases):
    old = BlockingDatabase.at(unpacked(databases, name)[0])
    kind: Kind = "postgres" if name.endswith("postgres") else "sqlite"
    new = BlockingDatabase.at(databases.new(kind, untouched=True)[0])

    old.migrate()
    new.migrate()

    assert described(old) == described(new)
    assert schema.whole_schema().numbers <= old.schema().applied
    assert new.schema().must_know == old.schema().must_know


def described(database: BlockingDatabase) -> dict[str, list[str]]:
    """The columns, constraints and indexes of each table. An index that a constraint creates has no
    name of ours, and SQLite shows the text of each table."""
    sqlite = (
        "SELECT m.name AS owner, c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' ' || c.pk"
        " || coalesce(c.dflt_value, '') AS part FROM sqlite_master m"
        " JOIN pragma_table_info(m.name) c WHERE m.type = 'table'",
        'SELECT m.name AS owner, f."from" || f."table" || f."to" || f.on_delete AS part'
        " FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
        'SELECT m.name AS owner, i."unique" || i.origin || group_concat(c.name) AS part'
        " FROM sqlite_master m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c"
        " WHERE m.type = 'table' GROUP BY m.name, i.name",
        "SELECT tbl_name AS owner, sql AS part FROM sqlite_master"
        " WHERE type = 'index' AND sql IS NOT NULL",
        "SELECT name AS owner, CASE WHEN sql LIKE '%WITHOUT ROWID%' THEN 'clustered' ELSE '' END"
        " || CASE WHEN sql LIKE '%AUTOINCREMENT%' THEN 'serial' ELSE '' END AS part"
        " FROM sqlite_master WHERE type = 'table'",
    )
    postgres = (
        "SELECT table_name AS owner, concat_ws(' ', column_name, data_type, is_nullable,"
        " column_default, identity_generation, collation_name) AS part"
        " FROM information_schema.columns WHERE table_schema = 'public'",
        "SELECT conrelid::regclass::text AS owner, pg_get_constraintdef(oid) AS part"
        " FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
        "SELECT tablename AS owner, indexdef AS part FROM pg_indexes WHERE schemaname = 'public'"
        " AND indexname NOT IN (SELECT conname FROM pg_constraint)",
    )

    def read(tx: Tx) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for sql in sqlite if tx.dialect.sql.row_lock == "" else postgres:
            for owner, part in tx.tuples(sql):
                found.setdefault(owner, []).append(" ".join(part.replace('"', "").split()))
        return {owner: sorted(parts) for owner, parts in found.items()}

    return database.of(0).read(read)


def test_data_before_0_3_is_refused_with_the_step_between(databases: Databases):
    url, folder = unpacked(databases, "0.2-184081f4")
    terminal = Terminal(folder, url)
    before = BlockingDatabase.at(url).schema()

    refused = [
        terminal.runs("serve", "--port", "0", TERTULIA_SECRET=SECRET),
        terminal.runs("user", "list", TERTULIA_SECRET=SECRET),
        terminal.runs("upgrade", "--check"),
        terminal.runs("check", TERTULIA_SECRET=SECRET),
        terminal.runs("backup", str(folder / "backup.tar"), TERTULIA_SECRET=SECRET),
    ]

    words = "Please start version 0.3.0 with it once, which upgrades it, and then this version."
    for each in refused:
        assert each.code == 1
        assert words in each.out + each.err
        assert "Traceback" not in each.err
    assert BlockingDatabase.at(url).schema() == before


@pytest.mark.parametrize("name", OF_0_3)
def test_upgrade_check_says_that_older_data_can_be_read_and_changes_nothing(
    name: str, databases: Databases
):
    url, folder = unpacked(databases, name)
    terminal = Terminal(folder, url)
    before = BlockingDatabase.at(url).schema()

    result = terminal.runs("upgrade", "--check")
    plan = json.loads(terminal.runs("upgrade", "--check", "--json").out)

    assert result.code == 0, result.err
    assert "The next start applies" in result.out
    assert "You cannot go back" in result.out  # 0210_topics.sql is not for older servers
    assert (plan["can_read"], plan["can_go_back"]) == (True, False)
    assert BlockingDatabase.at(url).schema() == before

    BlockingDatabase.at(url).migrate()
    after = json.loads(terminal.runs("upgrade", "--check", "--json").out)
    assert (after["migrations"], after["can_go_back"]) == ([], True)


def test_upgrade_check_refuses_newer_data(databases: Databases):
    url, folder = databases.new("sqlite")
    terminal = Terminal(folder, url).creates_organization()
    database = BlockingDatabase.at(url)
    newer = schema.latest() + 1
    database.of(0).write(lambda tx: tx.execute(f"UPDATE schema_version SET version = {newer}"))

    result = terminal.runs("upgrade", "--check")

    assert result.code == 1
    assert "This version cannot read the data" in result.out


def test_a_migration_that_older_servers_ignore_lets_one_go_back(databases: Databases):
    url, folder = databases.new("sqlite")
    terminal = Terminal(folder, url).creates_organization()
    BlockingDatabase.at(url).of(0).write(  # 0193 changes only rows
        lambda tx: tx.execute("DELETE FROM schema_change WHERE number = 193")
    )

    result = terminal.runs("upgrade", "--check")

    assert result.code == 0
    assert "applies 1 migration:" in result.out
    assert "You can go back" in result.out
    assert "may go on running beside" in result.out
