"""Widgets: polls and to-do lists that a message starts and others take part in."""

import json

import pytest

from tertulia import actions, storage

VOTE = {"type": "vote", "key": "canned,0", "vote": 1}
BAD_KEY = (
    "Invalid submessage: Expected `str` matching regex"
    " '^(canned|[1-9][0-9]{0,9}),(0|[1-9][0-9]{0,4})$' - at `$.key`"
)
POLL = {"question": "Which soup?", "options": ["pea", "leek"]}


def takes_part(person, message, addition, msg_type="widget"):
    content = addition if isinstance(addition, str) else json.dumps(addition)
    return person.post("/submessage", message_id=message.id, msg_type=msg_type, content=content)


def parts(person, message):
    """The submessages of a message: sender and content."""
    found = person.sees(message)["submessages"]
    assert all(part["message_id"] == message.id and part["msg_type"] == "widget" for part in found)
    return [(part["sender_id"], json.loads(part["content"])) for part in found]


FORM = {
    "type": "choices",
    "heading": "Which soup?",
    "choices": [
        {"type": "multiple_choice", "short_name": "A", "long_name": "pea", "reply": "answer A"}
    ],
}


def sends(person, content, **widget):
    return person.post("/messages", type="direct", to=[person.id], content=content, **widget)


@pytest.fixture
def poll(in_kitchen, ana, ben):
    """Ana asks Ben in the kitchen."""
    return ana.says("/poll Which soup?\npea\nleek", to="kitchen > lunch")


# --- creating ---


@pytest.mark.parametrize(
    "content, widget_type, extra",
    [
        ("/poll Which soup?\npea\nleek", "poll", POLL),
        ("/poll  Which soup? \n\n* pea\n - leek ", "poll", POLL),
        ("/poll", "poll", {"question": "", "options": []}),
        ("/poll\npea", "poll", {"question": "", "options": ["pea"]}),
        ("/todo", "todo", {"task_list_title": "", "tasks": []}),
        (
            "/todo Supper\nsoup: for six\nbread",
            "todo",
            {
                "task_list_title": "Supper",
                "tasks": [{"task": "soup", "desc": "for six"}, {"task": "bread", "desc": ""}],
            },
        ),
    ],
)
def test_a_command_creates_a_widget(ana, content, widget_type, extra):
    message = ana.says(content, to=[ana])

    assert parts(ana, message) == [(ana.id, {"widget_type": widget_type, "extra_data": extra})]


@pytest.mark.parametrize("content", ["/polls", "/poll-tax", "a /poll", "poll", "/me polls"])
def test_other_messages_create_no_widget(ana, content):
    assert parts(ana, ana.says(content, to=[ana])) == []


@pytest.mark.parametrize(
    "widget_type, extra",
    [("zform", FORM), ("poll", POLL), ("todo", {"task_list_title": "Supper", "tasks": []})],
)
def test_widget_content_creates_a_widget_beside_the_content(ana, widget_type, extra):
    queue = ana.listens_for("message")
    widget = {"widget_type": widget_type, "extra_data": extra}

    response = sends(ana, "Which soup? A: pea", widget_content=widget | {"more": "than is known"})

    event = queue.next()["message"]
    assert response.succeeds()["id"] == event["id"]
    assert event["content"] == "Which soup? A: pea"
    (part,) = event["submessages"]
    assert json.loads(part["content"]) == widget
    assert ana.sees(event["id"])["submessages"] == [part]
    ana.patch(f"/messages/{event['id']}", content="no form").fails("Widgets cannot be edited.")


def test_a_form_takes_no_submessages(ana):
    widget = {"widget_type": "zform", "extra_data": FORM}
    sent = sends(ana, "Which soup?", widget_content=widget).succeeds()

    vote = {"message_id": sent["id"], "msg_type": "widget", "content": json.dumps(VOTE)}

    ana.post("/submessage", **vote).fails("You cannot attach a submessage to this message.")


