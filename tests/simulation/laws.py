"""The laws: what must be true after every run, whatever went wrong.

`check` asks the last server through the API, `check_file` reads its database after it has stopped.
A broken law is a sentence that names what it is about, so that the story can select its lines.
"""

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import apsw
from tests.simulation import deletions
from tests.simulation.listener import OPTIONS, Listener, pictures
from tests.simulation.machine import CLOCK
from tests.simulation.model import ABSENT, Thing
from tests.simulation.network import Answer, ConnectionLost
from tests.simulation.server import DATABASE

if TYPE_CHECKING:
    from tests.simulation.world import World


MESSAGES = ("m", "linking", "answer", "held", "passing")
LAST_EVENTS_SECONDS = 10.0  # until a listener has received what a job changed


async def check(world: "World") -> None:
    problems = world.outcome.problems
    for person in world.people:
        problems += person.errors
    for listener in world.listeners:
        problems += listener.problems
        problems += await _state_equals_register(world, listener)
    for index in range(world.scenario.people):
        problems += await _acknowledged_things_are_there(world, index)
    problems += await _search_equals_scan(world)


def check_file(world: "World") -> None:
    """The laws about what is stored."""
    connection = apsw.Connection(str(world.disk.folder / DATABASE))
    (found,) = connection.execute("PRAGMA integrity_check").fetchall()[0]
    if found != "ok":
        world.outcome.problems.append(f"integrity_check: {found}")
    if dangling := connection.execute("PRAGMA foreign_key_check").fetchall():
        world.outcome.problems.append(f"rows that refer to nothing: {dangling[:3]}")
    sql = "SELECT id, content, channel_id, sent_at FROM message ORDER BY id"
    stored = {row[0]: row[1:] for row in connection.execute(sql)}
    world.outcome.messages = len(stored)
    world.outcome.problems += _acknowledged_messages_are_there(world, stored)
    world.outcome.problems += _listeners_received_all(world, stored)
    world.outcome.problems += _scheduled_were_sent_once(world, stored)
    world.outcome.problems += _poll_options_are_there(world, connection)
    world.outcome.problems += _files_are_there(world, connection)
    world.outcome.problems += deletions.broken_laws(world, connection)
    connection.close()


# --- through the API ---


async def _ask(world: "World", index: int, method: str, path: str, **params: Any) -> Answer:
    while True:
        try:
            answer = await world.call(index, method, path, params)
        except ConnectionLost:
            await asyncio.sleep(0.1)
            continue
        if answer.status != 503:
            return answer
        await asyncio.sleep(0.5)


async def _state_equals_register(world: "World", listener: Listener) -> list[str]:
    """The state that a listener has built from events is the one that a new client gets. A job
    may change the state meanwhile, so the listener has some time to receive the last events."""
    end = CLOCK.monotonic + LAST_EVENTS_SECONDS
    while True:
        if listener.queue_id is None:
            problems = [f"listener {listener.index} has no queue"]
        else:
            state = (await _ask(world, listener.index, "POST", "/register", **OPTIONS)).json
            problems = [
                f"listener {listener.index}: its {name} differ from a register: {difference}"
                for mine, theirs in zip(listener.pictures, pictures(state), strict=True)
                for name in mine
                if (difference := _difference(mine[name], theirs[name]))
            ]
        if not problems or CLOCK.monotonic > end:
            return problems
        await asyncio.sleep(1.0)


def _difference(mine: Any, theirs: Any) -> str:
    """The innermost parts that differ; empty if none does."""
    if mine == theirs:
        return ""
    if not (isinstance(mine, dict) and isinstance(theirs, dict)):
        return f"{mine!r} is {theirs!r}"
    parts = [
        f"{key}: {inner}"
        for key in sorted(mine.keys() | theirs.keys(), key=str)
        if (inner := _difference(mine.get(key, ABSENT), theirs.get(key, ABSENT)))
    ]
    return "; ".join(parts)


async def _acknowledged_things_are_there(world: "World", index: int) -> list[str]:
    state = (await _ask(world, index, "POST", "/register", **OPTIONS)).json
    texts = {
        "draft": [each["content"] for each in state["drafts"]],
        "snippet": [each["content"] for each in state["saved_snippets"]],
        "alert": state["alert_words"],
        "channel": [each["name"] for each in state["streams"]],
        "group": [each["name"] for each in state["realm_user_groups"]],
        "link": [each["pattern"] for each in state["realm_linkifiers"]],
    }
    problems = []
    for thing in world.model.things.values():
        if thing.owner == index and thing.kind in texts:
            problems += _compared(thing, texts[thing.kind])
    return problems


