"""The world of one run: a network, people, and servers that die again and again.

`Template` makes the organization that every run begins with. `run` plays a scenario to its end and
returns what the laws found. The same scenario has the same outcome, byte by byte.
"""

import asyncio
import contextlib
import hashlib
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import tests.simulation.contents
import tests.simulation.credentials
import tests.simulation.deletions  # noqa: F401, all of them add actions
from tests.simulation import laws
from tests.simulation.deletions import MAX_LATE_SECONDS, RETENTION_DAYS
from tests.simulation.disk import Disk
from tests.simulation.faults import DiskError, Life, Scenario
from tests.simulation.listener import Listener
from tests.simulation.machine import CLOCK, ENTROPY, SCHEDULERS
from tests.simulation.model import Model
from tests.simulation.network import Answer, ConnectionLost, Network
from tests.simulation.people import Person, Place
from tests.simulation.schedule import Host, Schedule
from tests.simulation.server import DATABASE, SECRET, Server
from tests.simulation.shared_database import SharedDatabase, SharedSqlite
from tests.simulation.sqlite import SimulatedSqlite

from tertulia import actions, features, storage
from tertulia.database.blocking import BlockingDatabase
from tertulia.database.dialect import Dialect
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.new_user import NewUser
from tertulia.domain.people.user import Role

ACCOUNTS = 8
AGE_SECONDS = 60 * 86_400.0  # of the organization, when a run begins
SETTLE_SECONDS = 70.0  # for listeners, and for a job that runs every minute
MAX_LIFE_SECONDS = 60.0  # then the server dies anyway
QUEUE_LIFE_SECONDS = 600.0
SWITCH_SHARE = 0.1  # of calls with which a client goes to another server
MAX_SKEW_SECONDS = 100.0  # of the clocks of servers that share a database
MAX_DISTURBANCE_SECONDS = 5.0  # from the start of a life until its clocks are disturbed


