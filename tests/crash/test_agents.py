"""kill -9 of server and agent at random moments while users ask and the agent answers.

Every question gets exactly one answer, and the agent never receives anything outside of its grant.
`TERTULIA_TEST_KILLS` is the number of kills of the long run, 10,000 unless it is given.
"""

import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.crash.client import Client, Unreachable
from tests.crash.conftest import NewServer
from tests.crash.people import Person, create_organization
from tests.support.databases import Databases, Kind
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import actions, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.people.agents import GrantRequest

PROGRAM = Path(__file__).with_name("agent_program.py")
LONG = int(os.environ.get("TERTULIA_TEST_KILLS", "10000"))
BACK = "http://127.0.0.1/back"


@pytest.mark.parametrize(
    "kind, kills",
    [
        pytest.param("postgres", 8, marks=pytest.mark.postgres),
        pytest.param("sqlite", LONG, marks=pytest.mark.soak),
        pytest.param("postgres", LONG, marks=[pytest.mark.soak, pytest.mark.postgres]),
    ],
)
def test_every_question_gets_one_answer_after_kills_of_server_or_agent(
    databases: Databases, new_server: NewServer, kind: Kind, kills: int, tmp_path: Path
):
    seed = os.environ.get("TERTULIA_TEST_SEED") or str(random.randrange(1_000_000))
    chance = random.Random(seed)
    url, folder = databases.ready(kind)
    people = create_organization(url, "ana ben")
    server = new_server(url, folder)
    server.start()
    ben = people["ben"].at(server.port)
    ben.joins("kitchen", "cellar")
    people["ana"].at(server.port).joins("kitchen", "cellar")
    agent = AgentProcess(
        server.port, granted(url, people["ana"], "kitchen"), tmp_path / "agent.log"
    )
    agent.start()
    eventually(agent.has_been_answered)
    asker = Asker(people["ben"].at(server.port))
    asker.start()
    try:
        for _ in range(kills):
            asker.wait_for_more(chance.randrange(1, 4))
            time.sleep(chance.uniform(0, 0.05))
            if chance.random() < 0.5:
                agent.kill()
                agent.start()
            else:
                server.kill()
                server.start(wait=False)
        server.wait_until_it_answers()
        asker.stop()
        reader = people["ben"].at(server.port)
        eventually(lambda: len(answers(reader)) >= len(asker.asked))
    finally:
        agent.kill()

    found = answers(reader)
    assert found == Counter(asker.asked), f"TERTULIA_TEST_SEED={seed}"
    assert "secret" not in agent.log_path.read_text(), f"TERTULIA_TEST_SEED={seed}"
    assert asker.secrets > 0


def granted(url: str, person: Person, channel: str) -> str:
    """An access token for one channel, which outlives the test."""
    database = BlockingDatabase.at(url)
    realm_id = 1
    edit = actions.organization.settings.edit
    database.of(realm_id).write(edit, None, {"enable_agent_access": True})
    return database.of(realm_id).write(_allow, person.id, channel)


def _allow(tx: Tx, user_id: int, name: str) -> str:
    user, channel = (
        storage.people.users.find(tx, user_id),
        storage.channels.table.find_by_name(tx, name),
    )
    assert user is not None
    assert channel is not None
    client = actions.people.agents.register(tx, "Helper", [BACK], "")
    wish = GrantRequest({channel.id: True}, False, False, None)
    verifier = "v" * 64
    challenge = actions.people.agents.challenge_of(verifier)
    code = actions.people.agents.allow(tx, user, client, wish, BACK, challenge)
    tokens = actions.people.agents.redeem(tx, client.id, code, BACK, verifier, "")
    assert tokens is not None
    tx.execute("UPDATE agent_token SET expires_at = expires_at + 1000000 WHERE realm_id = :realm")
    return tokens.access


class AgentProcess:
    def __init__(self, port: int, token: str, log_path: Path) -> None:
        self._command = [sys.executable, "-S", str(PROGRAM), str(port), token, str(log_path)]
        self.log_path = log_path
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def has_been_answered(self) -> bool:
        return self.log_path.exists() and "next_after" in self.log_path.read_text()


class Asker(threading.Thread):
    """Ben asks in the kitchen, and says secrets where the agent may not read."""

    def __init__(self, client: Client) -> None:
        super().__init__(daemon=True)
        self._client = client
        self._stopping = threading.Event()
        self.asked: list[int] = []
        self.secrets = 0

    def run(self) -> None:
        number = 0
        while not self._stopping.is_set():
            number += 1
            self.asked.append(self._insists(f"question {number}", "kitchen")["id"])
            self._insists(f"secret {number}", "cellar")
            self.secrets += 1
            time.sleep(0.02)

    def _insists(self, content: str, to: str) -> Any:
        while True:
            try:
                response = self._client.post(
                    "/messages",
                    {"Idempotency-Key": content},
                    type="channel",
                    to=to,
                    topic="news",
                    content=content,
                )
                if response.status == 200:
                    return response
            except Unreachable:
                pass
            time.sleep(0.02)

    def wait_for_more(self, count: int) -> None:
        enough, deadline = len(self.asked) + count, time.monotonic() + TIMEOUT_SECONDS
        while len(self.asked) < enough:
            assert time.monotonic() < deadline, "no question was asked"
            time.sleep(0.005)

    def stop(self) -> None:
        self._stopping.set()
        self.join(TIMEOUT_SECONDS)
        assert not self.is_alive()


def answers(reader: Client) -> Counter[int]:
    """How often each question was answered."""
    found: Counter[int] = Counter()
    anchor, is_over = "0", False
    while not is_over:
        page = reader.get(
            "/messages",
            anchor=anchor,
            num_before=0,
            num_after=1000,
            apply_markdown=False,
            narrow=[{"operator": "channel", "operand": "kitchen"}],
            include_anchor=False,
        )
        for each in page["messages"]:
            if each["content"].startswith("answer to "):
                found[int(each["content"].removeprefix("answer to "))] += 1
            anchor = str(each["id"])
        is_over = page["found_newest"]
    return found
