"""Details that exports spell in odd ways: names in any script, shown names of bots, titles."""

import json
import unicodedata
import zipfile
from pathlib import Path

import pytest
from tests.support.exports import (
    NOON,
    _bson,
    mattermost_export,
    rocketchat_export,
    slack_export,
    zulip_export,
)
from tests.support.import_target import enters, history

from tertulia.transfer.importing.archive_reader import UTF8_NAME

NAME = "größe-日本"


def rename_channel(export: Path, folder: str) -> None:
    (export / "kitchen").rename(export / folder)
    channels = json.loads((export / "channels.json").read_text())
    channels[0]["name"] = NAME
    (export / "channels.json").write_text(json.dumps(channels))


def zipped_without_flag(export: Path) -> Path:
    """A ZIP archive with UTF-8 names that are not marked as UTF-8, as Slack writes them."""
    archive = export.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w") as target:
        for file in sorted(export.rglob("*.json")):
            target.write(file, file.relative_to(export))
    data = bytearray(archive.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + place + 1] &= ~(UTF8_NAME >> 8)
            at = data.find(signature, at + 4)
    archive.write_bytes(data)
    return archive


@pytest.mark.on_one
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_channels_with_names_in_any_script_keep_their_messages(target, tmp_path, form):
    export = slack_export(tmp_path / "export")
    rename_channel(export, unicodedata.normalize(form, NAME))

    result = target.imports(str(zipped_without_flag(export)))
    chat = target.opens()

    assert (result.code, "Warning" in result.err) == (0, False), result.err
    assert len(history(enters(chat, "U1@example.com"), ("channel", NAME))) == 8


@pytest.mark.on_one
def test_an_unpacked_export_with_decomposed_names_keeps_its_messages(target, tmp_path):
    export = slack_export(tmp_path / "export")
    rename_channel(export, unicodedata.normalize("NFD", NAME))

    target.imports(str(export))

    assert len(history(enters(target.opens(), "U1@example.com"), ("channel", NAME))) == 8


@pytest.mark.on_one
def test_an_archive_whose_names_lead_out_of_it_is_refused(target, tmp_path):
    export, archive = slack_export(tmp_path / "export"), tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.write(export / "users.json", "../users.json")

    refused = target.imports(str(archive))

    assert refused.code == 1
    assert "contains a name that leads out of it: '../users.json'" in refused.err


def names(chat, email: str) -> dict[str, bool]:
    """The active and former accounts by name, and whether they are bots."""
    members = enters(chat, email).get("/users").succeeds()["members"]
    return {each["full_name"]: each["is_bot"] for each in members}


def senders(chat, email: str) -> dict[str, str]:
    """Who has written what in the kitchen, by text."""
    shown = history(enters(chat, email), ("channel", "kitchen"))
    return {each["content"][3:-4]: each["sender_full_name"] for each in shown}


@pytest.mark.on_one
def test_mattermosts_notices_are_left_out_and_shown_names_are_kept(target, tmp_path):
    export = mattermost_export(tmp_path / "export")
    post = {"team": "house", "channel": "kitchen", "user": "ana", "create_at": int(NOON * 1000)}
    hook = {"from_webhook": "true", "override_username": "Build"}
    rows = [
        post | {"message": "ana joined the channel.", "type": "system_join_channel"},
        post | {"message": "7 is green", "props": hook},
        post | {"message": "8 is red", "props": hook | {"override_username": "Alarm"}},
        post | {"message": "I was here", "user": "gone"},
    ]
    with (export / "import.jsonl").open("a") as lines:
        for row in rows:
            lines.write("\n" + json.dumps({"type": "post", "post": row}))

    result = target.imports(str(export))
    chat = target.opens()

    assert "1  messages about joining, leaving and the like" in result.out
    wrote = senders(chat, "007@x.org")
    assert "ana joined the channel." not in wrote
    assert (wrote["7 is green"], wrote["8 is red"]) == ("Build", "Alarm")
    assert wrote["I was here"] == "gone"
    accounts = names(chat, "007@x.org")
    assert (accounts["Build"], accounts["Alarm"], accounts["gone"]) == (True, True, False)


@pytest.mark.on_one
def test_slacks_apps_keep_the_names_they_wrote_under(target, tmp_path):
    export = slack_export(tmp_path / "export")
    post = {"type": "message", "subtype": "bot_message", "bot_id": "B1"}
    day = export / "kitchen" / "2023-11-14.json"
    rows = [
        post | {"ts": f"{NOON + 50:.6f}", "text": "7 is green", "username": "Build"},
        post | {"ts": f"{NOON + 51:.6f}", "text": "8 is red", "username": "Alarm"},
    ]
    day.write_text(json.dumps([*json.loads(day.read_text()), *rows]))

    target.imports(str(export))

    wrote = senders(target.opens(), "U1@example.com")
    assert (wrote["7 is green"], wrote["8 is red"]) == ("Build", "Alarm")


