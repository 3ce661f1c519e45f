"""The guide in docs/agents.md, followed as it is written."""

import re
import subprocess
import sys
from pathlib import Path

from tests.support.people import Chat

from tertulia.config import Rate

GUIDE = Path(__file__).parents[2] / "docs" / "agents.md"


def test_the_agent_of_the_guide_reads_a_topic_and_says_hello_once(start_server, tmp_path):
    chat = Chat.found(start_server(), "")
    chat.set("enable_agent_access", True)
    ana = chat.person("ana", channels=["general"])
    bot = chat.person("helper", bot="generic", owner=ana, channels=["general"])
    ana.says("Good morning", to="general > greetings")
    (program,) = re.findall(
        r"```python\n(   import asyncio.*?)   ```", GUIDE.read_text(), re.DOTALL
    )
    file = tmp_path / "agent.py"
    file.write_text("\n".join(line[3:] for line in program.splitlines()))
    site = f"http://127.0.0.1:{chat.server.port}"

    command = [sys.executable, str(file), site, bot.key, "general", "greetings"]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(2)
    ]

    assert all("Good morning" in each for each in runs)
    found = ana.get(
        "/messages", anchor="newest", num_before=10, num_after=0, narrow=[], apply_markdown=False
    ).succeeds()
    assert [each["content"] for each in found["messages"]] == ["Good morning", "Hello!"]


def test_an_agent_has_limits_of_its_own(start_server):
    chat = Chat.found(start_server(rate_limit=Rate(1000, 60)), "")
    chat.set("enable_agent_access", True)
    bot = chat.person("helper", bot="generic", owner=chat.person("ana"))
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    sent = {"Content-Type": "application/json"}

    statuses = [bot.raw("POST", "/mcp", ping, **sent).status for _ in range(125)]
    large = chat.person("other", bot="generic", owner=chat.person("ben")).raw(
        "POST", "/mcp", b" " * (2 << 20) + ping, **sent
    )

    assert statuses[0] == 200
    assert statuses[-1] == 429
    assert large.status == 413
