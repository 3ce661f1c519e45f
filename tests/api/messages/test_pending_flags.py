"""Flags of a message for thousands of users: readers see them before the server has written a row
of each."""

import pytest

from tertulia import actions, storage
from tertulia.actions.messages.edits import MessageChanges
from tertulia.domain.messages.deleted import KeptSelection
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.storage.messages import flags, narrows

pytestmark = pytest.mark.on_both


@pytest.fixture
def channels():
    return ["kitchen"]


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.setattr(flags, "MAX_ROWS_PER_WRITE", 1)


@pytest.fixture
def crew(chat, ana, ben, eve):
    members = [ben.id, eve.id, chat.person("gil", channels=["kitchen"]).id]
    chat.set("deleted_message_grace_days", 1)
    made = ana.post("/user_groups/create", name="crew", description="", members=members)
    return made.succeeds()["group_id"]


def counts(tx):
    """The rows of pending and of written flags."""
    return tx.count_rows("pending_flag"), tx.count_rows("message_flag")


def seen_by(person, message_id):
    """Whether the message is a mention: in the list, in searches, and in what is unread."""
    at = {"anchor": "newest", "num_before": 5, "num_after": 0}
    narrows = (
        [{"operator": "is", "operand": "mentioned"}],
        [{"operator": "is", "operand": "mentioned"}, {"operator": "search", "operand": "soup"}],
    )
    found = [
        [each["id"] for each in person.get("/messages", **at, narrow=narrow).succeeds()["messages"]]
        for narrow in narrows
    ]
    state = person.registers(fetch_event_types=["message", "update_message_flags"])
    return (
        "mentioned" in person.sees(message_id)["flags"],
        found == [[message_id]] * 2,
        state["unread_msgs"]["mentions"] == [message_id],
    )


MENTIONED, NOT_MENTIONED = (True, True, True), (False, False, False)


def says(tx, ana, text, **mentions):
    draft = Draft(text, f"<p>{text}</p>", 0, "test", False, Mentions(**mentions))
    return actions.messages.send.to_channel(tx, ana.record, "kitchen", "lunch", draft).message_id


def rewords(tx, ana, message_id, **mentions):
    draft = Draft("hoy", "<p>hoy</p>", 0, "test", False, Mentions(**mentions))
    actions.messages.edits.change(tx, ana.record, message_id, MessageChanges(draft=draft))


def marked(tx, people, message_id):
    """The users for whom each kind of reader finds the mention."""
    readers = (
        lambda user: "mentioned" in flags.flags_of(tx, user, [message_id]).get(message_id, ()),
        lambda user: flags.with_flag(tx, user, "mentioned") == [message_id],
        lambda user: list(narrows.flagged(tx, user, "mentioned")) == [message_id],
        lambda user: user in flags.users_with_flag(tx, "mentioned", [message_id]),
    )
    return [{each.id for each in people if reader(each.id)} for reader in readers]


def test_every_reader_finds_a_mention_of_many_whatever_is_written_of_it(chat, ana, ben, eve, crew):
    def scene(tx):
        sent = says(tx, ana, "hey", group_ids=frozenset({crew}))
        found = [(counts(tx), marked(tx, [ana, ben, eve], sent))]
        while flags.write_pending(tx):
            found.append((counts(tx), marked(tx, [ana, ben, eve], sent)))
        return found

    everyone = [{ben.id, eve.id}] * 4
    assert chat.write(scene) == [((1, 0), everyone), ((1, 1), everyone), ((0, 3), everyone)]


def test_a_mention_of_many_is_in_the_event_in_searches_and_in_what_is_unread(chat, ana, ben, crew):
    queue = ben.listens_for("message")
    sent = ana.says("@*crew* soup", to="kitchen > lunch").id

    assert queue.next()["flags"] == ["mentioned"]
    assert (seen_by(ben, sent), seen_by(ana, sent)) == (MENTIONED, NOT_MENTIONED)

    chat.server.run_job("pending flags")
    assert chat.read(counts) == (0, 3)
    assert (seen_by(ben, sent), seen_by(ana, sent)) == (MENTIONED, NOT_MENTIONED)


def test_an_edit_replaces_pending_mentions(chat, ana, ben, crew):
    def scene(tx):
        sent = says(tx, ana, "hey", group_ids=frozenset({crew}))
        found = []
        for mentions in ({}, {"group_ids": frozenset({crew})}, {"user_ids": frozenset({ben.id})}):
            rewords(tx, ana, sent, **mentions)
            found.append(counts(tx))
        return found

    assert chat.write(scene) == [(0, 0), (1, 0), (0, 1)]


def test_a_deleted_message_keeps_its_pending_mentions(chat, ana, ben, crew):
    def scene(tx):
        sent = says(tx, ana, "hey", group_ids=frozenset({crew}))
        actions.messages.deletion.delete(tx, ana.record, sent)
        found = [counts(tx)]
        actions.messages.restoration.restore_batch(tx, KeptSelection(message_ids=(sent,)))
        return [*found, counts(tx), marked(tx, [ana, ben], sent)]

    assert chat.write(scene) == [(0, 0), (0, 3), [{ben.id}] * 4]


def test_an_erased_user_is_in_no_pending_flag(chat, owner, ana, ben, crew):
    ana.says("@*crew*", to="kitchen > lunch")

    owner.post(f"/users/{ben.id}/erase").succeeds()

    assert chat.read(counts) == (0, 2)
    assert chat.read(storage.messages.flags.with_flag, ben.id, "mentioned") == []
