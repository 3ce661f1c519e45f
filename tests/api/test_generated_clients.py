"""Client generators understand the API description, and their clients work.

Each generated client makes more than twenty calls: with lists, objects, files and events.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tertulia.app import description

pytestmark = pytest.mark.soak

HERE = Path(__file__).parent
NPM_SECONDS = 120
NPM_PACKAGES = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3")
STRICT = "--strict --target es2022 --module nodenext --lib es2022,dom,dom.iterable --skipLibCheck"


@pytest.fixture
def folder(tmp_path):
    """A folder with the description."""
    (tmp_path / "openapi.json").write_bytes(description())
    return tmp_path


@pytest.mark.on_one
def test_a_generated_python_client_works(own_chat, folder):
    ana = own_chat.person("ana", role="owner")
    (folder / "config.yaml").write_text("post_hooks: []", encoding="utf-8")
    shutil.copy(HERE / "generated_client.py", folder)

    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    options = ["--path=openapi.json", "--config=config.yaml", "--output-path=generated"]
    log = runs([*command, *options], folder)
    event = runs([sys.executable, "generated_client.py", *login(own_chat, ana)], folder).split()

    assert "arning" not in log
    assert event == [
        "MessageEvent",
        "ReactionAddEvent",
        "UpdateMessageEvent",
        "UserStatusEvent",
        "UserGroupAddEvent",
    ]


@pytest.mark.on_one
def test_a_generated_typescript_client_works(own_chat, folder):
    ana = own_chat.person("ana", role="owner")
    installs(folder, *NPM_PACKAGES)
    shutil.copy(HERE / "generated_client.mts", folder)

    runs(["node_modules/.bin/openapi-typescript", "openapi.json", "-o", "api.d.ts"], folder)
    runs(["node_modules/.bin/tsc", *STRICT.split(), "generated_client.mts"], folder)
    event = runs(["node", "generated_client.mjs", *login(own_chat, ana)], folder).splitlines()

    assert event == [
        "message true",
        "reaction add tada",
        "update_message 1",
        "user_status",
        "user_group divers",
    ]
    types = (folder / "api.d.ts").read_text(encoding="utf-8")
    paths = json.loads(description())["paths"]
    assert [path for path in paths if f'"{path}": {{' not in types] == []
    assert "unknown" not in types.partition("MessageObject: {")[2].partition("};")[0]


def login(chat, person) -> list[str]:
    return [f"http://127.0.0.1:{chat.server.client.port}", person.email, person.key]


def installs(folder: Path, *packages: str) -> None:
    """Install packages from npm, or skip the test."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm")
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", *packages]
    try:
        subprocess.run(command, cwd=folder, check=True, timeout=NPM_SECONDS, capture_output=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip(f"npm cannot install {', '.join(packages)}")


def runs(command: list[str], folder: Path) -> str:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
