"""Outgoing webhooks: bots that are called when they are mentioned or written to."""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jsonschema
import msgspec
import pytest
from tests.support import fake_webhooks
from tests.support.backlog import Backlog
from tests.support.fake_webhooks import Receiver
from tests.support.people import Chat, Person
from tests.support.waiting import eventually

from tertulia import storage
from tertulia.app import description
from tertulia.database.tx import Tx
from tertulia.features.outgoing_webhooks import SLOW_CALLS, BotReply, WebhookFailure, parse_response

HOME = (ipaddress.ip_network("127.0.0.0/8"),)


@dataclass
class Scene:
    chat: Chat
    ana: Person
    receiver: Receiver
    bot_id: int

    def called(self, times: int) -> None:
        eventually(lambda: len(self.receiver.requests) >= times)
        assert len(self.receiver.requests) == times

    def all_done(self) -> None:
        eventually(lambda: self.chat.read(waiting) == 0)

    def bot_messages(self) -> list[str]:
        """Everything the bot has sent, oldest first."""
        terms = [{"operator": "sender", "operand": self.bot_id}]
        found = self.ana.get(
            "/messages", anchor="newest", num_before=50, narrow=terms, apply_markdown=False
        )
        return [each["content"] for each in found.succeeds()["messages"]]

    def owner_notice(self) -> str:
        """The last notice of Notification Bot to the owner."""
        found = self.ana.get(
            "/messages",
            anchor="newest",
            num_before=9,
            apply_markdown=False,
            narrow=[{"operator": "is", "operand": "dm"}],
        ).succeeds()["messages"]
        notices = [each for each in found if each["sender_full_name"] == "Notification Bot"]
        return str(notices[-1]["content"]) if notices else ""

    def fails_at_once(self) -> tuple[str, str]:
        self.ana.says("@**Tide** now?", to="kitchen > tides")
        self.all_done()
        return self.bot_messages()[-1], self.owner_notice()

    def fails_in_the_end(self) -> tuple[str, str]:
        """A temporary failure is tried three times, with pauses."""
        self.ana.says("@**Tide** now?", to="kitchen > tides")
        eventually(lambda: self.chat.read(tries) == 1)
        assert self.bot_messages() == []
        self.chat.server.clock.move(seconds=6)
        eventually(lambda: self.chat.read(tries) == 2)
        self.chat.server.clock.move(seconds=31)
        self.all_done()
        return self.bot_messages()[-1], self.owner_notice()


def waiting(tx: Tx) -> int:
    count: int = tx.value("SELECT count(*) AS value FROM outbox WHERE transport = 'webhook'")
    return count


def tries(tx: Tx) -> int:
    count: int = tx.value("SELECT max(tries) AS value FROM outbox WHERE transport = 'webhook'") or 0
    return count


def make_bot(ana: Person, url: str, **about: Any) -> int:
    about = {"full_name": "Tide", "short_name": "tide", "interface_type": 1} | about
    number: int = ana.post("/bots", bot_type=3, payload_url=url, **about).succeeds()["user_id"]
    return number


@pytest.fixture
def scene(start_server) -> Iterator[Scene]:
    chat = Chat.found(start_server(webhook_networks=HOME), "")
    chat.server.clock.stop()
    ana, receiver = chat.person("ana", channels=["kitchen"]), Receiver({"content": "High :ocean:"})
    yield Scene(chat, ana, receiver, make_bot(ana, receiver.url))
    receiver.close()


def test_a_mentioned_bot_is_called_and_replies_in_the_topic(scene):
    service = scene.ana.registers()["realm_bots"][0]["services"][0]

    scene.ana.says("Hi @**Tide**, *when*?", to="kitchen > tides")
    scene.called(1)
    scene.all_done()

    (request,) = scene.receiver.requests
    assert request.headers["user-agent"].startswith("ZulipOutgoingWebhook/")
    assert request.headers["content-type"] == "application/json"
    requested = request.json
    message = requested.pop("message")
    assert requested == {
        "data": "Hi @**Tide**, *when*?",
        "bot_email": "tide-bot@tertulia.invalid",
        "bot_full_name": "Tide",
        "token": service["token"],
        "trigger": "mention",
    }
    assert (message["content"], message["type"]) == ("Hi @**Tide**, *when*?", "stream")
    assert "<em>when</em>" in message["rendered_content"]
    described = msgspec.json.decode(description())
    body = described["webhooks"]["outgoing"]["post"]["requestBody"]["content"]["application/json"]
    sent = body["schema"] | {"components": described["components"]}
    check = jsonschema.Draft202012Validator(sent)
    assert list(check.iter_errors(scene.receiver.requests[0].json)) == []
    assert scene.bot_messages() == ["High :ocean:"]
    shown = scene.ana.get("/messages", anchor="newest", num_before=1).succeeds()["messages"][-1]
    assert (shown["subject"], shown["display_recipient"]) == ("tides", "kitchen")


