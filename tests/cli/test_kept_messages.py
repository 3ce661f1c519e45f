"""`tertulia messages`: deleted messages are listed, restored and erased, after a question."""

import json

import pytest
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.people import Chat
from tests.support.server import SECRET
from tests.support.waiting import eventually


def runs(chat: Chat, *words: str, typing: str = "") -> CommandResult:
    terminal = Terminal(chat.server.folder, chat.server.url)
    return terminal.runs("messages", *words, typing=typing, TERTULIA_SECRET=SECRET)


@pytest.fixture
def owner(own_chat):
    found = own_chat.person("owner", role="owner", channels=["kitchen"])
    found.patch("/realm", deleted_message_grace_days=7).succeeds()
    return found


def deletes(person, *messages):
    for message in messages:
        person.delete(f"/messages/{message.id}").succeeds()


def contents(person):
    response = person.get(
        "/messages", anchor="oldest", num_after=100, apply_markdown=False
    ).succeeds()
    return [each["content"] for each in response["messages"]]


@pytest.mark.on_both
def test_messages_are_restored_beside_a_running_server_after_a_question(own_chat, owner):
    queue = owner.listens_for("message")
    soup = owner.says("Soup", to="kitchen > lunch")
    deletes(owner, soup)
    queue.all()

    refused = runs(own_chat, "restore", "--channel", "kitchen", typing="n\n")
    assert refused.code == 1
    assert "#kitchen > lunch: 1 message, sent from " in refused.err
    assert "Restore 1 message?" in refused.err
    assert contents(owner) == []

    restored = runs(own_chat, "restore", "--channel", "kitchen", "--topic", "Lunch", "--yes")
    assert restored.code == 0, restored.err
    assert restored.err.endswith("Restored 1 message.\n")
    assert contents(owner) == ["Soup"]
    eventually(lambda: [event["message"]["id"] for event in queue.all()] == [soup.id])


def test_messages_are_selected_by_id_place_sender_and_time_of_deletion(own_chat, owner):
    ben = own_chat.person("ben", channels=["kitchen", "attic"])
    sent = [
        owner.says("one", to="kitchen > lunch"),
        ben.says("two", to="kitchen > dinner"),
        ben.says("three", to="attic > dust"),
        ben.says("four", to=[owner]),
    ]
    deletes(owner, sent[0])
    deletes(ben, *sent[1:])

    def found(*words):
        topics = json.loads(runs(own_chat, "deleted", "--json", *words).out)
        return sorted(location["topic"] for location in topics)

    assert found() == ["", "dinner", "dust", "lunch"]
    assert found("--id", str(sent[0].id), "--id", str(sent[2].id)) == ["dust", "lunch"]
    assert found("--channel", "#kitchen") == ["dinner", "lunch"]
    assert found("--channel", "kitchen", "--topic", "dinner") == ["dinner"]
    assert found("--sender", ben.email) == ["", "dinner", "dust"]
    assert found("--until", "2000-01-01") == []
    assert found("--since", "2000-01-01", "--until", "2999-01-01T10:00") == found()


def test_the_list_has_no_texts(own_chat, owner):
    deletes(owner, owner.says("Soup", to="kitchen > lunch"))

    listed = runs(own_chat, "deleted").out

    heading, row = listed.splitlines()
    assert heading.split()[:3] == ["CHANNEL", "TOPIC", "MESSAGES"]
    assert row.split()[:3] == ["kitchen", "lunch", "1"]
    assert "Soup" not in listed


def test_erased_messages_cannot_be_restored(own_chat, owner):
    deletes(owner, owner.says("Soup", to="kitchen > lunch"))

    assert runs(own_chat, "erase", "--all", typing="n\n").code == 1
    erased = runs(own_chat, "erase", "--all", "--yes")

    assert "Erased 1 message." in erased.err
    nothing = runs(own_chat, "restore", "--all", "--yes")
    assert nothing.err.startswith("Error: No deleted message matches.")


def test_messages_that_retention_would_delete_again_are_not_restored(own_chat, owner):
    kitchen = own_chat.channel("kitchen").id
    deletes(owner, owner.says("Soup", to="kitchen > lunch"))
    own_chat.write(lambda tx: tx.execute("UPDATE deleted_message SET sent_at = sent_at - 864000"))
    owner.patch(f"/streams/{kitchen}", message_retention_days=3).succeeds()

    refused = runs(own_chat, "restore", "--all", "--yes")

    assert refused.code == 1
    assert "Set a longer one first; nothing was restored." in refused.err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("restore",), "Select messages with --id"),
        (("restore", "--topic", "x"), "--topic needs --channel"),
        (("restore", "--channel", "nowhere"), "has no channel nowhere"),
        (("restore", "--sender", "nobody@example.com"), "has no account"),
        (("deleted", "--since", "yesterday"), "Invalid value"),
    ],
)
def test_an_unclear_selection_is_refused(own_chat, owner, words, error):
    refused = runs(own_chat, *words)

    assert refused.code != 0
    assert error in refused.err
