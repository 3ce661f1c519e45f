"""SIGTERM: everybody who waits is answered, and the server is gone within a second."""

import time

from tests.crash.conftest import NewServer
from tests.crash.people import settle
from tests.support.databases import Databases, Kind
from tests.support.waiting import as_busy_as_it_is

POLLS = 100
TRIES = 3  # the machine may be busy with something else for a second


def test_a_server_told_to_stop_answers_all_polls_and_ends_within_a_second(
    databases: Databases, new_server: NewServer, kind: Kind
):
    url, folder = databases.new(kind)
    ana = settle(url, "ana")["ana"]
    server = new_server(url, folder)
    server.start()
    queue_ids = [ana.at(server.port).registers() for _ in range(POLLS)]

    seconds: list[float] = []
    while len(seconds) < TRIES and (not seconds or seconds[-1] > as_busy_as_it_is(1)):
        if seconds:
            server.start()
        polls = [ana.at(server.port).parks(queue_id) for queue_id in queue_ids]
        server.wait_for_parked_polls(POLLS)
        told_at = time.monotonic()
        server.terminate()
        code = server.process.wait(10)
        seconds.append(time.monotonic() - told_at)

        answers = [poll.answer() for poll in polls]
        assert code == 0
        assert {answer.status for answer in answers} == {200}
        assert all(answer["events"] == [] for answer in answers)
    assert min(seconds) < as_busy_as_it_is(1)