def test_a_bot_replies_to_a_direct_message_in_the_conversation(scene):
    bot_id = scene.bot_id
    ben = scene.chat.person("ben")

    scene.ana.post("/messages", type="direct", to=[bot_id, ben.id], content="Hi").succeeds()
    scene.called(1)
    scene.all_done()

    assert scene.receiver.requests[0].json["trigger"] == "direct_message"
    response = ben.get("/messages", anchor="newest", num_before=1).succeeds()["messages"][-1]
    people = {each["id"] for each in response["display_recipient"]}
    assert (response["sender_id"], people) == (bot_id, {bot_id, ben.id, scene.ana.id})
    unread = partial(
        storage.messages.unread.among, user_id=bot_id, message_ids=[response["id"] - 1]
    )
    assert scene.chat.read(unread) == set()


def test_every_direct_message_calls_the_bot(scene):
    """The second one could take the fast path, which must not skip webhooks."""
    scene.receiver.answer = ""

    for count in (1, 2, 3):
        scene.ana.post("/messages", type="direct", to=[scene.bot_id], content="Hi").succeeds()
        scene.called(count)


def test_other_messages_cause_no_call(scene):
    chat, ana = scene.chat, scene.ana
    chat.person("ben", channels=["loft"])
    other = chat.person("other", bot="generic", owner=ana, channels=["kitchen"])

    ana.says("`@**Tide**` @_**Tide** @**all**", to="kitchen > tides")
    other.says("@**Tide**", to="kitchen > tides")
    ana.says("@**Tide** last", to="kitchen > tides")
    scene.called(1)
    scene.all_done()

    assert scene.receiver.requests[0].json["data"] == "@**Tide** last"


def test_slack_format_is_used_for_slack_bots(scene):
    bot_id = make_bot(
        scene.ana, scene.receiver.url, full_name="Slow", short_name="slow", interface_type=2
    )
    scene.receiver.answer = {"text": "Low"}

    scene.ana.says("@**Slow** when?", to="kitchen > tides")
    scene.called(1)
    scene.ana.post("/messages", type="direct", to=[bot_id], content="Hi").succeeds()
    scene.all_done()

    form = scene.receiver.requests[0].form
    assert (form["text"], form["channel_name"]) == ("@**Slow** when?", "kitchen")
    assert (form["user_id"], form["trigger_word"]) == (f"U{scene.ana.id}", "mention")
    assert form["team_domain"].startswith("127.0.0.1:")
    scene.bot_id = bot_id
    assert scene.bot_messages() == [
        "Low",
        "Failure! Slack outgoing webhooks don't support direct messages.",
    ]


@pytest.mark.parametrize(
    "text, is_slack, content",
    [
        ('{"content": "a"}', False, "a"),
        ('{"response_string": "a"}', False, "a"),
        ('{"content": "a", "response_not_required": true}', False, ""),
        ('""', False, ""),
        ("", False, ""),
        ("{}", False, ""),
        ('{"text": "a"}', True, "a"),
        ('{"content": "a"}', True, ""),
    ],
)
def test_the_reply_of_a_webhook_is_posted(text, is_slack, content):
    assert parse_response(text, is_slack=is_slack) == BotReply(content)


@pytest.mark.parametrize("value", ['{"widget_type": "poll"}', '"{\\"widget_type\\": \\"poll\\"}"'])
def test_a_reply_may_have_a_widget_as_object_or_text(value):
    response = f'{{"content": "a", "widget_content": {value}}}'

    assert parse_response(response, is_slack=False) == BotReply("a", {"widget_type": "poll"})


@pytest.mark.parametrize(
    "text, why",
    [
        ("<p>", "Invalid JSON in response"),
        ("[1]", "format"),
        ('{"content": "a", "widget_content": "{"}', "format"),
        ('{"content": "a", "widget_content": [1]}', "format"),
    ],
)
def test_a_reply_in_an_unknown_form_posts_nothing(text, why):
    trouble = parse_response(text, is_slack=False)

    assert isinstance(trouble, WebhookFailure)
    assert why in trouble.in_conversation


def test_a_permanent_failure_is_reported_at_once_in_the_topic_and_to_the_owner(scene):
    receiver = scene.receiver
    receiver.answer = (403, b"who are you? ``` @**all**")
    assert scene.fails_at_once()[0] == "Failure! Third party responded with 403"
    assert "status code *403*" in scene.owner_notice()
    assert "who are you? ''' @**all**" in scene.owner_notice()

    receiver.answer = b"<html>"
    assert scene.fails_at_once()[0] == "Failure! Invalid JSON in response"
    receiver.answer = fake_webhooks.redirect("http://127.0.0.1:9/")
    assert scene.fails_at_once()[0] == "Failure! Third party responded with 302"
    receiver.answer = fake_webhooks.stream_for_ever
    in_place, found = scene.fails_at_once()
    assert (in_place, "larger than" in found) == ("Failure! Invalid response format", True)
    receiver.answer = {"content": "x" * 10_001}
    assert "too long" in scene.fails_at_once()[1]
    assert len(receiver.requests) == 5


