"""The fragment cache: messages as JSON, encoded once for all readers of history.

A fragment is the JSON object of a message without its closing brace; flags and search highlights of
the reader follow. An event that rewrites messages drops their fragments (`Event.rewritten`). The
reader checks the rest at each use (`events/history_reader.py`): that its transaction sees no later
event, and that the users and channels in the fragment are those of the directory.
"""

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from tertulia.caches.cache import Applied, Cache
from tertulia.domain.messages.message import Message, MessageOrigin

OVERHEAD_BYTES = 800  # beside the text
MAX_FRAGMENT_BYTES = 1 << 17  # larger fragments would evict too many others
FORMATS = 8

Key = int  # a message id and the number of a format


class Fragment(msgspec.Struct):
    message: Message  # without its content, which is in the text
    text: bytes  # a JSON object without its closing brace
    records: tuple[object, ...]  # directory records whose data it contains
    provenance: MessageOrigin
    version: int = -1  # directory version in which these records were checked last


def key_of(message_id: int, format_number: int) -> Key:
    return message_id << 3 | format_number


def message_of(key: Key) -> int:
    return key >> 3


class FragmentCache(Cache):
    """Evicts the least recently used fragment."""

    name = "fragments"
    unit = "bytes"
    invalidated_by = frozenset({"rewritten"})

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self._bytes = 0
        self._fragments: OrderedDict[Key, Fragment] = OrderedDict()
        self.get = self._fragments.get  # without counting, for any thread
        # By organization: the seq of the last event that rewrote messages.
        self._rewritten_at: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._fragments)

    @property
    def size(self) -> int:
        return self._bytes

    def touch(self, keys: Iterable[Key]) -> None:
        """Mark fragments as used. While half of the room is free, the order does not matter."""
        if 2 * self._bytes > self.bound:
            for key in keys:
                if key in self._fragments:
                    self._fragments.move_to_end(key)

    def put(self, key: Key, fragment: Fragment, seq: int) -> None:
        """Cache a fragment that was read as of an event, unless it is outdated."""
        is_outdated = self._rewritten_at.get(fragment.message.realm_id, 0) > seq
        if is_outdated or len(fragment.text) > MAX_FRAGMENT_BYTES:
            return
        self._remove(key)
        self._fragments[key] = fragment
        self._bytes += _size(fragment)
        while self._bytes > self.bound:
            self._remove(next(iter(self._fragments)))

    def invalidate(self, applied: Applied) -> None:
        rewritten = applied.event.rewritten()
        if rewritten:
            self._rewritten_at[applied.realm_id] = applied.seq
            if len(rewritten) * FORMATS < len(self._fragments):
                keys = [
                    key_of(message_id, number)
                    for message_id in rewritten
                    for number in range(FORMATS)
                ]
            else:
                gone = set(rewritten)
                keys = [key for key in self._fragments if message_of(key) in gone]
            for key in keys:
                self._remove(key)

    def drop_organization(self, realm_id: int, seq: int) -> None:
        """Existing fragments contain records of the old directory, so no reader uses them."""
        self._rewritten_at[realm_id] = seq

    def _remove(self, key: Key) -> None:
        fragment = self._fragments.pop(key, None)
        if fragment is not None:
            self._bytes -= _size(fragment)


def _size(fragment: Fragment) -> int:
    return len(fragment.text) + OVERHEAD_BYTES
