"""Jenkins, with the Notification plugin: https://plugins.jenkins.io/notification/"""

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import code, humanize, line, link, name_list
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

SIGNS = {"SUCCESS": ":check:", "FAILURE": ":cross_mark:", "UNSTABLE": ":warning:"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    build = payload.get("build")
    phase = build.text("phase").upper()
    if phase not in ("QUEUED", "STARTED", "COMPLETED", "FINALIZED"):
        raise UnknownEvent(phase)
    if phase in ("QUEUED", "COMPLETED"):
        return None  # only the start and the end are reported
    name = payload.words("display_name", "name") or payload.text("name")
    named = link(f"Build #{build.text('number')} of {name}", build.words("full_url"))
    branch, culprits = build.words("scm.branch"), build.texts("scm.culprits")
    where = f" on {code(branch)}" if branch else ""
    by = f", with changes by {name_list(map(line, culprits))}" if culprits else ""
    if phase == "STARTED":
        return WebhookMessage("started", line(name), f"{named}{where} has begun.")
    status = build.words("status").upper() or "UNKNOWN"
    sign = SIGNS.get(status, ":information:")
    return WebhookMessage(
        f"finished.{status.lower()}", line(name), f"{sign} {named}{where}: {humanize(status)}{by}."
    )