def test_failures_are_counted_until_the_webhook_answers(scene):
    def listed():
        (bot,) = scene.ana.get("/integrations/bots").succeeds()["bots"]
        return bot["failures"], bot["last_error"]

    scene.receiver.answer = (403, b"")
    scene.fails_at_once()
    scene.fails_at_once()
    failed = listed()
    scene.receiver.answer = {"content": "High"}
    scene.ana.says("@**Tide** now?", to="kitchen > tides")
    scene.all_done()

    assert failed == (2, "The webhook got a response with status code *403*.")
    assert listed()[0] == 0


@pytest.mark.parametrize(
    "answer, in_place, reason",
    [
        (fake_webhooks.never_answer, "Bot is unavailable", "Request timed out"),
        (fake_webhooks.send_bytes_slowly, "Bot is unavailable", "Request timed out"),
        (fake_webhooks.disconnect, "Bot is unavailable", "A connection error occurred."),
        (fake_webhooks.send_invalid_http, "Bot is unavailable", "A connection error occurred."),
        ((500, b""), "Third party responded with 500", "status code *500*"),
    ],
)
def test_a_temporary_failure_is_tried_three_times(scene, answer, in_place, reason):
    if answer in (fake_webhooks.never_answer, fake_webhooks.send_bytes_slowly):
        scene.chat.server.set_timeout("webhook", 0.5)
    scene.receiver.answer = answer

    text, notice = scene.fails_in_the_end()

    assert text == f"Failure! {in_place}"
    assert reason in notice
    assert len(scene.receiver.requests) == 3


def test_a_hanging_webhook_delays_no_other(scene):
    scene.chat.server.set_timeout("webhook", 30)
    stuck = Receiver(fake_webhooks.never_answer)
    make_bot(scene.ana, stuck.url, full_name="Stuck", short_name="stuck")

    for _ in range(3):
        scene.ana.says("@**Stuck** and @**Tide**", to="kitchen > tides")
    eventually(lambda: scene.bot_messages() == ["High :ocean:"] * 3)

    assert len(stuck.requests) == 1
    stuck.close()


def test_hanging_webhooks_of_one_owner_do_not_delay_those_of_another(scene):
    scene.chat.server.set_timeout("webhook", 1000)
    eve = scene.chat.person("eve", channels=["kitchen"])
    stuck = Receiver(fake_webhooks.never_answer)
    for number in range(60):
        name = f"stuck{number}"
        bot_id = make_bot(eve, stuck.url, full_name=name, short_name=name)
        eve.post("/messages", type="direct", to=[bot_id], content="Hi").succeeds()
    eventually(lambda: len(stuck.requests) >= 8)

    scene.ana.says("@**Tide** when?", to="kitchen > tides")
    scene.called(1)

    assert len(stuck.requests) == 8  # her share of the slots
    stuck.close()


def insert_calls(tx: Tx, bot_ids: list[int], message_id: int, count: int, due_at: float) -> None:
    for bot_id in bot_ids:
        tx.insert_rows(
            "outbox",
            ({"lane": bot_id, "user_id": bot_id} for _ in range(count)),
            transport="webhook",
            message_id=message_id,
            kind="mention",
            created_at=due_at,
            due_at=due_at,
        )


def test_due_calls_are_claimed_owner_by_owner(scene):
    chat, ana = scene.chat, scene.ana
    eve, url = chat.person("eve", channels=["kitchen"]), scene.receiver.url
    crowd = [make_bot(eve, url, full_name=f"c{n}", short_name=f"c{n}") for n in range(20)]
    message = ana.says("Hi", to="kitchen > tides")

    def claim(tx: Tx) -> list[int]:
        insert_calls(tx, crowd, message.id, 500, tx.now - 900)
        insert_calls(tx, [scene.bot_id], message.id, 1, tx.now - 1)
        due = storage.outbox.due(tx, "webhook", 10, 8)
        tx.execute("DELETE FROM outbox")
        return [call.user_id or 0 for call in due]

    claimed = chat.write(claim)

    assert set(claimed[:2]) == {crowd[0], scene.bot_id}
    assert len(claimed) == 9  # eight of one owner, and one of the other


