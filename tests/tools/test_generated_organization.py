"""A made-up organization is as true as a lived one: every table says what the others say."""

import base64
import json
import stat
from collections import defaultdict
from pathlib import Path

import pytest
from tests.support.cli_runner import Terminal
from tests.support.databases import Databases, Kind, sqlite_with_tables
from tools.sample_organization.organization import Size, generate

from tertulia import domain, markdown, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.keys import Vault
from tertulia.markdown import Resolved, Settings

FIRST = 1  # the id of the organization
SIZE = ("--people", "60", "--channels", "14", "--messages", "1200", "--seed", "7")


@pytest.mark.on_one
def test_a_generated_organization_is_consistent_and_can_be_served(kind: Kind, databases: Databases):
    url, folder = databases.new(kind)
    terminal, database = Terminal(folder, url), BlockingDatabase.at(url)

    result = terminal.generates(*SIZE)

    assert result.code == 0, result.err
    assert "1,200 of 1,200 messages, 100%" in result.err
    assert terminal.runs("check").out.endswith("No problems found.\n")
    path = folder / "people.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    people = json.loads(path.read_text())
    for law in LAWS:
        database.of(FIRST).read(law)
    ana = people[0]
    assert ana["role"] == "owner"
    serving = terminal.serves()
    try:
        look_around(serving, f"{ana['email']}:{ana['api_key']}")
    finally:
        serving.stops()
    refused = terminal.generates(*SIZE)
    assert refused.code == 1
    assert "already has an organization" in refused.err
    assert database.of(FIRST).read(count) == 1200


def look_around(serving, who) -> None:
    """What is found in the tables is found through the API."""
    code, found = serving.asks(
        "GET", "/messages", who=who, anchor="newest", num_before=200, num_after=0
    )
    assert code == 200
    assert len(found["messages"]) == 200
    code, streams = serving.asks("GET", "/streams", who=who)
    assert code == 200
    assert len(streams["streams"]) >= 12
    code, mine = serving.asks("GET", "/users/me/subscriptions", who=who)
    room = mine["subscriptions"][0]
    code, topics = serving.asks("GET", f"/users/me/{room['stream_id']}/topics", who=who)
    assert topics["topics"]


def test_the_same_seed_generates_the_same_organization(tmp_path: Path):
    def made(name: str, seed: int) -> list[tuple[object, ...]]:
        (tmp_path / f"{name}.db").write_bytes(sqlite_with_tables())
        database = BlockingDatabase.at(f"sqlite:///{tmp_path}/{name}.db", lambda: 1_800_000_000.0)
        generate(database, Vault(b"a secret of sixteen"), "Made up", Size(12, 4, 300), seed)
        return database.of(FIRST).read(all_messages)

    assert made("one", 5) == made("two", 5) != made("three", 6)


# --- laws ---


def messages_are_what_the_server_would_have_stored(tx: Tx) -> None:
    found = Resolved.of(
        markdown.MentionedUser(user.id, user.full_name)
        for user in storage.people.users.list_all(tx)
    )
    marked = defaultdict(set)
    for row in tx.all("SELECT user_id, message_id FROM message_flag WHERE flag = 'mentioned'"):
        marked[row["message_id"]].add(row["user_id"])
    texts = set()
    for row in tx.all("SELECT * FROM message WHERE realm_id = :realm", realm=tx.realm_id):
        rendered = markdown.render(row["content"], found, Settings())
        texts.add(row["content"])
        draft = Draft(
            row["content"],
            rendered.html,
            markdown.VERSION,
            row["client"],
            row["read_by_sender"],
            has_link=rendered.has_link,
            has_image=rendered.has_image,
        )
        for name, value in storage.messages.table.content_columns(draft).items():
            assert row[name] == value, (
                f"What is made up has another {name}: see sample_data/generated/history.py"
            )
        assert row["is_me"] == rendered.is_me_message
        assert row["channel_wildcard"] == rendered.mentions_channel
        assert marked[row["id"]] == rendered.mentioned_user_ids
    for row in tx.all("SELECT name, name_key FROM topic WHERE realm_id = :realm"):
        assert row["name_key"] == domain.channels.topics.fold(row["name"])
    assert len(texts) > 400


