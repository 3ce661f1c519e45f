"""Commands, buttons and forms: what bots offer, what people answer, and who learns what."""

import ipaddress
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.fake_webhooks import Receiver
from tests.support.files import uploads
from tests.support.people import Chat, Person
from tests.support.waiting import eventually

from tertulia import features, storage
from tertulia.database.tx import Tx

HOME = (ipaddress.ip_network("127.0.0.0/8"),)
SERVERS = [{"value": "staging"}, {"value": "live", "label": "Live"}]
DEPLOY = {
    "name": "deploy",
    "description": "Put a version on a server",
    "parameters": [
        {"name": "version", "type": "text"},
        {"name": "server", "type": "choice", "choices": SERVERS},
        {"name": "note", "type": "text", "required": False},
    ],
}
VALUES = {"version": "2026.11.2", "server": "live"}
FORM = {
    "title": "Deploy",
    "submit": "Put it there",
    "fields": [
        {"name": "reason", "type": "long_text"},
        {"name": "hosts", "type": "choices", "choices": SERVERS},
        {"name": "day", "type": "date", "required": False},
    ],
}
FILLED = {"reason": "It is time", "hosts": ["live"]}


def bot_of(owner: Person, name: str = "deploy", **about: Any) -> Person:
    made = owner.post("/bots", full_name=name.title(), short_name=name, **about).succeeds()
    account = owner.chat.read(storage.people.users.find, made["user_id"])
    assert account is not None
    return owner.chat.person_with_key(account, made["api_key"])


