"""WordPress: https://wordpress.com/support/webhooks/, and plugins that send the same form.

`request` names the action; the user chooses which fields are sent.
"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import line, link, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    event = payload.text("hook")
    if event in ("publish_post", "publish_page"):
        topic, text = _published(payload, event.removeprefix("publish_"))
    elif event == "comment_post":
        topic, text = _comment(payload)
    elif event in ("user_register", "wp_login"):
        topic, text = _user(payload, event)
    else:
        raise UnknownEvent(event)
    return WebhookMessage(event, topic, text)


def _published(payload: Payload, kind: str) -> tuple[str, str]:
    title = payload.words("post_title") or "without a title"
    named = link(title, payload.words("post_url", "guid"))
    kind = line(payload.words("post_type") or kind)
    return line(title), with_quote(f"New {kind}: {named}", payload.words("post_excerpt"))


def _comment(payload: Payload) -> tuple[str, str]:
    who = link(payload.words("comment_author") or "Somebody", payload.words("comment_author_url"))
    number = line(payload.words("comment_post_ID"))
    topic = f"Comments on post {number}" if number else "Comments"
    on = f" on post {number}" if number else ""
    return topic, with_quote(f"{who} commented{on}", payload.words("comment_content"))


def _user(payload: Payload, event: str) -> tuple[str, str]:
    who = link(
        payload.words("display_name", "user_login", "user_email") or "Somebody",
        payload.words("user_url"),
    )
    verb = "logged in" if event == "wp_login" else "has an account now"
    return "Users", f"{who} {verb}."
