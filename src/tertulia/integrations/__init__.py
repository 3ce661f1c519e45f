"""What other services send, as messages: payload and headers in, topic and text out.

    report = find("github").report(Hook(payload, headers))

Each service is one module with one function, which touches nothing else and can raise only a
refusal. `catalogue.py` is the list of them.
"""

from tertulia.integrations.catalogue import INTEGRATIONS, Integration, find
from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import TOPIC_LENGTH, shortened
from tertulia.integrations.signatures import SignedCall
from tertulia.integrations.webhook_message import Filters, WebhookMessage

__all__ = [
    "INTEGRATIONS",
    "TOPIC_LENGTH",
    "Filters",
    "Integration",
    "SignedCall",
    "WebhookMessage",
    "WebhookRequest",
    "find",
    "shortened",
]
