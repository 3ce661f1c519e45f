"""The history reader: encodes messages for a reader of history, with cached fragments.

A cached fragment is used only if the reader's transaction sees no event that this server
has not applied, and if the directory still holds the records that it contains.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import msgspec
from msgspec.structs import replace

from tertulia import storage
from tertulia.caches.all_caches import Caches
from tertulia.caches.history import Fragment, key_of
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Message
from tertulia.events.directory.organization import Organization
from tertulia.events.types import event
from tertulia.events.types.messages.message import add_details, message_object

_encode = msgspec.json.Encoder().encode


class MessageFormat(msgspec.Struct, frozen=True):
    """The format that a client requested for messages."""

    apply_markdown: bool
    client_gravatar: bool
    allow_empty_topic: bool

    @property
    def number(self) -> int:
        return self.apply_markdown | self.client_gravatar << 1 | self.allow_empty_topic << 2


class HistoryReader(msgspec.Struct, frozen=True):
    """One read of history, and the log position that was applied before it."""

    caches: Caches
    org: Organization
    format: MessageFormat
    position: LogPosition
    shares: bool  # whether the reader sees senders as everyone does

    @classmethod
    def begin(
        cls, caches: Caches, org: Organization, format: MessageFormat, shares: bool
    ) -> "HistoryReader":
        return cls(caches, org, format, org.position, shares and caches.fragments.is_on)

    def is_up_to_date(self, end: LogPosition, tx: Tx) -> bool:
        """Whether events after the applied position leave history and access unchanged.

        Then caches and directory are valid in this transaction. Without a fragment cache everything
        is read from the database.
        """
        known = self.position
        if not self.caches.fragments.is_on:
            return False
        if end.matches(known):
            return True
        return end.epoch == known.epoch and end.seq - known.seq == storage.log.count_after(
            tx, known.seq, harmless_kinds()
        )

    def find(self, message_ids: Sequence[int]) -> dict[int, Fragment]:
        """Those of the messages that have valid fragments."""
        if not self.shares:
            return {}
        number, org, cache = self.format.number, self.org, self.caches.fragments
        version, get = org.version, cache.get
        found = {
            message_id: fragment
            for message_id in message_ids
            if (fragment := get(message_id << 3 | number)) is not None
            and (fragment.version == version or _is_valid(fragment, org))
        }
        cache.hits += len(found)
        cache.misses += len(message_ids) - len(found)
        return found

    def encode(self, message: Message, seq: int) -> bytes:
        """The text of a message that was read as of an event; adds it to the cache."""
        text = encode(self.org, message, self.format)
        if self.shares:
            records = dependencies_of(self.org, message)
            bare = replace(message, content="", rendered="", edits=(), submessages=())
            fragment = Fragment(bare, text, records, message.provenance)
            self.caches.fragments.put(key_of(message.id, self.format.number), fragment, seq)
        return text

    def touch(self, message_ids: Iterable[int]) -> None:
        number = self.format.number
        self.caches.fragments.touch(key_of(each, number) for each in message_ids)


def encode(
    org: Organization, message: Message, format: MessageFormat, *, knows_sender: bool = True
) -> bytes:
    """A message as an open JSON object, without the reader's own members."""
    body = message_object(
        org,
        message,
        apply_markdown=format.apply_markdown,
        client_gravatar=format.client_gravatar,
        allow_empty_topic=format.allow_empty_topic,
        knows_sender=knows_sender,
    )
    add_details(org, body, message, allow_empty_topic=format.allow_empty_topic)
    return _encode(body)[:-1]


def dependencies_of(org: Organization, message: Message) -> tuple[object, ...]:
    """The directory records whose data a message contains."""
    people = org.users
    reacting = tuple(people.get(each.user_id) for each in message.reactions)
    if message.channel_id is None:
        members = tuple(people.get(member_id) for member_id in message.member_ids)
        return org.load, people.get(message.sender_id), org.realm, reacting, members
    page_key = org.channels.get(message.channel_id)
    sender = people.get(message.sender_id)
    return org.load, sender, org.realm, reacting, page_key, org.link_patterns


def _is_valid(fragment: Fragment, org: Organization) -> bool:
    """Whether the directory still holds the same records."""
    version = org.version
    if fragment.version == version:
        return True
    if fragment.records != dependencies_of(org, fragment.message):
        return False
    fragment.version = version
    return True


@cache
def harmless_kinds() -> list[str]:
    """Event kinds that neither rewrite a message nor change anyone's access to messages."""
    return [word for word, kind in event.kinds().items() if kind.keeps_history]
