"""Recorded requests of every service (`examples.json`), to try out a webhook."""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from tertulia.integrations.payload import WebhookRequest


class Example(msgspec.Struct, frozen=True):
    payload: Any
    headers: dict[str, str] = {}
    query: dict[str, str] = {}


def request(name: str) -> WebhookRequest:
    """The example of a service."""
    example = _examples()[name]
    return WebhookRequest(example.payload, example.headers, example.query)


@cache
def _examples() -> dict[str, Example]:
    text = files("tertulia.integrations").joinpath("examples.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Example])
