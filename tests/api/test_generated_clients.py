"""Client generators understand the API description, and their clients work."""

import json
import shutil
import subprocess
import sys

import pytest

from tertulia.app import description

pytestmark = pytest.mark.soak

SCRIPT = """
import sys
import httpx
from generated import Client
from generated.api.sending import sending_send_message
from generated.api.users import users_me
from generated.models import SendingSendMessageBody, SendingSendMessageBodyType

site, host, email, key = sys.argv[1:]
client = Client(base_url=site)
known = httpx.Client(base_url=site, headers={"Host": host}, auth=(email, key))
client.set_httpx_client(known)
body = SendingSendMessageBody(
    content="Soup's on", type_=SendingSendMessageBodyType.CHANNEL, to="kitchen", topic="lunch"
)
first, again = (
    sending_send_message.sync(client=client, body=body, idempotency_key="once") for _ in range(2)
)
assert first.id == again.id
print(first.id, users_me.sync(client=client).user_id)
"""


@pytest.mark.on_one
def test_a_generated_python_client_sends_a_message(chat, in_kitchen, ana, tmp_path):
    (tmp_path / "openapi.json").write_bytes(description())
    (tmp_path / "config.yaml").write_text("post_hooks: []", encoding="utf-8")

    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    options = ["--path=openapi.json", "--config=config.yaml", "--output-path=generated"]
    said = runs([*command, *options], tmp_path)
    site = f"http://127.0.0.1:{chat.server.client.port}"
    script = [sys.executable, "-c", SCRIPT, site, chat.host, ana.email, ana.key]
    message_id, user_id = runs(script, tmp_path).split()

    assert "arning" not in said
    assert int(user_id) == ana.id
    assert ana.sees(int(message_id))["content"] == "<p>Soup's on</p>"


def test_typescript_types_are_generated(tmp_path):
    generator = shutil.which("openapi-typescript") or shutil.which(
        "openapi-typescript", path="node_modules/.bin"
    )
    if generator is None:
        pytest.skip("needs openapi-typescript (npm install -g openapi-typescript)")
    (tmp_path / "openapi.json").write_bytes(description())

    runs([generator, "openapi.json", "-o", "api.d.ts"], tmp_path)

    types = (tmp_path / "api.d.ts").read_text(encoding="utf-8")
    paths = json.loads(description())["paths"]
    assert [path for path in paths if f'"{path}": {{' not in types] == []
    assert "unknown" not in types.partition("MessageObject: {")[2].partition("};")[0]


def runs(command, folder) -> str:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
