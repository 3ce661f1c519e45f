"""Sentry: https://docs.sentry.io/organization/integrations/integration-platform/webhooks/"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, fact_list, humanize, line, link, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    resource = request.headers.get("sentry-hook-resource", "")
    if not resource:
        return _of_plugin(payload)
    action = payload.words("action")
    event = f"{resource}.{action}" if action else resource
    if resource == "issue":
        topic, text = _issue(payload)
    elif resource in ("error", "event_alert"):
        topic, text = _alert(payload)
    elif resource == "metric_alert":
        topic, text = _metric(payload)
    elif resource == "comment":
        topic, text = _comment(payload)
    elif resource == "installation":
        topic, text = "Sentry", f"Sentry's integration was {humanize(action) or 'changed'}."
    else:
        raise UnknownEvent(event)
    return WebhookMessage(event, topic, text)


def _issue(payload: Payload) -> tuple[str, str]:
    issue = payload.get("data.issue")
    verb = humanize(payload.text("action"))
    who = line(payload.words("actor.name") or "Sentry")
    named = link(issue.text("title"), issue.words("web_url", "permalink", "url"))
    text = f"Issue {named} was {verb} by {who}."
    about = fact_list(
        [
            ("Level", line(issue.words("level"))),
            ("Culprit", code(issue.words("culprit")) if issue.words("culprit") else ""),
            ("Assignee", line(issue.words("assignedTo.name"))),
        ]
    )
    return line(issue.text("title")), f"{text}\n\n{about}".rstrip()


def _alert(payload: Payload) -> tuple[str, str]:
    event = payload.find("data.event") or payload.get("data.error")
    named = link(event.text("title"), event.words("web_url", "issue_url", "url"))
    rule = payload.words("data.triggered_rule")
    headline = f"Alert {line(rule)}: {named}" if rule else f"New event: {named}"
    about = fact_list(
        [
            ("Level", line(event.words("level"))),
            ("Culprit", code(event.words("culprit")) if event.words("culprit") else ""),
            ("Platform", line(event.words("platform"))),
        ]
    )
    return line(event.text("title")), f"{headline}.\n\n{about}".rstrip()


def _metric(payload: Payload) -> tuple[str, str]:
    alert = payload.get("data")
    title = alert.words("description_title") or alert.text("metric_alert.alert_rule.name")
    named = link(title, alert.words("web_url"))
    state = humanize(payload.text("action"))
    return line(title), with_quote(f"{named}: {state}", alert.words("description_text"))


def _comment(payload: Payload) -> tuple[str, str]:
    comment = payload.get("data")
    who = line(payload.words("actor.name") or "Somebody")
    verb = {"created": "commented on", "updated": "edited a comment on"}.get(
        payload.words("action"), "deleted a comment on"
    )
    project = line(comment.words("project_slug") or "Sentry")
    return project, with_quote(
        f"{who} {verb} issue {comment.text('issue_id')}", comment.words("comment")
    )


def _of_plugin(payload: Payload) -> WebhookMessage:
    """The legacy plugin sends one event, without a header."""
    title = payload.words("event.title", "message", "culprit") or payload.text("event.title")
    project = line(payload.words("project_name", "project") or "Sentry")
    about = fact_list([("Level", line(payload.words("level", "event.level")))])
    text = f"New event: {link(title, payload.words('url'))}.\n\n{about}".rstrip()
    return WebhookMessage("event", project, text)
