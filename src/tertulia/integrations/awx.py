"""AWX and Ansible Automation Platform, with notifications of the type Webhook:
https://docs.ansible.com/projects/awx/en/latest/userguide/notifications.html"""

from collections.abc import Mapping

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import (
    bullets,
    count,
    fact_list,
    humanize,
    line,
    link,
    with_quote,
)
from tertulia.integrations.webhook_message import WebhookMessage

MAX_HOSTS = 20
SIGNS = {
    "successful": ":check:",
    "approved": ":check:",
    "failed": ":cross_mark:",
    "error": ":cross_mark:",
    "denied": ":cross_mark:",
    "timed_out": ":cross_mark:",
    "canceled": ":warning:",
    "running": ":time_ticking:",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    body = payload.words("body")
    if body and not payload.words("status"):  # a test, or an approval
        return WebhookMessage("message", "AWX", line(body, 1000))
    status, name = payload.text("status"), payload.text("name")
    kind = line(payload.words("friendly_name") or "Job")
    named = link(f"{kind} #{payload.words('id') or '?'} {name}", payload.words("url"))
    about = fact_list(
        [
            ("Started by", line(payload.words("created_by"))),
            ("Project", line(payload.words("project"))),
            ("Playbook", line(payload.words("playbook"))),
            ("Inventory", line(payload.words("inventory"))),
            ("Limit", line(payload.words("limit"))),
        ]
    )
    sign = SIGNS.get(status, ":information:")
    text = with_quote(f"{sign} {named}: {humanize(status)}", payload.words("traceback"))
    parts = [text, about, bullets(_hosts(payload))]
    return WebhookMessage(status, line(name), "\n\n".join(filter(None, parts)))


def _hosts(payload: Payload) -> list[str]:
    """The hosts that failed or could not be reached."""
    hosts = payload.find("hosts").value
    failed = []
    for name, each in hosts.items() if isinstance(hosts, Mapping) else ():
        result = Payload(each)
        if result.words("dark") not in ("", "0"):
            failed.append(f"{line(str(name))}: unreachable")
        elif result.is_true("failed") or result.words("failures") not in ("", "0"):
            failed.append(f"{line(str(name))}: failed")
    if len(failed) > MAX_HOSTS:
        return [*failed[:MAX_HOSTS], f"and {count(len(failed) - MAX_HOSTS, 'other')}"]
    return failed
