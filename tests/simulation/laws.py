"""The laws: what must be true after every run, whatever went wrong.

`check` asks the last server through the API, `check_file` reads its database after it has stopped.
A broken law is a sentence that names what it is about, so that the story can select its lines.
"""

import asyncio
import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import apsw
from tests.simulation import administration, conversations, deletions, imports, mail, services
from tests.simulation.listener import OPTIONS, Listener, pictures
from tests.simulation.machine import CLOCK
from tests.simulation.model import ABSENT, Thing
from tests.simulation.network import Answer, ConnectionLost
from tests.simulation.people import WORDS
from tests.simulation.schedule import MAX_LONG_DELAY_SECONDS
from tests.simulation.server import DATABASE

from tertulia.database.dialects.postgres_cluster import POLL_SECONDS

if TYPE_CHECKING:
    from tests.simulation.world import World


MESSAGES = ("m", "linking", "answer", "held", "passing", "leaver", "ask", "agent", "direct")
MAX_DELIVERY_SECONDS = (
    POLL_SECONDS + 3.5 * MAX_LONG_DELAY_SECONDS
)  # to a client that waits; below LEASE_SECONDS
MAX_LATE_SECONDS = 2.0 + 2 * MAX_LONG_DELAY_SECONDS  # two seconds, and two threads that wait
MARKS_SEARCHED = 5
LAST_EVENTS_SECONDS = 10.0  # until a listener has received what a job changed


async def check(world: "World") -> None:
    problems = world.outcome.problems
    for person in world.people:
        problems += person.errors
    for listener in world.listeners:
        problems += listener.problems
        problems += _messages_came_in_time(world, listener)
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
    world.outcome.problems += _scheduled_were_sent_in_order(world, stored)
    world.outcome.problems += _poll_options_are_there(world, connection)
    world.outcome.problems += _files_are_there(world, connection)
    world.outcome.problems += conversations.broken_laws(world, stored)
    world.outcome.problems += mail.broken_laws(world)
    for each in (administration, deletions, imports, services):
        world.outcome.problems += each.broken_laws(world, connection)
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


def _messages_came_in_time(world: "World", listener: Listener) -> list[str]:
    """To a client that waited for it, even if the notice of another server was lost."""
    problems = []
    for thing in world.model.things.values():
        if thing.number not in listener.arrivals or "answered_at" not in thing.info:
            continue
        began, ended = listener.arrivals[thing.number]
        began = max(began, thing.info["answered_at"])
        is_paused = any(start < ended and began < end for start, end in world.pauses)
        if ended - began > MAX_DELIVERY_SECONDS and not is_paused and not world.has_leapt:
            late = ended - began
            problems.append(f"listener {listener.index} received {thing.mark} after {late:.1f} s")
    return problems


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
        "channel": [each["name"] for each in state["streams"] if not each.get("is_archived")],
        "group": [
            each["name"] for each in state["realm_user_groups"] if not each.get("deactivated")
        ],
        "link": [each["pattern"] for each in state["realm_linkifiers"]],
        "view": [each["name"] or "" for each in state["navigation_views"]],
        "folder": [each["name"] for each in state["channel_folders"]],
        "field": [each["name"] for each in state["custom_profile_fields"]],
        "playground": [each["name"] for each in state["realm_playgrounds"]],
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
    """A search in the channel that nobody leaves finds each message that has a word with these
    letters."""
    general = world.place.channels["general"]
    channel = {"operator": "channel", "operand": general}
    scanned = [(each["id"], each["content"]) for each in await _fetch(world, channel)]
    marks = [each.mark for each in world.model.of("m", 0) if each.info.get("where") == general]
    problems = []
    for word in (*WORDS, *marks[-MARKS_SEARCHED:]):
        search = {"operator": "search", "operand": word}
        found = [each["id"] for each in await _fetch(world, channel, search)]
        if found != (wanted := [number for number, text in scanned if word in text]):
            problems.append(f"search for {word} finds {found}, not {wanted}")
    return problems


