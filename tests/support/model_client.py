"""The model client ("watcher"): registers once and then applies every event.

Its state consists of parts. A part is read from the answer of POST /register, and event handlers
change it. What it tracks is a `Subject`; to let a law compare more, add a part with `part` and the
event types that change it with `handles`, or both at once for a list.
"""

from collections.abc import Callable
from typing import Any

from tests.support.event_queue import Event
from tests.support.people import Person

SUBJECTS = ("type", "op", "property", "stream_id", "stream_ids", "user_ids", "user_id", "group_id")

Picture = dict[str, Any]
Registered = dict[str, Any]
Read = Callable[[Registered], Any]
Handle = Callable[[Picture, Event], None]


class Subject:
    def __init__(self) -> None:
        self.parts: dict[str, Read] = {}
        self.handlers: dict[str, Handle] = {}

    def part(self, read: Read) -> Read:
        """Marks a function that reads the part of the state with its name."""
        self.parts[read.__name__] = read
        return read

    def handles(self, event_type: str) -> Callable[[Handle], Handle]:
        """Marks the function that applies events of a type."""

        def mark(handle: Handle) -> Handle:
            assert event_type not in self.handlers, f"two functions handle {event_type}"
            self.handlers[event_type] = handle
            return handle

        return mark

    def replaced_list(self, name: str) -> None:
        """A part that every event about it replaces."""
        self.parts[name] = lambda state: list(state[name])
        self.handles(name)(lambda picture, event: picture.update({name: event[name]}))

    def updated_list(self, name: str, *, key: str = "id", removed: str) -> None:
        """A part whose events add and change items, and by `removed` delete them."""

        def handle(picture: Picture, event: Event) -> None:
            if event["op"] == "remove":
                del picture[name][event[removed]]
            received = [each for value in event.values() for each in _listed(value)]
            picture[name].update({each[key]: each for each in received})

        self.parts[name] = lambda state: {each[key]: each for each in state[name]}
        self.handles(name)(handle)


def _listed(value: Any) -> list[dict[str, Any]]:
    entries = value if isinstance(value, list) else [value]
    return [each for each in entries if isinstance(each, dict)]


class Watcher:
    """`sees` is its state; a newcomer is a watcher without events."""

    def __init__(self, subject: Subject, person: Person, **options: Any) -> None:
        self._queue = person.listens_for(fetch_event_types=None, **options)
        self._handlers = subject.handlers
        self.subjects: list[Any] = []  # the subject of every event
        self._picture = {name: read(self._queue.state) for name, read in subject.parts.items()}

    @property
    def queue_id(self) -> str:
        return self._queue.queue_id

    def sees(self) -> Picture:
        for event in self._queue.all():
            self.subjects.append({name: event[name] for name in SUBJECTS if name in event})
            handle = self._handlers.get(event["type"])
            if handle is not None:
                handle(self._picture, event)
        return self._picture
