"""Moving in: what another server exported is here, with its people, and every count is right."""

import json
import re
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.support.cli_runner import Terminal
from tests.support.exports import (
    mattermost_export,
    rocketchat_export,
    slack_export,
    zulip_export,
)
from tests.support.import_target import ImportTarget, enters, history
from tests.support.server import SECRET

from tertulia.cli.progress import Progress
from tertulia.transfer.importing import archive_reader, importer
from tertulia.transfer.importing.message_importer import MessageImporter


def test_a_zulip_organization_is_imported_with_its_ids(target, tmp_path):
    archive = tmp_path / "zulip-export-old.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(zulip_export(tmp_path / "export"), "zulip-export-old")

    left = tmp_path / f".tertulia-{archive.name}-of-a-command-that-was-killed"
    (left / "zulip-export-old").mkdir(parents=True)

    foreseen = target.imports(str(archive), "--dry-run")
    result = target.imports(str(archive))
    chat = target.opens()

    assert not list(tmp_path.glob(".tertulia-*"))

    assert result.code == 0, result.err
    assert "10  messages" in foreseen.out
    for line in ("4  people", "2  channels", "10  messages", "1  reactions", "1  files"):
        assert line in result.out, result.out
    assert "2  rows of zerver_realmauditlog that are not supported" in result.out
    assert chat.realm.id == 7
    ben = enters(chat, "user12@example.com")
    assert ben.id == 12
    kitchen = history(ben, ("channel", "kitchen"))
    assert [each["id"] for each in kitchen] == [1000, 1001, 1002, 1005, 1006, 1007]
    assert 'data-user-id="12">@Person 12</span>, <strong>well</strong>' in kitchen[0]["content"]
    assert [each["user_id"] for each in kitchen[1]["reactions"]] == [12]
    assert "read" not in kitchen[0]["flags"]
    assert "/user_uploads/7/ab/random/notes.txt" in kitchen[2]["content"]
    assert ben.raw("GET", "/user_uploads/7/ab/random/notes.txt").body == b"salt, pepper"
    assert [each["id"] for each in history(ben, ("is", "dm"))] == [1004, 1009]
    assert [each["id"] for each in history(ben, ("channel", "cellar"))] == [1003, 1008]
    assert [each["id"] for each in history(ben, ("search", "well"))][:1] == [1000]
    assert ben.says("Here we are", to="kitchen > lunch").id == 1010
    noted = json.loads(target.terminal.runs("audit", "--json", TERTULIA_SECRET=SECRET).out)
    assert "import" in [each["act"] for each in noted]
    assert target.terminal.runs("check", TERTULIA_SECRET=SECRET).out.endswith(
        "No problems found.\n"
    )


@pytest.mark.on_one
def test_imported_users_are_placeholders_until_they_log_in(target, tmp_path):
    target.imports(str(zulip_export(tmp_path / "export")))
    chat = target.opens()
    ana, ben = enters(chat, "user11@example.com"), enters(chat, "user12@example.com")
    target.terminal.runs(
        *("user", "password", ben.email), typing="soup and bread\n", TERTULIA_SECRET=SECRET
    )
    queue = ana.listens_for("realm_user")
    before = ana.get(f"/users/{ben.id}").succeeds()["user"]["is_imported_stub"]

    log_in = {"username": ben.email, "password": "soup and bread"}
    chat.stranger.post("/fetch_api_key", **log_in).succeeds()

    after = ana.get(f"/users/{ben.id}").succeeds()["user"]["is_imported_stub"]
    assert (before, after) == (True, False)
    assert queue.next()["person"] == {"user_id": ben.id, "is_imported_stub": False}


@pytest.mark.on_one
def test_messages_before_a_subscription_stay_hidden_after_the_import(target, tmp_path):
    """The third person came to the cellar only after everything had been said."""
    export = zulip_export(tmp_path / "export")
    realm = json.loads((export / "realm.json").read_text())
    realm["zerver_subscription"].append({"user_profile": 13, "recipient": 32, "active": True})
    (export / "realm.json").write_text(json.dumps(realm))

    target.imports(str(export))
    chat = target.opens()

    assert history(enters(chat, "user13@example.com"), ("channel", "cellar")) == []
    assert len(history(enters(chat, "user11@example.com"), ("channel", "cellar"))) == 2


def damaged_header(export: Path) -> Path:
    archive = export.with_name("export.tar")
    with tarfile.open(archive, "w") as tar:
        tar.add(export, "export")
    data = archive.read_bytes()
    archive.write_bytes(data.replace(b"export/messages-000001", b"export/messages-00000!", 1))
    return archive


def cut_at_a_block(export: Path) -> Path:
    archive = damaged_header(export)
    data = archive.read_bytes()
    archive.write_bytes(data[: data.index(b"export/messages-00000!")])
    return archive


