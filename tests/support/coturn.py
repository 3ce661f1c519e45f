"""coturn, with the documented configuration on this machine."""

import re
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.waiting import eventually

DOCS = Path(__file__).parents[2] / "docs/calls.md"
SECRET = "north-star-secret"
TURNSERVER = shutil.which("turnserver")


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[str]:
    """The address of a coturn that runs."""
    if TURNSERVER is None:
        pytest.skip("coturn is not installed")
    (documented,) = re.findall(r"```ini\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    lines = [
        line
        for line in documented.splitlines()
        if not line.startswith(("denied-peer-ip", "listening-port", "static-auth-secret"))
    ]
    lines += ["listening-ip=127.0.0.1", "relay-ip=127.0.0.1", "allow-loopback-peers"]
    lines += [f"listening-port={port}", f"static-auth-secret={SECRET}", "log-file=stdout"]
    lines += [f"pidfile={tmp_path / 'pid'}", f"userdb={tmp_path / 'db'}"]
    config = tmp_path / "turnserver.conf"
    config.write_text("\n".join(lines), encoding="utf-8")
    log = (tmp_path / "log").open("wb")
    process = subprocess.Popen([TURNSERVER, "-c", str(config)], stdout=log, stderr=log)
    eventually(lambda: _listens(port))
    yield f"127.0.0.1:{port}"
    process.terminate()
    process.wait()
    log.close()


def _listens(port: int) -> bool:
    """Whether it accepts a connection and answers a packet."""
    binding_request = struct.pack("!HHI12x", 1, 0, 0x2112A442)
    with socket.socket() as stream, socket.socket(type=socket.SOCK_DGRAM) as packets:
        if stream.connect_ex(("127.0.0.1", port)) != 0:
            return False
        packets.settimeout(0.2)
        packets.connect(("127.0.0.1", port))
        try:
            packets.send(binding_request)
            return bool(packets.recv(100))
        except OSError:
            return False
