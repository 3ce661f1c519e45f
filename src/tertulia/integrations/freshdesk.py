"""Freshdesk, with a webhook in an automation rule whose content is JSON:
https://support.freshdesk.com/support/solutions/articles/132589"""

import re

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, line, link, with_quote
from tertulia.integrations.webhook_message import WebhookMessage

STATUSES = {"2": "Open", "3": "Pending", "4": "Resolved", "5": "Closed"}
PRIORITIES = {"1": "Low", "2": "Medium", "3": "High", "4": "Urgent"}

# Freshdesk describes changes in its own notation: `{status:{from:2,to:4}}`.
_CHANGE = re.compile(r"\{(\w{1,40}):\{from:([^,{}]{0,80}),to:([^,{}]{0,80})\}\}")
_ACTION = re.compile(r"\{(\w{1,40}):(\w{1,40})\}")


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    ticket = request.payload.get("freshdesk_webhook")
    number = ticket.text("ticket_id")
    title = line(ticket.words("ticket_subject"))
    topic = f"#{line(number)}: {title}".rstrip(": ")
    named = link(f"ticket {topic}", ticket.words("ticket_url"))
    who = line(ticket.words("ticket_requester_name", "requester_name") or "Somebody")
    happened = ticket.words("triggered_event")
    change, action = _CHANGE.search(happened), _ACTION.search(happened)
    if change is not None:
        text = _changed(named, change[1], change[2], change[3])
        return WebhookMessage(f"ticket.{change[1]}", topic, text)
    if action is not None and action[1] == "note_type":
        return WebhookMessage(
            "ticket.note", topic, f"{who} added a {line(action[2])} note to {named}."
        )
    text = with_quote(f"{who} created {named}", ticket.words("ticket_description"))
    return WebhookMessage("ticket.created", topic, f"{text}\n\n{_about(ticket)}".rstrip())


def _changed(named: str, field: str, before: str, after: str) -> str:
    words = STATUSES if field == "status" else PRIORITIES if field == "priority" else {}
    before, after = words.get(before, before), words.get(after, after)
    return (
        f"The {line(field)} of {named} changed: {line(before) or 'none'} → {line(after) or 'none'}."
    )


def _about(ticket: Payload) -> str:
    return fact_list(
        [
            ("Type", line(ticket.words("ticket_type"))),
            ("Status", line(ticket.words("ticket_status"))),
            ("Priority", line(ticket.words("ticket_priority"))),
            ("Group", line(ticket.words("ticket_group_name"))),
        ]
    )