def another_shape(export: Path) -> Path:
    (export / "realm.json").write_text('{"zerver_realm": [{}], "zerver_userprofile": 5}')
    return export


def no_json(export: Path) -> Path:
    (export / "realm.json").write_text('{"zerver_realm": [')
    return export


def very_deep(export: Path) -> Path:
    (export / "realm.json").write_text("[" * 100_000)
    return export


def huge_id(export: Path) -> Path:
    realm = json.loads((export / "realm.json").read_text())
    for each in realm["zerver_userprofile"]:
        each["id"] += 2**70
    (export / "realm.json").write_text(json.dumps(realm))
    return export


@pytest.mark.on_one
@pytest.mark.parametrize(
    "meddle, sentence",
    [
        (huge_id, "contains unexpected data, or is damaged ("),
        (damaged_header, "cannot be unpacked: ReadError."),
        (cut_at_a_block, "cannot be unpacked: ReadError."),
        (another_shape, "contains unexpected data, or is damaged (zulip.py, line"),
        (no_json, "contains unexpected data, or is damaged (zulip.py, line"),
        (very_deep, "contains unexpected data, or is damaged (zulip.py, line"),
    ],
)
def test_a_damaged_export_is_refused_in_one_line(target, tmp_path, meddle, sentence):
    export = meddle(zulip_export(tmp_path / "export"))

    refused = target.imports(str(export))

    assert refused.code == 1
    assert refused.err.startswith(f"Error: {export} {sentence}")
    assert len(refused.err.splitlines()) == 1


@pytest.mark.on_one
@pytest.mark.parametrize("suffix", ["zip", "gztar"])
def test_an_archive_larger_than_the_free_space_is_refused(target, tmp_path, monkeypatch, suffix):
    archive = shutil.make_archive(
        str(tmp_path / "export"), suffix, zulip_export(tmp_path / "unpacked")
    )
    shutil.rmtree(tmp_path / "unpacked")
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(archive_reader, "MIN_FREE_BYTES", 2 * shutil.disk_usage(tmp_path).free)

    refused = target.imports(archive)

    assert refused.code == 1
    assert refused.err.startswith(
        f"Error: There is not enough free space to unpack it in {tmp_path}, where "
    )
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.on_one
def test_an_interrupted_import_continues(target, tmp_path, monkeypatch):
    export = zulip_export(tmp_path / "export", messages=25)
    monkeypatch.setattr(importer, "MESSAGES_PER_BATCH", 10)
    write = MessageImporter.write

    def fails_later(self, tx, batch, done):
        write(self, tx, batch, done)
        assert done < 20, "the lights go out"

    monkeypatch.setattr(MessageImporter, "write", fails_later)
    with pytest.raises(AssertionError, match="the lights go out"):
        target.imports(str(export))
    monkeypatch.setattr(MessageImporter, "write", write)
    result = target.imports(str(export))

    assert "25  messages" in result.out
    assert "is off by" not in result.err  # each message is counted once
    again = target.imports(str(export))
    assert "25  messages" in again.out
    assert again.out == result.out
    chat = target.opens()
    assert len(history(enters(chat, "user11@example.com"))) == 25


def test_of_two_simultaneous_imports_the_later_one_continues(target, tmp_path, monkeypatch):
    export = slack_export(tmp_path / "export")
    monkeypatch.setattr(importer, "MESSAGES_PER_BATCH", 4)
    later = []

    def another_comes(self, done):
        if done == 4:
            later.append(target.imports(str(export)))

    monkeypatch.setattr(Progress, "show", another_comes)
    earlier = target.imports(str(export))

    assert earlier.err == "Error: Another command continues this import.\n"
    assert "10  messages" in later[0].out
    chat = target.opens()
    assert len(history(enters(chat, "U1@example.com"), ("channel", "kitchen"))) == 8


def test_a_slack_organization_is_imported_with_threads_as_topics(target, tmp_path):
    archive = tmp_path / "slack.zip"
    export = slack_export(tmp_path / "export")
    with zipfile.ZipFile(archive, "w") as zipped:
        for path in export.rglob("*.json"):
            zipped.write(path, path.relative_to(export))

    result = target.imports(str(archive), "--name", "New House")
    chat = target.opens()

    for line in ("4  people", "1  channels", "10  messages", "2  reactions"):
        assert line in result.out, result.out
    assert "1  messages about joining, leaving and the like" in result.out
    ana = enters(chat, "U1@example.com")
    kitchen = history(ana, ("channel", "kitchen"))
    assert len(kitchen) == 8
    assert kitchen[0]["subject"] == kitchen[1]["subject"]
    assert kitchen[0]["subject"].startswith("2023-11-14 This is number 0")
    assert kitchen[2]["subject"] == "imported from Slack"
    assert f'data-user-id="{ana.id}">Person U1</span>' in kitchen[0]["content"]
    assert '<strong>well</strong> said &amp; <a href="https://x.org">' in kitchen[0]["content"]
    assert len(history(ana, ("is", "dm"))) == 2


