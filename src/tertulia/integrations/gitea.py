"""Gitea, Forgejo and Gogs: https://docs.gitea.com/usage/webhooks

Their payloads are GitHub's for most events; this module has the differences.
"""

from functools import partial

from tertulia.integrations import code_hosting, github
from tertulia.integrations.code_hosting import Formatter, PullRequestOrIssue, Push, TopicAndText
from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import line, link, with_quote
from tertulia.integrations.webhook_message import NoSuchHeader, WebhookMessage

HEADERS = ("X-Forgejo-Event", "X-Gitea-Event", "X-Gogs-Event")
AS_GITHUB = {
    "create", "delete", "fork", "issues", "issue_comment", "pull_request", "release", "repository",
}  # fmt: skip
REVIEWS = {
    "pull_request_review_approved": "approved",
    "pull_request_review_rejected": "requested changes to",
    "pull_request_review_comment": "commented on",
    "pull_request_approved": "approved",
    "pull_request_rejected": "requested changes to",
    "pull_request_comment": "commented on",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    event = next(
        (request.headers[each.lower()] for each in HEADERS if request.headers.get(each.lower())), ""
    )
    if not event:
        raise NoSuchHeader(HEADERS[1])
    return github.message_of_event(event, EVENTS, request.payload)


def _push(payload: Payload) -> TopicAndText:
    push = Push(
        repository=line(payload.text("repository.name")),
        who=payload.words("pusher.login", "pusher.username", "sender.login") or "Somebody",
        ref=payload.text("ref"),
        commits=github.commits_of(payload),
        before=payload.words("before"),
        after=payload.words("after"),
        compare=payload.words("compare_url"),
        commit_total=payload.find("total_commits").value,
    )
    return code_hosting.push_message(push)


def _review(verb: str, payload: Payload) -> TopicAndText:
    """A review, or a comment on a pull request, which newer versions send as a comment
    on an issue."""
    if payload.find("comment") and not payload.find("review"):
        comment, request = payload.get("comment"), payload.find("pull_request")
        request = request or payload.get("issue")
        verb = f"{link('commented', comment.words('html_url'))} on"
        words = comment.words("body")
    else:
        request, words = payload.get("pull_request"), payload.words("review.content")
    number, title = request.text("number"), request.text("title")
    about = PullRequestOrIssue("PR", number, title, request.words("html_url"))
    who = line(payload.words("sender.login", "sender.username") or "Somebody")
    topic = about.topic(payload.text("repository.name"))
    return topic, with_quote(f"{who} {verb} {about.link()}", words)


EVENTS: dict[str, Formatter] = {
    **{name: github.EVENTS[name] for name in AS_GITHUB},
    **{name: partial(_review, verb) for name, verb in REVIEWS.items()},
    "push": _push,
}
