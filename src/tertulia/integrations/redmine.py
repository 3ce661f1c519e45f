"""Redmine: webhooks of version 7 (https://www.redmine.org/issues/29664), and the plugin
https://github.com/suer/redmine_webhook, which has `payload` at the top."""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, link, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

KINDS = {
    "issue": "issue",
    "news": "news",
    "time_entry": "time entry",
    "version": "version",
    "wiki_page": "wiki page",
}
VERBS = {"opened": "created", "created": "created", "updated": "updated", "deleted": "deleted"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    if payload.find("payload"):
        data = payload.get("payload")
        verb = data.text("action")
        event, kind, address = f"issue.{verb}", "issue", data.words("url")
    else:
        event, data, address = payload.text("type"), payload.get("data"), ""
        kind, _, verb = event.partition(".")
    if kind not in KINDS or verb not in VERBS:
        raise UnknownEvent(event)
    thing = data.get(kind)
    named = link(_name(kind, thing), address)
    who = _who(data, thing) or "Somebody"
    journal = data.find("journal")
    words = journal.words("notes")
    if VERBS[verb] == "created":
        words = thing.words("description", "summary", "comments")
    text = with_quote(f"{line(who)} {VERBS[verb]} {named}", words)
    project = line(thing.words("project.name") or "Redmine")
    topic = f"{project} / {_name(kind, thing)}"
    return WebhookMessage(event, topic, f"{text}\n\n{_about(thing, journal)}".rstrip())


def _name(kind: str, thing: Payload) -> str:
    """`Bug #12 Rain`, or `wiki page Roof`"""
    number = thing.words("id")
    title = thing.words("subject", "title", "name")
    tracker = line(thing.words("tracker.name")) or KINDS[kind]
    if kind == "issue":
        return f"{tracker} #{thing.text('id')} {line(title)}".rstrip()
    return f"{KINDS[kind]} {line(title) or f'#{number}'}"


def _who(data: Payload, thing: Payload) -> str:
    """Who made the change; the plugin has the names in parts."""
    for person in (data.find("journal.user"), data.find("journal.author"), thing.find("author")):
        parts = [person.words("firstname"), person.words("lastname")]
        name = person.words("name") or " ".join(filter(None, parts)) or person.words("login")
        if name:
            return name
    return thing.words("user.name")


def _about(thing: Payload, journal: Payload) -> str:
    changes = [
        (
            humanize(each.words("prop_key")).capitalize(),
            f"{line(each.words('old_value')) or 'none'} → {line(each.words('value')) or 'none'}",
        )
        for each in journal.each("details")
        if not each.words("prop_key").endswith("_id")  # their values are ids, too
    ]
    return fact_list(
        [
            ("Status", line(thing.words("status.name"))),
            ("Priority", line(thing.words("priority.name"))),
            ("Assignee", line(thing.words("assigned_to.name", "assignee.login"))),
            ("Hours", line(thing.words("hours"))),
            *changes,
        ]
    )