@dataclass
class Scene:
    chat: Chat
    ana: Person  # calls
    ben: Person  # owns the bot
    bot: Person
    command_id: int

    def calls(self, who: Person | None = None, **changes: Any) -> Any:
        where = {"type": "channel", "to": "kitchen", "topic": "lunch", "values": VALUES}
        path = f"/commands/{changes.pop('command_id', self.command_id)}/calls"
        return (who or self.ana).post(path, **where | changes)

    def called(self, **changes: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.calls(**changes).succeeds()["interaction"]
        return made

    def answers(self, interaction_id: int, **answer: Any) -> Any:
        return self.bot.post(f"/interactions/{interaction_id}/answer", **answer)

    def fetched(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.bot.post("/interactions/fetch").succeeds()[
            "interactions"
        ]
        return found

    def open(self, who: Person | None = None) -> list[dict[str, Any]]:
        reply = (who or self.ana).get("/interactions").succeeds()
        found: list[dict[str, Any]] = reply["interactions"]
        return found

    def newest(self) -> dict[str, Any]:
        found = self.ana.get("/messages", anchor="newest", num_before=1, apply_markdown=False)
        message: dict[str, Any] = found.succeeds()["messages"][-1]
        return message


@pytest.fixture
def scene(chat) -> Scene:
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    bot = bot_of(ben)
    made = bot.post("/commands", **DEPLOY).succeeds()
    return Scene(chat, ana, ben, bot, made["command_id"])


def refused(reply: Any, msg: str = "") -> dict[str, Any]:
    """The body of a refusal whose text has these words."""
    body: dict[str, Any] = reply.json
    assert body["result"] == "error", body
    assert msg in body["msg"], body
    assert reply.status in (400, 403, 404)
    return body


def names(person: Person) -> list[str]:
    return [each["name"] for each in person.get("/commands").succeeds()["commands"]]


# --- commands ---


def test_a_bot_offers_a_command_and_everybody_finds_it(scene):
    listening = scene.ana.listens_for("commands")

    again = scene.bot.post("/commands", **DEPLOY).succeeds()
    other = scene.bot.post("/commands", name="/Depot", description="In the archive?").succeeds()

    (shown, _) = scene.ana.get("/commands").succeeds()["commands"]
    assert again == {"result": "success", "msg": "", "command_id": scene.command_id}
    assert other["command_id"] != scene.command_id
    assert names(scene.ana) == ["deploy", "depot"]
    assert shown == {
        "id": scene.command_id,
        "name": "deploy",
        "description": "Put a version on a server",
        "parameters": [
            {"name": "version", "type": "text"},
            {"name": "server", "type": "choice", "choices": SERVERS},
            {"name": "note", "type": "text", "required": False},
        ],
        "bot_id": scene.bot.id,
        "agent": None,
        "stream_ids": None,
        "in_direct": True,
    }
    assert listening.all() == [{"type": "commands", "op": "changed"}]


def test_a_name_belongs_to_one_bot(scene):
    other = bot_of(scene.ana, "other")

    refused(other.post("/commands", **DEPLOY), "/deploy is offered by another bot.")
    scene.ben.delete(f"/bots/{scene.bot.id}").succeeds()

    assert names(scene.ana) == []
    other.post("/commands", **DEPLOY).succeeds()
    assert names(scene.ana) == ["deploy"]


@pytest.mark.parametrize("name", ["poll", "todo", "me", "/ME"])
def test_built_in_names_are_taken(scene, name):
    refused(scene.bot.post("/commands", name=name, description="x"), "is built in")


@pytest.mark.parametrize(
    "change",
    [
        {"name": "two words"},
        {"name": "/"},
        {"description": " "},
        {"parameters": [{"name": "x", "type": "colour"}]},
        {"parameters": [{"name": "x", "type": "choice"}]},
        {"parameters": [{"name": "x", "type": "text", "choices": SERVERS}]},
        {"parameters": [{"name": "x", "type": "file"}]},
        {"parameters": [{"name": "x", "type": "text"}] * 2},
        {"parameters": [{"name": "Your password", "type": "text"}]},
        {
            "parameters": [
                {"name": "x", "type": "text", "required": False},
                {"name": "y", "type": "text"},
            ]
        },
        {"channel_ids": [987_654]},
        {"may_use": 987_654},
    ],
)
def test_a_wrong_description_is_refused(scene, change):
    refused(scene.bot.post("/commands", **{"name": "new", "description": "x"} | change))

    assert names(scene.ana) == ["deploy"]


def test_the_owner_decides_where_a_command_works_and_the_bot_does_not_undo_it(scene):
    garden = scene.chat.person("gil", channels=["garden"]).chat.channel("garden").id
    only_garden = {"channel_ids": [garden], "in_direct": False}

    refused(scene.bot.patch(f"/commands/{scene.command_id}", **only_garden))
    refused(
        scene.ana.patch(f"/commands/{scene.command_id}", **only_garden), "Command does not exist"
    )
    scene.ben.patch(f"/commands/{scene.command_id}", **only_garden).succeeds()
    scene.bot.post("/commands", **DEPLOY).succeeds()

    refused(scene.calls(), "/deploy does not work here.")
    refused(scene.calls(type="direct", to=[scene.ben.id]), "/deploy does not work here.")
    scene.calls(to="garden").succeeds()


def test_who_may_use_a_command_is_a_permission(scene):
    moderators = scene.chat.group("moderators")
    mod = scene.chat.person("mod", role="moderator", channels=["kitchen"])

    scene.ben.patch(f"/commands/{scene.command_id}", may_use=moderators).succeeds()

    assert (names(scene.ana), names(mod)) == ([], ["deploy"])
    refused(scene.calls(), "Command does not exist")
    scene.calls(mod).succeeds()


def test_a_command_of_a_channel_is_hidden_from_people_who_may_not_read_it(scene):
    boss = scene.chat.person("boss", role="owner", channels=["kitchen"])
    created = boss.post("/channels/create", name="board", subscribers=[boss.id], invite_only=True)
    board = created.succeeds()["id"]
    only_there = {"channel_ids": [board], "in_direct": False}

    boss.patch(f"/commands/{scene.command_id}", **only_there).succeeds()

    assert (names(scene.ana), names(boss)) == ([], ["deploy"])


# --- calls ---


def test_a_call_reaches_the_bot_alone_and_once(scene):
    bot, owner = scene.bot.listens_for("interaction"), scene.ben.listens_for()
    ana = scene.ana.listens_for("interaction_update", "message")

    made = scene.called(key="k1")
    repeated = scene.called(key="k1")

    (event,) = bot.all()
    assert repeated["id"] == made["id"]
    assert event["interaction"] == {
        "id": made["id"],
        "kind": "command",
        "bot_id": scene.bot.id,
        "user_id": scene.ana.id,
        "command": "deploy",
        "button": "",
        "values": VALUES,
        "message_id": None,
        "in_answer_to": None,
        "date_created": made["date_created"],
        "message_type": "stream",
        "stream_id": scene.chat.channel("kitchen").id,
        "topic": "lunch",
    }
    assert owner.silent()
    (change,) = ana.all()
    assert change["interaction"] == made | {"state": "fetched"}
    assert made["state"] == "waiting"
    assert made["answer_by"] == made["date_created"] + 10


def test_a_bot_that_was_absent_finds_its_calls(scene):
    first = scene.called()
    listening = scene.bot.listens_for("interaction")

    found = scene.fetched()

    assert [each["id"] for each in found] == [first["id"]]
    assert listening.silent()
    assert scene.open()[0]["state"] == "fetched"
    scene.answers(first["id"]).succeeds()
    assert scene.fetched() == []


def test_what_no_bot_has_fetched_can_be_taken_back(scene):
    listening = scene.bot.listens_for("interaction")
    made = scene.called()

    scene.ana.delete(f"/interactions/{made['id']}").succeeds()

    assert listening.silent()
    assert scene.fetched() == []
    assert scene.open() == []
    refused(scene.answers(made["id"], content="Done"), "This was taken back, or is over")


def test_a_call_in_the_queue_that_was_not_polled_can_be_taken_back(scene):
    """The event is in the mailbox, and must not leave it after the call was taken back."""
    listening = scene.bot.listens_for("interaction")
    first, second = scene.called(), scene.called()

    scene.ana.delete(f"/interactions/{first['id']}").succeeds()

    assert [each["interaction"]["id"] for each in listening.all()] == [second["id"]]
    refused(scene.ana.delete(f"/interactions/{second['id']}"), "The bot already has it")


def test_a_bot_answers_with_a_message_once(scene):
    made = scene.called()
    ana = scene.ana.listens_for("interaction_update")

    first = scene.answers(made["id"], content="It is **live**.").succeeds()
    again = scene.answers(made["id"], content="It is **live**.").succeeds()

    message = scene.newest()
    assert first["message_id"] == again["message_id"] == message["id"]
    assert (message["sender_id"], message["content"]) == (scene.bot.id, "It is **live**.")
    assert (message["subject"], message["display_recipient"]) == ("lunch", "kitchen")
    (change,) = ana.all()
    assert change["interaction"]["state"] == "answered"
    assert change["interaction"]["answer_message_id"] == message["id"]


def test_a_line_for_the_caller_is_seen_by_the_caller_only(scene):
    made = scene.called()
    ana, ben = scene.ana.listens_for("interaction_update"), scene.ben.listens_for()

    scene.answers(made["id"], content="14 *changes*", only_you=True).succeeds()

    (change,) = ana.all()
    assert change["interaction"]["rendered_content"] == "<p>14 <em>changes</em></p>"
    assert ben.silent()
    entries = scene.chat.read(storage.log.after, scene.chat.realm.id, 0, 10_000)
    assert not any("changes" in entry.payload for entry in entries)


def test_a_streamed_answer_ends_the_waiting(scene):
    made = scene.called()
    where = {"type": "channel", "to": "kitchen", "topic": "lunch", "asked_by": scene.ana.id}
    token = scene.bot.post("/answers", **where).succeeds()["answer_token"]

    refused(scene.answers(made["id"], answer_token="foreign"))
    scene.answers(made["id"], answer_token=token).succeeds()
    scene.bot.post(f"/answers/{token}/finish", content="Whole").succeeds()

    assert scene.open() == []
    assert scene.newest()["content"] == "Whole"


def test_values_are_checked_by_the_description(scene):
    wrong = {"server": "prod", "colour": "red"}

    refusal = refused(scene.calls(values=wrong), "Some values are missing or not allowed.")

    assert refusal["problem"] == "invalid-values"
    assert refusal["errors"] == {
        "version": "missing",
        "server": "not-a-choice",
        "colour": "unknown",
    }
    assert scene.open() == []


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ({"type": "text"}, "x" * 1001, "too-long"),
        ({"type": "text", "max_length": 3}, "four", "too-long"),
        ({"type": "text"}, 4, "not-a-text"),
        ({"type": "number"}, "4", "not-a-number"),
        ({"type": "number"}, True, "not-a-number"),
        ({"type": "number", "min": 1}, 0, "too-small"),
        ({"type": "number", "max": 1}, 2, "too-large"),
        ({"type": "person"}, 987_654, "no-person"),
        ({"type": "person"}, "ana", "no-person"),
        ({"type": "channel"}, 987_654, "no-channel"),
        ({"type": "topic"}, "x" * 61, "too-long"),
        ({"type": "date"}, "2026-02-30", "no-date"),
        ({"type": "date"}, 5, "no-date"),
    ],
)
def test_each_type_of_parameter_refuses_other_values(scene, field, value, problem):
    about = {"description": "x", "parameters": [{"name": "field", **field}]}
    new = scene.bot.post("/commands", name="new", **about).succeeds()["command_id"]

    refusal = refused(scene.calls(command_id=new, values={"field": value}))

    assert refusal["errors"] == {"field": problem}


