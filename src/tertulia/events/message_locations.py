"""Where messages stand: in which topic of which channel, or in which conversation.

Whoever registers is told of thousands of unread messages, place by place. So it is remembered of
each message that was sent or looked up lately, in eight bytes: the number of its place. An event
that rewrites messages (`Event.rewritten`) has theirs forgotten; what is not known here is asked of
the database, and learnt. What somebody was told of all that is kept for those who have not read the
same (`common_unread`), for as long as these messages stand where they do.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from tertulia.domain.messages.message import Message
from tertulia.events.conversation_keys import ConversationKey, Resolved
from tertulia.events.shared_unread import SharedUnread
from tertulia.storage.messages.unread import UnreadMessage

PAGE_BITS = 12
MAX_PAGES = 256  # a million messages: 8 MiB
MAX_CONVERSATIONS = 100_000
MAX_SHARED_UNREAD = 16  # organizations; ten thousand unread messages take half a megabyte

_IN_PAGE = (1 << PAGE_BITS) - 1
_EMPTY_PAGE = [0] * (1 << PAGE_BITS)


UNKNOWN = 0
UNKNOWN_CONVERSATION = ConversationKey(None, "", "", ())

Whose = tuple[int, bool]  # the organization, and whether topics may have no name


PageCache = dict[int, list[int]]  # for each message the number of its place


class MessageLocations:
    """Of all organizations of a server. It is changed on the loop only, and read by threads."""

    def __init__(self) -> None:
        self._places: tuple[PageCache, list[ConversationKey]] = (
            {},
            [UNKNOWN_CONVERSATION],
        )  # replaced as one
        self._numbers: dict[ConversationKey, int] = {}
        self._of_realm: dict[int, set[ConversationKey]] = {}
        self._newest: dict[int, int] = {}  # by organization
        self._rewritten_at: dict[int, int] = {}  # by organization, the last event that did so
        self._common: dict[Whose, SharedUnread] = {}

    def find(self, message_ids: Sequence[int]) -> tuple[Resolved, list[int]]:
        """Messages, given in order, by where they stand, and those of which it is not known.

        First comes the place of the first message."""
        pages, spots = self._places
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
            spot = spots[number]
            if spot is UNKNOWN_CONVERSATION:
                unknown += some
            else:
                found.append((spot, some))
        return found, sorted(unknown)

    def find_excluding(
        self, rewritten: frozenset[int] | None, message_ids: list[int]
    ) -> tuple[Resolved, list[int]]:
        """The same where some messages were rewritten since: None if nobody knows which."""
        if rewritten is None:
            return [], message_ids
        if not rewritten:
            return self.find(message_ids)
        doubtful = rewritten.intersection(message_ids)
        found, unknown = self.find([each for each in message_ids if each not in doubtful])
        return found, sorted(doubtful.union(unknown))

    def newest(self, realm_id: int) -> int | None:
        """The newest message of an organization of which something is known."""
        return self._newest.get(realm_id)

    def common(self, whose: Whose, rewritten: frozenset[int] | None) -> SharedUnread | None:
        """What was unread lately, where some messages were rewritten since: None if nobody knows
        which."""
        known = self._common.get(whose)
        if known is None or rewritten is None or known.holds_any_of(rewritten):
            return None
        return known

    def keep_common(self, whose: Whose, seq: int, found: SharedUnread) -> None:
        """Somebody was told as of an event what they have not read."""
        known = self._common.get(whose)
        is_old = self._rewritten_at.get(whose[0], 0) > seq
        if is_old or (known is not None and known.is_worth_more_than(found)):
            return
        self._common.pop(whose, None)
        self._common[whose] = found
        if len(self._common) > MAX_SHARED_UNREAD:
            del self._common[next(iter(self._common))]

    def note_sent(self, message: Message) -> None:
        """A message was sent, or stands already where it was moved a moment later."""
        if message.arrived_seq is None:
            self._put(message.realm_id, message.id, ConversationKey.of(message))

    def learn(self, realm_id: int, seq: int, described: Iterable[UnreadMessage]) -> None:
        """Remember what was read as of an event, unless messages were rewritten since.

        Of one that was moved from channel to channel it depends on the reader whether it is there.
        """
        if self._rewritten_at.get(realm_id, 0) <= seq:
            for each in described:
                if not each.is_moved:
                    self._put(realm_id, each.id, ConversationKey.of(each))

    def forget(self, realm_id: int, seq: int, message_ids: Collection[int]) -> None:
        """An event has rewritten these messages."""
        self._rewritten_at[realm_id] = seq
        pages, _ = self._places
        for message_id in message_ids:
            page = pages.get(message_id >> PAGE_BITS)
            if page is not None:
                page[message_id & _IN_PAGE] = UNKNOWN
        for whose in ((realm_id, False), (realm_id, True)):
            common = self._common.get(whose)
            if common is not None and common.holds_any_of(message_ids):
                del self._common[whose]

    def forget_all(self, realm_id: int, seq: int) -> None:
        """The log up to an event was not followed one by one: nobody knows what it rewrote."""
        self._rewritten_at[realm_id] = seq
        _, spots = self._places
        for spot in self._of_realm.pop(realm_id, ()):
            spots[self._numbers.pop(spot)] = UNKNOWN_CONVERSATION
        for whose in ((realm_id, False), (realm_id, True)):
            self._common.pop(whose, None)

    def _put(self, realm_id: int, message_id: int, spot: ConversationKey) -> None:
        number = self._numbers.get(spot)
        if number is None:
            number = self._new_number(realm_id, spot)
        pages, _ = self._places
        page = pages.get(message_id >> PAGE_BITS)
        if page is None:
            page = pages[message_id >> PAGE_BITS] = _EMPTY_PAGE[:]
            if len(pages) > MAX_PAGES:
                del pages[min(pages)]
        page[message_id & _IN_PAGE] = number
        if message_id > self._newest.get(realm_id, 0):
            self._newest[realm_id] = message_id

    def _new_number(self, realm_id: int, spot: ConversationKey) -> int:
        if len(self._places[1]) >= MAX_CONVERSATIONS:
            self._places, self._numbers, self._of_realm = ({}, [UNKNOWN_CONVERSATION]), {}, {}
        _, spots = self._places
        number = self._numbers[spot] = len(spots)
        spots.append(spot)
        self._of_realm.setdefault(realm_id, set()).add(spot)
        return number
