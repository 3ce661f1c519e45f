"""A log can go back: a backup was restored, or a standby that lacks the last events took over.

Then it is another log with the same numbers, and no queue may continue.
"""

import pytest
from tests.events.test_skipped_events import directory, fresh_directory
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import storage
from tertulia.database.tx import Tx

GONE = "BAD_EVENT_QUEUE_ID"


@pytest.fixture
def kitchen(own_chat):
    return own_chat.people("ana", "ben", channels=["kitchen"])


def go_back(tx: Tx, seq: int, message_id: int) -> None:
    """Delete what an older backup lacks."""
    tx.execute("DELETE FROM event WHERE realm_id = :realm AND seq > :seq", seq=seq)
    tx.execute("UPDATE log_head SET seq = :seq WHERE realm_id = :realm", seq=seq)
    tx.execute("DELETE FROM message WHERE realm_id = :realm AND id > :id", id=message_id)


def test_a_restore_ends_every_queue(own_chat, kitchen):
    ana, ben = kitchen
    parked, idle = ben.listens_for("message"), ana.listens_for("message")
    waiting = parked.waits_raw()

    own_chat.write_from_outside(storage.log.start_epoch)

    assert waiting.result(TIMEOUT_SECONDS).json["code"] == GONE
    assert idle.poll().json["code"] == GONE
    queue = ben.listens_for("message")
    soup = ana.says("Soup's on", to="kitchen > lunch")
    assert queue.next()["message"]["id"] == soup.id


def test_a_queue_of_another_log_is_refused_after_a_restart(own_chat, kitchen):
    _, ben = kitchen
    own_chat.write(storage.log.start_epoch)
    queue = ben.listens_for("message")
    own_chat.server.stop()

    def restore(tx: Tx) -> None:
        """The backup held the queue, and its client has received more since."""
        tx.execute("UPDATE log_head SET epoch = 'restored' WHERE realm_id = :realm")

    own_chat.write_from_outside(restore)
    own_chat.server.start()

    assert queue.poll().json["code"] == GONE
    assert ben.listens_for("message").silent()


def test_a_log_that_goes_back_under_a_running_server_is_detected(own_chat, kitchen):
    ana, ben = kitchen
    first = ana.says("Soup?", to="kitchen > lunch")
    before = own_chat.head()
    queue = ben.listens_for("message")
    ana.joins("cellar")
    ana.says("Tea?", to="kitchen > lunch")
    assert len(queue.all()) == 1

    own_chat.write_from_outside(go_back, before, first.id)

    eventually(lambda: queue.poll().json.get("code") == GONE)
    assert directory(own_chat) == fresh_directory(own_chat)
    again = ben.listens_for("message")
    tea = ana.says("Tea!", to="kitchen > lunch")
    assert again.next()["message"]["id"] == tea.id
