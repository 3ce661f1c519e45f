"""Load of many users who chat: their answers and latencies."""

import asyncio
import json
import random
from collections import Counter
from typing import Any

from bench.http_client import HttpConnection, Login
from tests.crash.people import Person

USERS_PER_CHANNEL = 50  # users in a channel; one more channel has all users
PAUSE_SECONDS = 20.0  # average pause between two actions of a user
BROADCAST_SHARE = 0.01
ACTIONS = {
    "send": 40, "fetch": 15, "read": 15, "react": 10, "edit": 5, "type": 5, "search": 5,
    "register": 5,
}  # fmt: skip


class UserLoad:
    def __init__(self, port: int, people: list[Person]) -> None:
        self.seconds: list[float] = []  # latencies of sends
        self.problems: list[str] = []
        self.done: Counter[str] = Counter()
        self.received = 0
        self.users = [LoadUser(self, port, number, each) for number, each in enumerate(people)]

    async def run(self, seconds: float) -> None:
        """All users subscribe before the first one polls, so that five hundred users do not
        register within one minute."""
        until = asyncio.get_running_loop().time() + seconds
        await asyncio.gather(*(each.join() for each in self.users))
        await asyncio.gather(*(each.run(until) for each in self.users))


class LoadUser:
    """Polls all the time, and acts now and then."""

    def __init__(self, load: UserLoad, port: int, number: int, person: Person) -> None:
        self._load, self._port, self._id = load, port, person.id
        self._login = Login(person.email, person.key)
        self._channel = f"circle {number // USERS_PER_CHANNEL}"
        self._chance = random.Random(number)
        self._mine: list[int] = []
        self._seen: list[int] = []
        self._queue_id, self._last = "", -1

    async def join(self) -> None:
        self._connection = await HttpConnection.to(self._port)
        wanted = [{"name": self._channel}, {"name": "everybody"}]
        await self._ask("POST", "/users/me/subscriptions", subscriptions=wanted)

    async def run(self, until: float) -> None:
        loop = asyncio.get_running_loop()
        polling = await HttpConnection.to(self._port)
        listening = None
        try:
            await self._register()
            listening = asyncio.create_task(self._listen(polling))
            while loop.time() < until and not listening.done():
                await asyncio.sleep(self._chance.expovariate(1 / PAUSE_SECONDS))
                (action,) = self._chance.choices(list(ACTIONS), list(ACTIONS.values()))
                await getattr(self, f"_{action}")()
                self._load.done[action] += 1
            if listening.done():
                listening.result()
        except Exception as error:
            self._load.problems.append(f"{self._login.email}: {error!r}")
        finally:
            if listening is not None:
                listening.cancel()
            polling.close()
            self._connection.close()

    async def _ask(self, method: str, path: str, **params: Any) -> Any:
        """Repeat on a new connection, if the server has closed an idle one."""
        request = self._login.request(method, path, **params)
        if method == "GET":
            request = self._login.get(path, **params)
        try:
            return json.loads(await self._connection.fetch(request))
        except ConnectionError:
            self._connection = await HttpConnection.to(self._port)
            return json.loads(await self._connection.fetch(request))

    async def _listen(self, polling: HttpConnection) -> None:
        while True:
            params = {"queue_id": self._queue_id, "last_event_id": self._last}
            response = json.loads(await polling.fetch(self._login.get("/events", **params)))
            for event in response["events"]:
                self._last = max(self._last, event["id"])
                if event["type"] == "message":
                    self._load.received += 1
                    self._seen = [*self._seen[-50:], event["message"]["id"]]

    # --- actions ---

    async def _register(self) -> None:
        """Register; the first queue stays, later ones are another device of the same user."""
        response = await self._ask("POST", "/register")
        if not self._queue_id:
            self._queue_id, self._last = response["queue_id"], response["last_event_id"]
        else:
            await self._ask("DELETE", "/events", queue_id=response["queue_id"])

    async def _send(self) -> None:
        to = "everybody" if self._chance.random() < BROADCAST_SHARE else self._channel
        words = " ".join(self._chance.choices(["soup", "boat", "rain", "Ana", ":tada:"], k=12))
        fields = {"type": "channel", "to": to, "topic": f"about {self._chance.randrange(20)}"}
        began = asyncio.get_running_loop().time()
        response = await self._ask("POST", "/messages", content=words, **fields)
        self._load.seconds.append(asyncio.get_running_loop().time() - began)
        self._mine = [*self._mine[-20:], response["id"]]

    async def _fetch(self) -> None:
        await self._ask("GET", "/messages", anchor="newest", num_before=100)

    async def _search(self) -> None:
        narrow = [{"operator": "search", "operand": self._chance.choice(["soup", "rain boat"])}]
        await self._ask("GET", "/messages", anchor="newest", num_before=50, narrow=narrow)

    async def _read(self) -> None:
        if self._seen:
            flag = {"messages": self._seen, "op": "add", "flag": "read"}
            await self._ask("POST", "/messages/flags", **flag)

    async def _react(self) -> None:
        if self._mine:
            number = self._mine.pop(0)
            await self._ask("POST", f"/messages/{number}/reactions", emoji_name="tada")

    async def _edit(self) -> None:
        if self._mine:
            path = f"/messages/{self._chance.choice(self._mine)}"
            await self._ask("PATCH", path, content=f"anew {self._chance.random()}")

    async def _type(self) -> None:
        others = [max(1, self._id - 1)]
        await self._ask("POST", "/typing", op="start", to=others, type="direct")
