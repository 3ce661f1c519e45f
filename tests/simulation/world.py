"""The world of one run: a network, people, and servers that die again and again.

`Template` makes the organization that every run begins with. `run` plays a scenario to its end and
returns what the laws found. The same scenario has the same outcome, byte by byte.
"""

import asyncio
import contextlib
import hashlib
import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import tests.simulation.administration
import tests.simulation.contents
import tests.simulation.conversations
import tests.simulation.credentials  # noqa: F401, all of them add actions
from tests.simulation import imports, laws, mail, services
from tests.simulation.deletions import MAX_LATE_SECONDS, RETENTION_DAYS
from tests.simulation.disk import Disk
from tests.simulation.faults import DiskError, Life, Scenario
from tests.simulation.listener import Listener
from tests.simulation.machine import CLOCK, ENTROPY, EPOCH, SCHEDULERS, Running
from tests.simulation.model import Model
from tests.simulation.network import Answer, ConnectionLost, Network
from tests.simulation.people import Person, Place, send_with_key
from tests.simulation.schedule import Host, Schedule
from tests.simulation.server import DATABASE, SECRET, Server
from tests.simulation.services import BOT_NAME, Receiver
from tests.simulation.shared_database import SharedDatabase, SharedSqlite
from tests.simulation.sqlite import SimulatedSqlite

from tertulia import actions, features, storage
from tertulia.actions.people.bots import Defaults, NewBot
from tertulia.database.blocking import BlockingDatabase
from tertulia.database.dialect import Dialect
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import BotType, NewUser, Role
from tertulia.events.directory.follower import LEASE_SECONDS

