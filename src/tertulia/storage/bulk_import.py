"""Bulk import of rows from another server, and its progress."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from pyroaring import BitMap64

from tertulia.database.tx import Tx

FLAG = ("realm_id", "user_id", "flag", "message_id")
REACTION = ("realm_id", "message_id", "user_id", "emoji_name", "emoji_code", "reaction_type")
LINK = ("realm_id", "attachment_id", "message_id")
# Personal settings of a channel by column, with their defaults.
CHOICES: dict[str, Any] = {
    "color": None,
    "is_muted": False,
    "pin_to_top": False,
    "desktop_notifications": None,
    "audible_notifications": None,
    "push_notifications": None,
    "email_notifications": None,
    "wildcard_mentions_notify": None,
}
SUBSCRIPTION = ("realm_id", "channel_id", "user_id", "active", *CHOICES)
PART = ("realm_id", "message_id", "sender_id", "msg_type", "content")
EDIT = (
    "realm_id", "message_id", "user_id", "edited_at", "prev_content", "prev_rendered",
    "prev_topic", "topic", "prev_channel_id", "channel_id",
)  # fmt: skip
SPAN = ("realm_id", "channel_id", "user_id", "start_seq", "start_message_id")


class Run(NamedTuple):
    """The progress of an import."""

    source: str
    state: dict[str, Any]
    messages_done: int
    is_finished: bool


def find_run(tx: Tx) -> Run | None:
    row = tx.one("SELECT * FROM import_run WHERE realm_id = :realm")
    if row is None:
        return None
    state = msgspec.json.decode(row["state"])
    return Run(row["source"], state, row["messages_done"], bool(row["is_finished"]))


def claim(tx: Tx, source: str, process: str) -> Run | None:
    """Continue an import; the process that ran it until now stops."""
    tx.execute(
        "UPDATE import_run SET imported_by = :process WHERE realm_id = :realm AND source = :source",
        process=process,
        source=source,
    )
    return find_run(tx)


def claimed_by(tx: Tx) -> str | None:
    """The process that runs the import."""
    found: str | None = tx.value(
        "SELECT imported_by AS value FROM import_run WHERE realm_id = :realm"
    )
    return found


def start_run(tx: Tx, source: str) -> None:
    tx.insert_row("import_run", source=source, state="{}", messages_done=0)


def store_state(tx: Tx, state: dict[str, Any]) -> None:
    tx.execute(
        "UPDATE import_run SET state = :state WHERE realm_id = :realm",
        state=msgspec.json.encode(state).decode(),
    )


def record_done(tx: Tx, messages: int, *, is_finished: bool = False) -> None:
    tx.execute(
        "UPDATE import_run SET messages_done = :done, is_finished = :finished"
        " WHERE realm_id = :realm",
        done=messages,
        finished=is_finished,
    )


def renumber(tx: Tx, table: str, was: int, number: int) -> None:
    """Give a row the id it had on the other server; nothing may refer to the row yet."""
    tx.execute(f"UPDATE {table} SET id = :number WHERE id = :was", number=number, was=was)


def mark_placeholder(
    tx: Tx, user_id: int, *, joined_at: float, timezone: str, is_active: bool
) -> None:
    tx.update(
        "account",
        user_id,
        is_imported_stub=True,
        joined_at=joined_at,
        timezone=timezone,
        is_active=is_active,
    )


def claim_stub(tx: Tx, user_id: int) -> bool:
    """Mark the first login of an imported user; returns whether it was the first."""
    claimed = tx.execute(
        "UPDATE account SET is_imported_stub = :no"
        " WHERE id = :id AND realm_id = :realm AND is_imported_stub",
        no=False,
        id=user_id,
    )
    return claimed > 0


def date_channel(tx: Tx, channel_id: int, *, created_at: float, archived: bool) -> None:
    tx.update("channel", channel_id, created_at=created_at, archived=archived)


def set_creator(tx: Tx, table: str, number: int, user_id: int) -> None:
    """The creator of a channel or a group."""
    tx.update(table, number, creator_id=user_id)


def set_first_messages(tx: Tx) -> None:
    """Set the first message and the time of the last message of every channel."""
    tx.execute(
        "UPDATE channel SET first_message_id ="
        " (SELECT min(m.id) FROM message m WHERE m.channel_id = channel.id),"
        " last_message_at = (SELECT max(m.sent_at) FROM message m WHERE m.channel_id = channel.id)"
        " WHERE realm_id = :realm"
    )


def message_numbers(tx: Tx, count: int) -> list[int]:
    """Allocate ids for new messages, in order."""
    following = tx.dialect.sql.next_message_id
    if tx.dialect.sql.writes_in_queries:
        rows = tx.all(f"SELECT {following} AS id FROM generate_series(1, {count:d})")
        return sorted(row["id"] for row in rows)
    first = tx.value(f"SELECT {following} AS value")
    return list(range(first, first + count))


def load_messages(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert messages with id, organization and time, all with the same columns."""
    if rows:
        tx.bulk.load_rows("message", list(rows[0]), [tuple(row.values()) for row in rows])


def unread(tx: Tx) -> dict[int, BitMap64]:
    """The stored unread state of all users."""
    rows = tx.all("SELECT user_id, bitmap FROM unread WHERE realm_id = :realm")
    return {row["user_id"]: BitMap64.deserialize(bytes(row["bitmap"])) for row in rows}


def set_read_position(tx: Tx, message_id: int) -> None:
    tx.execute(
        "UPDATE unread SET caught_up_to = :id WHERE realm_id = :realm AND caught_up_to < :id",
        id=message_id,
    )


def spans(tx: Tx) -> set[tuple[int, int]]:
    rows = tx.all("SELECT user_id, channel_id FROM subscription_span WHERE realm_id = :realm")
    return {(row["user_id"], row["channel_id"]) for row in rows}
