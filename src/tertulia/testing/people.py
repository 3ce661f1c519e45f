"""A user or bot in a test: calls the API and waits for messages."""

import base64
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tertulia.cli import zuliprc

TIMEOUT_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.02


class ApiRefusal(Exception):
    """The server answered with an error; `answer` is its body."""

    def __init__(self, status: int, answer: dict[str, Any]) -> None:
        super().__init__(f"{status} {answer.get('msg')}")
        self.status = status
        self.answer = answer


@dataclass
class Account:
    """A user or a bot."""

    site: str
    folder: Path
    id: int
    name: str
    email: str
    key: str
    is_listening: Callable[[int], bool] = field(repr=False)
    _seen: int = field(default=0, repr=False)  # the last message that `wait_for_message` returned

    @property
    def zuliprc(self) -> Path:
        """A file for `zulip.Client(config_file=…)`."""
        path = self.folder / f"{self.id}.zuliprc"
        if not path.exists():
            zuliprc.write(path, self.email, self.key, self.site)
        return path

    def call(self, method: str, path: str, /, **params: Any) -> dict[str, Any]:
        """Call the API: `ana.call("GET", "/users/me")`. Raises ApiRefusal."""
        form = urlencode(
            {
                name: value if isinstance(value, str) else json.dumps(value)
                for name, value in params.items()
            }
        )
        url = f"{self.site}/api/v1{path}"
        if method == "GET":
            url, data = f"{url}?{form}" if form else url, None
        else:
            data = form.encode()
        login = base64.b64encode(f"{self.email}:{self.key}".encode()).decode()
        headers = {"Authorization": f"Basic {login}"}
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                found: dict[str, Any] = json.load(answer)
                return found
        except urllib.error.HTTPError as refused:
            raise ApiRefusal(refused.code, json.load(refused)) from None

    def send(self, to: "str | Account | list[Account]", content: str, topic: str = "test") -> int:
        """Send to a channel or to users; returns the message id."""
        if isinstance(to, str):
            params: dict[str, Any] = {"type": "channel", "to": to, "topic": topic}
        else:
            people = [to] if isinstance(to, Account) else to
            params = {"type": "direct", "to": [each.id for each in people]}
        number: int = self.call("POST", "/messages", content=content, **params)["id"]
        return number

    def messages(self, limit: int = 100) -> list[dict[str, Any]]:
        """The newest messages that this account sees, oldest first, as Markdown."""
        found = self.call(
            "GET", "/messages", anchor="newest", num_before=limit, apply_markdown=False
        )
        newest: list[dict[str, Any]] = found["messages"]
        return newest

    def listen(self, *event_types: str, **options: Any) -> "EventQueue":
        """Open an event queue, for all events if no type is named: `ana.listen("reaction")`."""
        if event_types:
            options = {"event_types": list(event_types), "fetch_event_types": [], **options}
        return EventQueue(self, self.call("POST", "/register", **options))

    def use(
        self, command: str, to: "str | Account", topic: str = "test", **values: Any
    ) -> "UsedApp":
        """Call a command in a channel or a direct conversation: `ana.use("deploy", "kitchen")`."""
        queue = self.listen("interaction_update")
        commands = self.call("GET", "/commands")["commands"]
        number = next((each["id"] for each in commands if each["name"] == command), 0)
        where: dict[str, Any] = {"type": "channel", "to": to, "topic": topic}
        if isinstance(to, Account):
            where = {"type": "direct", "to": [to.id]}
        made = self.call("POST", f"/commands/{number}/calls", **where, values=values)
        return UsedApp(queue, made["interaction"])

    def press(self, message_id: int, button: str) -> "UsedApp":
        """Press a button of a message, by the id of the button."""
        queue = self.listen("interaction_update")
        made = self.call("POST", f"/messages/{message_id}/press", button=button)
        return UsedApp(queue, made["interaction"])

    def stop_answer(self, answer: "WatchedAnswer") -> None:
        """Ask the bot to stop, as the Stop button of the page does."""
        self.call("POST", f"/answers/{answer.token}/stop")

    def wait_until_listening(self, seconds: float = 60.0) -> None:
        """Wait until a program has opened an event queue for this account."""
        otherwise = f"{self.name} has opened no event queue in {seconds:g} s"
        _wait_until(lambda: self.is_listening(self.id), seconds, lambda: otherwise)

    def wait_for_message(
        self,
        content: str | Callable[[str], bool] | None = None,
        *,
        sender: "Account | None" = None,
        seconds: float = TIMEOUT_SECONDS,
    ) -> dict[str, Any]:
        """The next message of another account, after the last one that was waited for; fails if
        none arrives.

        `content` is a part of the text, or a function that accepts or rejects it.
        """
        found: list[dict[str, Any]] = []

        def poll() -> bool:
            for message in self.messages():
                is_new = message["id"] > self._seen and message["sender_id"] != self.id
                is_theirs = sender is None or message["sender_id"] == sender.id
                if is_new and is_theirs and _is_meant(message["content"], content):
                    found.append(message)
                    return True
            return False

        def otherwise() -> str:
            last = [f"{each['sender_full_name']}: {each['content']}" for each in self.messages(5)]
            seen = "\n".join(["; the last ones are:", *last]) if last else ""
            return f"{self.name} has seen no such message in {seconds:g} s{seen}"

        _wait_until(poll, seconds, otherwise)
        self._seen = found[0]["id"]
        return found[0]


