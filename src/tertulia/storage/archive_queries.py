"""Queries for HTML archives: the chosen messages, conversation by conversation, in pages."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.messages.deleted import KeptMessage, KeptSelection
from tertulia.domain.messages.message import Message
from tertulia.storage.channels.topics import KEY, NAME
from tertulia.storage.export_queries import CHOSEN
from tertulia.storage.messages import deleted, details, edits, submessages
from tertulia.storage.messages.table import find_many
from tertulia.storage.organization.legal_holds import involves, was_in

WORD_BATCH = 1_000  # messages whose texts are compared at once
_COLUMNS = (
    "m.id, m.realm_id, m.sender_id, m.channel_id, m.conversation_id, m.origin_channel_id, m.sent_at"
)

# What one user wrote and received: in the channels that they may read, and in conversations. Where
# a message was received is where it was sent; where it may be read is where it is now.
_OF_PERSON = (
    "((m.channel_id IN :readable AND (m.sender_id = :person"
    " OR EXISTS (SELECT 1 FROM subscription_span p"
    " WHERE p.channel_id = coalesce(m.origin_channel_id, m.channel_id) AND p.user_id = :person"
    " AND p.start_message_id < m.id AND (p.end_message_id IS NULL OR m.id <= p.end_message_id))))"
    " OR m.conversation_id IN (SELECT v.conversation_id FROM conversation_member v"
    " WHERE v.user_id = :person))"
)


class Discovery(msgspec.Struct, frozen=True):
    """What is searched for. A field that is empty or None allows everything.

    Words are found as parts of words, in the text, topic or widget, or in an earlier version.
    They are compared as search compares them. `find_words` must have replaced them by the ids of
    the messages that have them.
    """

    user_ids: Sequence[int] = ()  # senders, owners of bots, participants of direct messages
    channel_ids: Sequence[int] = ()
    words: Sequence[str] = ()  # any of them
    since: float | None = None
    until: float | None = None
    message_ids: Sequence[int] | None = None

    @property
    def condition(self) -> str:
        assert not self.words, "the words were not looked up"
        wanted = []
        if self.user_ids:
            wanted.append(involves("IN :users"))
        if self.channel_ids:
            either = [was_in("IN :channels", table) for table in ("message", "deleted_message")]
            wanted.append(f"({' OR '.join(either)})")
        if self.since is not None:
            wanted.append("m.sent_at >= :since")
        if self.until is not None:
            wanted.append("m.sent_at < :until")
        if self.message_ids is not None:
            wanted.append("m.id IN :found")
        return " AND ".join(wanted) or "TRUE"

    @property
    def params(self) -> dict[str, Any]:
        given: dict[str, Any] = {
            "users": list(self.user_ids) or None,
            "channels": list(self.channel_ids) or None,
            "since": self.since,
            "until": self.until,
            "found": None if self.message_ids is None else list(self.message_ids),
        }
        return {name: value for name, value in given.items() if value is not None}


class ArchivedMessages(msgspec.Struct, frozen=True):
    """Which messages are archived: those of an export or of one channel in it, or of one user, or
    those that a discovery finds, deleted ones among them."""

    kind: str
    consenting: Collection[int] = ()
    person_id: int | None = None
    readable_ids: Sequence[int] = ()  # the channels that this user may read
    unknown_ids: Collection[int] = ()  # the users whom this user may not know
    has_earlier_versions: bool = True
    channel_id: int | None = None
    discovery: Discovery | None = None

    @property
    def source(self) -> str:
        """The messages with their topics, and the deleted ones if they are wanted."""
        messages = f"SELECT {_COLUMNS}, {KEY} AS topic_key"
        if self.discovery is None:
            return f"({messages} FROM message m)"
        return (
            f"({messages}, '' AS channel_ids FROM message m"
            f" UNION ALL SELECT {_COLUMNS}, m.topic_key, m.channel_ids FROM deleted_message m)"
        )

    @property
    def condition(self) -> str:
        if self.discovery is not None:
            return self.discovery.condition
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
            return {"person": self.person_id, "readable": list(self.readable_ids)}
        found: dict[str, Any] = {}
        if self.channel_id is not None:
            found["only_channel"] = self.channel_id
        if ":consenting" in self.condition:
            found["consenting"] = list(self.consenting)
        return found


def find_words(tx: Tx, wanted: Discovery) -> Discovery:
    """The same discovery with the ids of the messages that contain one of its words.

    Databases do not fold letters as search does, so all texts of the other criteria are read.
    """
    if not wanted.words:
        return wanted
    folded = [domain.search.words.fold(word) for word in wanted.words]
    others = replace(wanted, words=())
    found: list[int] = []
    chosen, after = ArchivedMessages("", discovery=others), 0
    while ids := tx.column(
        f"SELECT m.id FROM {chosen.source} m WHERE m.realm_id = :realm AND m.id > :after"
        f" AND {chosen.condition} ORDER BY m.id LIMIT :size",
        after=after,
        size=WORD_BATCH,
        **chosen.params,
    ):
        versions = tx.tuples(
            f"SELECT m.id, {NAME}, m.content, m.rendered FROM message m"
            " WHERE m.id IN :ids"
            " UNION ALL SELECT m.id, e.prev_topic, NULL, NULL FROM message m"
            f" JOIN topic_edit e ON {edits.OF_TOPIC} WHERE m.id IN :ids"
            " UNION ALL SELECT message_id, prev_topic, prev_content, prev_rendered"
            " FROM message_edit WHERE message_id IN :ids",
            ids=ids,
        )
        widgets = submessages.of_messages(tx, ids)
        for kept in (each.message for each in kept_among(tx, ids)):
            versions.append((kept.id, kept.topic, kept.content, kept.rendered))
            versions += [
                (kept.id, each.prev_topic, each.prev_content, each.prev_rendered)
                for each in kept.edits
            ]
            widgets[kept.id] = kept.submessages
        having = {each for each, *version in versions if _has_one(_texts(*version), folded)}
        having |= {
            each
            for each, parts in widgets.items()
            if _has_one(domain.messages.widgets.texts_of(parts), folded)
        }
        found += [each for each in ids if each in having]
        after = ids[-1]
    return replace(others, message_ids=found)


def _texts(topic: str | None, content: str | None, rendered: str | None) -> Iterator[str]:
    """What was written, and the text as readers see it: markup may divide a word."""
    yield topic or ""
    yield content or ""
    yield domain.messages.plain_text.text_of(rendered or "")


def _has_one(texts: Iterable[str], folded: Sequence[str]) -> bool:
    return any(word in text for text in map(domain.search.words.fold, texts) for word in folded)


def count(tx: Tx, chosen: ArchivedMessages) -> int:
    return tx.number(
        f"SELECT count(*) AS value FROM {chosen.source} m WHERE m.realm_id = :realm"
        f" AND {chosen.condition}",
        **chosen.params,
    )


def topics(tx: Tx, chosen: ArchivedMessages, channel_id: int) -> list[tuple[str, int]]:
    """The keys of the topics with chosen messages, and their oldest one; newest topics first."""
    return [
        (key, oldest)
        for key, oldest, _ in tx.tuples(
            f"SELECT m.topic_key, min(m.id), max(m.id) FROM {chosen.source} m"
            f" WHERE m.channel_id = :channel AND {chosen.condition}"
            " GROUP BY m.topic_key ORDER BY 3 DESC",
            channel=channel_id,
            **chosen.params,
        )
    ]


def page_starts(
    tx: Tx, chosen: ArchivedMessages, channel_id: int, topic_key: str, size: int
) -> "array[int]":
    """The first message of each page of a topic, in order; empty if it has no chosen messages."""
    found = tx.column(
        "SELECT id FROM (SELECT m.id, row_number() OVER (ORDER BY m.id) AS n"
        f" FROM {chosen.source} m"
        f" WHERE m.channel_id = :channel AND m.topic_key = :topic AND {chosen.condition}) numbered"
        " WHERE mod(n, :size) = 1 ORDER BY id",
        channel=channel_id,
        topic=topic_key,
        size=size,
        **chosen.params,
    )
    return array("q", found)


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


def links_file(tx: Tx, chosen: ArchivedMessages, attachment_id: int) -> bool:
    """Whether a chosen message links a file. A discovery has all files."""
    return chosen.discovery is not None or tx.exists(
        "SELECT 1 AS found FROM attachment_message l JOIN message m ON m.id = l.message_id"
        f" WHERE l.attachment_id = :attachment AND l.realm_id = :realm AND {chosen.condition}"
        " LIMIT 1",
        attachment=attachment_id,
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
        found = find_many(tx, tx.realm_id, ids)
        with_deleted = chosen.discovery is not None
        present = [found[each] for each in ids if each in found]
        messages = details.with_details(tx, present, all_texts=True, with_held=with_deleted)
        if with_deleted:
            kept = kept_among(tx, [each for each in ids if each not in found])
            messages += [each.message for each in kept]
        yield sorted(messages, key=lambda each: each.id)
        after = ids[-1]


def kept_among(tx: Tx, message_ids: Sequence[int]) -> list[KeptMessage]:
    """Those of the messages that are deleted and kept."""
    if not message_ids:
        return []
    selection = KeptSelection(message_ids=tuple(message_ids))
    return deleted.find(tx, selection, limit=len(message_ids))