def test_a_private_channel_is_no_value_for_people_who_do_not_see_it(scene):
    boss = scene.chat.person("boss", role="owner")
    created = boss.post("/channels/create", name="board", subscribers=[boss.id], invite_only=True)
    board = created.succeeds()["id"]
    about = {"description": "x", "parameters": [{"name": "where", "type": "channel"}]}
    new = scene.bot.post("/commands", name="new", **about).succeeds()["command_id"]

    refusal = refused(scene.calls(command_id=new, values={"where": board}))

    assert refusal["errors"] == {"where": "no-channel"}


def test_a_bot_learns_nothing_of_a_place_where_it_may_not_read(scene):
    """And writes nothing there: only the caller sees its answer."""
    secret = {"type": "direct", "to": [scene.ben.id]}
    scene.ana.says("x", to=[scene.ben])
    before = scene.newest()
    made = scene.called(**secret)

    (found,) = scene.fetched()
    scene.answers(made["id"], content="Hello").succeeds()

    assert found["message_type"] == "hidden"
    assert not {"stream_id", "topic", "user_ids"} & found.keys()
    assert scene.newest()["id"] == before["id"]


def test_the_caller_needs_permission_to_write_where_the_command_is_called(scene):
    boss = scene.chat.person("boss", role="owner", channels=["attic"])
    attic = scene.chat.channel("attic").id
    admins = scene.chat.group("administrators")
    boss.patch(f"/streams/{attic}", can_send_message_group={"new": admins}).succeeds()

    refused(scene.calls(to="attic"))
    scene.calls(boss, to="attic").succeeds()