@pytest.mark.on_one
def test_rocket_chats_aliases_and_unknown_authors_are_kept(target, tmp_path):
    export = rocketchat_export(tmp_path / "export")
    row = {"rid": "r1", "ts": NOON + 20}
    author, gone = {"_id": "u1", "username": "ana"}, {"_id": "u9", "username": "gus", "name": "Gus"}
    rows = [
        row | {"_id": "n1", "msg": "7 is green", "u": author, "alias": "Build"},
        row | {"_id": "n2", "msg": "I was here", "u": gone},
    ]
    with (export / "rocketchat_message.bson").open("ab") as file:
        file.write(b"".join(map(_bson, rows)))

    target.imports(str(export))

    wrote = senders(target.opens(), "ana@x.org")
    assert (wrote["7 is green"], wrote["I was here"]) == ("Build", "Gus")


@pytest.mark.on_one
def test_messages_of_unknown_authors_in_a_zulip_export_are_kept(target, tmp_path):
    export = zulip_export(tmp_path / "export")
    page = json.loads((export / "messages-000001.json").read_text())
    page["zerver_message"][0] |= {"sender": 99, "content": "I was here"}
    (export / "messages-000001.json").write_text(json.dumps(page))

    target.imports(str(export))

    assert senders(target.opens(), "user12@example.com")["I was here"] == "User 99"


def slack_with_profiles(folder: Path) -> str:
    export = slack_export(folder)
    channels = json.loads((export / "channels.json").read_text())
    channels[0] |= {"purpose": {"value": "We cook."}, "topic": {"value": "Today: soup"}}
    (export / "channels.json").write_text(json.dumps(channels))
    users = json.loads((export / "users.json").read_text())
    about = {"title": "Cook", "phone": "+34 1", "status_text": "At sea", "status_emoji": ":ocean:"}
    users[1]["profile"] |= about
    users[2]["profile"] |= {"status_text": "Lunch", "status_expiration": 1}
    (export / "users.json").write_text(json.dumps(users))
    return "U1@example.com"


def mattermost_with_profiles(folder: Path) -> str:
    file = mattermost_export(folder) / "import.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[1]["channel"] |= {"purpose": "We cook.", "header": "Today: soup"}
    rows[3]["user"] |= {
        "position": "Cook",
        "nickname": "+34 1",
        "custom_status": {"text": "At sea", "emoji": "ocean"},
    }
    rows[2]["user"]["custom_status"] = {"text": "Lunch", "expires_at": "2031-01-01T00:00:00Z"}
    file.write_text("\n".join(map(json.dumps, rows)))
    return "007@x.org"


@pytest.mark.on_one
@pytest.mark.parametrize("make", [slack_with_profiles, mattermost_with_profiles])
def test_topics_headers_titles_phones_and_statuses_are_kept(target, tmp_path, make):
    email = make(tmp_path / "export")

    result = target.imports(str(tmp_path / "export"))
    chat = target.opens()

    ana = enters(chat, email)
    assert "1  statuses that end at a set time" in result.out
    assert "as part of the description" in result.out
    (channel,) = ana.get("/streams").succeeds()["streams"]
    assert channel["description"] == "We cook.\nToday: soup"
    data = ana.get(f"/users/{ana.id}", include_custom_profile_fields=True).succeeds()["user"]
    assert [each["value"] for each in data["profile_data"].values()] == ["Cook", "+34 1"]
    status = ana.get(f"/users/{ana.id}/status").succeeds()["status"]
    assert (status["status_text"], status["emoji_code"]) == ("At sea", "1f30a")


@pytest.mark.on_one
def test_rocket_chats_topics_profiles_and_statuses_are_kept(target, tmp_path):
    export = rocketchat_export(tmp_path / "export")
    room = {"_id": "r5", "t": "c", "name": "cellar", "description": "We age.", "topic": "Wine"}
    user = {"_id": "u5", "username": "eva", "bio": "Cook", "statusText": "At sea"}
    about = {"emails": [{"address": "eva@x.org"}], "customFields": {"Room": "12"}}
    for name, row in (("rocketchat_room", room), ("users", user | about)):
        with (export / f"{name}.bson").open("ab") as file:
            file.write(_bson(row))

    result = target.imports(str(export))
    eva = enters(target.opens(), "eva@x.org")

    assert "1  topics and announcements, as part of the description" in result.out
    channels = eva.get("/streams").succeeds()["streams"]
    assert "We age.\nWine" in [each["description"] for each in channels]
    data = eva.get(f"/users/{eva.id}", include_custom_profile_fields=True).succeeds()["user"]
    assert [each["value"] for each in data["profile_data"].values()] == ["Cook", "12"]
    status = eva.get(f"/users/{eva.id}/status").succeeds()["status"]
    assert status["status_text"] == "At sea"
