"""Queues under concurrency: slow reads, and servers that lag behind.

On PostgreSQL a read runs on a thread, and other events arrive meanwhile. Here reads are held back,
so that each interleaving happens every time.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import sqlite_with_tables
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import actions, events, storage
from tertulia.actions.channels.subscriptions import SubscribeRequest
from tertulia.caches.all_caches import Caches
from tertulia.database import BlockingDatabase, Database, OrgDatabase
from tertulia.database.dialects.sqlite import Sqlite
from tertulia.database.log_position import LogPosition
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, Role, User
from tertulia.errors.events import BadQueue, EventNotInQueue
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.audience import NoClients, Users
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.delivery.mailbox import Mailbox
from tertulia.events.directory.log_updates import LogUpdates
from tertulia.events.listener import Listener, Options
from tertulia.events.types.messages.flags import FlagsChanged

LATER = 3600


def in_scene(
    scene: Callable[["DeliveryScene"], Coroutine[Any, Any, None]],
) -> Callable[[Path], None]:
    """The test runs on its own `DeliveryScene`."""

    async def play(tmp_path: Path) -> None:
        stage = await DeliveryScene(tmp_path / "tertulia.db").open()
        try:
            await scene(stage)
        finally:
            await stage.database.stop()

    return lambda tmp_path: asyncio.run(play(tmp_path))


@in_scene
async def test_a_message_sent_while_a_mailbox_is_filled_arrives(stage: "DeliveryScene") -> None:
    queue_id = await stage.registers()
    await stage.stirs()
    stage.database.hold_back()
    poll = stage.polls(queue_id)
    await stage.database.has_read()

    message = await stage.says("While you were reading")
    stage.database.hand_over()

    assert await received(poll) == [message]


@in_scene
async def test_two_simultaneous_polls_after_a_restart_continue_where_the_client_was(
    stage: "DeliveryScene",
) -> None:
    queue_id = await stage.registers()
    await stage.says("One")
    last = await stage.last_event(queue_id)
    await stage.restarts()
    two = await stage.says("Two")
    stage.database.hold_back()

    first = stage.polls(queue_id, last)
    await stage.database.has_read()
    second = stage.polls(queue_id, last)
    await asyncio.sleep(0)
    stage.database.hand_over()

    assert (await received(first), await received(second)) == ([two], [two])


@in_scene
async def test_events_found_by_two_polls_are_delivered_once(stage: "DeliveryScene") -> None:
    """Pending flag events are merged, so an event that is added twice would cancel itself."""

    queue_id = await stage.registers("update_message_flags")
    await stage.restarts()
    stage.elsewhere(events.log.announce, FlagsChanged("add", "read", [1, 2]), Users([stage.ben.id]))
    await stage.stirs()
    stage.database.hold_back()
    first = stage.polls(queue_id)
    await stage.database.has_read()
    second = stage.polls(queue_id)
    await asyncio.sleep(0)
    updates = stage.database.blocking.of(0).read(
        stage.delivery.follower.reader.fetch, [stage.realm_id]
    )

    stage.database.hand_over()
    stage.delivery.follower.deliver(updates, lambda: None)

    for poll in (first, second):
        found, _ = await asyncio.wait_for(poll, TIMEOUT_SECONDS)
        assert [json.loads(event)["messages"] for event in found] == [[1, 2]]


@in_scene
async def test_a_cancelled_poll_leaves_the_refill_to_the_next(stage: "DeliveryScene") -> None:
    queue_id = await stage.registers()
    await stage.restarts()
    await stage.stirs()
    stage.database.hold_back()
    first = stage.polls(queue_id)
    await stage.database.has_read()
    second = stage.polls(queue_id)
    await asyncio.sleep(0)

    first.cancel()
    message = await stage.says("Are you there?")

    assert await received(second) == [message]


@in_scene
async def test_a_wrong_last_event_id_does_not_affect_other_polls(stage: "DeliveryScene") -> None:
    queue_id = await stage.registers()
    one = await stage.says("One")
    two = await stage.says("Two")
    await stage.adds("cleo")
    await stage.restarts()
    stage.database.hold_back()
    right = stage.polls(queue_id)
    await stage.database.has_read()
    wrong = stage.polls(queue_id, events.delivery.mailbox.event_id(stage.applied))
    await asyncio.sleep(0)

    stage.database.hand_over()

    assert await received(right) == [one, two]
    with pytest.raises(EventNotInQueue):
        await wrong


@in_scene
async def test_a_poll_that_failed_in_an_outage_can_be_repeated(stage: "DeliveryScene") -> None:
    queue_id = await stage.registers()
    await stage.says("One")
    last = await stage.last_event(queue_id)
    two = await stage.says("Two")
    await stage.restarts()

    stage.database.fail_once()
    with pytest.raises(ServiceUnavailable):
        await stage.polls(queue_id, last)

    assert await received(stage.polls(queue_id, last)) == [two]


@in_scene
async def test_an_id_that_was_never_given_out_changes_nothing(stage: "DeliveryScene") -> None:
    queue_id = await stage.registers()
    one = await stage.says("One")
    two = await stage.says("Two")
    await stage.adds("cleo")  # a queue for messages does not receive these
    await stage.restarts()

    with pytest.raises(EventNotInQueue):
        await stage.polls(queue_id, events.delivery.mailbox.event_id(stage.applied))
    with pytest.raises(BadQueue):
        await stage.polls(queue_id, events.delivery.mailbox.event_id(stage.applied + 100))

    assert await received(stage.polls(queue_id)) == [one, two]


@in_scene
async def test_a_lagging_server_catches_up_with_what_its_client_knows(
    stage: "DeliveryScene",
) -> None:
    other = await stage.another_server()
    queue_id = await stage.registers()
    await other.poll(stage.ben, queue_id, -1, block=False)
    await stage.says("One")
    last = await stage.last_event(queue_id)
    two = await stage.says("Two")

    found, _ = await other.poll(stage.ben, queue_id, last, block=False)

    assert [json.loads(event)["message"]["id"] for event in found] == [two]


@in_scene
async def test_a_server_that_was_away_for_longer_than_the_log_reloads(
    stage: "DeliveryScene",
) -> None:
    other = await stage.another_server()
    for number in range(3):
        await stage.says(f"Number {number}")
    await stage.adds("cleo")
    stage.later = LATER
    await stage.database.of(stage.realm_id).write(actions.housekeeping.trim_log)

    await other.follower.catch_up()

    there = other.organizations[stage.realm_id]
    assert there.applied == stage.applied
    assert there.accounts.with_email("cleo@example.com") is not None


@in_scene
async def test_no_write_is_answered_while_a_register_reads(stage: "DeliveryScene") -> None:
    follower = stage.delivery.follower
    before = stage.applied

    async with follower.frozen(stage.realm_id):
        stage.has_delivered.clear()
        writing = asyncio.create_task(stage.says("Meanwhile"))
        await asyncio.wait_for(stage.has_delivered.wait(), TIMEOUT_SECONDS)
        looking = asyncio.create_task(enter(partial(follower.frozen, stage.realm_id)))
        await asyncio.sleep(0)
        unmoved = (stage.applied, writing.done(), looking.done())
    await asyncio.wait_for(asyncio.gather(writing, looking), TIMEOUT_SECONDS)

    assert unmoved == (before, False, False)
    assert stage.applied > before


def test_an_ephemeral_event_does_not_overtake_a_durable_one():
    mailbox = Mailbox(
        Listener("q", 1, Options()),
        1,
        events.delivery.mailbox.event_id(10),
        events.delivery.mailbox.event_id(10),
        seen_at=0,
    )
    mailbox.mark_behind(12)

    mailbox.add_ephemeral(20, b'{"type":"typing"}')
    mailbox.add_durable(13, [b'{"type":"message"}'])

    assert [entry.id for entry in mailbox.pending] == [events.delivery.mailbox.event_id(13)]


# --- the stage ---


class Hesitant(Database):
    """Reads of the log can be held back after they were made, or fail."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        super().__init__(BlockingDatabase(Sqlite(path), clock))
        self._may_hand_over = asyncio.Event()
        self._may_hand_over.set()
        self._has_read = asyncio.Event()
        self._has_read.set()
        self._fails = False

    async def run_read(self, db: OrgDatabase, query: Callable[..., Any], *args: Any) -> Any:
        found = await super().run_read(db, query, *args)
        if query is events.delivery.log_pages.read_page:
            if self._fails:
                self._fails = False
                raise ServiceUnavailable()
            if not self._has_read.is_set():
                self._has_read.set()
                await self._may_hand_over.wait()
        return found

    def hold_back(self) -> None:
        """Only the next one: later reads overtake it."""
        self._has_read.clear()
        self._may_hand_over.clear()

    async def has_read(self) -> None:
        await asyncio.wait_for(self._has_read.wait(), TIMEOUT_SECONDS)

    def hand_over(self) -> None:
        self._may_hand_over.set()

    def fail_once(self) -> None:
        self._fails = True


