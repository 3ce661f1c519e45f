"""Buildbot, with the reporter HttpStatusPush or ZulipStatusPush:
https://docs.buildbot.net/latest/manual/configuration/reporters/http_status.html
https://docs.buildbot.net/latest/manual/configuration/reporters/zulip_status.html"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, line, link
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

RESULTS = {
    0: ("success", ":check:"),
    1: ("warnings", ":warning:"),
    2: ("failure", ":cross_mark:"),
    3: ("skipped", ":information:"),
    4: ("exception", ":cross_mark:"),
    5: ("retry", ":warning:"),
    6: ("cancelled", ":warning:"),
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    if payload.words("event"):
        return _of_zulip_reporter(payload)
    number = payload.text("number")
    builder = line(payload.words("builder.name")) or f"builder {line(payload.text('builderid'))}"
    named = link(f"Build #{number} of {builder}", payload.words("url"))
    branch, project = _source(payload)
    where = f" on {code(branch)}" if branch else ""
    topic = f"{line(project)} / {builder}" if project else builder
    if not payload.is_true("complete"):
        text = f"{named}{where} started."
        return WebhookMessage("started", topic, text, branch=branch or None)
    name, sign = _result(payload)
    words = line(payload.words("state_string"))
    described = f" ({words})" if words else ""
    text = f"{sign} {named}{where}: {name}{described}."
    return WebhookMessage(f"finished.{name}", topic, text, branch=branch or None)


def _of_zulip_reporter(payload: Payload) -> WebhookMessage:
    event = payload.text("event")
    if event not in ("new", "finished"):
        raise UnknownEvent(event)
    named = link(
        f"Build #{payload.text('buildid')} of {payload.text('buildername')}", payload.words("url")
    )
    topic = line(payload.words("project")) or "general"
    if event == "new":
        return WebhookMessage("started", topic, f"{named} started.")
    name, sign = _result(payload)
    return WebhookMessage(f"finished.{name}", topic, f"{sign} {named}: {name}.")


def _result(payload: Payload) -> tuple[str, str]:
    result = payload.find("results").value
    known = RESULTS.get(result) if isinstance(result, int) else None
    return known or ("unknown", ":information:")


def _source(payload: Payload) -> tuple[str, str]:
    """The branch and the project, from the first source of the build set."""
    sources = payload.each("buildset.sourcestamps")
    if not sources:
        return "", ""
    return sources[0].words("branch"), sources[0].words("project")
