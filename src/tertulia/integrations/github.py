"""GitHub: https://docs.github.com/webhooks/webhook-events-and-payloads"""

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from tertulia.integrations import code_hosting
from tertulia.integrations.code_hosting import (
    Commit,
    Formatter,
    PullRequestOrIssue,
    Push,
    TopicAndText,
)
from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, fact_list, humanize, line, link, strong, with_quote
from tertulia.integrations.webhook_message import UnknownEvent, WebhookMessage

COMMENTED = {"edited": "edited a comment on", "deleted": "deleted a comment on"}
WRITTEN = {"opened", "created", "edited"}  # actions whose text is shown
REVIEWS = {"approved": "approved", "changes_requested": "requested changes to"}
REQUEST_VERBS = {
    "synchronize": "updated",
    "ready_for_review": "marked as ready",
    "converted_to_draft": "turned into a draft",
    "auto_merge_enabled": "will merge, once it may be,",
    "auto_merge_disabled": "no longer merges by itself",
}
TEAM_VERBS = {
    "added_to_repository": "gave the team {team} access to {repository}",
    "removed_from_repository": "removed the access of the team {team} to {repository}",
}
SPONSOR_VERBS = {
    "created": "started sponsoring",
    "cancelled": "stopped sponsoring",
    "edited": "changed who can see that they sponsor",
    "tier_changed": "changed the tier for",
    "pending_cancellation": "will stop sponsoring",
    "pending_tier_change": "will change the tier for",
}
QUIET_CHECKS = {
    "queued", "in_progress", "requested", "waiting", "pending", "created", "rerequested",
}  # fmt: skip


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    return message_of_event(request.header("X-GitHub-Event"), EVENTS, request.payload)


def message_of_event(
    event: str, known: Mapping[str, Formatter], payload: Payload
) -> WebhookMessage | None:
    """The message for an event, from the function for that event."""
    if event not in known:
        raise UnknownEvent(event)
    found = known[event](payload)
    if found is None:
        return None
    action = payload.words("action")
    return WebhookMessage(
        event=f"{event}.{action}" if action else event,
        topic=found[0],
        text=found[1],
        branch=code_hosting.branch_of(payload.text("ref")) if event == "push" else None,
        is_private=payload.is_true("repository.private"),
    )


def _ping(payload: Payload) -> TopicAndText:
    where = payload.words("repository.full_name", "organization.login") or "GitHub"
    zen = line(payload.words("zen"))
    return line(where), f"GitHub webhook has been set up for {strong(where)}. {zen}"


def _push(payload: Payload) -> TopicAndText:
    push = Push(
        repository=_repository(payload),
        who=payload.words("sender.login", "pusher.name") or "Somebody",
        ref=payload.text("ref"),
        commits=commits_of(payload),
        before=payload.words("before"),
        after=payload.words("after"),
        compare=payload.words("compare"),
        is_forced=payload.is_true("forced"),
    )
    return code_hosting.push_message(push)


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


def _branch(verb: str, payload: Payload) -> TopicAndText:
    ref = payload.text("ref")
    kind = payload.text("ref_type")
    text = f"{_who(payload)} {verb} {line(kind)} {code(ref)}."
    return code_hosting.push_topic(_repository(payload), ref), text


def _request(payload: Payload) -> TopicAndText:
    request, action = payload.get("pull_request"), payload.text("action")
    verb = REQUEST_VERBS.get(action) or _verb(payload)
    if action == "closed":
        verb = "merged" if request.is_true("merged") else "closed without merging"
    if action == "review_requested":
        reviewer = payload.words("requested_reviewer.login", "requested_team.name") or "a reviewer"
        verb = f"asked {line(reviewer)} to review"
    branches = (request.words("head.ref"), request.words("base.ref"))
    return _changed(payload, "pull_request", "PR", verb, branches if action == "opened" else None)


def _issue(payload: Payload) -> TopicAndText:
    return _changed(payload, "issue", "issue", _verb(payload))


