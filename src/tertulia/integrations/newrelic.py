"""New Relic: https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/#webhook"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import as_words, facts, line, link, several, with_quote
from tertulia.integrations.webhook_message import WebhookMessage

STATES = {"ACTIVATED": ":alert:", "CREATED": ":alert:", "OPEN": ":alert:", "CLOSED": ":squared_ok:"}


def report(hook: WebhookRequest) -> WebhookMessage | None:
    payload = hook.payload
    return _incident(payload) if payload.words("current_state") else _issue(payload)


def _issue(payload: Payload) -> WebhookMessage:
    """The default template of a workflow."""
    state = payload.text("state").upper()
    title = payload.words("title", "annotations.title.0") or payload.text("title")
    named = link(title, payload.words("issueUrl", "issuePageUrl"))
    about = facts(
        [
            ("Priority", as_words(payload.words("priority"))),
            ("Impacted", several(map(line, payload.texts("impactedEntities")))),
            ("Policies", several(map(line, payload.texts("alertPolicyNames")))),
            ("Conditions", several(map(line, payload.texts("alertConditionNames")))),
            ("Incidents", line(payload.words("totalIncidents"))),
        ]
    )
    names = payload.texts("alertConditionNames")
    topic = line(names[0] if names else title)
    sign = STATES.get(state, ":information:")
    return WebhookMessage(
        as_words(state), topic, f"{sign} {named} is {as_words(state)}.\n\n{about}".rstrip()
    )


def _incident(payload: Payload) -> WebhookMessage:
    """The format of legacy notification channels."""
    state = payload.text("current_state")
    name = payload.words("condition_name") or "An incident"
    named = link(name, payload.words("incident_url"))
    sign = STATES.get(state.upper(), ":information:")
    text = with_quote(f"{sign} {named} is {as_words(state)}", payload.words("details"))
    about = facts(
        [
            ("Severity", as_words(payload.words("severity"))),
            ("Policy", line(payload.words("policy_name"))),
        ]
    )
    topic = f"{line(payload.words('policy_name') or 'New Relic')} / {line(name)}"
    return WebhookMessage(as_words(state), topic, f"{text}\n\n{about}".rstrip())
