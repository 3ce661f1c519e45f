"""Bitbucket Cloud: https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/"""

from collections.abc import Callable
from functools import partial

from tertulia.integrations import code_hosting
from tertulia.integrations.code_hosting import Commit, PullRequestOrIssue, Push, TopicAndText
from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import code, humanize, line, link, with_quote
from tertulia.integrations.webhook_message import UnknownEvent, WebhookMessage

REQUEST_VERBS = {
    "created": "opened",
    "updated": "updated",
    "approved": "approved",
    "unapproved": "withdrew the approval of",
    "changes_request_created": "requested changes to",
    "fulfilled": "merged",
    "rejected": "declined",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    event = request.header("X-Event-Key")
    payload = request.payload
    if event not in EVENTS:
        raise UnknownEvent(event)
    found = EVENTS[event](payload)
    return WebhookMessage(
        event=event.replace(":", "."),  # as in EVENT_NAMES
        topic=found[0],
        text=found[1],
        branch=_pushed_to(payload) if event == "repo:push" else None,
        is_private=payload.is_true("repository.is_private"),
    )


def _pushed_to(payload: Payload) -> str | None:
    changes = payload.each("push.changes")
    names = {each.words("new.name", "old.name") for each in changes}
    return names.pop() if len(names) == 1 else None


def _push(payload: Payload) -> TopicAndText:
    repository = _repository(payload)
    changes = payload.each("push.changes")
    texts, names = [], []
    for change in changes:
        is_tag = "tag" in (change.words("new.type"), change.words("old.type"))
        name = change.words("new.name", "old.name")
        commits = [
            Commit(
                each.text("hash"),
                each.words("message"),
                each.words("links.html.href"),
                each.words("author.user.display_name", "author.raw").partition(" <")[0],
            )
            for each in change.each("commits")
        ]
        push = Push(
            repository=repository,
            who=_who(payload),
            ref=f"refs/tags/{name}" if is_tag else f"refs/heads/{name}",
            commits=commits,
            before="0" if change.is_true("created") else "",
            after="0" if change.is_true("closed") else "",
            compare=change.words("links.html.href"),
            is_forced=change.is_true("forced"),
        )
        names.append(name)
        texts.append(code_hosting.push_text(push))
    if not texts:
        return repository, f"{_who(payload)} pushed nothing."
    topic = code_hosting.push_topic(repository, names[0]) if len(set(names)) == 1 else repository
    return topic, "\n\n".join(texts)


def _request(verb: str, payload: Payload) -> TopicAndText:
    request = payload.get("pullrequest")
    opened = verb == "opened"
    about = _numbered(request, "PR")
    words = request.words("description", "summary.raw") if opened else ""
    branches = (request.words("source.branch.name"), request.words("destination.branch.name"))
    text = code_hosting.request_text(
        _who(payload), verb, about, words, branches if opened else None
    )
    return about.topic(_repository(payload)), text


def _issue(verb: str, payload: Payload) -> TopicAndText:
    issue = payload.get("issue")
    about = _numbered(issue, "issue")
    words = issue.words("content.raw") if verb == "created" else ""
    text = code_hosting.request_text(_who(payload), verb, about, words)
    return about.topic(_repository(payload)), text


def _comment(key: str, kind: str, payload: Payload) -> TopicAndText:
    comment, about = payload.get("comment"), _numbered(payload.get(key), kind)
    verb = link("commented", comment.words("links.html.href"))
    text = with_quote(f"{_who(payload)} {verb} on {about.link()}", comment.words("content.raw"))
    return about.topic(_repository(payload)), text


def _commit_comment(payload: Payload) -> TopicAndText:
    comment, commit = payload.get("comment"), payload.get("commit")
    verb = link("commented", comment.words("links.html.href"))
    named = link(commit.text("hash")[:11], commit.words("links.html.href"))
    headline = f"{_who(payload)} {verb} on commit {named}"
    return f"{_repository(payload)} / commits", with_quote(headline, comment.words("content.raw"))


def _status(payload: Payload) -> TopicAndText:
    status = payload.get("commit_status")
    named = link(status.words("name", "key") or "A build", status.words("url"))
    where = status.words("refname")
    state = humanize(status.text("state").replace("INPROGRESS", "in_progress"))
    text = f"{named}{f' on {code(where)}' if where else ''}: {state}"
    topic = code_hosting.push_topic(_repository(payload), where or "builds")
    return topic, with_quote(text, status.words("description"))


def _fork(payload: Payload) -> TopicAndText:
    fork = payload.get("fork")
    named = link(fork.text("full_name"), fork.words("links.html.href"))
    return _repository(payload), f"{_who(payload)} forked {_repository(payload)} as {named}."


def _who(payload: Payload) -> str:
    return line(payload.words("actor.display_name", "actor.nickname") or "Somebody")


def _repository(payload: Payload) -> str:
    return line(payload.text("repository.name"))


def _numbered(thing: Payload, kind: str) -> PullRequestOrIssue:
    return PullRequestOrIssue(
        kind, thing.text("id"), thing.text("title"), thing.words("links.html.href")
    )


EVENTS: dict[str, Callable[[Payload], TopicAndText]] = {
    "repo:push": _push,
    "repo:fork": _fork,
    "repo:commit_comment_created": _commit_comment,
    "repo:commit_status_created": _status,
    "repo:commit_status_updated": _status,
    **{f"pullrequest:{event}": partial(_request, verb) for event, verb in REQUEST_VERBS.items()},
    "pullrequest:comment_created": partial(_comment, "pullrequest", "PR"),
    "issue:created": partial(_issue, "created"),
    "issue:updated": partial(_issue, "updated"),
    "issue:comment_created": partial(_comment, "issue", "issue"),
}

# As filters know them.
EVENT_NAMES = [name.replace(":", ".") for name in EVENTS]
