"""What an import has read is what it has brought and what it has dropped, for every kind."""

import json
import re
from pathlib import Path
from typing import Any

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

from tertulia.domain.limits import MAX_MESSAGE_LENGTH
from tertulia.transfer.importing.sources import mattermost, rocketchat, slack, zulip

TOKEN = "xoxe-1234567890-abcdef"


def sums(shown: str) -> dict[str, tuple[int, int, int]]:
    """Read, dropped and brought, by kind, as they are printed."""
    rows = re.findall(r"^ +([0-9,]+) +([0-9,]+) +([0-9,]+)  (.+)$", shown, re.MULTILINE)
    return {
        kind: tuple(int(each.replace(",", "")) for each in numbers)  # type: ignore[misc]
        for *numbers, kind in rows
    }


def reasons(shown: str) -> dict[str, int]:
    """How many were dropped, by kind and reason."""
    below = shown.partition("Not imported:\n")[2].partition("Imported in another form:\n")[0]
    return {
        what: int(number.replace(",", ""))
        for number, what in re.findall(r"^ +([0-9,]+)  (.+)$", below, re.MULTILINE)
    }


def add_rows(file: Path, *rows: dict[str, Any]) -> None:
    file.write_text(json.dumps([*json.loads(file.read_text()), *rows]))


def message(number: int, text: str, **more) -> dict[str, Any]:
    row = {"type": "message", "user": "U0", "ts": f"{NOON + 100 + number:.6f}", "text": text}
    return {name: value for name, value in (row | more).items() if value is not None}


def lossy_slack_export(folder: Path) -> Path:
    """An export with something of every kind that cannot come along, or not as it was."""
    slack_export(folder)
    link = f"https://files.slack.com/files-pri/T1-F1/soup.png?t={TOKEN}"
    add_rows(
        folder / "kitchen" / "2023-11-14.json",
        message(0, "long " * 5_000, reactions=[{"name": "cat", "users": ["U1"], "count": 1}]),
        message(1, f"see <{link}|soup>", files=[{"name": "soup.png", "url_private": link}]),
        message(2, "gone", files=[{"mode": "tombstone"}]),
        message(3, "", user=None, bot_id="B1", username="CI", attachments=[{"text": "Build 7"}]),
        message(4, "from elsewhere", user="UX", user_profile={"real_name": "Xenia"}),
        message(5, "of nobody", user=None),
        message(6, "no time", ts=None, reactions=[{"name": "tada", "users": ["U1"], "count": 1}]),
        message(7, ":white_check_mark: :glitch_crab: <@UGONE|gus> <#CGONE|attic>"),
        message(
            8,
            "liked",
            reactions=[
                {"name": "heavy_check_mark", "users": ["U1", "U1"], "count": 2},
                {"name": "glitch_crab", "users": ["U1"], "count": 1},
                {"name": "wave::skin-tone-3", "users": ["U2", "UGONE"], "count": 60},
            ],
        ),
        message(9, "&gt; Soup?\nYes", thread_ts=f"{NOON + 109:.6f}"),
    )
    add_rows(folder / "users.json", {"id": "U9", "profile": {"email": "U0@example.com"}})
    channels = json.loads((folder / "channels.json").read_text())
    channels[0] |= {"pins": [{"id": "1"}], "members": ["U0", "U1", "U1", "UGONE"]}
    (folder / "channels.json").write_text(json.dumps(channels))
    (folder / "integration_logs.json").write_text(json.dumps([{}, {}]))
    (folder / "FC:canvas").mkdir()
    (folder / "FC:canvas" / "2023-11-14.json").write_text(json.dumps([message(0, "unseen")]))
    return folder


