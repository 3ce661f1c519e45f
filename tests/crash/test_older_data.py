"""Data of older versions: today's server opens it, and queues and logins continue.

`scripts/older_data.py` made the archives, with version 0.1 (commit d13adbb) and with 0.2 before the
modules got the names of the field (commit 184081f4).
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

from tertulia import storage
from tertulia.config.login_providers import OpenIdProvider
from tertulia.database import BlockingDatabase, schema

ARCHIVES = Path(__file__).with_name("data")
CLIENT: dict[str, Any] = {"client_id": "chat", "client_secret": "the secret of the client"}
OF_0_2 = [
    pytest.param("0.2-184081f4", id="0.2"),
    pytest.param("0.2-184081f4-postgres", id="0.2-postgres", marks=pytest.mark.postgres),
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
        account = self.chat.read(storage.people.find_by_email, email)
        assert account is not None
        return self.chat.person_with_key(account, key)


@pytest.fixture
def older(request: pytest.FixtureRequest, databases: Databases) -> Iterator[OlderData]:
    kind: Kind = "postgres" if request.param.endswith("postgres") else "sqlite"
    url, folder = databases.new(kind, untouched=True)
    with tarfile.open(ARCHIVES / f"{request.param}.tar.xz") as archive:
        archive.extractall(folder)
    facts = json.loads((folder / "facts.json").read_text())
    if kind == "postgres":
        load_dump(url, (folder / "dump.sql").read_text())
    clock = Clock(stopped_at=facts["made_at"] + 60)  # the upgrade took a minute
    with misbehaving_provider() as provider:
        openid = (OpenIdProvider(name="keycloak", issuer=provider.address, **CLIENT),)
        server = Server(url, folder, {"openid": openid}, clock=clock).start()
        realm = server.read(0, storage.organization.first)
        assert realm is not None
        yield OlderData(Chat(server, realm, "localhost"), url, facts, provider)
        server.stop()


def load_dump(url: str, dump: str) -> None:
    lines = (line for line in dump.splitlines() if not line.startswith("\\"))
    with psycopg.connect(url) as connection:
        connection.execute("\n".join(lines))


@pytest.mark.parametrize("older", [pytest.param("0.1-d13adbb", id="0.1"), *OF_0_2], indirect=True)
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


@pytest.mark.parametrize("older", OF_0_2, indirect=True)
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


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("0.1-d13adbb", "sqlite", id="0.1"),
        pytest.param("0.2-184081f4", "sqlite", id="0.2"),
        pytest.param(
            "0.2-184081f4-postgres", "postgres", id="0.2-postgres", marks=pytest.mark.postgres
        ),
    ],
)
def test_upgrade_check_says_that_older_data_can_be_read_and_changes_nothing(
    name: str, kind: Kind, databases: Databases
):
    url, folder = databases.new(kind, untouched=True)
    with tarfile.open(ARCHIVES / f"{name}.tar.xz") as archive:
        archive.extractall(folder)
    if kind == "postgres":
        load_dump(url, (folder / "dump.sql").read_text())
    terminal = Terminal(folder, url)
    before = BlockingDatabase.at(url).schema()

    result = terminal.runs("upgrade", "--check")
    plan = json.loads(terminal.runs("upgrade", "--check", "--json").out)

    assert result.code == 0, result.err
    assert "The next start applies" in result.out
    assert "You cannot go back" in result.out  # 0144_outbox.sql is not for older servers
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
    reports = 160  # server_report: a table of its own
    BlockingDatabase.at(url).of(0).write(
        lambda tx: [
            tx.execute(f"DELETE FROM schema_change WHERE number = {reports}"),
            tx.execute("DROP TABLE server_report"),
            tx.execute("DROP TABLE server_sample"),
        ],
    )

    result = terminal.runs("upgrade", "--check")

    assert result.code == 0
    assert "applies 1 migration:" in result.out
    assert "You can go back" in result.out
    assert "may go on running beside" in result.out
