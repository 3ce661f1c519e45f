"""A large organization is copied, restored on the other database, and found whole."""

import os
from pathlib import Path

import pytest
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.databases import Databases, Kind
from tests.support.server import SECRET
from tests.transfer.backup.test_backup import OTHER

from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx

MESSAGES = os.environ.get("TERTULIA_TEST_MESSAGES", "1000000")
SIZE = ("--people", "1000", "--channels", "300", "--messages", MESSAGES, "--seed", "7")


@pytest.mark.soak
@pytest.mark.postgres
def test_a_million_messages_are_restored_and_checked(
    kind: Kind, databases: Databases, tmp_path: Path
):
    url, folder = databases.new(kind)
    other_url, other_folder = databases.new(OTHER[kind], untouched=True)
    file = tmp_path / "copy.tar"

    def runs(terminal: Terminal, *words: str) -> CommandResult:
        result = terminal.runs(*words, TERTULIA_SECRET=SECRET)
        assert result.code == 0, result.err
        return result

    assert Terminal(folder, url).generates(*SIZE, TERTULIA_SECRET=SECRET).code == 0
    runs(Terminal(folder, url), "backup", str(file))
    restored = Terminal(other_folder, other_url)
    runs(restored, "restore", str(file))

    assert runs(restored, "check").out.endswith("No problems found.\n")
    assert counts(other_url) == counts(url)


def counts(url: str) -> list[int]:
    tables = ("message", "reaction", "message_edit", "account", "channel", "subscription")

    def counted(tx: Tx) -> list[int]:
        return [tx.value(f"SELECT count(*) AS value FROM {each}") for each in tables]

    return BlockingDatabase.at(url).of(0).read(counted)
