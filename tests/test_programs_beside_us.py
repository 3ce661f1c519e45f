"""What docs and packaging tell other programs: they take it, where they are installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support import certificates

ROOT = Path(__file__).parents[1]
RUNNING = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
SCRATCH = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def program(name: str) -> str:
    found = shutil.which(name, path="/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin")
    if found is None:
        pytest.skip(f"there is no {name} here")
    return found


def written(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", RUNNING, re.DOTALL)


def test_haproxy_takes_what_the_docs_say(tmp_path):
    (config,) = written("haproxy")
    certificates.write(tmp_path)
    certificate = tmp_path / "chat.pem"
    parts = [tmp_path / name for name in ("server.pem", "server.key")]
    certificate.write_bytes(b"".join(each.read_bytes() for each in parts))
    file = tmp_path / "haproxy.cfg"
    file.write_text(config.replace("/etc/haproxy/chat.pem", str(certificate)))

    said = subprocess.run(
        [program("haproxy"), "-c", "-f", str(file)], capture_output=True, text=True
    )

    assert (said.returncode, "WARNING" in said.stderr) == (0, False), said.stderr


def test_nginx_takes_what_the_docs_say(tmp_path):
    location, several = written("nginx")
    upstream, lines = several.split("# and in the location\n")
    kept = "".join(f"{each}_temp_path {tmp_path / each};\n" for each in SCRATCH)
    told = location.replace("proxy_pass http://127.0.0.1:9009;", lines)
    file = tmp_path / "nginx.conf"
    file.write_text(
        f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{kept}{upstream}"
        f"server {{\nlisten 127.0.0.1:9;\n{told}\n}}\n}}\n"
    )

    said = subprocess.run(
        [program("nginx"), "-t", "-e", str(tmp_path / "log"), "-c", str(file)],
        capture_output=True,
        text=True,
    )

    assert (said.returncode, "warn" in said.stderr) == (0, False), said.stderr


def test_systemd_takes_the_unit(tmp_path):
    unit = (ROOT / "packaging" / "tertulia.service").read_text(encoding="utf-8")
    file = tmp_path / "tertulia.service"
    file.write_text(unit.replace("/opt/tertulia/.venv/bin/tertulia", "/bin/true"))

    said = subprocess.run(
        [program("systemd-analyze"), "verify", "--man=no", str(file)],
        capture_output=True,
        text=True,
    )

    assert "tertulia.service" not in said.stderr, said.stderr
