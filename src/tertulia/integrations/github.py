"""GitHub: https://docs.github.com/webhooks/webhook-events-and-payloads"""

from collections.abc import Callable, Mapping

from tertulia.integrations import code_hosting
from tertulia.integrations.code_hosting import Commit, Push
from tertulia.integrations.payload import Hook, Payload
from tertulia.integrations.phrases import code, line, link, said, spoken, strong
from tertulia.integrations.refusals import UnknownEvent
from tertulia.integrations.report import Report

Told = tuple[str, str]  # a topic and a text
Teller = Callable[[Payload], Told | None]

REVIEWS = {"approved": "approved", "changes_requested": "requested changes to"}
REQUEST_VERBS = {
    "synchronize": "updated",
    "ready_for_review": "marked as ready",
    "converted_to_draft": "turned into a draft",
    "auto_merge_enabled": "will merge, once it may be,",
    "auto_merge_disabled": "no longer merges by itself",
}
QUIET_CHECKS = {
    "queued",
    "in_progress",
    "requested",
    "waiting",
    "pending",
    "created",
    "rerequested",
}


def report(hook: Hook) -> Report | None:
    return report_of(hook.header("X-GitHub-Event"), EVENTS, hook.payload)


def report_of(event: str, known: Mapping[str, Teller], payload: Payload) -> Report | None:
    """What is told of an event by those who know it."""
    if event not in known:
        raise UnknownEvent(event)
    told = known[event](payload)
    if told is None:
        return None
    action = payload.words("action")
    return Report(
        event=f"{event}.{action}" if action else event,
        topic=told[0],
        text=told[1],
        branch=code_hosting.branch_of(payload.text("ref")) if event == "push" else None,
        is_private=payload.is_true("repository.private"),
    )


def _ping(payload: Payload) -> Told:
    where = payload.words("repository.full_name", "organization.login") or "GitHub"
    return line(where), f"GitHub webhook has been set up for {strong(where)}. {_zen(payload)}"


def _zen(payload: Payload) -> str:
    return line(payload.words("zen"))


def _push(payload: Payload) -> Told:
    commits = commits_of(payload)
    push = Push(
        repository=_repository(payload),
        who=payload.words("sender.login", "pusher.name") or "Somebody",
        ref=payload.text("ref"),
        commits=commits,
        total=len(commits),
        before=payload.words("before"),
        after=payload.words("after"),
        compare=payload.words("compare"),
        is_forced=payload.is_true("forced"),
    )
    return code_hosting.push_topic(push.repository, push.ref), code_hosting.push_text(push)


def commits_of(payload: Payload) -> list[Commit]:
    return [
        Commit(
            each.text("id"),
            each.words("message"),
            each.words("url"),
            each.words("author.username", "author.name"),
        )
        for each in payload.each("commits")
    ]


def _created(payload: Payload) -> Told:
    return _branch(payload, "created")


def _deleted(payload: Payload) -> Told:
    return _branch(payload, "deleted")


def _branch(payload: Payload, verb: str) -> Told:
    ref = payload.text("ref")
    kind = payload.text("ref_type")
    text = f"{_who(payload)} {verb} {line(kind)} {code(ref)}."
    return code_hosting.push_topic(_repository(payload), ref), text


def _request(payload: Payload) -> Told:
    request, action = payload.get("pull_request"), payload.text("action")
    verb = REQUEST_VERBS.get(action, spoken(action))
    if action == "closed":
        verb = "merged" if request.is_true("merged") else "closed without merging"
    if action in ("assigned", "unassigned"):
        verb = f"{verb} {line(payload.words('assignee.login') or 'somebody')} "
        verb += "to" if action == "assigned" else "from"
    if action in ("labeled", "unlabeled"):
        verb = f"{verb} with {code(payload.words('label.name'))}"
    if action == "review_requested":
        asked = payload.words("requested_reviewer.login", "requested_team.name") or "somebody"
        verb = f"asked {line(asked)} to review"
    text = code_hosting.request_text(
        payload.words("sender.login") or "Somebody",
        verb,
        "PR",
        request.text("number"),
        request.text("title"),
        request.words("html_url"),
        request.words("body") if action in ("opened", "edited") else "",
        (request.words("head.ref"), request.words("base.ref")) if action == "opened" else None,
    )
    return _request_topic(payload), text


