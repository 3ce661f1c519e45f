"""Users who keep sending and polling while servers fail.

They act like a correct client: repeat a send with a key until it is acknowledged, never repeat one
without a key, poll with the last event id, and keep their queue.
"""

import random
import threading
import time
from typing import Any

from tests.crash.client import Answer, Client, Unreachable

PAUSE_SECONDS = 0.02  # before the next attempt to reach a server
# The longest pause between two messages; the long one is for tests that wait for much.
SHORT_PAUSE_SECONDS, LONG_PAUSE_SECONDS = 0.01, 0.04


class Sender(threading.Thread):
    """Sends numbered messages to one place until stopped.

    `repeat_key` makes a send repeatable: a key in a header, the queue's `local_id`, or nothing.
    """

    def __init__(
        self,
        name: str,
        client: Client,
        destination: dict[str, Any],
        repeat_key: str = "",
        queue_id: str = "",
        pause_seconds: float = SHORT_PAUSE_SECONDS,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.acknowledged: dict[str, int] = {}  # content, and the id in the answer
        self.is_keyed = bool(repeat_key)
        self.repeats = 0
        self.problems: list[str] = []
        self._client = client
        self._destination = destination
        self._repeat_key = repeat_key
        self._queue_id = queue_id
        self._pause_seconds = pause_seconds
        self._chance = random.Random(name)
        self._stopping = threading.Event()

    def run(self) -> None:
        number = 0
        while not self._stopping.is_set() and not self.problems:
            number += 1
            self._send_repeatedly(f"{self.name} {number}")
            time.sleep(self._chance.uniform(0, self._pause_seconds))

    def stop(self) -> None:
        self._stopping.set()
        self.join()

    def _send_repeatedly(self, content: str) -> None:
        response = self._send(content)
        while response is None and self.is_keyed and not self.problems:
            self.repeats += 1
            response = self._send(content)
        if response is not None:
            self.acknowledged[content] = response["id"]

    def _send(self, content: str) -> Answer | None:
        """None without an answer, or if the server lost its database."""
        try:
            response = self._client.post(
                "/messages", **self._with_key(content), **self._destination
            )
        except Unreachable:
            time.sleep(PAUSE_SECONDS)
            return None
        if response.status == 200:
            return response
        if not response.is_outage:
            self.problems.append(f"{self.name} was refused: {response.status} {response.body}")
        return None

    def _with_key(self, content: str) -> dict[str, Any]:
        if self._repeat_key == "header":
            return {"content": content, "headers": {"Idempotency-Key": content}}
        if self._repeat_key == "local_id":
            return {"content": content, "queue_id": self._queue_id, "local_id": content}
        return {"content": content}


class Listener(threading.Thread):
    """Registers once and polls until everything it waits for has arrived."""

    def __init__(
        self,
        name: str,
        client: Client,
        destinations: list[str],
        *,
        blocks: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.destinations = destinations  # the places whose messages must arrive
        self.message_ids: list[int] = []
        self.problems: list[str] = []
        self.retries = 0
        self.queue_id = ""
        self._client = client
        self._blocks = blocks
        self._options = options
        self._last_event_id = -1
        self._awaited: set[str] = set()

    def register(self) -> None:
        response = self._client.insists("/register", fetch_event_types=["realm"], **self._options)
        self.queue_id = response["queue_id"]
        self._last_event_id = response["last_event_id"]
        self._awaited = {final_message(location) for location in self.destinations}

    def run(self) -> None:
        while self._awaited and not self.problems:
            response = self._poll()
            if response is None:
                self.retries += 1
                time.sleep(PAUSE_SECONDS)
            elif response.status == 200:
                self._take(response["events"])
            elif not response.is_outage:
                self.problems.append(f"{self.name} was refused: {response.status} {response.body}")

    def _poll(self) -> Answer | None:
        try:
            if not self._blocks:
                time.sleep(PAUSE_SECONDS)
            return self._client.get(
                "/events",
                queue_id=self.queue_id,
                last_event_id=self._last_event_id,
                dont_block=not self._blocks,
            )
        except Unreachable:
            return None

    def _take(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            if event["id"] <= self._last_event_id:
                self.problems.append(
                    f"{self.name} received event {event['id']} after {self._last_event_id}"
                )
            self._last_event_id = event["id"]
            if event["type"] == "message":
                self.message_ids.append(event["message"]["id"])
                self._awaited -= {content_of(event["message"])}


class RoamingClient(threading.Thread):
    """Subscribes, reads and unsubscribes, so that the log holds more than messages and others
    register meanwhile."""

    def __init__(self, client: Client, channel: str) -> None:
        super().__init__(name="roaming client", daemon=True)
        self._client = client
        self._channel = channel
        self._stopping = threading.Event()

    def run(self) -> None:
        while not self._stopping.wait(0.01):
            try:
                self._client.post(
                    "/users/me/subscriptions", subscriptions=[{"name": self._channel}]
                )
                response = self._client.post("/register", fetch_event_types=["message"])
                if response.status == 200:
                    self._client.delete("/events", queue_id=response["queue_id"])
                self._client.delete("/users/me/subscriptions", subscriptions=[self._channel])
            except Unreachable:
                continue

    def stop(self) -> None:
        self._stopping.set()
        self.join()


def final_message(destination: str) -> str:
    """The last message of a place: a listener that has it has received everything."""
    return f"goodbye {destination}"


def send_until_accepted(client: Client, content: str, destination: dict[str, Any]) -> None:
    """Send exactly once, with as many attempts as necessary."""
    headers = {"Idempotency-Key": content}
    for _ in range(100):
        try:
            if client.post("/messages", headers, content=content, **destination).status == 200:
                return
        except Unreachable:
            pass
        time.sleep(PAUSE_SECONDS)
    raise AssertionError(f"{content!r} could not be sent")


def content_of(message: dict[str, Any]) -> str:
    """The content, rendered or not."""
    return str(message["content"]).removeprefix("<p>").removesuffix("</p>")
