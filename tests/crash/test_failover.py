"""Failover of PostgreSQL: with everything that was written, or without the last of it."""

from pathlib import Path

import pytest
from tests.crash.cluster import cluster
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.support.waiting import eventually

from tertulia.database import BlockingDatabase

pytestmark = [pytest.mark.postgres, pytest.mark.soak]

GONE = "BAD_EVENT_QUEUE_ID"


def test_check_reports_that_replication_is_asynchronous():
    with cluster() as first:
        second = first.copy(first.folder.with_name("second"))
        second.start()
        database = BlockingDatabase.at(
            f"postgresql://postgres@{first.address},{second.address}/postgres"
        )

        (problem,) = database.failover_problems()
        first.run_sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        first.run_sql("SELECT pg_reload_conf()")

        assert problem.startswith("replication is asynchronous")
        eventually(lambda: not database.failover_problems())


def test_no_queue_continues_in_a_log_that_was_lost(tmp_path: Path, new_server: NewServer):
    with cluster() as first:
        url = f"postgresql://postgres@{first.address}/postgres"
        people = create_organization(url, "ana ben")
        second = first.copy(first.folder.with_name("second"))
        second.start()
        both = f"postgresql://postgres@{second.address},{first.address}/postgres"  # a copy first
        server = new_server(f"{both}?target_session_attrs=read-write", tmp_path / "data")
        server.start()
        ana, ben = (people[name].at(server.port) for name in ("ana", "ben"))
        ana.joins("kitchen")
        ben.joins("kitchen")
        kept = ana.says("Everybody knows this", to="kitchen")["id"]
        eventually(lambda: str(kept) in second.run_sql("SELECT max(id) FROM message"))
        queue_id = ben.registers()
        second.stop_following()
        lost = ana.says("Only the first one knows this", to="kitchen")["id"]
        received_event = ben.polls(queue_id)["events"]
        assert [event["message"]["id"] for event in received_event] == [lost]

        first.kill()
        second.take_over()
        eventually(lambda: ana.says("Now there is another one", to="kitchen").status == 200)
        for number in range(3):
            ana.says(f"And it goes on: {number}", to="kitchen")
        response = ben.polls(queue_id, received_event[-1]["id"], dont_block=True)

        assert (response.status, response.code) == (400, GONE)
        again = ben.registers()
        later = ana.says("Do you hear me?", to="kitchen")["id"]
        received = ben.polls(again)["events"]
        assert [event["message"]["id"] for event in received] == [later]


def test_queues_continue_after_a_lossless_failover(tmp_path: Path, new_server: NewServer):
    with cluster() as first:
        url = f"postgresql://postgres@{first.address}/postgres"
        people = create_organization(url, "ana ben")
        second = first.copy(first.folder.with_name("second"))
        second.start()
        both = f"postgresql://postgres@{second.address},{first.address}/postgres"
        server = new_server(f"{both}?target_session_attrs=read-write", tmp_path / "data")
        server.start()
        ana, ben = (people[name].at(server.port) for name in ("ana", "ben"))
        ana.joins("kitchen")
        ben.joins("kitchen")
        queue_id, parked = ben.registers(), ben.registers()
        sent = [ana.says(f"Before {number}", to="kitchen")["id"] for number in range(5)]
        received = ben.polls(queue_id)["events"]
        eventually(lambda: str(sent[-1]) in second.run_sql("SELECT max(id) FROM message"))

        first.kill()
        second.take_over()
        eventually(lambda: ana.says("After", to="kitchen").status == 200)
        sent += [ana.says(f"After {number}", to="kitchen")["id"] for number in range(3)]

        last = received[-1]["id"] if received else -1
        later = ben.polls(queue_id, last, dont_block=True)
        assert later.status == 200
        ids = [event["message"]["id"] for event in [*received, *later["events"]]]
        assert [each for each in ids if each in sent] == sent
        all_of_it = ben.polls(parked, dont_block=True)["events"]
        assert [event["message"]["id"] for event in all_of_it] == ids
        server.kill()
        server.start()
        ben = people["ben"].at(server.port)
        again = ben.polls(queue_id, later["events"][-1]["id"], dont_block=True)
        assert (again.status, again["events"]) == (200, [])


def test_no_message_gets_the_id_of_one_that_was_lost(tmp_path: Path, new_server: NewServer):
    with cluster() as first:
        url = f"postgresql://postgres@{first.address}/postgres"
        people = create_organization(url, "ana ben")
        second = first.copy(first.folder.with_name("second"))
        second.start()
        both = f"postgresql://postgres@{second.address},{first.address}/postgres"
        server = new_server(f"{both}?target_session_attrs=read-write", tmp_path / "data")
        server.start()
        ana, ben = (people[name].at(server.port) for name in ("ana", "ben"))
        ana.joins("kitchen")
        ben.joins("kitchen")
        kept = ana.says("Everybody knows this", to="kitchen")["id"]
        eventually(lambda: str(kept) in second.run_sql("SELECT max(id) FROM message"))
        ahead, behind = ben.registers(), ben.registers()
        eventually(lambda: behind in second.run_sql("SELECT id FROM queue"))
        second.stop_following()
        lost = [
            ana.says(f"Only the first knows {number}", to="kitchen")["id"] for number in range(70)
        ]
        received_event = ben.polls(ahead)["events"]

        first.kill()
        second.take_over()
        eventually(lambda: ana.says("Now there is another one", to="kitchen").status == 200)
        new = [ana.says(f"And it goes on: {number}", to="kitchen")["id"] for number in range(70)]

        assert not {*lost} & {*new}
        assert min(new) > max(lost)
        assert ben.polls(ahead, received_event[-1]["id"], dont_block=True).code == GONE
        received = ben.polls(behind, dont_block=True)["events"]
        assert [event["message"]["id"] for event in received][1:] == new
