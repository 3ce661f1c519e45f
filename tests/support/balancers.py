"""Load balancers, run with the configuration that the docs give for them."""

import contextlib
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.support.ports import own_port
from tests.support.waiting import eventually

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("proxy-and-tls.md", "postgresql-and-several-servers.md")
PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
SCRATCH = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def program(name: str) -> str:
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def written(kind: str) -> list[str]:
    """The blocks of the pages that are for one program."""
    text = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def haproxy_config(port: int, upstreams: Sequence[int]) -> str:
    (config,) = written("haproxy")
    config = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{port}", config)
    return _with_upstreams(config, upstreams)


def nginx_config(folder: Path, port: int, upstreams: Sequence[int]) -> str:
    location, several = written("nginx")
    upstream, lines = several.split("# and in the location\n")
    temporary = "".join(f"{each}_temp_path {folder / each};\n" for each in SCRATCH)
    location = location.replace("proxy_pass http://127.0.0.1:9009;", lines)
    return (
        f"pid {folder}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}"
        f"{_with_upstreams(upstream, upstreams)}"
        f"server {{\nlisten 127.0.0.1:{port};\n{location}\n}}\n}}\n"
    )


@contextlib.contextmanager
def running(name: str, folder: Path, upstreams: Sequence[int]) -> Iterator[int]:
    """Start haproxy or nginx in front of these ports and return its port."""
    port, file = own_port(), folder / f"{name}.cfg"
    if name == "haproxy":
        file.write_text(haproxy_config(port, upstreams))
        command = [program(name), "-db", "-f", str(file)]
    else:
        file.write_text(nginx_config(folder, port, upstreams))
        alone = "daemon off; master_process off;"
        command = [program(name), "-e", str(folder / "log"), "-c", str(file), "-g", alone]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: _accepts(port))
        yield port
    finally:
        process.kill()
        process.wait()


def _with_upstreams(config: str, upstreams: Sequence[int]) -> str:
    """The three addresses of the page, replaced by those of the test in turn."""
    for number in range(3):
        port = upstreams[number % len(upstreams)]
        config = config.replace(f"10.0.0.{number + 1}:9009", f"127.0.0.1:{port}")
    return config


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False
