"""Summaries of topics by the operator's language model, which a stand-in on loopback plays."""

import json

import pytest
from tests.support.fake_services import FakeServices
from tests.support.people import Chat

from tertulia import storage
from tertulia.features import topic_summary

COMPLETIONS = "/v1/chat/completions"


class Scene:
    def __init__(self, chat, model):
        self.chat, self.model = chat, model
        chat.set("enable_topic_summaries", True)
        self.ana, self.ben = chat.people("ana", "ben", channels=["kitchen"])
        self.path = f"/streams/{chat.channel('kitchen').id}/topic_summaries"

    def sent(self):
        """The requests that the model got."""
        return self.model.asked("chat/completions")

    def conversation(self):
        """What the model got to summarize in its last request."""
        return json.loads(self.sent()[-1].json["messages"][-1]["content"])

    def asks(self, who=None, topic="lunch"):
        return (who or self.ana).post(self.path, topic_name=topic)


@pytest.fixture
def scene(start_server):
    model = FakeServices()
    yield Scene(Chat.found(start_server(**model.settings), ""), model)
    model.close()


def test_the_model_gets_the_messages_of_the_topic_and_its_text_is_returned(scene):
    scene.ben.says("Shall we have soup?", to="kitchen > lunch")
    scene.ana.says("Yes, **soup**", to="kitchen > lunch")
    scene.ana.says("Something else", to="kitchen > dinner")

    found = scene.asks().succeeds()

    assert (found["summary"], found["message_count"]) == ("They will eat soup.", 2)
    assert (found["model_host"], found["older_left_out"]) == ("127.0.0.1", False)
    assert scene.conversation() == [
        {"from": "Ben", "text": "Shall we have soup?"},
        {"from": "Ana", "text": "Yes, **soup**"},
    ]
    request = scene.sent()[0]
    assert request.json["model"] == "small"
    assert request.headers["authorization"] == "Bearer pear"


def test_messages_that_were_deleted_or_that_the_reader_may_not_see_are_not_sent(scene):
    secret = scene.ben.says("A secret", to="kitchen > lunch")
    scene.ben.says("Old words", to="kitchen > lunch")
    chat = scene.chat
    chat.person("owner", role="owner").delete(f"/messages/{secret.id}").succeeds()
    owner = chat.person("second", role="owner")
    changed = {"is_private": True, "history_public_to_subscribers": False}
    owner.patch(f"/streams/{chat.channel('kitchen').id}", **changed).succeeds()
    dan = chat.person("dan")
    scene.ben.post(
        "/users/me/subscriptions", subscriptions=[{"name": "kitchen"}], principals=[dan.id]
    ).succeeds()
    scene.ben.says("New words", to="kitchen > lunch")

    scene.asks().succeeds()
    assert [each["text"] for each in scene.conversation()] == ["Old words", "New words"]
    scene.asks(dan).succeeds()
    assert [each["text"] for each in scene.conversation()] == ["New words"]
    outsider = chat.person("eve")
    assert scene.asks(outsider).json["msg"] == "Invalid channel ID"
    assert len(scene.sent()) == 2


def test_organization_group_and_channel_can_forbid_summaries(scene):
    scene.ana.says("Soup", to="kitchen > lunch")
    rules = scene.ana.get(scene.path).succeeds()
    assert (rules["available"], rules["model_host"], rules["model"]) == (True, "127.0.0.1", "small")
    scene.ben.patch(scene.path, allowed=False).fails(
        "You do not have permission to administer this channel."
    )

    owner = scene.chat.person("owner", role="owner")
    owner.patch(scene.path, allowed=False).succeeds()
    scene.asks().fails("This channel does not allow summaries of its topics.")
    rules = scene.ana.get(scene.path).succeeds()
    assert (rules["available"], rules["allowed_in_channel"]) == (False, False)
    owner.patch(scene.path, allowed=True).succeeds()
    group = {"new": scene.chat.group("administrators")}
    owner.patch("/realm", can_summarize_topics_group=group).succeeds()
    scene.asks().fails("You do not have permission to summarize topics.")
    assert scene.ana.get(scene.path).succeeds()["available"] is False
    scene.chat.set("enable_topic_summaries", False)
    scene.asks(owner).fails("This organization does not allow summaries of topics.")

    assert scene.sent() == []
    entries = scene.chat.read(storage.organization.audit.newest, None, 10)
    assert f"PATCH {scene.path}" in {each.act for each in entries}


