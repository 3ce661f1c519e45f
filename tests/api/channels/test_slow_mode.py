"""Slow mode of channels: how often a user may post, who is not delayed, and its end."""

import pytest
from tests.support.people import Person


@pytest.fixture
def slow(own_chat):
    """A channel that Ana administers, with a message every 30 seconds, on a stopped clock."""
    own_chat.server.clock.stop()
    ana, ben, mia = [
        own_chat.person(name, channels=["kitchen"], role=role)
        for name, role in (("ana", "member"), ("ben", "member"), ("mia", "moderator"))
    ]
    path = f"/streams/{own_chat.channel('kitchen').id}"
    ana.patch(path, slow_mode_seconds=30).succeeds()
    return own_chat, path, ana, ben, mia


def is_refused(person: Person) -> None:
    reply = person.tries_to_say("Again", to="kitchen > lunch")
    assert (reply.status, reply.json["code"]) == (429, "RATE_LIMIT_HIT")


def test_a_second_message_has_to_wait(slow):
    chat, _, _, ben, _ = slow
    for _ in range(3):  # the later ones could take the fast path
        ben.says("Hello", to="kitchen > lunch")
        chat.server.clock.move(seconds=30)
    chat.server.clock.move(seconds=-18)

    refused = ben.tries_to_say("Hello again", to="kitchen > lunch")

    reply = refused.fails(
        "This channel is in slow mode: one message every 30 seconds.",
        code="RATE_LIMIT_HIT",
        status=429,
    )
    assert (reply["retry-after"], reply["problem"]) == (18, "slow-mode")
    assert refused.headers["Retry-After"] == "18"
    chat.server.clock.move(seconds=18)
    ben.says("Hello again", to="kitchen > supper")


def test_only_the_channel_is_slow(slow):
    _, _, ana, ben, _ = slow
    ana.joins("garden", principals=[ben.id])
    ben.says("Hello", to="kitchen > lunch")

    ben.says("Roses", to="garden > roses")
    ben.says("Tulips", to="garden > roses")
    ben.says("Hi", to=[ana])


def test_moderators_administrators_of_the_channel_and_bots_are_not_delayed(slow):
    chat, _, ana, ben, mia = slow
    robot = chat.person("robot", bot="generic", owner=ben)
    robot.joins("kitchen")
    for person in (ana, mia, robot):
        person.says("First", to="kitchen > lunch")
        person.says("Second", to="kitchen > lunch")


def test_slow_mode_ends_by_itself(slow):
    chat, path, ana, ben, _ = slow
    ends = int(chat.server.clock()) + 60
    ana.patch(path, slow_mode_seconds=3600, slow_mode_until=ends).succeeds()
    ben.says("Hello", to="kitchen > lunch")
    chat.server.clock.move(seconds=30)
    is_refused(ben)

    chat.server.clock.move(seconds=31)

    ben.says("Again", to="kitchen > lunch")


def test_subscribers_get_the_changes(slow):
    chat, path, ana, ben, _ = slow
    queue = ben.listens_for("stream")
    ends = int(chat.server.clock()) + 600

    ana.patch(path, slow_mode_seconds=60, slow_mode_until=ends).succeeds()

    assert [(each["property"], each["value"]) for each in queue.all()] == [
        ("slow_mode_seconds", 60),
        ("slow_mode_until", ends),
    ]
    shown = ben.get(path).succeeds()["stream"]
    assert (shown["slow_mode_seconds"], shown["slow_mode_until"]) == (60, ends)
    ana.patch(path, slow_mode_seconds=0).succeeds()
    shown = ben.get(path).succeeds()["stream"]
    assert (shown["slow_mode_seconds"], shown["slow_mode_until"]) == (0, None)


def test_who_does_not_administer_the_channel_cannot_change_it(slow):
    _, path, ana, ben, _ = slow
    for person, seconds in ((ben, 0), (ana, -1), (ana, 3601)):
        assert person.patch(path, slow_mode_seconds=seconds).status == 400
    ana.patch(path, slow_mode_until=1000).fails("The end of slow mode must be in the future.")

    ben.says("Hello", to="kitchen > lunch")
    is_refused(ben)
    assert ben.get(path).succeeds()["stream"]["slow_mode_seconds"] == 30
