"""Every integration, by the name in its URL: those with code here, and those of `sentences.py`.

The catalogue of texts says where in the service the URL is entered: `hooks.setup.NAME`.
"""

from collections.abc import Callable, Collection

import msgspec

from tertulia.errors.integrations import MalformedPayload, MissingEventHeader, UnsupportedEvent
from tertulia.integrations import (
    alertmanager,
    azure_devops,
    bitbucket,
    free_text,
    gitea,
    github,
    gitlab,
    grafana,
    harbor,
    json_text,
    sentences,
    signatures,
    slack_incoming,
    templated,
    trello,
)
from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.signatures import Check
from tertulia.integrations.webhook_message import (
    NoSuchHeader,
    UnexpectedPayload,
    UnknownEvent,
    WebhookMessage,
)


class Integration(msgspec.Struct, frozen=True):
    name: str
    title: str
    to_message: Callable[[WebhookRequest], WebhookMessage | None]
    check: Check | None = None  # how it signs requests, if it does
    events: Collection[str] | None = None  # names for `only_events`, if there is a fixed list
    is_slow: Callable[[], bool] = lambda: False  # whether even a small payload can take long

    def message_for(self, request: WebhookRequest) -> WebhookMessage | None:
        """The message for a request; None if there is nothing to say. Raises only ClientError."""
        try:
            return self.to_message(request)
        except UnknownEvent as unknown:
            event = str(unknown)[:100]
            raise UnsupportedEvent(webhook_name=self.title, event_type=event) from None
        except UnexpectedPayload as unexpected:
            raise MalformedPayload(webhook_name=self.title, field=str(unexpected)) from None
        except NoSuchHeader as missing:
            raise MissingEventHeader(header=str(missing)) from None

    @property
    def client(self) -> str:
        """The name of the client that sends the messages."""
        return f"Zulip{self.title.replace(' ', '').replace('.', '')}Webhook"[:30]


_hmac = signatures.hexadecimal

_ALL = [
    Integration("alertmanager", "Alertmanager", alertmanager.to_message),
    Integration("azuredevops", "Azure DevOps", azure_devops.to_message),
    Integration(
        "bitbucket2",
        "Bitbucket",
        bitbucket.to_message,
        _hmac("x-hub-signature", prefix="sha256="),
        events=bitbucket.EVENT_NAMES,
    ),
    Integration(
        "gitea",
        "Gitea",
        gitea.to_message,
        _hmac("x-gitea-signature", "x-forgejo-signature"),
        events=gitea.EVENTS,
    ),
    Integration(
        "forgejo",
        "Forgejo",
        gitea.to_message,
        _hmac("x-forgejo-signature", "x-gitea-signature"),
        events=gitea.EVENTS,
    ),
    Integration(
        "github",
        "GitHub",
        github.to_message,
        _hmac("x-hub-signature-256", prefix="sha256="),
        events=github.EVENTS,
    ),
    Integration(
        "gitlab",
        "GitLab",
        gitlab.to_message,
        signatures.token("x-gitlab-token"),
        events=gitlab.EVENT_NAMES,
    ),
    Integration("gogs", "Gogs", gitea.to_message, _hmac("x-gogs-signature"), events=gitea.EVENTS),
    Integration("grafana", "Grafana", grafana.to_message, _hmac("x-grafana-alerting-signature")),
    Integration(
        "harbor",
        "Harbor",
        harbor.to_message,
        signatures.token("authorization"),
        events=harbor.EVENTS,
    ),
    Integration("ifttt", "IFTTT", free_text.ifttt),
    Integration("json", "JSON", json_text.to_message),
    Integration("slack_incoming", "Slack", slack_incoming.to_message, signatures.slack),
    Integration("template", "JSON with a template", templated.to_message, is_slow=lambda: True),
    Integration(
        "trello", "Trello", trello.to_message, signatures.trello, events=trello.EVENT_NAMES
    ),
    Integration("zapier", "Zapier", free_text.zapier),
    *(
        Integration(
            name,
            each.title,
            each.to_message,
            each.check,
            each.event_names,
            each.is_slow,
        )
        for name, each in sentences.services().items()
    ),
]

INTEGRATIONS = {each.name: each for each in _ALL}
ALIASES = {
    "ansibletower": "awx",
    "bitbucket": "bitbucket2",
    "slack": "slack_incoming",
    "uptime_kuma": "uptimekuma",
}


def find(name: str) -> Integration | None:
    return INTEGRATIONS.get(ALIASES.get(name, name))
