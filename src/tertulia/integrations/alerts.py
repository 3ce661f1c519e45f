"""What Alertmanager and Grafana have in common: groups of alerts that are firing or resolved."""

from collections.abc import Callable

from msgspec.structs import replace

from tertulia.integrations.payload import Payload
from tertulia.integrations.phrases import line, link
from tertulia.integrations.webhook_message import WebhookMessage

MAX_ALERTS = 20
MAX_TEXT_LENGTH = 500

SIGNS = {
    "firing": ":alert:",
    "alerting": ":alert:",
    "resolved": ":squared_ok:",
    "ok": ":squared_ok:",
}


def by_topic(alerts: list[Payload], topic_of: Callable[[Payload], str]) -> dict[str, list[Payload]]:
    """The alerts by their topics: those of Zulip, so that its alerts continue them."""
    found: dict[str, list[Payload]] = {}
    for alert in alerts:
        found.setdefault(line(topic_of(alert)), []).append(alert)
    return found


def joined(messages: list[WebhookMessage]) -> WebhookMessage:
    return replace(messages[0], more=tuple(messages[1:]))


def sign(status: str) -> str:
    return SIGNS.get(status.lower(), ":information:")


def alert_line(alert: Payload, name: str, words: str) -> str:
    """One alert: name, description and link."""
    links = [
        link(word, address)
        for word, path in (
            ("source", "generatorURL"),
            ("dashboard", "dashboardURL"),
            ("panel", "panelURL"),
            ("silence", "silenceURL"),
        )
        if (address := alert.words(path))
    ]
    text = f"{line(name)}: {line(words, MAX_TEXT_LENGTH)}" if words else line(name)
    return f"{text} ({', '.join(links)})" if links else text
