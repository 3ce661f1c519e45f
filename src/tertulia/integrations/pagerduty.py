"""PagerDuty, webhooks of version 3: https://developer.pagerduty.com/docs/webhooks-overview"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import line, link, name_list, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

VERBS = {
    "triggered": "was triggered",
    "acknowledged": "was acknowledged",
    "unacknowledged": "is no longer acknowledged",
    "resolved": "was resolved",
    "reopened": "was opened again",
    "escalated": "was escalated",
    "reassigned": "was reassigned",
    "delegated": "was delegated",
    "priority_updated": "has another priority",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    event = request.payload.get("event")
    kind = event.text("event_type")
    if kind == "pagey.ping":
        return WebhookMessage(kind, "PagerDuty", "PagerDuty's webhook has been set up.")
    resource, _, verb = kind.partition(".")
    if resource != "incident" or verb not in {*VERBS, "annotated", "status_update_published"}:
        raise UnknownEvent(kind)
    incident = event.get("data")
    if verb in VERBS:
        topic, text = _incident(event, incident, VERBS[verb])
    else:
        topic, text = _note(event, incident)
    return WebhookMessage(kind, topic, text)


def _incident(event: Payload, incident: Payload, verb: str) -> tuple[str, str]:
    number = incident.words("number")
    named = link(f"Incident {number}".strip(), incident.words("html_url"))
    who = event.words("agent.summary")
    by = f" by {line(who)}" if who and event.words("agent.type") != "service_reference" else ""
    assigned = name_list(line(each.words("summary")) for each in incident.each("assignees"))
    to = f" (assigned to {assigned})" if assigned else ""
    title = incident.words("title") or "without a title"
    service = link(
        incident.words("service.summary") or "a service", incident.words("service.html_url")
    )
    topic = f"Incident {line(title)} (#{line(number)})" if number else f"Incident {line(title)}"
    text = with_quote(f"{named} of {service} {verb}{by}{to}", title)
    return topic, text


def _note(event: Payload, incident: Payload) -> tuple[str, str]:
    about = incident.get("incident")
    named = link(about.words("summary") or "an incident", about.words("html_url"))
    who = line(event.words("agent.summary") or "Somebody")
    words = incident.words("content", "message")
    return f"Incident {line(about.words('summary'))}".rstrip(), with_quote(
        f"{who} wrote about {named}", words
    )
