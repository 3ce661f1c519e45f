"""Senders whose users write the message: Zapier, IFTTT, Home Assistant, and `helloworld` for a
first test."""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import line, shortened
from tertulia.integrations.rejections import UnexpectedPayload, WebhookRejected
from tertulia.integrations.webhook_message import WebhookMessage

MAX_WORDS = 9000


def zapier(hook: WebhookRequest) -> WebhookMessage | None:
    """https://zapier.com/apps/webhook: `topic` (or `subject`) and `content`."""
    if hook.payload.words("type") == "auth":
        return None  # a test of the key
    return _written(hook)


def ifttt(hook: WebhookRequest) -> WebhookMessage | None:
    """https://ifttt.com/maker_webhooks: `topic` and `content`."""
    return _written(hook)


def home_assistant(hook: WebhookRequest) -> WebhookMessage | None:
    """https://www.home-assistant.io/integrations/notify.rest/: `message` and perhaps `title`."""
    text = hook.payload.words("message") or hook.query.get("message", "").strip()
    if not text:
        raise UnexpectedPayload("message")
    title = hook.payload.words("title") or hook.query.get("title", "").strip()
    return WebhookMessage("message", line(title) or "Home Assistant", shortened(text, MAX_WORDS))


def helloworld(hook: WebhookRequest) -> WebhookMessage | None:
    """A greeting for any payload; it shows that the URL works."""
    text = "Hello! I am happy to be here! :smile:"
    title, address = hook.payload.words("featured_title"), hook.payload.words("featured_url")
    if title and address:
        shown = f"**[{line(title)}]({line(address)})**"
        text += f"\nThe Wikipedia featured article for today is {shown}"
    return WebhookMessage("hello", "Hello World", text)


def _written(hook: WebhookRequest) -> WebhookMessage:
    """The text was written by our users on a page of the sender, so it may mention users."""
    topic = hook.payload.find("topic").value or hook.payload.find("subject").value
    content = hook.payload.find("content").value
    if not topic and not hook.query.get("topic"):
        raise WebhookRejected("Topic can't be empty")
    if not content:
        raise WebhookRejected("Content can't be empty")
    if not isinstance(content, str) or not isinstance(topic or "", str):
        raise WebhookRejected("Malformed payload")
    return WebhookMessage("message", topic or "", shortened(content, MAX_WORDS))
