"""The law of caches: a server with caches returns the same bytes as one without.

Two servers share one database. On one of them users change everything that can be seen of a message
or of unread state. What its readers get from history and from register is compared with the other
server, which asks the database each time.
"""

import json
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.features.test_outdated_renderings import grows_old
from tests.support.people import Chat, Person
from tests.support.pictures import picture, uploads_to
from tests.support.server import Server

from tertulia import actions

MANNERS: list[dict[str, bool]] = [
    {"apply_markdown": True, "client_gravatar": True, "allow_empty_topic_name": False},
    {"apply_markdown": False, "client_gravatar": False, "allow_empty_topic_name": True},
]
OF_THE_MOMENT = {
    "queue_id",
    "server_generation",
    "presences",
    "presence_last_update_id",
    "server_timestamp",
}
BUSY_ROUNDS = 12


@dataclass
class MirroredOrganization:
    """Ana is the owner, Ben a member, Gus a guest; `mirror` has no caches."""

    chat: Chat
    mirror: Server
    ana: Person
    ben: Person
    gus: Person
    message_ids: dict[str, int]
    narrows: list[list[dict[str, Any]]]

    def shows_what_is_so(self, after: str, manners: list[dict[str, bool]] = MANNERS) -> None:
        """Two users read in each manner: the second one after another with the same options."""
        self.mirror.catch_up()
        rich, plain = MANNERS
        for person, options in (
            (self.ana, rich),
            (self.ana, plain),
            (self.ben, rich),
            (self.gus, plain),
        ):
            if options not in manners:
                continue
            for narrow in self.narrows:
                for _ in range(3):  # each read fills the cache for the next one
                    found = self.history(person, options, narrow)
                made = self.history(replace(person, server=self.mirror), options, narrow)
                assert found == made, (after, narrow)
            so = _registers(replace(person, server=self.mirror), options)
            for _ in range(2):
                assert _registers(person, options) == so, after

    def history(
        self, person: Person, options: dict[str, bool], narrow: list[dict[str, Any]]
    ) -> bytes:
        """The answer, also if it is an error."""
        params = {"anchor": "newest", "num_before": 60, "num_after": 0, **options}
        return person.get("/messages", narrow=narrow, **params).body

    def has_used_its_caches(self) -> bool:
        """And the other server has none."""
        for name, (size, hits, _) in self.mirror.cache_statistics().items():
            assert (name, size, hits) == (name, 0, 0)
        _, hits, _ = self.chat.server.cache_statistics()["fragments"]
        return hits > 0


def _registers(person: Person, options: dict[str, bool]) -> Any:
    can = {
        "notification_settings_null": True,
        "empty_topic_name": options["allow_empty_topic_name"],
    }
    state = person.post("/register", client_capabilities=can).succeeds()
    return {key: value for key, value in state.items() if key not in OF_THE_MOMENT}


@pytest.fixture
def org(own_chat: Chat) -> Iterator[MirroredOrganization]:
    server = own_chat.server
    mirror = Server(server.url, server.folder, {"caches": False}, server.clock).start()
    ana = own_chat.person("ana", role="owner", channels=["kitchen", "garden"])
    ben = own_chat.person("ben", channels=["kitchen", "garden", "cellar"])
    gus = own_chat.person("gus", role="guest", channels=["kitchen"])
    sent = {
        "soup": ana.says("**Soup** #12", to="kitchen > lunch #12").id,
        "poll": ana.says("/poll Which soup?\npea\nleek", to="kitchen > lunch #12").id,
        "plain": ben.says("bread", to="kitchen > ").id,
        "far": ben.says("potatoes", to="cellar > store").id,
        "direct": ben.says("psst", to=[ana, gus]).id,
        "gone": ana.says("never mind", to="kitchen > lunch #12").id,
    }
    channel_ids = {name: own_chat.channel(name).id for name in ("kitchen", "garden", "cellar")}
    narrows = [[], *([_in_channel(location)] for location in channel_ids.values())]
    narrows += [
        [_in_channel(channel_ids["kitchen"]), {"operator": "topic", "operand": "lunch #12"}]
    ]
    yield MirroredOrganization(own_chat, mirror, ana, ben, gus, sent, narrows)
    mirror.stop()


def _in_channel(channel_id: int) -> dict[str, Any]:
    return {"operator": "channel", "operand": channel_id}


def votes(org: MirroredOrganization) -> None:
    vote = json.dumps({"type": "vote", "key": "canned,0", "vote": 1})
    params = {"message_id": org.message_ids["poll"], "msg_type": "widget", "content": vote}
    org.ben.post("/submessage", **params).succeeds()


