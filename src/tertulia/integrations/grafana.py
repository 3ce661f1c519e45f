"""Grafana: https://grafana.com/docs/grafana/latest/alerting/configure-notifications/
manage-contact-points/integrations/webhook-notifier/"""

from tertulia.integrations import alerts
from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import bullets, count, line, link, strong, with_quote
from tertulia.integrations.webhook_message import WebhookMessage


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    return _alerts(payload) if payload.find("alerts").value is not None else _dashboard(payload)


def _alerts(payload: Payload) -> WebhookMessage:
    status = payload.text("status").lower()
    by_topic = alerts.by_topic(payload.each("alerts"), _topic)
    name = payload.words("commonLabels.alertname", "groupLabels.alertname", "title") or "Grafana"
    found = [
        WebhookMessage(status, topic, _text(some, status))
        for topic, some in (by_topic or {line(name): []}).items()
    ]
    return alerts.joined(found)


def _topic(alert: Payload) -> str:
    return f"[{alert.words('labels.alertname', 'fingerprint') or 'Grafana'}]"


def _text(listed: list[Payload], status: str) -> str:
    lines = [
        alerts.alert_line(
            each,
            f"{alerts.sign(each.words('status') or status)} "
            f"{each.words('labels.alertname') or 'An alert'}",
            each.words("annotations.summary", "annotations.description", "valueString"),
        )
        for each in listed[: alerts.MAX_ALERTS]
    ]
    if len(listed) > len(lines):
        lines.append(f"and {count(len(listed) - len(lines), 'other')}")
    headline = f"{alerts.sign(status)} {strong(status.capitalize())}"
    return f"{headline}\n\n{bullets(lines)}".rstrip()


def _dashboard(payload: Payload) -> WebhookMessage:
    """Dashboard alerts, which versions before 11 send."""
    state = payload.text("state").lower()
    name = payload.words("title", "ruleName") or "Grafana"
    named = link(name, payload.words("ruleUrl"))
    values = [
        f"{line(each.words('metric') or 'value')}: {line(each.words('value') or 'nothing')}"
        for each in payload.each("evalMatches")
    ]
    text = with_quote(f"{alerts.sign(state)} {named}", payload.words("message"))
    return WebhookMessage(state, line(name), f"{text}\n\n{bullets(values)}".rstrip())
