"""Another PostgreSQL takes over that lacks the last of what was written."""

from pathlib import Path

import pytest
from tests.crash.cluster import cluster
from tests.crash.conftest import NewServer
from tests.crash.people import settle
from tests.support.waiting import eventually

pytestmark = [pytest.mark.postgres, pytest.mark.soak]

GONE = "BAD_EVENT_QUEUE_ID"


def test_nobody_goes_on_in_a_log_that_is_no_more(tmp_path: Path, new_server: NewServer):
    with cluster() as first:
        url = f"postgresql://postgres@{first.address}/postgres"
        people = settle(url, "ana ben")
        second = first.copy(first.folder.with_name("second"))
        second.start()
        both = f"postgresql://postgres@{second.address},{first.address}/postgres"  # a copy first
        server = new_server(f"{both}?target_session_attrs=read-write", tmp_path / "data")
        server.start()
        ana, ben = (people[name].at(server.port) for name in ("ana", "ben"))
        ana.joins("kitchen")
        ben.joins("kitchen")
        kept = ana.says("Everybody knows this", to="kitchen")["id"]
        eventually(lambda: str(kept) in second._say("SELECT max(id) FROM message"))
        queue_id = ben.registers()
        second.stop_following()
        lost = ana.says("Only the first one knows this", to="kitchen")["id"]
        heard = ben.polls(queue_id)["events"]
        assert [event["message"]["id"] for event in heard] == [lost]

        first.kill()
        second.take_over()
        eventually(lambda: ana.says("Now there is another one", to="kitchen").status == 200)
        for number in range(3):
            ana.says(f"And it goes on: {number}", to="kitchen")
        answer = ben.polls(queue_id, heard[-1]["id"], dont_block=True)

        assert (answer.status, answer.code) == (400, GONE)
        again = ben.registers()
        later = ana.says("Do you hear me?", to="kitchen")["id"]
        told = ben.polls(again)["events"]
        assert [event["message"]["id"] for event in told] == [later]
