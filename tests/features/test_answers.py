"""Streamed answers: pieces reach the people who watch, and one message stays."""

import time
from dataclasses import replace
from typing import Any

import pytest
from tests.support.people import Chat, Person
from tests.support.waiting import eventually

from tertulia import actions
from tertulia.domain.messages import answers
from tertulia.domain.messages.deleted import KeptSelection

WATCHES: dict[str, Any] = {
    "client_capabilities": {"notification_settings_null": True, "streamed_answers": True}
}
TOPIC: dict[str, Any] = {"type": "channel", "to": "kitchen", "topic": "lunch"}


class Scene:
    """Ana asks a bot of Ben; Cem reads along."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.ana, self.ben, self.cem = chat.people("ana", "ben", "cem", channels=["kitchen"])
        self.bot = chat.person("helper", bot="generic", owner=self.ben)
        self.bot.says("Hello", to="kitchen > lunch")

    def starts(self, **options: Any) -> str:
        params = {**TOPIC, "asked_by": self.ana.id, **options}
        found: str = self.bot.post("/answers", **params).succeeds()["answer_token"]
        return found


@pytest.fixture
def scene(chat: Chat) -> Scene:
    return Scene(chat)


def text_of(events: list[dict[str, Any]]) -> str:
    text = ""
    for event in events:
        if event["op"] == "update":
            text = text[: event["position"]] + event["content"]
    return text


def test_people_watch_an_answer_grow_and_one_message_stays(scene):
    queue = scene.cem.listens_for(**WATCHES)
    head = scene.chat.head()

    answer = scene.starts(status_line="reading 3 files …")
    scene.bot.patch(f"/answers/{answer}", content="Soup ").succeeds()
    scene.bot.patch(f"/answers/{answer}", content="is on", status_line="writing").succeeds()
    seen: list[dict[str, Any]] = []

    def is_complete() -> bool:
        seen.extend(queue.all())
        return text_of(seen) == "Soup is on"

    eventually(is_complete)
    sent = scene.bot.post(f"/answers/{answer}/finish", content="Soup is **on**").succeeds()
    message, end = queue.next(), queue.next()

    assert [each["type"] for each in seen] == ["answer"] * len(seen)
    assert seen[0]["op"] == "start"
    assert seen[1]["status_line"] == "reading 3 files …"
    assert (seen[-1]["sender_id"], seen[-1]["asked_by"]) == (scene.bot.id, scene.ana.id)
    assert (seen[-1]["stream_id"], seen[-1]["topic"]) == (
        scene.chat.channel("kitchen").id,
        "lunch",
    )
    events = {each["type"]: each for each in (message, end)}
    assert events["message"]["message"]["content"] == "Soup is **on**"
    assert (events["answer"]["op"], events["answer"]["message_id"]) == ("end", sent["id"])
    assert scene.chat.head() == head + 1


def test_a_thousand_pieces_are_one_row_of_the_log_and_at_most_ten_events_a_second(scene):
    queue = scene.cem.listens_for(**WATCHES)
    head = scene.chat.head()
    answer = scene.starts()

    events: list[dict[str, Any]] = []

    started = time.monotonic()
    for number in range(1000):
        scene.bot.patch(f"/answers/{answer}", content="x", position=number).succeeds()
        if number % 100 == 0:  # a client that does not poll for long gets no ephemeral events
            events.extend(queue.all())
    seconds = time.monotonic() - started
    scene.bot.post(f"/answers/{answer}/finish", content="x" * 1000).succeeds()

    def has_ended() -> bool:
        events.extend(queue.all())
        return any(each.get("op") == "end" for each in events)

    eventually(has_ended)
    updates = [each for each in events if each.get("op") == "update"]
    assert len(updates) <= seconds / answers.MIN_INTERVAL_SECONDS + 2
    assert scene.chat.head() == head + 1
    stored = [each for each in events if each["type"] == "message"]
    assert len(stored) == 1


def test_clients_that_do_not_know_answers_get_only_the_message(scene):
    queue = scene.cem.listens_for()

    answer = scene.starts()
    scene.bot.patch(f"/answers/{answer}", content="Soup").succeeds()
    scene.bot.post(f"/answers/{answer}/finish", content="Soup").succeeds()

    assert queue.next()["type"] == "message"


def test_finishing_twice_sends_once(scene):
    answer = scene.starts()

    first = scene.bot.post(f"/answers/{answer}/finish", content="Soup").succeeds()
    second = scene.bot.post(f"/answers/{answer}/finish", content="Soup").succeeds()

    assert first["id"] == second["id"]


def test_the_asking_user_stops_an_answer_and_the_bot_gets_an_event(scene):
    queue = scene.bot.listens_for("answer")
    answer = scene.starts()
    scene.bot.patch(f"/answers/{answer}", content="Soup").succeeds()
    scene.cem.post(f"/answers/{answer}/stop").fails("Invalid answer")

    scene.ana.post(f"/answers/{answer}/stop").succeeds()

    assert queue.next()["op"] == "stop"
    assert scene.bot.patch(f"/answers/{answer}", content="!").succeeds()["stopped"] is True
    (still,) = scene.cem.get("/answers").succeeds()["answers"]
    assert (still["content"], still["stopped"]) == ("Soup", True)
    scene.bot.post(f"/answers/{answer}/finish", content="Soup").succeeds()
    assert scene.cem.get("/answers").succeeds()["answers"] == []


def test_a_cancelled_answer_leaves_nothing(scene):
    queue = scene.cem.listens_for("answer", "message")
    head = scene.chat.head()
    answer = scene.starts()
    queue.next()

    scene.bot.delete(f"/answers/{answer}").succeeds()

    end = queue.next()
    assert (end["op"], end["message_id"]) == ("end", None)
    assert scene.chat.head() == head


def test_a_late_client_gets_the_text_so_far(scene):
    answer = scene.starts()
    scene.bot.patch(f"/answers/{answer}", content="Soup", status_line="writing").succeeds()

    (found,) = scene.cem.get("/answers").succeeds()["answers"]

    assert (found["content"], found["status_line"]) == ("Soup", "writing")
    assert found["answer_token"] == answer


def test_a_silent_bot_is_forgotten(scene):
    clock = scene.chat.server.clock
    scene.starts()
    clock.stop()

    clock.move(seconds=answers.SILENT_SECONDS + 1)

    assert scene.cem.get("/answers").succeeds()["answers"] == []


def test_only_subscribers_watch_a_private_channel(chat):
    scene = Scene(chat)
    scene.ana.joins("cellar", invite_only=True, principals=[scene.ana.id, scene.bot.id])
    listening = scene.cem.listens_for(**WATCHES)

    scene.starts(to="cellar")
    direct = {"type": "direct", "to": [scene.ana.id]}
    scene.starts(**direct)

    assert scene.cem.get("/answers").succeeds()["answers"] == []
    assert len(scene.ana.get("/answers").succeeds()["answers"]) == 2
    scene.ana.says("Hello", to="kitchen > lunch")
    assert listening.next()["type"] == "message"


def test_send_permissions_apply_to_answers(scene):
    scene.ana.joins("cellar", invite_only=True)
    outsider = {**TOPIC, "to": "cellar"}
    scene.bot.post("/answers", **outsider).fails(
        "Channel 'cellar' does not exist", code="STREAM_DOES_NOT_EXIST"
    )
    scene.ana.post("/answers", **TOPIC).fails("Must be a bot user", code="PERMISSION_DENIED")
    foreign = Chat.found(scene.chat.server).person("zoe")
    scene.bot.post("/answers", **TOPIC, asked_by=foreign.id).fails(f"Invalid user ID {foreign.id}")
    scene.bot.post("/answers", **TOPIC, asked_by=scene.bot.id).fails(
        f"Invalid user ID {scene.bot.id}"
    )
    scene.bot.post("/answers", type="channel", to="kitchen").fails("Missing topic")


def test_a_bot_without_permission_to_post_cannot_continue(scene):
    answer = scene.starts()
    scene.chat.person("owner", role="owner").delete(
        f"/streams/{scene.chat.channel('kitchen').id}"
    ).succeeds()

    reply = scene.bot.patch(f"/answers/{answer}", content="Soup")

    assert reply.status == 400


def test_only_its_bot_writes_to_an_answer(scene):
    answer = scene.starts()
    other = scene.chat.person("other", bot="generic", owner=scene.ben)

    for forged in (answer, answer[:-1] + "0", "x.y", "x" * 900):
        for method, path in (("PATCH", ""), ("DELETE", ""), ("POST", "/finish")):
            params = {"content": "Soup"} if method != "DELETE" else {}
            other.request(method, f"/answers/{forged}{path}", **params).fails("Invalid answer")
        scene.cem.post(f"/answers/{forged}/stop").fails("Invalid answer")


def test_length_and_number_of_answers_are_limited(scene):
    answer = scene.starts()
    path = f"/answers/{answer}"

    scene.bot.patch(path, content="x" * 10_001).fails(
        "content is too long (limit: 10000 characters)"
    )
    scene.bot.patch(path, content="xx", position=9_999).fails(
        "Message is too long (limit: 10000 characters)"
    )
    for _ in range(answers.MAX_OPEN_PER_PERSON - 1):
        scene.starts()
    other = scene.chat.person("other", bot="generic", owner=scene.ben)
    refused = other.post("/answers", **TOPIC)
    assert (refused.status, refused.json["code"]) == (429, "RATE_LIMIT_HIT")
    clock = scene.chat.server.clock
    clock.stop()
    clock.move(seconds=answers.MAX_SECONDS + 1)
    scene.bot.patch(path, content="late").fails("Invalid answer")
    other.post("/answers", **TOPIC).succeeds()


def test_an_answer_in_a_large_channel_is_published_less_often():
    assert answers.interval_seconds(0) == answers.MIN_INTERVAL_SECONDS
    assert answers.interval_seconds(2000) == 20 * answers.MIN_INTERVAL_SECONDS


def test_the_owner_of_the_bot_may_stop_it(scene):
    answer = scene.starts()

    scene.ben.post(f"/answers/{answer}/stop").succeeds()

    def is_stopped(who: Person) -> bool:
        return bool(who.get("/answers").succeeds()["answers"][0]["stopped"])

    eventually(lambda: is_stopped(scene.cem))


def test_answers_that_fell_silent_count_when_they_are_written_again(scene):
    clock = scene.chat.server.clock
    clock.stop()
    silent = []
    for _ in range(answers.MAX_OPEN_PER_PERSON + 1):
        silent.append(scene.starts())
        clock.move(seconds=answers.SILENT_SECONDS + 1)

    found = [scene.bot.patch(f"/answers/{each}", content="x").status for each in silent]

    assert found == [200] * answers.MAX_OPEN_PER_PERSON + [429]


@pytest.mark.parametrize("ending", ["finish", "abandon"])
def test_a_late_piece_or_stop_does_not_open_an_answer_again(scene, ending):
    queue = scene.cem.listens_for("answer")
    answer = scene.starts()
    if ending == "finish":
        scene.bot.post(f"/answers/{answer}/finish", content="Soup").succeeds()
    else:
        scene.bot.delete(f"/answers/{answer}").succeeds()

    scene.bot.patch(f"/answers/{answer}", content="So").fails("Invalid answer")
    scene.ana.post(f"/answers/{answer}/stop").fails("Invalid answer")

    assert [each["op"] for each in queue.all()] == ["start", "end"]
    assert scene.cem.get("/answers").succeeds()["answers"] == []


def test_an_answer_stays_finished_on_a_server_that_was_restarted(start_server):
    server = start_server()
    scene = Scene(Chat.found(server))
    answer = scene.starts()
    scene.bot.post(f"/answers/{answer}/finish", content="Soup").succeeds()

    server.restart()

    scene.bot.patch(f"/answers/{answer}", content="So").fails("Invalid answer")
    scene.ana.post(f"/answers/{answer}/stop").fails("Invalid answer")
    assert scene.cem.get("/answers").succeeds()["answers"] == []


@pytest.mark.postgres
def test_a_piece_that_another_server_gets_after_the_end_is_refused(two_servers):
    chat, other = two_servers
    scene = Scene(chat)
    queue = scene.cem.listens_for("answer")
    answer = scene.starts()
    there = Chat(other, chat.realm, chat.host)
    bot, cem = replace(scene.bot, chat=there), replace(scene.cem, chat=there)
    eventually(lambda: bool(cem.get("/answers").succeeds()["answers"]))

    scene.bot.post(f"/answers/{answer}/finish", content="Soup").succeeds()
    bot.patch(f"/answers/{answer}", content="So").fails("Invalid answer")

    assert [each["op"] for each in queue.all()] == ["start", "end"]
    eventually(lambda: cem.get("/answers").succeeds()["answers"] == [])


def stopped_answer(scene: Scene, *, by: Person, content: str = "Soup is") -> int:
    """The message of an answer that was stopped and then finished by its bot."""
    answer = scene.starts()
    by.post(f"/answers/{answer}/stop").succeeds()
    found: int = scene.bot.post(f"/answers/{answer}/finish", content=content).succeeds()["id"]
    return found


REFUSED = "You don't have permission to delete this message"


@pytest.mark.parametrize("stopped_by", ["ana", "ben"])
def test_the_asking_user_deletes_an_answer_that_was_stopped(scene, stopped_by):
    queue = scene.cem.listens_for("delete_message")
    message = stopped_answer(scene, by=getattr(scene, stopped_by))

    scene.cem.delete(f"/messages/{message}").fails(REFUSED)
    scene.ana.delete(f"/messages/{message}").succeeds()

    assert queue.next()["message_id"] == message
    scene.ana.get(f"/messages/{message}").fails("Invalid message(s)")


def test_the_asking_user_does_not_delete_other_messages_of_the_bot(scene):
    stopped_answer(scene, by=scene.ana)
    whole = scene.starts()
    finished = scene.bot.post(f"/answers/{whole}/finish", content="Soup").succeeds()["id"]
    scene.ana.post(f"/answers/{whole}/stop").fails("Invalid answer")
    ordinary = scene.bot.says("Hello", to="kitchen > lunch").id
    unasked = scene.starts(asked_by=None)
    scene.ben.post(f"/answers/{unasked}/stop").succeeds()
    of_nobody = scene.bot.post(f"/answers/{unasked}/finish", content="Soup").succeeds()["id"]

    for message in (finished, ordinary, of_nobody):
        scene.ana.delete(f"/messages/{message}").fails(REFUSED)


def test_a_stopped_answer_is_deleted_within_the_time_limit_and_where_the_user_may_read(scene):
    late, lost, here = (stopped_answer(scene, by=scene.ana) for _ in range(3))
    owner = scene.chat.person("owner", role="owner")
    owner.patch("/realm", message_content_delete_limit_seconds=600).succeeds()
    clock = scene.chat.server.clock
    clock.stop()
    clock.move(seconds=700)
    scene.ana.delete(f"/messages/{late}").fails(
        "The time limit for deleting this message has passed"
    )
    unlimited = '"unlimited"'
    owner.patch("/realm", message_content_delete_limit_seconds=unlimited).succeeds()
    owner.joins("vault", invite_only=True)
    vault = scene.chat.channel("vault").id
    owner.patch(f"/messages/{lost}", stream_id=vault, propagate_mode="change_one").succeeds()

    scene.ana.delete(f"/messages/{lost}").fails("Invalid message(s)")
    scene.ana.delete(f"/messages/{here}").succeeds()


def test_an_answer_that_was_deleted_and_restored_stays(scene):
    scene.chat.set("deleted_message_grace_days", 7)
    message = stopped_answer(scene, by=scene.ana)
    scene.ana.delete(f"/messages/{message}").succeeds()

    scene.chat.write(actions.messages.restoration.restore_batch, KeptSelection())

    scene.ana.delete(f"/messages/{message}").fails(REFUSED)


def test_a_stop_is_known_after_a_restart_and_forgotten_if_the_answer_is_never_finished(
    start_server,
):
    server = start_server()
    scene = Scene(Chat.found(server))
    finished, given_up = scene.starts(), scene.starts()
    for each in (finished, given_up):
        scene.ana.post(f"/answers/{each}/stop").succeeds()
    scene.bot.delete(f"/answers/{given_up}").succeeds()
    server.restart()
    message = scene.bot.post(f"/answers/{finished}/finish", content="Soup").succeeds()["id"]

    scene.chat.write(actions.housekeeping.delete_expired_send_keys, -1)

    count = "SELECT count(*) AS value FROM stopped_answer"
    assert scene.chat.read(lambda tx: tx.value(count)) == 1
    scene.ana.delete(f"/messages/{message}").succeeds()
    assert scene.chat.read(lambda tx: tx.value(count)) == 0
