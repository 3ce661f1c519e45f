"""Uptime Kuma: https://github.com/louislam/uptime-kuma/wiki/Notification-Methods"""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import line, link, with_quote
from tertulia.integrations.rejections import UnexpectedPayload
from tertulia.integrations.webhook_message import WebhookMessage

STATES = {
    0: (":alert: {name} is down", "down"),
    1: (":squared_ok: {name} is up", "up"),
    2: (":time_ticking: {name} is pending", "pending"),
    3: (":construction: {name} is under maintenance", "maintenance"),
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    if not payload.find("heartbeat"):  # a test, or a warning about a certificate
        return WebhookMessage("message", "Uptime Kuma", line(payload.text("msg"), 1000))
    state = payload.number("heartbeat.status")
    if state not in STATES:
        raise UnexpectedPayload("heartbeat.status")
    headline, event = STATES[state]
    name = payload.text("monitor.name")
    named = link(name, payload.words("monitor.url"))
    return WebhookMessage(
        event, line(name), with_quote(headline.format(name=named), payload.words("heartbeat.msg"))
    )