def senders_and_mentioned_users_have_received_the_message(tx: Tx) -> None:
    for row in tx.all("SELECT id FROM message ORDER BY id"):
        message = storage.messages.table.find(tx, row["id"])
        assert message is not None
        if message.channel_id is None:
            assert message.sender_id in message.member_ids
        else:
            involved = [message.sender_id]
            flags = tx.all("SELECT user_id FROM message_flag WHERE message_id = :id", id=row["id"])
            involved += [flag["user_id"] for flag in flags]
            assert storage.channels.subscriptions.receivers(tx, message, involved) == set(involved)


def unread_messages_were_received(tx: Tx) -> None:
    counts = []
    for user in storage.people.users.list_all(tx):
        spans = storage.channels.subscriptions.spans_of(tx, user.id)
        waiting = storage.messages.unread.load(tx, user.id)
        counts.append(len(waiting))
        for message_id in waiting:
            message = storage.messages.table.find(tx, message_id)
            assert message is not None
            assert message.sender_id != user.id or user.is_bot
            assert user.id in message.member_ids or any(s.received(message) for s in spans)
    assert sum(counts) > 50


def first_and_last_message_of_channels_are_right(tx: Tx) -> None:
    rows = tx.all(
        "SELECT c.first_message_id AS stored, min(m.id) AS first, c.last_message_at AS stored_at,"
        " max(m.sent_at) AS last_at FROM channel c LEFT JOIN message m ON m.channel_id = c.id"
        " GROUP BY c.id, c.first_message_id, c.last_message_at"
    )
    for row in rows:
        assert row["stored"] == row["first"]
        assert row["stored_at"] == row["last_at"]


def starters_of_topics_follow_them(tx: Tx) -> None:
    followed = {
        (row["user_id"], row["channel_id"], row["topic_key"])
        for row in tx.all("SELECT * FROM user_topic WHERE policy IN (1, 3)")
    }
    begun = tx.all(
        "SELECT m.sender_id, t.channel_id, t.name_key AS topic_key FROM message m"
        " JOIN topic t ON t.id = m.topic_id JOIN account a ON a.id = m.sender_id"
        " WHERE a.bot_type IS NULL AND m.id IN (SELECT min(f.id) FROM message f"
        " JOIN topic p ON p.id = f.topic_id GROUP BY p.channel_id, p.name_key)"
    )
    assert {(row["sender_id"], row["channel_id"], row["topic_key"]) for row in begun} <= followed


def send_times_ascend(tx: Tx) -> None:
    times = [row["sent_at"] for row in tx.all("SELECT sent_at FROM message ORDER BY id")]
    assert times == sorted(times)
    assert times[-1] < tx.now


def rows_of_every_kind_exist(tx: Tx) -> None:
    for what in (
        "reaction",
        "message_edit",
        "message_flag WHERE flag = 'starred'",
        "subscription WHERE is_muted",
        "subscription_span WHERE end_seq IS NOT NULL",
        "channel WHERE invite_only AND NOT history_public",
        "conversation WHERE member_ids LIKE '%,%,%'",
        "account WHERE NOT is_active",
    ):
        assert tx.one(f"SELECT 1 AS found FROM {what} LIMIT 1") is not None, what


LAWS = (
    messages_are_what_the_server_would_have_stored,
    senders_and_mentioned_users_have_received_the_message,
    unread_messages_were_received,
    first_and_last_message_of_channels_are_right,
    starters_of_topics_follow_them,
    send_times_ascend,
    rows_of_every_kind_exist,
)


def count(tx: Tx) -> int:
    return int(tx.value("SELECT count(*) AS value FROM message"))


def all_messages(tx: Tx) -> list[tuple[object, ...]]:
    """Messages and what people did with them, without what is drawn anew every time."""
    rows = [
        *tx.all("SELECT id, sender_id, channel_id, topic_id, content, sent_at FROM message"),
        *tx.all("SELECT id, channel_id, name FROM topic"),
        *tx.all("SELECT user_id, flag, message_id FROM message_flag ORDER BY 1, 2, 3"),
        *tx.all("SELECT user_id, channel_id, active, color FROM subscription ORDER BY 1, 2"),
    ]
    marks = [base64.b64encode(bytes(row["bitmap"])) for row in tx.all("SELECT * FROM unread")]
    return [*(tuple(row) for row in rows), *((mark,) for mark in marks)]  # type: ignore[arg-type]
