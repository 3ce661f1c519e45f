"""Three servers with wrong clocks that jump by weeks while users chat.

The database's clock counts. So scheduled messages are sent once and when they are due, no queue or
session expires early, and messages have the right time.
"""

import itertools
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.crash.client import RoundRobinClient, request
from tests.crash.conftest import NewServer
from tests.crash.load import LONG_PAUSE_SECONDS
from tests.crash.people import Person
from tests.crash.server import SECRET
from tests.crash.test_kill import Scene, data_problems
from tests.crash.test_three_servers import Cluster
from tests.support.databases import Databases
from tests.support.waiting import eventually

from tertulia import actions, domain, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import Browser

pytestmark = pytest.mark.postgres

AT_THE_START = (-25.0, 0.0, 40.0)  # seconds ahead; more than a minute would be refused
WEEKS = 3 * 7 * 86400.0  # longer than the idle time of a session and of a queue
MESSAGES_BETWEEN = 40
AN_HOUR = 3600.0
MAX_CLOCK_SKEW_SECONDS = 15.0  # less than any clock is wrong by


@pytest.mark.parametrize(
    "jumps",
    [2, pytest.param(90, marks=pytest.mark.soak)],
)
def test_scheduled_messages_queues_and_sessions_use_the_database_clock(
    databases: Databases, new_server: NewServer, jumps: int
):
    url, folder = databases.ready("postgres")
    servers = Cluster(url, folder, new_server)
    clocks = [folder.parent / f"{folder.name}-{number}.clock" for number in range(3)]
    for server, clock, ahead in zip(servers.servers, clocks, AT_THE_START, strict=True):
        put(clock, ahead)
        server.clock = clock
    ports = [server.port for server in servers.servers]
    scene = Scene(
        url,
        servers,
        lambda person: RoundRobinClient([person.at(port) for port in ports]),
        LONG_PAUSE_SECONDS,
    )

    began = time.time()
    scene.begin()
    waiting = Waiting(url, scene, ports)
    turns = zip(itertools.cycle(clocks), itertools.cycle((WEEKS, -WEEKS)), strict=False)
    for clock, ahead in itertools.islice(turns, jumps):
        put(clock, ahead)
        waiting.schedules_for_now()
        scene.wait_for_messages(MESSAGES_BETWEEN)
    waiting.wait_until_all_that_is_due_is_sent()
    problems = [*waiting.problems()]
    scene.end()

    problems += [*scene.problems(), *data_problems(url), *odd_times(url, began)]
    assert not problems, "\n".join(problems[:40])


def put(clock: Path, ahead: float) -> None:
    """Set the clock of a machine in one step."""
    new = clock.with_suffix(".new")
    new.write_text(str(ahead))
    new.replace(clock)


class Waiting:
    """What depends on time: scheduled messages, an unpolled queue, a session."""

    def __init__(self, url: str, scene: Scene, ports: list[int]) -> None:
        self._database, self._ports = BlockingDatabase.at(url), ports
        self._hal, self._cleo = scene.client("hal"), scene.client("cleo")
        self._queue_id = self._cleo.registers()
        self._cookie = logged_in(self._database, scene.people["ana"])
        self._to = [scene.people["hal"].id]
        realm = self._database.of(0).read(storage.organization.realms.first)
        assert realm is not None
        self._realm_id = realm.id
        self._due = 0
        self._not_due = {self._schedule(7200, "in two hours"), self._schedule(WEEKS, "in weeks")}

    def schedules_for_now(self) -> None:
        """A message that is due at once by the database's clock. A client cannot request that,
        and a time that is seconds away has passed before a busy machine accepts it."""
        number = self._schedule(AN_HOUR, f"due {self._due}")
        self._database.of(self._realm_id).write(_make_due, number)
        self._due += 1

    def wait_until_all_that_is_due_is_sent(self) -> None:
        eventually(lambda: all(each["failed"] for each in self._still_waiting()))

    def problems(self) -> Iterable[str]:
        for entry in self._still_waiting():
            yield f"was not sent: {entry}"
        sent = [row["content"] for row in self._database.of(0).read(_contents) if is_due(row)]
        if sorted(sent) != sorted(f"due {number}" for number in range(self._due)):
            yield f"{self._due} messages were due, and sent was {sent}"
        poll = self._cleo.polls(self._queue_id, dont_block=True)
        if poll.status != 200:
            yield f"a queue is gone: {poll.body}"
        for port in self._ports:
            headers = {"Cookie": f"session={self._cookie}", "Sec-Fetch-Site": "same-origin"}
            response = request(port, "GET", "/json/users/me", headers)
            if response.status != 200:
                yield f"a session has ended: {response.body}"

    def _schedule(self, seconds: float, content: str) -> int:
        response = self._hal.insists(
            "/scheduled_messages",
            type="direct",
            to=self._to,
            content=content,
            scheduled_delivery_timestamp=int(time.time() + seconds),
        )
        assert response.status == 200, response.body
        number: int = response["scheduled_message_id"]
        return number

    def _still_waiting(self) -> list[dict[str, Any]]:
        """Except messages that are not due yet, unless they have failed."""
        found: list[dict[str, Any]] = self._hal.get("/scheduled_messages")["scheduled_messages"]
        there = {each["scheduled_message_id"] for each in found}
        assert there >= self._not_due, "something was sent before its time"
        return [
            each
            for each in found
            if each["failed"] or each["scheduled_message_id"] not in self._not_due
        ]


def is_due(row: dict[str, Any]) -> bool:
    content: str = row["content"]
    return content.startswith("due ")


def logged_in(database: BlockingDatabase, person: Person) -> str:
    """A browser's cookie."""
    token, browser = domain.people.sessions.new_token(), Browser("Mozilla/5.0", "127.0.0.1")
    fingerprint = Vault(SECRET.encode()).fingerprint(f"session {token}")

    def begin(tx: Tx) -> None:
        user = storage.people.users.find(tx, person.id)
        assert user is not None
        actions.people.sessions.start(tx, user, fingerprint, browser)

    realm = database.of(0).read(storage.organization.realms.first)
    assert realm is not None
    database.of(realm.id).write(begin)
    return token


def odd_times(url: str, began: float) -> Iterable[str]:
    """Messages whose time differs from the time at which they were sent."""
    least, most = began - MAX_CLOCK_SKEW_SECONDS, time.time() + MAX_CLOCK_SKEW_SECONDS
    for row in BlockingDatabase.at(url).of(0).read(_contents):
        if not least <= row["sent_at"] <= most:
            yield f"said {row['sent_at'] - began:+.0f} seconds after we began: {row['content']!r}"


def _make_due(tx: Tx, number: int) -> None:
    now = tx.value("SELECT extract(epoch FROM clock_timestamp())::bigint AS value")
    sql = "UPDATE scheduled_message SET deliver_at = :now WHERE realm_id = :realm AND id = :id"
    assert tx.execute(sql, now=now, id=number) == 1


def _contents(tx: Tx) -> list[Any]:
    return tx.all("SELECT content, sent_at FROM message ORDER BY id")
