"""Users who do everything that users do while servers fail, and record it."""

import random
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.crash.client import Answer, Client, Unreachable
from tests.crash.history import ExpectedHistory, ObservedHistory
from tests.support.waiting import TIMEOUT_SECONDS

PAUSE_SECONDS = 0.01
FAR_AWAY = 4_000_000_000  # when scheduled messages are due
LAST_CONTENT = "That is all"


class Actor(threading.Thread):
    """Does random actions one after the other: an action is the method of that name."""

    ACTIONS = (
        "send",
        "send",
        "edit",
        "react",
        "subscribe",
        "schedule",
        "upload",
        "read",
        "register",
    )

    def __init__(self, name: str, client: Client, channel: str) -> None:
        super().__init__(name=name, daemon=True)
        self.expected = ExpectedHistory(name)
        self.done: set[str] = set()
        self._client, self._channel = client, channel
        self._channel_id: int = client.get("/get_stream_id", stream=channel)["stream_id"]
        self._chance = random.Random(name)
        self._mine: list[int] = []
        self._count = 0
        self._stopping = threading.Event()

    def run(self) -> None:
        try:
            self._do_things()
        except Exception as error:
            self.expected.problems.append(f"failed: {error!r}")

    def _do_things(self) -> None:
        while not self._stopping.is_set() and not self.expected.problems:
            action = self._chance.choice(self.ACTIONS)
            self._count += 1
            getattr(self, f"_{action}")()
            self.done.add(action)

    def stop(self) -> None:
        self._stopping.set()
        self.join()

    def _ask(self, ask: Callable[[], Answer]) -> Answer | None:
        """None if the outcome is unknown."""
        try:
            response = ask()
        except Unreachable:
            time.sleep(PAUSE_SECONDS)
            response = None
        if response is None or response.is_outage:
            self.expected.record_unanswered()
            return None
        return response

    def _do(self, thing: Any, value: Any, ask: Callable[[], Answer], *accepted_codes: str) -> None:
        """Change something that exists; it may be so already, if the last answer was lost."""
        self.expected.record_attempt(thing, value)
        response = self._ask(ask)
        if response is None:
            return
        if response.status == 200 or response.code in accepted_codes:
            self.expected.record_acknowledged(thing, value)
        else:
            self.expected.problems.append(f"{thing}: {response.status} {response.body}")

    def _send(self) -> None:
        words = f"{self.name} {self._count}"
        fields = {"type": "channel", "to": self._channel, "topic": "lunch", "content": words}
        response, deadline = None, time.monotonic() + TIMEOUT_SECONDS
        while response is None and not self.expected.problems and time.monotonic() < deadline:
            response = self._ask(
                lambda: self._client.post("/messages", {"Idempotency-Key": words}, **fields)
            )
        if response is None:
            self.expected.problems.append(f"{words}: no server answers any more")
        elif response.status == 200:
            self._mine.append(response["id"])
            self.expected.record_acknowledged(("words", response["id"]), words)
        else:
            self.expected.problems.append(f"{words}: {response.status} {response.body}")

    def _edit(self) -> None:
        if self._mine:
            number, words = self._chance.choice(self._mine), f"{self.name} anew {self._count}"
            self._do(
                ("words", number),
                words,
                lambda: self._client.patch(f"/messages/{number}", content=words),
            )

    def _react(self) -> None:
        if not self._mine:
            return
        number = self._chance.choice(self._mine)
        path = f"/messages/{number}/reactions"
        if self._chance.random() < 0.6:
            self._do(
                ("like", number), True,
                lambda: self._client.post(path, emoji_name="tada"), "REACTION_ALREADY_EXISTS",
            )  # fmt: skip
        else:
            self._do(
                ("like", number), None,
                lambda: self._client.delete(path, emoji_name="tada"), "REACTION_DOES_NOT_EXIST",
            )  # fmt: skip

    def _subscribe(self) -> None:
        name, path = f"room of {self.name}", "/users/me/subscriptions"
        if self._chance.random() < 0.5:
            wanted = [{"name": name}]
            self._do(("in", name), True, lambda: self._client.post(path, subscriptions=wanted))
        else:
            self._do(("in", name), None, lambda: self._client.delete(path, subscriptions=[name]),
                     "BAD_REQUEST")  # fmt: skip

    def _schedule(self) -> None:
        words = f"{self.name} later {self._count}"
        fields: dict[str, Any] = {"type": "channel", "to": self._channel_id, "topic": "x"}
        self._do(
            ("later", words), True,
            lambda: self._client.post(
                "/scheduled_messages",
                content=words,
                scheduled_delivery_timestamp=FAR_AWAY,
                **fields,
            ),
        )  # fmt: skip

    def _upload(self) -> None:
        name = f"{self.name}-{self._count}.txt"
        self._do(("file", name), True, lambda: self._client.uploads(name, b"x" * 2000))

    def _read(self) -> None:
        if self._mine:
            number = self._chance.choice(self._mine)
            flag: dict[str, Any] = {"messages": [number], "op": "add", "flag": "read"}
            self._do(("read", number), True, lambda: self._client.post("/messages/flags", **flag))

    def _register(self) -> None:
        response = self._ask(lambda: self._client.post("/register", event_types=["message"]))
        if response is not None and response.status == 200:
            self._ask(lambda: self._client.delete("/events", queue_id=response["queue_id"]))

    def found(self) -> dict[Any, Any]:
        """The final state as its owner sees it."""
        self._client.close()
        found: dict[Any, Any] = {}
        shown = self._client.get(
            "/messages", anchor="newest", num_before=5000, apply_markdown=False
        )["messages"]
        for message in shown:
            found["words", message["id"]] = message["content"]
            found["read", message["id"]] = True if "read" in message["flags"] else None
            found["like", message["id"]] = True if message["reactions"] else None
        for each in self._client.get("/users/me/subscriptions")["subscriptions"]:
            found["in", each["name"]] = True
        for each in self._client.get("/scheduled_messages")["scheduled_messages"]:
            found["later", each["content"]] = True
        for each in self._client.get("/attachments")["attachments"]:
            found["file", each["name"]] = True
        return found


class Replica(threading.Thread):
    """Registers once, applies every event, and stops at the last message."""

    def __init__(self, name: str, client: Client) -> None:
        super().__init__(name=name, daemon=True)
        self.observed = ObservedHistory(name)
        self._client = client
        response = client.post("/register", apply_markdown=False)
        self._queue_id = response["queue_id"]
        self.observed.last_event_id = response["last_event_id"]
        self.observed.channels = {each["name"] for each in response["subscriptions"]}

    def run(self) -> None:
        while LAST_CONTENT not in self.observed.words.values() and not self.observed.problems:
            try:
                response = self._client.polls(self._queue_id, self.observed.last_event_id)
            except Unreachable:
                time.sleep(PAUSE_SECONDS)
                continue
            if response.status == 200:
                for event in response["events"]:
                    self.observed.apply(event)
            elif response.status != 503:
                self.observed.problems.append(f"refused: {response.status} {response.body}")

    def truth(self) -> ObservedHistory:
        """The final state that the server reports."""
        self._client.close()
        truth = ObservedHistory("the server")
        shown = self._client.get(
            "/messages", anchor="newest", num_before=5000, apply_markdown=False
        )["messages"]
        for message in shown:
            truth.words[message["id"]] = message["content"]
            truth.likes |= {(message["id"], each["user_id"]) for each in message["reactions"]}
            if "read" in message["flags"]:
                truth.read.add(message["id"])
        mine = self._client.get("/users/me/subscriptions")["subscriptions"]
        truth.channels = {each["name"] for each in mine}
        return truth
