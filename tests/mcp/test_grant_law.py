"""The law of grants: whatever an agent asks, it gets only what its user and its grant both allow.

Users, channels and messages are made at random, and so are grants. Every message has a word of its
own. The agent then calls every tool, resource and prompt with everything that it could guess, and
no answer may contain the word of a message outside of its grant, nor the name of a channel.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.grants import access_token
from tests.support.people import Caller, Chat, Person

CHANNELS = ("kitchen", "garden", "cellar", "attic")
PRIVATE = {"cellar": {"history_public_to_subscribers": True}, "attic": {}}
TOPICS = ("lunch", "news")

PLACES = st.one_of(
    st.tuples(st.sampled_from(CHANNELS), st.sampled_from(TOPICS)), st.just(("direct", ""))
)
GRANTS = st.dictionaries(st.sampled_from(CHANNELS), st.booleans())


class World:
    """Channels with messages; Ana is in some of them."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        chat.set("enable_agent_access", True)
        self.ben = chat.person("ben")
        self.ana = chat.person("ana")
        for name in CHANNELS:
            private = name in PRIVATE
            self.ben.joins(name, invite_only=private, **PRIVATE.get(name, {}))
        self.words: dict[int, tuple[str, str]] = {}  # the place and the word of each message
        self.number = 0

    def send(self, place: tuple[str, str]) -> None:
        self.number += 1
        word = f"zq{self.number:05}qz"
        channel, topic = place
        to: Any = [self.ana] if channel == "direct" else f"{channel} > {topic}"
        self.words[self.ben.says(f"Look at {word}", to=to).id] = (channel, word)

    def id(self, name: str) -> int:
        return self.chat.channel(name).id

    def seen_by_ana(self) -> set[int]:
        found = self.ana.get(
            "/messages", message_ids=list(self.words), allow_empty_topic_name=True
        ).succeeds()
        return {each["id"] for each in found["messages"]}


def answers(world: World, token: str) -> Iterator[tuple[str, str]]:
    """Everything that an agent can ask, and the answers."""
    agent = Caller(world.chat.server, {"Host": world.chat.host, "Authorization": f"Bearer {token}"})

    def ask(method: str, **params: Any) -> tuple[str, str]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        sent = msgspec.json.encode(body)
        reply = agent.raw("POST", "/mcp", sent, **{"Content-Type": "application/json"})
        assert reply.status == 200, reply.body
        return f"{method} {params}", reply.body.decode()

    def tool(name: str, /, **arguments: Any) -> tuple[str, str]:
        return ask("tools/call", name=name, arguments=arguments)

    yield tool("list_channels")
    yield tool("list_unread")
    yield tool("find_people")
    yield tool("search_messages", query="look")
    yield tool("wait_for_messages", after=1, timeout_seconds=0, limit=50)
    yield ask("prompts/get", name="catch_me_up")
    yield ask("resources/list")
    for channel in CHANNELS:
        yield tool("search_messages", query="look", channel=channel, limit=100)
        yield tool("list_topics", channel=channel)
        yield tool("wait_for_messages", name=channel, channel=channel, after=1, timeout_seconds=0)
        for topic in TOPICS:
            yield tool("read_topic", channel=channel, topic=topic, limit=100)
            given = {"channel": channel, "topic": topic}
            yield ask("prompts/get", name="summarize_topic", arguments=given)
            uri = f"tertulia:///channels/{world.id(channel)}/topics/{topic}"
            yield ask("resources/read", uri=uri)
    for message_id in list(world.words)[-12:]:
        yield tool("edit_message", message_id=message_id, text="changed")
        yield tool("reply", message_id=message_id, text="an answer")
        yield tool("react", message_id=message_id, emoji="tada")


def test_no_answer_contains_anything_outside_of_the_grant(chat):
    world = World(chat)

    @settings(max_examples=12)
    @given(
        sent=st.lists(PLACES, min_size=1, max_size=6),
        mine=st.sets(st.sampled_from(CHANNELS)),
        allowed=GRANTS,
        direct=st.booleans(),
        people=st.booleans(),
    )
    def law(
        sent: list[tuple[str, str]],
        mine: set[str],
        allowed: dict[str, bool],
        direct: bool,
        people: bool,
    ) -> None:
        for name in CHANNELS:
            change = world.ben.joins if name in mine else world.ben.leaves
            change(name, principals=[world.ana.id])
        for each in sent:
            world.send(each)
        may_grant = {
            name: writes for name, writes in allowed.items() if name in mine or name not in PRIVATE
        }
        channels = {world.id(name): writes for name, writes in may_grant.items()}
        token = access_token(world.ana, channels, direct_messages=direct, presence=people)
        places = {*may_grant, *(["direct"] if direct else [])}
        seen = world.seen_by_ana()
        good = {
            word
            for number, (location, word) in world.words.items()
            if location in places and number in seen
        }
        before = reactions_and_answers(world, world.ben)

        found = dict(answers(world, token))

        for requested, response in found.items():
            for location, word in world.words.values():
                assert word in good or word not in response, (requested, location, word)
        listed = next(iter(found.values()))
        for name in CHANNELS:
            assert (f'"{name}"' in listed) == (name in may_grant)
        everything = "".join(found.values())
        for number, (location, word) in world.words.items():
            if word in good and location != "direct":
                assert word in everything, (location, number)
        assert ('"Ben"' in found[next(each for each in found if "find_people" in each)]) == people
        for location in changed_places(before, reactions_and_answers(world, world.ben)):
            assert may_grant.get(location), location

    law()


def reactions_and_answers(world: World, reader: Person) -> dict[str, int]:
    """How many answers and reactions there are in each channel."""
    found: dict[str, int] = dict.fromkeys((*CHANNELS, "direct"), 0)
    response = reader.get(
        "/messages", anchor="newest", num_before=1000, num_after=0, narrow=[]
    ).succeeds()
    for each in response["messages"]:
        location = each["display_recipient"] if each["type"] == "stream" else "direct"
        found[location] += ("an answer" in each["content"]) + len(each["reactions"])
    return found


def changed_places(before: dict[str, int], after: dict[str, int]) -> list[str]:
    return [location for location in after if after[location] != before[location]]


def test_a_message_that_leaves_the_grant_or_the_reach_of_its_user_is_gone(chat):
    """Moved to another channel; a channel that became private; a user who was removed."""
    world = World(chat)
    world.ben.joins(*CHANNELS, principals=[world.ana.id])
    token = access_token(world.ana, {world.id(name): True for name in ("kitchen", "cellar")})
    for place in (("kitchen", "lunch"), ("kitchen", "news"), ("cellar", "lunch")):
        world.send(place)
    moved, private, removed = world.words

    def seen() -> set[int]:
        found = "".join(answer for _, answer in answers(world, token))
        return {number for number, (_, word) in world.words.items() if word in found}

    assert seen() == {moved, private, removed}

    world.ben.patch(f"/messages/{moved}", stream_id=world.id("garden")).succeeds()
    assert seen() == {private, removed}

    world.ben.leaves("cellar", principals=[world.ana.id])
    assert seen() == {private}

    world.ana.leaves("kitchen")
    assert seen() == {private}, "it is public"
    world.ben.patch(f"/streams/{world.id('kitchen')}", is_private=True).succeeds()
    assert seen() == set()
