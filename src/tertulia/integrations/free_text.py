"""Senders that have their people write the message: Zapier, IFTTT, and a first try by hand."""

from tertulia.integrations.payload import Hook
from tertulia.integrations.phrases import line, shortened
from tertulia.integrations.rejections import Refusal
from tertulia.integrations.webhook_message import Report

MOST_WORDS = 9000


def zapier(hook: Hook) -> Report | None:
    """https://zapier.com/apps/webhook: `topic` (or `subject`) and `content`."""
    if hook.payload.words("type") == "auth":
        return None  # it asks whether the key is good
    return _written(hook)


def ifttt(hook: Hook) -> Report | None:
    """https://ifttt.com/maker_webhooks: `topic` and `content`."""
    return _written(hook)


def helloworld(hook: Hook) -> Report | None:
    """A greeting, whatever is sent: it shows that the address is good."""
    text = "Hello! I am happy to be here! :smile:"
    title, address = hook.payload.words("featured_title"), hook.payload.words("featured_url")
    if title and address:
        shown = f"**[{line(title)}]({line(address)})**"
        text += f"\nThe Wikipedia featured article for today is {shown}"
    return Report("hello", "Hello World", text)


def _written(hook: Hook) -> Report:
    """Written by people of ours, on a page of the sender: it may call whom it wants."""
    topic = hook.payload.find("topic").value or hook.payload.find("subject").value
    content = hook.payload.find("content").value
    if not topic and not hook.query.get("topic"):
        raise Refusal("Topic can't be empty")
    if not content:
        raise Refusal("Content can't be empty")
    if not isinstance(content, str) or not isinstance(topic or "", str):
        raise Refusal("Malformed payload")
    return Report("message", topic or "", shortened(content, MOST_WORDS))
