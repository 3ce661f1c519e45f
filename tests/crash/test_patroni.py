"""Patroni fails over to another PostgreSQL when the leader dies."""

from pathlib import Path

import pytest
from tests.crash.conftest import NewServer
from tests.crash.patroni import members
from tests.crash.people import create_organization
from tests.support.waiting import eventually

pytestmark = [pytest.mark.postgres, pytest.mark.soak]

GONE = "BAD_EVENT_QUEUE_ID"


@pytest.mark.parametrize("synchronous", [True, False], ids=["synchronous", "asynchronous"])
def test_a_failover_reports_lost_events_and_continues_the_other_queues(
    tmp_path: Path, new_server: NewServer, synchronous: bool
):
    with members(synchronous=synchronous) as (one, two):
        people = create_organization(
            f"postgresql://postgres@127.0.0.1:{one.port}/postgres", "ana ben"
        )
        both = f"postgresql://postgres@127.0.0.1:{one.port},127.0.0.1:{two.port}/postgres"
        server = new_server(f"{both}?target_session_attrs=read-write", tmp_path / "data")
        server.start()
        ana, ben = (people[name].at(server.port) for name in ("ana", "ben"))
        ana.joins("kitchen")
        ben.joins("kitchen")
        queue_id = ben.registers()
        sent = [ana.says(f"Before {number}", to="kitchen")["id"] for number in range(20)]
        event = ben.polls(queue_id)["events"]

        one.kill()
        eventually(lambda: two.has_role("master"))
        eventually(lambda: ana.says("After", to="kitchen").status == 200)
        later = [ana.says(f"After {number}", to="kitchen")["id"] for number in range(5)]

        kept = {int(each) for each in two.asks("SELECT id FROM message").split()}
        lost = {*sent} - kept
        assert min(later) > max(sent)  # no id is used twice
        response = ben.polls(queue_id, event[-1]["id"], dont_block=True)
        if synchronous:
            assert not lost
        if lost & {each["message"]["id"] for each in event}:
            assert response.code == GONE
        else:
            received = [each["message"]["id"] for each in [*event, *response["events"]]]
            assert [each for each in received if each in (*sent, *later)] == [
                each for each in (*sent, *later) if each not in lost
            ]
