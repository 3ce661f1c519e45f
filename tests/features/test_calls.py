"""Calls: who may start, join and signal, whom it rings at, and who leaves."""

from typing import Any

import pytest
from tests.support.people import Chat, Person
from tests.support.quiet_hours import has_quiet_hours_now
from tests.support.waiting import eventually

from tertulia.features.calls import running_calls
from tertulia.features.calls.endpoints import RINGS, SIGNALS
from tertulia.features.calls.ice import credential

KNOWS: dict[str, Any] = {"client_capabilities": {"notification_settings_null": True, "calls": True}}
LUNCH: dict[str, Any] = {"type": "channel", "to": "kitchen", "topic": "lunch"}


class Scene:
    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.ana, self.ben, self.cem = chat.people("ana", "ben", "cem", channels=["kitchen"])
        self.eve = chat.person("eve")
        self.kitchen = chat.channel("kitchen")


@pytest.fixture
def scene(chat: Chat) -> Scene:
    return Scene(chat)


def attic(scene: Scene) -> None:
    """A private channel of Ana and Ben."""
    subscribe = {"subscriptions": [{"name": "attic"}], "invite_only": True}
    scene.ana.post("/users/me/subscriptions", **subscribe, principals=[scene.ana.id, scene.ben.id])


def start(person: Person, **where: Any) -> dict[str, Any]:
    found: dict[str, Any] = person.post("/calls", **(where or LUNCH)).succeeds()
    return found


def join(person: Person, call: dict[str, Any]) -> dict[str, Any]:
    path = f"/calls/{call['call']['call_token']}/sessions"
    found: dict[str, Any] = person.post(path).succeeds()
    return found


def session(joined: dict[str, Any]) -> str:
    return f"/calls/{joined['call']['call_token']}/sessions/{joined['session_id']}"


def users(call: dict[str, Any]) -> list[int]:
    return [each["user_id"] for each in call["participants"]]


