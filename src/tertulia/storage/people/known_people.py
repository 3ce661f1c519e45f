"""Which users know each other: by a shared channel or a direct conversation."""

from collections.abc import Collection

from tertulia.database.tx import Tx
from tertulia.domain.people.user import Role


def direct_partners(
    tx: Tx, user_ids: Collection[int], among: Collection[int] | None = None
) -> dict[int, set[int]]:
    """For each of some users, the users with whom they share a channel or a conversation,
    themselves included.

    Deactivated users are included. `among` limits the result, which makes queries about a few users
    cheap.
    """
    channels = _channels_of(tx, user_ids)
    inside = _inside(tx, set().union(*channels.values()), among)
    talked = partners(tx, user_ids)
    found = {
        user_id: talked[user_id].union(*(inside.get(channel, ()) for channel in channels[user_id]))
        for user_id in user_ids
    }
    if among is None:
        return found
    return {user_id: ids.intersection(among) for user_id, ids in found.items()}


def partners(tx: Tx, user_ids: Collection[int]) -> dict[int, set[int]]:
    """For each of some users, the users with whom they had a direct conversation."""
    found: dict[int, set[int]] = {user_id: set() for user_id in user_ids}
    if not user_ids:
        return found
    rows = tx.all(
        "SELECT c.user_id, v.member_ids FROM conversation_member c"
        " JOIN conversation v ON v.id = c.conversation_id"
        " WHERE c.user_id IN :users AND c.realm_id = :realm",
        users=list(user_ids),
    )
    for row in rows:
        found[row["user_id"]].update(int(member) for member in row["member_ids"].split(","))
    return found


def guests(tx: Tx) -> list[int]:
    """All active guests."""
    return tx.column(
        "SELECT id FROM account WHERE realm_id = :realm AND role = :guest AND is_active"
        " ORDER BY id",
        guest=int(Role.GUEST),
    )


def guests_in(tx: Tx, channel_ids: list[int]) -> list[int]:
    """The guests among the subscribers of some channels."""
    return tx.column(
        "SELECT a.id FROM account a WHERE a.realm_id = :realm AND a.role = :guest AND a.is_active"
        " AND EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = a.id AND s.active"
        " AND s.channel_id IN :channels) ORDER BY a.id",
        channels=channel_ids,
        guest=int(Role.GUEST),
    )


def _channels_of(tx: Tx, user_ids: Collection[int]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {user_id: set() for user_id in user_ids}
    if user_ids:
        rows = tx.all(
            "SELECT user_id, channel_id FROM subscription WHERE user_id IN :users AND active",
            users=list(user_ids),
        )
        for row in rows:
            found[row["user_id"]].add(row["channel_id"])
    return found


def _inside(
    tx: Tx, channel_ids: Collection[int], among: Collection[int] | None
) -> dict[int, set[int]]:
    """The subscribers of each channel; only those among some users, if given."""
    if not channel_ids or (among is not None and not among):
        return {}
    who, named = "channel_id IN :channels", {"channels": list(channel_ids)}
    if among is not None:
        who, named = "user_id IN :among", {"among": list(among)}
    found: dict[int, set[int]] = {}
    for row in tx.all(
        f"SELECT channel_id, user_id FROM subscription WHERE {who} AND active", **named
    ):
        found.setdefault(row["channel_id"], set()).add(row["user_id"])
    return found
