"""TeamCity: https://www.jetbrains.com/help/teamcity/teamcity-webhooks.html

Supports TeamCity's own webhooks, and the plugin tcWebHooks, which has `build` at the top.
"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, humanize, line, link
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

EVENTS = {
    "BUILD_STARTED": "started",
    "BUILD_FINISHED": "finished",
    "BUILD_INTERRUPTED": "interrupted",
    "BUILD_PROBLEMS_CHANGED": "has other problems",
}
PLUGIN_EVENTS = {"buildStarted": "started", "buildFinished": "finished"}
SIGNS = {"SUCCESS": ":check:", "FAILURE": ":cross_mark:", "ERROR": ":cross_mark:"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    if payload.find("build"):
        return _of_plugin(payload.get("build"))
    event = payload.text("eventType")
    if event not in EVENTS:
        raise UnknownEvent(event)
    build = payload.get("payload")
    name = build.words("buildType.name") or build.text("buildTypeId")
    status = "" if event == "BUILD_STARTED" else build.words("status").upper()
    return _message(
        event=f"{event.lower()}.{status.lower()}".rstrip("."),
        project=build.words("buildType.projectName"),
        name=name,
        number=build.words("number", "id"),
        address=build.words("webUrl"),
        branch=build.words("branchName"),
        status=status,
        verb=EVENTS[event],
        words=build.words("statusText"),
    )


def _of_plugin(build: Payload) -> WebhookMessage | None:
    event = build.text("notifyType")
    if event not in PLUGIN_EVENTS:
        return None  # steps between the start and the end of a build
    status = "" if event == "buildStarted" else build.words("buildResult").upper()
    return _message(
        event=f"{event}.{status.lower()}".rstrip("."),
        project=build.words("projectName"),
        name=build.words("buildName") or build.text("buildFullName"),
        number=build.words("buildNumber"),
        address=build.words("buildStatusUrl"),
        branch=build.words("branchDisplayName", "branchName"),
        status=status,
        verb=PLUGIN_EVENTS[event],
        words=build.words("buildStateDescription"),
    )


def _message(
    *,
    event: str,
    project: str,
    name: str,
    number: str,
    address: str,
    branch: str,
    status: str,
    verb: str,
    words: str,
) -> WebhookMessage:
    named = link(f"Build #{number} of {name}" if number else f"A build of {name}", address)
    where = f" on {code(branch)}" if branch else ""
    sign = f"{SIGNS.get(status, ':information:')} " if status else ""
    result = f": {humanize(status)}" if status else ""
    described = f" ({line(words)})" if words and status else ""
    topic = f"{line(project)} / {line(name)}" if project else line(name)
    return WebhookMessage(event, topic, f"{sign}{named}{where} {verb}{result}{described}.")
