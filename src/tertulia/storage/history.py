"""Reading messages in order: which ones somebody may see, around which id.

A `Scope` says which messages are looked through; a narrow adds conditions to it. Both are SQL
fragments over `message m` with named parameters, so that one query does the work.
"""

from dataclasses import dataclass, field
from typing import Any

from tertulia.domain.messages import Message
from tertulia.storage.messages import CAME_WHILE_SUBSCRIBED, COLUMNS, SOURCE, as_message
from tertulia.storage.tx import Tx

# Received: it was sent while one was subscribed, or in a conversation of one's own. Moving a
# message changes where it stands, never who received it.
RECEIVED_IN_CHANNEL = (
    "EXISTS (SELECT 1 FROM subscription_span s WHERE s.user_id = :me"
    " AND s.channel_id = m.origin_channel_id AND s.start_message_id < m.id"
    " AND (s.end_message_id IS NULL OR m.id <= s.end_message_id))"
)
# Of what one received, what a move has not put out of sight.
NOT_MOVED_AWAY = (
    "(m.arrived_seq IS NULL OR EXISTS (SELECT 1 FROM channel c WHERE c.id = m.channel_id"
    f" AND c.history_public) OR {CAME_WHILE_SUBSCRIBED})"
)
# Never received, but marked since, and therefore kept among one's messages.
KEPT_AS_HISTORICAL = (
    "m.id IN (SELECT f.message_id FROM message_flag f WHERE f.user_id = :me"
    " AND f.flag = 'historical')"
)
SHARES_HISTORY = "EXISTS (SELECT 1 FROM channel h WHERE h.id = m.channel_id AND h.history_public)"
MY_CONVERSATIONS = (
    "m.conversation_id IN (SELECT c.conversation_id FROM conversation_member c"
    " WHERE c.user_id = :me)"
)
NOTHING = "1 = 0"


@dataclass(slots=True)
class Selection:
    """Conditions that all must hold, with the values they name."""

    conditions: list[str] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)

    def require(self, condition: str, **params: Any) -> None:
        self.conditions.append(condition)
        self.params.update(params)

    def where(self) -> str:
        return " AND ".join(f"({condition})" for condition in self.conditions)


def received(me: int, readable: list[int]) -> Selection:
    """Everything that reached me and that I may still read."""
    selection = Selection()
    selection.require(
        f"{MY_CONVERSATIONS} OR (m.channel_id IN :readable"
        f" AND ({RECEIVED_IN_CHANNEL} OR {KEPT_AS_HISTORICAL}) AND {NOT_MOVED_AWAY})",
        me=me,
        readable=readable,
    )
    return selection


def before(tx: Tx, selection: Selection, anchor: int, count: int) -> list[Message]:
    """The `count` messages just before the anchor, oldest first."""
    return _some(tx, selection, "m.id < :anchor", "DESC", anchor, count)[::-1]


def after(tx: Tx, selection: Selection, anchor: int, count: int) -> list[Message]:
    """The `count` messages just after the anchor, oldest first."""
    return _some(tx, selection, "m.id > :anchor", "ASC", anchor, count)


def at(tx: Tx, selection: Selection, anchor: int) -> list[Message]:
    return _some(tx, selection, "m.id = :anchor", "ASC", anchor, 1)


def among(tx: Tx, selection: Selection, message_ids: list[int]) -> list[Message]:
    rows = tx.all(
        f"SELECT {COLUMNS} FROM {SOURCE} WHERE m.realm_id = :realm AND m.id IN :ids"
        f" AND {selection.where()} ORDER BY m.id",
        realm=tx.realm_id,
        ids=message_ids,
        **selection.params,
    )
    return [as_message(row) for row in rows]


def first_among(tx: Tx, selection: Selection, message_ids: list[int]) -> int | None:
    """The oldest of the given messages that is in the selection."""
    found: int | None = tx.value(
        f"SELECT min(m.id) AS value FROM {SOURCE} WHERE m.realm_id = :realm AND m.id IN :ids"
        f" AND {selection.where()}",
        realm=tx.realm_id,
        ids=message_ids,
        **selection.params,
    )
    return found


def newest(tx: Tx, selection: Selection) -> int | None:
    found: int | None = tx.value(
        f"SELECT m.id AS value FROM {SOURCE} WHERE m.realm_id = :realm AND {selection.where()}"
        " ORDER BY m.id DESC LIMIT 1",
        realm=tx.realm_id,
        **selection.params,
    )
    return found


def first_since(tx: Tx, selection: Selection, moment: float) -> int | None:
    """The id of the first message sent at or after a moment."""
    found: int | None = tx.value(
        f"SELECT m.id AS value FROM {SOURCE} WHERE m.realm_id = :realm AND m.sent_at >= :moment"
        f" AND {selection.where()} ORDER BY m.id LIMIT 1",
        realm=tx.realm_id,
        moment=moment,
        **selection.params,
    )
    return found


def _some(
    tx: Tx, selection: Selection, position: str, order: str, anchor: int, count: int
) -> list[Message]:
    if count == 0:
        return []
    rows = tx.all(
        f"SELECT {COLUMNS} FROM {SOURCE} WHERE m.realm_id = :realm AND {position}"
        f" AND {selection.where()} ORDER BY m.id {order} LIMIT :count",
        realm=tx.realm_id,
        anchor=anchor,
        count=count,
        **selection.params,
    )
    return [as_message(row) for row in rows]
