"""A log is recognized by the stamps of its events, not by their numbers."""

import pytest
from tests.events.test_epochs import GONE, go_back
from tests.events.test_skipped_events import directory, fresh_directory
from tests.support.databases import Databases
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import eventually

from tertulia import events, storage
from tertulia.database.id_counters import MIN_JUMP
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.events.logged_event import LoggedEvent


@pytest.fixture
def kitchen(own_chat):
    return own_chat.people("ana", "ben", channels=["kitchen"])


def put_back(tx: Tx, seq: int, message_id: int, queue: storage.queues.StoredQueue) -> None:
    """Restore an older state: log and messages end there, and so does the queue's position."""
    go_back(tx, seq, message_id)
    tx.execute(
        "UPDATE queue SET acked = :acked, scanned = :scanned WHERE id = :id",
        acked=queue.acked,
        scanned=queue.scanned,
        id=queue.id,
    )


def is_distinguished(chat: Chat, event_id: int) -> bool:
    """Whether the id of the event that has this number now differs from the old one."""
    stamp = chat.server.database.blocking.of(chat.realm.id).read(
        storage.log.stamp_at, events.delivery.mailbox.seq_of(event_id)
    )
    return bool(stamp) and events.delivery.mailbox.index_of(event_id, stamp) is None


def test_a_copy_restored_while_the_server_was_down_is_detected(own_chat, kitchen):
    ana, ben = kitchen
    event_queue, careful = ben.listens_for("message"), ben.listens_for("message")
    for number in range(3):
        last = ana.says(f"soup {number}", to="kitchen > lunch")
    before = own_chat.head()
    assert len(event_queue.all()) == len(careful.all()) == 3
    read = own_chat.server.database.blocking.of(own_chat.realm.id).read
    own_chat.server.stop()
    queues = [read(storage.queues.find, each.queue_id) for each in (event_queue, careful)]
    own_chat.server.start()
    for number in range(6):
        ana.says(f"tea {number}", to="kitchen > lunch")
    assert len(event_queue.all()) == 6

    while True:  # once in 256 times two random stamps are too close
        own_chat.server.stop()
        for queue in queues:
            own_chat.write_from_outside(put_back, before, last.id, queue)
        own_chat.server.start()
        for number in range(9):
            ana.says(f"cake {number}", to="kitchen > lunch")
        if is_distinguished(own_chat, event_queue.last_event_id):
            break

    assert event_queue.poll().json["code"] == GONE
    received = [each["message"]["content"] for each in careful.all()]
    assert received == [f"cake {number}" for number in range(9)]


def test_a_log_replaced_under_a_running_server_is_detected(own_chat, kitchen):
    ana, ben = kitchen
    first = ana.says("Soup?", to="kitchen > lunch")
    before = own_chat.head()
    queue = ben.listens_for("message")
    ana.joins("cellar")
    ana.says("Tea?", to="kitchen > lunch")
    queue.all()
    count = own_chat.head() - before

    def replace(tx: Tx) -> None:
        """The log of a copy that has grown as long as the known one."""
        go_back(tx, before, first.id)
        for _ in range(count):
            storage.log.append(tx, "shoe_bought", '{"to":"all"}', '{"size":42}')

    while True:
        own_chat.write_from_outside(replace)
        if is_distinguished(own_chat, queue.last_event_id):
            break

    eventually(lambda: queue.poll().json.get("code") == GONE)
    eventually(lambda: directory(own_chat) == fresh_directory(own_chat))


def test_an_id_of_an_older_server_is_accepted(own_chat, kitchen):
    ana, ben = kitchen
    queue = ben.listens_for("message")
    ana.says("Soup?", to="kitchen > lunch")
    first = queue.poll(-1).succeeds()["events"][0]["id"]
    tea = ana.says("Tea?", to="kitchen > lunch")
    older = events.delivery.mailbox.event_id(
        events.delivery.mailbox.seq_of(first)
    )  # its ids have no stamps

    for becomes_cold in (False, True):
        if becomes_cold:
            own_chat.server.restart()
        event = queue.poll(older).succeeds()["events"]
        assert [each["message"]["id"] for each in event] == [tea.id]


def test_an_id_of_an_event_for_another_queue_is_refused(own_chat, kitchen):
    ana, ben = kitchen
    queue = ben.listens_for("message")
    ana.joins("cellar")
    stamp = own_chat.read(storage.log.stamp_at, own_chat.head())
    own_chat.server.restart()

    response = queue.poll(events.delivery.mailbox.event_id(own_chat.head(), 0, stamp))

    assert response.status == 400
    assert response.json["code"] != GONE


def test_early_events_of_a_lost_primary_are_dropped(own_chat, kitchen):
    ana, ben = kitchen
    ana.says("Lunch?", to="kitchen > lunch")
    queue = ben.listens_for("message")
    ana.says("Soup?", to="kitchen > lunch")
    head = own_chat.head()
    (event,) = own_chat.read(events.log.read, head - 1, 1)
    lost = LoggedEvent(event.realm_id, head + 2, event.event, event.audience, event.stamp + 1)
    known = LogPosition(lost.seq, own_chat.server.directory(own_chat.realm.id).position.epoch)
    (notice,), _ = events.notify_payloads.encode([(known, lost)])

    def take_over(tx: Tx) -> None:
        """A standby lacks the last events of the primary; its timeline is part of the epoch."""
        tx.execute("UPDATE log_head SET epoch = epoch || '@2' WHERE realm_id = :realm")

    own_chat.server.receive_notice(notice)
    own_chat.write_from_outside(take_over)
    for words in ("Tea?", "Cake?"):
        ana.says(words, to="kitchen > lunch")

    received = [queue.next()["message"]["content"] for _ in range(3)]
    assert received == ["Soup?", "Tea?", "Cake?"]


@pytest.mark.postgres
def test_ids_skip_ahead_on_another_timeline_and_queues_continue(databases: Databases):
    url, folder = databases.new("postgres", untouched=True)
    server = Server(url, folder).start()
    chat = Chat.found(server, "")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    before = ana.says("Soup?", to="kitchen > lunch")

    def note_another(tx: Tx) -> None:
        """Pretend that the database was on this timeline until now."""
        tx.execute("UPDATE installation SET timeline = '0000ABCD'")

    chat.write_from_outside(note_another)
    with server.database.dialect.connect() as connection:  # the event that records the new timeline
        tx = Tx(connection, server.database.dialect, chat.realm.id, 0.0)
        assert storage.messages.table.find_many(tx, chat.realm.id, [before.id, *range(9000, 9050)])
    server.restart()
    after = ana.says("Tea?", to="kitchen > lunch")
    server.restart()
    later = ana.says("Cake?", to="kitchen > lunch")

    assert after.id > before.id + MIN_JUMP
    assert after.id < later.id < after.id + MIN_JUMP
    assert chat.person("cleo").id > MIN_JUMP
    assert [each["message"]["id"] for each in queue.all()] == [before.id, after.id, later.id]
    server.stop()
