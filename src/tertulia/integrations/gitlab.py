"""GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/"""

from tertulia.integrations import code_hosting
from tertulia.integrations.code_hosting import (
    Commit,
    Formatter,
    PullRequestOrIssue,
    Push,
    TopicAndText,
)
from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import bullets, code, humanize, line, link, name_list, with_quote
from tertulia.integrations.webhook_message import UnknownEvent, WebhookMessage

VERBS = {
    "open": "created",
    "reopen": "reopened",
    "close": "closed",
    "update": "updated",
    "merge": "merged",
    "approved": "approved",
    "approval": "approved",
    "unapproved": "unapproved",
    "unapproval": "unapproved",
}
AWARDED = {  # types of things with emoji: the name in messages, and the key in the payload
    "Issue": ("issue", "issue"),
    "MergeRequest": ("MR", "merge_request"),
    "WorkItem": ("work item", "work_item"),
}
QUIET_STATES = {"created", "pending", "running", "preparing", "waiting_for_resource", "scheduled"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    event = request.header("X-Gitlab-Event")
    payload = request.payload
    kind = event.removeprefix("Confidential ").removesuffix(" Hook")
    if kind == "System":
        kind = KINDS.get(payload.words("object_kind", "event_name"), kind)
    if kind not in EVENTS:
        raise UnknownEvent(event)
    found = EVENTS[kind](payload)
    if found is None:
        return None
    action = payload.words("object_attributes.action", "object_attributes.status")
    name = kind.lower().replace(" ", "_")
    return WebhookMessage(
        event=f"{name}.{action}" if action else name,
        topic=found[0],
        text=found[1],
        branch=code_hosting.branch_of(payload.text("ref")) if kind == "Push" else None,
        is_private=payload.find("project.visibility_level").value == 0,
    )


def _push(payload: Payload) -> TopicAndText:
    commits = [
        Commit(each.text("id"), each.words("message"), each.words("url"), each.words("author.name"))
        for each in payload.each("commits")
    ]
    push = Push(
        repository=_project(payload),
        who=payload.words("user_name", "user_username") or "Somebody",
        ref=payload.text("ref"),
        commits=commits,
        before=payload.words("before"),
        after=payload.words("after"),
        compare=_compare(payload),
        commit_total=payload.find("total_commits_count").value,
    )
    return code_hosting.push_message(push)


def _compare(payload: Payload) -> str:
    home = payload.words("project.web_url")
    return f"{home}/-/compare/{payload.words('before')}...{payload.words('after')}" if home else ""


def _request(payload: Payload) -> TopicAndText:
    request = payload.get("object_attributes")
    action = request.words("action")
    verb = VERBS.get(action, humanize(action) or "changed")
    if action == "update" and request.words("oldrev"):
        verb = "added commits to"
    opened = action in ("open", "reopen")
    about = _numbered(request, "MR")
    words = request.words("description") if opened else ""
    branches = (request.words("source_branch"), request.words("target_branch"))
    text = code_hosting.request_text(
        _who(payload), verb, about, words, branches if opened else None
    )
    return about.topic(_project(payload)), text


def _issue(payload: Payload) -> TopicAndText:
    issue = payload.get("object_attributes")
    action = issue.words("action")
    kind = humanize(issue.words("type").lower()) or "issue"  # a work item has a type, such as Task
    about, verb = _numbered(issue, kind), VERBS.get(action, humanize(action) or "changed")
    words = issue.words("description") if action == "open" else ""
    text = code_hosting.request_text(_who(payload), verb, about, words)
    return about.topic(_project(payload)), text


def _note(payload: Payload) -> TopicAndText:
    note = payload.get("object_attributes")
    verb = link("commented", note.words("url"))
    kind = note.text("noteable_type")
    if kind == "Commit":
        commit = payload.get("commit")
        named = f"commit {link(commit.text('id')[:11], commit.words('url'))}"
        topic = f"{_project(payload)} / commits"
    elif kind == "Snippet":
        snippet = payload.get("snippet")
        named = link(f"snippet {snippet.words('title')}", snippet.words("url"))
        topic = f"{_project(payload)} / snippets"
    elif kind in ("MergeRequest", "Issue"):
        short, key = ("MR", "merge_request") if kind == "MergeRequest" else ("issue", "issue")
        about = _numbered(payload.get(key), short)
        named, topic = about.link(), about.topic(_project(payload))
    else:
        raise UnknownEvent(f"Note Hook on {kind}")
    return topic, with_quote(f"{_who(payload)} {verb} on {named}", note.words("note"))


def _pipeline(payload: Payload) -> TopicAndText | None:
    pipeline = payload.get("object_attributes")
    status = pipeline.text("status")
    if status in QUIET_STATES:
        return None
    home, number = payload.words("project.web_url"), pipeline.text("id")
    named = link(f"Pipeline {number}", f"{home}/-/pipelines/{number}" if home else "")
    jobs = [
        f"{line(job.text('name'))}: {humanize(job.words('status'))}"
        for job in payload.each("builds")
    ]
    where = pipeline.words("ref")
    text = f"{named} {humanize(status)} on {code(where)}."
    topic = code_hosting.push_topic(_project(payload), where)
    return topic, f"{text}\n\n{bullets(jobs)}" if jobs else text


def _job(payload: Payload) -> TopicAndText | None:
    status = payload.text("build_status")
    if status in QUIET_STATES:
        return None
    home, number = payload.words("repository.homepage"), payload.words("build_id")
    named = link(payload.text("build_name"), f"{home}/-/jobs/{number}" if home else "")
    where = payload.words("ref")
    repository = payload.words("repository.name", "project_name") or "GitLab"
    topic = code_hosting.push_topic(repository, where)
    return topic, f"Job {named} {humanize(status)} on {code(where)}."


def _deployment(payload: Payload) -> TopicAndText:
    where = line(payload.words("environment") or "an environment")
    named = link(f"Deployment to {where}", payload.words("environment_external_url"))
    ref = payload.words("ref")
    what = f" of {code(ref)}" if ref else ""
    job = payload.words("deployable_url")
    status = link(humanize(payload.text("status")), job)
    headline = f"{named}{what} by {_who(payload)}: {status}"
    return f"{_project(payload)} / deployments", with_quote(headline, payload.words("commit_title"))


def _feature_flag(payload: Payload) -> TopicAndText:
    flag = payload.get("object_attributes")
    verb = "enabled" if flag.is_true("active") else "disabled"
    headline = f"{_who(payload)} {verb} the feature flag {code(flag.text('name'))}"
    return f"{_project(payload)} / feature flags", with_quote(headline, flag.words("description"))


def _emoji(payload: Payload) -> TopicAndText:
    award = payload.get("object_attributes")
    emoji, address = line(f":{award.text('name')}:"), award.words("awarded_on_url")
    kind = award.words("awardable_type")
    topic = f"{_project(payload)} / emoji"
    named = link("a comment" if kind == "Note" else humanize(kind) or "something", address)
    if kind in AWARDED and payload.find(AWARDED[kind][1]):
        short, key = AWARDED[kind]
        thing = payload.get(key)
        about = PullRequestOrIssue(short, thing.text("iid"), thing.text("title"), address)
        named, topic = about.link(), about.topic(_project(payload))
    is_revoked = "revoke" in (award.words("action"), payload.words("event_type"))
    verb = f"removed {emoji} from" if is_revoked else f"reacted with {emoji} to"
    return topic, f"{_who(payload)} {verb} {named}."


def _token(payload: Payload) -> TopicAndText:
    token = payload.get("object_attributes")
    owner = payload.find("project") or payload.find("group")
    name = line(owner.words("name", "group_name") or "GitLab")
    kind = "deploy token" if payload.words("object_kind") == "deploy_token" else "access token"
    when = line(token.words("expires_at"))
    text = (
        f":warning: The {kind} {code(token.text('name'))} of {link(name, owner.words('web_url'))}"
    )
    return f"{name} / tokens", f"{text} expires{f' on {when}' if when else ' soon'}."


def _repository_update(payload: Payload) -> TopicAndText:
    refs = payload.texts("refs") or [each.words("ref") for each in payload.each("changes")]
    named = name_list(code(code_hosting.branch_of(each)) for each in refs) or "the repository"
    who = line(payload.words("user_name") or "Somebody")
    return _project(payload), f"{who} updated {named}."


def _release(payload: Payload) -> TopicAndText:
    tag, name = payload.text("tag"), payload.words("name")
    named = link(f"Release {name or tag}", payload.words("url"))
    verb = {"create": "was published", "update": "was updated", "delete": "was deleted"}.get(
        payload.words("action"), "changed"
    )
    topic = f"{_project(payload)} / {line(tag)} {line(name)}".rstrip()
    return topic, with_quote(f"{named} {verb}", payload.words("description"))


def _wiki(payload: Payload) -> TopicAndText:
    page = payload.get("object_attributes")
    verb = {"create": "created", "update": "updated", "delete": "deleted"}.get(
        page.words("action"), "changed"
    )
    named = link(page.text("title"), page.words("url"))
    topic = f"{_project(payload)} / wiki"
    return topic, with_quote(f"{_who(payload)} {verb} the wiki page {named}", page.words("message"))


def _project(payload: Payload) -> str:
    return line(payload.words("project.name", "repository.name") or payload.text("project.name"))


def _who(payload: Payload) -> str:
    return line(payload.words("user.name", "user.username") or "Somebody")


def _numbered(thing: Payload, kind: str) -> PullRequestOrIssue:
    return PullRequestOrIssue(kind, thing.text("iid"), thing.text("title"), thing.words("url"))


EVENTS: dict[str, Formatter] = {
    "Deployment": _deployment,
    "Emoji": _emoji,
    "Feature Flag": _feature_flag,
    "Issue": _issue,
    "Job": _job,
    "Merge Request": _request,
    "Note": _note,
    "Pipeline": _pipeline,
    "Push": _push,
    "Release": _release,
    "Repository Update": _repository_update,
    "Resource Access Token": _token,
    "Resource Deploy Token": _token,
    "Tag Push": _push,
    "Wiki Page": _wiki,
    "Work Item": _issue,
}

# Events inside a System Hook.
KINDS = {
    "merge_request": "Merge Request",
    "push": "Push",
    "repository_update": "Repository Update",
    "tag_push": "Tag Push",
}

# As filters know them.
EVENT_NAMES = [kind.lower().replace(" ", "_") for kind in EVENTS]
