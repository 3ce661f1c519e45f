"""Beyond one PostgreSQL: organizations in two databases, and a map by host name."""

import base64
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from tests.crash.client import Answer, Unreachable, request
from tests.crash.conftest import NewServer
from tests.crash.server import SECRET
from tests.support.databases import Databases
from tests.support.ports import own_port
from tests.support.waiting import eventually

from tertulia import actions
from tertulia.database import BlockingDatabase
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, Role

pytestmark = pytest.mark.postgres

HAPROXY = shutil.which("haproxy")
SIZING = Path(__file__).parents[2] / "docs" / "sizing.md"
FIRST, SECOND = ("roses", "tulips"), ("chess", "go")


def found(url: str, subdomains: tuple[str, ...]) -> dict[str, str]:
    """Create organizations in a database and return the key of each owner."""
    database, vault = BlockingDatabase.at(url), Vault(SECRET.encode())
    keys = {}
    for name in subdomains:
        realm = database.of(0).write(actions.organization.creation.create, name.title(), name)
        new = NewUser("ana@example.com", f"Ana of {name}", Role.OWNER)
        _, keys[name] = database.of(realm.id).write(actions.people.account_creation.add, vault, new)
    return keys


def rule_in_the_docs() -> str:
    rule = re.search(r"```haproxy\n(use_backend .*)\n```", SIZING.read_text())
    assert rule is not None
    return rule.group(1)


@pytest.mark.skipif(HAPROXY is None, reason="haproxy is not installed")
def test_a_host_map_routes_each_request_to_its_database(
    databases: Databases, new_server: NewServer, tmp_path: Path
):
    keys: dict[str, str] = {}
    backends = []
    for name, subdomains in (("first", FIRST), ("second", SECOND)):
        url, folder = databases.ready("postgres")
        keys |= found(url, subdomains)
        server = new_server(url, folder)
        server.start(wait=False)
        backends.append(f"backend {name}\n  server s 127.0.0.1:{server.port}")
    hosts = tmp_path / "organizations.map"
    hosts.write_text("".join(f"{name}.chat.example second\n" for name in SECOND))
    rule = re.sub(r"/[^,]*organizations\.map", str(hosts), rule_in_the_docs())
    port = own_port()
    settings = tmp_path / "haproxy.cfg"
    settings.write_text(
        "defaults\n  mode http\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n"
        f"frontend chat\n  bind 127.0.0.1:{port}\n  {rule}\n" + "\n".join(backends) + "\n"
    )

    def asks(host: str, key: str) -> Answer:
        login = base64.b64encode(f"ana@example.com:{key}".encode()).decode()
        headers = {"Host": f"{host}.chat.example", "Authorization": f"Basic {login}"}
        return request(port, "GET", "/api/v1/users/me", headers)

    def is_let_in(host: str) -> bool:
        try:
            return asks(host, keys[host]).status == 200
        except Unreachable:
            return False

    balancer = subprocess.Popen([str(HAPROXY), "-f", str(settings), "-db"])
    try:
        for host in keys:
            eventually(partial(is_let_in, host))
        names = {host: asks(host, key)["full_name"] for host, key in keys.items()}
        astray = {asks(host, keys["go"]).status for host in FIRST}
    finally:
        balancer.terminate()
        balancer.wait()

    assert names == {host: f"Ana of {host}" for host in keys}
    assert astray == {401}
