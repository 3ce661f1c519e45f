"""Harbor: https://goharbor.io/docs/latest/working-with-projects/project-configuration/configure-webhooks/

Supports both formats: Harbor's own, and CloudEvents, in which the same data has another envelope.
"""

from collections.abc import Mapping

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, fact_list, humanize, line, name_list
from tertulia.integrations.webhook_message import UnknownEvent, WebhookMessage

EVENTS = {
    "PUSH_ARTIFACT": "{who} pushed {what}.",
    "PULL_ARTIFACT": "{who} pulled {what}.",
    "DELETE_ARTIFACT": "{who} deleted {what}.",
    "SCANNING_COMPLETED": ":check: The scan of {what} is complete.",
    "SCANNING_FAILED": ":cross_mark: The scan of {what} failed.",
    "SCANNING_STOPPED": "The scan of {what} was stopped.",
    "QUOTA_EXCEED": ":alert: The quota is exceeded.",
    "QUOTA_WARNING": ":warning: The quota is almost exceeded.",
    "REPLICATION": "Replication: {status}.",
    "TAG_RETENTION": "Cleanup of old tags: {status}.",
}
CLOUD_EVENTS = {
    "harbor.artifact.pushed": "PUSH_ARTIFACT",
    "harbor.artifact.pulled": "PULL_ARTIFACT",
    "harbor.artifact.deleted": "DELETE_ARTIFACT",
    "harbor.scan.completed": "SCANNING_COMPLETED",
    "harbor.scan.failed": "SCANNING_FAILED",
    "harbor.scan.stopped": "SCANNING_STOPPED",
    "harbor.quota.exceeded": "QUOTA_EXCEED",
    "harbor.quota.warned": "QUOTA_WARNING",
    "harbor.replication.status.changed": "REPLICATION",
    "harbor.tag_retention.finished": "TAG_RETENTION",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    kind = payload.text("type")
    event = CLOUD_EVENTS.get(kind, kind)
    if event not in EVENTS:
        raise UnknownEvent(kind)
    data = payload.get("data" if kind in CLOUD_EVENTS else "event_data")
    repository = data.words("repository.repo_full_name", "repository.name")
    artifacts = name_list(_artifact(each, repository) for each in data.each("resources"))
    status = data.words("replication.job_status", "retention.result", "retention.status")
    text = EVENTS[event].format(
        who=line(payload.words("operator") or "Somebody"),
        what=artifacts or line(repository) or "an artifact",
        status=humanize(status) or "finished",
    )
    about = fact_list(
        [
            *[_scan(each) for each in data.each("resources")],
            ("Details", line(data.words("custom_attributes.Details"))),
        ]
    )
    return WebhookMessage(
        event,
        line(repository) or "Harbor",
        f"{text}\n\n{about}".rstrip(),
        is_private=data.words("repository.repo_type") == "private",
    )


def _artifact(artifact: Payload, repository: str) -> str:
    """`house/roof:v1`; the address of an image is not that of a page."""
    tag, digest = artifact.words("tag"), artifact.words("digest")
    name = artifact.words("resource_url").rpartition("/")[2] or repository
    if tag:
        name = f"{repository or name.partition(':')[0]}:{tag}"
    return code(name or digest[:19] or "?")


def _scan(artifact: Payload) -> tuple[str, str]:
    """The severity and number of vulnerabilities, from the first report."""
    overview = artifact.find("scan_overview").value
    for each in overview.values() if isinstance(overview, Mapping) else ():
        to_message = Payload(each)
        total = to_message.words("summary.total")
        found = f" ({line(total)} found)" if total else ""
        severity = line(to_message.words("severity"))
        return "Severity", f"{severity}{found}" if severity else ""
    return "Severity", ""
