"""The law of reading: the server agrees with a slow and obvious model.

The model says in sets and loops who may see, has received and has read a message, and where it is.
Users act at random for a long time; again and again all users read everything, and must see what
the model says. Each user also has a client that only polls: its state must be what a fresh read
shows.
"""

import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.laws import narrow_model
from tests.laws.narrow_model import Refused, Term
from tests.support.event_queue import Event

from tertulia import actions, domain, storage
from tertulia.domain.personal.topic_policies import TopicPolicy

NAMES = ("ana", "ben", "eve", "gil", "ida")
TOPICS = ("bread", "Soup", "✔ tea")
NEWEST = 10_000_000_000_000_000
NARROWS_PER_LOOK = 6
STEPS = 120
STEPS_BETWEEN_LOOKS = 24

PUBLIC, SHARED, PROTECTED = "public", "private", "private with a protected history"
CHANNELS = {"kitchen": PUBLIC, "garden": PUBLIC, "cellar": SHARED, "attic": PROTECTED}

# Automatic topic following is off: only explicit steps follow a topic.
SETTINGS = {
    "automatically_follow_topics_policy": 4,
    "automatically_unmute_topics_in_muted_streams_policy": 4,
    "automatically_follow_topics_where_mentioned": False,
}
ALERTED = {"ben": "smoke", "eve": "fire"}


# --- the model ---


@dataclass
class ModelMessage:
    """A message in the model; users are names."""

    id: int
    sender: str
    content: str
    channel: str | None = None
    topic: str = ""
    members: frozenset[str] = frozenset()
    received: set[str] = field(default_factory=set)
    saw_it_come: set[str] = field(default_factory=set)  # into the channel where it is
    unread: set[str] = field(default_factory=set)
    starred: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)  # flagged without having been received
    mentioned: set[str] = field(default_factory=set)
    alerted: set[str] = field(default_factory=set)
    reacted: set[str] = field(default_factory=set)

    @property
    def calls_all(self) -> bool:
        return self.channel is not None and "@**all**" in self.content

    @property
    def has_link(self) -> bool:
        return "https://" in self.content

    def calls(self, present: set[str]) -> None:
        """Mentions notify users who have the message and are present."""
        named = {name for name in NAMES if f"@**{name.capitalize()}**" in self.content}
        self.mentioned = named & self.received & present
        self.alerted = {
            name for name, word in ALERTED.items() if word in self.content
        } & self.received


