"""The law of fast-path sends: a fast-path send obeys every permission change.

On PostgreSQL there are two servers: one changes the rules, and people send to the other.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from tests.support.databases import Databases
from tests.support.fast_path_oracle import FastPathOracle
from tests.support.people import Chat, Person
from tests.support.server import Server

from tertulia.domain.people.user import Role

TOGETHER = 2


@pytest.fixture
def doubts(monkeypatch) -> Iterator[FastPathOracle]:
    oracle = FastPathOracle().begin(monkeypatch)
    yield oracle
    oracle.end()


@pytest.fixture(scope="module")
def pair(databases: Databases) -> Iterator[tuple[Server, Server]]:
    """Two servers on one PostgreSQL."""
    url, folder = databases.ready("postgres")
    one, other = Server(url, folder).start(), Server(url, folder).start()
    Chat.found(one)  # one organization alone has any host
    yield one, other
    other.stop()
    one.stop()
    databases.give_back(url)


class Stage:
    """Two users who send all the time, and an owner who changes everything about that."""

    def __init__(self, chat: Chat, sending_to: Server) -> None:
        """They send to `sending_to`; the owner's changes are calls of the server of `chat`."""
        self.chat, self.sending_to = chat, sending_to
        self.olga = chat.person("olga", role="owner")
        self.ana, self.ben = chat.people("ana", "ben")
        self.olga.joins("kitchen", principals=[self.olga.id, self.ana.id, self.ben.id])
        self.channel_id = chat.channel("kitchen").id
        self.group_id = chat.group("nobody")
        self.members_id = chat.group("members")
        self.everyone_id = chat.group("everyone")

    def talk(self) -> None:
        """Whether they may or not."""
        ana, ben = (replace(each, server=self.sending_to) for each in (self.ana, self.ben))
        for _ in range(3):
            for sender, other in ((ana, ben), (ben, ana)):
                sender.tries_to_say("Soup?", to="kitchen > lunch")
                sender.tries_to_say("Soup?", to="kitchen > ")
                sender.tries_to_say("Tea?", to=[other])

    @contextmanager
    def talking(self) -> Iterator[None]:
        """All the while, several sends at once."""
        self.talk()
        is_over = False

        def go_on() -> None:
            while not is_over:
                self.talk()

        with ThreadPoolExecutor(TOGETHER) as threads:
            talks = [threads.submit(go_on) for _ in range(TOGETHER)]
            try:
                yield
            finally:
                is_over = True
            for talk in talks:
                talk.result()
        self.talk()

    def channel(self, **changes: Any) -> None:
        self.olga.patch(f"/streams/{self.channel_id}", **changes).succeeds()

    def organization(self, **changes: Any) -> None:
        self.olga.patch("/realm", **changes).succeeds()

    def mine(self, **changes: Any) -> None:
        self.ana.patch("/settings", **changes).succeeds()

    def user(self, person: Person, **changes: Any) -> None:
        self.olga.patch(f"/users/{person.id}", **changes).succeeds()

    def newest(self) -> int:
        return int(self.ana.says("x", to="kitchen > lunch").id)


def there_and_back(stage: Stage, name: str, *, of: str = "channel") -> None:
    """Take a permission from all users, and give it back."""
    for new in (stage.group_id, stage.members_id):
        getattr(stage, of)(**{name: {"new": new}})


def mutes_somebody(stage: Stage) -> None:
    stage.ben.post(f"/users/me/muted_users/{stage.ana.id}").succeeds()
    stage.talk()
    stage.ben.delete(f"/users/me/muted_users/{stage.ana.id}").succeeds()


def says_what_topics_are_to_her(stage: Stage) -> None:
    for policy in (1, 2, 3, 0):
        stage.ana.post(
            "/user_topics",
            stream_id=stage.channel_id,
            topic="lunch",
            visibility_policy=policy,
        ).succeeds()


def mutes_the_channel(stage: Stage) -> None:
    for value in (True, False):
        data = [{"stream_id": stage.channel_id, "property": "is_muted", "value": value}]
        stage.ana.post("/users/me/subscriptions/properties", subscription_data=data).succeeds()


