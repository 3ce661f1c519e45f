"""OpenProject: https://www.openproject.org/docs/system-admin-guide/api-and-webhooks/#webhooks

Things are sent as its API version 3 shows them: names are under `_embedded` or are titles of links.
"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, strong, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

KINDS = {"work_package", "work_package_comment", "project", "time_entry", "attachment"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    event = payload.text("action")
    kind, _, verb = event.partition(":")
    if kind not in KINDS or not verb:
        raise UnknownEvent(event)
    name = event.replace(":", ".")
    if kind == "work_package":
        return WebhookMessage(name, *_work_package(payload.get(kind), verb))
    if kind == "work_package_comment":
        return WebhookMessage(name, *_comment(payload.get("activity")))
    thing = payload.get(kind)
    if kind == "project":
        title = thing.text("name")
        text = with_quote(
            f"Project {strong(title)} was {humanize(verb)}", thing.words("description.raw")
        )
        return WebhookMessage(name, line(title), text)
    if kind == "time_entry":
        return WebhookMessage(name, *_time_entry(thing, verb))
    title = thing.words("fileName", "title") or thing.text("fileName")
    container = _related(thing, "container")
    on = f" on {strong(container)}" if container else ""
    text = f"File {strong(title)}{on} was {humanize(verb)}."
    return WebhookMessage(name, line(container) or "OpenProject", text)


def _work_package(package: Payload, verb: str) -> tuple[str, str]:
    subject, number = package.text("subject"), package.text("id")
    kind = line(_related(package, "type")) or "Work package"
    named = strong(f"{kind} #{number} {line(subject)}")
    who = line(_related(package, "author"))
    by = f" by {who}" if who and verb == "created" else ""
    words = package.words("description.raw") if verb == "created" else ""
    about = fact_list(
        [
            ("Status", line(_related(package, "status"))),
            ("Priority", line(_related(package, "priority"))),
            ("Assignee", line(_related(package, "assignee"))),
            ("Due", line(package.words("dueDate"))),
        ]
    )
    text = with_quote(f"{named} was {humanize(verb)}{by}", words)
    project = line(_related(package, "project")) or "OpenProject"
    return f"{project} / #{number} {line(subject)}", f"{text}\n\n{about}".rstrip()


def _comment(activity: Payload) -> tuple[str, str]:
    package = activity.find("_embedded.workPackage")
    subject = line(package.words("subject") or _related(activity, "workPackage"))
    who = line(_related(activity, "user") or "Somebody")
    project = line(_related(package, "project")) or "OpenProject"
    number = package.words("id")
    named = f"#{number} {subject}".rstrip() if number else subject or "a work package"
    text = with_quote(f"{who} commented on {strong(named)}", activity.words("comment.raw"))
    return f"{project} / {named}", text


def _time_entry(entry: Payload, verb: str) -> tuple[str, str]:
    who = line(_related(entry, "user") or "Somebody")
    package = line(_related(entry, "workPackage") or _related(entry, "entity"))
    hours = line(entry.words("hours")).removeprefix("PT").lower()  # ISO 8601: PT5H30M
    on = f" on {strong(package)}" if package else ""
    what = f"{hours or 'time'}{on}" if verb == "created" else f"a time entry of {hours}{on}"
    headline = f"{who} logged {what}" if verb == "created" else f"{who} {humanize(verb)} {what}"
    project = line(_related(entry, "project")) or "OpenProject"
    return f"{project} / time", with_quote(headline, entry.words("comment.raw"))


def _related(thing: Payload, name: str) -> str:
    """The name of a person, status or project that belongs to a thing."""
    return thing.words(
        f"_embedded.{name}.name", f"_embedded.{name}.subject", f"_links.{name}.title"
    )