@pytest.mark.on_one
def test_a_mattermost_team_is_imported_with_replies_and_files(target, tmp_path):
    result = target.imports(str(mattermost_export(tmp_path / "export")))
    chat = target.opens()

    for line in ("2  people", "1  channels", "3  messages", "1  files", "2  reactions"):
        assert line in result.out, result.out
    assert "1  custom emoji\n" in result.out
    assert "2  pictures of people\n" in result.out
    assert "1  custom emoji that are not valid images" in result.out
    assert "1  lines of the kind scheme" in result.out
    bond = enters(chat, "007@x.org")
    question, response = history(bond, ("channel", "kitchen"))
    assert question["subject"] == response["subject"] == "2023-11-14 Who cooks, @007?"
    assert f'data-user-id="{bond.id}">007</span>' in question["content"]
    assert "notes.txt</a>" in response["content"]
    assert [each["content"] for each in history(bond, ("is", "dm"))] == ["<p>Psst</p>"]


@pytest.mark.on_one
def test_a_rocket_chat_dump_is_imported(target, tmp_path):
    result = target.imports(str(rocketchat_export(tmp_path / "export")))
    chat = target.opens()

    shown = target.terminal.runs("user", "link", "--imported", TERTULIA_SECRET=SECRET).out
    (way,) = re.findall(r"^ana@x.org\thttp://[^/]+(/\S+)$", shown, re.MULTILINE)
    assert chat.stranger.raw("GET", way).status == 200
    brought = ("2  people", "1  channels", "4  messages", "1  files", "1  custom emoji")
    for line in (*brought, "1  pictures of people\n", "2  reactions"):
        assert line in result.out, result.out
    for line in (
        "1  files that are not in the dump",
        "1  pictures of people that are not valid images",
    ):
        assert line in result.out, result.out
    ana = enters(chat, "ana@x.org")
    question, response, recipe = history(ana, ("channel", "kitchen"))
    assert question["subject"] == response["subject"] == "2023-11-14 Who, @ben?"
    assert "Ben</span>" in recipe["content"]
    (path,) = re.findall(r'href="(/user_uploads/[^"]*/notes.txt)"', recipe["content"])
    assert ana.raw("GET", path).body == b"Leeks and salt"
    assert {each["emoji_name"]: each["reaction_type"] for each in recipe["reactions"]} == {
        "soup": "realm_emoji",
        "tada": "unicode_emoji",
    }
    assert len(history(ana, ("is", "dm"))) == 1


def test_an_invalid_export_is_refused_and_creates_nothing(tmp_path):
    (tmp_path / "notes.txt").write_text("I am a shopping list.")
    terminal = Terminal(tmp_path / "data")

    refused = terminal.runs("import", str(tmp_path / "notes.txt"))

    assert refused.code == 1
    assert refused.err.endswith("Rocket.Chat, Slack, Telegram, WhatsApp or Zulip.\n")
    assert not terminal.data.exists()


@pytest.mark.on_one
def test_the_counts_of_an_import_are_printed_as_json(target, tmp_path):
    export = str(slack_export(tmp_path / "export"))

    foreseen = json.loads(target.imports(export, "--dry-run", "--json", "--quiet").out)
    result = target.imports(export, "--json", "--quiet")

    assert result.err == ""
    assert json.loads(result.out) == foreseen
    assert foreseen["source"] == "Slack"
    assert foreseen["kinds"]["messages"] == {
        "read": 11,
        "imported": 10,
        "dropped": {"about joining, leaving and the like": 1},
    }


def test_an_import_does_not_change_an_existing_organization(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()

    refused = terminal.runs("import", str(zulip_export(tmp_path / "export")))
    beside = terminal.runs("import", str(tmp_path / "export"), "--subdomain", "old")

    assert "is not an unfinished import of this export" in refused.err
    assert beside.code == 0, beside.err
    assert "10  messages" in beside.out


@pytest.mark.soak
@pytest.mark.parametrize("make", [zulip_export, slack_export])
def test_a_hundred_thousand_messages_are_imported(databases, kind, tmp_path, make):
    house = ImportTarget(databases, kind)
    export: Path = make(tmp_path / "export", people=50, messages=100_000)

    result = house.imports(str(export))

    assert "100,000  messages" in result.out
    assert "50  people" in result.out
    assert house.terminal.runs("check", TERTULIA_SECRET=SECRET).out.endswith("No problems found.\n")
