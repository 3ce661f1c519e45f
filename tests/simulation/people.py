"""People: clients that do what a team does all day, each one thing after the other.

`ACTIONS` has every action with its weight. An action calls the API and tells the model what it has
learnt. If the connection is lost, sends are repeated with their key until they are answered; other
calls stay uncertain.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.simulation.machine import CLOCK
from tests.simulation.model import ABSENT, Model, Thing
from tests.simulation.network import MCP, Answer, ConnectionLost

Call = Callable[..., Awaitable[Answer]]
Sender = int | tuple[str, str]  # the number of an account, or the address and key of a bot
Action = Callable[["Person"], Awaitable[None]]
T = TypeVar("T")

ACTIONS: dict[str, tuple[float, Action]] = {}
KEY_LIFE_SECONDS = 12 * 3600.0  # of `send_key_hours`, and less than any time that is slept

CALM_SECONDS = 3.0  # between two actions of a person
WORDS = ("harbour", "window", "copper", "violin")  # that messages share, for searches

# Answers that promise that the call has changed nothing.
_NOTHING_DONE = frozenset({400, 401, 403, 404, 405, 409, 413, 429, 503})


def action(weight: float) -> Callable[[Action], Action]:
    def add(function: Action) -> Action:
        ACTIONS[function.__name__] = weight, function
        return function

    return add


@dataclass
class Place:
    """What all people know of the organization. `ask_all` sends a request of an address with a key
    to all servers at once."""

    channels: dict[str, int]
    user_ids: list[int]
    email_domain: str
    keys: list[tuple[str, str]]  # the address and the key of each account
    ask_all: Callable[[str, str, str, str], Awaitable[list[Answer]]]
    sessions: list[tuple[str, int, int]] = field(default_factory=list)  # in calls, with their owner
    removals: dict[int, float] = field(default_factory=dict)  # the last one from the vault, by user
    is_erasing: bool = False  # clients register again after it
    has_erased: bool = False
    is_calm: bool = False  # months pass, and people act seldom


class Person:
    """`call` raises ConnectionLost. `index` is the number of the account; 0 is the owner."""

    def __init__(
        self,
        index: int,
        call: Call,
        model: Model,
        rng: random.Random,
        place: Place,
        think_seconds: float,
        names: Iterable[str] = (),
    ) -> None:
        self.index, self.model, self.rng, self.place = index, model, rng, place
        self._call = call
        self._think_seconds = think_seconds
        chosen = {name: ACTIONS[name] for name in names or ACTIONS}
        self._weights = [weight for weight, _ in chosen.values()]
        self._actions = [function for _, function in chosen.values()]
        self.errors: list[str] = []
        self.is_over = False

    @property
    def user_id(self) -> int:
        return self.place.user_ids[self.index]

    async def live(self) -> None:
        """Act until the run is over, and finish what was begun."""
        while not self.is_over:
            seconds = CALM_SECONDS if self.place.is_calm else self._think_seconds
            await asyncio.sleep(self.rng.expovariate(1 / seconds))
            await self.act()

    async def act(self) -> None:
        (chosen,) = self.rng.choices(self._actions, self._weights)
        try:
            await chosen(self)
        except ConnectionLost:
            await asyncio.sleep(self.rng.uniform(0.1, 1.0))

    async def call(self, method: str, path: str, /, **params: Any) -> Answer:
        answer = await self._call(self.index, method, path, params)
        if answer.status >= 500 and answer.status != 503 and answer.code != "OUTCOME_UNKNOWN":
            self.errors.append(f"{answer.status} for {method} {path}: {answer.json}")
        return answer

    async def send(
        self, sender: Sender | None, key: str, text: str, params: dict[str, Any]
    ) -> Answer:
        """Send a message; the same key sends it once."""
        if isinstance(sender, tuple):
            return await self._send_as_agent(sender, {"text": text, "key": key} | params)
        who = self.index if sender is None else sender
        headers = {"idempotency-key": key}
        return await self._call(who, "POST", "/messages", params | {"content": text}, headers)

    async def _send_as_agent(self, bot: tuple[str, str], arguments: dict[str, Any]) -> Answer:
        params = {"name": "send_message", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        content = b"application/json", json.dumps(body).encode()
        answer = await self._call(bot, "POST", MCP, {}, None, content)
        if not answer.is_good:
            return answer
        result = answer.json.get("result", {})
        if "structuredContent" not in result:
            return Answer(503, answer.json)  # refused, or not done now
        return Answer(200, {"id": result["structuredContent"]["message_id"]})

    async def call_with_body(self, path: str, kind: str, body: str) -> Answer:
        content = kind.encode(), body.encode()
        return await self._call(self.index, "POST", path, {}, None, content)

    async def call_as(
        self, who: tuple[str, str], method: str, path: str, /, **params: Any
    ) -> Answer:
        """Call with the address and the key of a bot."""
        return await self._call(who, method, path, params)

    async def change(
        self, thing: Thing, content: str | None, method: str, path: str, /, **params: Any
    ) -> Answer | None:
        """Call what sets the content of a thing, and tell the model. None if it was not done."""
        before = set(thing.allowed)
        thing.may_become(content)
        try:
            answer = await self.call(method, path, **params)
        except ConnectionLost:
            thing.lost(content)
            raise
        if answer.is_good:
            thing.became(content)
            return answer
        if answer.status in _NOTHING_DONE:
            thing.refused(before)
        else:
            thing.lost(content)
        return None

    async def create(self, kind: str, path: str, id_key: str = "", /, **params: Any) -> Thing:
        thing = self.model.new(kind, self.index)
        params = {name: _marked(value, thing.mark) for name, value in params.items()}
        answer = await self.change(thing, thing.mark, "POST", path, **params)
        if answer is not None and id_key:
            thing.number = answer.json[id_key]
        elif answer is not None:
            thing.number = thing.mark
        return thing

    def pick(self, among: list[T]) -> T | None:
        return self.rng.choice(among) if among else None

    async def delete(self, kind: str, path: str, /, **params: Any) -> None:
        thing = self.pick(self.model.of(kind, self.index))
        if thing is not None:
            params = {name: _marked(value, thing.mark) for name, value in params.items()}
            await self.change(thing, ABSENT, "DELETE", path.format(thing.number), **params)

    async def edit(self, kind: str, path: str, /, **params: Any) -> None:
        thing = self.pick(self.model.of(kind, self.index))
        if thing is not None:
            text = f"{thing.mark} {self.rng.choice(WORDS)} {self.rng.randint(2, 99)}"
            params = {name: _marked(value, text) for name, value in params.items()}
            await self.change(thing, text, "PATCH", path.format(thing.number), **params)


def _marked(value: Any, text: str) -> Any:
    """A parameter with the text of a thing where it says MARK."""
    if isinstance(value, str):
        return value.replace("MARK", text)
    if isinstance(value, dict):
        return {name: _marked(each, text) for name, each in value.items()}
    return [_marked(each, text) for each in value] if isinstance(value, list) else value


# --- messages ---


@action(10)
async def send(person: Person) -> None:
    channel = person.rng.choice(["general", "general", "general", "vault", "attic"])
    topic, word = f"topic {person.rng.randint(0, 3)}", person.rng.choice(WORDS)
    to = person.place.channels[channel]
    await send_with_key(person, word, type="channel", to=to, topic=topic)


@action(2)
async def send_direct(person: Person) -> None:
    await send_with_key(person, type="direct", to=[person.rng.choice(person.place.user_ids)])


async def send_with_key(
    person: Person, more: str = "", kind: str = "m", sender: Sender | None = None, **params: Any
) -> None:
    """Repeat it with its key until it is answered, or until the server may have deleted the key.
    `more` is text behind the mark. A sender with an address and a key is an agent."""
    thing = person.model.new(kind, person.index)
    text = f"{thing.mark} {more}".rstrip()
    give_up_at = CLOCK.wall() + KEY_LIFE_SECONDS
    thing.info["first_sent_at"] = CLOCK.wall()
    thing.may_become(text)
    while CLOCK.wall() < give_up_at:
        try:
            answer = await person.send(sender, thing.mark, text, params)
        except ConnectionLost:
            await asyncio.sleep(person.rng.uniform(0.05, 0.5))
            continue
        if answer.is_good:
            thing.became(text)
            thing.info["has_outlived_key"] = CLOCK.wall() >= give_up_at  # in this call
            thing.number = answer.json["id"]
            thing.info["where"] = params.get("to")
            thing.info["answered_at"] = CLOCK.monotonic
            return
        if answer.status in (400, 401, 403):
            thing.refused({ABSENT})
            return
        await asyncio.sleep(0.5)
    thing.info["has_outlived_key"] = True
    thing.lost(text)


@action(2)
async def edit_message(person: Person) -> None:
    await person.edit("m", "/messages/{}", content="MARK")


@action(1)
async def rename_topic(person: Person) -> None:
    thing = person.pick(person.model.of("m", person.index))
    if thing is not None:
        topic = f"topic {person.rng.randint(0, 5)}"
        mode = person.rng.choice(["change_one", "change_later", "change_all"])
        await person.call("PATCH", f"/messages/{thing.number}", topic=topic, propagate_mode=mode)


@action(0.7)
async def delete_message(person: Person) -> None:
    await person.delete("m", "/messages/{}")


@action(3)
async def react(person: Person) -> None:
    message = person.pick(person.model.of("m"))
    if message is not None:
        emoji = person.rng.choice(["tada", "heart", "+1"])
        await person.call("POST", f"/messages/{message.number}/reactions", emoji_name=emoji)


@action(1)
async def take_reaction_back(person: Person) -> None:
    message = person.pick(person.model.of("m"))
    if message is not None:
        emoji = person.rng.choice(["tada", "heart", "+1"])
        await person.call("DELETE", f"/messages/{message.number}/reactions", emoji_name=emoji)


@action(2)
async def flag(person: Person) -> None:
    messages = [each.number for each in person.model.of("m")]
    some = person.rng.sample(messages, min(3, len(messages)))
    kind, op = person.rng.choice(["read", "starred"]), person.rng.choice(["add", "remove"])
    await person.call("POST", "/messages/flags", messages=some, op=op, flag=kind)


@action(0.3)
async def mark_all_as_read(person: Person) -> None:
    await person.call("POST", "/mark_all_as_read")


@action(1)
async def report_typing(person: Person) -> None:
    others = [person.rng.choice(person.place.user_ids)]
    await person.call("POST", "/typing", op="start", type="direct", to=others)


@action(0.5)
async def report_presence(person: Person) -> None:
    await person.call("POST", "/users/me/presence", status="active")


# --- later ---


@action(2)
async def schedule(person: Person) -> None:
    await _schedule(person, int(CLOCK.wall()) + person.rng.randint(2, 60))


@action(0.5)
async def schedule_several(person: Person) -> None:
    """Messages that are due in the same second."""
    due = int(CLOCK.wall()) + person.rng.randint(10, 60)
    for _ in range(person.rng.randint(3, 8)):
        await _schedule(person, due)


async def _schedule(person: Person, due: int) -> None:
    thing = await person.create(
        "later",
        "/scheduled_messages",
        "scheduled_message_id",
        type="channel",
        to=person.place.channels["general"],
        topic="later",
        content="MARK",
        scheduled_delivery_timestamp=due,
    )
    thing.info |= {"due": due, "made_at": CLOCK.wall()}


@action(0.3)
async def cancel_scheduled(person: Person) -> None:
    thing = person.pick(person.model.of("later", person.index))
    if thing is not None:
        thing.info["is_touched"] = True  # it may be sent at the same moment
        await person.delete("later", f"/scheduled_messages/{thing.number}")


# --- personal things ---


@action(1)
async def save_draft(person: Person) -> None:
    draft = {"type": "", "to": [], "topic": "", "content": "MARK"}
    thing = person.model.new("draft", person.index)
    answer = await person.change(
        thing, thing.mark, "POST", "/drafts", drafts=[_marked(draft, thing.mark)]
    )
    if answer is not None:
        thing.number = answer.json["ids"][0]


@action(0.5)
async def edit_draft(person: Person) -> None:
    draft = {"type": "", "to": [], "topic": "", "content": "MARK"}
    await person.edit("draft", "/drafts/{}", draft=draft)


@action(0.5)
async def delete_draft(person: Person) -> None:
    await person.delete("draft", "/drafts/{}")


@action(1)
async def save_snippet(person: Person) -> None:
    await person.create(
        "snippet", "/saved_snippets", "saved_snippet_id", title="Title", content="MARK"
    )


@action(0.5)
async def edit_snippet(person: Person) -> None:
    await person.edit("snippet", "/saved_snippets/{}", content="MARK")


@action(0.5)
async def delete_snippet(person: Person) -> None:
    await person.delete("snippet", "/saved_snippets/{}")


@action(0.5)
async def add_alert_word(person: Person) -> None:
    await person.create("alert", "/users/me/alert_words", alert_words=["MARK"])


@action(0.3)
async def remove_alert_word(person: Person) -> None:
    await person.delete("alert", "/users/me/alert_words", alert_words=["MARK"])


@action(0.5)
async def set_status(person: Person) -> None:
    await person.call("POST", "/users/me/status", status_text=f"busy {person.rng.randint(0, 9)}")


@action(0.5)
async def change_settings(person: Person) -> None:
    number = person.rng.randint(0, 1)
    await person.call("PATCH", "/settings", twenty_four_hour_time=bool(number))


@action(0.5)
async def follow_topic(person: Person) -> None:
    topic = f"topic {person.rng.randint(0, 3)}"
    channel, policy = person.place.channels["general"], person.rng.randint(0, 3)
    await person.call(
        "POST", "/user_topics", stream_id=channel, topic=topic, visibility_policy=policy
    )


@action(0.5)
async def mute_someone(person: Person) -> None:
    method = person.rng.choice(["POST", "DELETE"])
    await person.call(method, f"/users/me/muted_users/{person.rng.choice(person.place.user_ids)}")


# --- channels, groups and the organization ---


@action(0.5)
async def found_channel(person: Person) -> None:
    about = {"name": "MARK", "subscribers": [person.user_id]}
    await person.create("channel", "/channels/create", "id", **about)


@action(3)
async def change_vault(person: Person) -> None:
    """The owner lets others into the private channel, and puts them out."""
    others = [person.rng.choice(person.place.user_ids[1:5])]
    if person.index == 0 and person.rng.random() < 0.5:
        await person.call(
            "POST", "/users/me/subscriptions", subscriptions=[{"name": "vault"}], principals=others
        )
    elif person.index == 0:
        person.place.removals[others[0]] = CLOCK.monotonic
        await person.call(
            "DELETE", "/users/me/subscriptions", subscriptions=["vault"], principals=others
        )


@action(1)
async def join_or_leave(person: Person) -> None:
    if person.rng.random() < 0.6:
        subscriptions = [{"name": "attic"}]
        await person.call("POST", "/users/me/subscriptions", subscriptions=subscriptions)
    else:
        await person.call("DELETE", "/users/me/subscriptions", subscriptions=["attic"])


@action(0.5)
async def describe_channel(person: Person) -> None:
    channel = person.place.channels["attic"]
    await person.call(
        "PATCH", f"/streams/{channel}", description=f"About {person.rng.randint(0, 99)}"
    )


@action(0.5)
async def found_group(person: Person) -> None:
    await person.create(
        "group",
        "/user_groups/create",
        "group_id",
        name="MARK",
        description="",
        members=[person.user_id],
    )


@action(0.5)
async def change_group(person: Person) -> None:
    group = person.pick(person.model.of("group"))
    if group is not None:
        other = [person.rng.choice(person.place.user_ids)]
        change = {person.rng.choice(["add", "delete"]): other}
        await person.call("POST", f"/user_groups/{group.number}/members", **change)


@action(0.5)
async def add_linkifier(person: Person) -> None:
    if person.index == 0:
        url = "https://example.com/MARK"
        await person.create("link", "/realm/filters", "id", pattern="MARK", url_template=url)


@action(0.3)
async def remove_linkifier(person: Person) -> None:
    await person.delete("link", "/realm/filters/{}")


@action(0.5)
async def change_organization(person: Person) -> None:
    if person.index == 0:
        await person.call("PATCH", "/realm", description=f"About {person.rng.randint(0, 99)}")
