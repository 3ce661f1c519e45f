"""A whole topic that moves to another channel: its messages are written first."""

import pytest

from tertulia import actions
from tertulia.actions.messages.edits import MessageChanges, MoveInterrupted, PreparedMove

QUIET = {"send_notification_to_new_thread": False}
MANY = 150  # so many that the topic moves as a row


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="admin", channels=["porch", "attic"])


@pytest.fixture
def ids(chat, ana):
    return chat.fill(ana, "porch > chairs", MANY)


def move(person, message_id, channel_id):
    return person.patch(
        f"/messages/{message_id}", stream_id=channel_id, propagate_mode="change_all", **QUIET
    )


def found_in(person, channel):
    narrow = [["channel", channel], ["topic", "chairs"]]
    window = {"anchor": "newest", "num_before": 500, "narrow": narrow}
    return [each["id"] for each in person.get("/messages", **window).succeeds()["messages"]]


def prepared(chat, ana, ids):
    attic = chat.channel("attic").id
    changes = MessageChanges(channel_id=attic, mode="change_all", notifies_new_topic=False)
    planned = chat.write(actions.messages.edits.change, ana.record, ids[0], changes, True)
    assert isinstance(planned, PreparedMove)
    return planned, changes


@pytest.mark.on_both
def test_all_messages_move_with_their_history_and_those_sent_meanwhile(chat, ana, ids):
    attic = chat.channel("attic").id
    late = chat.fill(ana, "porch > chairs", 1)
    queue = ana.listens_for("update_message")

    move(ana, ids[0], attic).succeeds()

    assert queue.next()["message_ids"] == ids + late
    assert found_in(ana, "attic") == ids + late
    assert found_in(ana, "porch") == []
    for message_id in (ids[0], ids[1], late[0]):
        (edit,) = ana.sees(message_id)["edit_history"]
        assert (edit["prev_stream"], edit["stream"]) == (chat.channel("porch").id, attic)


@pytest.mark.on_both
@pytest.mark.parametrize("joins", [False, True])
def test_a_move_is_repeated_if_other_users_have_the_messages_meanwhile(chat, ana, ids, joins):
    planned, changes = prepared(chat, ana, ids)
    ben = chat.person("ben")

    def run(tx):
        actions.messages.edits.prepare(tx, planned)
        if joins:
            attic = actions.channels.lookups.readable_by(tx, ana.record, planned.target_id)
            actions.channels.subscriptions.join(tx, attic, [ben.record])
        actions.messages.edits.change(tx, ana.record, ids[0], changes, False, planned)

    if joins:
        with pytest.raises(MoveInterrupted):
            chat.write(run)
    else:
        chat.write(run)

    assert found_in(ana, "porch") == (ids if joins else [])
    assert found_in(ana, "attic") == ([] if joins else ids)


@pytest.mark.on_both
def test_a_move_that_is_refused_after_its_preparation_changes_nothing(chat, ana, ids):
    planned, changes = prepared(chat, ana, ids)
    ben = chat.person("ben", channels=["porch", "attic"])
    chat.permit("can_move_messages_between_channels_group", "moderators")

    def run(tx):
        actions.messages.edits.prepare(tx, planned)
        actions.messages.edits.change(tx, ben.record, ids[0], changes, False, planned)

    with pytest.raises(Exception, match="permission to move"):
        chat.write(run)

    assert found_in(ben, "porch") == ids