def _review(payload: Payload) -> Told:
    review = payload.get("review")
    verb = REVIEWS.get(review.words("state").lower(), "reviewed")
    if payload.words("action") == "dismissed":
        verb = "dismissed a review of"
    request = payload.get("pull_request")
    named = link(f"PR #{request.text('number')} {request.text('title')}", review.words("html_url"))
    return _request_topic(payload), said(f"{_who(payload)} {verb} {named}", review.words("body"))


def _review_comment(payload: Payload) -> Told:
    comment, request = payload.get("comment"), payload.get("pull_request")
    place = f" in {code(comment.words('path'))}" if comment.words("path") else ""
    named = link(f"PR #{request.text('number')} {request.text('title')}", request.words("html_url"))
    verb = link(_commented(payload), comment.words("html_url"))
    words = comment.words("body") if payload.words("action") != "deleted" else ""
    return _request_topic(payload), said(f"{_who(payload)} {verb} {named}{place}", words)


def _issue(payload: Payload) -> Told:
    issue, action = payload.get("issue"), payload.text("action")
    verb = spoken(action)
    if action in ("assigned", "unassigned"):
        verb = f"{verb} {line(payload.words('assignee.login') or 'somebody')} "
        verb += "to" if action == "assigned" else "from"
    if action in ("labeled", "unlabeled"):
        verb = f"{verb} with {code(payload.words('label.name'))}"
    text = code_hosting.request_text(
        payload.words("sender.login") or "Somebody",
        verb,
        "issue",
        issue.text("number"),
        issue.text("title"),
        issue.words("html_url"),
        issue.words("body") if action in ("opened", "edited") else "",
    )
    return _issue_topic(payload), text


def _issue_comment(payload: Payload) -> Told:
    comment, issue = payload.get("comment"), payload.get("issue")
    kind = "PR" if issue.find("pull_request") else "issue"
    named = link(f"{kind} #{issue.text('number')} {issue.text('title')}", issue.words("html_url"))
    verb = link(_commented(payload), comment.words("html_url"))
    words = comment.words("body") if payload.words("action") != "deleted" else ""
    topic = code_hosting.numbered_topic(
        _repository(payload), kind, issue.text("number"), issue.text("title")
    )
    return topic, said(f"{_who(payload)} {verb} {named}", words)


def _commit_comment(payload: Payload) -> Told:
    comment = payload.get("comment")
    commit = comment.text("commit_id")
    verb = link("commented", comment.words("html_url"))
    headline = f"{_who(payload)} {verb} on commit {code(commit[:11])}"
    return f"{_repository(payload)} / commits", said(headline, comment.words("body"))


def _release(payload: Payload) -> Told | None:
    release, action = payload.get("release"), payload.text("action")
    if action in ("created", "prereleased") and not release.is_true("draft"):
        return None  # the same release is told as published
    tag, name = release.text("tag_name"), release.words("name")
    named = link(f"release {name or tag}", release.words("html_url"))
    topic = f"{_repository(payload)} / {line(tag)} {line(name)}".rstrip()
    words = release.words("body") if action == "published" else ""
    return topic, said(f"{_who(payload)} {spoken(action)} {named} for tag {code(tag)}", words)


def _fork(payload: Payload) -> Told:
    forkee = payload.get("forkee")
    named = link(forkee.text("full_name"), forkee.words("html_url"))
    return _repository(payload), f"{_who(payload)} forked {_repository(payload)} as {named}."


def _star(payload: Payload) -> Told:
    verb = "starred" if payload.words("action") in ("created", "started") else "unstarred"
    return _repository(payload), f"{_who(payload)} {verb} {_repository(payload)}."


def _repository_changed(payload: Payload) -> Told:
    repository = payload.get("repository")
    named = link(repository.text("full_name"), repository.words("html_url"))
    verb = spoken(payload.text("action"))
    return _repository(payload), f"{_who(payload)} {verb} the repository {named}."


def _member(payload: Payload) -> Told:
    member = payload.get("member")
    verb = spoken(payload.text("action"))
    named = link(member.text("login"), member.words("html_url"))
    return _repository(payload), f"{_who(payload)} {verb} {named} as a collaborator."


def _wiki(payload: Payload) -> Told:
    pages = [
        f"{spoken(page.words('action'))} the wiki page "
        + link(page.words("title") or "Untitled", page.words("html_url"))
        for page in payload.each("pages")
    ]
    return f"{_repository(payload)} / wiki", f"{_who(payload)} {', '.join(pages) or 'did nothing'}."


