"""Queries for HTML archives: the chosen messages, conversation by conversation, in pages."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from tertulia import storage
from tertulia.database.tx import Dialect, Tx
from tertulia.domain.messages.kept import KeptMessage, KeptSelection
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


class Discovery(msgspec.Struct, frozen=True):
    """What is searched for. A field that is empty or None allows everything.

    Words are found as parts of words, in the text or in an earlier version; ASCII letters in any
    case.
    """

    user_ids: Sequence[int] = ()  # senders, and participants of direct messages
    channel_ids: Sequence[int] = ()
    words: Sequence[str] = ()  # any of them
    since: float | None = None
    until: float | None = None

    def condition(self, dialect: Dialect) -> str:
        wanted = []
        if self.user_ids:
            wanted.append(
                "(m.sender_id IN :users OR m.conversation_id IN (SELECT v.conversation_id"
                " FROM conversation_member v WHERE v.user_id IN :users))"
            )
        if self.channel_ids:
            wanted.append("m.channel_id IN :channels")
        if self.since is not None:
            wanted.append("m.sent_at >= :since")
        if self.until is not None:
            wanted.append("m.sent_at < :until")
        if self.words:
            found = [_contains(dialect, f":word{number}") for number, _ in enumerate(self.words)]
            wanted.append(f"({' OR '.join(found)})")
        return " AND ".join(wanted) or "TRUE"

    @property
    def params(self) -> dict[str, Any]:
        given: dict[str, Any] = {
            "users": list(self.user_ids) or None,
            "channels": list(self.channel_ids) or None,
            "since": self.since,
            "until": self.until,
        }
        for number, word in enumerate(self.words):
            escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            given[f"word{number}"] = f"%{escaped}%"
        return {name: value for name, value in given.items() if value is not None}


def _contains(dialect: Dialect, word: str) -> str:
    def like(column: str) -> str:
        return f"{dialect.lower(column)} LIKE {dialect.lower(f'CAST({word} AS TEXT)')} ESCAPE '\\'"

    edits = [
        f"EXISTS (SELECT 1 FROM {table} e WHERE e.message_id = m.id AND {like('e.prev_content')})"
        for table in ("message_edit", "kept_message_edit", "held_message_edit")
    ]
    return " OR ".join([like("m.content"), *edits])


class ArchivedMessages(msgspec.Struct, frozen=True):
    """Which messages are archived: those of an export or of one channel in it, or of one user, or
    those that a discovery finds, deleted ones among them."""

    kind: str
    consenting: Collection[int] = ()
    person_id: int | None = None
    channel_id: int | None = None
    discovery: Discovery | None = None
    dialect: Any = None  # of the database, for a discovery

    @property
    def source(self) -> str:
        """The table of the messages, or a subquery with the deleted ones."""
        if self.discovery is None:
            return "message"
        columns = storage.messages.kept.MESSAGE
        return f"(SELECT {columns} FROM message UNION ALL SELECT {columns} FROM kept_message)"

    @property
    def condition(self) -> str:
        if self.discovery is not None:
            return self.discovery.condition(self.dialect)
        if self.person_id is not None:
            return _OF_PERSON
        if self.channel_id is not None:
            return f"m.channel_id = :only_channel AND {CHOSEN[self.kind]}"
        return CHOSEN[self.kind]

    @property
    def params(self) -> dict[str, Any]:
        if self.discovery is not None:
            return self.discovery.params
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
        f"SELECT count(*) AS value FROM {chosen.source} m WHERE m.realm_id = :realm"
        f" AND {chosen.condition}",
        **chosen.params,
    )


def topics(tx: Tx, chosen: ArchivedMessages, channel_id: int) -> list[str]:
    """The keys of the topics with chosen messages, by their newest message, newest first."""
    rows = tx.all(
        f"SELECT m.topic_key, max(m.id) AS newest FROM {chosen.source} m"
        f" WHERE m.channel_id = :channel AND {chosen.condition}"
        " GROUP BY m.topic_key ORDER BY 2 DESC",
        channel=channel_id,
        **chosen.params,
    )
    return [row["topic_key"] for row in rows]


def conversations(tx: Tx, chosen: ArchivedMessages) -> list[int]:
    """The conversations of direct messages with chosen messages, newest first."""
    rows = tx.all(
        f"SELECT m.conversation_id, max(m.id) AS newest FROM {chosen.source} m"
        f" WHERE m.realm_id = :realm AND m.conversation_id IS NOT NULL AND {chosen.condition}"
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
        f"SELECT m.topic_key AS value FROM {chosen.source} m"
        f" WHERE m.id = :id AND m.realm_id = :realm AND m.channel_id IS NOT NULL"
        f" AND {chosen.condition}",
        id=message_id,
        **chosen.params,
    )
    return found


def count_before(
    tx: Tx, chosen: ArchivedMessages, channel_id: int, topic_key: str, message_id: int
) -> int:
    return tx.number(
        f"SELECT count(*) AS value FROM {chosen.source} m WHERE m.channel_id = :channel"
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
        f"SELECT m.id FROM {chosen.source} m WHERE {scope_sql} AND m.id > :after"
        f" AND {chosen.condition}"
        " ORDER BY m.id LIMIT :size",
        after=after,
        size=size,
        **params,
        **chosen.params,
    ):
        found = storage.messages.find_many(tx, tx.realm_id, ids)
        messages = [found[message_id] for message_id in ids if message_id in found]
        detailed = storage.messages.details.with_details(tx, messages)
        yield _with_kept(tx, detailed, ids) if chosen.discovery is not None else detailed
        after = ids[-1]


def _with_kept(tx: Tx, messages: list[Message], ids: list[int]) -> list[Message]:
    """Add the deleted messages, and the earlier versions that legal holds have kept."""
    there = {message.id for message in messages}
    kept = [each.message for each in kept_among(tx, [each for each in ids if each not in there])]
    found = messages + storage.messages.details.with_details(tx, kept, "kept_")
    earlier = storage.messages.edits.of_messages(tx, ids, "held_")
    return [
        replace(message, edits=earlier[message.id] + message.edits)
        if message.id in earlier
        else message
        for message in sorted(found, key=lambda each: each.id)
    ]


def kept_among(tx: Tx, message_ids: Sequence[int]) -> list[KeptMessage]:
    """Those of the messages that are deleted and kept."""
    if not message_ids:
        return []
    selection = KeptSelection(message_ids=tuple(message_ids))
    return storage.messages.kept.find(tx, selection, limit=len(message_ids))
