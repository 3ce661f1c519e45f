"""Limits on what all users receive: one user cannot flood an organization with channels, groups or
emoji."""

from typing import Any

from tests.support.client import Reply
from tests.support.people import Caller
from tests.support.pictures import picture, uploads

from tertulia import domain, features


def creates(who: Caller, *names: str, **options: Any) -> Reply:
    wanted = [{"name": name} for name in names]
    return who.post("/users/me/subscriptions", subscriptions=wanted, **options)


def test_channels_of_one_user_and_their_bots_are_limited(chat, monkeypatch):
    ana, ben = chat.people("ana", "ben")
    robot = chat.person("robot", bot="generic", owner=ana)
    monkeypatch.setattr(domain.limits, "MAX_CHANNELS", 2)
    creates(ana, "kitchen").succeeds()
    ana.delete(f"/streams/{chat.channel('kitchen').id}").succeeds()
    creates(robot, "garden").succeeds()

    too_many = "Too many channels (limit: 2)"
    for who in (ana, robot):
        creates(who, "cellar").fails(too_many)
        who.post("/channels/create", name="cellar", subscribers=[ana.id]).fails(too_many)
    creates(ana, "garden").succeeds()  # it is there already
    creates(ben, "cellar").succeeds()


def test_channels_and_subscriptions_per_call_are_limited(chat):
    ana = chat.person("ana")
    head = chat.head()

    creates(ana, *[f"room {number}" for number in range(101)]).fails(
        "Too many new channels at once (limit: 100)"
    )
    creates(ana, *[f"room {number}" for number in range(11)], principals=[ana.id] * 1000).fails(
        "Too many subscriptions at once (limit: 10000)"
    )

    assert chat.head() == head


def test_groups_are_limited(chat, monkeypatch):
    ana = chat.person("ana")
    monkeypatch.setattr(domain.limits, "MAX_GROUPS", 1)
    ana.post("/user_groups/create", name="bakers", description="", members=[ana.id]).succeeds()

    again = ana.post("/user_groups/create", name="cooks", description="", members=[])

    again.fails("Too many user groups (limit: 1)")


def test_emoji_are_limited(chat, monkeypatch):
    ana, dot = chat.person("ana"), picture(size=(8, 8))
    monkeypatch.setattr(domain.limits, "MAX_EMOJI", 1)
    uploads(ana, "dot", dot).succeeds()
    ana.delete("/realm/emoji/dot").succeeds()

    uploads(ana, "blot", dot).fails("Too many custom emoji (limit: 1)")


def test_folders_are_limited(chat, monkeypatch):
    ana = chat.person("ana", role="admin")
    monkeypatch.setattr(features.channel_folders, "MAX_FOLDERS", 1)
    ana.post("/channel_folders/create", name="House", description="").succeeds()

    again = ana.post("/channel_folders/create", name="Work", description="")

    again.fails("Too many channel folders (limit: 1)")
