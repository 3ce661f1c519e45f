"""Every integration, by the name in its URL."""

from collections.abc import Callable

import msgspec

from tertulia.errors import BadRequest
from tertulia.errors.integrations import MalformedPayload, MissingEventHeader, UnsupportedEvent
from tertulia.integrations import (
    alertmanager,
    bitbucket,
    circleci,
    discourse,
    free_text,
    freshdesk,
    gitea,
    github,
    gitlab,
    grafana,
    jenkins,
    jira,
    json_text,
    linear,
    newrelic,
    pagerduty,
    sentry,
    signatures,
    slack_incoming,
    stripe,
    travis,
    trello,
    uptime_kuma,
    zendesk,
)
from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.rejections import (
    NoSuchHeader,
    UnexpectedPayload,
    UnknownEvent,
    WebhookRejected,
)
from tertulia.integrations.signatures import Check
from tertulia.integrations.webhook_message import WebhookMessage


class Integration(msgspec.Struct, frozen=True):
    name: str
    title: str
    paste: str  # where in the service the URL is entered
    to_message: Callable[[WebhookRequest], WebhookMessage | None]
    check: Check | None = None  # how it signs requests, if it does

    def report(self, hook: WebhookRequest) -> WebhookMessage | None:
        """The message for a request; None if there is nothing to say. Raises only ClientError."""
        try:
            return self.to_message(hook)
        except UnknownEvent as unknown:
            event = str(unknown)[:100]
            raise UnsupportedEvent(webhook_name=self.title, event_type=event) from None
        except UnexpectedPayload as strange:
            raise MalformedPayload(webhook_name=self.title, field=str(strange)) from None
        except NoSuchHeader as missing:
            raise MissingEventHeader(header=str(missing)) from None
        except WebhookRejected as refusal:
            raise BadRequest(str(refusal)) from None

    @property
    def client(self) -> str:
        """The name of the client that sends the messages."""
        return f"Zulip{self.title.replace(' ', '').replace('.', '')}Webhook"[:30]


_sha256 = signatures.hexadecimal

_ALL = [
    Integration(
        "alertmanager",
        "Alertmanager",
        "In `alertmanager.yml`, as the `url` of a `webhook_configs` entry.",
        alertmanager.report,
    ),
    Integration(
        "bitbucket2",
        "Bitbucket",
        "In Repository settings, Webhooks, Add webhook.",
        bitbucket.report,
        _sha256("x-hub-signature", prefix="sha256="),
    ),
    Integration(
        "circleci",
        "CircleCI",
        "In Project Settings, Webhooks, Add Webhook.",
        circleci.report,
        _sha256("circleci-signature", prefix="v1="),
    ),
    Integration(
        "discourse",
        "Discourse",
        "In Admin, API, Webhooks, New Webhook, as JSON.",
        discourse.report,
        _sha256("x-discourse-event-signature", prefix="sha256="),
    ),
    Integration(
        "freshdesk",
        "Freshdesk",
        "In Admin, Automations, as the action Trigger Webhook with JSON in Simple mode.",
        freshdesk.report,
    ),
    Integration(
        "gitea",
        "Gitea",
        "In Settings, Webhooks, Add Webhook, Gitea.",
        gitea.report,
        _sha256("x-gitea-signature", "x-forgejo-signature"),
    ),
    Integration(
        "forgejo",
        "Forgejo",
        "In Settings, Webhooks, Add webhook, Forgejo.",
        gitea.report,
        _sha256("x-forgejo-signature", "x-gitea-signature"),
    ),
    Integration(
        "github",
        "GitHub",
        "In Settings, Webhooks, Add webhook, with content type `application/json`.",
        github.report,
        _sha256("x-hub-signature-256", prefix="sha256="),
    ),
    Integration(
        "gitlab",
        "GitLab",
        "In Settings, Webhooks, Add new webhook.",
        gitlab.report,
        signatures.token("x-gitlab-token"),
    ),
    Integration(
        "gogs",
        "Gogs",
        "In Settings, Webhooks, Add Webhook, Gogs.",
        gitea.report,
        _sha256("x-gogs-signature"),
    ),
    Integration(
        "grafana",
        "Grafana",
        "In Alerting, Contact points, as one of the kind Webhook.",
        grafana.report,
        _sha256("x-grafana-alerting-signature"),
    ),
    Integration("helloworld", "Hello World", "Anywhere, for a first try.", free_text.helloworld),
    Integration(
        "ifttt",
        "IFTTT",
        "In a Webhooks action, with a JSON body that has `topic` and `content`.",
        free_text.ifttt,
    ),
    Integration(
        "jenkins",
        "Jenkins",
        "In a job's Job Notifications, with the Notification plugin, as JSON over HTTP.",
        jenkins.report,
    ),
    Integration(
        "jira",
        "Jira",
        "In System, WebHooks, Create a WebHook.",
        jira.report,
        _sha256("x-hub-signature", prefix="sha256="),
    ),
    Integration(
        "json",
        "JSON",
        "Wherever something can send JSON: it is shown as it is.",
        json_text.report,
    ),
    Integration(
        "linear",
        "Linear",
        "In Settings, API, Webhooks, New webhook.",
        linear.report,
        signatures.linear,
    ),
    Integration(
        "newrelic",
        "New Relic",
        "In Alerts, Destinations, as a webhook that a workflow uses.",
        newrelic.report,
    ),
    Integration(
        "pagerduty",
        "PagerDuty",
        "In Integrations, Generic Webhooks (v3), New Webhook.",
        pagerduty.report,
        _sha256("x-pagerduty-signature", prefix="v1="),
    ),
    Integration(
        "sentry",
        "Sentry",
        "In Settings, Custom Integrations, as the webhook of an internal integration.",
        sentry.report,
        _sha256("sentry-hook-signature"),
    ),
    Integration(
        "slack_incoming",
        "Slack",
        "Wherever a tool asks for the address of a Slack incoming webhook.",
        slack_incoming.report,
        signatures.slack,
    ),
    Integration(
        "stripe",
        "Stripe",
        "In Developers, Webhooks, Add destination.",
        stripe.report,
        signatures.stripe,
    ),
    Integration(
        "travis",
        "Travis CI",
        "In `.travis.yml`, in the list `notifications: webhooks`.",
        travis.report,
        signatures.travis,
    ),
    Integration(
        "trello",
        "Trello",
        "As `callbackURL` in a POST to `https://api.trello.com/1/webhooks`.",
        trello.report,
        signatures.trello,
    ),
    Integration(
        "uptimekuma",
        "Uptime Kuma",
        "In Settings, Notifications, as one of the type Webhook with JSON.",
        uptime_kuma.report,
    ),
    Integration(
        "zapier",
        "Zapier",
        "In a Webhooks by Zapier action, POST, as JSON with `topic` and `content`.",
        free_text.zapier,
    ),
    Integration(
        "zendesk",
        "Zendesk",
        "In Admin Center, Webhooks, as the endpoint of a webhook.",
        zendesk.report,
        signatures.zendesk,
    ),
]

INTEGRATIONS = {each.name: each for each in _ALL}
ALIASES = {"bitbucket": "bitbucket2", "slack": "slack_incoming", "uptime_kuma": "uptimekuma"}


def find(name: str) -> Integration | None:
    return INTEGRATIONS.get(ALIASES.get(name, name))