@dataclass
class Model:
    inside: set[tuple[str, str]] = field(default_factory=set)
    messages: dict[int, ModelMessage] = field(default_factory=dict)
    policies: dict[tuple[str, str, str], TopicPolicy] = field(default_factory=dict)
    muted: set[tuple[str, str]] = field(default_factory=set)  # which user has muted which channel
    public: set[str] = field(
        default_factory=lambda: {name for name, kind in CHANNELS.items() if kind == PUBLIC}
    )

    def subscribers(self, channel: str) -> set[str]:
        return {name for name in NAMES if (name, channel) in self.inside}

    def may_read(self, name: str, channel: str) -> bool:
        return CHANNELS[channel] == PUBLIC or (name, channel) in self.inside

    def sees(self, name: str, message: ModelMessage) -> bool:
        if message.channel is None:
            return name in message.members
        if not self.may_read(name, message.channel):
            return False
        return CHANNELS[message.channel] != PROTECTED or name in message.saw_it_come

    def seen_by(self, name: str) -> list[ModelMessage]:
        return [message for message in self.messages.values() if self.sees(name, message)]

    def feed_of(self, name: str) -> list[int]:
        return sorted(
            message.id
            for message in self.seen_by(name)
            if name in message.received or name in message.kept
        )

    def unread_of(self, name: str) -> list[ModelMessage]:
        """The unread state of register: only of subscribed channels."""
        return [
            message
            for message in self.seen_by(name)
            if name in message.unread
            and (message.channel is None or (name, message.channel) in self.inside)
        ]

    def policy(self, name: str, message: ModelMessage) -> TopicPolicy:
        key = (name, message.channel or "", message.topic.casefold())
        return self.policies.get(key, TopicPolicy.NONE)

    def is_muted(self, name: str, message: ModelMessage) -> bool:
        if message.channel is None:
            return False
        return domain.personal.topic_policies.is_muted(
            (name, message.channel) in self.muted, self.policy(name, message)
        )

    def flags(self, name: str, message: ModelMessage) -> list[str]:
        calls_me = message.calls_all and name in message.received
        marks = {
            "read": name not in message.unread,
            "starred": name in message.starred,
            "mentioned": name in message.mentioned,
            "stream_wildcard_mentioned": calls_me,
            "historical": name not in message.received,
            "has_alert_word": name in message.alerted,
            "wildcard_mentioned": calls_me,
        }
        return [flag for flag, holds in marks.items() if holds]

    def in_topic(self, channel: str, topic: str) -> list[ModelMessage]:
        return [
            message
            for _, message in sorted(self.messages.items())
            if message.channel == channel and message.topic.casefold() == topic.casefold()
        ]

    # --- actions ---

    def add_message(self, message: ModelMessage, receivers: set[str], read_by_sender: bool) -> None:
        message.received = set(receivers)
        message.saw_it_come = set(receivers)
        message.unread = receivers - ({message.sender} if read_by_sender else set())
        message.calls(receivers)
        self.messages[message.id] = message

    def leaves(self, name: str, channel: str) -> None:
        self.inside.discard((name, channel))
        for message in self.messages.values():
            if message.channel == channel:
                message.unread.discard(name)

    def keeps(self, name: str, message: ModelMessage) -> None:
        if name not in message.received:
            message.kept.add(name)

    def moves(self, moved: list[ModelMessage], channel: str, topic: str) -> None:
        old_channel, old_topic = moved[0].channel, moved[0].topic
        assert old_channel is not None
        merges = bool(self.in_topic(channel, topic))
        is_whole = len(moved) == len(self.in_topic(old_channel, old_topic))
        if is_whole:
            for name in NAMES:
                self._carry(name, (old_channel, old_topic), (channel, topic), merges)
        for message in moved:
            message.topic = topic
            if message.channel != channel:
                message.channel = channel
                message.saw_it_come = self.subscribers(channel)

    def _carry(self, name: str, old: tuple[str, str], new: tuple[str, str], merges: bool) -> None:
        old_key = (name, old[0], old[1].casefold())
        new_key = (name, new[0], new[1].casefold())
        there = self.policies.get(new_key, TopicPolicy.NONE)
        if old_key not in self.policies and not (merges and new_key in self.policies):
            return
        moved = self.policies.pop(old_key, TopicPolicy.NONE)
        if self.may_read(name, new[0]):
            self.policies[new_key] = (
                domain.personal.topic_policies.after_merging(moved, there) if merges else moved
            )


# --- a client that only polls ---


@dataclass
class Client:
    """What a user knows of received messages from events alone."""

    known: dict[int, dict[str, Any]] = field(default_factory=dict)

    def take(self, events: list[Event]) -> None:
        for event in events:
            getattr(self, f"_{event['type']}")(event)

    def _message(self, event: Event) -> None:
        message = event["message"]
        self.known[message["id"]] = {
            "content": message["content"],
            "subject": message["subject"],
            "stream_id": message.get("stream_id"),
            "flags": set(event["flags"]),
        }

    def _update_message(self, event: Event) -> None:
        first = self.known.get(event["message_id"])
        if first is not None:
            first["content"] = event.get("content", first["content"])
            first["flags"] = set(event["flags"])
        for message_id in event["message_ids"]:
            if message_id in self.known:
                one = self.known[message_id]
                one["subject"] = event.get("subject", one["subject"])
                one["stream_id"] = event.get("new_stream_id", one["stream_id"])

    def _delete_message(self, event: Event) -> None:
        for message_id in event["message_ids"]:
            self.known.pop(message_id, None)

    def _update_message_flags(self, event: Event) -> None:
        for message_id in self.known if event["all"] else event["messages"]:
            if message_id in self.known:
                flags = self.known[message_id]["flags"]
                (flags.add if event["op"] == "add" else flags.discard)(event["flag"])

    def _stream(self, event: Event) -> None:
        """Messages of an archived channel are read, without an event for each."""
        if event["op"] == "update" and event["property"] == "is_archived" and event["value"]:
            for one in self.known.values():
                if one["stream_id"] == event["stream_id"]:
                    one["flags"].add("read")

    def loses(self, still_seen: set[int]) -> None:
        """Leaving a private channel removes its messages, without an event for each."""
        self.known = {key: one for key, one in self.known.items() if key in still_seen}