def test_a_command_runs_with_the_rights_of_the_bot(scene):
    """The caller may write there, the bot may not."""
    boss = scene.chat.person("boss", role="owner", channels=["kitchen"])
    made = scene.calls(boss).succeeds()["interaction"]
    admins = scene.chat.group("administrators")
    kitchen = scene.chat.channel("kitchen").id
    boss.patch(f"/streams/{kitchen}", can_send_message_group={"new": admins}).succeeds()

    refused(scene.answers(made["id"], content="Done"))

    assert scene.open(boss)[0]["state"] == "waiting"


def test_interactions_of_others_do_not_exist(scene):
    made, other = scene.called(), bot_of(scene.ana, "other")

    refused(scene.ben.delete(f"/interactions/{made['id']}"), "Interaction does not exist")
    refused(other.post(f"/interactions/{made['id']}/answer"), "Interaction does not exist")
    assert other.post("/interactions/fetch").succeeds()["interactions"] == []
    assert scene.open(scene.ben) == []


def test_too_many_calls_without_an_answer_are_refused(scene):
    for _ in range(features.apps.interactions.MAX_OPEN):
        scene.called()

    refused(scene.calls(), "Too many calls without an answer")
    scene.answers(scene.fetched()[0]["id"]).succeeds()
    scene.called()


