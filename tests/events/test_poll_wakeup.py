"""Parked polls are woken in groups, and heartbeats arrive in time."""

import asyncio

import uvloop
from tests.support import manual_loop
from tests.support.manual_loop import ROUNDS, ManualLoop

from tertulia.events.delivery.heartbeats import Heartbeats
from tertulia.events.delivery.mailbox import Mailbox, MailboxRegistry
from tertulia.events.delivery.poll_wakeup import (
    AT_ONCE,
    BUSY_QUEUE_LENGTH,
    MAX_DELAY_SECONDS,
    WakeupQueue,
)
from tertulia.events.listener import Listener, Options

LISTENERS = 3 * AT_ONCE + 1


class Waiters:
    """Mailboxes with a parked poll each."""

    def __init__(self, count: int) -> None:
        self.mailboxes = MailboxRegistry()
        self.boxes = [Mailbox(Listener(f"q{n}", n, Options()), 1, 0, 0, 0) for n in range(count)]
        self.polls: list[asyncio.Task[None]] = []
        self.seq = 0
        for mailbox in self.boxes:
            mailbox.behind = False
            self.mailboxes.add(mailbox)

    async def park(self) -> None:
        self.polls = [asyncio.create_task(mailbox.poll.wait()) for mailbox in self.boxes]
        await asyncio.sleep(0)

    def answered(self) -> int:
        return sum(poll.done() for poll in self.polls)

    def wake_all(self, waking: WakeupQueue) -> None:
        self.seq += 1
        for mailbox in self.boxes:
            mailbox.add_durable(self.seq, [b"{}"])
            waking.wake(mailbox)


def test_waking_many_polls_lets_other_work_run():
    async def scene() -> list[int]:
        waiters, waking = Waiters(LISTENERS), WakeupQueue()
        await waiters.park()
        waiters.wake_all(waking)
        seen = []
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
            seen.append(waiters.answered())
        return seen

    seen = asyncio.run(scene())

    steps = [later - before for before, later in zip([0, *seen], seen, strict=False)]
    assert 0 < max(steps) <= AT_ONCE
    assert seen[-1] == LISTENERS


def test_a_few_polls_are_woken_at_once():
    async def scene() -> int:
        waiters, waking = Waiters(AT_ONCE), WakeupQueue()
        await waiters.park()
        waiters.wake_all(waking)
        await asyncio.sleep(0)
        return waiters.answered()

    assert asyncio.run(scene()) == AT_ONCE


def test_many_busy_listeners_get_several_events_in_one_answer():
    async def scene(loop: ManualLoop) -> tuple[int, int, list[int]]:
        waiters, waking = Waiters(2 * BUSY_QUEUE_LENGTH), WakeupQueue()
        for _ in range(2):
            await waiters.park()
            waiters.wake_all(waking)
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
            if waiters.answered() == 2 * BUSY_QUEUE_LENGTH:
                for mailbox in waiters.boxes:
                    mailbox.acknowledge(mailbox.last_id, waiters.seq)
        at_once = waiters.answered()
        waiters.wake_all(waking)
        await loop.pass_time(MAX_DELAY_SECONDS)
        return at_once, waiters.answered(), [len(each.pending) for each in waiters.boxes]

    at_once, later, pending = manual_loop.run(scene)

    assert BUSY_QUEUE_LENGTH <= at_once < 2 * BUSY_QUEUE_LENGTH
    assert later == 2 * BUSY_QUEUE_LENGTH
    assert pending[-1] == 2


def test_a_few_listeners_never_wait_for_more_events():
    async def scene() -> int:
        waiters, waking = Waiters(BUSY_QUEUE_LENGTH), WakeupQueue()
        for _ in range(5):
            await waiters.park()
            waiters.wake_all(waking)
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
            assert waiters.answered() == BUSY_QUEUE_LENGTH
            for mailbox in waiters.boxes:
                mailbox.acknowledge(mailbox.last_id, waiters.seq)
        return waiters.answered()

    assert asyncio.run(scene()) == BUSY_QUEUE_LENGTH


def test_a_poll_without_new_events_is_not_woken():
    async def scene() -> int:
        waiters, waking = Waiters(LISTENERS), WakeupQueue()
        await waiters.park()
        waiters.wake_all(waking)
        for mailbox in waiters.boxes:  # they polled again meanwhile, and nothing is pending
            mailbox.acknowledge(mailbox.last_id, 1)
            mailbox.poll.wake()
        await waiters.park()
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
        found = waiters.answered()
        for mailbox in waiters.boxes:
            mailbox.poll.wake()
        return found

    assert asyncio.run(scene()) == 0


def test_each_poll_gets_a_heartbeat_after_its_own_wait():
    """A heartbeat comes after 90 to 110 seconds."""

    async def scene(loop: ManualLoop) -> dict[int, tuple[bool, bool]]:
        waiters = Waiters(2)
        hearts = Heartbeats(waiters.mailboxes, 90, lambda mailbox: mailbox.poll.wake())
        await waiters.park()
        for mailbox in waiters.boxes:
            hearts.schedule(mailbox)
        first = waiters.boxes[0]
        await loop.pass_time(60)
        first.poll.wake()
        await waiters.polls[0]
        waiters.polls[0] = asyncio.create_task(first.poll.wait())
        await asyncio.sleep(0)
        hearts.schedule(first)

        seen, passed = {}, 60
        for second in (89, 111, 149, 171):
            await loop.pass_time(second - passed)
            seen[second], passed = (waiters.polls[0].done(), waiters.polls[1].done()), second
        return seen

    assert manual_loop.run(scene) == {
        89: (False, False),
        111: (False, True),
        149: (False, True),
        171: (True, True),
    }


def test_heartbeats_continue_when_one_fails():
    async def scene() -> list[Mailbox]:
        waiters = Waiters(3)
        failed: list[Mailbox] = []
        asyncio.get_running_loop().set_exception_handler(lambda *context: None)

        def beat(mailbox: Mailbox) -> None:
            if not failed:
                failed.append(mailbox)
                raise RuntimeError("a heart fails")
            mailbox.poll.wake()

        hearts = Heartbeats(waiters.mailboxes, 0.01, beat)
        await waiters.park()
        for mailbox in waiters.boxes:
            hearts.schedule(mailbox)
        others = asyncio.as_completed(waiters.polls, timeout=10)
        await next(others)
        await next(others)
        failed[0].poll.wake()
        await asyncio.gather(*waiters.polls)
        return failed

    assert asyncio.run(scene())


def test_heartbeats_without_delay_reach_every_poll():
    async def scene() -> None:
        waiters = Waiters(3)
        hearts = Heartbeats(waiters.mailboxes, 0, lambda mailbox: mailbox.poll.wake())
        await waiters.park()
        for mailbox in waiters.boxes:
            hearts.schedule(mailbox)
        await asyncio.wait_for(asyncio.gather(*waiters.polls), 10)

    uvloop.run(scene())