async def _fetch(world: "World", *narrow: dict[str, Any]) -> list[dict[str, Any]]:
    options = {"anchor": "newest", "num_before": 5000, "num_after": 0, "apply_markdown": False}
    answer = await _ask(world, 0, "GET", "/messages", narrow=list(narrow), **options)
    assert answer.json["found_oldest"], "a run with more messages than one answer has"
    messages: list[dict[str, Any]] = answer.json["messages"]
    return messages


# --- in the file ---


def _acknowledged_messages_are_there(world: "World", stored: dict[int, Any]) -> list[str]:
    marks = Counter(content.partition(" ")[0] for content, _, _ in stored.values())
    by_mark = {content.partition(" ")[0]: number for number, (content, _, _) in stored.items()}
    problems = []
    for thing in world.model.things.values():
        if thing.kind not in MESSAGES:
            continue
        content = stored[by_mark[thing.mark]][0] if thing.mark in by_mark else ABSENT
        if marks[thing.mark] > 1 and not thing.info.get("has_outlived_key"):
            problems.append(f"{thing.mark} is stored {marks[thing.mark]} times")
        is_deleted = thing.kind == "passing" or (thing.kind == "leaver" and world.place.is_erasing)
        is_gone = is_deleted and content is ABSENT  # see `deletions` and `administration`
        if content not in thing.allowed and not is_gone:
            allowed = sorted(map(str, thing.allowed))
            problems.append(f"{thing.mark} is stored as {content!r}, and may be {allowed}")
        if content is not ABSENT and thing.number not in (None, by_mark[thing.mark]):
            problems.append(f"{thing.mark} was acknowledged as {thing.number}")
    return problems


def _listeners_received_all(world: "World", stored: dict[int, Any]) -> list[str]:
    """What is sent to a channel that nobody leaves, and to a private one between two messages that
    the listener received while it was in the channel."""
    general, private = world.place.channels["general"], world.place.channels["vault"]
    problems = []
    for listener in world.listeners:
        spans = [(each[0], each[-1]) for each in listener.private_spans if each]
        wanted = {
            number
            for number, (_, channel, _) in stored.items()
            if (channel == general and number > listener.first_message_id)
            or (channel == private and any(low < number <= high for low, high in spans))
        }
        for number in sorted(wanted - set(listener.received))[:3]:
            text = stored[number][0]
            problems.append(f"listener {listener.index} did not receive {number}: {text}")
    return problems


def _scheduled_were_sent_once(world: "World", stored: dict[int, Any]) -> list[str]:
    sent: dict[str, list[float]] = {}
    for content, _, sent_at in stored.values():
        sent.setdefault(content, []).append(sent_at)
    problems = []
    for thing in world.model.things.values():
        if thing.kind != "later":
            continue
        times = sent.get(thing.mark, [])
        world.outcome.scheduled += len(times)
        if len(times) > 1:
            problems.append(f"{thing.mark} was sent {len(times)} times")
        # A message is given up that a downtime, or a clock put forward, has made an hour too late.
        is_too_late = world.has_leapt
        is_known = thing.is_certain and not thing.info.get("is_touched") and not is_too_late
        if is_known and not times:
            problems.append(f"{thing.mark} was never sent")
        if is_known and times and world.was_quiet_at(thing.info["due"]):
            late = times[0] - thing.info["due"]
            if not -1.0 < late <= MAX_LATE_SECONDS:
                problems.append(f"{thing.mark} was sent {late:.1f} s after its time")
    return problems


def _scheduled_were_sent_in_order(world: "World", stored: dict[int, Any]) -> list[str]:
    """By their time, and those of one second as they were made; unless the clock was set."""
    if any(life.wall_step_seconds for life in world.scenario.lives):
        return []
    made = [each for each in world.model.of("later") if not each.info.get("is_touched")]
    in_time = {each.mark: each for each in made if each.info["made_at"] + 1 < each.info["due"]}
    sent = [in_time[content] for content, _, _ in stored.values() if content in in_time]
    order = [(each.info["due"], each.number) for each in sent]
    return [
        f"{later.mark} was sent before {earlier.mark}"
        for (before, after), later, earlier in zip(pairwise(order), sent, sent[1:], strict=False)
        if before > after
    ]


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