def _compared(thing: Thing, texts: list[str]) -> list[str]:
    """The thing exists once with a content that it may have, or it may be absent and is."""
    found = [text for text in texts if text.partition(" ")[0] == thing.mark]
    if len(found) > 1:
        return [f"{thing.mark} is there {len(found)} times"]
    content = found[0] if found else ABSENT
    if content not in thing.allowed:
        return [f"{thing.mark} is {content!r}, and may be {sorted(map(str, thing.allowed))}"]
    return []


async def _search_equals_scan(world: "World") -> list[str]:
    """The last messages of the owner are found by their marks, in a channel that nobody leaves."""
    general = world.place.channels["general"]
    things = [each for each in world.model.of("m", 0) if each.info.get("where") == general]
    problems = []
    for thing in things[-5:]:
        narrow = [{"operator": "search", "operand": thing.mark}]
        answer = await _ask(
            world,
            0,
            "GET",
            "/messages",
            anchor="newest",
            num_before=10,
            num_after=0,
            narrow=narrow,
            apply_markdown=False,
        )
        found = [  # a reminder quotes the message
            each["id"]
            for each in answer.json["messages"]
            if each["content"].partition(" ")[0] == thing.mark
        ]
        if found != [thing.number]:
            problems.append(f"search for {thing.mark} finds {found}, not {thing.number}")
    return problems


# --- in the file ---


def _acknowledged_messages_are_there(world: "World", stored: dict[int, Any]) -> list[str]:
    marks = Counter(content.partition(" ")[0] for content, _, _ in stored.values())
    by_mark = {content.partition(" ")[0]: number for number, (content, _, _) in stored.items()}
    problems = []
    for thing in world.model.things.values():
        if thing.kind not in MESSAGES:
            continue
        content = stored[by_mark[thing.mark]][0] if thing.mark in by_mark else ABSENT
        if marks[thing.mark] > 1:
            problems.append(f"{thing.mark} is stored {marks[thing.mark]} times")
        is_gone = thing.kind == "passing" and content is ABSENT  # see `deletions`
        if content not in thing.allowed and not is_gone:
            allowed = sorted(map(str, thing.allowed))
            problems.append(f"{thing.mark} is stored as {content!r}, and may be {allowed}")
        if content is not ABSENT and thing.number not in (None, by_mark[thing.mark]):
            problems.append(f"{thing.mark} was acknowledged as {thing.number}")
    return problems


def _listeners_received_all(world: "World", stored: dict[int, Any]) -> list[str]:
    general = world.place.channels["general"]
    problems = []
    for listener in world.listeners:
        wanted = {
            number
            for number, (_, channel, _) in stored.items()
            if channel == general and number > listener.first_message_id
        }
        for number in sorted(wanted - set(listener.received))[:3]:
            text = stored[number][0]
            problems.append(f"listener {listener.index} did not receive {number}: {text}")
    return problems


def _scheduled_were_sent_once(world: "World", stored: dict[int, Any]) -> list[str]:
    sent = Counter(content for content, _, _ in stored.values())
    problems = []
    for thing in world.model.things.values():
        if thing.kind != "later":
            continue
        if sent[thing.mark] > 1:
            problems.append(f"{thing.mark} was sent {sent[thing.mark]} times")
        # A message is given up that a downtime, or a clock put forward, has made an hour too late.
        is_too_late = world.has_leapt
        is_known = thing.is_certain and not thing.info.get("is_touched") and not is_too_late
        if is_known and not sent[thing.mark]:
            problems.append(f"{thing.mark} was never sent")
    return problems


def _poll_options_are_there(world: "World", connection: apsw.Connection) -> list[str]:
    rows = connection.execute("SELECT content FROM submessage").fetchall()
    found = Counter(json.loads(str(content)).get("option") for (content,) in rows)
    return [
        f"the option {thing.mark} is stored {found[thing.mark]} times"
        for thing in world.model.things.values()
        if thing.kind == "option"
        if found[thing.mark] > 1 or (thing.is_certain and not found[thing.mark])
    ]


def _files_are_there(world: "World", connection: apsw.Connection) -> list[str]:
    """Unless no message links them for weeks, which only a suspended machine makes pass."""
    rows = connection.execute(
        "SELECT a.name, p.data FROM attachment a JOIN upload_piece p ON p.upload_id = a.upload_id"
    )
    found: dict[object, object] = {row[0]: row[1] for row in rows}
    return [
        f"the file {thing.mark} is {found.get(f'{thing.mark}.txt')!r}"
        for thing in world.model.things.values()
        if thing.kind == "file" and thing.is_certain and not world.has_leapt
        if found.get(f"{thing.mark}.txt") != thing.mark.encode()
    ]
