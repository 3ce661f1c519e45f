"""Messages that end: by retention, deleted under a legal hold, and their laws.

The channel "passing" keeps messages for one day. The channel "held" is on legal hold.
"""

from typing import TYPE_CHECKING, Any

import apsw
from tests.simulation.machine import CLOCK
from tests.simulation.model import Thing
from tests.simulation.people import Person, action, send_with_key

if TYPE_CHECKING:
    from tests.simulation.world import World

RETENTION_DAYS = 1
RETENTION_SECONDS = RETENTION_DAYS * 86_400.0
MAX_LATE_SECONDS = 420.0  # until the job of every five minutes deletes what is too old
MAX_STEPS_SECONDS = 8 * 3600.0  # by which the wall clock is set in a run


@action(1)
async def send_to_passing(person: Person) -> None:
    await _send(person, "passing")


@action(1)
async def send_to_held(person: Person) -> None:
    await _send(person, "held")


async def _send(person: Person, channel: str) -> None:
    await send_with_key(
        person, kind=channel, type="channel", to=person.place.channels[channel], topic=channel
    )


@action(0.7)
async def delete_held(person: Person) -> None:
    await person.delete("held", "/messages/{}")


def broken_laws(world: "World", connection: apsw.Connection) -> list[str]:
    stored = _by_id(connection, "SELECT id, sent_at FROM message")
    kept = _by_id(
        connection, "SELECT id, json_extract(document, '$.message.content') FROM deleted_message"
    )
    steps = [life.wall_step_seconds for life in world.scenario.lives]
    # Retention begins with the lowest ids. If the clock was put back, later messages look older.
    max_age = RETENTION_SECONDS + MAX_LATE_SECONDS - sum(each for each in steps if each < 0)
    problems = []
    for thing in world.model.things.values():
        if thing.kind == "held" and thing.number is not None and thing.number not in stored:
            if kept.get(thing.number) != thing.mark:
                problems.append(f"{thing.mark} was deleted under a hold and is not kept")
        elif thing.kind == "passing" and thing.number is not None:
            problems += _of_passing(thing, stored, max_age)
    return problems


def _by_id(connection: apsw.Connection, sql: str) -> dict[Any, Any]:
    return {row[0]: row[1] for row in connection.execute(sql)}


def _of_passing(thing: Thing, stored: dict[int, Any], max_age: float) -> list[str]:
    now = CLOCK.wall()
    if thing.number in stored:
        is_old = now - stored[thing.number] > max_age
        return [f"{thing.mark} is older than its channel allows"] if is_old else []
    if now - thing.info["first_sent_at"] < RETENTION_SECONDS - MAX_STEPS_SECONDS:
        return [f"{thing.mark} was deleted before its time"]
    return []
