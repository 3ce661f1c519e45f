"""Gitea, Forgejo and Gogs: https://docs.gitea.com/usage/webhooks

Their payloads are GitHub's for most events; what is told otherwise stands here.
"""

from tertulia.integrations import code_hosting, github
from tertulia.integrations.code_hosting import Push
from tertulia.integrations.github import Teller, Told
from tertulia.integrations.payload import Hook, Payload
from tertulia.integrations.phrases import line, link, said
from tertulia.integrations.refusals import NoSuchHeader
from tertulia.integrations.report import Report

HEADERS = ("X-Forgejo-Event", "X-Gitea-Event", "X-Gogs-Event")
REVIEWS = {
    "pull_request_review_approved": "approved",
    "pull_request_review_rejected": "requested changes to",
    "pull_request_review_comment": "commented on",
    "pull_request_approved": "approved",
    "pull_request_rejected": "requested changes to",
    "pull_request_comment": "commented on",
}


def report(hook: Hook) -> Report | None:
    event = next(
        (hook.headers[each.lower()] for each in HEADERS if hook.headers.get(each.lower())), ""
    )
    if not event:
        raise NoSuchHeader(HEADERS[1])
    return github.report_of(event, EVENTS, hook.payload)


def _push(payload: Payload) -> Told:
    commits = github.commits_of(payload)
    total = payload.find("total_commits").value
    push = Push(
        repository=line(payload.text("repository.name")),
        who=payload.words("pusher.login", "pusher.username", "sender.login") or "Somebody",
        ref=payload.text("ref"),
        commits=commits,
        total=total if isinstance(total, int) and total > len(commits) else len(commits),
        before=payload.words("before"),
        after=payload.words("after"),
        compare=payload.words("compare_url"),
    )
    return code_hosting.push_topic(push.repository, push.ref), code_hosting.push_text(push)


def _review(verb: str) -> Teller:
    def told(payload: Payload) -> Told:
        if payload.find("comment") and not payload.find("review"):
            return _comment(payload)
        request = payload.get("pull_request")
        number, title = request.text("number"), request.text("title")
        named = link(f"PR #{number} {title}", request.words("html_url"))
        who = line(payload.words("sender.login", "sender.username") or "Somebody")
        repository = line(payload.text("repository.name"))
        topic = code_hosting.numbered_topic(repository, "PR", number, title)
        return topic, said(f"{who} {verb} {named}", payload.words("review.content"))

    return told


def _comment(payload: Payload) -> Told:
    """A comment on a pull request, which newer versions tell as one on an issue."""
    comment, request = payload.get("comment"), payload.find("pull_request") or payload.get("issue")
    number, title = request.text("number"), request.text("title")
    named = link(f"PR #{number} {title}", request.words("html_url"))
    who = line(payload.words("sender.login", "sender.username") or "Somebody")
    topic = code_hosting.numbered_topic(line(payload.text("repository.name")), "PR", number, title)
    verb = link("commented", comment.words("html_url"))
    return topic, said(f"{who} {verb} on {named}", comment.words("body"))


EVENTS: dict[str, Teller] = {
    **{
        name: github.EVENTS[name]
        for name in ("create", "delete", "fork", "issues", "issue_comment", "pull_request")
    },
    **{name: _review(verb) for name, verb in REVIEWS.items()},
    "push": _push,
    "release": github.EVENTS["release"],
    "repository": github.EVENTS["repository"],
}
