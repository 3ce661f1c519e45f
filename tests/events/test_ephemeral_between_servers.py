"""Ephemeral events, presence, files and keys between servers on one PostgreSQL."""

from dataclasses import replace

import pytest
from tests.support.files import fetches, uploads
from tests.support.people import basic
from tests.support.waiting import eventually

from tertulia.database.notify_bus import MAX_NOTICE_BYTES

pytestmark = pytest.mark.postgres


@pytest.fixture
def chat(two_servers):
    """A user at one of two servers that are connected: a new server may miss an ephemeral event."""
    chat, other = two_servers
    cleo, dan = chat.people("cleo", "dan")
    queue = replace(dan, server=other).listens_for("typing")
    eventually(lambda: cleo.post("/typing", op="start", to=[dan.id]) and queue.all())
    return chat


@pytest.fixture
def elsewhere(two_servers):
    def elsewhere(person):
        """The same user at the other server, once it knows the account."""
        there = replace(person, server=two_servers[1])
        eventually(lambda: there.get("/users/me").status == 200)
        return there

    return elsewhere


def test_typing_reaches_the_other_server(ana, ben, elsewhere):
    waiting = elsewhere(ben).listens_for("typing").waits()

    ana.post("/typing", op="start", to=[ben.id]).succeeds()

    (event,) = waiting.result(5)
    assert (event["op"], event["sender"]["user_id"]) == ("start", ana.id)


def test_an_ephemeral_event_arrives_once(ana, ben, elsewhere):
    queue = [ben.listens_for("typing"), elsewhere(ben).listens_for("typing")]

    for op in ("start", "stop", "start"):
        ana.post("/typing", op=op, to=[ben.id]).succeeds()

    eventually(lambda: len(queue[1].poll().json["events"]) >= 3)
    for each in queue:
        assert [event["op"] for event in each.all()] == ["start", "stop", "start"]


def test_a_notice_that_is_too_long_is_dropped_and_the_next_one_arrives(chat, ana, ben, elsewhere):
    queue = elsewhere(ben).listens_for("typing")

    chat.server.call(chat.server.database.publish, chat.realm.id, b"x" * MAX_NOTICE_BYTES)
    ana.post("/typing", op="start", to=[ben.id]).succeeds()

    eventually(lambda: queue.all())


def test_an_answer_is_written_at_one_server_and_watched_and_stopped_at_another(
    chat, ana, ben, elsewhere
):
    bot = chat.person("helper", bot="generic", owner=ben)
    there, bot_there = elsewhere(ana), elsewhere(bot)
    direct = {"type": "direct", "to": [ana.id], "asked_by": ana.id}
    queue = there.listens_for("answer")
    token = bot.post("/answers", **direct).succeeds()["answer_token"]

    text = "".join(chr(0x4E00 + number) for number in range(3000))  # three bytes each
    bot.patch(f"/answers/{token}", content=text, position=0).succeeds()
    bot_there.patch(f"/answers/{token}", content="!", position=3000).succeeds()

    def is_complete(person):
        found = person.get("/answers").succeeds()["answers"]
        return [each["content"] for each in found] == [text + "!"]

    eventually(lambda: is_complete(ana) and is_complete(there))
    assert {each["op"] for each in queue.all()} == {"start", "update"}
    there.post(f"/answers/{token}/stop").succeeds()
    eventually(lambda: bot.patch(f"/answers/{token}", position=3001).succeeds()["stopped"])
    bot_there.post(f"/answers/{token}/finish", content=text).succeeds()
    eventually(lambda: ana.get("/answers").succeeds()["answers"] == [])


def test_presence_is_shared(ana, ben, elsewhere):
    there = elsewhere(ben)
    queue = there.listens_for("presence")

    ana.post("/users/me/presence", status="active").succeeds()

    eventually(lambda: queue.all())
    path = f"/users/{ana.id}/presence"
    eventually(lambda: there.get(path).status == 200)
    assert there.get(path).json["presence"] == ben.get(path).json["presence"]
    here, away = (
        person.registers(fetch_event_types=["presence"], slim_presence=True)
        for person in (ben, there)
    )
    assert here["presence_last_update_id"] == away["presence_last_update_id"] == 1


def test_invalid_notices_are_ignored(chat, ana, ben, elsewhere):
    queue = elsewhere(ben).listens_for("typing")

    chat.server.call(chat.server.database.publish, chat.realm.id, b'{"server": 5}')
    chat.server.call(chat.server.database.publish, chat.realm.id, b"not even JSON")
    ana.post("/typing", op="start", to=[ben.id]).succeeds()

    eventually(lambda: queue.all())


def test_every_server_serves_every_file(ana, elsewhere):
    there = elsewhere(ana)

    file = uploads(ana, data=b"tide" * 100_000)

    assert fetches(there, file).body == b"tide" * 100_000
    link = there.get(f"/user_uploads/{file.path_id}").succeeds()["url"]
    assert ana.raw("GET", link).body == b"tide" * 100_000


def test_a_new_key_is_accepted_by_every_server_at_once(chat, elsewhere):
    ben = chat.person("ben")
    there = elsewhere(ben)

    for _ in range(5):
        key = ben.post("/users/me/api_key/regenerate").succeeds()["api_key"]
        ben, there = (
            each.with_headers(Authorization=basic(ben.email, key)) for each in (ben, there)
        )

        assert there.get("/users/me").status == 200