ACCOUNTS = 8
DOMAIN = "tertulia.invalid"
URL = "http://courier.example.com/calls"
AGE_SECONDS = 60 * 86_400.0  # of the organization, when a run begins
SETTLE_SECONDS = 70.0  # for listeners, and for a job that runs every minute
LULL_SECONDS = LEASE_SECONDS - 1.0  # between two messages in this time
START_SECONDS = 40.0  # until a server leads, although its predecessor has vanished
MAX_LIFE_SECONDS = 60.0  # then the server dies anyway
MAX_LEASE_SECONDS = 300.0  # of the outbox
MAX_CORRECTION_SECONDS = 1800.0  # by which a clock is set right at once
CORRECTION_EVERY_SECONDS = 5.0
MAX_LEAP_SECONDS, DAWN_SECONDS = 86_400.0, 0.5
QUEUE_LIFE_SECONDS = 600.0
SWITCH_SHARE = 0.1  # of calls with which a client goes to another server
REVOCATION, MAX_REVOCATION_SECONDS = "/api_key/regenerate", 0.02  # until it is committed
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
        batching = {"email_notifications_batching_period_seconds": mail.BATCHING_SECONDS}
        database.of(realm.id).write(
            actions.personal.settings.change_defaults_for_new_users, batching
        )
        for number in range(ACCOUNTS):
            role = Role.OWNER if number == 0 else Role.MEMBER
            new = NewUser(f"p{number}@example.com", f"Person {number}", role)
            user, key = database.of(realm.id).write(
                actions.people.account_creation.add, Vault(SECRET), new
            )
            self.people.append((user.id, user.email, key))
        members = {"general": ACCOUNTS, "vault": ACCOUNTS // 2, "attic": 3, "passing": 3, "held": 3}
        bot = NewBot(BOT_NAME, "courier", BotType.OUTGOING_WEBHOOK, URL, 1, Defaults(), {})
        database.of(realm.id).write(self._create_bot, bot)
        settings = {"enable_agent_access": True, "digest_emails_enabled": True}
        database.of(realm.id).write(actions.organization.settings.edit, None, settings)
        self.channels = {
            name: database.of(realm.id).write(self._create_channel, name, count)
            for name, count in members.items()
        }
        held = [self.channels["held"]]
        database.of(realm.id).write(
            features.legal_holds.put_on_hold, None, [], held, "a simulation"
        )
        # A server has run before: the first one ignores what was sent before it led.
        database.of(realm.id).write(features.notifications.missed_messages.start)

    def _create_bot(self, tx: Any, bot: NewBot) -> None:
        owner = actions.people.users.get(tx, self.people[0][0])
        actions.people.bots.create(tx, Vault(SECRET), owner, bot, DOMAIN)

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
    disk: Counter[str] = field(default_factory=Counter)  # operations, by kind
    kills: int = 0
    power_cuts: int = 0
    servers: int = 0  # that were started
    messages: int = 0
    scheduled: int = 0  # messages that were sent at their time
    answers: int = 0
    steps: int = 0
    virtual_seconds: float = 0.0
    cpu_seconds: float = 0.0


class World:
    def __init__(self, template: Template, scenario: Scenario, folder: Path) -> None:
        seed = scenario.seed
        CLOCK.reset()
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
        self.receiver = Receiver(random.Random(f"receiver {seed}"))
        services.open_to_servers(self.receiver)
        self.mail_server = mail.MailServer(random.Random(f"mail {seed}"))
        self.schedule.loop.connect = self.mail_server.connect
        self.max_days_in_a_life = 0  # of those that passed while one server lived
        self._trace = hashlib.sha256()
        self.outcome = Outcome(scenario)
        self.model = Model()
        self._lives = 0
        self._started_at = 0.0  # the last server, by the wall clock
        self.servers: list[Server] = []  # that live
        self.pauses: list[tuple[float, float]] = []  # of any of them, or of all clients
        self._used: dict[int | str, Server] = {}  # by client
        self._stops_at_revocation: set[Server] = set()  # the next one that it gets
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
            DOMAIN,
            [(email, key) for _, email, key in template.people],
            self.ask_all,
        )
        self.people = [self._person(number) for number in range(scenario.people)]
        self.listeners = [
            Listener(number, self.call, random.Random(f"listener {number} {seed}"), self.place)
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
        server = self._server_of(index)
        if server in self._stops_at_revocation and path.endswith(REVOCATION):
            seconds = self._use_rng.uniform(0.0, MAX_REVOCATION_SECONDS)
            asyncio.get_running_loop().call_later(seconds, server.has_died.set)
        try:
            answer = await self._network.call(
                server, email, key, method, path, params, headers or {}, body
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
        outcome.servers = self._lives
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
        await self._settle()
        await self._until_plans_are_due()
        await services.until_all_are_called(self)
        await mail.until_all_are_mailed(self)
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

    async def _settle(self) -> None:
        """Nothing happens but a message now and then, whose notice may be lost. No later notice
        makes up for it."""
        end = CLOCK.monotonic + SETTLE_SECONDS
        while self.shared is not None and CLOCK.monotonic < end - LULL_SECONDS:
            general = self.place.channels["general"]
            await send_with_key(self.people[0], type="channel", to=general, topic="settling")
            await asyncio.sleep(LULL_SECONDS)
        await asyncio.sleep(end - CLOCK.monotonic)

    async def _until_plans_are_due(self) -> None:
        """A clock that was put back is set right, in steps that make nothing too late."""
        plans = [each.info.get("due", 0.0) for each in self.model.things.values()]
        end = max([*plans, CLOCK.latest_wall + MAX_LEASE_SECONDS])
        while (seconds := end - CLOCK.wall()) > 0:
            CLOCK.step_wall(min(MAX_CORRECTION_SECONDS, seconds / 2))
            await asyncio.sleep(min(seconds, CORRECTION_EVERY_SECONDS))

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
        self._started_at = CLOCK.wall()
        skew = 0.0 if self.shared is None else self._rng.uniform(-1, 1) * MAX_SKEW_SECONDS
        name, folder = f"server {self._lives}", self.disk.folder
        server = Server(name, folder, self._connect, lambda: CLOCK.wall() + skew)
        server.host.on_death = server.has_died.set
        self.servers.append(server)
        server.start(lambda task: self._on_end(server, task))
        if self.scenario.has_import:
            imports.start(server, self._connect(server.host), CLOCK.wall)
        return server

    def was_quiet_at(self, moment: float) -> bool:
        """Whether the last servers worked at a time by the wall clock, which was never set."""
        steps = any(life.wall_step_seconds for life in self.scenario.lives)
        pauses = any(start < moment - EPOCH + 1 < end + 10 for start, end in self.pauses)
        return moment > self._started_at + START_SECONDS and not (steps or pauses)

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
            loop.call_later(after, self._disturb_clocks, server, life)
        if life.pause_seconds and self.shared is not None:
            loop.call_later(self._rng.uniform(0.1, 15.0), self._pause, server, life.pause_seconds)
        disk.on_operation = self._trap(server, life)
        if life.has_slow_syncs:
            disk.sync_seconds = self._slow_sync
        if not life.operation:
            server.host.kill_in_steps = -1 if life.death == "stop" else life.callbacks
        if life.death == "stop":
            seconds = life.stops_after_seconds or self._rng.uniform(1, 20)
            self._stops_at_revocation.add(server)
            loop.call_later(seconds, server.has_died.set)

    def _slow_sync(self) -> float:
        """How long it takes. A server that syncs while it starts also blocks the clients."""
        seconds = self._rng.uniform(0.05, 3.0)
        if Running.thread is None:
            self.pauses.append((CLOCK.monotonic, CLOCK.monotonic + seconds))
        return seconds

    def _pause(self, server: Server, seconds: float) -> None:
        """A server stands still, and continues as if no time had passed."""
        loop = asyncio.get_running_loop()
        if server.host.is_alive and self.shared is not None:
            self.tell(f"{server.name} is paused")
            self.schedule.pause(server.host)
            self.pauses.append((CLOCK.monotonic, CLOCK.monotonic + seconds))
            self.shared.notice_silence(server.host, loop)
            loop.call_later(seconds, self.schedule.resume, server.host)

    def _trap(self, server: Server, life: Life) -> Callable[[str], None]:
        counts: Counter[str] = Counter()

        def spring(kind: str) -> None:
            counts[kind] += 1
            self.outcome.disk[kind] += 1
            if life.operation and self.disk.operations == life.operation:
                self.schedule.kill(server.host)
            error = life.disk_error
            if error is not None and error.kind == kind and error.is_at(counts[kind]):
                self.tell(f"the disk fails a {kind} with {error.name}")
                raise _disk_error(error)

        return spring

    def _disturb_clocks(self, server: Server, life: Life) -> None:
        self.tell(f"the clocks: set by {life.wall_step_seconds} s, {life.leap_seconds} s pass")
        CLOCK.step_wall(life.wall_step_seconds)
        self.has_leapt |= life.wall_step_seconds > 0 or life.leap_seconds > 0
        for listener in self.listeners:
            listener.may_expire |= life.leap_seconds >= QUEUE_LIFE_SECONDS
        self._leap(server, life.leap_seconds, 1)

    def _leap(self, server: Server, seconds: float, day: int) -> None:
        """Time passes, day by day while the server lives. It works for a moment each day."""
        CLOCK.advance(min(seconds, MAX_LEAP_SECONDS))
        self.max_days_in_a_life = max(self.max_days_in_a_life, day)
        self.place.is_calm = seconds > MAX_LEAP_SECONDS and server.host.is_alive
        self.mail_server.is_well = self.place.is_calm  # a mail is given up after a day
        if self.place.is_calm:
            left = seconds - MAX_LEAP_SECONDS
            asyncio.get_running_loop().call_later(DAWN_SECONDS, self._leap, server, left, day + 1)

    def _bury(self, server: Server, life: Life) -> None:
        self.tell(f"{server.name} is dead: {life.death}")
        self.outcome.kills += life.death not in ("stop", "power cut")
        self.outcome.power_cuts += life.death == "power cut"
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
