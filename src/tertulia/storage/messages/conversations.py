"""Conversations: the members of direct messages.

A conversation is found by a digest of its members, because an index takes no text as long as a list
of a thousand people.
"""

import hashlib
from collections.abc import Sequence

from tertulia.database.tx import Tx


def find(tx: Tx, user_ids: Sequence[int]) -> int | None:
    found: int | None = tx.value(
        "SELECT id AS value FROM conversation WHERE realm_id = :realm AND digest = :digest",
        digest=_digest(_members_text(user_ids)),
    )
    return found


def get_or_start(tx: Tx, user_ids: Sequence[int]) -> int:
    found = find(tx, user_ids)
    if found is not None:
        return found
    members = _members_text(user_ids)
    conversation_id = tx.insert_with_id("conversation", digest=_digest(members), member_ids=members)
    tx.insert_rows(
        "conversation_member",
        ({"user_id": user_id} for user_id in user_ids),
        conversation_id=conversation_id,
    )
    return conversation_id


def recent(tx: Tx, user_id: int, limit: int) -> list[tuple[tuple[int, ...], int]]:
    """The user's conversations as (members, newest message), newest first."""
    rows = tx.all(
        "SELECT v.member_ids, (SELECT max(m.id) FROM message m"
        " WHERE m.conversation_id = v.id) AS newest"
        " FROM conversation_member c JOIN conversation v ON v.id = c.conversation_id"
        " WHERE c.user_id = :user ORDER BY 2 DESC LIMIT :limit",
        user=user_id,
        limit=limit,
    )
    return [
        (members(row["member_ids"]), row["newest"]) for row in rows if row["newest"] is not None
    ]


def members(text: str | None) -> tuple[int, ...]:
    """The members of a conversation, from their text form; empty for None."""
    return tuple(int(part) for part in text.split(",")) if text else ()


def _members_text(user_ids: Sequence[int]) -> str:
    return ",".join(str(user_id) for user_id in sorted(user_ids))


def _digest(members: str) -> str:
    return hashlib.sha256(members.encode()).hexdigest()
