"""A law: no public page, feed, sitemap, header or error shows anything that is not public.

Members send, edit, move and delete messages, some with a file, and change settings at random.
After each change a stranger reads addresses of every kind, and each answer is compared with every
message there ever was. All texts are unique words, so one search in an answer decides.
"""

import random
import re
from collections.abc import Iterator

import msgspec
import pytest
from tests.support.client import Reply
from tests.support.databases import Databases, Kind
from tests.support.files import File, uploads
from tests.support.people import Chat, Person
from tests.support.shared_servers import SharedServers

CHANNELS = 5
STEPS, QUICK_STEPS = 40, 12  # of `--both` and of `make test`
MIN_PAIRS = 2_500  # an answer and a message, in each state of the settings: 100,000 in all


class Sent(msgspec.Struct):
    id: int
    channel: str
    topic: str
    word: str
    former: list[str] = []  # words of earlier versions
    is_deleted: bool = False
    file: File | None = None  # of any version; its contents are `file_word`
    file_word: str = ""
    links_file: bool = False  # the version of today


class World:
    """What was sent and which settings hold, as the test knows it."""

    def __init__(self, chat: Chat, rng: random.Random) -> None:
        self.chat, self.rng = chat, rng
        self.ana = chat.person("ana", role="owner")
        self.authors: list[Person] = [
            chat.person(f"author{self.word()}", email=f"mail{self.word()}@example.com")
            for _ in range(3)
        ]
        self.settings = {"enable_spectator_access": True, "enable_public_pages": True}
        for name, value in self.settings.items():
            chat.set(name, value)
        self.names = [f"channel{self.word()}" for _ in range(CHANNELS)]
        self.is_open = {name: number % 2 == 0 for number, name in enumerate(self.names)}
        self.ids: dict[str, int] = {}
        for name, is_open in self.is_open.items():
            self.ana.joins(name, is_web_public=is_open)
            self.ids[name] = chat.channel(name).id
            for author in self.authors:
                author.joins(name)
        # What is deleted or edited is kept, and must not be shown either.
        held = list(self.ids.values())
        self.ana.post("/realm/legal_holds", reason="x", held_stream_ids=held).succeeds()
        self.topics = [f"topic{self.word()}" for _ in range(6)]
        self.messages: list[Sent] = []
        self.strangers_know_names = True
        self.copies: dict[str, tuple[str, bytes]] = {}  # by address: ETag and body

    def word(self) -> str:
        return f"{self.rng.getrandbits(60):015x}q"

    @property
    def has_pages(self) -> bool:
        return all(self.settings.values()) and any(self.is_open.values())

    def is_public(self, message: Sent) -> bool:
        return self.has_pages and self.is_open[message.channel] and not message.is_deleted

    def is_file_public(self, message: Sent) -> bool:
        """Spectators of the chat read the file, even where there are no public pages."""
        is_open = self.settings["enable_spectator_access"] and self.is_open[message.channel]
        return is_open and message.links_file and not message.is_deleted

    # --- changes ---

    def send(self) -> None:
        channel, topic = self.rng.choice(self.names), self.rng.choice(self.topics)
        author, word = self.rng.choice(self.authors), self.word()
        message = Sent(0, channel, topic, word)
        text = word
        if self.rng.random() < 0.2:
            message.file_word, message.links_file = self.word(), True
            message.file = uploads(author, f"{self.word()}.txt", message.file_word.encode())
            text = f"{word} {message.file.link}"
        message.id = author.says(text, to=f"{channel} > {topic}").id
        self.messages.append(message)

    def _any(self) -> Sent:
        return self.rng.choice([each for each in self.messages if not each.is_deleted])

    def edit(self) -> None:
        message, word = self._any(), self.word()
        author = next(
            each
            for each in self.authors
            if each.id == self.ana.get(f"/messages/{message.id}").succeeds()["message"]["sender_id"]
        )
        author.patch(f"/messages/{message.id}", content=word).succeeds()
        message.former = [*message.former, message.word]
        message.word, message.links_file = word, False

    def delete(self) -> None:
        message = self._any()
        self.ana.delete(f"/messages/{message.id}").succeeds()
        message.is_deleted = True

    def move(self) -> None:
        message = self._any()
        channel, topic = self.rng.choice(self.names), f"topic{self.word()}"
        params = {} if channel == message.channel else {"stream_id": self.ids[channel]}
        quiet = {
            "send_notification_to_old_thread": False,
            "send_notification_to_new_thread": False,
        }
        self.ana.patch(f"/messages/{message.id}", topic=topic, **params, **quiet).succeeds()
        self.topics.append(topic)
        message.channel, message.topic = channel, topic

    def open_or_close(self) -> None:
        name = self.rng.choice(self.names)
        wanted = not self.is_open[name]
        reply = self.ana.patch(f"/streams/{self.ids[name]}", is_web_public=wanted)
        if self.settings["enable_spectator_access"] or not wanted:
            reply.succeeds()
            self.is_open[name] = wanted

    def switch(self) -> None:
        name = self.rng.choice(list(self.settings))
        self.settings[name] = not self.settings[name]
        self.ana.patch("/realm", **{name: self.settings[name]}).succeeds()

    def hide_names(self) -> None:
        self.strangers_know_names = not self.strangers_know_names
        group = "everyone" if self.strangers_know_names else "members"
        self.chat.permit("can_access_all_users_group", group)

    # --- reading ---

    def addresses(self) -> Iterator[str]:
        yield from ("/public/", "/public/feed.atom", "/public/sitemap.xml", "/robots.txt")
        for name, number in self.ids.items():
            yield f"/public/{number}-{name}/"
            yield f"/public/{number}-guess/feed.atom"
            yield f"/public/sitemap/{number}/0-8192.xml"
        for message in self.rng.sample(self.messages, min(6, len(self.messages))):
            yield f"/public/message/{message.id}"
            yield from self.pages_of(message)
            if message.file:
                yield message.file.url

    def pages_of(self, message: Sent) -> Iterator[str]:
        topic = f"/public/{self.ids[message.channel]}-{message.channel}/{message.topic}/"
        yield from (topic, f"{topic}feed.atom", f"{topic}?as=text")

    def check(self) -> int:
        """Read as a stranger. Returns how many pairs of an answer and a message were compared."""
        secret = self._secret_words()
        pattern = re.compile("|".join(map(re.escape, secret))) if secret else None
        compared = 0
        for address in self.addresses():
            reply = self.chat.stranger.raw("GET", address)
            assert reply.status in (200, 302, 401, 403, 404), address
            requested = set(re.findall(r"[0-9a-f]{15}q", address))
            answered = str(dict(reply.headers)).encode() + reply.body
            if reply.status == 302:
                answered += reply.headers["location"].encode()
            found = set() if pattern is None else set(pattern.findall(answered.decode()))
            assert not found - requested, (address, reply.status)
            self._check_cached(address, reply)
            if reply.status == 404:
                assert not set(re.findall(r"[0-9a-f]{15}q", answered.decode())), address
            compared += len(self.messages)
        for message in self.rng.sample(self.messages, 3):
            reply = self.chat.stranger.raw("GET", next(self.pages_of(message)))
            assert (message.word in reply.body.decode()) == self.is_public(message)
            if message.file:
                shown = self.chat.stranger.raw("GET", message.file.url).body.decode()
                assert (message.file_word in shown) == self.is_file_public(message)
        return compared

    def _check_cached(self, address: str, reply: Reply) -> None:
        """A 304 for the copy of an earlier state means that the copy is still what is sent."""
        etag, body = self.copies.get(address, ("", b""))
        if etag and self.chat.stranger.raw("GET", address, If_None_Match=etag).status == 304:
            assert reply.body == body, address
        if reply.status == 200 and reply.headers.get("etag"):
            self.copies[address] = (reply.headers["etag"], reply.body)

    def _secret_words(self) -> list[str]:
        public = [each for each in self.messages if self.is_public(each)]
        shown = {each.word for each in public} | {each.topic[5:] for each in public}
        if self.has_pages:
            shown |= {name[7:] for name in self.names if self.is_open[name]}
        words = {each.word for each in self.messages} | {topic[5:] for topic in self.topics}
        words |= {former for each in self.messages for former in each.former}
        words |= {name[7:] for name in self.names}
        for each in self.messages:
            if each.file and not self.is_file_public(each):
                words |= {each.file_word, each.file.name.removesuffix(".txt")}
        words |= {each.email.partition("@")[0].removeprefix("mail") for each in self.authors}
        if not (self.strangers_know_names and self.has_pages):
            words |= {each.record.full_name[6:] for each in self.authors}
        return sorted(words - shown)


@pytest.fixture(scope="module")
def open_servers(databases: Databases) -> Iterator[SharedServers]:
    with SharedServers(databases, web_public_streams_enabled=True) as servers:
        yield servers


@pytest.mark.parametrize("seed", [1])
def test_a_stranger_reads_nothing_that_is_not_public(
    seed: int, kind: Kind, open_servers: SharedServers, thorough: bool
) -> None:
    world = World(open_servers.chat_on(kind), random.Random(seed))
    for _ in range(100):
        world.send()
    compared = world.check()

    changes = [world.edit, world.delete, world.move, world.open_or_close, world.switch]
    changes += [world.send, world.hide_names]
    steps = STEPS if thorough else QUICK_STEPS
    for _ in range(steps):
        world.rng.choice(changes)()
        if not world.has_pages and world.rng.random() < 0.7:
            for name in world.settings:
                world.settings[name] = True
                world.ana.patch("/realm", **{name: True}).succeeds()
        compared += world.check()

    assert compared >= MIN_PAIRS * steps