def test_everything_in_a_slack_export_is_counted(target, tmp_path):
    export = lossy_slack_export(tmp_path / "export")

    foreseen = target.imports(str(export), "--dry-run")
    result = target.imports(str(export))
    again = target.imports(str(export))
    chat = target.opens()

    assert result.code == 0, result.err
    assert "is off by" not in foreseen.err + result.err
    assert foreseen.out == result.out
    found = sums(result.out)
    for kind, (read, dropped, imported) in found.items():
        assert read == dropped + imported, kind
    assert found["messages"] == (22, 4, 18)
    assert found["reactions"] == (67, 62, 5)
    assert found["files"] == (2, 2, 0)
    assert found["people"] == (6, 1, 5)
    assert found["bots"] == (1, 0, 1)
    assert found["subscriptions"] == (4, 2, 2)
    assert reasons(result.out) == {
        "entries of integration_logs.json that are not supported": 2,
        "files which are not in Slack's exports": 1,
        "files which are not in Slack's exports, but linked": 1,
        "messages in folders that belong to no channel of the export": 1,
        "messages about joining, leaving and the like": 1,
        "messages without a sender": 1,
        "messages without a time": 1,
        "people with the address of another account, which is used for both": 1,
        "pinned messages that are not supported": 1,
        "reactions of messages that were not imported": 1,
        "reactions of people who were not imported": 1,
        "reactions of people who are not in the export": 58,
        "reactions that are duplicates": 1,
        "reactions with an unknown emoji": 1,
        "subscriptions of people who were not imported": 1,
        "subscriptions that are duplicates": 1,
    }
    assert sum(reasons(result.out).values()) == sum(each[1] for each in found.values())
    assert (sums(again.out), reasons(again.out)) == (found, reasons(result.out))
    assert "2  further messages, as parts of long ones\n" in result.out
    assert "1  unknown emoji names that remain in texts\n" in result.out
    assert "1  mentions of people who were not imported\n" in result.out
    assert "1  links to channels that were not imported\n" in result.out
    lost = "All messages of the folder FC:canvas are left out (1), because the export does not"
    assert f"Warning: {lost} describe this channel." in result.err

    ana = enters(chat, "U1@example.com")
    shown = history(ana, ("channel", "kitchen"))
    long = [each for each in shown if each["content"].startswith("<p>long")]
    assert [each["timestamp"] for each in long] == [int(NOON) + 100] * 3
    assert len({each["sender_id"] for each in long}) == 1
    assert sum(each["content"].count("long") for each in long) == 5_000
    assert [each["emoji_code"] for each in long[0]["reactions"]] == ["1f431"]
    assert long[1]["reactions"] == long[2]["reactions"] == []
    texts = " ".join(each["content"] for each in shown)
    assert "<blockquote>\n<p>Build 7</p>\n</blockquote>" in texts
    assert "<blockquote>\n<p>Soup?</p>\n</blockquote>\n<p>Yes</p>" in texts
    assert 'class="emoji emoji-2705"' in texts
    assert ":glitch_crab: @gus #attic" in texts
    (liked,) = [each["reactions"] for each in shown if "liked" in each["content"]]
    assert [each["emoji_code"] for each in liked] == ["2714", "1f44b"]
    assert "Xenia" in [each["full_name"] for each in ana.get("/users").succeeds()["members"]]


def test_no_token_of_slack_is_kept(target, tmp_path):
    export = lossy_slack_export(tmp_path / "export")
    channels = json.loads((export / "channels.json").read_text())
    channels[0]["purpose"] = {"value": f"https://files.slack.com/menu.pdf?t={TOKEN}"}
    (export / "channels.json").write_text(json.dumps(channels))

    result = target.imports(str(export))
    chat = target.opens()

    ana = enters(chat, "U1@example.com")
    shown = json.dumps([history(ana), ana.get("/streams").succeeds()])
    assert "files-pri/T1-F1/soup.png" in shown
    assert "menu.pdf" in shown
    assert "xox" not in shown + result.out + result.err