def running(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.get("/calls").succeeds()["calls"]
    return found


def last_message(person: Person) -> str:
    found = person.get("/messages", anchor="newest", num_before=1, num_after=0)
    return str(found.succeeds()["messages"][-1]["content"])


def test_a_call_is_a_message_that_says_at_the_end_how_long_it_was(scene):
    queue = scene.cem.listens_for(**KNOWS)

    first = start(scene.ana)
    message = scene.cem.get(f"/messages/{first['call']['message_id']}").succeeds()["message"]
    second = join(scene.ben, first)

    assert "Ana started a call." in message["content"]
    assert f"/call/{first['call']['call_token']}" in message["content"]
    assert message["subject"] == "lunch"
    assert users(second["call"]) == [scene.ana.id, scene.ben.id]
    assert [users(each) for each in running(scene.cem)] == [[scene.ana.id, scene.ben.id]]
    scene.ana.delete(session(first)).succeeds()
    scene.ben.delete(session(second)).succeeds()
    assert running(scene.cem) == []
    ended = f"/call/{first['call']['call_token']}/ended/1-{scene.ana.id},{scene.ben.id}-"
    assert f'{ended}">Call ended: 1 minute, 2 people</a>' in last_message(scene.cem)
    seen: list[Any] = []

    def has_end() -> bool:
        seen.extend(queue.all())
        return any(each.get("op") == "end" for each in seen)

    eventually(has_end)
    counts = [len(each["call"]["participants"]) for each in seen if each["type"] == "call"]
    assert counts == [1, 2, 1, 0]
    edits = [each for each in seen if each["type"] == "update_message"]
    assert [each["rendering_only"] for each in edits] == [True]


def test_a_second_start_joins_the_call_of_the_conversation(scene):
    first = start(scene.ana)

    second = start(scene.ben, **{**LUNCH, "topic": "Lunch"})
    other = start(scene.cem, **{**LUNCH, "topic": "dinner"})

    assert second["call"]["call_token"] == first["call"]["call_token"]
    assert other["call"]["call_token"] != first["call"]["call_token"]


def test_who_may_not_read_the_conversation_does_not_learn_of_the_call(scene):
    attic(scene)
    call = start(scene.ana, type="channel", to="attic", topic="x")
    path = f"/calls/{call['call']['call_token']}"

    answers = [
        scene.eve.post(f"{path}/sessions"),
        scene.eve.post("/calls/none/sessions"),
        scene.eve.post(f"{path}/decline"),
        scene.eve.patch(session(call)),
        scene.eve.delete(session(call)),
        scene.eve.post(f"{session(call)}/signals", to_session_id=call["session_id"], signal="x"),
    ]

    assert {(each.status, each.json["msg"]) for each in answers} == {(404, "Call does not exist")}
    assert running(scene.eve) == []


def test_signals_reach_only_the_session_that_they_are_for(scene):
    first = start(scene.ana)
    second = join(scene.ben, first)
    third = join(scene.cem, first)
    queues = {each: each.listens_for(**KNOWS) for each in (scene.ana, scene.ben, scene.cem)}

    scene.ana.post(
        f"{session(first)}/signals", to_session_id=second["session_id"], signal="offer"
    ).succeeds()

    assert queues[scene.ben].next() == {
        "type": "call_signal",
        "call_token": first["call"]["call_token"],
        "sender_session_id": first["session_id"],
        "session_id": second["session_id"],
        "signal": "offer",
    }
    assert queues[scene.cem].silent()
    assert queues[scene.ana].silent()
    # in the name of another session, to another call, to one that has left
    other = start(scene.cem, **{**LUNCH, "topic": "dinner"})
    scene.cem.delete(session(third)).succeeds()
    for sender, path, to in (
        (scene.cem, session(first), second["session_id"]),
        (scene.ana, session(first), other["session_id"]),
        (scene.ana, session(first), third["session_id"]),
    ):
        reply = sender.post(f"{path}/signals", to_session_id=to, signal="x")
        assert reply.status == 404


def test_signals_are_bounded_in_size_and_rate(scene):
    first = start(scene.ana)
    second = join(scene.ben, first)
    path = f"{session(first)}/signals"

    too_long = scene.ana.post(path, to_session_id=second["session_id"], signal="x" * 3001)
    replies = [
        scene.ana.post(path, to_session_id=second["session_id"], signal="x").status
        for _ in range(2 * SIGNALS.requests)
    ]

    assert too_long.status == 400
    assert replies[0] == 200
    assert replies[-1] == 429


def test_a_call_holds_as_many_browsers_as_the_organization_allows(scene):
    owner = scene.chat.person("owner", role="owner")
    owner.patch("/realm", max_call_people=2).succeeds()
    call = start(scene.ana)
    join(scene.ben, call)

    reply = scene.cem.post(f"/calls/{call['call']['call_token']}/sessions")

    assert (reply.status, reply.json["msg"]) == (400, "The call is full")
    owner.patch("/realm", max_call_people=0).succeeds()
    assert scene.cem.post("/calls", **{**LUNCH, "topic": "x"}).status == 400


def test_who_loses_access_leaves_at_once(scene):
    attic(scene)
    call = start(scene.ana, type="channel", to="attic", topic="x")
    lost = join(scene.ben, call)

    scene.ben.delete("/users/me/subscriptions", subscriptions=["attic"]).succeeds()

    eventually(lambda: [users(each) for each in running(scene.ana)] == [[scene.ana.id]])
    assert scene.ben.patch(session(lost)).status == 404


def test_a_browser_that_does_not_renew_its_lease_leaves_and_the_last_one_ends_the_call(scene):
    call = start(scene.ana)
    join(scene.ben, call)

    def age(tx: Any) -> None:
        tx.execute(
            "UPDATE call_session SET seen_at = seen_at - 331 WHERE user_id = :ben", ben=scene.ben.id
        )

    scene.chat.write(age)
    # the leases of a server that was down until now still count
    assert scene.chat.write(_absent_users, "now") == []
    assert scene.chat.write(_absent_users, "long ago") == [[scene.ben.id]]


def _absent_users(tx: Any, alive_since: str) -> list[list[int]]:
    since = tx.now if alive_since == "now" else 0.0
    return [[each.user_id for each in gone] for _, gone in running_calls.absent(tx, since)]


def test_a_direct_call_rings_until_somebody_answers_or_declines(scene):
    queue = scene.ben.listens_for(**KNOWS)
    call = start(scene.ana, type="direct", to=[scene.ben.id, scene.cem.id])
    assert call["call"]["ringing"] == sorted([scene.ben.id, scene.cem.id])
    assert [each["ringing"] for each in running(scene.ben)] == [call["call"]["ringing"]]

    scene.cem.post(f"/calls/{call['call']['call_token']}/decline").succeeds()
    join(scene.ben, call)

    assert running(scene.cem)[0]["ringing"] == []
    seen: list[Any] = []

    def is_silent() -> bool:
        seen.extend(each for each in queue.all() if each["type"] == "call")
        return bool(seen) and seen[-1]["call"]["ringing"] == []

    eventually(is_silent)


def test_it_does_not_ring_at_people_who_have_muted_the_caller_or_are_in_a_call(scene):
    scene.ben.post(f"/users/me/muted_users/{scene.ana.id}").succeeds()
    start(scene.cem)

    call = start(scene.ana, type="direct", to=[scene.ben.id, scene.cem.id, scene.eve.id])

    assert call["call"]["ringing"] == [scene.eve.id]


def test_it_rings_in_quiet_hours_only_at_people_who_want_it(scene):
    for each in (scene.ben, scene.cem):
        has_quiet_hours_now(scene.chat, each)
    scene.cem.patch("/settings", enable_calls_in_quiet_hours=True).succeeds()

    call = start(scene.ana, type="direct", to=[scene.ben.id, scene.cem.id])

    assert call["call"]["ringing"] == [scene.cem.id]


def test_a_call_that_nobody_answers_is_an_unread_message(scene):
    call = start(scene.ana, type="direct", to=[scene.ben.id])

    scene.ana.delete(session(call)).succeeds()

    assert f'/ended/1-{scene.ana.id}-{scene.ben.id}">Missed call</a>' in last_message(scene.ben)
    flags = scene.ben.get(f"/messages/{call['call']['message_id']}").succeeds()["message"]["flags"]
    assert "read" not in flags


def test_an_answered_call_is_read(scene):
    call = start(scene.ana, type="direct", to=[scene.ben.id])

    join(scene.ben, call)

    flags = scene.ben.get(f"/messages/{call['call']['message_id']}").succeeds()["message"]["flags"]
    assert "read" in flags


def test_the_message_of_an_ended_call_keeps_what_its_sender_has_written(scene):
    call = start(scene.ana)
    scene.ana.patch(f"/messages/{call['call']['message_id']}", content="Join us").succeeds()

    scene.ana.delete(session(call)).succeeds()

    assert last_message(scene.ben) == "<p>Call ended: 1 minute, 1 person</p>"


def ring(person: Person, joined: dict[str, Any], *people: Person) -> Any:
    return person.post(f"{session(joined)}/ring", user_ids=[each.id for each in people])


def test_a_call_in_a_topic_rings_only_for_those_whom_a_participant_names(scene):
    call = start(scene.ana)
    assert call["call"]["ringing"] == []
    queue = scene.ben.listens_for(**KNOWS)

    rung = ring(scene.ana, call, scene.ben, scene.ana).succeeds()["call"]

    assert (rung["ringing"], rung["rung_by"]) == ([scene.ben.id], scene.ana.id)
    assert queue.next()["call"]["ringing"] == [scene.ben.id]
    again = ring(scene.ana, call, scene.cem)
    assert (again.status, again.json["problem"]) == (400, "still-ringing")
    scene.ben.post(f"/calls/{call['call']['call_token']}/decline").succeeds()
    second = join(scene.cem, call)
    assert ring(scene.cem, second, scene.ben).succeeds()["call"]["rung_by"] == scene.cem.id
    scene.ana.delete(session(call)).succeeds()
    scene.cem.delete(session(second)).succeeds()
    assert f"-{scene.ben.id}" in last_message(scene.ben)


def test_who_has_not_joined_or_may_not_join_cannot_be_the_reason_that_it_rings(scene):
    attic(scene)
    call = start(scene.ana, type="channel", to="attic", topic="x")

    outsider = ring(scene.ana, call, scene.eve)
    not_in_it = ring(scene.ben, call, scene.ana)

    assert (outsider.status, outsider.json["problem"]) == (400, "nobody-to-ring")
    assert not_in_it.status == 404
    assert ring(scene.eve, call, scene.ana).status == 404


def test_rings_are_bounded_in_rate(scene):
    call = start(scene.ana)

    replies = [ring(scene.ana, call, scene.eve).status for _ in range(2 * RINGS.requests + 1)]

    assert replies[-1] == 429


def test_other_clients_get_no_events_of_calls(scene):
    queue = scene.ben.listens_for()
    call = start(scene.ana)
    join(scene.cem, call)

    assert [each["type"] for each in queue.all()] == ["message"]


def test_bots_do_not_call(scene):
    bot = scene.chat.person("helper", bot="generic", owner=scene.ana)

    assert bot.post("/calls", **LUNCH).status == 400


def test_credentials_for_the_turn_server_are_those_of_coturn():
    assert credential("north-star-secret", "1893456000:ana") == "roVy4bva/Ruu1IzqHvfJpIdv8wk="
