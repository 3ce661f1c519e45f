"""Zendesk: https://developer.zendesk.com/api-reference/webhooks/event-types/ticket-events/

Supports Zendesk's own events, and triggers that send `ticket_id`, `ticket_title` and `message` in
the body or in the URL.
"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, quoted, strong, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

PREFIX = "zen:event-type:"


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    kind = payload.words("type")
    if not kind.startswith(PREFIX):
        return _of_trigger(request)
    event = kind.removeprefix(PREFIX)
    subject = event.partition(".")[0]
    if subject == "ticket":
        return WebhookMessage(event, *_ticket(payload, event))
    if subject in ("user", "organization", "article"):
        detail = payload.get("detail")
        name = line(detail.words("name", "email", "title", "id") or subject)
        return WebhookMessage(event, f"Zendesk {subject}s", f"{strong(name)}: {humanize(event)}.")
    raise UnknownEvent(event)


def _ticket(payload: Payload, event: str) -> tuple[str, str]:
    ticket = payload.get("detail")
    number, title = ticket.text("id"), line(ticket.words("subject"))
    topic = f"#{number}: {title}" if title else f"#{number}"
    headline = f"Ticket {strong(topic)}: {humanize(event.partition('.')[2])}"
    words = payload.words("event.comment.body", "detail.description")
    if event == "ticket.comment_added":
        return topic, with_quote(headline, words)
    change = fact_list(
        [
            ("Before", line(payload.words("event.previous"))),
            ("Now", line(payload.words("event.current"))),
            ("Status", line(ticket.words("status")).lower()),
            ("Priority", line(ticket.words("priority")).lower()),
        ]
    )
    shown = with_quote(headline, words if event == "ticket.created" else "")
    return topic, f"{shown}\n\n{change}".rstrip()


def _of_trigger(request: WebhookRequest) -> WebhookMessage:
    def value(name: str) -> str:
        return request.payload.words(name) or request.query.get(name, "").strip()

    number = value("ticket_id") or request.payload.text("ticket_id")
    topic = f"#{line(number)}: {line(value('ticket_title'))}".rstrip(": ")
    text = value("message") or request.payload.text("message")
    return WebhookMessage("trigger", topic, quoted(text))