def lossy_mattermost_export(folder: Path) -> Path:
    file = mattermost_export(folder) / "import.jsonl"
    team = {"name": "house", "channels": [{"name": "attic"}, {"name": "kitchen"}]}
    post = {"team": "house", "channel": "kitchen", "user": "ana", "create_at": int(NOON * 1000)}
    shown = [{"pretext": "CI", "text": "Build **7**", "fields": [{"title": "on", "value": "main"}]}]
    for row in (
        {"type": "user", "user": {"username": "gus", "email": "ana@x.org", "teams": [team]}},
        {"type": "bot", "bot": {"username": "ci", "display_name": "CI"}},
        {"type": "emoji", "emoji": {"name": "soup", "image": "soup.png"}},
        {"type": "team", "team": {"name": "house"}},
        {"type": "post", "post": post | {"message": "word " * 3_000, "is_pinned": True}},
        {"type": "post", "post": post | {"channel": "attic", "message": "lost"}},
        {
            "type": "post",
            "post": post
            | {
                "message": ":white_check_mark: :soup: :nosuch:",
                "flagged_by": ["007", "nobody"],
                "attachments": [{"path": "gone.txt"}],
                "reactions": [
                    {"user": "007", "emoji_name": "thinking_face"},
                    {"user": "007", "emoji_name": "nosuch"},
                    {"user": "nobody", "emoji_name": "tada"},
                ],
                "props": {"attachments": shown},
            },
        },
    ):
        with file.open("a") as lines:
            lines.write("\n" + json.dumps(row))
    return folder


@pytest.mark.on_one
def test_everything_in_a_mattermost_export_is_counted(target, tmp_path):
    export = str(lossy_mattermost_export(tmp_path / "export"))
    foreseen = target.imports(export, "--dry-run")
    result = target.imports(export)
    chat = target.opens()

    assert (result.code, "is off by" in result.err) == (0, False), result.err
    assert foreseen.out == result.out
    assert "All messages of the channel house/attic are left out (1)" in result.err
    found = sums(result.out)
    for kind, (read, dropped, imported) in found.items():
        assert read == dropped + imported, kind
    assert found["messages"] == (6, 1, 5)
    assert found["people"] == (3, 1, 2)
    assert found["reactions"] == (5, 2, 3)
    assert found["stars, mentions and collapsed messages"] == (2, 1, 1)
    assert reasons(result.out) == {
        "custom emoji that are not valid images": 1,
        "custom emoji whose name is taken": 1,
        "files that are not in the archive": 1,
        "lines of the kind scheme that are not supported": 1,
        "lines of the kind team that are not supported": 1,
        "messages of people or channels that were not imported": 1,
        "people with the address of another account, which is used for both": 1,
        "pinned messages that are not supported": 1,
        "reactions of people who were not imported": 1,
        "reactions with an unknown emoji": 1,
        "stars, mentions and collapsed messages of people who were not imported": 1,
        "subscriptions that are duplicates": 1,
        "subscriptions to channels that are not in the export": 1,
    }
    shown = history(enters(chat, "007@x.org"), ("channel", "kitchen"))
    assert sum(each["content"].count("word") for each in shown) == 3_000
    texts = " ".join(each["content"] for each in shown)
    assert "emoji-2705" in texts
    assert 'title="soup"' in texts
    assert "<p>CI<br>\nBuild <strong>7</strong><br>\n<strong>on</strong>: main</p>" in texts


