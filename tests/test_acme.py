"""A server that gets its certificate by ACME, from a stand-in for an authority over loopback."""

import http.client
import re
import ssl
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support import acme_authority
from tests.support.acme_authority import Authority
from tests.support.cli_runner import ServerCommand, Terminal
from tests.support.ports import own_port
from tests.support.waiting import eventually

STOLEN_TIME = "chat.example.com"


@pytest.fixture
def authority() -> Iterator[Authority]:
    with acme_authority.running() as authority:
        yield authority


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path / "data").creates_tables()
    yield terminal
    terminal.close()


def serves(terminal: Terminal, authority: Authority, *, http_port: int) -> ServerCommand:
    authority.http_port, authority.tls_port = http_port, own_port()
    lines = [
        f'external_url = "https://{STOLEN_TIME}"',
        f'acme_directory = "{authority.site}/directory"',
        'acme_email = "ana@example.com"',
        f"acme_http_port = {http_port}",
        f"port = {authority.tls_port}",
    ]
    terminal.data.mkdir(exist_ok=True)
    (terminal.data / "tertulia.toml").write_text("\n".join(lines))
    return terminal.serves("--port", str(authority.tls_port))


def health(authority: Authority, root: Path) -> int:
    context = ssl.create_default_context(cafile=authority.write_root(root))
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    address = f"https://127.0.0.1:{authority.tls_port}/health"
    with urllib.request.urlopen(address, context=context, timeout=10) as reply:
        return int(reply.status)


@pytest.mark.parametrize("kind", ["http-01", "tls-alpn-01"])
def test_a_certificate_is_obtained_and_served(terminal, authority, tmp_path, kind):
    authority.offered = (kind,)
    serving = serves(terminal, authority, http_port=own_port() if kind == "http-01" else 0)
    assert "https://" in serving.output.out

    eventually(lambda: "server.certificate_issued" in serving.output.err)
    eventually(lambda: "server.certificate_reloaded" in serving.output.err)

    assert health(authority, tmp_path / "root.pem") == 200
    assert authority.issued == [STOLEN_TIME]


def test_a_restart_keeps_the_certificate_and_the_http_port_redirects(terminal, authority, tmp_path):
    serving = serves(terminal, authority, http_port=own_port())
    eventually(lambda: "server.certificate_issued" in serving.output.err)
    serving.stops()

    again = serves(terminal, authority, http_port=own_port())

    assert health(authority, tmp_path / "root.pem") == 200
    assert "server.certificate_issued" not in again.output.err
    assert authority.issued == [STOLEN_TIME]
    with closing(http.client.HTTPConnection("127.0.0.1", authority.http_port, 10)) as plain:
        plain.request("GET", "/login/?next=/x")
        moved = plain.getresponse()
        assert (moved.status, moved.headers["Location"]) == (
            301,
            f"https://{STOLEN_TIME}/login/?next=/x",
        )
    with closing(http.client.HTTPConnection("127.0.0.1", authority.http_port, 10)) as plain:
        plain.request("GET", "/.well-known/acme-challenge/unknown")
        assert plain.getresponse().status == 404


def test_a_certificate_of_its_last_month_is_renewed_with_the_same_account(terminal, authority):
    authority.days = 20
    serving = serves(terminal, authority, http_port=own_port())
    eventually(lambda: "server.certificate_issued" in serving.output.err)
    serving.stops()
    authority.days = 90

    again = serves(terminal, authority, http_port=own_port())

    eventually(lambda: "server.certificate_issued" in again.output.err)
    assert authority.issued == [STOLEN_TIME, STOLEN_TIME]
    assert authority.accounts == 1


def test_a_refusal_is_logged_with_its_reason_and_the_server_continues(terminal, authority):
    authority.refuses = "too many certificates"
    serving = serves(terminal, authority, http_port=own_port())

    eventually(lambda: "server.certificate_not_issued" in serving.output.err)
    assert re.search(r"too many certificates.*retry_s=300", serving.output.err)
    assert f"authority={authority.site}/directory" in serving.output.err.replace('"', "")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    address = f"https://127.0.0.1:{authority.tls_port}/health"
    with urllib.request.urlopen(address, context=context, timeout=10) as reply:
        assert reply.status == 200


def test_the_temporary_certificate_raises_no_alarm_also_after_a_restart(terminal, authority):
    authority.refuses = "too many certificates"
    serves(terminal, authority, http_port=own_port()).stops()
    again = serves(terminal, authority, http_port=own_port())

    eventually(lambda: "server.certificate_not_issued" in again.output.err)

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    address = f"https://127.0.0.1:{authority.tls_port}/metrics"
    with urllib.request.urlopen(address, context=context, timeout=10) as reply:
        assert "tertulia_certificate_expiry_timestamp_seconds 0.0\n" in reply.read().decode()
    assert "server.certificate_expires_soon" not in again.output.err


@pytest.mark.postgres
def test_several_servers_share_the_certificate(databases, authority, tmp_path):
    url, folder = databases.new("postgres")
    with closing(Terminal(folder, url)) as terminal:
        first = serves(terminal, authority, http_port=own_port())
        eventually(lambda: "server.certificate_issued" in first.output.err)

        second = serves(terminal, authority, http_port=own_port())

        eventually(lambda: health(authority, tmp_path / "root.pem") == 200)
        assert authority.issued == [STOLEN_TIME]
        assert "server.certificate_issued" not in second.output.err


def test_acme_requires_the_address_of_the_server(terminal, authority):
    (terminal.data / "tertulia.toml").write_text(f'acme_directory = "{authority.site}/directory"')

    result = terminal.runs_process("serve", "--port", "0")

    assert result.code == 1
    assert "acme_directory needs external_url" in result.err
