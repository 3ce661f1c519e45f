"""CircleCI: https://circleci.com/docs/reference/outbound-webhooks-reference/"""

from tertulia.integrations import code_hosting
from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import code, humanize, line, link
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

BRANCHES = (
    "pipeline.vcs.branch",
    "pipeline.vcs.tag",
    "pipeline.trigger_parameters.git.branch",
)
SIGNS = {"success": ":check:", "failed": ":cross_mark:", "error": ":cross_mark:"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    event = payload.text("type")
    if event == "ping":
        return WebhookMessage(event, "CircleCI", "CircleCI's webhook has been set up.")
    if event == "workflow-completed":
        about, kind = payload.get("workflow"), "Workflow"
    elif event == "job-completed":
        about, kind = payload.get("job"), "Job"
    else:
        raise UnknownEvent(event)
    status = about.text("status")
    named = link(f"{kind} {about.text('name')}", payload.words("workflow.url"))
    sign = SIGNS.get(status, ":information:")
    project = line(payload.words("project.name") or "CircleCI")
    branch = payload.words(*BRANCHES)
    text = f"{sign} {named} {humanize(status)}"
    if branch:
        text += f" on {code(branch)}"
    subject = payload.words("pipeline.vcs.commit.subject")
    if subject:
        text += f" ({line(subject)})"
    topic = code_hosting.push_topic(project, branch) if branch else project
    return WebhookMessage(f"{event}.{status}", topic, f"{text}.", branch=branch or None)
