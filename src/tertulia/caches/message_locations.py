"""Message locations: the topic or conversation of each message, by message id.

A register describes thousands of unread messages, grouped by conversation. The cache spares it most
of the database reads. It holds eight bytes per message that was sent or looked up lately: the
number of its conversation. An event that rewrites messages drops their entries, unless it cannot
move them.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tertulia.caches.cache import Applied, Cache
from tertulia.domain.messages.message import ConversationKey, Resolved

PAGE_BITS = 12
MAX_CONVERSATIONS = 100_000

_IN_PAGE = (1 << PAGE_BITS) - 1
_EMPTY_PAGE = [0] * (1 << PAGE_BITS)


UNKNOWN = 0
UNKNOWN_CONVERSATION = ConversationKey(None, "", "", ())

PageCache = dict[int, list[int]]  # the number of the conversation of each message


class MessageLocations(Cache):
    """Shared by all organizations of a server. A million messages take 8 MiB."""

    name = "message_locations"
    unit = "messages"
    invalidated_by = frozenset({"sent", "rewritten"})

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self._max_pages = bound >> PAGE_BITS
        self._blocks: tuple[PageCache, list[ConversationKey]] = (
            {},
            [UNKNOWN_CONVERSATION],
        )  # replaced together
        self._numbers: dict[ConversationKey, int] = {}
        self._of_realm: dict[int, set[ConversationKey]] = {}
        # By organization: the seq of the last event that moved messages.
        self._moved_at: dict[int, int] = {}

    @property
    def size(self) -> int:
        return len(self._blocks[0]) << PAGE_BITS

    def find(self, message_ids: Sequence[int]) -> tuple[Resolved, list[int]]:
        """Group messages, given in order, by conversation; also return those that are not cached.

        The conversation of the first message comes first.
        """
        pages, keys = self._blocks
        grouped = defaultdict[int, list[int]](list)
        begin = 0
        while begin < len(message_ids):
            page_number = message_ids[begin] >> PAGE_BITS
            end = bisect_left(message_ids, (page_number + 1) << PAGE_BITS, begin)
            page = pages.get(page_number, _EMPTY_PAGE)
            first = page_number << PAGE_BITS
            for message_id in message_ids[begin:end]:
                grouped[page[message_id - first]].append(message_id)
            begin = end
        found: Resolved = []
        unknown: list[int] = []
        for number, some in grouped.items():
            key = keys[number]
            if key is UNKNOWN_CONVERSATION:
                unknown += some
            else:
                found.append((key, some))
        self.misses += len(unknown)
        self.hits += len(message_ids) - len(unknown)
        return found, sorted(unknown)

    def find_excluding(
        self, rewritten: frozenset[int] | None, message_ids: list[int]
    ) -> tuple[Resolved, list[int]]:
        """The same, but treat rewritten messages as not cached. None: any message may be
        rewritten."""
        if rewritten is None:
            return [], message_ids
        if not rewritten:
            return self.find(message_ids)
        doubtful = rewritten.intersection(message_ids)
        found, unknown = self.find([each for each in message_ids if each not in doubtful])
        return found, sorted(doubtful.union(unknown))

    def add_many(
        self, realm_id: int, seq: int, found: Iterable[tuple[int, ConversationKey]]
    ) -> None:
        """Cache locations that were read as of an event, unless messages were moved since.

        A message that was moved between channels must not be among them: whether it is unread
        depends on the reader.
        """
        if self._moved_at.get(realm_id, 0) <= seq:
            for message_id, location in found:
                self._put(realm_id, message_id, location)

    def invalidate(self, applied: Applied) -> None:
        event = applied.event
        sent = event.sent()
        if sent is not None and sent.message.arrived_seq is None:  # it was not moved since
            self._put(applied.realm_id, sent.message.id, ConversationKey.of(sent.message))
        rewritten = event.rewritten() if event.invalidates_permits else ()
        if rewritten:
            self._moved_at[applied.realm_id] = applied.seq
            pages, _ = self._blocks
            for message_id in rewritten:
                page = pages.get(message_id >> PAGE_BITS)
                if page is not None:
                    page[message_id & _IN_PAGE] = UNKNOWN

    def drop_organization(self, realm_id: int, seq: int) -> None:
        self._moved_at[realm_id] = seq
        _, keys = self._blocks
        for key in self._of_realm.pop(realm_id, ()):
            keys[self._numbers.pop(key)] = UNKNOWN_CONVERSATION

    def _put(self, realm_id: int, message_id: int, key: ConversationKey) -> None:
        if not self.bound:
            return
        number = self._numbers.get(key)
        if number is None:
            number = self._new_number(realm_id, key)
        pages, _ = self._blocks
        page = pages.get(message_id >> PAGE_BITS)
        if page is None:
            page = pages[message_id >> PAGE_BITS] = _EMPTY_PAGE[:]
            if len(pages) > self._max_pages:
                del pages[min(pages)]
        page[message_id & _IN_PAGE] = number

    def _new_number(self, realm_id: int, key: ConversationKey) -> int:
        if len(self._blocks[1]) >= MAX_CONVERSATIONS:
            self._blocks, self._numbers, self._of_realm = ({}, [UNKNOWN_CONVERSATION]), {}, {}
        _, keys = self._blocks
        number = self._numbers[key] = len(keys)
        keys.append(key)
        self._of_realm.setdefault(realm_id, set()).add(key)
        return number
