"""A PostgreSQL whose processes do not run: its connections stay open, and nothing is answered."""

import time
from pathlib import Path

import pytest
from tests.crash.cluster import cluster
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.support.waiting import eventually

pytestmark = [pytest.mark.postgres, pytest.mark.thorough]


def test_a_frozen_primary_is_left_for_the_promoted_standby(tmp_path: Path, new_server: NewServer):
    with cluster() as first:
        people = create_organization(f"postgresql://postgres@{first.address}/postgres", "ana ben")
        second = first.copy(first.folder.with_name("second"))
        second.start()
        both = f"postgresql://postgres@{first.address},{second.address}/postgres"
        server = new_server(f"{both}?target_session_attrs=read-write", tmp_path / "data")
        server.start()
        ana, ben = (people[name].at(server.port) for name in ("ana", "ben"))
        for each in (ana, ben):
            each.joins("kitchen")
        queue_id = ben.registers()
        before = ana.says("Before", to="kitchen")["id"]
        eventually(lambda: str(before) in second.run_sql("SELECT max(id) FROM message"))

        with first.frozen():
            second.take_over()
            began = time.monotonic()
            answers = [ana.says("Anybody?", to="kitchen")]
            while answers[-1].status != 200:
                assert answers[-1].is_outage, answers[-1]
                answers.append(ana.says("Anybody?", to="kitchen"))
            print(f"acknowledged after {time.monotonic() - began:.1f} s, {len(answers)} answers")
            events = ben.polls(queue_id, dont_block=True)["events"]

            ids = [event["message"]["id"] for event in events]
            assert ids == [before, answers[-1]["id"]]
            server.kill()
