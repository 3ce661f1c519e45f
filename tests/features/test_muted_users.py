"""Muted users: their messages arrive, and are read."""

import pytest

from tertulia import features


@pytest.fixture
def scene(chat):
    chat.ana, chat.ben = chat.people("ana", "ben", channels=["kitchen"])
    return chat


def muted(person):
    state = person.registers(fetch_event_types=["muted_users"])["muted_users"]
    assert all(isinstance(each["timestamp"], int) for each in state)
    return [each["id"] for each in state]


def unread(person):
    state = person.registers(fetch_event_types=["message", "update_message_flags"])["unread_msgs"]
    return state["count"]


def test_muting_marks_earlier_messages_read(scene):
    note = scene.ben.says("Psst", to=[scene.ana])
    soup = scene.ben.says("Soup", to="kitchen > soup")
    mine = scene.ana.says("Mine", to="kitchen > soup")
    queue, others = scene.ana.listens_for(), scene.ben.listens_for()

    scene.ana.post(f"/users/me/muted_users/{scene.ben.id}").succeeds()

    flags, mutes = queue.all()
    assert flags == {
        "type": "update_message_flags",
        "op": "add",
        "operation": "add",
        "flag": "read",
        "messages": [note.id, soup.id],
        "all": False,
    }
    assert [each["id"] for each in mutes["muted_users"]] == [scene.ben.id]
    assert others.silent()
    assert "read" in scene.ana.sees(note)["flags"]
    assert "read" not in scene.ana.sees(mine)["flags"]
    assert muted(scene.ana) == [scene.ben.id]


def test_without_unread_messages_no_flag_event_is_sent(scene):
    queue = scene.ana.listens_for()

    scene.ana.post(f"/users/me/muted_users/{scene.ben.id}").succeeds()

    assert [event["type"] for event in queue.all()] == ["muted_users"]


def test_messages_of_a_muted_user_arrive_read(scene):
    scene.ana.post(f"/users/me/muted_users/{scene.ben.id}")
    cleo = scene.person("cleo", channels=["kitchen"])
    queue, others = scene.ana.listens_for("message"), cleo.listens_for("message")

    soup = scene.ben.says("Soup", to="kitchen > soup")
    note = scene.ben.says("Psst", to=[scene.ana])

    assert [event["flags"] for event in queue.all()] == [["read"], ["read"]]
    assert others.next()["flags"] == []
    assert unread(scene.ana) == 0
    assert unread(cleo) == 1
    assert scene.ana.sees(soup)["flags"] == ["read"]
    assert scene.ana.sees(note)["flags"] == ["read"]


def test_unmuting_does_not_change_received_messages(scene):
    scene.ana.post(f"/users/me/muted_users/{scene.ben.id}")
    soup = scene.ben.says("Soup", to="kitchen > soup")
    queue = scene.ana.listens_for()

    scene.ana.delete(f"/users/me/muted_users/{scene.ben.id}").succeeds()
    more = scene.ben.says("More", to="kitchen > soup")

    assert [event["type"] for event in queue.all()] == ["muted_users", "message"]
    assert scene.ana.sees(soup)["flags"] == ["read"]
    assert scene.ana.sees(more)["flags"] == []
    assert muted(scene.ana) == []


def test_users_who_cannot_be_muted(scene):
    scene.ana.post(f"/users/me/muted_users/{scene.ana.id}").fails("Cannot mute self")
    for user_id in (987_654, 2**70):
        scene.ana.post(f"/users/me/muted_users/{user_id}").fails("No such user")
        scene.ana.delete(f"/users/me/muted_users/{user_id}").fails("No such user")
    path = f"/users/me/muted_users/{scene.ben.id}"
    scene.ana.delete(path).fails("User is not muted")
    scene.ana.post(path).succeeds()
    scene.ana.post(path).fails("User already muted")


def test_bots_can_be_muted(scene):
    bot = scene.person("bot", bot="generic", owner=scene.ben)

    scene.ana.post(f"/users/me/muted_users/{bot.id}").succeeds()

    assert muted(scene.ana) == [bot.id]


def test_users_of_another_organization_cannot_be_muted(scene):
    other = type(scene).found(scene.server).person("zoe")

    scene.ana.post(f"/users/me/muted_users/{other.id}").fails("No such user")


def test_the_number_of_muted_users_is_limited(scene, monkeypatch):
    monkeypatch.setattr(features.muted_users, "MAX_MUTED_USERS", 1)
    cleo = scene.person("cleo")
    scene.ana.post(f"/users/me/muted_users/{scene.ben.id}").succeeds()

    scene.ana.post(f"/users/me/muted_users/{cleo.id}").fails("Too many muted users (limit: 1)")
