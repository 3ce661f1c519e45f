"""Mentions when a message is sent: who is called, and who may call many at once."""

import pytest

from tertulia import actions
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.errors.messages import WildcardNotAllowedInChannel, WildcardNotAllowedInTopic


def calls(chat, sender, **mentions):
    """Send words that the renderer found to mention these."""
    draft = Draft("x", "<p>x</p>", 0, "test", read_by_sender=False, mentions=Mentions(**mentions))
    sent = chat.write(actions.messages.send.to_channel, sender.record, "kitchen", "lunch", draft)
    return sent.message_id


def crowd(chat, count):
    return chat.people(*(f"p{number}" for number in range(count)), channels=["kitchen"])


def test_wildcards_in_large_channels_require_a_permission(chat):
    sender = crowd(chat, 15)[0]
    root = chat.person("root", role="admin")

    calls(chat, sender, channel_wildcard=True)
    chat.person("sixteenth", channels=["kitchen"])
    with pytest.raises(WildcardNotAllowedInChannel):
        calls(chat, sender, channel_wildcard=True)

    calls(chat, root, channel_wildcard=True)


def test_the_wildcard_permission_can_be_granted(chat):
    sender = crowd(chat, 16)[0]
    chat.permit("can_mention_many_users_group", "everyone")

    calls(chat, sender, channel_wildcard=True)


def test_topic_participants_are_its_senders_and_the_caller(chat):
    people = crowd(chat, 17)
    for person in people[:15]:
        person.says("x", to="kitchen > LUNCH")

    calls(chat, people[0], topic_wildcard=True)

    with pytest.raises(WildcardNotAllowedInTopic):
        calls(chat, people[15], topic_wildcard=True)  # the sender would be the sixteenth


def test_mentioned_users_get_the_flags(chat, in_kitchen, ana, ben, cleo):
    outside = chat.person("dora")
    queue = {who: who.listens_for("message") for who in (ana, ben, cleo, outside)}
    cleo.says("I was here", to="kitchen > lunch")

    by_name = calls(chat, ana, user_ids=frozenset({ben.id, outside.id}))
    everybody = calls(chat, ana, channel_wildcard=True)
    topic = calls(chat, ana, topic_wildcard=True)

    in_channel = ["stream_wildcard_mentioned", "wildcard_mentioned"]
    in_topic = ["topic_wildcard_mentioned", "wildcard_mentioned"]
    expected = {
        ana: [[], in_channel, in_topic],
        ben: [["mentioned"], in_channel, []],
        cleo: [[], in_channel, in_topic],
    }
    for who, flags in expected.items():
        _, *received = queue[who].all()
        assert [each["flags"] for each in received] == flags
        assert [who.sees(number)["flags"] for number in (by_name, everybody, topic)] == flags
    assert queue[outside].silent()
    assert outside.sees(by_name)["flags"] == ["read", "historical"]
    unread = ben.registers()["unread_msgs"]
    assert unread["mentions"] == [by_name, everybody]


def test_only_participants_are_mentioned_in_a_direct_message(chat, ana, ben, cleo):
    names = Mentions(user_ids=frozenset({ben.id, cleo.id}))
    draft = Draft("x", "<p>x</p>", 0, "test", read_by_sender=False, mentions=names)

    sent = chat.write(
        actions.messages.send.to_people, ana.record, [ben.id], draft, "tertulia.invalid"
    )

    assert ben.sees(sent.message_id)["flags"] == ["mentioned"]
    assert cleo.registers()["unread_msgs"]["mentions"] == []