def test_a_repeated_send_with_another_widget_is_refused(chat):
    ana = chat.person("ana")
    ana = ana.with_headers(Idempotency_Key="soup")
    send = {"type": "direct", "to": [ana.id], "content": "soup?"}
    form = {"widget_type": "zform", "extra_data": FORM}

    first = ana.post("/messages", **send, widget_content=form).succeeds()

    again = ana.post("/messages", **send, widget_content=form).succeeds()
    assert again["id"] == first["id"]
    ana.post("/messages", **send).fails("This key was already used for a different message")


@pytest.mark.parametrize(
    "widget, words",
    [
        ("[]", "widget_content is not a dict"),
        ("{", "widget_content is not valid JSON"),
        ("{}", "Widgets: Object missing required field `widget_type`"),
        ({"widget_type": "dance"}, "Widgets: Invalid value 'dance' - at `$.widget_type`"),
        ({"widget_type": "zform"}, "Widgets: Object missing required field `extra_data`"),
        (
            {"widget_type": "zform", "extra_data": FORM | {"choices": [{"short_name": 1}]}},
            "Widgets: Expected `str`, got `int` - at `$.extra_data.choices[0].short_name`",
        ),
        (
            {"widget_type": "poll", "extra_data": {"question": "x" * 10_000}},
            "Widgets: too long (limit: 10000 characters)",
        ),
    ],
)
def test_an_invalid_widget_is_refused(ana, widget, words):
    sends(ana, "soup?", widget_content=widget).fails(words)

    assert ana.get("/messages", anchor="newest", num_before=9).succeeds()["messages"] == []


@pytest.mark.usefixtures("poll")
def test_the_message_event_contains_the_widget(ana, ben):
    queue = ben.listens_for("message")

    message = ana.says("/poll Which soup?\npea\nleek", to="kitchen > lunch")
    takes_part(ben, message, VOTE).succeeds()

    (part,) = queue.next()["message"]["submessages"]
    assert part["message_id"] == message.id
    assert json.loads(part["content"]) == {"widget_type": "poll", "extra_data": POLL}


def test_a_widget_cannot_be_edited_but_moved(poll, ana):
    ana.patch(f"/messages/{poll.id}", content="no poll").fails("Widgets cannot be edited.")
    ana.patch(f"/messages/{poll.id}", topic="supper").succeeds()

    assert len(parts(ana, poll)) == 1


def test_editing_a_message_does_not_create_a_widget(ana):
    message = ana.says("soup", to=[ana])

    ana.patch(f"/messages/{message.id}", content="/poll soup").succeeds()
    ana.patch(f"/messages/{message.id}", content="/poll bread").succeeds()

    assert parts(ana, message) == []


def test_a_widget_is_deleted_with_its_message(chat, poll, ben):
    takes_part(ben, poll, VOTE).succeeds()

    chat.person("owner", role="owner").delete(f"/messages/{poll.id}").succeeds()

    takes_part(ben, poll, VOTE).fails("Invalid message(s)")
    assert chat.read(storage.messages.submessages.of_messages, [poll.id]) == {}


# --- taking part ---


def test_all_recipients_receive_a_vote(chat, poll, ana, ben):
    queue, others = ana.listens_for("submessage"), chat.person("eve").listens_for("submessage")

    takes_part(ben, poll, VOTE).succeeds()

    event = queue.next()
    assert isinstance(event.pop("submessage_id"), int)
    assert json.loads(event.pop("content")) == VOTE
    assert event == {
        "type": "submessage",
        "msg_type": "widget",
        "message_id": poll.id,
        "sender_id": ben.id,
    }
    assert others.silent()
    assert parts(ana, poll)[1:] == [(ben.id, VOTE)]


