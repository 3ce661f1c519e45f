"""Housekeeping: what is dropped, what is deleted, and what is kept."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from tests.support.people import Chat

from tertulia import actions, features, storage
from tertulia.database import Database, OrgDatabase
from tertulia.database.tx import Tx
from tertulia.events.delivery.dispatch import Delivery
from tertulia.features.scheduled import transactions
from tertulia.features.scheduled.endpoints import SCHEDULED, delete_old_sent
from tertulia.jobs import housekeeping as jobs
from tertulia.jobs.housekeeping import (
    MIN_UPTIME_SECONDS,
    ClockWatch,
    delete_send_keys,
)


def events_kept(chat) -> int:
    return len(chat.read(storage.log.after, chat.realm.id, 0, 1_000_000))


def says_much(person, count=20) -> None:
    for number in range(count):
        person.says(f"word {number}", to="kitchen > talk")


# --- the log ---


def test_events_that_every_queue_has_read_are_deleted_after_a_while(chat, in_kitchen, ana, ben):
    queue = ben.listens_for("message")
    says_much(ana)
    queue.all()
    queue.poll()
    chat.run_housekeeping()
    assert events_kept(chat) > 20

    chat.server.clock.move(minutes=11)
    queue.poll()
    chat.run_housekeeping()

    assert events_kept(chat) == 1
    assert chat.read(storage.log.gaps) == []


def test_events_that_a_queue_has_not_read_are_kept(chat, in_kitchen, ana, ben):
    queue = ben.listens_for("message")
    says_much(ana)

    chat.server.clock.move(hours=2)
    chat.run_housekeeping()

    assert len(queue.all()) == 20


def test_a_queue_without_matching_events_does_not_hold_the_log(chat, in_kitchen, ana, ben):
    queue = ben.listens_for("reaction")
    assert queue.silent()
    says_much(ana)

    chat.server.clock.move(minutes=11)
    chat.run_housekeeping()

    assert events_kept(chat) == 1
    assert queue.silent()


def test_a_queue_without_matching_events_continues_after_a_restart(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("user_topic", "realm", idle_queue_timeout=86_400)
    says_much(ana)
    server = own_chat.server
    server.clock.move(minutes=11)
    server.store_positions()
    own_chat.write(actions.housekeeping.trim_log)
    assert events_kept(own_chat) == 1

    server.restart()
    own_chat.set("description", "quiet")

    assert [event["data"]["description"] for event in queue.all()] == ["quiet"]


def test_a_restart_repeats_no_acknowledged_event(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    says_much(ana, 5)
    assert len(queue.all()) == 5
    assert queue.silent()
    server = own_chat.server
    server.store_positions()

    server.restart()
    says_much(ana, 2)

    assert [event["message"]["content"] for event in queue.all()] == ["word 0", "word 1"]


def test_unacknowledged_events_are_repeated_after_a_restart(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    says_much(ana, 5)
    first = queue.poll().succeeds()["events"]
    server = own_chat.server
    server.store_positions()
    server.clock.move(minutes=11)
    own_chat.write(actions.housekeeping.trim_log)

    server.restart()

    assert queue.poll().succeeds()["events"] == first


def test_the_log_is_bounded_and_an_idle_queue_dropped(chat, in_kitchen, ana, ben):
    idle = ben.listens_for("message")
    busy = ana.listens_for("message")
    says_much(ana)
    assert len(busy.all()) == 20
    assert busy.silent()
    server = chat.server
    server.store_positions()

    trimmed = chat.write(actions.housekeeping.trim_log, 10)

    assert trimmed.queues_given_up == [idle.queue_id]
    assert events_kept(chat) <= 11
    for queue_id in trimmed.queues_given_up:
        server.close_queue(queue_id)
    idle.poll().fails(f"Bad event queue ID: {idle.queue_id}", code="BAD_EVENT_QUEUE_ID")
    assert busy.silent()


@pytest.mark.parametrize("in_memory", [True, False])
def test_the_job_drops_an_idle_queue_and_trims_behind_the_others(own_chat, monkeypatch, in_memory):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    idle = ben.listens_for("message", idle_queue_timeout=86_400)
    reading = ana.listens_for("message")
    says_much(ana)
    server = own_chat.server
    if not in_memory:
        server.lose_mailbox(idle.queue_id)
    assert len(reading.all()) == 20
    assert reading.silent()
    server.store_positions()
    for name in ("realms_to_trim", "trim_log"):
        bounded = partial(getattr(actions.housekeeping, name), max_events=10)
        monkeypatch.setattr(actions.housekeeping, name, bounded)

    server.trim_logs()

    assert events_kept(own_chat) <= 11
    idle.poll().fails(f"Bad event queue ID: {idle.queue_id}", code="BAD_EVENT_QUEUE_ID")
    says_much(ana, 1)
    assert len(reading.all()) == 1


def test_a_long_log_is_trimmed_in_steps(chat, in_kitchen, ana, monkeypatch):
    says_much(ana)
    chat.server.clock.move(minutes=11)
    monkeypatch.setattr(actions.housekeeping, "MAX_DELETED_PER_RUN", 7)

    first = chat.write(actions.housekeeping.trim_log)
    assert (first.events, first.is_done) == (7, False)
    chat.run_housekeeping()

    assert events_kept(chat) == 1


# --- queues and the clock ---


def test_an_unpolled_queue_is_dropped(chat):
    queue = chat.person("ana").listens_for("message", idle_queue_timeout=600)

    chat.server.clock.move(minutes=12)
    chat.server.store_positions()  # without a watch that takes the moved clock for a jump

    queue.poll().fails(f"Bad event queue ID: {queue.queue_id}", code="BAD_EVENT_QUEUE_ID")


def test_positions_of_many_queues_are_all_saved(chat, monkeypatch):
    monkeypatch.setattr(jobs, "QUEUES_PER_BATCH", 3)
    ana = chat.person("ana", channels=["kitchen"])
    queues_of_ana = [ana.listens_for("message") for _ in range(8)]
    says_much(ana, 1)
    for queue in queues_of_ana:
        assert len(queue.all()) == 1
        assert queue.silent()

    chat.run_housekeeping()

    noted = [chat.read(storage.queues.find, queue.queue_id).acked for queue in queues_of_ana]
    assert noted == [queue.last_event_id for queue in queues_of_ana]


def test_a_clock_put_forward_makes_no_queue_idle(chat, in_kitchen, ana):
    queue = ana.listens_for("message", idle_queue_timeout=600)
    server = chat.server
    watch = ClockWatch(server.clock)
    assert queue.silent()

    for hours in (1, -1):
        server.clock.move(hours=hours)
        server.store_positions(watch)

    says_much(ana, 1)
    assert len(queue.all()) == 1
    assert chat.read(storage.queues.find, queue.queue_id) is not None


def test_a_clock_put_forward_while_positions_are_saved_makes_no_queue_idle(own_chat, monkeypatch):
    ana = own_chat.person("ana", channels=["kitchen"])
    queue = ana.listens_for("message")
    assert queue.silent()
    server = own_chat.server
    watch = ClockWatch(server.clock)
    positions = Delivery.positions

    def positions_at_the_last_moment(self, realm_id):
        found = positions(self, realm_id)
        server.clock.move(hours=1)
        return found

    monkeypatch.setattr(Delivery, "positions", positions_at_the_last_moment)
    server.store_positions(watch)
    monkeypatch.undo()
    server.store_positions(watch)

    says_much(ana, 1)
    assert len(queue.all()) == 1
    assert own_chat.read(storage.queues.find, queue.queue_id) is not None


def test_a_clock_put_forward_under_the_last_server_makes_no_queue_idle(own_chat):
    queue = own_chat.person("ana").listens_for("message", idle_queue_timeout=600)
    server, passed = own_chat.server, 0.0
    server.clock.move(hours=1)  # and the server is killed before it notices
    watch = ClockWatch(server.clock, lambda: passed)

    def passes(seconds: float) -> bool:
        nonlocal passed
        passed += seconds
        server.clock.move(seconds=seconds)
        server.store_positions(watch)
        return own_chat.read(storage.queues.find, queue.queue_id) is not None

    assert passes(MIN_UPTIME_SECONDS)
    assert not passes(1)


def test_without_due_work_no_further_queries_are_made(own_chat):
    """One query for all organizations, for any number of them."""
    server = own_chat.server
    counted: Any = Counted(server.database)
    jobs_ = server.jobs_on(counted)

    def questions() -> Counter[str]:
        found: Counter[str] = Counter()
        for job in jobs_:
            before = counted.asked
            server.do(job.work())
            found[job.name] = counted.asked - before
        return found

    for _ in range(2):
        questions()
    few = questions()
    for _ in range(3):
        Chat.found(server)
    for _ in range(2):
        questions()

    assert questions() == few
    assert sum(few.values()) <= len(few) + 5


class Counted:
    """A database that counts queries."""

    def __init__(self, database: Database) -> None:
        self._database: Any = database
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def of(self, realm_id: int) -> OrgDatabase:
        return OrgDatabase(self, realm_id)

    async def run_read(self, *args: Any) -> Any:
        self.asked += 1
        return await self._database.run_read(*args)

    async def run_query(self, *args: Any) -> Any:
        self.asked += 1
        return await self._database.run_query(*args)

    async def run_write(self, *args: Any) -> Any:
        self.asked += 1
        return await self._database.run_write(*args)


def test_a_clock_jump_is_distinguished_from_elapsed_time():
    now, passed = 1_000_000.0, 50.0
    watch = ClockWatch(lambda: now, lambda: passed)

    now, passed = now + 1000, passed + 1000
    assert watch.jump() == 0
    now, passed = now + 3630, passed + 30
    assert watch.jump() == pytest.approx(3600)
    now, passed = now + 30, passed + 30
    assert watch.jump() == 0
    now, passed = now - 3570, passed + 30
    assert watch.jump() == pytest.approx(-3600)


# --- keys and leftovers ---


def test_idempotency_keys_are_deleted_in_time(chat, in_kitchen, ana):
    writer = ana.with_headers(Idempotency_Key="once")
    writer.says("soup", to="kitchen > lunch")
    assert chat.read(storage.messages.send_keys.find, ana.id, "key:once", 0) is not None

    chat.server.clock.move(hours=23)
    chat.write(actions.housekeeping.delete_expired_send_keys, 86_400)
    assert chat.read(storage.messages.send_keys.find, ana.id, "key:once", 0) is not None
    chat.server.clock.move(hours=2)
    chat.write(actions.housekeeping.delete_expired_send_keys, 86_400)

    assert chat.read(storage.messages.send_keys.find, ana.id, "key:once", 0) is None


def test_many_keys_and_leftovers_are_deleted_in_steps(own_chat, monkeypatch):
    ana = own_chat.person("ana", channels=["kitchen"])
    server = own_chat.server
    for number in range(7):
        ana.with_headers(Idempotency_Key=f"{number}").says("soup", to="kitchen > lunch")
        ana.post(
            "/scheduled_messages",
            type="direct",
            to=[ana.id],
            content="milk",
            scheduled_delivery_timestamp=int(server.clock()) + 60,
        ).succeeds()
    server.clock.move(seconds=61)
    server.send_due(SCHEDULED)
    server.clock.move(hours=25)
    monkeypatch.setattr(actions.housekeeping, "MAX_DELETED_PER_RUN", 3)
    monkeypatch.setattr(transactions, "DELETED_PER_BATCH", 3)

    assert own_chat.write(actions.housekeeping.delete_expired_send_keys, 86_400) == 3
    assert own_chat.write(transactions.delete_old_sent) == 3
    server.do(delete_send_keys(server.database, 86_400))
    server.do(delete_old_sent(server.database))

    for table in ("send_key", "scheduled_message"):
        assert own_chat.read(Tx.value, f"SELECT count(*) AS value FROM {table}") == 0


def test_leftovers_of_sent_messages_are_deleted_after_a_day(chat, ana):
    number = ana.post(
        "/scheduled_messages",
        type="direct",
        to=[ana.id],
        content="milk",
        scheduled_delivery_timestamp=chat.in_seconds(60),
    ).succeeds()["scheduled_message_id"]
    chat.advance(seconds=61)
    chat.server.do(delete_old_sent(chat.server.database))
    assert chat.read(features.scheduled.entry.find, number) is not None

    chat.server.clock.move(hours=25)
    chat.server.do(delete_old_sent(chat.server.database))

    assert chat.read(features.scheduled.entry.find, number) is None


def test_presence_older_than_a_year_is_deleted(own_chat):
    server, people = own_chat.server, own_chat.people("ana", "ben", "cleo")

    def come(*persons):
        for person in persons:
            person.post("/users/me/presence", status="active", ping_only=True).succeeds()
        server.store_presence()

    ana, ben, cleo = people
    come(ana, ben)
    server.clock.move(hours=364 * 24)
    come(cleo)
    server.delete_stale_presence()
    assert len(own_chat.read(storage.people.presence.since, 0)) == 3

    server.clock.move(hours=48)
    come(ben)
    server.delete_stale_presence()

    assert {each.user_id for each in own_chat.read(storage.people.presence.since, 0)} == {
        ben.id,
        cleo.id,
    }
    cleo.get(f"/users/{ana.id}/presence").fails(f"No presence data for {ana.id}")
    cleo.get(f"/users/{ben.id}/presence").succeeds()


def test_the_last_presence_number_survives_deletions(own_chat):
    ana = own_chat.person("ana")
    server = own_chat.server
    ana.post("/users/me/presence", status="active").succeeds()
    server.store_presence()
    (first,) = own_chat.read(storage.people.presence.since, 0)

    server.clock.move(hours=400 * 24)
    server.delete_stale_presence()
    ana.post("/users/me/presence", status="active").succeeds()
    server.store_presence()

    (second,) = own_chat.read(storage.people.presence.since, 0)
    assert second.update_id > first.update_id