def _status(payload: Payload) -> Told | None:
    state = payload.text("state")
    if state == "pending":
        return None
    sha = payload.text("sha")
    named = link(payload.words("context") or "A check", payload.words("target_url"))
    described = payload.words("description")
    topic = f"{_repository(payload)} / commits"
    return topic, said(f"{named} for commit {code(sha[:11])}: {spoken(state)}", described)


def _check(payload: Payload) -> Told | None:
    check = payload.get("check_run")
    return _checked(payload, check, check.words("details_url", "html_url"))


def _check_suite(payload: Payload) -> Told | None:
    suite = payload.get("check_suite")
    return _checked(payload, suite, suite.words("url"), suite.words("app.name") or "Checks")


def _workflow(payload: Payload) -> Told | None:
    run = payload.get("workflow_run")
    if payload.words("action") != "completed":
        return None
    return _checked(payload, run, run.words("html_url"))


def _checked(payload: Payload, check: Payload, address: str, name: str = "") -> Told | None:
    if check.words("status") in QUIET_CHECKS or payload.words("action") in QUIET_CHECKS:
        return None
    named = link(name or check.words("name") or "Checks", address)
    result = spoken(check.words("conclusion") or "unknown")
    branch = check.words("head_branch", "check_suite.head_branch")
    where = f" on {code(branch)}" if branch else ""
    topic = code_hosting.push_topic(_repository(payload), branch or "checks")
    return topic, f"{named}{where}: {result}."


def _deployment_status(payload: Payload) -> Told:
    state = spoken(payload.text("deployment_status.state"))
    deployment = payload.get("deployment")
    where = deployment.words("environment") or "somewhere"
    named = link(f"Deployment to {where}", payload.words("deployment_status.environment_url"))
    return f"{_repository(payload)} / deployments", f"{named}: {state}."


def _discussion(payload: Payload) -> Told:
    discussion, action = payload.get("discussion"), payload.text("action")
    text = code_hosting.request_text(
        payload.words("sender.login") or "Somebody",
        spoken(action),
        "discussion",
        discussion.text("number"),
        discussion.text("title"),
        discussion.words("html_url"),
        discussion.words("body") if action in ("created", "edited") else "",
    )
    return _discussion_topic(payload), text


def _discussion_comment(payload: Payload) -> Told:
    comment, discussion = payload.get("comment"), payload.get("discussion")
    verb = link(_commented(payload), comment.words("html_url"))
    named = f"discussion #{discussion.text('number')} {line(discussion.text('title'))}"
    return _discussion_topic(payload), said(
        f"{_who(payload)} {verb} {named}", comment.words("body")
    )


def _who(payload: Payload) -> str:
    return line(payload.words("sender.login") or "Somebody")


def _repository(payload: Payload) -> str:
    return line(payload.text("repository.name"))


def _commented(payload: Payload) -> str:
    return {"edited": "edited a comment on", "deleted": "deleted a comment on"}.get(
        payload.words("action"), "commented on"
    )


def _request_topic(payload: Payload) -> str:
    return _numbered(payload, "pull_request", "PR")


def _issue_topic(payload: Payload) -> str:
    return _numbered(payload, "issue", "issue")


def _discussion_topic(payload: Payload) -> str:
    return _numbered(payload, "discussion", "discussion")


def _numbered(payload: Payload, key: str, kind: str) -> str:
    thing = payload.get(key)
    number, title = thing.text("number"), thing.text("title")
    return code_hosting.numbered_topic(_repository(payload), kind, number, title)


EVENTS: dict[str, Teller] = {
    "check_run": _check,
    "check_suite": _check_suite,
    "commit_comment": _commit_comment,
    "create": _created,
    "delete": _deleted,
    "deployment_status": _deployment_status,
    "discussion": _discussion,
    "discussion_comment": _discussion_comment,
    "fork": _fork,
    "gollum": _wiki,
    "issue_comment": _issue_comment,
    "issues": _issue,
    "member": _member,
    "ping": _ping,
    "pull_request": _request,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "push": _push,
    "release": _release,
    "repository": _repository_changed,
    "star": _star,
    "status": _status,
    "watch": _star,
    "workflow_run": _workflow,
}
