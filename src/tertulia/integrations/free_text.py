"""Senders whose users write the message: Zapier and IFTTT."""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import shortened
from tertulia.integrations.webhook_message import WebhookMessage, WebhookRejected

MAX_TEXT_LENGTH = 9000


def zapier(request: WebhookRequest) -> WebhookMessage | None:
    """https://zapier.com/apps/webhook: `topic` (or `subject`) and `content`."""
    if request.payload.words("type") == "auth":
        return None  # a test of the key
    return _written(request)


def ifttt(request: WebhookRequest) -> WebhookMessage | None:
    """https://ifttt.com/maker_webhooks: `topic` and `content`."""
    return _written(request)


def _written(request: WebhookRequest) -> WebhookMessage:
    """The text was written by our users on a page of the sender, so it may mention users."""
    topic = request.payload.find("topic").value or request.payload.find("subject").value
    content = request.payload.find("content").value
    if not topic and not request.query.get("topic"):
        raise WebhookRejected("Topic can't be empty")
    if not content:
        raise WebhookRejected("Content can't be empty")
    if not isinstance(content, str) or not isinstance(topic or "", str):
        raise WebhookRejected("Malformed payload")
    return WebhookMessage("message", topic or "", shortened(content, MAX_TEXT_LENGTH))
