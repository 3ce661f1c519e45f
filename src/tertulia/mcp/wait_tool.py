"""Waiting for messages: an agent goes on where it was, however it ended.

Positions are numbers of messages, which are given in the order of commits. A named position is
stored when the agent confirms it, so an agent that was killed gets again what it had not confirmed,
and a server that was killed has lost nothing. A mailbox in memory only wakes the call; what it
returns is read from the history, by the same rules as every other read.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from tertulia import actions, domain, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.events import BadQueue, EventNotInQueue
from tertulia.errors.parameters import TooMany
from tertulia.events.listener import Options
from tertulia.fair_queue import FairQueue
from tertulia.mcp import read_tools, transcript
from tertulia.mcp.read_tools import ChannelName, Ready, TopicName
from tertulia.mcp.transcript import MessageView

MAX_POSITIONS = 20  # of one user's agents
MAX_WAIT_SECONDS = 50
WAKE_SECONDS = 120  # how long an unused mailbox lives

# A wait holds no thread and no connection to the database, so there may be many.
WAITS = FairQueue("agent_waits", slots=10_000, max_waiting=0, slots_per_person=10)


class WaitArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    name: Annotated[
        str, Meta(min_length=1, max_length=60, description="Name of the reading position")
    ] = "default"
    channel: ChannelName | None = None
    topic: TopicName | None = None
    after: Annotated[
        Annotated[int, Meta(ge=0, le=domain.limits.MAX_ID)] | None,
        Meta(description="`next_after` of the answer that you have dealt with"),
    ] = None
    include_own: Annotated[bool, Meta(description="Also messages of your own account")] = False
    timeout_seconds: Annotated[int, Meta(ge=0, le=MAX_WAIT_SECONDS)] = 30
    limit: Annotated[int, Meta(ge=1, le=50, description="How many at most")] = 20


class WaitResult(msgspec.Struct, kw_only=True):
    messages: list[MessageView]
    next_after: int
    notice: str = transcript.NOTICE


async def wait_for_messages(call: Call, arguments: WaitArguments, _: str | None = None) -> Ready:
    """Wait for new messages, anywhere or in a channel or topic. When you have dealt with them,
    call again with `after` set to `next_after`: that confirms them. After a restart call without
    `after`: you get what you had not confirmed. The first call begins with what comes after it."""
    if arguments.topic is not None and arguments.channel is None:
        raise BadRequest("Give the channel of the topic.")
    narrow: list[list[Any]] = []
    channel = None
    if arguments.channel is not None:
        channel = await read_tools.named(call, arguments.channel)
        narrow = [["channel", channel.id]]
        if arguments.topic is not None:
            narrow = read_tools.in_topic(channel, arguments.topic)
    options = wake_options(call.user, None if channel is None else channel.id)
    async with WAITS.slot(call.person):
        after = await call.db.write(_position, call.user, arguments.name, arguments.after)
        async with _wake_up(call, options) as wake:
            found = await _wait(call, wake, narrow, after, arguments)
    return transcript.as_text(found.messages), found


def _position(tx: Tx, user: User, name: str, confirmed: int | None) -> int:
    """Where the agent reads on; stores what it confirms. It cannot confirm what does not exist
    yet, so a number that is too large loses no message."""
    newest = storage.messages.table.newest_id(tx)
    confirmed = None if confirmed is None else min(confirmed, newest)
    grant_id = None if user.grant is None else user.grant.id
    known = storage.people.agents.find_position(tx, user.id, grant_id, name)
    if known is None:
        if storage.people.agents.count_positions(tx, user.id) >= MAX_POSITIONS:
            raise TooMany("reading positions", MAX_POSITIONS)
        start = newest if confirmed is None else confirmed
        storage.people.agents.insert_position(tx, user.id, grant_id, name, start)
        return start
    if confirmed is None:
        return known.read_up_to
    storage.people.agents.move_position(tx, known.id, confirmed)
    return confirmed


def wake_options(user: User, channel_id: int | None) -> Options:
    """A queue that gets the messages that a wait can return: of the channel, else the messages
    that the user receives within the grant."""
    options = Options(event_types=["message"])
    if channel_id is not None:
        places: frozenset[int | None] = frozenset([channel_id])
        return replace(options, places=places, all_public_streams=not user.is_guest)
    if user.grant is None:
        return options
    direct_messages = [None] if user.grant.direct_messages else []
    return replace(options, places=frozenset([*user.grant.channels, *direct_messages]))


async def _wait(
    call: Call, wake: "WakeUp", narrow: list[list[Any]], after: int, arguments: WaitArguments
) -> WaitResult:
    loop = asyncio.get_running_loop()
    until = loop.time() + arguments.timeout_seconds
    while True:
        page = await read_tools.messages_after(call, narrow, after, arguments.limit)
        await read_tools.check_access(call)
        new = [each for each in page.messages if _is_new(call, each, arguments)]
        if page.messages:
            after = page.messages[-1].id
        if new:
            return WaitResult(messages=new, next_after=after)
        if not page.has_more and not await wake(until - loop.time()):
            return WaitResult(messages=[], next_after=after)


def _is_new(call: Call, message: MessageView, arguments: WaitArguments) -> bool:
    return arguments.include_own or message.sender_id != call.user.id


class WakeUp:
    """Waits until a message may have come. Called with the seconds that are left; returns whether
    to look again."""

    def __init__(self, call: Call, options: Options) -> None:
        self._call, self._options = call, options
        self._open()

    def _open(self) -> None:
        call = self._call
        queue = actions.queues.new(
            call.user, self._options, call.org.position, WAKE_SECONDS, call.now
        )
        call.delivery.create_mailbox(queue)
        self._queue_id, self._last = queue.id, -1

    def close(self) -> None:
        self._call.delivery.close_queue(self._queue_id)

    async def __call__(self, seconds: float) -> bool:
        if seconds <= 0:
            return False
        try:
            async with asyncio.timeout(seconds):
                events, _ = await self._call.delivery.poll(
                    self._call.user, self._queue_id, self._last, block=True
                )
        except TimeoutError:
            return False
        except (BadQueue, EventNotInQueue):  # the directory was loaded again
            self._open()
            return True
        if not events:  # the server stops
            return False
        self._last = msgspec.json.decode(events[-1])["id"]
        return True


@asynccontextmanager
async def _wake_up(call: Call, options: Options) -> AsyncIterator[WakeUp]:
    """Opened before the history is read, so that no message comes between the two."""
    wake = WakeUp(call, options)
    try:
        yield wake
    finally:
        wake.close()
