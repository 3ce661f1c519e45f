"""Heroku: https://devcenter.heroku.com/articles/webhook-events"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, humanize, line, link, quote_url, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

VERBS = {"create": "was created", "update": "was updated", "destroy": "was deleted"}
RESOURCES = {
    "addon", "addon-attachment", "app", "build", "collaborator", "domain", "dyno", "formation",
    "release", "sni-endpoint",
}  # fmt: skip
SIGNS = {"succeeded": ":check: ", "failed": ":cross_mark: ", "crashed": ":cross_mark: "}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    resource, action = payload.text("resource"), payload.text("action")
    if resource not in RESOURCES or action not in VERBS:
        raise UnknownEvent(f"{resource}.{action}")
    data = payload.get("data")
    app = data.words("name") if resource == "app" else data.words("app.name")
    if not app:
        app = data.text("app.name")
    state = data.words("status", "state")
    if resource in ("build", "release") and state == "pending":
        return None  # the end of it is sent, too
    named = link(line(app), f"https://dashboard.heroku.com/apps/{quote_url(app)}")
    of = "" if resource == "app" else f" of {named}"
    headline = f"{SIGNS.get(state, '')}{_thing(resource, data, named)}{of} {VERBS[action]}"
    who = line(data.words("user.email") or payload.words("actor.email"))
    by = f" by {who}" if who else ""
    status = f" ({humanize(state)})" if state else ""
    words = data.words("description") if resource == "release" else ""
    return WebhookMessage(
        f"{resource}.{action}", line(app), with_quote(f"{headline}{by}{status}", words)
    )


def _thing(resource: str, data: Payload, app: str) -> str:
    if resource == "app":
        return f"The app {app}"
    if resource == "release":
        return f"Release v{line(data.words('version') or '?')}"
    commit = data.words("source_blob.version", "slug.commit")
    if resource == "build" and commit:
        return f"A build of {code(commit[:11])}"
    name = data.words("name", "hostname", "user.email", "type") if resource != "build" else ""
    kind = "add-on" if resource == "addon" else humanize(resource)
    return f"The {kind} {code(name)}" if name else f"A {kind}"
