"""Jira: https://developer.atlassian.com/server/jira/platform/webhooks/"""

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fact_list, line, link, quote_url, strong, with_quote
from tertulia.integrations.rejections import UnknownEvent
from tertulia.integrations.webhook_message import WebhookMessage

COMMENTS = {
    "comment_created": "commented on",
    "comment_updated": "edited a comment on",
    "comment_deleted": "deleted a comment on",
}
# Updates of an issue that are about a comment.
ISSUE_COMMENTS = {
    "issue_commented": "comment_created",
    "issue_comment_edited": "comment_updated",
    "issue_comment_deleted": "comment_deleted",
}
QUIET = {"issuelink_created", "issuelink_deleted", "worklog_created", "worklog_updated"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    event = payload.text("webhookEvent").removeprefix("jira:")
    event = ISSUE_COMMENTS.get(payload.words("issue_event_type_name"), event)
    if event in QUIET:
        return None
    if event in COMMENTS:
        text = _comment(payload, COMMENTS[event])
    elif event == "issue_created":
        text = _created(payload)
    elif event == "issue_updated":
        text = _updated(payload)
    elif event == "issue_deleted":
        text = f"{_who(payload)} deleted {strong(_name(payload))}."
    else:
        raise UnknownEvent(event)
    return WebhookMessage(event, _name(payload), text)


def _created(payload: Payload) -> str:
    fields = payload.get("issue").find("fields")
    about = fact_list(
        [
            ("Priority", line(fields.words("priority.name"))),
            ("Assignee", line(fields.words("assignee.displayName"))),
        ]
    )
    return f"{_who(payload)} created {_named(payload)}.\n\n{about}".rstrip()


def _updated(payload: Payload) -> str:
    changes = [
        (
            line(item.text("field")).capitalize(),
            f"{line(item.words('fromString')) or 'nothing'} → "
            f"{line(item.words('toString')) or 'nothing'}",
        )
        for item in payload.each("changelog.items")
    ]
    words = payload.words("comment.body")
    text = f"{_who(payload)} updated {_named(payload)}"
    if changes:
        text = f"{text}:\n\n{fact_list(changes)}"
    return with_quote(text, words) if words or not changes else text


def _comment(payload: Payload, verb: str) -> str:
    who = line(payload.words("comment.updateAuthor.displayName", "comment.author.displayName"))
    words = "" if verb.startswith("deleted") else _plain(payload.find("comment.body"))
    return with_quote(f"{who or _who(payload)} {verb} {_named(payload)}", words)


def _plain(body: Payload) -> str:
    """A text, or the texts of a document, which newer versions send."""
    if isinstance(body.value, str):
        return body.value
    found = [body.words("text")] if body.words("text") else []
    found += [_plain(each) for each in body.each("content")[:20]]
    return " ".join(filter(None, found))


def _who(payload: Payload) -> str:
    return line(payload.words("user.displayName", "user.name") or "Somebody")


def _name(payload: Payload) -> str:
    issue = payload.get("issue")
    return f"{line(issue.text('key'))}: {line(issue.words('fields.summary'))}".rstrip(": ")


def _named(payload: Payload) -> str:
    issue = payload.get("issue")
    home, found, _ = issue.words("self").partition("/rest/api/")
    address = f"{home}/browse/{quote_url(issue.text('key'))}" if found else ""
    return link(_name(payload), address)
