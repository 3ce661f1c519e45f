"""Caches are bounded, invalidated by events, counted, and can be turned off."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, get_args

import msgspec
import pytest
from tests.support.people import Chat

from tertulia.caches.all_caches import Caches, LoginCache, VerifiedLogin
from tertulia.caches.cache import Cache, EntryCache, Fact, Invalidating, NewMessage
from tertulia.caches.history import (
    MAX_FRAGMENT_BYTES,
    OVERHEAD_BYTES,
    Fragment,
    FragmentCache,
)
from tertulia.caches.message_locations import MessageLocations
from tertulia.caches.send_permits import MAX_AGE_SECONDS, SendPermits, in_topic
from tertulia.caches.sessions import SessionCache
from tertulia.caches.topic_starts import (
    PAGE_MESSAGES,
    TopicOfChannel,
    TopicStarts,
    TopicStartsCache,
)
from tertulia.domain.messages.message import ConversationKey, Message
from tertulia.domain.people.sessions import Session
from tertulia.events.types.messages.message import MessageSent
from tertulia.events.types.people.sessions import SessionsEnded

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"


@dataclass(frozen=True)
class SomeEvent:
    new: NewMessage | None = None
    rewrites: Collection[int] = ()
    invalidates_permits: bool = False
    ends_sessions_of: Collection[int] = ()

    @classmethod
    def facts(cls) -> Collection[Fact]:
        return get_args(Fact)

    def sent(self) -> NewMessage | None:
        return self.new

    def rewritten(self) -> Collection[int]:
        return self.rewrites

    def logged_out(self) -> Collection[int]:
        return self.ends_sessions_of


@dataclass(frozen=True)
class Logged:
    seq: int
    event: Invalidating
    realm_id: int = 1


def sends(seq: int) -> Logged:
    """A message of user 1 to channel 1."""
    return Logged(seq, SomeEvent(NewMessage(fragment(1).message, [])))


def reacts(seq: int, message_id: int) -> Logged:
    return Logged(seq, SomeEvent(rewrites=[message_id]))


def moves(seq: int, message_id: int) -> Logged:
    return Logged(seq, SomeEvent(rewrites=[message_id], invalidates_permits=True))


def fragment(number: int, size: int = 100) -> Fragment:
    message = Message(number, 1, 1, 1, None, (), "", "", "", "", 0.0, False, False, False)
    return Fragment(message, b"x" * size, (), message.provenance)


# --- the table ---


def test_every_cache_has_its_own_name_and_a_row_in_the_documentation():
    caches = Caches().all
    rows = PAGE.read_text()

    assert len({each.name for each in caches}) == len(caches)
    assert [each.name for each in caches if f"| `{each.name}` |" not in rows] == []


@pytest.mark.parametrize("name", [each.name for each in Caches().all if each.invalidated_by])
def test_a_cache_names_the_facts_that_invalidate_it(name):
    class Recorder(SomeEvent):
        asked: ClassVar[set[str]] = set()

        def __getattribute__(self, fact: str) -> object:
            type(self).asked.add(fact)
            return super().__getattribute__(fact)

    caches = Caches()
    caches.topic_starts.begin(TopicOfChannel(2, 1, ""))  # an empty one asks nothing
    (cache,) = (each for each in caches.all if each.name == name)

    cache.invalidate(Logged(2, Recorder(invalidates_permits=True)))

    assert Recorder.asked & set(get_args(Fact)) - {"invalidates_permits"} <= cache.invalidated_by
    assert Recorder.asked & cache.invalidated_by


def test_only_caches_that_name_a_fact_have_something_to_invalidate():
    for each in Caches().all:
        assert bool(each.invalidated_by) == (type(each).invalidate is not Cache.invalidate)


def test_an_event_is_passed_to_the_caches_that_one_of_its_facts_concerns():
    assert set(MessageSent.facts()) == {"sent", "rewritten"}
    assert set(SessionsEnded.facts()) == {"logged_out", "invalidates_permits"}
    caches = Caches()
    caches.sessions.put((1, b"x"), Session(1, 1, "", "", 0.0, 0.0))

    caches.invalidate(Logged(2, SessionsEnded(1)))

    assert caches.sessions.size == 0


def test_the_metrics_count_hits_and_misses_of_every_cache(chat, in_kitchen, ana):
    for _ in range(3):
        ana.says("Soup's on", to="kitchen > lunch")
        ana.get("/messages", anchor="newest", num_before=10, num_after=0).succeeds()
        ana.post("/register").succeeds()

    counts = {}
    for line in chat.server.client.raw("GET", "/metrics").body.decode().splitlines():
        if line.startswith("tertulia_cache_"):
            name, _, value = line.rpartition(" ")
            counts[name] = float(value)
    for each in Caches().all:
        assert f'tertulia_cache_misses_total{{cache="{each.name}"}}' in counts
    assert counts['tertulia_cache_hits_total{cache="fragments"}'] > 0
    assert counts['tertulia_cache_hits_total{cache="send_permits"}'] > 0
    assert counts['tertulia_cache_hits_total{cache="registers"}'] > 0
    assert counts['tertulia_cache_bound{cache="fragments",unit="bytes"}'] == 16 << 20


def test_no_cache_holds_anything_when_caches_are_off(start_server):
    server = start_server(caches=False)
    chat = Chat.found(server)
    ana = chat.person("ana", channels=["kitchen"])
    for _ in range(2):
        ana.says("Soup's on", to="kitchen > lunch")
        ana.get("/messages", anchor="newest", num_before=10, num_after=0).succeeds()
        ana.post("/register").succeeds()

    statistics = server.cache_statistics()
    assert statistics == dict.fromkeys(statistics, (0, 0, 0))


# --- entries ---


def test_a_full_cache_evicts_its_oldest_entry():
    cache: EntryCache[int, str] = EntryCache(2)
    for number in (1, 2, 1, 3):
        cache.put(number, "x")

    assert [cache.find(number) for number in (1, 2, 3)] == ["x", None, "x"]
    assert (cache.hits, cache.misses, cache.size) == (2, 1, 2)


def test_sessions_are_dropped_when_one_of_their_owner_ends():
    cache = SessionCache(10)
    for user_id in (1, 2):
        cache.put((1, bytes([user_id])), Session(user_id, user_id, "", "", 0.0, 0.0))

    cache.invalidate(Logged(1, SomeEvent(ends_sessions_of=[1])))

    assert cache.find((1, b"\1")) is None
    assert cache.find((1, b"\2")) is not None
    assert cache.forgotten == 1


def test_one_header_is_cached_for_each_key(ana):
    cache = LoginCache(10)
    for header in ("Basic a", "Basic  a"):
        cache.put(header, VerifiedLogin(b"key", ana.record))

    assert cache.find("Basic a") is None
    assert cache.find("Basic  a") is not None
    assert cache.size == 1


# --- permits ---


def test_a_permit_ends_with_any_change_of_permissions_and_after_an_hour():
    permits = SendPermits(10)
    permits.invalidate(sends(1))
    location = in_topic(1, "")

    assert permits.find(1, 1, location, 0.0) is not None
    assert permits.find(1, 1, location, MAX_AGE_SECONDS) is None

    permits.invalidate(sends(2))
    permits.invalidate(Logged(3, SomeEvent(invalidates_permits=True)))
    assert permits.find(1, 1, location, 0.0) is None


# --- locations ---


def test_a_location_is_dropped_by_a_move_and_kept_by_a_reaction():
    here = ConversationKey(1, "lunch", "1 lunch", ())
    cache = MessageLocations(1 << 20)
    cache.add_many(1, 1, [(5, here), (6, here)])

    cache.invalidate(reacts(2, 5))
    cache.invalidate(moves(3, 6))

    assert cache.find([5, 6]) == ([(here, [5])], [6])

    cache.add_many(1, 2, [(6, here)])  # read before it was moved
    assert cache.find([6]) == ([], [6])


# --- fragments ---


def test_the_fragment_cache_is_bounded_and_keeps_the_most_recent():
    cache = FragmentCache(3 * (OVERHEAD_BYTES + 100))
    for number in (1, 2, 3):
        cache.put(number << 3, fragment(number), seq=1)

    cache.touch([1 << 3])
    cache.put(4 << 3, fragment(4), seq=1)

    assert [bool(cache.get(number << 3)) for number in (1, 2, 3, 4)] == [True, False, True, True]


def test_a_very_long_message_evicts_no_others():
    cache = FragmentCache(1 << 20)
    cache.put(1 << 3, fragment(1), seq=1)

    for number in range(2, 20):
        long = msgspec.structs.replace(fragment(number), text=b"x" * (MAX_FRAGMENT_BYTES + 1))
        cache.put(number << 3, long, seq=1)

    assert cache.get(1 << 3) is not None
    assert len(cache) == 1


def test_a_message_read_before_it_was_rewritten_is_not_cached():
    cache = FragmentCache(1 << 20)
    cache.invalidate(reacts(7, 1))

    cache.put(1 << 3, fragment(1), seq=6)
    assert cache.get(1 << 3) is None

    cache.put(1 << 3, fragment(1), seq=7)
    assert cache.get(1 << 3) is not None


# --- starts of topic pages ---

LONG = TopicOfChannel(1, 1, "")


def arrives(seq: int, message_id: int) -> Logged:
    return Logged(seq, SomeEvent(NewMessage(fragment(message_id).message, [])))


def known_starts(count: int, seq: int) -> TopicStarts:
    """Of the messages 1 to `count`."""
    return TopicStarts(list(range(1, count + 1, PAGE_MESSAGES)), count, count, seq)


def test_a_new_message_of_a_topic_is_counted_and_may_start_a_page():
    cache = TopicStartsCache(10)
    cache.begin(LONG)
    cache.finish(LONG, known_starts(199, seq=5))

    cache.invalidate(arrives(6, 300))
    cache.invalidate(arrives(7, 301))

    found = cache.find(LONG)
    assert found is not None
    assert (list(found.starts), found.count) == ([1, 101, 301], 201)


def test_messages_that_arrive_while_starts_are_read_are_counted_once():
    cache = TopicStartsCache(10)
    cache.begin(LONG)
    cache.invalidate(arrives(5, 200))  # the read has seen it
    cache.invalidate(arrives(6, 201))

    cache.finish(LONG, known_starts(200, seq=5))
    cache.invalidate(arrives(5, 200))  # applied late

    found = cache.find(LONG)
    assert found is not None
    assert (list(found.starts), found.count) == ([1, 101, 201], 201)


@pytest.mark.parametrize("moment", ["during the read", "later"])
def test_a_moved_message_drops_the_starts_of_topic_pages(moment):
    cache = TopicStartsCache(10)
    cache.begin(LONG)
    if moment == "during the read":
        cache.invalidate(moves(6, 3))
    cache.finish(LONG, known_starts(200, seq=5))
    if moment == "later":
        cache.invalidate(moves(6, 3))

    assert cache.find(LONG) is None


def test_a_message_with_a_lower_number_drops_the_starts_of_its_topic():
    cache = TopicStartsCache(10)
    cache.begin(LONG)
    cache.finish(LONG, known_starts(200, seq=5))

    cache.invalidate(arrives(6, 150))

    assert cache.find(LONG) is None
