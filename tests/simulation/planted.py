"""Planted faults: changes to the server that the laws must find.

`make simulate ARGS="--planted"` runs seeds with each fault until a law is broken. It leaves out
scenarios that cannot show the fault, for example those with one server.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from typing import Any

import msgspec
from tests.simulation import disk
from tests.simulation.faults import Scenario
from tests.simulation.shared_database import SharedCluster
from tests.simulation.sqlite import SimulatedSqlite

from tertulia import storage
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Call
from tertulia.database.leader import Leader
from tertulia.database.revocation import RevocationBarrier
from tertulia.database.write_queue import Batch
from tertulia.database.writer import Writer
from tertulia.events.delivery.mailbox import Mailbox
from tertulia.events.delivery.past_directory import PastOrganization
from tertulia.external.mail import smtp
from tertulia.features import digests, retention
from tertulia.features.scheduled import sender

FAULTS: dict[str, Callable[[], None]] = {}
_CAN_SHOW: dict[str, Callable[[Scenario], bool]] = {}


def fault(
    can_show: Callable[[Scenario], bool] = lambda scenario: True,
) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(plant: Callable[[], None]) -> Callable[[], None]:
        name = plant.__name__.replace("_", "-")
        FAULTS[name], _CAN_SHOW[name] = plant, can_show
        return plant

    return add


def can_show(name: str, scenario: Scenario) -> bool:
    return _CAN_SHOW[name](scenario)


def _has_peers(scenario: Scenario) -> bool:
    return scenario.servers > 1


def _loses_notices(scenario: Scenario) -> bool:
    return scenario.servers > 1 and scenario.chaos.lost_notices > 0


def _lasts_a_day(scenario: Scenario) -> bool:
    return any(life.leap_seconds == 86_400.0 for life in scenario.lives)


def _lasts_months(scenario: Scenario) -> bool:
    return any(life.leap_seconds > 86_400.0 for life in scenario.lives)


def _replace(owner: Any, name: str, new: Any) -> None:
    setattr(owner, name, new)


@fault()
def answer_before_commit() -> None:
    """The writer answers a batch, and commits it some milliseconds later."""
    run, commit = Writer._commit_batch, Writer._send_commit
    batches: list[list[Any]] = []

    def keep(self: Any, jobs: list[Any]) -> None:
        batches.append(jobs)
        run(self, jobs)

    def answer_first(self: Any) -> None:
        untouched = {id(job) for job in self._held + self._postponed}
        answered = [job for job in batches.pop() if id(job) not in untouched] if batches else []
        self._deliver(Batch(answered))
        time.sleep(0.01)
        commit(self)

    _replace(Writer, "_commit_batch", keep)
    _replace(Writer, "_send_commit", answer_first)


@fault()
def commit_without_sync() -> None:
    connect = SimulatedSqlite.connect_to_write

    def connect_unsynced(self: Any) -> Any:
        connection = connect(self)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    _replace(SimulatedSqlite, "connect_to_write", connect_unsynced)


@fault()
def lost_commit() -> None:
    """One transaction of a hundred is rolled back instead of committed."""
    commit, rng = Writer._send_commit, random.Random(0)

    def maybe_lose(self: Any) -> None:
        if rng.random() < 0.01:
            self._connection.command("ROLLBACK")
        else:
            commit(self)

    _replace(Writer, "_send_commit", maybe_lose)


@fault()
def position_too_early() -> None:
    """A queue counts as read although its client has not received the events."""
    _replace(Mailbox, "read_up_to", lambda self, applied: applied)


@fault()
def key_forgotten() -> None:
    """A repeated send does not find its key."""
    _replace(storage.messages.send_keys, "find", lambda *_: None)


@fault()
def audience_too_late() -> None:
    """The present state decides who receives an event of the past."""
    _replace(PastOrganization, "before", lambda turns, now, viewer_id: now)


@fault(_lasts_a_day)
def retention_off_by_one() -> None:
    """Messages are kept for a day longer than their channel allows."""
    before = retention.deletes_before

    def a_day_later(tx: Any, channel_id: Any) -> float:
        found = before(tx, channel_id)
        return max(0.0, found - retention.SECONDS_PER_DAY)

    _replace(retention, "deletes_before", a_day_later)


@fault()
def due_in_reverse() -> None:
    """Messages that are due in the same second are sent from the last to the first."""
    send = sender._send_some

    def reverse(db: Any, org: Any, kind: Any, began: float) -> Any:
        due = kind.due
        last_first = msgspec.structs.replace(kind, due=lambda *given: due(*given)[::-1])
        return send(db, org, last_first, began)

    _replace(sender, "_send_some", reverse)


@fault()
def mail_recorded_before_it_is_sent() -> None:
    """A mail counts as sent when the connection to the mail server is open."""
    send = smtp.SmtpConnection.send

    async def forget(self: Any, message: Any) -> None:
        with contextlib.suppress(smtp.SendFailed):
            await send(self, message)

    _replace(smtp.SmtpConnection, "send", forget)


@fault(_lasts_months)
def digest_each_hour() -> None:
    _replace(digests, "APART_SECONDS", 3600.0)
    _replace(digests, "is_day", lambda weekday, now: True)


@fault(_lasts_months)
def no_digest() -> None:
    _replace(digests, "wants", lambda user: False)


@fault(lambda scenario: scenario.has_import)
def import_position_lost() -> None:
    """An import that continues writes its last messages again."""
    record = storage.bulk_import.record_done

    def record_too_little(tx: Any, messages: int, *, is_finished: bool = False) -> None:
        record(tx, max(0, messages - 1), is_finished=is_finished)

    _replace(storage.bulk_import, "record_done", record_too_little)


@fault(_has_peers)
def revocation_not_awaited_at_stop() -> None:
    """A server that stops answers a revocation without waiting for the other servers."""
    close = RevocationBarrier.close

    async def wait_for_nobody(ends: Any) -> None:
        """Return at once: the server ends some callbacks later."""

    def forget(self: Any) -> None:
        close(self)
        self.wait = wait_for_nobody

    _replace(RevocationBarrier, "close", forget)


@fault()
def torn_page() -> None:
    """A power cut destroys a sector that was synced."""
    survive = disk.DiskFile.after_power_cut

    def tear(self: Any, rng: random.Random) -> bytes | None:
        left = survive(self, rng)
        if left is None or len(left) < disk.SECTOR_BYTES:
            return left
        start = rng.randrange(len(left) // disk.SECTOR_BYTES) * disk.SECTOR_BYTES
        return left[:start] + bytes(disk.SECTOR_BYTES) + left[start + disk.SECTOR_BYTES :]

    _replace(disk.DiskFile, "after_power_cut", tear)


# --- of several servers ---


@fault(_loses_notices)
def lost_notice_without_poll() -> None:
    """A server reads the log only when another one has notified it."""

    async def wait_for_ever(self: Any, changed: Any) -> None:
        await asyncio.Event().wait()

    _replace(SharedCluster, "watch", wait_for_ever)


@fault(_has_peers)
def two_leaders() -> None:
    """A server that has lost the lock of the leader goes on."""
    query = Leader._query

    def query_without_lock(self: Any, question: Any) -> Any:
        self._is_ours = True
        return query(self, question)

    _replace(Leader, "_query", query_without_lock)


@fault(_has_peers)
def revocation_not_awaited() -> None:
    """An answer that revokes a key does not wait for the other servers."""

    async def wait_for_nobody(self: Any, ends: Any) -> None:
        await asyncio.sleep(0)

    _replace(RevocationBarrier, "wait", wait_for_nobody)


@fault(_has_peers)
def permission_before_refresh() -> None:
    """The caller is identified before the server has read what other servers have written."""

    async def authenticate(self: Any, request: Any, route: Any) -> Any:
        org, caller = await self._program(request, route)
        await self._refresh(route)
        return Call(self._services, request, org, caller)

    _replace(Authenticator, "authenticate", authenticate)