def lossy_rocketchat_export(folder: Path) -> Path:
    rocketchat_export(folder)
    ana, ben = {"_id": "u1"}, {"_id": "u2"}
    liked = {":rolling_eyes:": {"usernames": ["ben", "gone"]}, ":nosuch:": {"usernames": ["ben"]}}
    expected = {"rid": "r1", "u": ana, "ts": NOON + 10}
    for name, rows in (
        (
            "users",
            [{"_id": "u3", "name": "Nameless"}, {"_id": "u4", "username": "ci", "type": "bot"}],
        ),
        (
            "rocketchat_room",
            [{"_id": "r3", "t": "l"}, {"_id": "r4", "t": "p", "prid": "r1", "fname": "Soup"}],
        ),
        (
            "rocketchat_message",
            [
                expected | {"_id": "n1", "msg": "word " * 3_000, "starred": [ben, {"_id": "gone"}]},
                expected | {"_id": "n2", "msg": "help", "rid": "r3", "reactions": liked},
                expected | {"_id": "n3", "msg": "> Soup?\nYes", "reactions": liked, "pinned": True},
                expected | {"_id": "n4", "msg": "of another room", "rid": "r9"},
                expected | {"_id": "n5", "msg": "secret", "t": "e2e"},
                expected | {"_id": "n6", "msg": "earlier", "_hidden": True, "parent": "n3"},
                expected | {"_id": "n7", "msg": "of nobody", "u": {"_id": "u9"}},
                expected | {"_id": "n8", "msg": "discussed", "rid": "r4"},
                expected
                | {"_id": "n9", "msg": "", "attachments": [{"title": "Build", "text": "7"}]},
            ],
        ),
        ("rocketchat_settings", [{"_id": "a"}, {"_id": "b"}]),
        ("rocketchat_avatars", [{"_id": "a3", "rid": "r1"}]),
    ):
        with (folder / f"{name}.bson").open("ab") as file:
            file.write(b"".join(map(_bson, rows)))
    return folder


@pytest.mark.on_one
def test_everything_in_a_rocket_chat_dump_is_counted(target, tmp_path):
    export = str(lossy_rocketchat_export(tmp_path / "export"))
    foreseen = target.imports(export, "--dry-run")
    result = target.imports(export)
    chat = target.opens()

    assert (result.code, "is off by" in result.err) == (0, False), result.err
    assert foreseen.out == result.out
    assert "All messages of the room r9 are left out (1)" in result.err
    found = sums(result.out)
    for kind, (read, dropped, imported) in found.items():
        assert read == dropped + imported, kind
    assert found["messages"] == (14, 5, 9)
    assert found["reactions"] == (8, 5, 3)
    assert reasons(result.out) == {
        "documents of rocketchat_settings that are not supported": 2,
        "files that are not in the dump": 1,
        "live chats and other rooms that are not supported": 1,
        "messages of live chats": 1,
        "messages of rooms that are not in the dump": 1,
        "messages that are encrypted": 1,
        "messages about joining, leaving and the like": 1,
        "messages that were changed or deleted later": 1,
        "people without a user name": 1,
        "pictures of people of rooms": 1,
        "pictures of people that are not valid images": 1,
        "pinned messages that are not supported": 1,
        "reactions of messages that were not imported": 3,
        "reactions of people who were not imported": 1,
        "reactions with an unknown emoji": 1,
        "stars, mentions and collapsed messages of people who were not imported": 1,
    }
    shown = history(enters(chat, "ana@x.org"), ("channel", "kitchen"))
    assert sum(each["content"].count("word") for each in shown) == 3_000
    assert "discussed" in [each["content"][3:-4] for each in shown if each["subject"] == "Soup"]
    texts = " ".join(each["content"] for each in shown)
    assert "<blockquote>\n<p>Soup?</p>\n</blockquote>\n<p>Yes</p>" in texts
    assert "<blockquote>\n<p><strong>Build</strong><br>\n7</p>\n</blockquote>" in texts