def _discussion(payload: Payload) -> TopicAndText:
    return _changed(payload, "discussion", "discussion", humanize(payload.text("action")))


def _verb(payload: Payload) -> str:
    action = payload.text("action")
    verb = humanize(action)
    if action in ("assigned", "unassigned"):
        verb = f"{verb} {line(payload.words('assignee.login') or 'a user')} "
        verb += "to" if action == "assigned" else "from"
    if action in ("labeled", "unlabeled"):
        verb = f"{verb} with {code(payload.words('label.name'))}"
    return verb


def _changed(
    payload: Payload, key: str, kind: str, verb: str, branches: tuple[str, str] | None = None
) -> TopicAndText:
    about = _numbered(payload, key, kind)
    words = payload.words(f"{key}.body") if payload.words("action") in WRITTEN else ""
    text = code_hosting.request_text(_who(payload), verb, about, words, branches)
    return about.topic(_repository(payload)), text


def _review(payload: Payload) -> TopicAndText:
    review, about = payload.get("review"), _numbered(payload, "pull_request", "PR")
    verb = REVIEWS.get(review.words("state").lower(), "reviewed")
    if payload.words("action") == "dismissed":
        verb = "dismissed a review of"
    named = replace(about, address=review.words("html_url")).link()
    text = with_quote(f"{_who(payload)} {verb} {named}", review.words("body"))
    return about.topic(_repository(payload)), text


def _review_comment(payload: Payload) -> TopicAndText:
    path = payload.words("comment.path")
    file_name = f" in {code(path)}" if path else ""
    return _comment(payload, _numbered(payload, "pull_request", "PR"), file_name)


def _issue_comment(payload: Payload) -> TopicAndText:
    kind = "PR" if payload.find("issue.pull_request") else "issue"
    return _comment(payload, _numbered(payload, "issue", kind))


def _discussion_comment(payload: Payload) -> TopicAndText:
    return _comment(payload, _numbered(payload, "discussion", "discussion"))


def _comment(payload: Payload, about: PullRequestOrIssue, file_name: str = "") -> TopicAndText:
    comment, action = payload.get("comment"), payload.words("action")
    verb = link(COMMENTED.get(action, "commented on"), comment.words("html_url"))
    words = comment.words("body") if action != "deleted" else ""
    text = with_quote(f"{_who(payload)} {verb} {about.link()}{file_name}", words)
    return about.topic(_repository(payload)), text


def _commit_comment(payload: Payload) -> TopicAndText:
    comment = payload.get("comment")
    commit = comment.text("commit_id")
    verb = link("commented", comment.words("html_url"))
    headline = f"{_who(payload)} {verb} on commit {code(commit[:11])}"
    return f"{_repository(payload)} / commits", with_quote(headline, comment.words("body"))


def _release(payload: Payload) -> TopicAndText | None:
    release, action = payload.get("release"), payload.text("action")
    if action in ("created", "prereleased") and not release.is_true("draft"):
        return None  # the same release is also sent as `published`
    tag, name = release.text("tag_name"), release.words("name")
    named = link(f"release {name or tag}", release.words("html_url"))
    topic = f"{_repository(payload)} / {line(tag)} {line(name)}".rstrip()
    words = release.words("body") if action == "published" else ""
    return topic, with_quote(
        f"{_who(payload)} {humanize(action)} {named} for tag {code(tag)}", words
    )


def _fork(payload: Payload) -> TopicAndText:
    forkee = payload.get("forkee")
    named = link(forkee.text("full_name"), forkee.words("html_url"))
    return _repository(payload), f"{_who(payload)} forked {_repository(payload)} as {named}."


def _star(payload: Payload) -> TopicAndText:
    verb = "starred" if payload.words("action") in ("created", "started") else "unstarred"
    return _repository(payload), f"{_who(payload)} {verb} {_repository(payload)}."


def _repository_changed(payload: Payload) -> TopicAndText:
    repository = payload.get("repository")
    named = link(repository.text("full_name"), repository.words("html_url"))
    verb = humanize(payload.text("action"))
    return _repository(payload), f"{_who(payload)} {verb} the repository {named}."


