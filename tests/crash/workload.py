"""Users who do everything that users do while servers fail, and record it."""

import random
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.crash.client import Answer, Client, Unreachable
from tests.crash.history import ExpectedHistory, ObservedHistory
from tests.support.waiting import PATIENCE_SECONDS

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
            deed = self._chance.choice(self.ACTIONS)
            self._count += 1
            getattr(self, f"_{deed}")()
            self.done.add(deed)

    def stop(self) -> None:
        self._stopping.set()
        self.join()

    def _ask(self, ask: Callable[[], Answer]) -> Answer | None:
        """None if the outcome is unknown."""
        try:
            answer = ask()
        except Unreachable:
            time.sleep(PAUSE_SECONDS)
            answer = None
        if answer is None or answer.is_outage:
            self.expected.record_unanswered()
            return None
        return answer

    def _do(self, thing: Any, value: Any, ask: Callable[[], Answer], *may_say: str) -> None:
        """Change something that exists; it may be so already, if the last answer was lost."""
        self.expected.record_attempt(thing, value)
        answer = self._ask(ask)
        if answer is None:
            return
        if answer.status == 200 or answer.code in may_say:
            self.expected.record_acknowledged(thing, value)
        else:
            self.expected.problems.append(f"{thing}: {answer.status} {answer.body}")

    def _send(self) -> None:
        words = f"{self.name} {self._count}"
        place = {"type": "channel", "to": self._channel, "topic": "lunch", "content": words}
        answer, deadline = None, time.monotonic() + PATIENCE_SECONDS
        while answer is None and not self.expected.problems and time.monotonic() < deadline:
            answer = self._ask(
                lambda: self._client.post("/messages", {"Idempotency-Key": words}, **place)
            )
        if answer is None:
            self.expected.problems.append(f"{words}: no server answers any more")
        elif answer.status == 200:
            self._mine.append(answer["id"])
            self.expected.record_acknowledged(("words", answer["id"]), words)
        else:
            self.expected.problems.append(f"{words}: {answer.status} {answer.body}")

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
        place: dict[str, Any] = {"type": "channel", "to": self._channel_id, "topic": "x"}
        self._do(
            ("later", words), True,
            lambda: self._client.post(
                "/scheduled_messages",
                content=words,
                scheduled_delivery_timestamp=FAR_AWAY,
                **place,
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
        answer = self._ask(lambda: self._client.post("/register", event_types=["message"]))
        if answer is not None and answer.status == 200:
            self._ask(lambda: self._client.delete("/events", queue_id=answer["queue_id"]))

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
        answer = client.post("/register", apply_markdown=False)
        self._queue_id = answer["queue_id"]
        self.observed.last_event_id = answer["last_event_id"]
        self.observed.channels = {each["name"] for each in answer["subscriptions"]}

    def run(self) -> None:
        while LAST_CONTENT not in self.observed.words.values() and not self.observed.problems:
            try:
                answer = self._client.polls(self._queue_id, self.observed.last_event_id)
            except Unreachable:
                time.sleep(PAUSE_SECONDS)
                continue
            if answer.status == 200:
                for event in answer["events"]:
                    self.observed.apply(event)
            elif answer.status != 503:
                self.observed.problems.append(f"refused: {answer.status} {answer.body}")

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
