"""How much longer a send takes while another user's large writes run one after another.

One user sends to a channel and waits a moment after each answer. Meanwhile the owner of a large
organization repeats a large request on one connection. The sends without it are measured before and
after, in the same run.
"""

import asyncio
import itertools
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench.http_client import HttpConnection, Login
from bench.large_organization import LargeOrganization, fill
from bench.probes import Target
from tertulia import actions, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx

PAUSE_SECONDS = 0.01  # between two sends
WANTED_SECONDS = 0.05  # a send may take so much longer
ROLES_PER_CALL = 100


@dataclass(frozen=True, slots=True)
class Delay:
    """The latencies of sends without and with the large writes, in seconds."""

    quiet: list[float]
    beside: list[float]
    writes: int

    @property
    def median(self) -> float:
        return statistics.median(self.beside) - statistics.median(self.quiet)

    @property
    def worst(self) -> float:
        return max(self.beside) - max(self.quiet)

    @property
    def p99(self) -> float:
        return statistics.quantiles(self.beside, n=100)[98]


def fill_organization(url: str, owner: Login) -> LargeOrganization:
    """The server must not run."""
    database = BlockingDatabase.at(url)
    large = database.of(1).write(_fill, owner.email)
    database.analyze()
    return large


def _fill(tx: Tx, email: str) -> LargeOrganization:
    square = storage.channels.table.find_by_name(tx, "square")
    assert square is not None
    return fill(tx, LargeOrganization(actions.people.users.get_by_email(tx, email).id, square.id))


async def measure(
    owner: Target, sender: Target, requests: Iterator[bytes], seconds: float
) -> Delay:
    """Measure until the time is over or the requests end."""
    connection, sending = await owner.connect(), await sender.connect()
    send = sender.login.post("/messages", type="channel", to="hall", topic="x", content="soup")
    quiet = await _send_until(sending, send, time.perf_counter() + seconds / 2)
    end, count = time.perf_counter() + seconds, 0
    beside: list[float] = []
    is_over = asyncio.Event()

    async def send_meanwhile() -> None:
        while not is_over.is_set():
            beside.extend(await _send_until(sending, send, time.perf_counter() + PAUSE_SECONDS))

    meanwhile = asyncio.create_task(send_meanwhile())
    for request in requests:
        try:
            await connection.fetch(request)
        except RuntimeError as refusal:  # that takes time, too
            if not str(refusal).startswith("400"):
                raise
        count += 1
        if time.perf_counter() > end:
            break
    is_over.set()
    await meanwhile
    quiet += await _send_until(sending, send, time.perf_counter() + seconds / 2)
    connection.close()
    sending.close()
    return Delay(quiet, beside, count)


async def _send_until(connection: HttpConnection, send: bytes, end: float) -> list[float]:
    seconds: list[float] = []
    while not seconds or time.perf_counter() < end:
        began = time.perf_counter()
        await connection.fetch(send)
        seconds.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE_SECONDS)
    return seconds


def large_writes(login: Login, large: LargeOrganization) -> dict[str, Iterator[bytes]]:
    """The requests of each row, in the order in which they must be measured. Some end by
    themselves."""
    post, square, other = login.post, large.kitchen_id, large.channel_ids[0]
    whole = f"/messages/{large.message_ids[0]}"
    part = f"/messages/{large.message_ids[1]}"
    quiet = {"send_notification_to_new_thread": False}

    def move(path: str, mode: str, **where: object) -> bytes:
        return login.request("PATCH", path, propagate_mode=mode, **quiet, **where)

    unknown = [{"name": f"unknown {number}"} for number in range(1000)]
    muted = [
        [{"stream_id": each, "property": "is_muted", "value": value} for each in large.channel_ids]
        for value in (True, False)
    ]
    everything = {"anchor": "oldest", "num_before": 0, "num_after": 5000, "narrow": []}
    unread = post("/messages/flags/narrow", **everything, op="remove", flag="read")
    members = large.member_ids
    return {
        "subscribe to 1,000 unknown channels (refused)": itertools.repeat(
            post("/users/me/subscriptions", subscriptions=unknown)
        ),
        "1,000 settings of subscriptions": itertools.cycle(
            [post("/users/me/subscriptions/properties", subscription_data=each) for each in muted]
        ),
        "mark 5,000 as unread, and all as read": itertools.cycle(
            [unread, post("/mark_all_as_read")]
        ),
        "roles of 10,000, 100 in a call": itertools.cycle(
            login.request(
                "PATCH",
                "/realm/accounts",
                account_ids=members[start : start + ROLES_PER_CALL],
                role=role,
            )
            for role in (600, 400)
            for start in range(0, len(members), ROLES_PER_CALL)
        ),
        "subscribe 10,000 and unsubscribe 1,000": itertools.cycle(
            [
                post(
                    "/users/me/subscriptions",
                    subscriptions=[{"name": "channel of all"}],
                    principals=members,
                ),
                login.request(
                    "DELETE",
                    "/users/me/subscriptions",
                    subscriptions=["channel of all"],
                    principals=members[:1000],
                ),
            ]
        ),
        "create a group of 10,000": (
            post("/user_groups/create", name=f"crew {number}", description="", members=members)
            for number in itertools.count()
        ),
        "mention a group of 10,000": itertools.repeat(
            post("/messages", type="channel", to=square, topic="x", content="@*crew 0*")
        ),
        "rename a topic of 15,000": itertools.cycle(
            [move(whole, "change_all", topic=name) for name in ("dinner", "lunch")]
        ),
        "move all but one of 15,000": itertools.cycle(
            [
                move(part, "change_later", topic="dinner"),
                move(part, "change_all", topic="lunch"),
            ]
        ),
        "move a topic of 15,000 to another channel": itertools.chain(
            # The last row may have ended between two moves.
            [move(part, "change_all", topic="lunch")],
            itertools.cycle(
                [move(whole, "change_all", stream_id=each) for each in (other, square)]
            ),
        ),
        "delete a topic of 15,000": iter(
            [
                # Where the topic is depends on how often it was moved.
                move(whole, "change_all", stream_id=other),
                move(whole, "change_all", stream_id=square),
                move(whole, "change_all", topic="lunch"),
                post(f"/streams/{square}/delete_topic", topic_name="lunch"),
            ]
        ),
    }
