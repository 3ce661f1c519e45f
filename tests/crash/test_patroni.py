"""PostgreSQL fails over by Patroni and etcd, set up as `docs/failover.md` says, while people write.

No acknowledged message is lost, no queue ends, and the old primary confirms no write. `-s` prints
for each fault how long no message was acknowledged.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crash.conftest import NewServer
from tests.crash.load import LONG_PAUSE_SECONDS
from tests.crash.patroni import CommandFailed, Machine, Machines, machines, printed_line
from tests.crash.test_kill import Scene, data_problems

pytestmark = [pytest.mark.postgres, pytest.mark.soak]

# Each takes the primary, and returns when another machine has taken over.
Fault = Callable[[Machines, Machine], None]


def kill_the_machine(three: Machines, primary: Machine) -> None:
    primary.kill()
    three.wait_for("leader", besides=primary)
    primary.start()


def kill_postgresql(three: Machines, primary: Machine) -> None:
    primary.kill_postgres()
    three.wait_for("leader", besides=primary)


def freeze_postgresql(three: Machines, primary: Machine) -> None:
    with primary.frozen_postgres():
        three.wait_for("leader", besides=primary)
    assert_refuses_writes(primary)


def cut_off_from_etcd(three: Machines, primary: Machine) -> None:
    with primary.without_etcd():
        three.wait_for("leader", besides=primary)
        assert_refuses_writes(primary)


def isolate_from_both_others(three: Machines, primary: Machine) -> None:
    """Our server can still reach it."""
    with primary.isolated(three.others(primary)):
        three.wait_for("leader", besides=primary)
        assert_refuses_writes(primary)


def switch_over_by_hand(three: Machines, primary: Machine) -> None:
    primary.run(*printed_line("switchover").split())
    three.wait_for("leader", besides=primary)
    assert_refuses_writes(primary)


def kill_the_synchronous_standby(three: Machines, primary: Machine) -> None:
    """The only one that all writes wait for."""
    standby = three.having("sync_standby")
    standby.kill()
    three.wait_for("sync_standby", besides=standby)
    standby.start()


FAULTS: list[Fault] = [
    kill_the_machine,
    kill_postgresql,
    freeze_postgresql,
    cut_off_from_etcd,
    isolate_from_both_others,
    switch_over_by_hand,
    kill_the_synchronous_standby,
]


def assert_refuses_writes(old: Machine) -> None:
    """A write on a machine that was replaced is refused, or waits for a standby that never
    answers."""
    with pytest.raises(CommandFailed):
        old.sql("CREATE TABLE not_fenced ()", seconds=10)


def test_no_failure_of_a_database_machine_loses_anything(tmp_path: Path, new_server: NewServer):
    with machines() as three:
        server = new_server(three.url, tmp_path / "data")
        scene = Scene(three.url, server, lambda each: each.at(server.port), LONG_PAUSE_SECONDS)
        scene.begin()
        for fault in FAULTS:
            scene.wait_for_messages(50)
            primary = three.having("leader")
            with Silence(scene) as silence:
                fault(three, primary)
                scene.wait_for_messages(50)
                three.wait_until_complete()
            print(f"{fault.__name__}: nothing acknowledged for {silence.seconds:.1f} s")
        scene.end()

        problems = [*scene.problems(), *data_problems(three.url)]
        assert not problems, "\n".join(problems[:40])


class Silence(threading.Thread):
    """Measures the longest time between two acknowledged messages."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(daemon=True)
        self.seconds = 0.0
        self._scene = scene
        self._ended = threading.Event()

    def run(self) -> None:
        since, count = time.monotonic(), self._scene.acknowledged
        while not self._ended.wait(0.05):
            now, before, count = time.monotonic(), count, self._scene.acknowledged
            if count != before:
                since = now
            self.seconds = max(self.seconds, now - since)

    def __enter__(self) -> "Silence":
        self.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._ended.set()
        self.join()
