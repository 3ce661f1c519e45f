"""Typing notifications: delivered and never stored."""

from functools import partial

import msgspec
import pytest

from tertulia import actions, features

CAPABLE = {"notification_settings_null": True, "stream_typing_notifications": True}
MODERN = CAPABLE | {"empty_topic_name": True}


def named(person):
    return {"user_id": person.id, "email": person.api_email}


def typing(op, sender, *recipients):
    return {
        "type": "typing",
        "message_type": "direct",
        "op": op,
        "sender": named(sender),
        "recipients": [named(person) for person in recipients],
    }


def typing_in(op, sender, channel, topic):
    return {
        "type": "typing",
        "message_type": "stream",
        "op": op,
        "sender": named(sender),
        "stream_id": channel.id,
        "topic": topic,
    }


@pytest.fixture
def scene(chat):
    chat.ana, chat.ben = chat.people("ana", "ben", channels=["kitchen"])
    chat.kitchen = chat.channel("kitchen")
    return chat


@pytest.mark.parametrize("op", ["start", "stop"])
def test_all_participants_are_notified_including_the_writer(scene, op):
    cleo, dan = scene.people("cleo", "dan")
    queue = [person.listens_for() for person in (scene.ana, scene.ben, cleo)]
    stranger = dan.listens_for()

    scene.ana.post("/typing", op=op, to=[scene.ben.id, cleo.id]).succeeds()

    for each in queue:
        assert each.all() == [typing(op, scene.ana, scene.ben, cleo, scene.ana)]
    assert stranger.silent()


def test_typing_to_oneself(scene):
    queue = scene.ana.listens_for("typing")

    scene.ana.post("/typing", op="start", type="direct", to=[scene.ana.id]).succeeds()

    assert queue.all() == [typing("start", scene.ana, scene.ana)]


def test_nothing_is_stored(scene):
    before = scene.head()

    scene.ana.post("/typing", op="start", to=[scene.ben.id]).succeeds()

    assert scene.head() == before


def test_typing_does_not_overtake_a_message(scene):
    queue = scene.ben.listens_for("message", "typing")

    scene.ana.post("/typing", op="start", to=[scene.ben.id])
    scene.ana.says("Hello", to=[scene.ben])
    scene.ana.post("/typing", op="stop", to=[scene.ben.id])

    assert [event["type"] for event in queue.all()] == ["typing", "message", "typing"]


def test_a_parked_poll_is_woken(scene):
    waiting = scene.ben.listens_for("typing").waits()

    scene.ana.post("/typing", op="start", to=[scene.ben.id]).succeeds()

    assert waiting.result(5) == [typing("start", scene.ana, scene.ben, scene.ana)]


@pytest.mark.parametrize("type_", ["channel", "stream"])
def test_channel_typing_reaches_queues_with_the_capability(scene, type_):
    outside = scene.person("cleo").listens_for(client_capabilities=CAPABLE)
    queue = scene.ben.listens_for(client_capabilities=CAPABLE)
    older = scene.ben.listens_for()

    scene.ana.post(
        "/typing", op="start", type=type_, stream_id=scene.kitchen.id, topic=" soup "
    ).succeeds()

    assert queue.all() == [typing_in("start", scene.ana, scene.kitchen, "soup")]
    assert older.silent()
    assert outside.silent()


def test_parameters_of_the_other_type_are_ignored(scene):
    queue = scene.ben.listens_for(client_capabilities=CAPABLE)
    fields = {"stream_id": scene.kitchen.id, "topic": "soup"}
    start_typing = partial(scene.ana.post, "/typing", op="start")

    replies = [
        start_typing(type="channel", to="the kitchen", **fields),
        start_typing(type="stream", to=[-1], **fields),
        start_typing(to=[scene.ben.id], stream_id="kitchen", topic="x" * 61),
    ]

    assert [reply.succeeds() for reply in replies] == [{"result": "success", "msg": ""}] * 3
    assert queue.all() == [
        *[typing_in("start", scene.ana, scene.kitchen, "soup")] * 2,
        typing("start", scene.ana, scene.ben, scene.ana),
    ]


@pytest.mark.parametrize("topic", ["", "(no topic)", "general chat"])
def test_the_empty_topic_has_its_name_for_older_queues(scene, topic):
    newer = scene.ben.listens_for(client_capabilities=MODERN)
    older = scene.ben.listens_for(client_capabilities=CAPABLE)

    scene.ana.post(
        "/typing", op="start", type="channel", stream_id=scene.kitchen.id, topic=topic
    ).succeeds()

    assert newer.next()["topic"] == ""
    assert older.next()["topic"] == "general chat"


def test_large_channels_get_no_typing_notifications(scene, monkeypatch):
    monkeypatch.setattr(features.typing, "MAX_SUBSCRIBERS", 2)
    queue = scene.ben.listens_for(client_capabilities=CAPABLE)
    params = {"op": "start", "type": "channel", "stream_id": scene.kitchen.id, "topic": "soup"}

    scene.ana.post("/typing", **params).succeeds()
    assert queue.next()["type"] == "typing"
    soup = scene.ana.says("Soup", to="kitchen > soup")
    scene.person("cleo", channels=["kitchen"])
    queue = scene.ben.listens_for(client_capabilities=CAPABLE)

    scene.ana.post("/typing", **params).succeeds()
    scene.ana.post(f"/messages/{soup.id}/typing", op="start").succeeds()

    assert queue.silent()


