"""Recorded requests of every service (`examples.json`), to try out a webhook."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from tertulia.integrations.payload import WebhookRequest


def request(name: str) -> WebhookRequest:
    """The example of a service."""
    return WebhookRequest(**_examples()[name])


@cache
def _examples() -> dict[str, dict[str, Any]]:
    """By service: `payload`, and where they matter `headers` and `query`."""
    text = files("tertulia.integrations").joinpath("examples.json").read_bytes()
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found