@dataclass
class UsedApp:
    """A call of a command, a press of a button or a submitted form."""

    queue: "EventQueue"
    interaction: dict[str, Any]

    def wait_for_answer(self, seconds: float = TIMEOUT_SECONDS) -> dict[str, Any]:
        """The interaction when its bot has answered: `rendered_content` is what only the user
        sees, `answer_message_id` the message, `form` what the bot asks for."""
        while self.interaction["state"] in ("waiting", "fetched"):
            event = self.queue.wait_for_event("interaction_update", seconds=seconds)
            if event["interaction"]["id"] == self.interaction["id"]:
                self.interaction = event["interaction"]
        return self.interaction

    def fill(self, **values: Any) -> "UsedApp":
        """Submit the form that the bot has asked for."""
        path = f"/interactions/{self.wait_for_answer()['id']}/form"
        made = self.queue.owner.call("POST", path, values=values)
        return UsedApp(self.queue, made["interaction"])


@dataclass
class WatchedAnswer:
    """A streamed answer as a client has seen it so far."""

    token: str
    sender_id: int
    text: str = ""
    status_lines: list[str] = field(default_factory=list)
    is_stopped: bool = False
    is_over: bool = False
    message_id: int | None = None  # the message that it has become

    def apply(self, event: dict[str, Any]) -> None:
        if event["op"] == "update":
            start, piece = event["position"], event["content"]
            self.text = self.text[:start] + piece + self.text[start + len(piece) :]
            if event["status_line"] not in self.status_lines[-1:]:
                self.status_lines.append(event["status_line"])
        self.is_stopped |= event["op"] == "stop"
        self.is_over |= event["op"] == "end"
        self.message_id = event.get("message_id", self.message_id)


class EventQueue:
    """An event queue of an account."""

    def __init__(self, owner: Account, registered: dict[str, Any]) -> None:
        self.owner = owner
        self.state = registered
        self.id: str = registered["queue_id"]
        self._last: int = registered["last_event_id"]
        self._waiting: list[dict[str, Any]] = []
        self._answers: dict[str, WatchedAnswer] = {}

    def wait_for_answer(
        self,
        text: str | None = None,
        *,
        sender: Account | None = None,
        seconds: float = TIMEOUT_SECONDS,
    ) -> WatchedAnswer:
        """A streamed answer that is over, or that contains `text` if it is given; fails if none
        comes that far. The queue must be of the type "answer": `queue = ana.listen("answer")`."""
        found: list[WatchedAnswer] = []

        def poll() -> bool:
            self._waiting += self._poll()
            while self._waiting:
                event = self._waiting.pop(0)
                if event["type"] != "answer":
                    continue
                new = WatchedAnswer(event["answer_token"], event["sender_id"])
                answer = self._answers.setdefault(new.token, new)
                answer.apply(event)
                is_theirs = sender is None or answer.sender_id == sender.id
                is_far_enough = answer.is_over if text is None else text in answer.text
                if is_theirs and is_far_enough:
                    found.append(answer)
                    return True
            return False

        def otherwise() -> str:
            seen = "\n".join(repr(each) for each in self._answers.values())
            return f"{self.owner.name} has seen no such answer in {seconds:g} s\n{seen}"

        _wait_until(poll, seconds, otherwise)
        return found[0]

    def wait_for_event(
        self, type_: str | None = None, *, seconds: float = TIMEOUT_SECONDS, **fields: Any
    ) -> dict[str, Any]:
        """The next event of this type with these fields; fails if none arrives. Earlier events are
        passed over: `queue.wait_for_event("reaction", op="add", emoji_name="tada")`.
        """
        wanted = fields if type_ is None else {"type": type_, **fields}
        passed: list[dict[str, Any]] = []
        found: list[dict[str, Any]] = []

        def poll() -> bool:
            self._waiting += self._poll()
            while self._waiting:
                event = self._waiting.pop(0)
                if all(event.get(name) == value for name, value in wanted.items()):
                    found.append(event)
                    return True
                passed.append(event)
            return False

        def otherwise() -> str:
            names = "\n".join(json.dumps(each)[:200] for each in passed[-5:])
            seen = f"; the last events are:\n{names}" if passed else ""
            return f"{self.owner.name} has got no event {wanted} in {seconds:g} s{seen}"

        _wait_until(poll, seconds, otherwise)
        return found[0]

    def _poll(self) -> list[dict[str, Any]]:
        answer = self.owner.call(
            "GET", "/events", queue_id=self.id, last_event_id=self._last, dont_block=True
        )
        events: list[dict[str, Any]] = answer["events"]
        if events:
            self._last = events[-1]["id"]
        return [each for each in events if each["type"] != "heartbeat"]


def _wait_until(holds: Callable[[], bool], seconds: float, otherwise: Callable[[], str]) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise())
        time.sleep(LOOK_AGAIN_SECONDS)


def _is_meant(text: str, wanted: str | Callable[[str], bool] | None) -> bool:
    if wanted is None:
        return True
    return wanted(text) if callable(wanted) else wanted in text