def _member(payload: Payload) -> TopicAndText:
    member = payload.get("member")
    verb = humanize(payload.text("action"))
    named = link(member.text("login"), member.words("html_url"))
    return _repository(payload), f"{_who(payload)} {verb} {named} as a collaborator."


def _wiki(payload: Payload) -> TopicAndText:
    pages = [
        f"{humanize(page.words('action'))} the wiki page "
        + link(page.words("title") or "Untitled", page.words("html_url"))
        for page in payload.each("pages")
    ]
    return f"{_repository(payload)} / wiki", f"{_who(payload)} {', '.join(pages) or 'did nothing'}."


def _status(payload: Payload) -> TopicAndText | None:
    state = payload.text("state")
    if state == "pending":
        return None
    sha = payload.text("sha")
    named = link(payload.words("context") or "A check", payload.words("target_url"))
    described = payload.words("description")
    topic = f"{_repository(payload)} / commits"
    return topic, with_quote(f"{named} for commit {code(sha[:11])}: {humanize(state)}", described)


def _check(payload: Payload) -> TopicAndText | None:
    check = payload.get("check_run")
    return _checked(payload, check, check.words("details_url", "html_url"))


def _check_suite(payload: Payload) -> TopicAndText | None:
    suite = payload.get("check_suite")
    return _checked(payload, suite, suite.words("url"), suite.words("app.name") or "Checks")


def _workflow(payload: Payload) -> TopicAndText | None:
    run = payload.get("workflow_run")
    if payload.words("action") != "completed":
        return None
    return _checked(payload, run, run.words("html_url"))


def _checked(payload: Payload, check: Payload, address: str, name: str = "") -> TopicAndText | None:
    if check.words("status") in QUIET_CHECKS or payload.words("action") in QUIET_CHECKS:
        return None
    named = link(name or check.words("name") or "Checks", address)
    result = humanize(check.words("conclusion") or "unknown")
    branch = check.words("head_branch", "check_suite.head_branch")
    where = f" on {code(branch)}" if branch else ""
    topic = code_hosting.push_topic(_repository(payload), branch or "checks")
    return topic, f"{named}{where}: {result}."


def _deployment(payload: Payload) -> TopicAndText:
    deployment = payload.get("deployment")
    ref, where = deployment.words("ref"), line(deployment.words("environment") or "an environment")
    what = f" of {code(ref)}" if ref else ""
    headline = f"{_who(payload)} created a deployment{what} to {where}"
    topic = f"{_repository(payload)} / deployments"
    return topic, with_quote(headline, deployment.words("description"))


def _deployment_status(payload: Payload) -> TopicAndText:
    status, deployment = payload.get("deployment_status"), payload.get("deployment")
    where = deployment.words("environment") or "an environment"
    address = status.words("environment_url", "log_url", "target_url")
    ref = deployment.words("ref")
    what = f" of {code(ref)}" if ref else ""
    named = link(f"Deployment to {where}", address)
    headline = f"{named}{what}: {humanize(status.text('state'))}"
    return f"{_repository(payload)} / deployments", with_quote(
        headline, status.words("description")
    )


def _team(payload: Payload) -> TopicAndText:
    team, action = payload.get("team"), payload.text("action")
    name = team.text("name")
    named = link(name, team.words("html_url"))
    if action in TEAM_VERBS:
        repository = payload.get("repository")
        linked = link(repository.text("full_name"), repository.words("html_url"))
        text = TEAM_VERBS[action].format(team=named, repository=linked)
    else:
        text = f"{humanize(action)} the team {named}"
    before = payload.find("changes")
    changes = fact_list(
        [
            ("Former name", line(before.words("name.from"))),
            ("Former description", line(before.words("description.from"))),
            ("Former visibility", line(before.words("privacy.from"))),
        ]
    )
    return f"{_organization(payload)} / teams", f"{_who(payload)} {text}.\n\n{changes}".rstrip()