def test_summaries_are_off_without_a_model_and_by_default(chat):
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    path = f"/streams/{chat.channel('kitchen').id}/topic_summaries"
    ana.says("Soup", to="kitchen > lunch")

    ana.post(path, topic_name="lunch").fails(
        "This organization does not allow summaries of topics."
    )
    assert ana.get(path).succeeds()["available"] is False


def test_a_server_without_a_model_says_so(start_server):
    chat = Chat.found(start_server(summary_url=""), "")
    chat.set("enable_topic_summaries", True)
    ana = chat.person("ana", channels=["kitchen"])
    path = f"/streams/{chat.channel('kitchen').id}/topic_summaries"

    ana.post(path, topic_name="lunch").fails("Summaries of topics are not set up on this server.")
    rules = ana.get(path).succeeds()
    assert (rules["available"], rules["model_host"], rules["model"]) == (False, None, None)


@pytest.mark.parametrize(
    "answer, words",
    [
        ((401, {}), "Error authenticating to the language model"),
        ((500, {}), "The language model returned an unexpected error: 500"),
        ((302, {}), "The language model returned an unexpected error: 302"),
        ((200, b"no JSON"), "The language model returned no text"),
        ((200, {"choices": []}), "The language model returned no text"),
        (
            (200, {"choices": [{"message": {"content": None}}]}),
            "The language model returned no text",
        ),
        ((200, b"x" * (2 << 20)), "Error connecting to the language model: ResponseTooLarge"),
    ],
)
def test_errors_of_the_model_are_reported_in_words(scene, answer, words):
    scene.ana.says("Soup", to="kitchen > lunch")
    scene.model.answers[COMPLETIONS] = answer

    scene.asks().fails(words)


def test_an_empty_topic_is_not_sent_and_a_long_one_is_cut(scene):
    scene.asks().fails("There are no messages in this topic.")
    assert scene.sent() == []
    for _ in range(8):
        scene.ben.says("x" * 9_000, to="kitchen > lunch")
    scene.ben.says("The end", to="kitchen > lunch")

    found = scene.asks().succeeds()

    assert found["older_left_out"] is True
    sent = scene.conversation()
    assert sent[-1]["text"] == "The end"
    assert sum(len(each["text"]) for each in sent) <= topic_summary.MAX_CHARACTERS
    assert found["message_count"] == len(sent) == 7


def test_a_channel_that_opts_out_says_so_in_an_event_and_in_the_state_of_new_clients(scene):
    owner = scene.chat.person("owner", role="owner")
    kitchen = scene.chat.channel("kitchen").id
    queue = scene.ana.listens_for("stream")

    for allowed in (False, False, True):
        owner.patch(scene.path, allowed=allowed).succeeds()

    updates = queue.all()
    assert [(each["stream_id"], each["property"], each["value"]) for each in updates] == [
        (kitchen, "topic_summaries_allowed", False),
        (kitchen, "topic_summaries_allowed", True),
    ]
    owner.patch(scene.path, allowed=False).succeeds()
    state = scene.ana.post("/register").succeeds()
    shown = {each["name"]: each["topic_summaries_allowed"] for each in state["subscriptions"]}
    assert shown["kitchen"] is False


def test_each_summary_is_in_the_audit_log_without_a_word_of_the_topic(scene):
    scene.ana.says("Soup", to="kitchen > lunch")
    scene.asks(topic="dinner").fails("There are no messages in this topic.")

    scene.asks().succeeds()

    entries = scene.chat.read(storage.organization.audit.newest, None, 10)
    found = [each for each in entries if each.act == f"POST {scene.path}"]
    done = [each for each in found if each.result == "done"]
    assert [each.actor_id for each in done] == [scene.ana.id]
    assert "lunch" not in str(done[0].details)
    assert len(scene.sent()) == 1