def lossy_zulip_export(folder: Path) -> Path:
    zulip_export(folder)
    tables = json.loads((folder / "realm.json").read_text())
    reaction = {"emoji_name": "tada", "emoji_code": "1f389", "user_profile": 12, "message": 1000}
    tables["zerver_reaction"] += [reaction, reaction, reaction | {"message": 9}]
    tables["zerver_reaction"] += [reaction | {"user_profile": 99}]
    tables["zerver_subscription"] += [
        {"user_profile": 99, "recipient": 31},
        {"user_profile": 11, "recipient": 31, "active": False},
    ]
    tables["zerver_submessage"] = [
        {"message": 1000, "sender": 99, "content": "{}"},
        {"message": 9, "sender": 11, "content": "{}"},
    ]
    tables["zerver_channelfolder"] = [{"id": 1, "name": "Food"}, {"id": 2, "name": "food"}]
    tables["zerver_realmfilter"] = [{"pattern": "(", "url_template": "https://x.org"}]
    tables["zerver_alertword"] = [{"user_profile": 99, "word": "soup"}]
    tables["zerver_muteduser"] = [{"user_profile": 11, "muted_user": 99}]
    tables["zerver_scheduledmessage"] = [
        {"sender": 11, "recipient": 31, "scheduled_timestamp": NOON, "content": "late"},
        {"sender": 11, "recipient": 31, "scheduled_timestamp": NOON, "delivered": True},
    ]
    tables["zerver_userstatus"] = [{"user_profile": 99, "status_text": "gone"}]
    (folder / "realm.json").write_text(json.dumps(tables))
    page = json.loads((folder / "messages-000001.json").read_text())
    page["zerver_message"][1] |= {"content": "word " * 3_000}
    page["zerver_message"][3] |= {"recipient": 99}
    page["zerver_message"][4] |= {"sender": 98}
    history_of = json.dumps([{"user_id": 99, "timestamp": NOON, "prev_content": "x"}])
    page["zerver_message"][0] |= {"edit_history": history_of}
    (folder / "messages-000001.json").write_text(json.dumps(page))
    return folder


@pytest.mark.on_one
def test_everything_in_a_zulip_export_is_counted(target, tmp_path):
    export = str(lossy_zulip_export(tmp_path / "export"))
    foreseen = target.imports(export, "--dry-run")
    result = target.imports(export)
    chat = target.opens()

    assert (result.code, "is off by" in result.err) == (0, False), result.err
    assert foreseen.out == result.out
    found = sums(result.out)
    for kind, (read, dropped, imported) in found.items():
        assert read == dropped + imported, kind
    assert found["messages"] == (10, 1, 9)
    assert {kind: found[kind] for kind in ("reactions", "channel folders", "edits")} == {
        "reactions": (5, 3, 2),
        "channel folders": (2, 1, 1),
        "edits": (1, 1, 0),
    }
    assert reasons(result.out) == {
        "alert words of people who were not imported": 1,
        "channel folders whose name cannot be used": 1,
        "edits of people who were not imported": 1,
        "linkifiers that are not accepted here": 1,
        "messages of people or channels that were not imported": 1,
        "muted people of people who were not imported": 1,
        "parts of polls and to-do lists of messages that were not imported": 1,
        "parts of polls and to-do lists of people who were not imported": 1,
        "reactions of messages that were not imported": 1,
        "reactions of people who were not imported": 1,
        "reactions that are duplicates": 1,
        "rows of zerver_realmauditlog that are not supported": 2,
        "scheduled messages that were sent, or could not be": 1,
        "scheduled messages that are overdue": 1,
        "statuses of people who were not imported": 1,
        "subscriptions of people who were not imported": 1,
        "subscriptions that have ended": 1,
        "unread messages of messages that were not imported": 1,
    }
    ben = enters(chat, "user12@example.com")
    shown = history(ben, ("channel", "kitchen"))
    long = [each for each in shown if "word" in each["content"]]
    assert sum(each["content"].count("word") for each in long) == 3_000
    assert [each["id"] for each in long] == [1001, 1010]  # numbers that others have are kept
    assert ben.says("On we go", to="kitchen > lunch").id == 1011


@pytest.mark.parametrize(
    "module, make",
    [
        (slack, lossy_slack_export),
        (mattermost, lossy_mattermost_export),
        (rocketchat, lossy_rocketchat_export),
        (zulip, lossy_zulip_export),
    ],
)
def test_a_source_yields_as_many_messages_as_it_reports(tmp_path, module, make):
    source = module.open_export(make(tmp_path / "export"))
    counts = source.counts()

    given = list(source.messages())

    assert len(given) == source.message_count
    assert counts.read["messages"] - counts.dropped_of("messages") == len(given)
    given_reactions = sum(len(each.reactions) for each in given)
    assert counts.read["reactions"] - counts.dropped_of("reactions") == given_reactions
    assert max(len(each.text) for each in given) > MAX_MESSAGE_LENGTH