def renders_anew(org: MirroredOrganization) -> None:
    org.chat.write(grows_old, org.message_ids["soup"])
    org.chat.server.run_job("rerendering")


def edits(name: str, **change: Any) -> Callable[[MirroredOrganization], None]:
    def edit(org: MirroredOrganization) -> None:
        owner = org.ben if name in ("plain", "far", "direct") else org.ana
        owner.patch(f"/messages/{org.message_ids[name]}", **change).succeeds()

    return edit


def moves_to_the_garden(org: MirroredOrganization) -> None:
    garden = org.chat.channel("garden").id
    org.ana.patch(f"/messages/{org.message_ids['soup']}", stream_id=garden).succeeds()


def reacts(org: MirroredOrganization) -> None:
    path = f"/messages/{org.message_ids['plain']}/reactions"
    org.gus.post(path, emoji_name="tada").succeeds()


def takes_it_back(org: MirroredOrganization) -> None:
    path = f"/messages/{org.message_ids['plain']}/reactions"
    org.gus.delete(path, emoji_name="tada").succeeds()


def renames_the_kitchen(org: MirroredOrganization) -> None:
    kitchen = org.chat.channel("kitchen").id
    org.ana.patch(f"/streams/{kitchen}", new_name="canteen").succeeds()


def protects_the_history(org: MirroredOrganization) -> None:
    garden = org.chat.channel("garden").id
    params = {"is_private": True, "history_public_to_subscribers": False}
    org.ana.patch(f"/streams/{garden}", **params).succeeds()


def closes_the_cellar(org: MirroredOrganization) -> None:
    cellar = org.chat.channel("cellar").id
    org.ana.patch(f"/streams/{cellar}", is_private=True).succeeds()


ACTIONS: dict[str, Callable[[MirroredOrganization], Any]] = {
    "nothing": lambda org: None,
    "a message in an open channel": lambda org: org.ben.says("leek", to="kitchen > lunch #12"),
    "a reaction": reacts,
    "no reaction": takes_it_back,
    "a vote": votes,
    "other words": edits("plain", content="*rye* bread"),
    "other words of a direct message": edits("direct", content="psst!"),
    "another topic": edits("plain", topic="supper #7"),
    "a resolved topic": edits("soup", topic="✔ lunch #12", propagate_mode="change_all"),
    "another channel": moves_to_the_garden,
    "a protected history": protects_the_history,
    "a channel that closes": closes_the_cellar,
    "a new rendering": renders_anew,
    "a deletion": lambda org: org.ana.delete(f"/messages/{org.message_ids['gone']}").succeeds(),
    "a person's name": lambda org: org.ben.patch("/settings", full_name="Benno").succeeds(),
    "a person's picture": lambda org: uploads_to(org.ben, "/users/me/avatar", picture()),
    "a hidden address": lambda org: org.ben.patch(
        "/settings", email_address_visibility=5
    ).succeeds(),
    "a channel's name": renames_the_kitchen,
    "a linkifier": lambda org: org.ana.post(
        "/realm/filters", pattern="#(?P<id>[0-9]+)", url_template="https://bugs.example/{id}"
    ).succeeds(),
    "less of the history of edits": lambda org: org.chat.set(
        "message_edit_history_visibility_policy", "moves"
    ),
    "a message": lambda org: org.ben.says("@**ana** soup!", to="garden > lunch"),
    "a message without an event that changes rules": lambda org: org.ben.says(
        "soup!", to="garden > lunch"
    ),
    "what was read": lambda org: org.ana.post(
        "/messages/flags", messages=[org.message_ids["plain"]], op="add", flag="read"
    ).succeeds(),
    "what was not read after all": lambda org: org.ana.post(
        "/messages/flags", messages=[org.message_ids["plain"]], op="remove", flag="read"
    ).succeeds(),
    "a muted channel": lambda org: org.ana.patch(
        f"/users/me/subscriptions/{org.chat.channel('garden').id}",
        property="is_muted",
        value=True,
    ).succeeds(),
    "a topic that is not muted": lambda org: org.ana.post(
        "/user_topics",
        stream_id=org.chat.channel("garden").id,
        topic="lunch",
        visibility_policy=2,
    ).succeeds(),
    "a muted person": lambda org: org.ana.post(f"/users/me/muted_users/{org.ben.id}").succeeds(),
    "one who is muted no more": lambda org: org.ana.delete(
        f"/users/me/muted_users/{org.ben.id}"
    ).succeeds(),
    "another colour": lambda org: org.ana.patch(
        f"/users/me/subscriptions/{org.chat.channel('garden').id}",
        property="color",
        value="#123456",
    ).succeeds(),
    "all read": lambda org: org.gus.post("/mark_all_as_read").succeeds(),
    "a draft": lambda org: org.ana.post(
        "/drafts", drafts=[{"type": "", "to": [], "topic": "", "content": "so", "timestamp": 1}]
    ).succeeds(),
    "an alert word": lambda org: org.ana.post(
        "/users/me/alert_words", alert_words=["soup"]
    ).succeeds(),
    "no draft": lambda org: org.ana.delete(
        f"/drafts/{org.ana.get('/drafts').succeeds()['drafts'][0]['id']}"
    ).succeeds(),
    "a snippet": lambda org: org.ben.post(
        "/saved_snippets", title="Soup", content="Soup's on"
    ).succeeds(),
    "a status": lambda org: org.gus.post("/users/me/status", status_text="out").succeeds(),
    "no alert word": lambda org: org.ana.delete(
        "/users/me/alert_words", alert_words=["soup"]
    ).succeeds(),
    "a bot": lambda org: org.ben.post(
        "/bots", full_name="Cook", short_name="cook", bot_type=1
    ).succeeds(),
    "an archived channel": lambda org: org.ana.delete(
        f"/streams/{org.chat.channel('cellar').id}"
    ).succeeds(),
    "a star": lambda org: org.ana.post(
        "/messages/flags", messages=[org.message_ids["poll"]], op="add", flag="starred"
    ).succeeds(),
    "a guest who may not know everybody": lambda org: org.chat.permit(
        "can_access_all_users_group", "members"
    ),
    "a user who left": lambda org: org.gus.leaves("canteen"),
    "an ended account": lambda org: org.ana.delete(f"/users/{org.ben.id}").succeeds(),
}


