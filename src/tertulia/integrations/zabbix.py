"""Zabbix: https://www.zabbix.com/documentation/current/en/manual/config/notifications/media/webhook

Zabbix has no fixed payload: the script of a media type posts its parameters as JSON. The names here
are those in the media types that come with Zabbix, or those in the script for Zulip: `hostname`,
`severity`, `status`, `item`, `trigger`, `link`.
"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, link, quote_url, with_quote
from tertulia.integrations.webhook_message import WebhookMessage

RESOLVED = {"0", "ok", "resolved"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    name = payload.words("trigger_name", "event_name", "trigger")
    if not name:  # discovery, registration of hosts, or a script that sends only the message
        subject = payload.text("alert_subject")
        text = with_quote(line(subject), payload.words("alert_message"))
        return WebhookMessage("alert", line(subject), text)
    event = _event(payload)
    host = line(payload.words("host_name", "host", "hostname"))
    sign = ":squared_ok:" if event == "resolved" else ":alert:"
    where = f" on {host}" if host else ""
    headline = f"{sign} {link(name, _address(payload))}{where}: {event}"
    about = fact_list(
        [
            ("Severity", humanize(payload.words("event_severity", "severity"))),
            ("Data", line(payload.words("event_opdata", "item"))),
        ]
    )
    text = with_quote(headline, payload.words("event_update_message"))
    return WebhookMessage(event, host or line(name), f"{text}\n\n{about}".rstrip())


def _event(payload: Payload) -> str:
    if payload.words("event_update_status") == "1":
        return "updated"
    state = payload.words("event_status", "event_value", "status").lower()
    return "resolved" if state in RESOLVED else "problem"


def _address(payload: Payload) -> str:
    """The page of the event, which needs both ids."""
    home = payload.words("zabbix_url").rstrip("/")
    trigger, event = payload.words("trigger_id"), payload.words("event_id")
    if not (home and trigger and event):
        return payload.words("link")
    ids = f"triggerid={quote_url(trigger)}&eventid={quote_url(event)}"
    return f"{home}/tr_events.php?{ids}"