# --- buttons ---

CHOICES = [
    {"id": "live", "short_name": "A", "long_name": "Put it on live", "reply": "live"},
    {"id": "stop", "short_name": "B", "long_name": "Stop it", "reply": "stop", "style": "danger"},
]


def offer(scene: Scene, to: Any = None, **data: Any) -> int:
    extra = {"type": "choices", "heading": "Ready", "choices": CHOICES} | data
    widget = {"widget_type": "zform", "extra_data": extra}
    where = to or {"type": "channel", "to": "kitchen", "topic": "lunch"}
    sent = scene.bot.post("/messages", content="Ready?", widget_content=widget, **where)
    number: int = sent.succeeds()["id"]
    return number


def presses(person: Person, message_id: int, button: str = "live") -> Any:
    return person.post(f"/messages/{message_id}/press", button=button)


def parts(person: Person, message_id: int) -> list[dict[str, Any]]:
    message = person.get(f"/messages/{message_id}").succeeds()["message"]
    return [json.loads(each["content"]) for each in message["submessages"]]


def test_a_press_reaches_the_bot_and_all_readers_see_it(scene):
    message_id = offer(scene)
    bot, ben = scene.bot.listens_for("interaction"), scene.ben.listens_for("submessage")

    made = presses(scene.ana, message_id).succeeds()["interaction"]
    again = presses(scene.ana, message_id).succeeds()["interaction"]

    (event,) = bot.all()
    interaction = event["interaction"]
    assert again["id"] == made["id"]
    assert (interaction["kind"], interaction["button"]) == ("button", "live")
    assert (interaction["message_id"], interaction["user_id"]) == (message_id, scene.ana.id)
    (shown,) = ben.all()
    assert shown["sender_id"] == scene.ana.id
    press = parts(scene.ben, message_id)[-1]
    assert press.pop("at") >= made["date_created"]
    assert press == {"type": "press", "choice": "live", "interaction": made["id"]}


def test_the_first_press_closes_the_buttons_for_everybody(scene):
    message_id = offer(scene)

    presses(scene.ana, message_id).succeeds()

    refused(presses(scene.ben, message_id), "Somebody else has pressed it already.")


def test_each_person_may_press_once_where_the_bot_says_so(scene):
    message_id = offer(scene, for_each=True)

    first = presses(scene.ana, message_id).succeeds()["interaction"]
    other = presses(scene.ana, message_id, "stop").succeeds()["interaction"]
    presses(scene.ben, message_id, "stop").succeeds()

    assert first["id"] == other["id"]
    assert [each["user_id"] for each in scene.fetched()] == [scene.ana.id, scene.ben.id]


def test_a_press_that_was_taken_back_opens_the_buttons_again(scene):
    message_id = offer(scene)
    made = presses(scene.ana, message_id).succeeds()["interaction"]

    scene.ana.delete(f"/interactions/{made['id']}").succeeds()

    assert parts(scene.ben, message_id)[-1] == {"type": "release", "interaction": made["id"]}
    presses(scene.ben, message_id).succeeds()


def test_a_press_without_an_answer_is_replaced_after_ten_seconds(scene):
    scene.chat.server.clock.stop()
    message_id = offer(scene)
    first = presses(scene.ana, message_id).succeeds()["interaction"]
    scene.fetched()
    scene.chat.server.clock.move(seconds=10)

    second = presses(scene.ana, message_id).succeeds()["interaction"]

    assert first["id"] != second["id"]
    refused(scene.answers(first["id"]), "This was taken back, or is over")
    scene.answers(second["id"]).succeeds()
    assert presses(scene.ana, message_id).succeeds()["interaction"]["id"] == second["id"]


