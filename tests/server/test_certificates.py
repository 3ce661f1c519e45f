"""A server that speaks TLS itself, and a certificate that is renewed while it runs."""

import re
import signal
import ssl
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import certificates
from tests.support.cli_runner import ServerCommand, Terminal
from tests.support.waiting import eventually


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path / "data").creates_tables()
    yield terminal
    terminal.close()


def flags(folder: Path) -> list[str]:
    return ["--tls-cert", str(folder / "server.pem"), "--tls-key", str(folder / "server.key")]


def answer(serving: ServerCommand, authority: Path) -> int:
    context = ssl.create_default_context(cafile=authority)
    address = f"https://localhost:{serving.port}/health"
    with urllib.request.urlopen(address, context=context) as reply:
        return int(reply.status)


def test_a_certificate_is_served_and_renewed(terminal, tmp_path):
    certificates.write(tmp_path)
    serving = terminal.serves(*flags(tmp_path))
    assert "listens at https://127.0.0.1" in serving.output.out
    assert answer(serving, tmp_path / "ca.pem") == 200

    certificates.write(tmp_path)
    serving.process.send_signal(signal.SIGHUP)

    eventually(lambda: "server.certificate_reloaded" in serving.output.err)
    assert answer(serving, tmp_path / "ca.pem") == 200

    (tmp_path / "server.pem").write_text("nonsense")
    serving.process.send_signal(signal.SIGHUP)

    eventually(lambda: "server.certificate_rejected" in serving.output.err)
    assert answer(serving, tmp_path / "ca.pem") == 200


def test_sighup_without_a_certificate_is_ignored(terminal):
    serving = terminal.serves()

    serving.process.send_signal(signal.SIGHUP)

    eventually(lambda: "server.sighup_ignored" in serving.output.err)
    assert serving.asks("GET", "/server_settings")[0] == 200


@pytest.mark.parametrize(
    "spoil, sentence",
    [
        ("server.key", "cannot be used with the key"),
        ("gone", "cannot be read: No such file or directory."),
        ("alone", "--tls-cert and --tls-key belong together."),
        ("expired", "expired on 20"),
        ("mismatch", "is for localhost, 127.0.0.9, not for chat.example.com"),
    ],
)
def test_an_unusable_certificate_is_reported_in_one_line(terminal, tmp_path, spoil, sentence):
    certificates.write(tmp_path, days=-0.5 if spoil == "expired" else 1)
    words = flags(tmp_path)
    if spoil == "mismatch":
        words += ["--external-url", "https://chat.example.com"]
    elif spoil == "expired":
        pass
    elif spoil == "server.key":
        (tmp_path / spoil).write_text("nonsense")
    elif spoil == "gone":
        (tmp_path / "server.pem").unlink()
    else:
        words = words[:2]

    refused = terminal.runs_process("serve", "--port", "0", *words)

    assert refused.code == 1
    assert sentence in refused.err
    assert not (terminal.data / "address").exists()
    assert len(refused.err.splitlines()) == 1


def test_the_expiry_is_in_the_metrics_and_announced_two_weeks_before(terminal, tmp_path):
    certificates.write(tmp_path, days=13)
    serving = terminal.serves(*flags(tmp_path))

    eventually(lambda: "server.certificate_expires_soon" in serving.output.err)
    context = ssl.create_default_context(cafile=tmp_path / "ca.pem")
    address = f"https://localhost:{serving.port}/metrics"
    with urllib.request.urlopen(address, context=context) as reply:
        numbers = reply.read().decode()
    found = re.search(r"^tertulia_certificate_expiry_timestamp_seconds (\S+)", numbers, re.M)
    assert found is not None
    assert 12.5 < (float(found[1]) - time.time()) / 86_400 < 13.5