class DeliveryScene:
    """Ana sends to a channel that Ben reads; his queue is polled without HTTP."""

    def __init__(self, path: Path) -> None:
        self.later = 0.0
        self.has_delivered = asyncio.Event()
        self._path = path
        self._vault = Vault(b"a secret for tests only")

    async def open(self) -> "DeliveryScene":
        self._path.write_bytes(sqlite_with_tables())
        self.database = Hesitant(self._path, lambda: 1e9 + self.later)
        self.realm_id = (
            self.database.blocking.of(0)
            .write(actions.organization.creation.create, "Tertulia", "")
            .id
        )
        self.database.start(
            lambda tx, realms: self.delivery.follower.reader.fetch(tx, realms),
            self._deliver,
            lambda appended: self.delivery.follower.reader.compose(appended),
            storage.messages.fast_insert,
        )
        await self.restarts()
        self.ana, self.ben = await self.adds("ana", Role.OWNER), await self.adds("ben")
        wish = SubscribeRequest(
            [NewChannel("kitchen")], [""], principals=[self.ana.id, self.ben.id]
        )
        await self.database.of(self.realm_id).write(
            actions.channels.subscriptions.subscribe, self.ana, wish, "example.com"
        )
        return self

    def _deliver(self, updates: LogUpdates | None, answer: Callable[[], None]) -> None:
        """What the database calls after each commit."""
        self.delivery.follower.deliver(updates, answer)
        self.has_delivered.set()

    async def restarts(self) -> None:
        """Drop everything that is only in memory."""
        self.delivery = Delivery(self.database, "example.com", 45, Caches())
        await self.delivery.follower.start()

    async def another_server(self) -> Delivery:
        """A server on the same data that gets no notices."""
        delivery = Delivery(
            Database(BlockingDatabase.at(f"sqlite:///{self._path}")), "example.com", 45, Caches()
        )
        await delivery.follower.start()
        return delivery

    @property
    def applied(self) -> int:
        return self.delivery.organizations[self.realm_id].applied

    async def adds(self, name: str, role: Role = Role.MEMBER) -> User:
        new = NewUser(f"{name}@example.com", name.title(), role)
        user, _ = await self.database.of(self.realm_id).write(
            actions.people.account_creation.add, self._vault, new
        )
        return user

    def elsewhere(self, action: Callable[..., Any], *args: Any) -> None:
        """Another server writes, and we have no notice of it yet."""
        BlockingDatabase.at(f"sqlite:///{self._path}").of(self.realm_id).write(action, *args)

    async def registers(self, *event_types: str) -> str:
        options = Options(event_types=list(event_types) or ["message"])
        start = LogPosition(self.applied, "")
        queue = actions.queues.new(self.ben, options, start, 600, self.database.clock())
        await self.database.of(self.realm_id).write(actions.queues.store, self.ben, queue)
        return queue.id

    async def stirs(self) -> None:
        """Write an event that concerns no queue but must be read."""
        event = FlagsChanged("add", "read", [])
        await self.database.of(self.realm_id).write(events.log.announce, event, NoClients())

    async def says(self, content: str) -> int:
        draft = Draft(content, f"<p>{content}</p>", 0, "test", read_by_sender=True)
        sent = await self.database.of(self.realm_id).write(
            actions.messages.send.to_channel, self.ana, "kitchen", "lunch", draft
        )
        return sent.message_id

    async def last_event(self, queue_id: str) -> int:
        events, _ = await self.delivery.poll(self.ben, queue_id, -1, block=False)
        number: int = json.loads(events[-1])["id"]
        return number

    def polls(self, queue_id: str, last_event_id: int = -1) -> "asyncio.Task[Any]":
        return asyncio.create_task(
            self.delivery.poll(self.ben, queue_id, last_event_id, block=True)
        )


async def received(poll: Awaitable[Any]) -> list[int]:
    events, _ = await asyncio.wait_for(poll, TIMEOUT_SECONDS)
    return [json.loads(event)["message"]["id"] for event in events]


async def enter(moment: Callable[[], Any]) -> None:
    async with moment():
        pass


def test_an_event_that_was_merged_here_may_have_been_delivered_by_another_server():
    mailbox = Mailbox(
        Listener("q", 1, Options()),
        1,
        start=events.delivery.mailbox.event_id(4),
        acked=-1,
        seen_at=0,
    )
    mailbox.behind = False
    first, second = (FlagsChanged("add", "starred", [number]) for number in (1, 2))
    mailbox.add_durable(5, [b"{}"], first.about())
    both = mailbox.merge(second)
    mailbox.add_durable(6, [b"{}"], both.about())

    mailbox.acknowledge(events.delivery.mailbox.event_id(5), 6)

    assert isinstance(both, FlagsChanged)
    assert both.message_ids == [1, 2]
    assert mailbox.needs_refill
    assert mailbox.scanned == 5
