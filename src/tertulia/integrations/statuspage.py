"""Statuspage: https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, link, strong, with_quote
from tertulia.integrations.webhook_message import WebhookMessage

SIGNS = {
    "operational": ":squared_ok:",
    "resolved": ":squared_ok:",
    "completed": ":squared_ok:",
    "under_maintenance": ":construction:",
    "degraded_performance": ":warning:",
    "partial_outage": ":alert:",
    "major_outage": ":alert:",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    return _incident(payload) if payload.find("incident") else _component(payload)


def _incident(payload: Payload) -> WebhookMessage:
    incident = payload.get("incident")
    name, status = incident.text("name"), incident.text("status")
    updates = incident.each("incident_updates")
    words = updates[0].words("body") if updates else ""
    named = link(name, incident.words("shortlink"))
    sign = SIGNS.get(status, ":alert:")
    text = with_quote(f"{sign} {named}: {humanize(status)}", words)
    about = fact_list(
        [
            ("Impact", humanize(incident.words("impact"))),
            ("Page", line(payload.words("page.status_description"))),
        ]
    )
    return WebhookMessage(
        f"incident.{status}", _topic(payload, name), f"{text}\n\n{about}".rstrip()
    )


def _component(payload: Payload) -> WebhookMessage:
    name = payload.text("component.name")
    before = payload.words("component_update.old_status")
    status = payload.words("component_update.new_status") or payload.text("component.status")
    change = f"{humanize(before)} → {humanize(status)}" if before else humanize(status)
    sign = SIGNS.get(status, ":information:")
    text = f"{sign} {strong(name)}: {change}."
    return WebhookMessage(f"component.{status}", _topic(payload, name), text)


def _topic(payload: Payload, name: str) -> str:
    page = line(payload.words("page.status_description"))
    return f"{line(name)}: {page}" if page else line(name)