EVENTS = ("message", "update_message", "delete_message", "update_message_flags", "stream")
CAPABLE = {
    "archived_channels": True,
    "notification_settings_null": True,
    "bulk_message_deletion": True,
    "empty_topic_name": True,
}


# --- what users do ---


class RandomUsers:
    def __init__(self, chat, seed: int) -> None:
        self.chat = chat
        self.dice = random.Random(seed)
        self.absence = random.Random(seed)
        self.model = Model()
        self.people = dict(zip(NAMES, chat.people(*NAMES, settings=SETTINGS), strict=True))
        self.keeper = chat.person("keeper", role="admin")
        self.ids: dict[str, int] = {}
        for name, kind in CHANNELS.items():
            self._found(name, kind)
        self.queues = {
            name: person.listens_for(*EVENTS, client_capabilities=CAPABLE)
            for name, person in self.people.items()
        }
        self.clients = {name: Client() for name in NAMES}
        for name, word in ALERTED.items():
            self.people[name].post("/users/me/alert_words", alert_words=[word]).succeeds()

    def _found(self, name: str, kind: str) -> None:
        """A channel without administrators: its subscribers add others."""
        founder = self.dice.choice(NAMES)
        self.people[founder].joins(
            name,
            invite_only=kind != PUBLIC,
            history_public_to_subscribers=kind != PROTECTED,
            can_administer_channel_group=self.chat.group("nobody"),
        )
        self.model.inside.add((founder, name))
        self.ids[name] = self.chat.channel(name).id

    def step(self) -> None:
        steps = [
            (self.send, 12),
            (self.send_direct, 3),
            (self.join, 3),
            (self.leave, 2),
            (self.edit, 3),
            (self.move_topic, 3),
            (self.move_channel, 4),
            (self.delete, 1),
            (self.read, 3),
            (self.unread, 3),
            (self.star, 2),
            (self.unstar, 1),
            (self.react, 1),
            (self.read_place, 2),
            (self.read_all, 0.3),
            (self.close, 1),
            (self.mute, 2),
            (self.mute_channel, 3),
        ]
        work, weights = zip(*steps, strict=True)
        self.dice.choices(work, weights)[0](self.dice.choice(NAMES))

    # --- steps ---

    def send(self, name):
        channel, topic = self.dice.choice(list(CHANNELS)), self.dice.choice(TOPICS)
        content, is_read = self.words(), self.dice.random() < 0.5
        reply = self.people[name].tries_to_say(
            content, to=f"{channel} > {topic}", read_by_sender=is_read
        )
        if not self.model.may_read(name, channel):
            reply.fails(f"Channel '{channel}' does not exist", code="STREAM_DOES_NOT_EXIST")
            return
        message = ModelMessage(reply.succeeds()["id"], name, content, channel, topic)
        self.model.add_message(message, self.model.subscribers(channel), is_read)

    def send_direct(self, name):
        others = self.dice.sample(NAMES, self.dice.choice([1, 1, 2]))
        content, is_read = self.words(), self.dice.random() < 0.5
        sent = self.people[name].says(
            content, to=[self.people[other] for other in others], read_by_sender=is_read
        )
        members = frozenset({name, *others})
        self.model.add_message(
            ModelMessage(sent.id, name, content, members=members), set(members), is_read
        )

    def join(self, name):
        """Added by a subscriber, where a user cannot join."""
        channel = self.dice.choice(list(CHANNELS))
        inside = sorted(self.model.subscribers(channel))
        host = name if CHANNELS[channel] == PUBLIC or name in inside else None
        host = host or (self.dice.choice(inside) if inside else None)
        if host is not None:
            newcomer = [self.people[name].id]
            self.people[host].joins(
                channel, principals=newcomer, send_new_subscription_messages=False
            )
            self.model.inside.add((name, channel))

    def leave(self, name):
        mine = [channel for who, channel in sorted(self.model.inside) if who == name]
        if mine:
            channel = self.dice.choice(mine)
            if len(self.model.subscribers(channel)) > 1:  # a subscriber must remain to add others
                self.people[name].leaves(channel)
                self.model.leaves(name, channel)
                self.listen(name)
                seen = {message.id for message in self.model.seen_by(name)}
                self.clients[name].loses(seen)

    def edit(self, name):
        message = self.any_message()
        if message is None:
            return
        content = self.words()
        reply = self.people[name].patch(f"/messages/{message.id}", content=content)
        if not self.model.sees(name, message):
            reply.fails("Invalid message(s)")
        elif name != message.sender:
            reply.fails("You don't have permission to edit this message")
        else:
            reply.succeeds()
            message.content = content
            inside = message.members or self.model.subscribers(message.channel or "")
            message.calls(set(inside))

    def words(self) -> str:
        """A new message, sometimes with a mention or a link."""
        calls = [f"@**{name.capitalize()}**" for name in NAMES]
        extras = ["", "", "", "https://example.com/x", "@**all**", "smoke", "fire", *calls]
        return f"words {self.dice.random()} {self.dice.choice(extras)}".strip()

    def move_topic(self, name):
        self.move(name, channel=None, topic=self.dice.choice(TOPICS))

    def move_channel(self, name):
        channel = self.dice.choice(list(CHANNELS))
        self.move(name, channel, self.dice.choice([None, *TOPICS]))

    def move(self, name, channel, topic):
        message = self.any_message()
        if message is None or message.channel is None:
            return
        new_channel = None if channel == message.channel else channel
        new_topic = None if topic == message.topic else topic
        mode = self.dice.choice(["change_one", "change_later", "change_all"])
        wish = {"propagate_mode": mode, "send_notification_to_new_thread": False}
        if channel is not None:
            wish["stream_id"] = self.ids[channel]
        if topic is not None:
            wish["topic"] = topic
        reply = self.people[name].patch(f"/messages/{message.id}", **wish)
        if not self.model.sees(name, message):
            reply.fails("Invalid message(s)")
        elif new_channel is None and new_topic is None:
            reply.fails("Nothing to change")
        elif new_channel is not None and not self.model.may_read(name, new_channel):
            reply.fails("Invalid channel ID")
        else:
            reply.succeeds()
            along = [
                each
                for each in self.model.in_topic(message.channel, message.topic)
                if self.model.sees(name, each)
            ]
            if mode == "change_one":
                along = [message]
            elif mode == "change_later":
                along = [each for each in along if each.id >= message.id]
            self.model.moves(along, new_channel or message.channel, new_topic or message.topic)

    def delete(self, name):
        message = self.any_message()
        if message is None:
            return
        reply = self.people[name].delete(f"/messages/{message.id}")
        if not self.model.sees(name, message):
            reply.fails("Invalid message(s)")
        elif name != message.sender:
            reply.fails("You don't have permission to delete this message")
        else:
            reply.succeeds()
            del self.model.messages[message.id]

    def read(self, name):
        some = self.some_messages()
        self.flag(name, some, "add", "read").succeeds()
        for message in some:
            message.unread.discard(name)

    def unread(self, name):
        some = self.some_messages()
        reply = self.flag(name, some, "remove", "read")
        here = [
            message
            for message in some
            if message.channel is None or (name, message.channel) in self.model.inside
        ]
        if not all(self.model.sees(name, message) for message in some):
            reply.fails("Invalid message(s)")
            return
        away = {self.ids[message.channel] for message in some if message not in here}
        response = reply.succeeds()
        assert response["ignored_because_not_subscribed_channels"] == sorted(away)
        for message in here:
            message.unread.add(name)
            self.model.keeps(name, message)

    def star(self, name):
        some = self.some_messages()
        reply = self.flag(name, some, "add", "starred")
        new = [message for message in some if name not in message.starred]
        if not all(self.model.sees(name, message) for message in new):
            reply.fails("Invalid message(s)")
            return
        reply.succeeds()
        for message in new:
            message.starred.add(name)
            self.model.keeps(name, message)

    def unstar(self, name):
        mine = [message for message in self.model.messages.values() if name in message.starred]
        if mine:
            self.flag(name, mine[:1], "remove", "starred").succeeds()
            mine[0].starred.discard(name)

    def react(self, name):
        message = self.any_message()
        if message is None:
            return
        reply = self.people[name].post(f"/messages/{message.id}/reactions", emoji_name="tada")
        if not self.model.sees(name, message):
            reply.fails("Invalid message(s)")
        elif reply.status == 200:
            message.reacted.add(name)
            self.model.keeps(name, message)
        else:
            reply.fails("Reaction already exists.", code="REACTION_ALREADY_EXISTS")

    def read_place(self, name):
        channel = self.dice.choice(list(CHANNELS))
        topic = self.dice.choice([None, *TOPICS])
        fields = {"stream_id": self.ids[channel]}
        if topic is None:
            reply = self.people[name].post("/mark_stream_as_read", **fields)
        else:
            reply = self.people[name].post("/mark_topic_as_read", topic_name=topic, **fields)
        if not self.model.may_read(name, channel):
            reply.fails("Invalid channel ID")
            return
        reply.succeeds()
        for message in self.model.messages.values():
            if message.channel == channel and topic in (None, message.topic):
                message.unread.discard(name)

    def read_all(self, name):
        self.people[name].post("/mark_all_as_read").succeeds()
        for message in self.model.messages.values():
            message.unread.discard(name)

    def close(self, name):
        """Archive a channel and restore it at once, by an administrator."""
        channel = self.dice.choice(list(CHANNELS))
        self.keeper.delete(f"/streams/{self.ids[channel]}").succeeds()
        self.keeper.patch(f"/streams/{self.ids[channel]}", is_archived=False).succeeds()
        for message in self.model.messages.values():
            if message.channel == channel:
                message.unread.clear()

    def mute(self, name):
        channel, topic = self.dice.choice(list(CHANNELS)), self.dice.choice(TOPICS)
        policy = self.dice.choice(list(TopicPolicy))
        user_id = self.people[name].id
        self.chat.write(
            actions.personal.topic_policies.change, user_id, self.ids[channel], topic, policy
        )
        self.model.policies[name, channel, topic.casefold()] = policy

    def mute_channel(self, name):
        mine = [channel for who, channel in sorted(self.model.inside) if who == name]
        if mine:
            channel, muted = self.dice.choice(mine), self.dice.random() < 0.6
            wish = {"stream_id": self.ids[channel], "property": "is_muted", "value": muted}
            path = "/users/me/subscriptions/properties"
            self.people[name].post(path, subscription_data=[wish]).succeeds()
            (self.model.muted.add if muted else self.model.muted.discard)((name, channel))

    def flag(self, name, some, op, flag):
        ids = [message.id for message in some]
        return self.people[name].post("/messages/flags", messages=ids, op=op, flag=flag)

    def any_message(self):
        recent = list(self.model.messages.values())[-40:]
        return self.dice.choice(recent) if recent else None

    def some_messages(self):
        everything = list(self.model.messages.values())
        return self.dice.sample(everything, min(len(everything), self.dice.choice([1, 1, 2, 5])))

    def listen(self, name):
        if self.absence.random() < 0.5:  # then it is delivered from the log
            self.chat.server.lose_mailbox(self.queues[name].queue_id)
        self.clients[name].take(self.queues[name].all())

    # --- checks ---

    def everybody_looks(self):
        for name in NAMES:
            self.looks(name)
            self.listen(name)
            self.compares(name)

    def looks(self, name):
        person, model = self.people[name], self.model
        everything = person.get(
            "/messages", message_ids=list(model.messages), apply_markdown=False
        ).succeeds()["messages"]
        shown = {
            message["id"]: (
                message["content"],
                message["subject"],
                message.get("stream_id"),
                message["flags"],
            )
            for message in everything
        }
        expected = {
            message.id: (
                message.content,
                message.topic,
                self.ids.get(message.channel or ""),
                model.flags(name, message),
            )
            for message in model.seen_by(name)
        }
        assert shown == expected
        assert self.fetched(name, []) == model.feed_of(name)
        for channel in CHANNELS:
            in_channel = [m.id for m in model.seen_by(name) if m.channel == channel]
            narrow = [{"operator": "channel", "operand": channel}]
            if model.may_read(name, channel):
                assert self.fetched(name, narrow) == sorted(in_channel)
        for _ in range(NARROWS_PER_LOOK):
            self.narrows(name)
        self.registers(name)
        self.asks_who_has_read(name)

    def narrows(self, name):
        """Fetch with a random narrow, check which messages match, and where to continue reading."""
        ids = [*self.model.messages, 99_999_999]
        terms = narrow_model.any_narrow(
            self.dice, list(NAMES), list(CHANNELS), list(TOPICS), ids[-30:]
        )
        narrow = [self.on_the_wire(term) for term in terms]
        person, model = self.people[name], self.model
        ways = {"anchor": "first_unread", "num_before": 3, "num_after": 3, "narrow": narrow}
        try:
            expected = narrow_model.found(model, name, terms)
        except Refused as refused:
            response = person.get("/messages", **ways)
            response.fails(str(refused), code="BAD_NARROW")
            return
        assert self.fetched(name, narrow) == expected, terms
        matching = person.get("/messages/matches_narrow", msg_ids=ids, narrow=narrow).succeeds()
        mine = set(model.feed_of(name))
        assert sorted(map(int, matching["messages"])) == [i for i in expected if i in mine], terms
        here = person.get("/messages", **ways).succeeds()
        first = narrow_model.first_unread(model, name, terms)
        anchor = NEWEST if first is None else first
        around = [i for i in expected if i < anchor][-3:] + [i for i in expected if i >= anchor][:4]
        shown = [message["id"] for message in here["messages"]]
        assert (here["anchor"], shown) == (anchor, around), terms

    def on_the_wire(self, term: Term) -> dict[str, Any]:
        operand = term.operand
        if term.operator in ("sender", "dm-including", "mentions"):
            operand = self.people[operand].id
        elif term.operator == "dm":
            operand = [self.people[each].id for each in operand]
        return {"operator": term.operator, "operand": operand, "negated": term.negated}

    def asks_who_has_read(self, name):
        message = self.any_message()
        if message is None:
            return
        reply = self.people[name].get(f"/messages/{message.id}/read_receipts")
        if not self.model.sees(name, message):
            reply.fails("Invalid message(s)")
            return
        readers = (message.received | message.kept) - message.unread - {message.sender}
        expected = sorted(self.people[reader].id for reader in readers)
        assert reply.succeeds()["user_ids"] == expected

    def fetched(self, name, narrow):
        response = (
            self.people[name]
            .get("/messages", anchor="newest", num_before=5000, narrow=narrow)
            .succeeds()
        )
        return [message["id"] for message in response["messages"]]

    def registers(self, name):
        wanted = ["message", "update_message_flags", "starred_messages"]
        state = self.people[name].registers(fetch_event_types=wanted)
        unread, model = state["unread_msgs"], self.model
        groups = unread["pms"] + unread["huddles"] + unread["streams"]
        found = sorted(each for group in groups for each in group["unread_message_ids"])
        waiting = model.unread_of(name)
        assert found == sorted(message.id for message in waiting)
        assert unread["count"] == sum(not model.is_muted(name, message) for message in waiting)
        assert state["starred_messages"] == sorted(
            message.id for message in model.messages.values() if name in message.starred
        )

    def compares(self, name):
        """The state from events equals the server's, and nothing invisible remains."""
        model = self.model
        for message_id, known in self.clients[name].known.items():
            message = model.messages[message_id]
            assert model.sees(name, message), f"{name} received no event that {message_id} is gone"
            assert known == {
                "content": message.content,
                "subject": message.topic,
                "stream_id": self.ids.get(message.channel or ""),
                "flags": set(model.flags(name, message)),
            }


@pytest.mark.parametrize(
    "seed",
    [1, pytest.param(2, marks=pytest.mark.thorough), pytest.param(3, marks=pytest.mark.soak)],
)
def test_the_server_agrees_with_the_model(own_chat, seed, monkeypatch):
    if seed > 1:  # use the code paths of a large organization in a small one
        monkeypatch.setattr(storage.messages.history, "NEAR_IDS", 4)
        monkeypatch.setattr(storage.messages.history, "MIN_BLOCK", 2)
    users = RandomUsers(own_chat, seed)

    for number in range(STEPS):
        users.step()
        if number % STEPS_BETWEEN_LOOKS == STEPS_BETWEEN_LOOKS - 1:
            users.everybody_looks()
        if number == STEPS // 2:
            own_chat.server.restart()  # nothing may depend on memory

    assert len(users.model.messages) > 20, "nothing much has happened"
