"""Senders whose users write the message: Zapier, IFTTT, Home Assistant, and `helloworld` for a
first test."""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import line, shortened
from tertulia.integrations.rejections import UnexpectedPayload, WebhookRejected
from tertulia.integrations.webhook_message import WebhookMessage

MAX_TEXT_LENGTH = 9000


def zapier(request: WebhookRequest) -> WebhookMessage | None:
    """https://zapier.com/apps/webhook: `topic` (or `subject`) and `content`."""
    if request.payload.words("type") == "auth":
        return None  # a test of the key
    return _written(request)


def ifttt(request: WebhookRequest) -> WebhookMessage | None:
    """https://ifttt.com/maker_webhooks: `topic` and `content`."""
    return _written(request)


def home_assistant(request: WebhookRequest) -> WebhookMessage | None:
    """https://www.home-assistant.io/integrations/notify.rest/: `message` and perhaps `title`."""
    text = request.payload.words("message") or request.query.get("message", "").strip()
    if not text:
        raise UnexpectedPayload("message")
    title = request.payload.words("title") or request.query.get("title", "").strip()
    return WebhookMessage(
        "message", line(title) or "Home Assistant", shortened(text, MAX_TEXT_LENGTH)
    )


def helloworld(request: WebhookRequest) -> WebhookMessage | None:
    """A greeting for any payload; it shows that the URL works."""
    text = "Hello! I am happy to be here! :smile:"
    title, address = request.payload.words("featured_title"), request.payload.words("featured_url")
    if title and address:
        shown = f"**[{line(title)}]({line(address)})**"
        text += f"\nThe Wikipedia featured article for today is {shown}"
    return WebhookMessage("hello", "Hello World", text)


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
