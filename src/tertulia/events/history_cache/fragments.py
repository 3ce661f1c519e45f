"""Fragment cache: messages as JSON, encoded once and shared by all readers.

A fragment is the JSON object of a message without its closing brace. The reader's own members
follow: flags and search highlights. Each use checks that the fragment is valid:

- The message is unchanged. An event names the messages that it rewrites (`Event.rewritten`), and
  the follower drops their fragments. For events that are not applied yet, the reader's transaction
  checks the log.
- The users and channels in it are the same records that the directory holds now.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable

import msgspec
from msgspec.structs import replace

from tertulia import events
from tertulia.domain.messages.message import Message, MessageOrigin
from tertulia.events.directory.organization import Organization

OVERHEAD_BYTES = 800  # beside the text
MAX_FRAGMENT_BYTES = 1 << 17  # larger fragments would evict too many others

_encode = msgspec.json.Encoder().encode

Key = int
"""A message and the manner it is told in."""


class MessageFormat(msgspec.Struct, frozen=True):
    """The format that a client requested for messages."""

    apply_markdown: bool
    client_gravatar: bool
    allow_empty_topic: bool

    def key(self, message_id: int) -> Key:
        return message_id << 3 | self.number

    @property
    def number(self) -> int:
        return self.apply_markdown | self.client_gravatar << 1 | self.allow_empty_topic << 2


MANNERS = 8


class Fragment(msgspec.Struct):
    message: Message  # without its content, which is in the text
    text: bytes  # a JSON object without its closing brace
    records: tuple[object, ...]  # directory records whose data it contains
    provenance: MessageOrigin
    version: int = -1  # directory version in which these records were checked last

    def is_valid_for(self, org: Organization) -> bool:
        """Whether the directory still holds the same records."""
        if self.version == org.version:
            return True
        version = org.version
        if self.records != dependencies_of(org, self.message):
            return False
        self.version = version
        return True


class FragmentCache:
    """An LRU cache of fragments. Changed on the event loop only; any thread may read."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._fragments: OrderedDict[Key, Fragment] = OrderedDict()
        self.find = self._fragments.get  # for any thread
        # By organization: the seq of the last event that rewrote messages.
        self._rewritten_at: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._fragments)

    @property
    def is_in_use(self) -> bool:
        return self._most_bytes > 0

    def touch(self, keys: Iterable[Key]) -> None:
        """Mark fragments as used. While half of the room is free, the order does not matter."""
        if 2 * self._bytes > self._most_bytes:
            for key in keys:
                if key in self._fragments:
                    self._fragments.move_to_end(key)

    def put(self, key: Key, fragment: Fragment, seq: int) -> None:
        """Cache a fragment that was read as of an event, unless it is outdated."""
        is_outdated = self._rewritten_at.get(fragment.message.realm_id, 0) > seq
        if is_outdated or len(fragment.text) > MAX_FRAGMENT_BYTES:
            return
        self._take_out(key)
        self._fragments[key] = fragment
        self._bytes += _size(fragment)
        while self._bytes > self._most_bytes:
            self._take_out(next(iter(self._fragments)))

    def forget(self, realm_id: int, seq: int, message_ids: Collection[int]) -> None:
        """Drop the messages that an event has rewritten."""
        self._rewritten_at[realm_id] = seq
        for message_id in message_ids:
            for number in range(MANNERS):
                self._take_out(message_id << 3 | number)

    def begin_afresh(self, realm_id: int, seq: int) -> None:
        """Events up to `seq` were not applied one by one: messages may have been rewritten.

        Existing fragments contain records of the old directory, so they become invalid by
        themselves.
        """
        self._rewritten_at[realm_id] = seq

    def _take_out(self, key: Key) -> None:
        fragment = self._fragments.pop(key, None)
        if fragment is not None:
            self._bytes -= _size(fragment)


def text_of(
    org: Organization, message: Message, manner: MessageFormat, *, knows_sender: bool = True
) -> bytes:
    """A message as an open JSON object, without the reader's own members."""
    body = events.types.messages.message.message_object(
        org,
        message,
        apply_markdown=manner.apply_markdown,
        client_gravatar=manner.client_gravatar,
        allow_empty_topic=manner.allow_empty_topic,
        knows_sender=knows_sender,
    )
    events.types.messages.message.add_details(
        org, body, message, allow_empty_topic=manner.allow_empty_topic
    )
    return _encode(body)[:-1]


def dependencies_of(org: Organization, message: Message) -> tuple[object, ...]:
    """The directory records whose data a message contains."""
    people = org.users
    reacting = tuple(people.get(each.user_id) for each in message.reactions)
    if message.channel_id is None:
        members = tuple(people.get(member_id) for member_id in message.member_ids)
        return org.life, people.get(message.sender_id), org.realm, reacting, members
    place = org.channels.get(message.channel_id)
    sender = people.get(message.sender_id)
    return org.life, sender, org.realm, reacting, place, org.link_patterns


def without_content(message: Message) -> Message:
    return replace(message, content="", rendered="", edits=(), submessages=())


def _size(fragment: Fragment) -> int:
    return len(fragment.text) + OVERHEAD_BYTES