def test_only_those_whom_the_bot_names_may_press(scene):
    message_id = offer(scene, may_press={"direct_members": [scene.ben.id], "direct_subgroups": []})

    refused(presses(scene.ana, message_id), "You may not press this button.")
    presses(scene.ben, message_id).succeeds()


def test_who_may_not_read_a_message_cannot_press_its_buttons(scene):
    message_id = offer(scene, to={"type": "direct", "to": [scene.ana.id]})

    refused(presses(scene.ben, message_id), "Invalid message(s)")


def test_a_bot_turns_its_buttons_off(scene):
    message_id = offer(scene)
    other = bot_of(scene.ana, "other")
    off = [CHOICES[0] | {"disabled": True}]

    refused(other.patch(f"/messages/{message_id}/buttons", choices=off), "Invalid message(s)")
    scene.bot.patch(f"/messages/{message_id}/buttons", choices=off).succeeds()

    refused(presses(scene.ana, message_id), "This button is off.")
    refused(presses(scene.ana, message_id, "stop"), "This message has no such button.")


def test_buttons_of_a_bot_that_is_gone_say_so(scene):
    message_id = offer(scene)

    scene.ben.delete(f"/bots/{scene.bot.id}").succeeds()

    refused(presses(scene.ana, message_id), "The bot is gone.")


def test_nobody_writes_a_press_of_others(scene):
    message_id = offer(scene)
    forged = '{"type": "press", "choice": "live", "interaction": 1, "at": 1}'

    params = {"message_id": message_id, "msg_type": "widget", "content": forged}
    refused(scene.ana.post("/submessage", **params))

    assert len(parts(scene.ana, message_id)) == 1


@pytest.mark.parametrize(
    "choices",
    [[CHOICES[0], CHOICES[0]], [CHOICES[0], {**CHOICES[1], "id": ""}], CHOICES[:1] * 26],
)
def test_wrong_buttons_are_refused(scene, choices):
    extra = {"type": "choices", "heading": "", "choices": choices}
    widget = {"widget_type": "zform", "extra_data": extra}

    where = {"type": "channel", "to": "kitchen", "topic": "lunch", "content": "x"}
    refused(scene.bot.post("/messages", widget_content=widget, **where))


# --- forms ---


def asked(scene: Scene, **changes: Any) -> int:
    """A form that a bot has asked for."""
    made = scene.called()
    scene.answers(made["id"], form=FORM | changes).succeeds()
    number: int = made["id"]
    return number


def submits(person: Person, interaction_id: int, **changes: Any) -> Any:
    return person.post(f"/interactions/{interaction_id}/form", values=FILLED | changes)


def test_a_form_is_asked_of_one_person_and_sent_once(scene):
    ana, ben = scene.ana.listens_for("interaction_update"), scene.ben.listens_for()
    number = asked(scene)
    bot = scene.bot.listens_for("interaction")
    assert ana.all()[-1]["interaction"]["form"] == FORM
    assert [each["id"] for each in scene.open()] == [number]

    refused(submits(scene.ben, number), "Interaction does not exist")
    sent = submits(scene.ana, number).succeeds()["interaction"]
    again = submits(scene.ana, number, reason="Other").succeeds()["interaction"]

    (event,) = bot.all()
    assert again["id"] == sent["id"]
    interaction = event["interaction"]
    assert (interaction["kind"], interaction["in_answer_to"]) == ("form", number)
    assert (interaction["values"], interaction["command"]) == (FILLED, "deploy")
    assert [each["id"] for each in scene.open()] == [sent["id"]]
    assert ben.silent()
    entries = scene.chat.read(storage.log.after, scene.chat.realm.id, 0, 10_000)
    assert not any("It is time" in entry.payload for entry in entries)


