"""Who has met whom: in a channel they share, or in a direct conversation."""

from tertulia.domain.users import Role
from tertulia.storage.tx import Tx


def met(tx: Tx, user_id: int) -> set[int]:
    """Those who share a channel or a conversation with somebody, whether they are still here."""
    rows = tx.all(
        "SELECT DISTINCT o.user_id FROM subscription me"
        " JOIN subscription o ON o.channel_id = me.channel_id"
        " WHERE me.user_id = :user AND me.realm_id = :realm AND me.active AND o.active",
        user=user_id,
        realm=tx.realm_id,
    )
    return {row["user_id"] for row in rows} | partners(tx, [user_id])[user_id]


def partners(tx: Tx, user_ids: list[int]) -> dict[int, set[int]]:
    """With whom each of some people has had a direct conversation."""
    found: dict[int, set[int]] = {user_id: set() for user_id in user_ids}
    if not user_ids:
        return found
    rows = tx.all(
        "SELECT c.user_id, v.member_ids FROM conversation_member c"
        " JOIN conversation v ON v.id = c.conversation_id"
        " WHERE c.user_id IN :users AND c.realm_id = :realm",
        users=user_ids,
        realm=tx.realm_id,
    )
    for row in rows:
        found[row["user_id"]].update(int(member) for member in row["member_ids"].split(","))
    return found


def guests_in(tx: Tx, channel_ids: list[int]) -> list[int]:
    """The guests among the subscribers of some channels."""
    rows = tx.all(
        "SELECT DISTINCT s.user_id FROM subscription s JOIN account a ON a.id = s.user_id"
        " WHERE s.channel_id IN :channels AND s.active AND a.is_active AND a.role = :guest",
        channels=channel_ids,
        guest=int(Role.GUEST),
    )
    return [row["user_id"] for row in rows]