def test_users_can_turn_off_receiving(scene):
    deaf = scene.person(
        "cleo", channels=["kitchen"], settings={"receives_typing_notifications": False}
    )
    queue = deaf.listens_for(client_capabilities=CAPABLE)

    scene.ana.post("/typing", op="start", to=[deaf.id]).succeeds()
    scene.ana.post(
        "/typing", op="start", type="channel", stream_id=scene.kitchen.id, topic="x"
    ).succeeds()

    assert queue.silent()


def test_users_can_turn_off_sending(scene):
    shy = scene.person(
        "cleo",
        channels=["kitchen"],
        settings={
            "send_private_typing_notifications": False,
            "send_stream_typing_notifications": False,
        },
    )
    soup, note = shy.says("Soup", to="kitchen > soup"), shy.says("Psst", to=[scene.ana])

    direct = "User has disabled typing notifications for direct messages"
    shy.post("/typing", op="start", to=[scene.ana.id]).fails(direct)
    shy.post(f"/messages/{note.id}/typing", op="start").fails(direct)
    channel = "User has disabled typing notifications for channel messages"
    shy.post("/typing", op="start", type="channel", stream_id=scene.kitchen.id, topic="x").fails(
        channel
    )
    shy.post(f"/messages/{soup.id}/typing", op="start").fails(channel)


@pytest.mark.parametrize(
    "params, problem",
    [
        ({}, "Missing 'op' argument"),
        ({"op": "pause"}, "Invalid op"),
        ({"op": "start", "type": "private", "to": [1]}, "Invalid type"),
        ({"op": "start", "type": "letter"}, "Invalid type"),
        ({"op": "start"}, "Missing 'to' argument"),
        ({"op": "start", "to": []}, "Empty 'to' list"),
        ({"op": "start", "to": 8}, "to is not a list"),
        ({"op": "start", "to": ["ana@example.com"]}, "to[0] is not an integer"),
        ({"op": "start", "to": [987_654]}, "Invalid user ID 987654"),
        ({"op": "start", "type": "channel", "topic": "x"}, "Missing 'stream_id' argument"),
        ({"op": "start", "type": "channel", "stream_id": 1}, "Missing topic"),
        (
            {"op": "start", "type": "channel", "stream_id": 1, "topic": "t" * 61},
            "topic is too long (limit: 60 characters)",
        ),
    ],
)
def test_invalid_notifications_are_refused(scene, params, problem):
    scene.ana.post("/typing", **params).fails(problem)


def test_a_hidden_channel_gets_the_same_answer_as_a_missing_one(scene):
    scene.ben.joins("vault", invite_only=True)

    for channel_id in (scene.channel("vault").id, 987_654):
        scene.ana.post(
            "/typing", op="start", type="channel", stream_id=channel_id, topic="x"
        ).fails("Invalid channel ID")


def test_typing_requires_the_posting_permission(scene):
    scene.write(close, scene.kitchen.id, scene.group("nobody"))

    scene.ana.post(
        "/typing", op="start", type="channel", stream_id=scene.kitchen.id, topic="x"
    ).fails("You do not have permission to post in this channel.")


def close(tx, channel_id, nobody):
    channel = actions.channels.lookups.visible_to(
        tx, actions.people.users.get_by_email(tx, "ana@example.com"), channel_id
    )
    permissions = channel.permissions | {"can_send_message_group": nobody}
    tx.execute(
        "UPDATE channel SET permissions = :permissions WHERE id = :id",
        permissions=msgspec.json.encode(permissions).decode(),
        id=channel_id,
    )


# --- while editing ---


@pytest.mark.parametrize("op", ["start", "stop"])
def test_editing_a_channel_message(scene, op):
    soup = scene.ana.says("Soup", to="kitchen > general chat")
    queue = [person.listens_for("typing_edit_message") for person in (scene.ana, scene.ben)]
    outside = scene.person("cleo").listens_for()

    scene.ana.post(f"/messages/{soup.id}/typing", op=op).succeeds()

    for each in queue:
        assert each.all() == [
            {
                "type": "typing_edit_message",
                "op": op,
                "sender_id": scene.ana.id,
                "message_id": soup.id,
                "recipient": {"type": "channel", "channel_id": scene.kitchen.id, "topic": ""},
            }
        ]
    assert outside.silent()


def test_editing_a_direct_message(scene):
    note = scene.ana.says("Psst", to=[scene.ben])
    outside, queue = scene.person("cleo").listens_for(), scene.ben.listens_for()

    scene.ana.post(f"/messages/{note.id}/typing", op="start").succeeds()

    assert queue.next()["recipient"] == {
        "type": "direct",
        "user_ids": sorted([scene.ana.id, scene.ben.id]),
    }
    assert outside.silent()


def test_only_own_messages_can_be_edited(scene):
    note = scene.ana.says("Psst", to=[scene.ben])
    cleo = scene.person("cleo")

    scene.ben.post(f"/messages/{note.id}/typing", op="start").fails(
        "You don't have permission to edit this message"
    )
    for message_id in (note.id, 99_999_999):
        cleo.post(f"/messages/{message_id}/typing", op="start").fails("Invalid message(s)")
    scene.ana.post(f"/messages/{note.id}/typing", op="pause").fails("Invalid op")


def test_bots_and_guests_can_send_typing_notifications(scene):
    guest = scene.person("gus", role="guest")
    bot = scene.person("bot", bot="generic", owner=scene.ana)
    queue = scene.ben.listens_for("typing")

    for writer in (guest, bot):
        writer.post("/typing", op="start", to=[scene.ben.id]).succeeds()
        assert queue.next() == typing("start", writer, scene.ben, writer)