def test_a_webhook_that_timed_out_last_time_goes_behind_the_others(scene):
    chat, ana, url = scene.chat, scene.ana, scene.receiver.url
    chat.server.set_timeout("webhook", 0.5)
    scene.receiver.answer = fake_webhooks.never_answer
    ana.says("@**Tide** when?", to="kitchen > tides")
    eventually(lambda: chat.read(tries) == 1)
    others = [make_bot(ana, url, full_name=f"o{n}", short_name=f"o{n}") for n in range(3)]
    message = ana.says("Hi", to="kitchen > tides")

    def claim(tx: Tx) -> list[tuple[int, bool]]:
        insert_calls(tx, [scene.bot_id], message.id, 1, tx.now - 900)
        insert_calls(tx, others, message.id, 1, tx.now - 1)
        due = storage.outbox.due(tx, "webhook", 10, 8)
        tx.execute("DELETE FROM outbox WHERE message_id = :message", message=message.id)
        return [(call.user_id or 0, call.is_slow) for call in due]

    assert chat.write(claim) == [*((bot_id, False) for bot_id in others), (scene.bot_id, True)]

    scene.receiver.answer = {"content": "Low"}
    chat.server.clock.move(seconds=6)
    scene.all_done()
    assert chat.write(claim)[0] == (scene.bot_id, False)


def test_a_webhook_that_timed_out_last_time_takes_no_slot_of_the_others(scene):
    chat, ana = scene.chat, scene.ana
    chat.server.set_timeout("webhook", 0.5)
    scene.receiver.answer = fake_webhooks.never_answer
    ana.says("@**Tide** when?", to="kitchen > tides")
    eventually(lambda: chat.read(tries) == 1)
    before = len(scene.receiver.requests)
    other = Receiver({"content": "Rain"})
    make_bot(ana, other.url, full_name="Weather", short_name="weather")

    with Backlog(SLOW_CALLS, ana.id, room=1):
        chat.server.clock.move(seconds=6)
        eventually(lambda: SLOW_CALLS.waiting == SLOW_CALLS.max_waiting)
        ana.says("@**Weather** today?", to="kitchen > tides")
        eventually(lambda: len(other.requests) == 1)
        assert len(scene.receiver.requests) == before

    eventually(lambda: len(scene.receiver.requests) > before)
    other.close()


def test_a_server_that_dies_during_a_call_calls_again(scene):
    scene.chat.server.set_timeout("webhook", 30)
    scene.receiver.answer = fake_webhooks.never_answer
    scene.ana.says("@**Tide** now?", to="kitchen > tides")
    scene.called(1)

    scene.receiver.answer = {"content": "Low"}
    scene.chat.server.restart()
    scene.chat.server.clock.move(seconds=61)

    eventually(lambda: scene.bot_messages() == ["Low"])
    assert len(scene.receiver.requests) == 2


def test_a_message_deleted_meanwhile_is_not_sent(scene):
    scene.chat.server.set_timeout("webhook", 30)
    scene.receiver.answer = fake_webhooks.never_answer
    scene.ana.says("@**Tide** now?", to="kitchen > tides")
    scene.called(1)
    owner = scene.chat.person("owner", role="owner", channels=["kitchen"])
    secret = scene.ana.says("@**Tide** secret", to="kitchen > tides")

    owner.delete(f"/messages/{secret.id}").succeeds()

    assert scene.chat.read(waiting) == 1


def test_a_message_moved_out_of_sight_meanwhile_is_not_sent(scene):
    root = scene.chat.person("root", role="owner", channels=["kitchen"])
    root.joins("vault", invite_only=True)
    scene.receiver.answer = (500, b"")
    question = root.says("@**Tide** now?", to="kitchen > tides")
    eventually(lambda: scene.chat.read(tries) == 1)
    scene.receiver.requests.clear()

    root.patch(f"/messages/{question.id}", stream_id=scene.chat.channel("vault").id).succeeds()
    root.patch(f"/messages/{question.id}", content="@**Tide** treasure").succeeds()
    scene.chat.server.clock.move(seconds=6)
    scene.all_done()

    assert scene.receiver.requests == []


def test_private_addresses_are_not_called(start_server):
    chat = Chat.found(start_server(), "")
    ana, receiver = chat.person("ana", channels=["kitchen"]), Receiver()
    port = receiver.url.partition("127.0.0.1:")[2]
    scene = Scene(chat, ana, receiver, 0)

    for number, host in enumerate(
        ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0")
    ):
        name = f"Bot{number}"
        scene.bot_id = make_bot(
            ana, f"http://{host}:{port}", full_name=name, short_name=name.lower()
        )
        ana.says(f"@**{name}** hi", to="kitchen > tides")
        scene.all_done()
        assert scene.bot_messages() == ["Failure! Third party responded with 407"], host
        assert "private or disallowed network" in scene.owner_notice()

    assert receiver.requests == []
    receiver.close()
