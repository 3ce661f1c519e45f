"""Queries for HTML archives: the chosen messages, conversation by conversation, in pages."""

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.storage.export_queries import CHOSEN

# What one user wrote and received.
_OF_PERSON = (
    "(m.sender_id = :person OR EXISTS (SELECT 1 FROM subscription_span p"
    " WHERE p.channel_id = coalesce(m.origin_channel_id, m.channel_id) AND p.user_id = :person"
    " AND p.start_message_id < m.id AND (p.end_message_id IS NULL OR m.id <= p.end_message_id))"
    " OR m.conversation_id IN (SELECT v.conversation_id FROM conversation_member v"
    " WHERE v.user_id = :person))"
)


class ArchivedMessages(msgspec.Struct, frozen=True):
    """Which messages are archived: those of an export or of one channel in it, or of one user."""

    kind: str
    consenting: Collection[int] = ()
    person_id: int | None = None
    channel_id: int | None = None

    @property
    def condition(self) -> str:
        if self.person_id is not None:
            return _OF_PERSON
        if self.channel_id is not None:
            return f"m.channel_id = :only_channel AND {CHOSEN[self.kind]}"
        return CHOSEN[self.kind]

    @property
    def params(self) -> dict[str, Any]:
        if self.person_id is not None:
            return {"person": self.person_id}
        found: dict[str, Any] = {}
        if self.channel_id is not None:
            found["only_channel"] = self.channel_id
        if ":consenting" in self.condition:
            found["consenting"] = list(self.consenting)
        return found


def count(tx: Tx, chosen: ArchivedMessages) -> int:
    return tx.number(
        f"SELECT count(*) AS value FROM message m WHERE m.realm_id = :realm AND {chosen.condition}",
        **chosen.params,
    )


def topics(tx: Tx, chosen: ArchivedMessages, channel_id: int) -> list[str]:
    """The keys of the topics with chosen messages, by their newest message, newest first."""
    rows = tx.all(
        "SELECT m.topic_key, max(m.id) AS newest FROM message m WHERE m.channel_id = :channel"
        f" AND {chosen.condition} GROUP BY m.topic_key ORDER BY 2 DESC",
        channel=channel_id,
        **chosen.params,
    )
    return [row["topic_key"] for row in rows]


def conversations(tx: Tx, chosen: ArchivedMessages) -> list[int]:
    """The conversations of direct messages with chosen messages, newest first."""
    rows = tx.all(
        "SELECT m.conversation_id, max(m.id) AS newest FROM message m WHERE m.realm_id = :realm"
        f" AND m.conversation_id IS NOT NULL AND {chosen.condition}"
        " GROUP BY m.conversation_id ORDER BY 2 DESC",
        **chosen.params,
    )
    return [row["conversation_id"] for row in rows]


def topic_pages(
    tx: Tx, chosen: ArchivedMessages, channel_id: int, topic_key: str, size: int
) -> Iterator[list[Message]]:
    scope_sql = "m.channel_id = :channel AND m.topic_key = :topic"
    return _pages(tx, chosen, scope_sql, size, channel=channel_id, topic=topic_key)


def conversation_pages(
    tx: Tx, chosen: ArchivedMessages, conversation_id: int, size: int
) -> Iterator[list[Message]]:
    return _pages(
        tx, chosen, "m.conversation_id = :conversation", size, conversation=conversation_id
    )


def topic_of(tx: Tx, chosen: ArchivedMessages, message_id: int) -> str | None:
    """The key of the topic of a chosen message in a channel."""
    found: str | None = tx.value(
        "SELECT m.topic_key AS value FROM message m WHERE m.id = :id AND m.realm_id = :realm"
        f" AND m.channel_id IS NOT NULL AND {chosen.condition}",
        id=message_id,
        **chosen.params,
    )
    return found


def count_before(
    tx: Tx, chosen: ArchivedMessages, channel_id: int, topic_key: str, message_id: int
) -> int:
    return tx.number(
        "SELECT count(*) AS value FROM message m WHERE m.channel_id = :channel"
        f" AND m.topic_key = :topic AND m.id < :id AND {chosen.condition}",
        channel=channel_id,
        topic=topic_key,
        id=message_id,
        **chosen.params,
    )


def _pages(
    tx: Tx, chosen: ArchivedMessages, scope_sql: str, size: int, **params: Any
) -> Iterator[list[Message]]:
    after = 0
    while ids := tx.column(
        f"SELECT m.id FROM message m WHERE {scope_sql} AND m.id > :after AND {chosen.condition}"
        " ORDER BY m.id LIMIT :size",
        after=after,
        size=size,
        **params,
        **chosen.params,
    ):
        found = storage.messages.find_many(tx, tx.realm_id, ids)
        messages = [found[message_id] for message_id in ids if message_id in found]
        yield storage.messages.details.with_details(tx, messages)
        after = ids[-1]
