"""Presence of users, written in batches."""

import msgspec
from msgspec.structs import asdict

from tertulia.database.tx import Tx
from tertulia.domain.people.presence import Presence


class NumberedPresence(msgspec.Struct, frozen=True):
    """A presence and its number among the changes of the organization."""

    user_id: int
    presence: Presence
    update_id: int


def since(tx: Tx, update_id: int) -> list[NumberedPresence]:
    """The changes after a number, in order."""
    rows = tx.all(
        "SELECT user_id, active_at, idle_at, update_id FROM presence"
        " WHERE realm_id = :realm AND update_id > :since ORDER BY update_id",
        since=update_id,
    )
    return [
        NumberedPresence(
            row["user_id"], Presence(row["active_at"], row["idle_at"]), row["update_id"]
        )
        for row in rows
    ]


def store(tx: Tx, presences: dict[int, Presence]) -> None:
    """Store presences, and number the changes."""
    last = tx.value("SELECT max(update_id) AS value FROM presence WHERE realm_id = :realm")
    tx.insert_rows(
        "presence",
        (
            {"user_id": user_id, "update_id": number, **asdict(presence)}
            for number, (user_id, presence) in enumerate(presences.items(), (last or 0) + 1)
        ),
        "ON CONFLICT (user_id) DO UPDATE SET active_at = excluded.active_at,"
        " idle_at = excluded.idle_at, update_id = excluded.update_id",
    )


def delete_before(tx: Tx, time: float) -> int:
    """Delete presences before a time, except for the newest change: numbers continue after it."""
    return tx.execute(f"DELETE FROM presence WHERE {_STALE}", **_at(tx, time))


_STALE = (
    "realm_id = :realm AND idle_at < :time"
    " AND update_id < (SELECT max(update_id) FROM presence WHERE realm_id = :realm)"
)


def _at(tx: Tx, time: float) -> dict[str, float]:
    return {"realm": tx.realm_id, "time": time}
