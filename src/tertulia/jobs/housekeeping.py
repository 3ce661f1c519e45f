"""Housekeeping: independent cleanup tasks, in small steps."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tertulia import actions, storage
from tertulia.database import BlockingDatabase, Database
from tertulia.events.delivery.dispatch import Delivery
from tertulia.jobs.runner import for_each

MIN_CLOCK_JUMP_SECONDS = 30  # smaller corrections of the clock do not expire queues
MIN_UPTIME_SECONDS = 600  # the clock may have jumped under the last server: clients get this long
PAUSE = 4  # the pause after a step is this many times as long as the step took
CHANNELS_PER_BATCH = 50
QUEUES_PER_BATCH = 100  # per transaction, so that writes of users get in between

T = TypeVar("T")


class ClockWatch:
    """Compares the clock with a stopwatch, to detect that the clock was changed."""

    def __init__(
        self, clock: Callable[[], float], stopwatch: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._stopwatch = stopwatch
        self._started_at = stopwatch()
        self._known = clock() - self._started_at

    def jump(self) -> float:
        """Seconds by which the clock was put forward since the last call; 0 if it was not."""
        difference = self._clock() - self._stopwatch()
        jump, self._known = difference - self._known, difference
        return jump if abs(jump) > MIN_CLOCK_JUMP_SECONDS else 0.0

    def uptime(self) -> float:
        return self._stopwatch() - self._started_at


async def compare_clocks(database: BlockingDatabase) -> None:
    """Correct the drift between this machine's clock and the database's."""
    await asyncio.to_thread(database.compare_clocks)


async def store_positions(
    database: Database, delivery: Delivery, watch: ClockWatch | None = None
) -> None:
    """Store how far queues were read, then delete queues that no client polls."""
    now = database.clock()
    jump = 0.0 if watch is None else watch.jump()
    if jump > 0:
        delivery.shift_idle_deadlines(jump)

    async def keep(realm_id: int) -> None:
        here = database.of(realm_id)
        if jump > 0:
            await here.write(actions.queues.extend_idle_deadlines, jump)
        if realm_id not in in_use:
            return
        positions, known = delivery.positions(realm_id), delivery.organizations[realm_id].position
        for start in range(0, len(positions), QUEUES_PER_BATCH):
            some = positions[start : start + QUEUES_PER_BATCH]
            await here.write(actions.queues.store_positions, some, known)

    async def forget(realm_id: int) -> None:
        for queue_id in await database.of(realm_id).write(actions.queues.delete_expired, now):
            delivery.close_queue(queue_id)

    in_use = set(delivery.mailboxes.realms())
    with_queues = (
        await database.of(0).query(storage.housekeeping_queries.with_queues) if jump > 0 else []
    )
    await for_each(in_use.union(with_queues), keep)
    if watch is None or watch.uptime() > MIN_UPTIME_SECONDS:
        await for_each(await database.of(0).query(actions.queues.realms_with_expired, now), forget)
    delivery.drop_idle_mailboxes()


async def evict_unused(delivery: Delivery) -> None:
    delivery.evict_unused()


async def delete_send_keys(database: Database, kept_seconds: float) -> None:
    forget = actions.housekeeping.delete_expired_send_keys
    while await with_pause(database.of(0).write(forget, kept_seconds)):
        pass


async def trim_logs(database: Database, delivery: Delivery) -> None:
    async def trim(realm_id: int) -> None:
        is_done = False
        while not is_done:
            trimmed = await with_pause(database.of(realm_id).write(actions.housekeeping.trim_log))
            for queue_id in trimmed.queues_given_up:
                delivery.close_queue(queue_id)
            is_done = trimmed.is_done

    await for_each(await database.of(0).query(actions.housekeeping.realms_to_trim), trim)


async def purge_kept_messages(database: Database) -> None:
    """Delete messages that are neither in their grace period nor on legal hold, for good."""

    async def purge(realm_id: int) -> None:
        while await with_pause(
            database.of(realm_id).write(actions.messages.restoration.purge_batch)
        ):
            pass

    await for_each(await database.of(0).query(storage.messages.deleted.realms_with_due), purge)


async def sweep_files(database: Database) -> None:
    """Delete the bytes of deleted files and of incomplete uploads."""
    has_more = await database.of(0).query(actions.files.upload.needs_sweep)
    while has_more:
        has_more = await with_pause(database.of(0).write(actions.files.upload.sweep))


async def write_pending_flags(database: Database) -> None:
    """Write the flags of messages that mention thousands, in portions."""
    flags = storage.messages.flags
    for realm_id in await database.of(0).query(flags.realms_with_pending):
        while await with_pause(database.of(realm_id).write(flags.write_pending)):
            pass


async def count_traffic(database: Database) -> None:
    """Count the messages of some channels; every channel has its turn within a day."""

    async def count(realm_id: int) -> None:
        await database.of(realm_id).write(actions.channels.channel_stats.count, CHANNELS_PER_BATCH)

    await for_each(
        await database.of(0).query(actions.channels.channel_stats.realms_to_count), count
    )


async def announce_full_members(database: Database) -> None:
    """Announce users whose waiting period has ended. Usually there are none."""

    async def announce(realm_id: int) -> None:
        here = database.of(realm_id)
        if await here.read(actions.people.full_members.due):
            await here.write(actions.people.full_members.announce_new)

    await for_each(
        await database.of(0).query(storage.housekeeping_queries.with_waiting_period), announce
    )


async def delete_audit_entries(database: Database, days: int) -> None:
    """Delete audit log entries that are older than `audit_log_days`."""

    async def forget(realm_id: int) -> None:
        while await database.of(realm_id).write(actions.organization.audit.delete_expired, days):
            pass

    await for_each(
        await database.of(0).query(actions.organization.audit.realms_with_old, days), forget
    )


async def delete_expired_logins(database: Database) -> None:
    """Delete expired sessions, links and invitations, and old password attempts."""

    async def forget(realm_id: int) -> None:
        here = database.of(realm_id)
        await here.write(actions.people.sessions.delete_expired)
        await here.write(actions.people.password_attempts.delete_expired)
        await here.write(actions.people.one_time_links.delete_expired)
        await here.write(actions.people.login_alerts.delete_expired)
        await here.write(actions.people.pending_invitations.delete_expired)
        await here.write(actions.people.pending_logins.delete_expired)

    await for_each(await database.of(0).query(actions.housekeeping.realms_with_old_access), forget)


async def delete_received_mail(database: Database) -> None:
    """Delete expired reply addresses, and the ids of mails that arrived long ago."""
    await database.of(0).write(actions.inbound_mail.delete_expired)


async def with_pause(step: Awaitable[T]) -> T:
    """Run a step of a long task, then pause for longer than the step took, so that others are
    served."""
    started = time.monotonic()
    result = await step
    await asyncio.sleep(PAUSE * (time.monotonic() - started))
    return result