def chooses_what_follows(stage: Stage) -> None:
    for value in (1, 4, 3):
        stage.mine(automatically_follow_topics_policy=value)
        stage.talk()
        says_what_topics_are_to_her(stage)


def moves_the_topic(stage: Stage) -> None:
    stage.olga.patch(
        f"/messages/{stage.newest()}", topic="dinner", propagate_mode="change_all"
    ).succeeds()


def deletes_the_topic(stage: Stage) -> None:
    stage.channel(can_create_topic_group={"new": stage.group_id})
    stage.olga.post(f"/streams/{stage.channel_id}/delete_topic", topic_name="lunch").succeeds()


def loses_a_member(stage: Stage) -> None:
    stage.channel(is_private=True)
    stage.olga.leaves("kitchen", principals=[stage.ben.id])
    stage.talk()
    stage.olga.joins("kitchen", principals=[stage.ben.id])


def narrows_to_a_group(stage: Stage) -> None:
    made = stage.olga.post(
        "/user_groups/create", name="cooks", description="", members=[stage.ana.id]
    ).succeeds()
    stage.channel(can_send_message_group={"new": made["group_id"]})
    stage.talk()
    for change in ({"delete": [stage.ana.id]}, {"add": [stage.ana.id, stage.ben.id]}):
        stage.olga.post(f"/user_groups/{made['group_id']}/members", **change).succeeds()


def dismisses_somebody(stage: Stage) -> None:
    stage.olga.delete(f"/users/{stage.ben.id}").succeeds()
    stage.talk()
    stage.olga.post(f"/users/{stage.ben.id}/reactivate").succeeds()


def makes_a_guest(stage: Stage) -> None:
    for role in (Role.GUEST, Role.MEMBER):
        stage.user(stage.ben, role=int(role))


CHANGES: dict[str, Callable[[Stage], object]] = {
    "who may post": lambda stage: there_and_back(stage, "can_send_message_group"),
    "who may begin a topic": deletes_the_topic,
    "which topics there may be": lambda stage: stage.channel(topics_policy="disable_empty_topic"),
    "which topics there may be anywhere": lambda stage: stage.organization(
        topics_policy="disable_empty_topic"
    ),
    "what the channel is called": lambda stage: stage.channel(new_name="cellar"),
    "who is in a group": narrows_to_a_group,
    "who is in the channel": loses_a_member,
    "whether the channel is there": lambda stage: stage.olga.delete(
        f"/streams/{stage.channel_id}"
    ).succeeds(),
    "where the topic is": moves_the_topic,
    "who may write to whom": lambda stage: there_and_back(
        stage, "direct_message_permission_group", of="organization"
    ),
    "who may begin to": lambda stage: there_and_back(
        stage, "direct_message_initiator_group", of="organization"
    ),
    "who is there": dismisses_somebody,
    "who is a guest": makes_a_guest,
    "what somebody is called": lambda stage: stage.user(stage.ben, full_name="Benedict"),
    "who is muted": mutes_somebody,
    "what a topic is to somebody": says_what_topics_are_to_her,
    "what a channel is to somebody": mutes_the_channel,
    "what follows from sending": chooses_what_follows,
    "which words somebody waits for": lambda stage: stage.ben.post(
        "/users/me/alert_words", alert_words=["soup"]
    ).succeeds(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_message_is_sent_by_an_outdated_permission(servers, doubts, change):
    stage = Stage(servers.chat_on("sqlite"), servers.on("sqlite"))

    with stage.talking():
        CHANGES[change](stage)

    assert doubts.differences == []
    assert doubts.looked_at > 0


@pytest.mark.parametrize("change", CHANGES)
def test_no_message_is_sent_by_a_permission_that_another_server_changed(pair, doubts, change):
    one, other = pair
    stage = Stage(Chat.found(one), other)

    with stage.talking():
        CHANGES[change](stage)

    assert doubts.differences == []
    assert doubts.looked_at > 0
