"""A job with a long interval runs although no server lives that long."""

import pytest
from tests.support.people import Chat
from tests.support.waiting import eventually

from tertulia import storage
from tertulia.jobs import runner

RETENTION = f"{storage.server_values.LAST_RUN}retention"


def last_run(chat: Chat) -> float | None:
    found = chat.read(storage.server_values.find, RETENTION)
    return None if found is None else float(found)


@pytest.fixture(autouse=True)
def frequent_checks(monkeypatch) -> None:
    monkeypatch.setattr(runner, "CHECK_SECONDS", 0.05)


def test_a_job_runs_when_its_interval_has_passed_over_several_restarts(own_chat: Chat):
    server, ana = own_chat.server, own_chat.person("ana", role="owner", channels=["kitchen"])
    ana.patch(f"/streams/{own_chat.channel('kitchen').id}", message_retention_days=1).succeeds()
    server.clock.stop()
    old = ana.says("Yesterday's soup", to="kitchen > lunch")
    eventually(lambda: last_run(own_chat) is not None)

    for _ in range(3):
        server.clock.move(minutes=2)
        server.restart()
    eventually(lambda: last_run(own_chat) == server.clock())

    assert ana.get(f"/messages/{old.id}").status == 200
    server.clock.move(hours=48)
    server.restart()
    eventually(lambda: ana.get(f"/messages/{old.id}").status == 400)
