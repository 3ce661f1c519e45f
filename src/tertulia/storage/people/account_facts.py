"""What administrators see of accounts: last use, sessions, second factor, storage."""

from collections.abc import Collection
from typing import Any

import msgspec

from tertulia.database.tx import Tx


class AccountFacts(msgspec.Struct, frozen=True):
    last_active_at: float | None = None  # presence, or the last use of a session
    sessions: int = 0
    has_second_factor: bool = False
    upload_bytes: int = 0


def of_users(
    tx: Tx, sessions_seen_after: float, user_ids: Collection[int] | None = None
) -> dict[int, AccountFacts]:
    """The facts of some users, or of all; users without any of them are left out."""
    ids = None if user_ids is None else list(user_ids)
    active: dict[int, float] = {}
    for row in _rows(tx, "SELECT user_id, active_at, idle_at FROM presence", ids):
        active[row["user_id"]] = max(row["active_at"] or 0, row["idle_at"] or 0)
    counts: dict[int, int] = {}
    sessions = _rows(
        tx,
        "SELECT user_id, count(*) AS number, max(seen_at) AS seen_at FROM session",
        ids,
        " AND seen_at >= :after AND (ends_at IS NULL OR ends_at > :now) GROUP BY user_id",
        after=sessions_seen_after,
        now=tx.now,
    )
    for row in sessions:
        counts[row["user_id"]] = row["number"]
        active[row["user_id"]] = max(active.get(row["user_id"], 0), row["seen_at"])
    secured = {
        row["user_id"]
        for table in ("totp_secret", "passkey")
        for row in _rows(tx, f"SELECT DISTINCT user_id FROM {table}", ids)
    }
    space = {
        row["user_id"]: row["upload_bytes"]
        for row in tx.all(
            "SELECT id AS user_id, upload_bytes FROM account"
            " WHERE realm_id = :realm AND upload_bytes > 0"
            + ("" if ids is None else " AND id IN :ids"),
            **({} if ids is None else {"ids": ids}),
        )
    }
    return {
        user_id: AccountFacts(
            active.get(user_id) or None,
            counts.get(user_id, 0),
            user_id in secured,
            space.get(user_id, 0),
        )
        for user_id in {*active, *counts, *secured, *space}
    }


def _rows(tx: Tx, select: str, ids: list[int] | None, end: str = "", **params: Any) -> list[Any]:
    """Rows of a table with `user_id`, of some users or of all."""
    if ids is not None:
        end, params = f" AND user_id IN :ids{end}", {**params, "ids": ids}
    return tx.all(f"{select} WHERE realm_id = :realm{end}", **params)
