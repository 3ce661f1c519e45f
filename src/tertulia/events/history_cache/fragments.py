"""Messages as history tells them: each made into bytes once, and shared by all who read it.

A fragment is a message as a JSON object that is still open at its end, where each reader's own
part follows: the flags, and what a search has marked. It is right while two things hold, and both
are asked each time it is used:

* The message is what it was. An event says which messages it rewrites (`Event.rewritten`), and the
  follower has their fragments forgotten. Of what stands in the log and was not followed yet, the
  reader's own transaction knows.
* What it tells of others, the names of people and channels, comes from the very records that the
  directory holds now.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable

import msgspec
from msgspec.structs import replace

from tertulia import events
from tertulia.domain.messages.message import Message, MessageOrigin
from tertulia.events.directory.organization import Organization

OVERHEAD_BYTES = 800  # what a fragment takes beside its text
LARGEST_BYTES = 1 << 17  # of a fragment: a few that are larger would make all others go

_encode = msgspec.json.Encoder().encode

Key = int
"""A message and the manner it is told in."""


class MessageFormat(msgspec.Struct, frozen=True):
    """How a reader wants messages to be told."""

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
    message: Message  # without its words: they are in the text
    text: bytes  # a JSON object without its closing brace
    records: tuple[object, ...]  # of the directory, that it tells of
    provenance: MessageOrigin
    version: int = -1  # of the directory, in which these records were seen last

    def is_valid_for(self, org: Organization) -> bool:
        """Whether the directory still holds the very records that it tells of."""
        if self.version == org.version:
            return True
        version = org.version
        if self.records != dependencies_of(org, self.message):
            return False
        self.version = version
        return True


class Shelf:
    """The fragments of a server, those kept that were read last. It is changed on the loop only."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._fragments: OrderedDict[Key, Fragment] = OrderedDict()
        self.find = self._fragments.get  # from any thread
        self._rewritten_at: dict[int, int] = {}  # by organization, the last event that did so

    def __len__(self) -> int:
        return len(self._fragments)

    @property
    def is_in_use(self) -> bool:
        return self._most_bytes > 0

    def touch(self, keys: Iterable[Key]) -> None:
        """Keep what was read just now longer than what was not; while there is room, all stays."""
        if 2 * self._bytes > self._most_bytes:
            for key in keys:
                if key in self._fragments:
                    self._fragments.move_to_end(key)

    def put(self, key: Key, fragment: Fragment, seq: int) -> None:
        """Keep what was read from the database as of an event, unless it is outdated already."""
        is_outdated = self._rewritten_at.get(fragment.message.realm_id, 0) > seq
        if is_outdated or len(fragment.text) > LARGEST_BYTES:
            return
        self._take_out(key)
        self._fragments[key] = fragment
        self._bytes += _size(fragment)
        while self._bytes > self._most_bytes:
            self._take_out(next(iter(self._fragments)))

    def forget(self, realm_id: int, seq: int, message_ids: Collection[int]) -> None:
        """An event has rewritten these messages."""
        self._rewritten_at[realm_id] = seq
        for message_id in message_ids:
            for number in range(MANNERS):
                self._take_out(message_id << 3 | number)

    def begin_afresh(self, realm_id: int, seq: int) -> None:
        """The log up to an event was not followed one by one: nobody knows what it rewrote.

        What we have is of another life of the directory, and will be made anew when it is found.
        """
        self._rewritten_at[realm_id] = seq

    def _take_out(self, key: Key) -> None:
        fragment = self._fragments.pop(key, None)
        if fragment is not None:
            self._bytes -= _size(fragment)


def text_of(
    org: Organization, message: Message, manner: MessageFormat, *, knows_sender: bool = True
) -> bytes:
    """A message as an open JSON object, with all but what is one reader's own."""
    told = events.types.messages.message.message_object(
        org,
        message,
        apply_markdown=manner.apply_markdown,
        client_gravatar=manner.client_gravatar,
        allow_empty_topic=manner.allow_empty_topic,
        knows_sender=knows_sender,
    )
    events.types.messages.message.add_details(
        org, told, message, allow_empty_topic=manner.allow_empty_topic
    )
    return _encode(told)[:-1]


def dependencies_of(org: Organization, message: Message) -> tuple[object, ...]:
    """All of the directory that a message tells of."""
    people = org.users
    reacting = tuple(people.get(each.user_id) for each in message.reactions)
    if message.channel_id is None:
        members = tuple(people.get(member_id) for member_id in message.member_ids)
        return org.life, people.get(message.sender_id), org.realm, reacting, members
    place = org.channels.get(message.channel_id)
    sender = people.get(message.sender_id)
    return org.life, sender, org.realm, reacting, place, org.link_patterns


def without_words(message: Message) -> Message:
    return replace(message, content="", rendered="", edits=(), submessages=())


def _size(fragment: Fragment) -> int:
    return len(fragment.text) + OVERHEAD_BYTES
