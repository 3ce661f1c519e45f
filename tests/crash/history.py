"""Expected and observed history: enough to detect a lost or wrong change.

Each thing is changed by one user, step by step. An acknowledged step holds until the next one; the
outcome of a step without an answer is unknown. So in the end a thing must be as the last
acknowledged step left it, or as a later attempted step would have.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

Thing = Hashable
ABSENT = None

# What a listener tracks, and the action of `Actor` that causes it.
ACTION_BY_EVENT = {
    "message": "send",
    "update_message": "edit",
    "reaction add": "react",
    "reaction remove": "react",
    "update_message_flags add": "read",
    "subscription add": "subscribe",
    "subscription remove": "subscribe",
}
# Events that change nothing that is compared.
IGNORED_EVENTS = {
    "update_message_flags remove",
    "subscription update",
    "subscription peer_add",
    "subscription peer_remove",
}


MISSING = (
    "No replica handles the event {}: say in ObservedHistory (tests/crash/history.py) what it"
    " changes and give Actor (tests/crash/workload.py) an action that causes it, or name it in"
    " IGNORED_EVENTS."
)


def name_of(event: dict[str, Any]) -> str:
    """Its name in the contract: type, and op if it has one."""
    return " ".join(filter(None, (event["type"], event.get("op"))))


def is_missing(name: str) -> bool:
    """Whether an event that is compared was received for the first time."""
    watched = {each.split()[0] for each in ACTION_BY_EVENT}
    return name.split()[0] in watched and name not in ACTION_BY_EVENT.keys() | IGNORED_EVENTS


@dataclass
class ExpectedHistory:
    """The steps of one user."""

    name: str
    problems: list[str] = field(default_factory=list)
    acknowledged: int = 0
    unanswered: int = 0
    _possible: dict[Thing, set[Any]] = field(default_factory=dict)

    def record_attempt(self, thing: Thing, value: Any) -> None:
        self._possible.setdefault(thing, {ABSENT}).add(value)

    def record_acknowledged(self, thing: Thing, value: Any) -> None:
        self.acknowledged += 1
        self._possible[thing] = {value}

    def record_unanswered(self) -> None:
        """The step got no answer."""
        self.unanswered += 1

    def compare(self, found: dict[Thing, Any]) -> Iterable[str]:
        """Things in an impossible final state."""
        yield from (f"{self.name}: {each}" for each in self.problems)
        for thing, possible in self._possible.items():
            if found.get(thing, ABSENT) not in possible:
                yield f"{self.name}: {thing} is {found.get(thing, ABSENT)!r}, not one of {possible}"


@dataclass
class ObservedHistory:
    """What a listener knows of messages: content, reactions, read flags."""

    name: str
    words: dict[int, str] = field(default_factory=dict)
    likes: set[tuple[int, int]] = field(default_factory=set)  # message id and user id
    read: set[int] = field(default_factory=set)
    channels: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    last_event_id: int = -1
    _received: Counter[int] = field(default_factory=Counter)

    def apply(self, event: dict[str, Any]) -> None:
        if event["id"] <= self.last_event_id:
            self.problems.append(f"event {event['id']} came after {self.last_event_id}")
        self.last_event_id = event["id"]
        match name_of(event):
            case "message":
                message = event["message"]
                self._received[message["id"]] += 1
                self.words[message["id"]] = message["content"]
                if "read" in event["flags"]:
                    self.read.add(message["id"])
            case "update_message":
                if "content" in event:
                    self.words[event["message_id"]] = event["content"]
            case "reaction add":
                self._change(self.likes, event, present=True)
            case "reaction remove":
                self._change(self.likes, event, present=False)
            case "update_message_flags add":
                if event["flag"] == "read":
                    self.read.update(event["messages"])
            case "subscription add":
                self.channels |= {each["name"] for each in event["subscriptions"]}
            case "subscription remove":
                self.channels -= {each["name"] for each in event["subscriptions"]}
            case unknown if is_missing(unknown):
                self.problems.append(MISSING.format(unknown))

    def _change(self, likes: set[tuple[int, int]], event: dict[str, Any], *, present: bool) -> None:
        like = event["message_id"], event["user_id"]
        if (like in likes) == present:
            self.problems.append(f"{event['op']} of {like} was received twice")
        (likes.add if present else likes.discard)(like)

    def compare(self, truth: "ObservedHistory") -> Iterable[str]:
        yield from (f"{self.name}: {each}" for each in self.problems)
        yield from (
            f"{self.name} received {n} {c} times" for n, c in self._received.items() if c > 1
        )
        for number in sorted(truth.words.keys() | self.words.keys()):
            known, true = self.words.get(number), truth.words.get(number)
            if known != true:
                yield f"{self.name} knows message {number} as {known!r}; it is {true!r}"
        for what in ("likes", "read", "channels"):
            missed, too_many = getattr(truth, what) - getattr(self, what), getattr(self, what)
            if missed or too_many - getattr(truth, what):
                extra = too_many - getattr(truth, what)
                yield f"{self.name} missed {what} {missed}, and has {extra} too many"