def test_the_server_checks_a_form_by_its_description(scene):
    number = asked(scene)

    refusal = refused(submits(scene.ana, number, hosts=["live", "moon"], day="soon"))

    assert refusal["errors"] == {"hosts": "not-a-choice", "day": "no-date"}
    submits(scene.ana, number).succeeds()


def test_a_bot_refuses_values_beside_their_field(scene):
    first = submits(scene.ana, asked(scene)).succeeds()["interaction"]

    refused(scene.answers(first["id"], errors={"colour": "x"}))
    scene.answers(first["id"], errors={"reason": "Too short"}).succeeds()

    (shown,) = scene.open()
    assert (shown["form"], shown["errors"]) == (FORM, {"reason": "Too short"})
    second = submits(scene.ana, first["id"], reason="Long enough").succeeds()["interaction"]
    scene.answers(second["id"], content="Thanks").succeeds()
    assert scene.open() == []


def test_a_form_can_be_closed_without_sending_it(scene):
    number = asked(scene)

    scene.ana.delete(f"/interactions/{number}").succeeds()

    assert scene.open() == []
    refused(submits(scene.ana, number), "This was taken back, or is over")


def test_no_form_asks_for_a_password(scene):
    made = scene.called()
    field = {"name": "secret", "label": "Your password", "type": "text"}

    reply = scene.answers(made["id"], form=FORM | {"fields": [field]})
    refused(reply, "'secret' asks for a password, which a bot may not.")


def test_a_bot_reads_a_file_of_a_form_and_nobody_elses(scene):
    own, foreign = uploads(scene.ana), uploads(scene.ben)
    field = {"name": "plan", "type": "file"}
    number = asked(scene, fields=[field])
    path = f"/interactions/{number}/form"

    refusal = refused(scene.ana.post(path, values={"plan": f"/user_uploads/{foreign.path_id}"}))
    sent = scene.ana.post(path, values={"plan": f"/user_uploads/{own.path_id}"}).succeeds()

    assert refusal["errors"] == {"plan": "no-file"}
    number = sent["interaction"]["id"]
    link = scene.bot.get(f"/interactions/{number}/files/plan").succeeds()["url"]
    assert scene.chat.stranger.raw("GET", link).status == 200
    refused(scene.bot.get(f"/interactions/{number}/files/other"), "Interaction does not exist")


# --- the end ---


def test_what_is_not_answered_within_a_day_ends_and_its_contents_are_deleted(scene):
    scene.chat.server.clock.stop()
    made, message_id = scene.called(), offer(scene)
    pressed = presses(scene.ana, message_id).succeeds()["interaction"]
    number = asked(scene)
    scene.chat.server.clock.move(hours=25)

    scene.chat.server.run_job("old interactions")

    assert scene.open() == []
    assert scene.fetched() == []
    refused(scene.answers(made["id"]), "This was taken back, or is over")
    assert parts(scene.ana, message_id)[-1] == {"type": "release", "interaction": pressed["id"]}
    find = features.apps.interactions.Interaction.find
    stored = scene.chat.read(lambda tx: find(tx, id=number))
    assert (stored.given, stored.form, stored.state) == ({}, "", "answered")


def test_administrators_see_how_commands_are_used(scene):
    scene.chat.server.clock.stop()
    boss = scene.chat.person("boss", role="admin")
    first = scene.called()
    scene.called()
    scene.answers(first["id"]).succeeds()
    scene.chat.server.clock.move(seconds=11)

    (shown,) = boss.get("/commands/managed").succeeds()["commands"]
    (own,) = scene.ben.get("/commands/managed").succeeds()["commands"]

    assert own == shown
    assert (shown["command"]["name"], shown["is_active"]) == ("deploy", True)
    assert (shown["used"], shown["unanswered"]) == (2, 1)
    assert scene.ana.get("/commands/managed").succeeds()["commands"] == []


