"""What docs/apps.md shows works as it stands there."""

import re
import subprocess
import sys
import threading
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tertulia.testing import started

PAGE = Path(__file__).parents[2] / "docs" / "apps.md"
CODE = re.compile(r"```python\n# (\w+\.py)\n(.*?)```", re.DOTALL)
FILES = dict(CODE.findall(PAGE.read_text(encoding="utf-8")))


@pytest.mark.thorough
def test_the_bot_of_the_docs_passes_its_test(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    left_out = ["-pno:cacheprovider", "-pno:schemathesis", "-pno:anyio"]  # long to load
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *left_out, "test_deploy.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_the_webhook_of_the_docs_has_few_lines_and_answers():
    text = FILES["tide.py"]
    assert len([line for line in text.splitlines() if line.strip()]) <= 16
    code: dict[str, Any] = {"__name__": "tide"}
    exec(text, code)
    server = HTTPServer(("127.0.0.1", 0), code["Tide"])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with started(webhook_networks="127.0.0.0/8") as chat:
        ana = chat.person("Ana")
        chat.channel("kitchen", ana)
        url = f"http://127.0.0.1:{server.server_port}"
        about = {"full_name": "Tide", "short_name": "tide", "bot_type": 3, "payload_url": url}
        bot_id = ana.call("POST", "/bots", **about)["user_id"]
        ana.call("POST", "/commands", name="tide", description="When?", bot_id=bot_id)

        answer = ana.use("tide", "kitchen").wait_for_answer()

    server.shutdown()
    assert answer["rendered_content"] == "<p>High tide is at 14:20, Ana.</p>"
