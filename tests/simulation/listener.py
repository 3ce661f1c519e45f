"""A listener: a client that registers once, and then applies every event until the run ends."""

import asyncio
import random
from typing import Any

from tests.simulation.machine import CLOCK
from tests.simulation.network import Answer, ConnectionLost
from tests.simulation.people import Call, Place
from tests.support import model_personal_state, model_state
from tests.support.model_client import Picture, Subject

OPTIONS = {
    "client_capabilities": model_state.CAPABILITIES,
    "include_subscribers": True,
    "apply_markdown": False,
}
SUBJECTS: tuple[Subject, ...] = (model_state.SUBJECT, model_personal_state.SUBJECT)

AWAY_SHARE = 0.02  # of polls after which the client is away for a while
MEAN_AWAY_SECONDS, MAX_AWAY_SECONDS = 5.0, 60.0

# The model of unread messages knows no deletions; `ReceivedMessages` does.
_NOT_MODELLED = (model_personal_state.message, model_personal_state.update_message_flags)


def pictures(state: dict[str, Any]) -> list[Picture]:
    """The state of each model, as a register returns it."""
    return [
        {name: read(state) for name, read in each.parts.items() if name != "unread"}
        for each in SUBJECTS
    ]


class Listener:
    def __init__(self, index: int, call: Call, rng: random.Random, place: Place) -> None:
        self.index, self._rng, self._place = index, rng, place
        self.is_over = False  # the run is; it reads what is left
        self._call = call
        self._private = place.channels["vault"]
        self.queue_id: str | None = None
        self.last_event_id = -1
        self.first_message_id = 0
        self.received: list[int] = []  # messages
        self.arrivals: dict[
            int, tuple[float, float]
        ] = {}  # of messages: when the poll began, ended
        self.pictures: list[Picture] = []
        self.problems: list[str] = []
        self.may_expire = False  # the machine was suspended for longer than a queue lives
        self._may_read_private = False
        self._may_read_since = 0.0
        self.private_spans: list[list[int]] = []  # of ids: between them it may read all messages

    async def live(self) -> None:
        while True:
            try:
                if self.queue_id is None:
                    await self._register()
                else:
                    await self._poll()
            except ConnectionLost:
                await asyncio.sleep(0.3)

    async def _register(self) -> None:
        answer = await self.register()
        if not answer.is_good:
            await asyncio.sleep(0.5)
            return
        state = answer.json
        self.queue_id, self.last_event_id = state["queue_id"], state["last_event_id"]
        self.first_message_id = state["max_message_id"]
        self.pictures = pictures(state)
        self.received = []
        self._may_read_private = self._private in self.pictures[0]["subscriptions"]
        self._may_read_since = CLOCK.monotonic
        self.private_spans = [[self.first_message_id] * 2] if self._may_read_private else []

    async def register(self) -> Answer:
        return await self._call(self.index, "POST", "/register", OPTIONS)

    async def _poll(self) -> None:
        params = {"queue_id": self.queue_id, "last_event_id": self.last_event_id}
        began = CLOCK.monotonic
        answer = await self._call(self.index, "GET", "/events", params)
        if answer.is_good:
            for event in answer.json["events"]:
                if event["type"] == "message":
                    self.arrivals[event["message"]["id"]] = began, CLOCK.monotonic
                self._receive(event)
            if not self.is_over and self._rng.random() < AWAY_SHARE:
                seconds = self._rng.expovariate(1 / MEAN_AWAY_SECONDS)
                await asyncio.sleep(min(seconds, MAX_AWAY_SECONDS))
        elif answer.code == "BAD_EVENT_QUEUE_ID":
            if not self.may_expire and not self._place.is_erasing:
                self.problems.append(f"queue {self.queue_id} was lost")
            self.queue_id = None
        else:
            await asyncio.sleep(0.3)

    def _receive(self, event: dict[str, Any]) -> None:
        if event["id"] <= self.last_event_id:
            self.problems.append(f"event {event['id']} came after {self.last_event_id}")
        self.last_event_id = event.pop("id")
        if event["type"] == "message":
            self._receive_message(event["message"])
        elif event["type"] == "subscription" and event["op"] in ("add", "remove"):
            changed = [each["stream_id"] for each in event["subscriptions"]]
            if self._private in changed:
                self._may_read_private = event["op"] == "add"
                if self._may_read_private:
                    self._may_read_since = CLOCK.monotonic
                    self.private_spans.append([])
        for subject, picture in zip(SUBJECTS, self.pictures, strict=True):
            handle = subject.handlers.get(event["type"])
            if handle is None or handle in _NOT_MODELLED:
                continue
            try:
                handle(picture, event)
            except (AssertionError, KeyError) as error:
                if isinstance(error, KeyError) and event.get("op") == "remove":
                    continue  # what was deleted before its event was read came without contents
                self.problems.append(f"an event does not fit the state: {error!r}: {event}")

    def _receive_message(self, message: dict[str, Any]) -> None:
        number = message["id"]
        if self.received and number <= self.received[-1]:
            self.problems.append(f"message {number} came after {self.received[-1]}")
        self.received.append(number)
        if self._may_read_private:
            removed_at = self._place.removals.get(self._place.user_ids[self.index], -1.0)
            if removed_at < self._may_read_since:  # later it is told of no message that it missed
                self.private_spans[-1] = [*self.private_spans[-1][:1], number]
        elif message.get("stream_id") == self._private:
            self.problems.append(f"message {number} came after the access had ended")
