"""Watching: a client that registers once and then believes every event it hears.

Its picture is made of parts. A part is read from what POST /register answers, and event handlers
change it. What it pays attention to is a `Subject`; to let a law see more of the product, add a
part with `part` and the event types that change it with `hears`.
"""

from collections.abc import Callable
from typing import Any

from tests.support.ears import Event
from tests.support.people import Person

Picture = dict[str, Any]
Registered = dict[str, Any]
Read = Callable[[Registered], Any]
Handle = Callable[[Picture, Event], None]


class Subject:
    def __init__(self) -> None:
        self.parts: dict[str, Read] = {}
        self.handlers: dict[str, Handle] = {}

    def part(self, read: Read) -> Read:
        """Marks a function that reads the part of the picture it is named after."""
        self.parts[read.__name__] = read
        return read

    def hears(self, event_type: str) -> Callable[[Handle], Handle]:
        """Marks the one function that knows what events of a type change."""

        def mark(handle: Handle) -> Handle:
            assert event_type not in self.handlers, f"two functions hear {event_type}"
            self.handlers[event_type] = handle
            return handle

        return mark


class Watcher:
    """`sees` is what it believes; a newcomer is a watcher that has heard nothing yet."""

    def __init__(self, subject: Subject, person: Person, **options: Any) -> None:
        self._ears = person.listens_for(fetch_event_types=None, **options)
        self._handlers = subject.handlers
        self._picture = {name: read(self._ears.state) for name, read in subject.parts.items()}

    def sees(self) -> Picture:
        for event in self._ears.all():
            handle = self._handlers.get(event["type"])
            if handle is not None:
                handle(self._picture, event)
        return self._picture