def test_history_is_correct_after_every_change(org: MirroredOrganization, thorough: bool) -> None:
    """`make test` reads in the two manners by turns, `--both` in both after each change."""
    for number, (after, act) in enumerate(ACTIONS.items()):
        act(org)
        if after == "an ended account":
            org.ben = org.ana
        org.shows_what_is_so(after, MANNERS if thorough else [MANNERS[number % 2]])

    assert org.has_used_its_caches()


def test_history_is_correct_after_a_busy_time(org: MirroredOrganization) -> None:
    def keeps_busy(person: Person, seed: int) -> None:
        dice = random.Random(seed)
        for number in range(BUSY_ROUNDS):
            message = f"/messages/{org.message_ids[dice.choice(['soup', 'poll', 'plain'])]}"
            choices: list[tuple[str, str, dict[str, Any]]] = [
                ("POST", f"{message}/reactions", {"emoji_name": "tada"}),
                ("DELETE", f"{message}/reactions", {"emoji_name": "tada"}),
                ("PATCH", message, {"content": f"soup {seed} {number}"}),
                ("PATCH", message, {"topic": f"lunch {number % 3}"}),
                ("PATCH", "/settings", {"full_name": f"{person.name} {number}"}),
                (
                    "POST",
                    "/messages",
                    {"type": "direct", "to": [org.gus.id], "content": "x"},
                ),
                ("POST", "/messages", {"type": "channel", "to": "garden", "content": "y"}),
                ("POST", "/register", {}),
            ]
            method, path, text = dice.choice(choices)
            person.request(method, path, **text)
            org.history(person, dice.choice(MANNERS), dice.choice(org.narrows))

    busy = [
        threading.Thread(target=keeps_busy, args=(person, seed))
        for seed, person in enumerate([org.ana, org.ben, org.ana, org.ben])
    ]
    for each in busy:
        each.start()
    for each in busy:
        each.join()

    org.shows_what_is_so("a busy time")
    assert org.has_used_its_caches()


def test_writes_of_other_processes_are_seen_at_once(org: MirroredOrganization) -> None:
    org.shows_what_is_so("nothing")

    org.chat.write_from_outside(
        actions.messages.reactions.add,
        org.ben.record,
        org.message_ids["soup"],
        "tada",
        None,
        None,
    )

    for narrow in ([], [_in_channel(org.chat.channel("kitchen").id)]):
        found = json.loads(org.history(org.ana, MANNERS[0], narrow))["messages"]
        soup = next(each for each in found if each["id"] == org.message_ids["soup"])
        assert [each["emoji_name"] for each in soup["reactions"]] == ["tada"]
