"""Messages of other kinds: bursts, polls, files, and answers that bots write piece by piece."""

import asyncio
import json

from tests.simulation.model import Thing
from tests.simulation.network import ConnectionLost
from tests.simulation.people import WORDS, Person, action, send_with_key

MAX_ATTEMPTS = 20  # to finish an answer


@action(2)
async def send_burst(person: Person) -> None:
    """One topic after the other message: such sends take the fast path."""
    channel, topic = person.place.channels["general"], f"topic {person.rng.randint(0, 3)}"
    for _ in range(person.rng.randint(3, 6)):
        word = person.rng.choice(WORDS)
        await send_with_key(person, word, type="channel", to=channel, topic=topic)
        await asyncio.sleep(person.rng.uniform(0.0, 0.05))


@action(4)
async def send_at_once(person: Person) -> None:
    """A client that was offline sends what it has kept: such sends share commits."""
    channel, topic = person.place.channels["general"], f"topic {person.rng.randint(0, 3)}"
    count = person.rng.randint(4, 12)
    sends = (send_with_key(person, type="channel", to=channel, topic=topic) for _ in range(count))
    await asyncio.gather(*sends)


@action(0.7)
async def add_poll_option(person: Person) -> None:
    poll = person.pick(person.model.of("poll"))
    if poll is None:
        channel = person.place.channels["general"]
        await person.create(
            "poll",
            "/messages",
            "id",
            type="channel",
            to=channel,
            topic="polls",
            content="/poll MARK\nYes\nNo",
        )
        return
    option = {"type": "new_option", "idx": person.rng.randint(1, 9999), "option": "MARK"}
    thing = person.model.new("option", person.index)
    content = json.dumps(option).replace("MARK", thing.mark)
    params = {"message_id": poll.number, "msg_type": "widget", "content": content}
    await person.change(thing, thing.mark, "POST", "/submessage", **params)


@action(0.7)
async def upload(person: Person) -> None:
    thing = person.model.new("file", person.index)
    boundary = "limit"
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{thing.mark}.txt"'
        f"\r\nContent-Type: text/plain\r\n\r\n{thing.mark}\r\n--{boundary}--\r\n"
    )
    kind = f"multipart/form-data; boundary={boundary}"
    thing.may_become(thing.mark)
    try:
        answer = await person.call_with_body("/user_uploads", kind, body)
    except ConnectionLost:
        return
    if not answer.is_good:
        return
    thing.became(thing.mark)
    thing.number = answer.json["url"]
    await send_with_key(
        person,
        f"[the file]({thing.number})",
        kind="linking",  # not deleted, so the file stays
        type="channel",
        to=person.place.channels["general"],
        topic="files",
    )


@action(1)
async def stream_answer(person: Person) -> None:
    """Pieces are shown and not stored. The end is sent once, however often it is repeated."""
    bot = next(iter(person.model.of("bot", person.index)), None)
    if bot is None:
        return
    who = bot.info["email"], bot.info["key"]
    to = {"type": "channel", "to": person.place.channels["general"], "topic": "answers"}
    started = await person.call_as(who, "POST", "/answers", **to)
    if not started.is_good:
        return
    token = started.json["answer_token"]
    for _ in range(person.rng.randint(0, 3)):
        await person.call_as(who, "PATCH", f"/answers/{token}", content="so far ")
    await _finish_answer(person, who, token, person.model.new("answer", person.index))


async def _finish_answer(person: Person, who: tuple[str, str], token: str, thing: Thing) -> None:
    thing.may_become(thing.mark)
    for _ in range(MAX_ATTEMPTS):
        try:
            path = f"/answers/{token}/finish"
            answer = await person.call_as(who, "POST", path, content=thing.mark)
        except ConnectionLost:
            thing.lost(thing.mark)
            await asyncio.sleep(person.rng.uniform(0.05, 0.5))
            continue
        if answer.is_good:
            thing.became(thing.mark)
            thing.number = answer.json["id"]
            return
        if answer.status in (400, 401, 403, 404):
            thing.refused({None} | thing.info.get("lost", set()))
            return
        thing.lost(thing.mark)
        await asyncio.sleep(0.5)
