"""The guide in docs/agents.md, followed as it is written."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.support import checkout
from tests.support.checkout import DEFAULT_PORT
from tests.support.grants import access_token
from tests.support.people import Chat
from tests.support.ports import own_port
from tests.support.waiting import eventually

from tertulia.config import Rate

GUIDE = (checkout.ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
INSTALL = "python3 -m venv agent && agent/bin/pip install mcp\n"


def commands() -> list[str]:
    return [textwrap.dedent(each) for each in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)]


def programs() -> list[str]:
    return [textwrap.dedent(each) for each in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)]


@pytest.mark.thorough
def test_the_commands_of_the_guide_lead_from_a_checkout_to_an_agent_that_says_hello_once():
    start, prepare, install, run = commands()
    assert install == INSTALL
    port = str(own_port())

    with checkout.cloned() as folder:
        (folder / "agent").symlink_to(Path(sys.prefix))
        (folder / "agent.py").write_text(programs()[0])
        with checkout.first_terminal(folder, start, port) as link:
            checkout.create_owner(link, "you@example.com")
            commands_with_port = prepare + (2 * run).replace(DEFAULT_PORT, port)
            result = checkout.second_terminal(folder, commands_with_port)

    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("No messages.\nSent as message 1:")
    assert result.stdout.count("\n> Hello!\n") == 1
    assert result.stdout.count("Sent as message 1:") == 2


def test_the_loop_of_the_guide_answers_each_mention_once_after_a_kill(own_chat, tmp_path):
    own_chat.set("enable_agent_access", True)
    ana = own_chat.person("ana", channels=["general"])
    bot = own_chat.person("helper", bot="generic", owner=ana, channels=["general"])
    hello, loop = programs()
    opening = hello[: hello.index("            found = ")]
    ending = hello[hello.index("asyncio.run") :]
    file = tmp_path / "agent.py"
    file.write_text(f"{opening}{textwrap.indent(loop, ' ' * 12)}\n\n{ending}")
    site = f"http://127.0.0.1:{own_chat.server.port}"
    command = [sys.executable, str(file), site, bot.key, "general", "greetings"]

    answered = 0
    for question in ("What is for lunch?", "And tomorrow?"):
        agent = subprocess.Popen(command)
        try:
            eventually(lambda: own_chat.read(_positions))  # before that, nothing is waited for
            ana.says(f"@**Helper** {question}", to="general > greetings")
            answered += 1
            _wait_for_answers(ana, answered)
        finally:
            agent.kill()
            agent.wait()

    ana.says("@**Helper** And on Friday?", to="general > greetings")
    agent = subprocess.Popen(command)
    try:
        _wait_for_answers(ana, 3)
    finally:
        agent.kill()
        agent.wait()


def _positions(tx):
    return tx.value("SELECT count(*) AS value FROM agent_position WHERE realm_id = :realm")


def _wait_for_answers(ana, count):
    newest = {"anchor": "newest", "num_before": 20, "num_after": 0}

    def answered():
        found = ana.get("/messages", **newest).succeeds()["messages"]
        return sum(each["sender_full_name"] == "Helper" for each in found) == count

    eventually(answered)


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


def test_an_agent_counts_against_the_limits_of_the_user_for_whom_it_acts(start_server):
    chat = Chat.found(start_server(rate_limit=Rate(20, 600)), "")
    chat.set("enable_agent_access", True)
    ana, ben = chat.people("ana", "ben")
    token = access_token(ana, presence=True)
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    sent = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    statuses = [ana.raw("POST", "/mcp", ping, **sent).status for _ in range(20)]

    assert set(statuses) == {200}
    assert ana.get("/users/me").status == 429
    assert ben.get("/users/me").status == 200
