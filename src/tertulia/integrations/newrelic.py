"""New Relic: https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/#webhook"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, link, name_list, with_quote
from tertulia.integrations.webhook_message import WebhookMessage

STATES = {"ACTIVATED": ":alert:", "CREATED": ":alert:", "OPEN": ":alert:", "CLOSED": ":squared_ok:"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    return _incident(payload) if payload.words("current_state") else _issue(payload)


def _issue(payload: Payload) -> WebhookMessage:
    """The default template of a workflow."""
    state = payload.text("state").upper()
    title = payload.words("title", "annotations.title.0") or payload.text("title")
    named = link(title, payload.words("issueUrl", "issuePageUrl"))
    about = fact_list(
        [
            ("Priority", humanize(payload.words("priority"))),
            ("Impacted", name_list(map(line, payload.texts("impactedEntities")))),
            ("Policies", name_list(map(line, payload.texts("alertPolicyNames")))),
            ("Conditions", name_list(map(line, payload.texts("alertConditionNames")))),
            ("Incidents", line(payload.words("totalIncidents"))),
        ]
    )
    sign = STATES.get(state, ":information:")
    return WebhookMessage(
        humanize(state), line(title), f"{sign} {named} is {humanize(state)}.\n\n{about}".rstrip()
    )


def _incident(payload: Payload) -> WebhookMessage:
    """The format of legacy notification channels."""
    state = payload.text("current_state")
    name = payload.words("condition_name") or "An incident"
    named = link(name, payload.words("incident_url"))
    sign = STATES.get(state.upper(), ":information:")
    text = with_quote(f"{sign} {named} is {humanize(state)}", payload.words("details"))
    about = fact_list(
        [
            ("Severity", humanize(payload.words("severity"))),
            ("Policy", line(payload.words("policy_name"))),
        ]
    )
    topic = f"{line(payload.words('policy_name') or 'New Relic')} / {line(name)}"
    return WebhookMessage(humanize(state), topic, f"{text}\n\n{about}".rstrip())
