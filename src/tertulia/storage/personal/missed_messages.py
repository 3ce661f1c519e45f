"""Missed messages: messages that users may be notified about."""

from tertulia import storage
from tertulia.database.tx import Tx

_WITH_DEVICES = (
    "SELECT realm_id FROM push_subscription UNION SELECT realm_id FROM device"
    " UNION SELECT realm_id FROM device_token"
)


def position(tx: Tx) -> int | None:
    """The last event that was examined; None before the first time."""
    found = tx.value("SELECT seq AS value FROM missed_position WHERE realm_id = :realm")
    return None if found is None else int(found)


def start_all(tx: Tx) -> None:
    """Start at the end of all logs that were never examined: older messages are not news."""
    tx.execute(
        "INSERT INTO missed_position (realm_id, seq) SELECT h.realm_id, h.seq FROM log_head h"
        " WHERE NOT EXISTS (SELECT 1 FROM missed_position p WHERE p.realm_id = h.realm_id)"
        " ON CONFLICT (realm_id) DO NOTHING"
    )


def realms_behind(tx: Tx, realm_ids: list[int] | None, everybody: bool) -> list[int]:
    """Organizations whose log was not examined to its end, of some or of all; without `everybody`,
    only those with a device to notify."""
    among = "" if realm_ids is None else " AND h.realm_id IN :realms"
    who = "" if everybody else f" AND h.realm_id IN ({_WITH_DEVICES})"
    return tx.column(
        "SELECT h.realm_id FROM log_head h LEFT JOIN missed_position p ON p.realm_id = h.realm_id"
        f" WHERE (p.seq IS NULL OR p.seq <> h.seq){among}{who} ORDER BY h.realm_id",
        **({} if realm_ids is None else {"realms": realm_ids}),
    )


def set_position(tx: Tx, seq: int) -> None:
    tx.upsert("missed_position", ("realm_id",), seq=seq)


def insert(tx: Tx, message_id: int, reasons: dict[int, str]) -> None:
    """Record that these users may have missed a message."""
    tx.insert_rows(
        "missed_message",
        ({"user_id": user_id, "reason": reason} for user_id, reason in sorted(reasons.items())),
        "ON CONFLICT (user_id, message_id) DO NOTHING",
        message_id=message_id,
    )


def start_timers(tx: Tx, due: dict[int, float]) -> None:
    """Set when to notify each user; a running timer continues."""
    tx.insert_rows(
        "missed_timer",
        ({"user_id": user_id, "due_at": at} for user_id, at in sorted(due.items())),
        "ON CONFLICT (user_id) DO NOTHING",
    )


def due(tx: Tx, limit: int) -> list[tuple[int, int]]:
    """Users whose timer is due, in all organizations: organization and user."""
    return tx.tuples(
        "SELECT realm_id, user_id FROM missed_timer WHERE due_at <= :now"
        " ORDER BY due_at LIMIT :limit",
        now=tx.now,
        limit=limit,
    )


def is_due(tx: Tx, user_id: int) -> bool:
    return tx.exists(
        "SELECT 1 AS found FROM missed_timer"
        " WHERE user_id = :user AND realm_id = :realm AND due_at <= :now",
        user=user_id,
        now=tx.now,
    )


def postpone(tx: Tx, user_id: int, until: float) -> None:
    tx.execute(
        "UPDATE missed_timer SET due_at = :until WHERE user_id = :user AND realm_id = :realm",
        until=until,
        user=user_id,
    )


def of_user(tx: Tx, user_id: int) -> dict[int, str]:
    """A user's missed messages, oldest first, with the reason."""
    rows = tx.all(
        "SELECT message_id, reason FROM missed_message"
        " WHERE user_id = :user AND realm_id = :realm ORDER BY message_id",
        user=user_id,
    )
    return {row["message_id"]: row["reason"] for row in rows}


def delete(tx: Tx, user_id: int) -> None:
    for table in ("missed_message", "missed_timer"):
        tx.execute(f"DELETE FROM {table} WHERE user_id = :user AND realm_id = :realm", user=user_id)


def before_in_topic(
    tx: Tx, channel_id: int, topic_key: str, message_id: int, limit: int
) -> list[int]:
    """The last messages of a topic before one of them, oldest first."""
    where, params = storage.channels.topics.condition(tx, channel_id, topic_key)
    return tx.column(
        f"SELECT id FROM message WHERE {where} AND id < :before ORDER BY id DESC LIMIT :limit",
        before=message_id,
        limit=limit,
        **params,
    )[::-1]


def chosen_for_channel(tx: Tx, channel_id: int, way: str) -> dict[int, bool]:
    """Users who have set their notifications for a channel, and the setting."""
    assert way in ("email", "push")
    rows = tx.all(
        f"SELECT user_id, {way}_notifications AS chosen FROM subscription"
        f" WHERE channel_id = :channel AND active AND {way}_notifications IS NOT NULL",
        channel=channel_id,
    )
    return {row["user_id"]: bool(row["chosen"]) for row in rows}
