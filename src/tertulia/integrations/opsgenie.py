"""Opsgenie: https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import (
    code,
    fact_list,
    humanize,
    line,
    name_list,
    strong,
    with_quote,
)
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

VERBS = {
    "Create": "was created",
    "Acknowledge": "was acknowledged",
    "UnAcknowledge": "is no longer acknowledged",
    "Close": "was closed",
    "Delete": "was deleted",
    "AddNote": "has a new note",
    "AddTags": "has new tags",
    "RemoveTags": "has fewer tags",
    "AddDetails": "has new details",
    "RemoveDetails": "has fewer details",
    "AddTeam": "has another team",
    "AddRecipient": "has another recipient",
    "AddResponder": "has another responder",
    "AssignOwnership": "was assigned",
    "TakeOwnership": "was taken",
    "Escalate": "was escalated",
    "EscalateNext": "was escalated",
    "EscalateToNext": "was escalated",
    "Snooze": "was snoozed",
    "SnoozeEnded": "is no longer snoozed",
    "UnSnooze": "is no longer snoozed",
    "UpdatePriority": "has another priority",
    "UpdateMessage": "has another message",
    "UpdateDescription": "has another description",
}
SIGNS = {"Create": ":alert: ", "Close": ":squared_ok: "}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    action, alert = payload.text("action"), payload.get("alert")
    if action not in VERBS:
        raise UnknownEvent(action)
    name = alert.text("message")
    who = line(alert.words("username"))
    by = f" by {who}" if who else ""
    words = alert.words("note") or (alert.words("description") if action == "Create" else "")
    text = with_quote(f"{SIGNS.get(action, '')}{strong(name)} {VERBS[action]}{by}", words)
    topic = line(payload.words("integrationName")) or line(name)
    return WebhookMessage(humanize(action), topic, f"{text}\n\n{_about(alert)}".rstrip())


def _about(alert: Payload) -> str:
    tags = alert.texts("addedTags") or alert.texts("removedTags") or alert.texts("tags")
    return fact_list(
        [
            ("Priority", line(alert.words("priority"))),
            ("Former priority", line(alert.words("oldPriority"))),
            ("Owner", line(alert.words("owner"))),
            ("Tags", name_list(code(each) for each in tags)),
            ("Entity", line(alert.words("entity"))),
        ]
    )
