"""Presence of users, written in batches."""

import msgspec

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
