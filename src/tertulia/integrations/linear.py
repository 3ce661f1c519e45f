"""Linear: https://linear.app/developers/webhooks"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, humanize, line, link, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

VERBS = {"create": "created", "update": "updated", "remove": "removed"}
NAMED = {"Project", "ProjectUpdate", "Cycle", "Initiative", "IssueLabel"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    kind, action = payload.text("type"), payload.text("action")
    if action not in VERBS:
        raise UnknownEvent(f"{kind} {action}")
    verb = VERBS[action]
    if kind == "Issue":
        topic, text = _issue(payload, verb)
    elif kind == "Comment":
        topic, text = _comment(payload, verb)
    elif kind in NAMED:
        topic, text = _thing(payload, kind, verb)
    else:
        raise UnknownEvent(kind)
    return WebhookMessage(f"{kind.lower()}.{action}", topic, text)


def _issue(payload: Payload, verb: str) -> tuple[str, str]:
    issue = payload.get("data")
    name = f"{line(issue.words('identifier'))} {line(issue.text('title'))}".strip()
    headline = f"{_who(payload)} {verb} issue {link(name, payload.words('url'))}"
    if verb == "created":
        about = fact_list(
            [
                ("State", line(issue.words("state.name"))),
                ("Priority", line(issue.words("priorityLabel"))),
                ("Assignee", line(issue.words("assignee.name"))),
            ]
        )
        words = issue.words("description")
        text = with_quote(headline, words)
        return name, f"{text}\n\n{about}".rstrip()
    changed = _changes(payload, issue)
    return name, f"{headline}:\n\n{changed}" if changed else f"{headline}."


def _changes(payload: Payload, issue: Payload) -> str:
    """The new values of the fields that an update changed."""
    before = payload.find("updatedFrom").value
    names = set(before) if isinstance(before, dict) else set()
    now = {
        "stateId": ("State", issue.words("state.name")),
        "assigneeId": ("Assignee", issue.words("assignee.name") or "nobody"),
        "title": ("Title", issue.words("title")),
        "priority": ("Priority", issue.words("priorityLabel")),
        "estimate": ("Estimate", issue.words("estimate") or "none"),
        "dueDate": ("Due", issue.words("dueDate") or "no date"),
        "projectId": ("Project", issue.words("project.name") or "none"),
    }
    return fact_list([(now[key][0], line(now[key][1])) for key in now if key in names])


def _comment(payload: Payload, verb: str) -> tuple[str, str]:
    comment = payload.get("data")
    title = line(comment.words("issue.title") or "Linear")
    name = f"{line(comment.words('issue.identifier'))} {title}".strip()
    verb = {"created": "commented", "updated": "edited a comment"}.get(verb, "removed a comment")
    headline = f"{_who(payload)} {link(verb, payload.words('url'))} on {name}"
    return name, with_quote(headline, "" if "removed" in verb else comment.words("body"))


def _thing(payload: Payload, kind: str, verb: str) -> tuple[str, str]:
    thing = payload.get("data")
    name = line(thing.words("name", "project.name", "number") or kind)
    words = " ".join(part.lower() for part in _parts(kind))
    headline = f"{_who(payload)} {verb} {words} {link(name, payload.words('url'))}"
    return name, with_quote(headline, thing.words("body"))


def _parts(kind: str) -> list[str]:
    """Splits `ProjectUpdate` into two words."""
    return humanize("".join(f" {each}" if each.isupper() else each for each in kind)).split()


def _who(payload: Payload) -> str:
    return line(payload.words("actor.name", "data.user.name") or "Somebody")