def _membership(payload: Payload) -> TopicAndText:
    team, member = payload.get("team"), payload.get("member")
    word = "to" if payload.text("action") == "added" else "from"
    who = link(member.text("login"), member.words("html_url"))
    named = link(team.text("name"), team.words("html_url"))
    text = f"{_who(payload)} {humanize(payload.text('action'))} {who} {word} the team {named}."
    return f"{_organization(payload)} / teams", text


def _public(payload: Payload) -> TopicAndText:
    repository = payload.get("repository")
    named = link(repository.text("full_name"), repository.words("html_url"))
    return _repository(payload), f"{_who(payload)} made the repository {named} public."


def _page_build(payload: Payload) -> TopicAndText | None:
    build = payload.get("build")
    status = build.text("status")
    if status in ("building", "queued"):
        return None
    by = line(build.words("pusher.login"))
    headline = f"GitHub Pages{f' (pushed by {by})' if by else ''}: {humanize(status)}"
    return f"{_repository(payload)} / pages", with_quote(headline, build.words("error.message"))


def _advisory(payload: Payload) -> TopicAndText:
    advisory = payload.get("repository_advisory")
    name = advisory.text("ghsa_id")
    summary = line(advisory.words("summary"))
    named = link(f"advisory {name} {summary}".rstrip(), advisory.words("html_url"))
    headline = f"{_who(payload)} {humanize(payload.text('action'))} {named}"
    about = fact_list(
        [
            ("Severity", humanize(advisory.words("severity"))),
            ("CVE", line(advisory.words("cve_id"))),
        ]
    )
    text = with_quote(headline, advisory.words("description"))
    topic = f"{_repository(payload)} / {line(name)} {summary}".rstrip()
    return topic, f"{text}\n\n{about}".rstrip()


def _sponsorship(payload: Payload) -> TopicAndText:
    sponsorship, action = payload.get("sponsorship"), payload.text("action")
    verb = SPONSOR_VERBS.get(action)
    if verb is None:
        raise UnknownEvent(f"sponsorship.{action}")
    sponsor = sponsorship.get("sponsor")
    sponsored = line(sponsorship.words("sponsorable.login", "maintainer.login") or "GitHub")
    who = link(sponsor.text("login"), sponsor.words("html_url"))
    about = fact_list(
        [
            ("Tier", line(sponsorship.words("tier.name"))),
            ("Former tier", line(payload.words("changes.tier.from.name"))),
            ("Effective", line(payload.words("effective_date"))),
        ]
    )
    return f"{sponsored} / sponsors", f"{who} {verb} {sponsored}.\n\n{about}".rstrip()


def _who(payload: Payload) -> str:
    return line(payload.words("sender.login") or "Somebody")


def _organization(payload: Payload) -> str:
    return line(payload.words("organization.login") or payload.text("repository.owner.login"))


def _repository(payload: Payload) -> str:
    return line(payload.text("repository.name"))


def _numbered(payload: Payload, key: str, kind: str) -> PullRequestOrIssue:
    thing = payload.get(key)
    return PullRequestOrIssue(
        kind, thing.text("number"), thing.text("title"), thing.words("html_url")
    )


EVENTS: dict[str, Formatter] = {
    "check_run": _check,
    "check_suite": _check_suite,
    "commit_comment": _commit_comment,
    "create": partial(_branch, "created"),
    "delete": partial(_branch, "deleted"),
    "deployment": _deployment,
    "deployment_status": _deployment_status,
    "discussion": _discussion,
    "discussion_comment": _discussion_comment,
    "fork": _fork,
    "gollum": _wiki,
    "issue_comment": _issue_comment,
    "issues": _issue,
    "member": _member,
    "membership": _membership,
    "page_build": _page_build,
    "ping": _ping,
    "public": _public,
    "pull_request": _request,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "push": _push,
    "release": _release,
    "repository": _repository_changed,
    "repository_advisory": _advisory,
    "sponsorship": _sponsorship,
    "star": _star,
    "status": _status,
    "team": _team,
    "watch": _star,
    "workflow_run": _workflow,
}
