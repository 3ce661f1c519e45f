"""Topics as rows: a whole topic moves as one row, a large part of it as a row of its own, and each
message has the topic and the history that it would have if it had been moved alone."""

import random
from dataclasses import dataclass, field

import pytest

from tertulia import actions, storage
from tertulia.actions.messages.edits import MessageChanges
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.storage.messages.edits import TopicPart

LATER = {"send_notification_to_new_thread": False}
TOPICS = ("chairs", "stools", "Chairs", "benches")


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="admin", channels=["porch"])


def moves(person, message_id, topic, mode):
    return person.patch(f"/messages/{message_id}", topic=topic, propagate_mode=mode, **LATER)


def history(person, message_id):
    """The topics of a message, oldest first."""
    edits = person.sees(message_id).get("edit_history", [])
    return [(each["prev_topic"], each["topic"]) for each in reversed(edits)]


def rows(chat):
    return chat.read(lambda tx: tx.column("SELECT name FROM topic WHERE realm_id = :realm"))


def topics_seen(person, channel_id):
    listed = person.get(f"/users/me/{channel_id}/topics").succeeds()["topics"]
    return {each["name"]: each["max_id"] for each in listed}


def test_messages_have_the_moves_of_their_topic_since_they_are_there(ana):
    first, second = (ana.says("chair", to="porch > chairs").id for _ in range(2))
    moves(ana, first, "stools", "change_all").succeeds()
    later = ana.says("stool", to="porch > stools").id
    moves(ana, first, "benches", "change_all").succeeds()

    moves(ana, second, "tables", "change_one").succeeds()

    assert history(ana, first) == [("chairs", "stools"), ("stools", "benches")]
    assert history(ana, later) == [("stools", "benches")]
    assert history(ana, second) == [*history(ana, first), ("benches", "tables")]
    assert "edit_history" not in ana.sees(ana.says("new", to="porch > benches").id)


def test_a_changed_text_and_the_move_with_it_are_one_edit(ana):
    first, second = (ana.says("chair", to="porch > chairs").id for _ in range(2))
    moves(ana, first, "stools", "change_all").succeeds()

    ana.patch(
        f"/messages/{first}", topic="benches", content="bench", propagate_mode="change_all", **LATER
    ).succeeds()

    edits = ana.sees(first)["edit_history"]
    assert [each.get("prev_content") for each in edits] == ["chair", None]
    assert history(ana, first) == history(ana, second)


def test_restored_messages_have_their_topic_and_history(chat, ana):
    chat.set("deleted_message_grace_days", 7)
    message_id = ana.says("chair", to="porch > chairs").id
    moves(ana, message_id, "stools", "change_all").succeeds()
    shown = ana.sees(message_id)
    ana.delete(f"/messages/{message_id}").succeeds()
    assert rows(chat) == []
    others = ana.says("stool", to="porch > stools").id
    moves(ana, others, "benches", "change_all").succeeds()

    kept = KeptSelection(message_ids=(message_id,))
    chat.write(actions.messages.restoration.restore_batch, kept)

    assert ana.sees(message_id) == shown


def test_a_large_part_of_a_topic_moves_in_portions_that_readers_do_not_see(chat, ana):
    porch = chat.channel("porch").id
    ids = chat.fill(ana, "porch > chairs", 500)
    before, changes = topics_seen(ana, porch), MessageChanges(topic="stools", mode="change_later")
    record = ana.record

    part = chat.write(actions.messages.edits.change, record, ids[100], changes, True)
    assert isinstance(part, TopicPart)
    assert part.ids == ids[100:]
    row_id = chat.write(actions.messages.edits.split, part, part.ids[:150], None)
    assert topics_seen(ana, porch) == before
    assert ana.sees(ids[100])["subject"] == ana.sees(ids[300])["subject"] == "chairs"
    queue = ana.listens_for("update_message")

    moves(ana, ids[100], "stools", "change_later").succeeds()

    assert queue.next()["message_ids"] == ids[100:]
    assert topics_seen(ana, porch) == {"chairs": ids[99], "stools": ids[-1]}
    assert {history(ana, each)[0] for each in (ids[100], ids[300])} == {("chairs", "stools")}
    assert row_id is not None
    assert len(rows(chat)) <= 4


def test_a_portion_leaves_alone_what_was_moved_meanwhile(chat, ana):
    ids = chat.fill(ana, "porch > chairs", 500)
    changes = MessageChanges(topic="stools", mode="change_later")
    part = chat.write(actions.messages.edits.change, ana.record, ids[100], changes, True)
    row_id = chat.write(actions.messages.edits.split, part, part.ids[:150], None)
    moves(ana, ids[200], "benches", "change_later").succeeds()

    chat.write(actions.messages.edits.split, part, part.ids[150:300], row_id)

    assert [ana.sees(each)["subject"] for each in (ids[99], ids[199], ids[200])] == [
        "chairs",
        "chairs",
        "benches",
    ]


# --- any moves ---


@dataclass
class MovedMessage:
    topic: str
    history: list[tuple[str, str]] = field(default_factory=list)


@pytest.mark.parametrize("seed", range(3))
def test_any_moves_leave_each_message_with_its_topic_and_history(chat, ana, monkeypatch, seed):
    """Also if parts of three messages are already large."""
    monkeypatch.setattr(storage.messages.edits, "MAX_MOVED_ALONE", 2)
    chance = random.Random(seed)
    model: dict[int, MovedMessage] = {}

    for _ in range(60):
        action = chance.random()
        if action < 0.4 or len(model) < 3:
            topic = chance.choice(TOPICS)
            model[ana.says("chair", to=f"porch > {topic}").id] = MovedMessage(topic)
        elif action < 0.5:
            gone = chance.choice(list(model))
            ana.delete(f"/messages/{gone}").succeeds()
            del model[gone]
        else:
            moves_at_random(ana, model, chance)
        if chance.random() < 0.1:
            chat.server.index_messages()

    for message_id, each in model.items():
        assert ana.sees(message_id)["subject"] == each.topic
        assert history(ana, message_id) == each.history
    newest = {each.topic.casefold(): message_id for message_id, each in sorted(model.items())}
    listed = topics_seen(ana, chat.channel("porch").id)
    assert {name.casefold(): message_id for name, message_id in listed.items()} == newest
    for name in {each.topic for each in model.values()}:
        wanted = sorted(
            number for number, each in model.items() if each.topic.casefold() == name.casefold()
        )
        narrow = [["channel", "porch"], ["topic", name]]
        window = {"anchor": "newest", "num_before": 100, "narrow": narrow}
        found = ana.get("/messages", **window).succeeds()["messages"]
        assert [each["id"] for each in found] == wanted


def moves_at_random(person, model, chance):
    message_id, topic = chance.choice(list(model)), chance.choice(TOPICS)
    mode = chance.choice(["change_one", "change_later", "change_all"])
    if model[message_id].topic == topic:
        return
    key = model[message_id].topic.casefold()
    moves(person, message_id, topic, mode).succeeds()
    for number, each in model.items():
        here = each.topic.casefold() == key
        if number == message_id or (
            here and (mode == "change_all" or (mode == "change_later" and number >= message_id))
        ):
            each.history.append((each.topic, topic))
            each.topic = topic
