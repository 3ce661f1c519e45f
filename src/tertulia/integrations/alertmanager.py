"""Alertmanager: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config

The URL parameters `name` and `desc` choose the label that names an alert and the annotation that
describes it.
"""

from tertulia.integrations import alerts
from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import bullets, count, link, strong
from tertulia.integrations.webhook_message import WebhookMessage


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    name_label = request.query.get("name", "instance")
    word_label = request.query.get("desc", "description")
    status = payload.text("status").lower()
    listed = payload.each("alerts")
    by_topic = alerts.by_topic(listed, lambda alert: _topic(alert, name_label))
    home = payload.words("externalURL")
    found = [
        WebhookMessage(status, topic, _text(some, status, home, name_label, word_label))
        for topic, some in (by_topic or {_group(payload): []}).items()
    ]
    return alerts.joined(found)


def _text(listed: list[Payload], status: str, home: str, name_label: str, word_label: str) -> str:
    parts = []
    for state, title in (("firing", "Firing"), ("resolved", "Resolved")):
        some = [each for each in listed if (each.words("status") or status).lower() == state]
        if some:
            lines = [
                alerts.alert_line(each, _name(each, name_label), _words(each, word_label))
                for each in some[: alerts.MAX_ALERTS]
            ]
            if len(some) > len(lines):
                lines.append(f"and {count(len(some) - len(lines), 'other')}")
            parts.append(f"{alerts.sign(state)} {strong(title)}\n{bullets(lines)}")
    text = "\n\n".join(parts) or f"{alerts.sign(status)} {strong(status)}"
    return f"{text}\n\n{link('Alertmanager', home)}" if home else text


def _topic(alert: Payload, label: str) -> str:
    return alert.pairs("labels").get(label) or alert.pairs("annotations").get(label) or "(unknown)"


def _group(payload: Payload) -> str:
    names = payload.pairs("groupLabels").values()
    return " ".join(names) or payload.words("commonLabels.alertname", "receiver") or "Alertmanager"


def _name(alert: Payload, label: str) -> str:
    labels = alert.pairs("labels")
    return labels.get(label) or labels.get("alertname") or "An alert"


def _words(alert: Payload, label: str) -> str:
    annotations = alert.pairs("annotations")
    return annotations.get(label) or annotations.get("summary") or annotations.get("message") or ""