class Template:
    """The data folder of a small organization, and the keys of its people."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        url = f"sqlite:///{folder / DATABASE}"
        database = BlockingDatabase.at(url, lambda: CLOCK.wall() - AGE_SECONDS)
        database.migrate()
        realm = database.of(0).write(actions.organization.creation.create, "Simulated", "")
        self.people: list[tuple[int, str, str]] = []
        for number in range(ACCOUNTS):
            role = Role.OWNER if number == 0 else Role.MEMBER
            new = NewUser(f"p{number}@example.com", f"Person {number}", role)
            user, key = database.of(realm.id).write(
                actions.people.account_creation.add, Vault(SECRET), new
            )
            self.people.append((user.id, user.email, key))
        members = {"general": ACCOUNTS, "vault": ACCOUNTS // 2, "attic": 3, "passing": 3, "held": 3}
        self.channels = {
            name: database.of(realm.id).write(self._create_channel, name, count)
            for name, count in members.items()
        }
        held = [self.channels["held"]]
        database.of(realm.id).write(
            features.legal_holds.put_on_hold, None, [], held, "a simulation"
        )

    def _create_channel(self, tx: Any, name: str, count: int) -> int:
        users = storage.people.users.find_many(
            tx, [user_id for user_id, _, _ in self.people[:count]]
        )
        users.sort(key=lambda each: each.id)
        channel = storage.channels.table.find_by_name(tx, name)
        if channel is None:
            days = RETENTION_DAYS if name == "passing" else None
            new = NewChannel(name, invite_only=name == "vault", retention_days=days)
            channel = actions.channels.creation.create_unchecked(tx, users[0], new, "")
        actions.channels.subscriptions.join(tx, channel, users)
        return channel.id


@dataclass
class Outcome:
    scenario: Scenario
    problems: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    trace: str = ""
    deaths: int = 0
    messages: int = 0
    answers: int = 0
    steps: int = 0
    virtual_seconds: float = 0.0
    cpu_seconds: float = 0.0


class World:
    def __init__(self, template: Template, scenario: Scenario, folder: Path) -> None:
        seed = scenario.seed
        ENTROPY.seed(f"entropy {seed}")
        random.seed(seed)
        apsw.randomness(0)
        self.scenario = scenario
        self._template, self._folder = template, folder
        self.schedule = Schedule(random.Random(f"schedule {seed}"))
        self.schedule.on_log = self.tell
        self._rng = random.Random(f"world {seed}")
        network_rng = random.Random(f"network {seed}")
        self._network = Network(self.schedule, network_rng, scenario.loss_share)
        self._trace = hashlib.sha256()
        self.outcome = Outcome(scenario)
        self.model = Model()
        self._lives = 0
        self.servers: list[Server] = []  # that live
        self._used: dict[int | str, Server] = {}  # by client
        self._use_rng = random.Random(f"use {seed}")
        self.disk = Disk(folder / "0")
        shutil.copytree(template.folder, self.disk.folder, dirs_exist_ok=True)
        self.shared: SharedDatabase | None = None
        if scenario.servers > 1:
            path, rng = self.disk.folder / DATABASE, random.Random(f"shared {seed}")
            self.disk.is_durable = True  # the tests with PostgreSQL cover its disk
            self.shared = SharedDatabase(self.schedule, rng, path, scenario.chaos)
        self.has_leapt = False  # the clock was put forward, or the machine was suspended
        self.place = Place(
            template.channels,
            [user_id for user_id, _, _ in template.people],
            "tertulia.invalid",
            template.people[-1][1:],
            self.ask_all,
        )
        self.people = [self._person(number) for number in range(scenario.people)]
        self.listeners = [
            Listener(
                number,
                self.place.user_ids[number],
                self.call,
                random.Random(f"listener {number} {seed}"),
                template.channels["vault"],
            )
            for number in (1, 2, 3, 4)[: scenario.listeners]
        ]

    def _person(self, number: int) -> Person:
        scenario = self.scenario
        rng = random.Random(f"person {number} {scenario.seed}")
        return Person(
            number,
            self.call,
            self.model,
            rng,
            self.place,
            scenario.think_seconds,
            scenario.actions,
        )

    def tell(self, line: str) -> None:
        self.outcome.story.append(f"{CLOCK.monotonic:10.3f}  {line}")

    async def call(
        self,
        who: int | tuple[str, str],
        method: str,
        path: str,
        params: dict[str, Any],
        headers: dict[str, str] | None = None,
        body: tuple[bytes, bytes] | None = None,
    ) -> Answer:
        """`who` is the number of an account, or an address and a key."""
        email, key = self._template.people[who][1:] if isinstance(who, int) else who
        index = who if isinstance(who, int) else email
        text = params.get("content", "")
        try:
            answer = await self._network.call(
                self._server_of(index), email, key, method, path, params, headers or {}, body
            )
        except ConnectionLost:
            self._note(index, method, path, text, "lost")
            raise
        self._note(index, method, path, text, answer.status, answer.code, answer.json.get("id"))
        return answer

    async def ask_all(self, email: str, key: str, method: str, path: str) -> list[Answer]:
        """The answers of all servers; of those that die meanwhile there is none."""
        ready = [each for each in self.servers if each.is_ready]
        calls = [self._network.call(each, email, key, method, path, {}, {}) for each in ready]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        for each in answers:
            if isinstance(each, BaseException) and not isinstance(each, ConnectionLost):
                raise each
        return [each for each in answers if isinstance(each, Answer)]

    def _server_of(self, index: int | str) -> Server | None:
        """The server that a client uses: mostly the same one."""
        ready = [each for each in self.servers if each.is_ready]
        if len(ready) < 2:
            return ready[0] if ready else None
        if self._used.get(index) not in ready or self._use_rng.random() < SWITCH_SHARE:
            self._used[index] = self._use_rng.choice(ready)
        return self._used[index]

    def _note(self, *what: Any) -> None:
        line = f"{CLOCK.monotonic:.6f} {what}"
        self._trace.update(line.encode())
        self.tell(" ".join(str(each) for each in what if each not in ("", None)))

    # --- the run ---

    def run(self) -> Outcome:
        try:
            self.schedule.run(self._main())
        except Exception as error:
            self.outcome.problems.append(f"the run ended with {error!r}")
        SCHEDULERS.pop()
        outcome = self.outcome
        outcome.problems += self.schedule.problems
        outcome.trace = self._trace.hexdigest()
        outcome.steps = self.schedule.steps
        outcome.answers = self._network.answers
        outcome.virtual_seconds = CLOCK.monotonic
        return outcome

    async def _main(self) -> None:
        loop = asyncio.get_running_loop()
        acting = [loop.create_task(person.live()) for person in self.people]
        listening = [loop.create_task(each.live()) for each in self.listeners]
        lives, count = self.scenario.lives, self.scenario.servers
        await asyncio.gather(*(self._live_all(lives[slot::count]) for slot in range(count)))
        for person in self.people:
            person.is_over = True
        for listener in self.listeners:
            listener.is_over = True
        await self._until_settled(acting)
        await asyncio.sleep(SETTLE_SECONDS + self._longest_plan())
        if self.scenario.has_long_leap:
            await asyncio.sleep(MAX_LATE_SECONDS)
        await laws.check(self)
        for task in listening:
            task.cancel()
        for server in list(self.servers):
            await self._stop(server)
        laws.check_file(self)

    async def _until_settled(self, acting: list["asyncio.Task[None]"]) -> None:
        """People finish what they have begun; a server that does not live prevents it."""
        finished: asyncio.Future[Any] = asyncio.gather(*acting)
        ends: list[Any] = [server.task for server in self.servers]
        await asyncio.wait([finished, *ends], return_when=asyncio.FIRST_COMPLETED)
        if any(end.done() for end in ends):
            raise RuntimeError("the last server ended")
        await finished

    def _longest_plan(self) -> float:
        """Until everything that was scheduled is due."""
        due: list[float] = [each.info.get("due", 0.0) for each in self.model.things.values()]
        return max([0.0, *(each - CLOCK.wall() for each in due)])

    async def _live_all(self, lives: tuple[Life, ...]) -> None:
        """The lives of a server, and the start of its last one, which the laws check."""
        for life in lives:
            await self._live(life)
        await asyncio.sleep(MAX_DISTURBANCE_SECONDS)  # none comes while the laws are checked
        self._start()

    async def _live(self, life: Life) -> None:
        server = self._start()
        self.tell(f"{server.name} starts: {life}")
        self._arm(server, life)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(server.has_died.wait(), MAX_LIFE_SECONDS + life.leap_seconds)
        if life.death == "stop" and server.host.is_alive:
            await self._stop(server)
        elif server.host.is_alive:
            self.schedule.kill(server.host)
        self._bury(server, life)
        await asyncio.sleep(self._rng.uniform(0.0, 1.5))

    def _start(self) -> Server:
        self._lives += 1
        skew = 0.0 if self.shared is None else self._rng.uniform(-1, 1) * MAX_SKEW_SECONDS
        name, folder = f"server {self._lives}", self.disk.folder
        server = Server(name, folder, self._connect, lambda: CLOCK.wall() + skew)
        server.host.on_death = server.has_died.set
        self.servers.append(server)
        server.start(lambda task: self._on_end(server, task))
        return server

    def _connect(self, host: Host) -> Dialect:
        if self.shared is not None:
            return SharedSqlite(self.shared, host)
        return SimulatedSqlite(self.disk.folder / DATABASE)

    def _on_end(self, server: Server, task: "asyncio.Task[None]") -> None:
        if (error := task.exception()) is not None:
            self.outcome.problems.append(f"a server ended with {error!r}")
            server.has_died.set()

    async def _stop(self, server: Server) -> None:
        assert server.task is not None
        server.stop()
        await asyncio.wait([server.task])
        server.host.is_alive = False
        server.break_connections()

    def _arm(self, server: Server, life: Life) -> None:
        """Set the traps of a life."""
        loop, disk = asyncio.get_running_loop(), self.disk
        if life.wall_step_seconds or life.leap_seconds:
            after = self._rng.uniform(0.1, MAX_DISTURBANCE_SECONDS)
            loop.call_later(after, self._disturb_clocks, life)
        if life.pause_seconds and self.shared is not None:
            loop.call_later(self._rng.uniform(0.1, 15.0), self._pause, server, life.pause_seconds)
        disk.on_operation = self._trap(server, life)
        if life.has_slow_syncs:
            disk.sync_seconds = lambda: self._rng.uniform(0.05, 3.0)
        if not life.operation:
            server.host.kill_in_steps = -1 if life.death == "stop" else life.callbacks
        if life.death == "stop":
            loop.call_later(self._rng.uniform(1, 20), server.has_died.set)

    def _pause(self, server: Server, seconds: float) -> None:
        """A server stands still, and continues as if no time had passed."""
        loop = asyncio.get_running_loop()
        if server.host.is_alive and self.shared is not None:
            self.tell(f"{server.name} is paused")
            self.schedule.pause(server.host)
            self.shared.notice_silence(server.host, loop)
            loop.call_later(seconds, self.schedule.resume, server.host)

    def _trap(self, server: Server, life: Life) -> Callable[[str], None]:
        counts = {"write": 0, "sync": 0, "truncate": 0}

        def spring(kind: str) -> None:
            counts[kind] += 1
            if life.operation and self.disk.operations == life.operation:
                self.schedule.kill(server.host)
            error = life.disk_error
            if error is not None and error.kind == kind and error.is_at(counts[kind]):
                self.tell(f"the disk fails a {kind} with {error.name}")
                raise _disk_error(error)

        return spring

    def _disturb_clocks(self, life: Life) -> None:
        self.tell(f"the clocks: set by {life.wall_step_seconds} s, {life.leap_seconds} s pass")
        CLOCK.step_wall(life.wall_step_seconds)
        self.has_leapt |= life.wall_step_seconds > 0 or life.leap_seconds > 0
        if life.leap_seconds:
            CLOCK.advance(life.leap_seconds)
            for listener in self.listeners:
                listener.may_expire |= life.leap_seconds >= QUEUE_LIFE_SECONDS

    def _bury(self, server: Server, life: Life) -> None:
        self.tell(f"{server.name} is dead: {life.death}")
        self.outcome.deaths += life.death != "stop"
        server.break_connections()
        self.servers.remove(server)
        if self.shared is not None:
            if life.death == "vanish":
                self.shared.notice_silence(server.host, asyncio.get_running_loop())
            else:
                self.shared.drop(server.host)
            return
        folder = self._folder / str(self._lives)
        if life.death == "power cut":
            self.disk = self.disk.after_power_cut(folder, self._rng)
        else:
            self.disk = self.disk.after_kill(folder)


def _disk_error(error: DiskError) -> apsw.Error:
    kind: type[apsw.Error]
    if error.name == "ENOSPC":
        kind, code = apsw.FullError, apsw.SQLITE_FULL
    else:
        is_sync = error.kind == "sync"
        kind = apsw.IOError
        code = apsw.SQLITE_IOERR_FSYNC if is_sync else apsw.SQLITE_IOERR_WRITE
    found: Any = kind(f"simulated {error.name}")
    found.result, found.extendedresult = code & 0xFF, code
    return found  # type: ignore[no-any-return]