@pytest.mark.parametrize(
    "begun, addition",
    [
        ("/poll x", VOTE | {"vote": -1}),
        ("/poll x", {"type": "new_option", "idx": 7, "option": "tomato"}),
        (
            "/todo x",
            {"type": "new_task", "key": 2, "task": "bread", "desc": "", "completed": False},
        ),
        ("/todo x", {"type": "strike", "key": "0,canned"}),
    ],
)
@pytest.mark.usefixtures("poll")
def test_all_recipients_may_vote(ana, ben, begun, addition):
    message = ana.says(begun, to="kitchen > lunch")

    takes_part(ben, message, addition).succeeds()

    assert parts(ana, message)[1:] == [(ben.id, addition)]


@pytest.mark.parametrize(
    "begun, addition",
    [
        ("/poll x", {"type": "question", "question": "Which bread?"}),
        ("/todo x", {"type": "new_task_list_title", "title": "Breakfast"}),
    ],
)
@pytest.mark.usefixtures("poll")
def test_only_the_author_changes_the_question(ana, ben, begun, addition):
    message = ana.says(begun, to="kitchen > lunch")

    takes_part(ben, message, addition).fails(
        "Only the author of a widget may change what it is about."
    )
    takes_part(ana, message, addition).succeeds()


@pytest.mark.usefixtures("poll")
def test_a_poll_can_keep_its_options(ana, ben):
    data = {"question": "Which soup?", "options": ["pea"], "others_may_add": False}
    widget = {"widget_type": "poll", "extra_data": data}
    message = ana.says("/poll Which soup?", to="kitchen > lunch", widget_content=widget)

    takes_part(ben, message, {"type": "new_option", "idx": 1, "option": "leek"}).fails(
        "Only the author of this poll may add options."
    )
    takes_part(ben, message, {"type": "vote", "key": "canned,0", "vote": 1}).succeeds()
    takes_part(ana, message, {"type": "new_option", "idx": 1, "option": "leek"}).succeeds()

    assert parts(ana, message)[0] == (ana.id, widget)


@pytest.mark.parametrize(
    "addition, words",
    [
        ("not json", "Invalid json for submessage"),
        ("", "Invalid json for submessage"),
        ("[]", "Invalid submessage: Expected `object`, got `array`"),
        ({"type": "dance"}, "Invalid submessage: Invalid value 'dance' - at `$.type`"),
        (VOTE | {"vote": 2}, "Invalid submessage: Invalid enum value 2 - at `$.vote`"),
        *(
            (VOTE | {"key": key}, BAD_KEY)
            for key in ("abc", "0x1,1", "canned", "1,2,3", "canned,-1")
        ),
        (
            {"type": "strike", "key": "0,canned"},  # that is for lists
            "Invalid submessage: Invalid value 'strike' - at `$.type`",
        ),
    ],
)
def test_invalid_submessages_are_refused(poll, ana, ben, addition, words):
    takes_part(ben, poll, addition).fails(words)

    assert len(parts(ana, poll)) == 1


def test_only_widgets_take_submessages(poll, ana, ben):
    words = "You cannot attach a submessage to this message."

    takes_part(ben, ana.says("soup", to="kitchen > lunch"), VOTE).fails(words)
    takes_part(ben, poll, VOTE, msg_type="game").fails(words)


def test_taking_part_requires_access_to_the_message(ana, ben):
    message = ana.says("/poll Which soup?", to=[ana])

    takes_part(ben, message, VOTE).fails("Invalid message(s)")


@pytest.mark.on_both
def test_the_length_of_all_submessages_of_a_message_is_limited(poll, ana, ben, monkeypatch):
    monkeypatch.setattr(actions.messages.widgets, "MAX_LENGTH", 1000)
    takes_part(ana, poll, {"type": "new_option", "idx": 1, "option": "x" * 600}).succeeds()

    refused = takes_part(ben, poll, {"type": "new_option", "idx": 2, "option": "x" * 600})

    refused.fails("The submessages are too long together (limit: 1000 characters)")
    takes_part(ben, poll, {"type": "vote", "key": "canned,0", "vote": 1}).succeeds()
