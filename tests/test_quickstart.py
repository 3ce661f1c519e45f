"""`tertulia quickstart`: a public server by one command, which can be repeated."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tertulia.cli import main
from tertulia.cli.quickstart_files import planned
from tertulia.config import Config

ROOT = Path(__file__).parents[1]
HOST = "chat.example.com"


NAMES: dict[str, list[str]] = {}  # addresses by name: no name is looked up on the network
resolve = socket.getaddrinfo


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[str]]]:
    def look_up(host: str, *more: Any, **options: Any) -> list[Any]:
        if host in NAMES:
            return [(0, 0, 0, "", (each, 443)) for each in NAMES[host]]
        return resolve(host, *more, **{**options, "flags": socket.AI_NUMERICHOST})

    monkeypatch.setattr("tertulia.cli.quickstart.socket.getaddrinfo", look_up)
    yield NAMES
    NAMES.clear()


def runs(root: Path, *words: str, typing: str = "") -> str:
    done = CliRunner().invoke(main, ["quickstart", HOST, "--root", str(root), *words], input=typing)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output


def test_a_dry_run_shows_every_file_and_writes_none(tmp_path):
    shown = runs(tmp_path, "--dry-run", "--proxy")

    for file in planned(HOST, tmp_path, proxy_port=9009):
        assert f"=== new: {file.path}" in shown
    assert "ExecStart=" in shown
    assert "chat.example.com has no address yet" in shown
    assert f"{HOST}.  300  IN  A" in shown or "DNS records" in shown
    assert "free." in shown
    assert shown.endswith("Nothing was changed.\n")
    assert list(tmp_path.iterdir()) == []


def test_the_script_ends_at_the_first_run_page_and_is_idempotent(tmp_path):
    first = runs(tmp_path, "--yes")
    link = first.splitlines()[-1]
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.suffix != ".db"}
    again = runs(tmp_path)

    assert link.startswith(f"https://{HOST}/setup/?code=")
    assert again.splitlines()[-1] == link
    assert again.count("=== unchanged:") == 4
    assert "Wrote" not in again
    assert {path: path.read_bytes() for path in files} == files
    config = Config.load({"data": str(tmp_path / "var/lib/tertulia")}, {})
    assert config.external_url == f"https://{HOST}"


@pytest.mark.parametrize(
    ("flags", "port"),
    [([], 443), (["--proxy"], 9009), (["--proxy", "--port", "8000"], 8000)],
)
def test_the_server_or_its_proxy_gets_the_certificate(tmp_path, flags, port):
    runs(tmp_path, "--yes", *flags)

    config = Config.load({"data": str(tmp_path / "var/lib/tertulia")}, {})
    unit = (tmp_path / "etc/systemd/system/tertulia.service").read_text()
    assert bool(config.acme_directory) == (not flags)
    assert ("AmbientCapabilities=CAP_NET_BIND_SERVICE" in unit) == (not flags)
    assert config.port == port
    assert (tmp_path / "etc/caddy/Caddyfile").exists() == bool(flags)


@pytest.mark.parametrize(
    ("uid", "program", "refusal"),
    [
        (1000, "/opt/tertulia/bin/tertulia", "Run: sudo /opt/tertulia/bin/tertulia quickstart"),
        (0, "/tmp/tertulia/bin/tertulia", "The program /tmp/tertulia/bin/tertulia is in a temp"),
        (0, "/home/ana/bin/tertulia", "The program /home/ana/bin/tertulia is in a home folder"),
    ],
)
def test_a_service_that_could_not_start_is_refused(monkeypatch, uid, program, refusal):
    monkeypatch.setattr("os.geteuid", lambda: uid)
    monkeypatch.setattr("sys.argv", [program, "quickstart", HOST])

    refused = CliRunner().invoke(main, ["quickstart", HOST])

    assert refused.exit_code == 1
    assert refusal in refused.output
    assert "=== new" not in refused.output


def test_a_python_in_a_home_folder_is_refused(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("sys.argv", ["/opt/tertulia/bin/tertulia"])
    monkeypatch.setattr("sys.executable", "/home/ana/.pyenv/bin/python3")

    refused = CliRunner().invoke(main, ["quickstart", HOST])

    assert refused.exit_code == 1
    assert "The interpreter /home/ana/.pyenv/bin/python3 is in a home folder" in refused.output


def test_the_docs_have_the_same_caddyfile():
    files = planned(HOST, Path("/"), proxy_port=9009)
    (text,) = [each.text for each in files if each.path.name == "Caddyfile"]

    assert f"```\n{text}```" in (ROOT / "docs" / "proxy-and-tls.md").read_text()


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_port_that_is_taken_is_found_on_both_protocols(tmp_path, address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as taken:
        port = str(taken.getsockname()[1])

        shown = runs(tmp_path, "--dry-run", "--proxy", "--port", port)

    assert f"CHECK: in use on {address}; fine if it is Tertulia." in shown


@pytest.mark.parametrize(
    ("own", "addresses", "advice"),
    [
        ("2a00:1::7", ["203.0.113.9", "2a00:1::7"], ""),
        ("2a00:1::7", ["203.0.113.9"], ""),
        ("2a00:1::7", ["2a00:1::8"], "change it to 2a00:1::7."),
        ("fd00::7", ["203.0.113.9", "2a00:1::8"], "delete the AAAA record."),
        ("", ["2a00:1::8"], "delete the AAAA record."),
    ],
)
def test_an_ipv6_record_of_another_machine_is_found(
    tmp_path, monkeypatch, names, own, addresses, advice
):
    names[HOST] = addresses
    own_address = {socket.AF_INET: "192.168.0.7", socket.AF_INET6: own}
    monkeypatch.setattr("tertulia.cli.quickstart._own_address", own_address.get)

    shown = runs(tmp_path, "--dry-run")

    (dns,) = [line for line in shown.splitlines() if line.startswith("DNS  ")]
    assert f"{HOST} is {', '.join(addresses)}." in dns
    assert ("CHECK: " in dns) == bool(advice)
    assert dns.endswith(advice or ".")
    assert ("  IN  AAAA  2a00:1::7" in shown) == (own == "2a00:1::7")
    assert "  IN  A  192.168.0.7" in shown


def test_the_service_may_write_to_its_data_folder_which_is_below_var_lib(tmp_path):
    runs(tmp_path, "--yes", "--data", "/var/lib/chat/")

    unit = (tmp_path / "etc/systemd/system/tertulia.service").read_text()
    assert "Environment=TERTULIA_DATA=/var/lib/chat\n" in unit
    assert "StateDirectory=chat\n" in unit
    for elsewhere in ("/srv/chat", "/var/lib", "/var/lib/../chat", "chat"):
        refused = runs(tmp_path / "other", "--yes", "--data", elsewhere)
        assert "must be a folder below /var/lib" in refused, elsewhere
    assert not (tmp_path / "other").exists()


def test_a_port_without_a_proxy_is_refused(tmp_path):
    assert "add --proxy" in runs(tmp_path, "--yes", "--port", "8000")
    assert list(tmp_path.iterdir()) == []


def test_changed_settings_are_kept_and_units_are_shown_as_a_diff(tmp_path):
    runs(tmp_path, "--yes")
    settings = tmp_path / "var/lib/tertulia/tertulia.toml"
    settings.write_text(f'external_url = "https://{HOST}"\nport = 8000\n')
    unit = tmp_path / "etc/systemd/system/tertulia.service"
    unit.write_text(unit.read_text().replace("RestartSec=1", "RestartSec=5"))

    refused = runs(tmp_path, typing="n\n")
    assert "-RestartSec=5\n+RestartSec=1" in refused
    assert "RestartSec=5" in unit.read_text()

    runs(tmp_path, typing="y\n")
    assert "RestartSec=1" in unit.read_text()
    assert "port = 8000" in settings.read_text()


def test_with_an_owner_the_script_ends_with_the_address(tmp_path):
    runs(tmp_path, "--yes")
    data = ["--data", str(tmp_path / "var/lib/tertulia")]
    CliRunner().invoke(
        main, ["user", "add", "ana@example.com", "--name", "Ana", "--role", "owner", *data]
    )

    assert runs(tmp_path).splitlines()[-1] == f"https://{HOST}"


@pytest.mark.parametrize("host", ["nonsense", "https://chat.example.com", "-.example.com"])
def test_only_a_host_name_is_accepted(tmp_path, host):
    done = CliRunner().invoke(main, ["quickstart", "--root", str(tmp_path), "--", host])

    assert done.exit_code == 2
    assert "is not a host name" in done.output


def test_the_units_are_those_of_packaging():
    files = planned(HOST, Path("/"), proxy_port=9009)
    units = [each for each in files if "systemd" in each.path.parts]

    assert len(units) == 3
    for unit in units:
        assert unit.text == (ROOT / "packaging" / unit.path.name).read_text(encoding="utf-8")


def test_systemd_accepts_the_units(tmp_path):
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not installed")
    for proxy_port in (None, 9009):
        files = planned(HOST, Path("/"), program="/bin/true", proxy_port=proxy_port)
        units = [each for each in files if "systemd" in each.path.parts]
        for unit in units:
            (tmp_path / unit.path.name).write_text(unit.text)
        check_units(verify, tmp_path)


def check_units(verify: str, folder: Path) -> None:
    done = subprocess.run(
        [verify, "verify", *map(str, folder.iterdir())], capture_output=True, text=True
    )

    assert "tertulia" not in done.stderr
