"""Calls, agents, reminders, moved messages and more of what people do in conversations."""

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.simulation.machine import CLOCK
from tests.simulation.people import Person, action, send_with_key

if TYPE_CHECKING:
    from tests.simulation.world import World


@action(1)
async def call_someone(person: Person) -> None:
    """Start a call or join it. Now and then one of its browsers renews its lease or leaves."""
    place = person.place
    known = person.pick(place.sessions)
    if known is None or person.rng.random() < 0.4:
        to = {"type": "channel", "to": place.channels["general"], "topic": "calls"}
        answer = await person.call("POST", "/calls", **to)
        if answer.is_good:
            joined = answer.json["call"]["call_token"], answer.json["session_id"], person.index
            place.sessions.append(joined)
        return
    token, session_id, owner = known
    if owner != person.index:
        return
    path = f"/calls/{token}/sessions/{session_id}"
    if person.rng.random() < 0.5:
        await person.call("PATCH", path, muted=True)
    else:
        await person.call("DELETE", path)


@action(1.5)
async def send_as_agent(person: Person) -> None:
    """A bot sends by the Model Context Protocol; a repeated call with its key sends nothing."""
    bot = next(iter(person.model.of("bot", person.index)), None)
    if bot is not None:
        who = bot.info["email"], bot.info["key"]
        await send_with_key(person, kind="agent", sender=who, channel="general", topic="agents")


@action(0.7)
async def move_message(person: Person) -> None:
    thing = person.pick(person.model.of("m", person.index))
    if thing is not None:
        thing.info["where"] = None  # in one of two channels
        attic = person.place.channels["attic"]
        await person.call("PATCH", f"/messages/{thing.number}", stream_id=attic)


@action(0.7)
async def vote(person: Person) -> None:
    poll = person.pick(person.model.of("poll"))
    if poll is not None:
        vote = {"type": "vote", "key": "canned,0", "vote": person.rng.choice([1, -1])}
        content = json.dumps(vote)
        await person.call(
            "POST", "/submessage", message_id=poll.number, msg_type="widget", content=content
        )


@action(0.7)
async def remind(person: Person) -> None:
    message = person.pick(person.model.of("m"))
    if message is not None:
        due = int(CLOCK.wall()) + person.rng.randint(2, 60)
        thing = await person.create(
            "reminder",
            "/reminders",
            "reminder_id",
            message_id=message.number,
            scheduled_delivery_timestamp=due,
            note="MARK",
        )
        thing.info |= {"due": due, "about": message.number}


@action(0.5)
async def reschedule(person: Person) -> None:
    """The old message may be sent at the same moment."""
    thing = person.pick(person.model.of("later", person.index))
    if thing is not None:
        thing.info["is_touched"] = True
        due = int(CLOCK.wall()) + person.rng.randint(2, 60)
        path = f"/scheduled_messages/{thing.number}"
        await person.call("PATCH", path, scheduled_delivery_timestamp=due)
        thing.info["due"] = max(due, thing.info["due"])


@action(0.5)
async def add_view(person: Person) -> None:
    view = {"fragment": "narrow/is/MARK", "is_pinned": True, "name": "MARK"}
    await person.create("view", "/navigation_views", **view)


@action(0.3)
async def remove_view(person: Person) -> None:
    thing = person.pick(person.model.of("view", person.index))
    if thing is not None:
        path = f"/navigation_views/narrow%2Fis%2F{thing.mark}"
        await person.change(thing, None, "DELETE", path)


@action(0.5)
async def rename_oneself(person: Person) -> None:
    name = f"Person {person.index} {'abc'[person.rng.randint(0, 2)]}"
    await person.call("PATCH", "/settings", full_name=name)


@action(0.5)
async def mute_channel(person: Person) -> None:
    value = person.rng.random() < 0.5
    change = {
        "stream_id": person.place.channels["general"],
        "property": "is_muted",
        "value": value,
    }
    await person.call("POST", "/users/me/subscriptions/properties", subscription_data=[change])


def broken_laws(world: "World", stored: dict[int, Any]) -> list[str]:
    """Reminders of messages that still exist are sent once."""
    words = Counter(word for content, _, _ in stored.values() for word in content.split())
    problems = []
    for thing in world.model.things.values():
        if thing.kind != "reminder":
            continue
        count, is_sure = words[thing.mark], thing.is_certain and thing.info["about"] in stored
        if count > 1 or (is_sure and not count and not world.has_leapt):
            problems.append(f"the reminder {thing.mark} was sent {count} times")
    return problems
