"""Every integration, by the name in its URL."""

from collections.abc import Callable, Collection

import msgspec

from tertulia.errors.integrations import MalformedPayload, MissingEventHeader, UnsupportedEvent
from tertulia.integrations import (
    alertmanager,
    awx,
    azure_devops,
    bitbucket,
    buildbot,
    circleci,
    discourse,
    free_text,
    freshdesk,
    gitea,
    github,
    gitlab,
    grafana,
    harbor,
    heroku,
    jenkins,
    jira,
    json_text,
    linear,
    netlify,
    newrelic,
    notion,
    openproject,
    opsgenie,
    pagerduty,
    pingdom,
    redmine,
    rollbar,
    sentry,
    signatures,
    slack_incoming,
    sonarqube,
    splunk,
    statuspage,
    stripe,
    teamcity,
    templated,
    travis,
    trello,
    uptime_kuma,
    uptime_robot,
    wordpress,
    zabbix,
    zendesk,
)
from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.rejections import (
    NoSuchHeader,
    UnexpectedPayload,
    UnknownEvent,
)
from tertulia.integrations.signatures import Check
from tertulia.integrations.webhook_message import WebhookMessage


class Integration(msgspec.Struct, frozen=True):
    name: str
    title: str
    setup_hint: str  # where in the service the URL is entered
    to_message: Callable[[WebhookRequest], WebhookMessage | None]
    check: Check | None = None  # how it signs requests, if it does
    events: Collection[str] | None = None  # names for `only_events`, if there is a fixed list
    is_slow: bool = False  # whether even a small payload can take long

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
    Integration(
        "alertmanager",
        "Alertmanager",
        "In `alertmanager.yml`, as the `url` of a `webhook_configs` entry.",
        alertmanager.to_message,
    ),
    Integration(
        "awx",
        "AWX",
        "In Administration, Notifiers, as the target URL of one of the type Webhook, with POST.",
        awx.to_message,
    ),
    Integration(
        "azuredevops",
        "Azure DevOps",
        "In Project settings, Service hooks, Create subscription, Web Hooks.",
        azure_devops.to_message,
    ),
    Integration(
        "bitbucket2",
        "Bitbucket",
        "In Repository settings, Webhooks, Add webhook.",
        bitbucket.to_message,
        _hmac("x-hub-signature", prefix="sha256="),
        events=bitbucket.EVENT_NAMES,
    ),
    Integration(
        "buildbot",
        "Buildbot",
        "In `master.cfg`, as the `serverUrl` of a `reporters.HttpStatusPush`, or with"
        " `reporters.ZulipStatusPush`.",
        buildbot.to_message,
    ),
    Integration(
        "circleci",
        "CircleCI",
        "In Project Settings, Webhooks, Add Webhook.",
        circleci.to_message,
        _hmac("circleci-signature", prefix="v1="),
    ),
    Integration(
        "discourse",
        "Discourse",
        "In Admin, API, Webhooks, New Webhook, as JSON.",
        discourse.to_message,
        _hmac("x-discourse-event-signature", prefix="sha256="),
    ),
    Integration(
        "freshdesk",
        "Freshdesk",
        "In Admin, Automations, as the action Trigger Webhook with JSON in Simple mode.",
        freshdesk.to_message,
    ),
    Integration(
        "gitea",
        "Gitea",
        "In Settings, Webhooks, Add Webhook, Gitea.",
        gitea.to_message,
        _hmac("x-gitea-signature", "x-forgejo-signature"),
        events=gitea.EVENTS,
    ),
    Integration(
        "forgejo",
        "Forgejo",
        "In Settings, Webhooks, Add webhook, Forgejo.",
        gitea.to_message,
        _hmac("x-forgejo-signature", "x-gitea-signature"),
        events=gitea.EVENTS,
    ),
    Integration(
        "github",
        "GitHub",
        "In Settings, Webhooks, Add webhook, with content type `application/json`.",
        github.to_message,
        _hmac("x-hub-signature-256", prefix="sha256="),
        events=github.EVENTS,
    ),
    Integration(
        "gitlab",
        "GitLab",
        "In Settings, Webhooks, Add new webhook.",
        gitlab.to_message,
        signatures.token("x-gitlab-token"),
        events=gitlab.EVENT_NAMES,
    ),
    Integration(
        "gogs",
        "Gogs",
        "In Settings, Webhooks, Add Webhook, Gogs.",
        gitea.to_message,
        _hmac("x-gogs-signature"),
        events=gitea.EVENTS,
    ),
    Integration(
        "grafana",
        "Grafana",
        "In Alerting, Contact points, as one of the kind Webhook.",
        grafana.to_message,
        _hmac("x-grafana-alerting-signature"),
    ),
    Integration(
        "harbor",
        "Harbor",
        "In a project's Webhooks, New Webhook, as the endpoint URL of the type http; the secret is"
        " the Auth Header.",
        harbor.to_message,
        signatures.token("authorization"),
        events=harbor.EVENTS,
    ),
    Integration("helloworld", "Hello World", "Anywhere, for a first try.", free_text.helloworld),
    Integration(
        "heroku",
        "Heroku",
        "As the URL in `heroku webhooks:add --include api:release --level notify`.",
        heroku.to_message,
        signatures.heroku,
    ),
    Integration(
        "homeassistant",
        "Home Assistant",
        "In `configuration.yaml`, as the `resource` of a `notify` with the platform `rest`, the"
        " method `POST_JSON` and the `title_param_name` `title`.",
        free_text.home_assistant,
    ),
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
        jenkins.to_message,
    ),
    Integration(
        "jira",
        "Jira",
        "In System, WebHooks, Create a WebHook.",
        jira.to_message,
        _hmac("x-hub-signature", prefix="sha256="),
    ),
    Integration(
        "json",
        "JSON",
        "Wherever something can send JSON: it is shown as it is.",
        json_text.to_message,
    ),
    Integration(
        "linear",
        "Linear",
        "In Settings, API, Webhooks, New webhook.",
        linear.to_message,
        signatures.linear,
    ),
    Integration(
        "netlify",
        "Netlify",
        "In Project configuration, Notifications, as an HTTP POST request with a JWS secret token.",
        netlify.to_message,
        signatures.netlify,
        events=netlify.EVENT_NAMES,
    ),
    Integration(
        "newrelic",
        "New Relic",
        "In Alerts, Destinations, as a webhook that a workflow uses.",
        newrelic.to_message,
    ),
    Integration(
        "notion",
        "Notion",
        "In the settings of a connection, Webhooks, Create a subscription. The owner of the bot"
        " then gets the verification token, which is also the secret.",
        notion.to_message,
        signatures.notion,
    ),
    Integration(
        "openproject",
        "OpenProject",
        "In Administration, API and webhooks, Webhooks, as the payload URL.",
        openproject.to_message,
        _hmac("x-op-signature", prefix="sha1=", digest="sha1"),
    ),
    Integration(
        "opsgenie",
        "Opsgenie",
        "In Settings, Integrations, Webhook, with the description and the details of alerts.",
        opsgenie.to_message,
    ),
    Integration(
        "pagerduty",
        "PagerDuty",
        "In Integrations, Generic Webhooks (v3), New Webhook.",
        pagerduty.to_message,
        _hmac("x-pagerduty-signature", prefix="v1="),
    ),
    Integration(
        "pingdom",
        "Pingdom",
        "In Integrations, Add Integration, of the type Webhook.",
        pingdom.to_message,
    ),
    Integration(
        "redmine",
        "Redmine",
        "In My account, Webhooks (version 7), or in a project's settings with the plugin Webhook.",
        redmine.to_message,
        _hmac("x-redmine-signature-256", prefix="sha256="),
    ),
    Integration(
        "rollbar",
        "Rollbar",
        "In a project's Settings, Notifications, Webhook.",
        rollbar.to_message,
        events=rollbar.EVENT_NAMES,
    ),
    Integration(
        "sentry",
        "Sentry",
        "In Settings, Custom Integrations, as the webhook of an internal integration.",
        sentry.to_message,
        _hmac("sentry-hook-signature"),
    ),
    Integration(
        "slack_incoming",
        "Slack",
        "Wherever a tool asks for the address of a Slack incoming webhook.",
        slack_incoming.to_message,
        signatures.slack,
    ),
    Integration(
        "sonarqube",
        "SonarQube",
        "In a project's settings, or in Administration, Configuration: Webhooks, Create.",
        sonarqube.to_message,
        _hmac("x-sonar-webhook-hmac-sha256"),
    ),
    Integration(
        "splunk",
        "Splunk",
        "In an alert's Trigger Actions, Webhook.",
        splunk.to_message,
    ),
    Integration(
        "statuspage",
        "Statuspage",
        "On a status page, Subscribe to updates, as a webhook.",
        statuspage.to_message,
    ),
    Integration(
        "stripe",
        "Stripe",
        "In Developers, Webhooks, Add destination.",
        stripe.to_message,
        signatures.stripe,
    ),
    Integration(
        "teamcity",
        "TeamCity",
        "In a project's parameters, as `teamcity.internal.webhooks.url`, with"
        " `teamcity.internal.webhooks.enable` and `teamcity.internal.webhooks.events`.",
        teamcity.to_message,
    ),
    Integration(
        "template",
        "JSON with a template",
        "Wherever something can send JSON. Add `&text_template=…` and perhaps `&topic_template=…`,"
        " URL-encoded: Jinja templates such as `{{ status }}` or"
        " `{% for a in alerts %}{{ a.name }}{% endfor %}`.",
        templated.to_message,
        is_slow=True,
    ),
    Integration(
        "travis",
        "Travis CI",
        "In `.travis.yml`, in the list `notifications: webhooks`.",
        travis.to_message,
        signatures.travis,
    ),
    Integration(
        "trello",
        "Trello",
        "As `callbackURL` in a POST to `https://api.trello.com/1/webhooks`.",
        trello.to_message,
        signatures.trello,
        events=trello.EVENT_NAMES,
    ),
    Integration(
        "uptimekuma",
        "Uptime Kuma",
        "In Settings, Notifications, as one of the type Webhook with JSON.",
        uptime_kuma.to_message,
    ),
    Integration(
        "uptimerobot",
        "UptimeRobot",
        "In Integrations, Webhook, with the default variables as JSON.",
        uptime_robot.to_message,
    ),
    Integration(
        "wordpress",
        "WordPress",
        "At `/wp-admin/options-general.php?page=webhooks`, Add webhook, with the fields of the"
        " title, the URL and the text.",
        wordpress.to_message,
    ),
    Integration(
        "zabbix",
        "Zabbix",
        "In Alerts, Media types, as the address to which a webhook's script posts its parameters"
        " as JSON: `host_name`, `trigger_name`, `trigger_id`, `event_id`, `event_severity`,"
        " `event_status`, `event_update_status`, `event_update_message`, `event_opdata`,"
        " `zabbix_url`.",
        zabbix.to_message,
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
        zendesk.to_message,
        signatures.zendesk,
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
