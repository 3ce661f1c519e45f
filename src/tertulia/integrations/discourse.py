"""Discourse: https://meta.discourse.org/t/configure-webhooks-that-trigger-on-discourse-events/49045"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import humanize, line, link, quote_url, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

TOPIC_VERBS = {
    "topic_created": "began",
    "topic_edited": "edited",
    "topic_destroyed": "deleted",
    "topic_recovered": "brought back",
}
POST_VERBS = {
    "post_created": "wrote in",
    "post_edited": "edited a post in",
    "post_destroyed": "deleted a post in",
    "post_recovered": "brought back a post in",
}
QUIET = {"user_logged_in", "user_logged_out", "topic_status_updated"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    event = request.header("X-Discourse-Event")
    site = request.headers.get("x-discourse-instance", "")
    payload = request.payload
    if event in QUIET:
        return None
    if event == "ping":
        return WebhookMessage(event, "Discourse", "Discourse's webhook has been set up.")
    if event in TOPIC_VERBS:
        topic, text = _topic(payload, site, TOPIC_VERBS[event])
    elif event in POST_VERBS:
        topic, text = _post(payload, site, POST_VERBS[event])
    elif event == "post_liked":
        topic, text = _like(payload, site)
    elif event.startswith("user_"):
        user = payload.get("user")
        name = line(user.text("username"))
        address = f"{site}/u/{quote_url(name)}" if site else ""
        topic, text = "users", f"User {link(name, address)}: {humanize(event[5:])}."
    elif event.startswith("category_"):
        name = line(payload.get("category").text("name"))
        topic, text = "categories", f"Category {name}: {humanize(event[9:])}."
    else:
        raise UnknownEvent(event)
    return WebhookMessage(event, topic, text)


def _topic(payload: Payload, site: str, verb: str) -> tuple[str, str]:
    topic = payload.get("topic")
    who = line(topic.words("created_by.username", "last_poster.username") or "Somebody")
    title = line(topic.text("title"))
    address = f"{site}/t/{quote_url(topic.words('slug') or '-')}/{topic.text('id')}" if site else ""
    return title, f"{who} {verb} {link(title, address)}."


def _post(payload: Payload, site: str, verb: str) -> tuple[str, str]:
    post = payload.get("post")
    words = post.words("raw") if "deleted" not in verb else ""
    headline = f"{line(post.text('username'))} {verb} {_named(post, site)}"
    return line(post.text("topic_title")), with_quote(headline, words)


def _like(payload: Payload, site: str) -> tuple[str, str]:
    like = payload.get("like")
    post = like.get("post")
    author = line(post.words("username") or "somebody")
    who = line(like.words("user.username") or "Somebody")
    return line(
        post.text("topic_title")
    ), f"{who} likes what {author} wrote in {_named(post, site)}."


def _named(post: Payload, site: str) -> str:
    place = "/".join(
        [
            quote_url(post.words("topic_slug") or "-"),
            post.text("topic_id"),
            post.words("post_number"),
        ]
    )
    return link(post.text("topic_title"), f"{site}/t/{place}" if site else "")
