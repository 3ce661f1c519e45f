"""What docs and packaging tell other programs: they take it, where they are installed."""

import subprocess
from pathlib import Path

from tests.support import balancers, certificates
from tests.support.balancers import program, written
from tests.support.ports import own_port

ROOT = Path(__file__).parents[1]


def test_haproxy_accepts_the_documented_configuration(tmp_path):
    (config,) = written("haproxy")
    certificates.write(tmp_path)
    certificate = tmp_path / "chat.pem"
    parts = [tmp_path / name for name in ("server.pem", "server.key")]
    certificate.write_bytes(b"".join(each.read_bytes() for each in parts))
    file = tmp_path / "haproxy.cfg"
    file.write_text(config.replace("/etc/haproxy/chat.pem", str(certificate)))

    text = subprocess.run(
        [program("haproxy"), "-c", "-f", str(file)], capture_output=True, text=True
    )

    assert (text.returncode, "WARNING" in text.stderr) == (0, False), text.stderr


def test_nginx_accepts_the_documented_configuration(tmp_path):
    file = tmp_path / "nginx.conf"
    file.write_text(balancers.nginx_config(tmp_path, own_port(), [9009]))

    text = subprocess.run(
        [program("nginx"), "-t", "-e", str(tmp_path / "log"), "-c", str(file)],
        capture_output=True,
        text=True,
    )

    assert (text.returncode, "warn" in text.stderr) == (0, False), text.stderr


def test_systemd_accepts_the_unit(tmp_path):
    unit = (ROOT / "packaging" / "tertulia.service").read_text(encoding="utf-8")
    file = tmp_path / "tertulia.service"
    file.write_text(unit.replace("/opt/tertulia/.venv/bin/tertulia", "/bin/true"))

    text = subprocess.run(
        [program("systemd-analyze"), "verify", "--man=no", str(file)],
        capture_output=True,
        text=True,
    )

    assert "tertulia.service" not in text.stderr, text.stderr
