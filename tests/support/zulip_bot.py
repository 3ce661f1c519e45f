"""A bot: the `zulip` package from PyPI, unchanged."""

import contextlib
from threading import Event, Thread
from typing import Any

import zulip
from tests.support.people import Person
from tests.support.waiting import TIMEOUT_SECONDS


class StopListening(Exception):
    """Ends `call_on_each_message`, which otherwise never returns."""


def connects(person: Person) -> Any:
    return zulip.Client(
        email=person.email,
        api_key=person.key,
        site=f"http://127.0.0.1:{person.server.port}",
        client="SoupBot",
        retry_on_errors=False,
    )


def listens(client: Any, count: int, **options: Any) -> tuple[list[Any], Event]:
    """Collect this many messages in a thread; returns the list, and an event that is set when it
    is full."""
    received: list[Any] = []
    full, ready = Event(), Event()
    register = client.register

    def register_and_report(*args: Any, **kwargs: Any) -> Any:
        response = register(*args, **kwargs)
        ready.set()
        return response

    def on_message(message: Any) -> None:
        received.append(message)
        if len(received) == count:
            raise StopListening

    def run() -> None:
        with contextlib.suppress(StopListening):
            client.call_on_each_message(on_message, **options)
        full.set()

    client.register = register_and_report
    Thread(target=run, daemon=True).start()
    assert ready.wait(TIMEOUT_SECONDS)
    return received, full
