"""Incoming webhooks: converts the payloads of other services to messages.

    report = find("github").report(WebhookRequest(payload, headers))

A service whose messages are sentences is an entry of `services/*.toml`, which `sentences.py` reads.
Another is a module with one function, which has no side effects and raises only rejections.
`catalogue.py` lists them all.
"""

from tertulia.integrations import examples
from tertulia.integrations.catalogue import INTEGRATIONS, Integration, find
from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import TOPIC_LENGTH, shortened
from tertulia.integrations.signatures import SignedRequest
from tertulia.integrations.webhook_message import Filters, WebhookMessage

__all__ = [
    "INTEGRATIONS",
    "TOPIC_LENGTH",
    "Filters",
    "Integration",
    "SignedRequest",
    "WebhookMessage",
    "WebhookRequest",
    "examples",
    "find",
    "shortened",
]