def test_the_audit_log_has_commands_and_calls(scene):
    boss = scene.chat.person("boss", role="owner")
    scene.called()
    scene.ben.delete(f"/commands/{scene.command_id}").succeeds()

    acts = [each["act"] for each in boss.get("/realm/audit_log").succeeds()["entries"]]

    number = scene.command_id
    assert acts[:2] == [f"DELETE /commands/{number}", f"POST /commands/{number}/calls"]
    assert "POST /commands" in acts


# --- outgoing webhooks ---


@dataclass
class Hook:
    scene: Scene
    receiver: Receiver


@pytest.fixture
def hook(start_server) -> Iterator[Hook]:
    chat = Chat.found(start_server(webhook_networks=HOME), "")
    chat.server.clock.stop()
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    receiver = Receiver({"content": "It is live."})
    bot = bot_of(ben, bot_type=3, payload_url=receiver.url)
    command_id = ben.post("/commands", bot_id=bot.id, **DEPLOY).succeeds()["command_id"]
    yield Hook(Scene(chat, ana, ben, bot, command_id), receiver)
    receiver.close()


def test_a_webhook_is_called_with_the_values_and_its_response_is_the_answer(hook):
    scene = hook.scene

    made = scene.called()

    eventually(lambda: scene.open() == [])
    (request,) = hook.receiver.requests
    assert request.json["type"] == "interaction"
    assert request.json["interaction"]["id"] == made["id"]
    assert request.json["interaction"]["values"] == VALUES
    assert (request.json["user_full_name"], len(request.json["token"])) == ("Ana", 32)
    assert scene.newest()["content"] == "It is live."


def tries(tx: Tx) -> int:
    count: int = tx.value("SELECT max(tries) AS value FROM outbox WHERE transport = 'interaction'")
    return count or 0


def test_a_failed_call_of_a_webhook_is_repeated_with_the_same_id(hook):
    scene = hook.scene
    hook.receiver.answer = (500, "")
    made = scene.called()
    eventually(lambda: scene.chat.read(tries) == 1)
    hook.receiver.answer = {"content": "Only you", "only_you": True}

    scene.chat.server.clock.move(seconds=3)

    eventually(lambda: scene.open() == [])
    ids = [each.json["interaction"]["id"] for each in hook.receiver.requests]
    assert ids == [made["id"]] * 2


def test_a_webhook_that_refuses_ends_the_call(hook):
    scene = hook.scene
    hook.receiver.answer = (404, "")
    ana = scene.ana.listens_for("interaction_update")

    scene.called()

    eventually(lambda: scene.open() == [])
    eventually(lambda: any(each["interaction"]["state"] == "ended" for each in ana.all()))


def test_a_webhook_asks_for_a_form_and_gets_it(hook):
    scene = hook.scene
    hook.receiver.answer = {"form": FORM}
    made = scene.called()
    eventually(lambda: scene.open()[0]["form"] == FORM)
    hook.receiver.answer = {"content": "Thanks", "only_you": True}

    submits(scene.ana, made["id"]).succeeds()

    eventually(lambda: scene.open() == [])
    assert hook.receiver.requests[-1].json["interaction"]["values"] == FILLED


# --- erasure ---


def test_the_values_of_an_erased_person_are_erased(scene):
    boss = scene.chat.person("boss", role="owner")
    scene.called(values=VALUES | {"note": "my secret plan"})

    boss.post(f"/users/{scene.ana.id}/erase").succeeds()
    scene.chat.server.catch_up()

    found = "SELECT count(*) AS value FROM interaction WHERE given LIKE '%secret plan%'"
    assert scene.chat.read(lambda tx: tx.number(found)) == 0
    assert scene.fetched() == []


def test_commands_of_the_bots_of_an_erased_person_are_offered_no_longer(scene):
    boss = scene.chat.person("boss", role="owner")

    boss.post(f"/users/{scene.ben.id}/erase").succeeds()
    scene.chat.server.catch_up()

    assert names(scene.ana) == []
