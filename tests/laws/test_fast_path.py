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


class SendScene:
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
        """Whether they may or not. The second time a send takes the fast path."""
        ana, ben = (replace(each, server=self.sending_to) for each in (self.ana, self.ben))
        for _ in range(2):
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


def there_and_back(scene: SendScene, name: str, *, of: str = "channel") -> None:
    """Take a permission from all users, and give it back."""
    for new in (scene.group_id, scene.members_id):
        getattr(scene, of)(**{name: {"new": new}})


def mutes_a_user(scene: SendScene) -> None:
    scene.ben.post(f"/users/me/muted_users/{scene.ana.id}").succeeds()
    scene.talk()
    scene.ben.delete(f"/users/me/muted_users/{scene.ana.id}").succeeds()


def says_what_topics_are_to_her(scene: SendScene) -> None:
    for policy in (1, 2, 3, 0):
        scene.ana.post(
            "/user_topics",
            stream_id=scene.channel_id,
            topic="lunch",
            visibility_policy=policy,
        ).succeeds()


def mutes_the_channel(scene: SendScene) -> None:
    for value in (True, False):
        data = [{"stream_id": scene.channel_id, "property": "is_muted", "value": value}]
        scene.ana.post("/users/me/subscriptions/properties", subscription_data=data).succeeds()


def chooses_what_follows(scene: SendScene) -> None:
    for value in (1, 4, 3):
        scene.mine(automatically_follow_topics_policy=value)
        scene.talk()
        says_what_topics_are_to_her(scene)


def moves_the_topic(scene: SendScene) -> None:
    scene.olga.patch(
        f"/messages/{scene.newest()}", topic="dinner", propagate_mode="change_all"
    ).succeeds()


def deletes_the_topic(scene: SendScene) -> None:
    scene.channel(can_create_topic_group={"new": scene.group_id})
    scene.olga.post(f"/streams/{scene.channel_id}/delete_topic", topic_name="lunch").succeeds()


def loses_a_member(scene: SendScene) -> None:
    scene.channel(is_private=True)
    scene.olga.leaves("kitchen", principals=[scene.ben.id])
    scene.talk()
    scene.olga.joins("kitchen", principals=[scene.ben.id])


def narrows_to_a_group(scene: SendScene) -> None:
    made = scene.olga.post(
        "/user_groups/create", name="cooks", description="", members=[scene.ana.id]
    ).succeeds()
    scene.channel(can_send_message_group={"new": made["group_id"]})
    scene.talk()
    for change in ({"delete": [scene.ana.id]}, {"add": [scene.ana.id, scene.ben.id]}):
        scene.olga.post(f"/user_groups/{made['group_id']}/members", **change).succeeds()


def deactivates_a_user(scene: SendScene) -> None:
    scene.olga.delete(f"/users/{scene.ben.id}").succeeds()
    scene.talk()
    scene.olga.post(f"/users/{scene.ben.id}/reactivate").succeeds()


def makes_a_guest(scene: SendScene) -> None:
    for role in (Role.GUEST, Role.MEMBER):
        scene.user(scene.ben, role=int(role))


CHANGES: dict[str, Callable[[SendScene], object]] = {
    "who may post": lambda scene: there_and_back(scene, "can_send_message_group"),
    "who may begin a topic": deletes_the_topic,
    "which topics there may be": lambda scene: scene.channel(topics_policy="disable_empty_topic"),
    "which topics there may be anywhere": lambda scene: scene.organization(
        topics_policy="disable_empty_topic"
    ),
    "what the channel is called": lambda scene: scene.channel(new_name="cellar"),
    "who is in a group": narrows_to_a_group,
    "who is in the channel": loses_a_member,
    "whether the channel is there": lambda scene: scene.olga.delete(
        f"/streams/{scene.channel_id}"
    ).succeeds(),
    "where the topic is": moves_the_topic,
    "who may write to whom": lambda scene: there_and_back(
        scene, "direct_message_permission_group", of="organization"
    ),
    "who may begin to": lambda scene: there_and_back(
        scene, "direct_message_initiator_group", of="organization"
    ),
    "who is active": deactivates_a_user,
    "who is a guest": makes_a_guest,
    "the name of a user": lambda scene: scene.user(scene.ben, full_name="Benedict"),
    "who is muted": mutes_a_user,
    "a user's policy of a topic": says_what_topics_are_to_her,
    "a user's settings of a channel": mutes_the_channel,
    "a user's settings for sending": chooses_what_follows,
    "a user's alert words": lambda scene: scene.ben.post(
        "/users/me/alert_words", alert_words=["soup"]
    ).succeeds(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_message_is_sent_by_an_outdated_permission(servers, doubts, change):
    scene = SendScene(servers.chat_on("sqlite"), servers.on("sqlite"))

    with scene.talking():
        CHANGES[change](scene)

    assert doubts.differences == []
    assert doubts.looked_at > 0


@pytest.mark.parametrize("change", CHANGES)
def test_no_message_is_sent_by_a_permission_that_another_server_changed(pair, doubts, change):
    one, other = pair
    scene = SendScene(Chat.found(one), other)

    with scene.talking():
        CHANGES[change](scene)

    assert doubts.differences == []
    assert doubts.looked_at > 0
