"""Azure DevOps: https://learn.microsoft.com/azure/devops/service-hooks/events

Every event has a sentence about itself, which is shown. This module adds the topic, the commits of
a push and the text of a comment.
"""

from collections.abc import Mapping

from tertulia.integrations import code_hosting
from tertulia.integrations.code_hosting import Commit, PullRequestOrIssue, Push, TopicAndText
from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import line, with_quote
from tertulia.integrations.webhook_message import UnknownEvent, WebhookMessage

SENTENCE_LENGTH = 1000
FAMILIES = ("build.", "git.", "ms.", "tfvc.", "workitem.")


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    event = payload.text("eventType")
    if not event.startswith(FAMILIES):
        raise UnknownEvent(event)
    resource = payload.get("resource")
    if event == "git.push":
        topic, text = _push(resource)
        branches = {each.words("name") for each in resource.each("refUpdates")}
        branch = code_hosting.branch_of(branches.pop()) if len(branches) == 1 else None
        return WebhookMessage(event, topic, text, branch=branch)
    sentence = line(payload.words("message.markdown", "message.text"), SENTENCE_LENGTH)
    if not sentence:
        sentence = line(payload.text("message.text"), SENTENCE_LENGTH)
    words = _comment(resource)
    text = with_quote(sentence.rstrip(".:"), words) if words else sentence
    return WebhookMessage(event, _topic(resource), text)


def _push(resource: Payload) -> TopicAndText:
    repository = resource.text("repository.name")
    home = resource.words("repository.remoteUrl", "repository.webUrl")
    commits = [
        Commit(
            each.text("commitId"),
            each.words("comment"),
            f"{home}/commit/{each.text('commitId')}" if home else "",
            each.words("author.name"),
        )
        for each in resource.each("commits")
    ]
    pushes = [
        Push(
            repository=repository,
            who=resource.words("pushedBy.displayName") or "Somebody",
            ref=each.text("name"),
            commits=commits,
            before=each.words("oldObjectId"),
            after=each.words("newObjectId"),
        )
        for each in resource.each("refUpdates")
    ]
    if not pushes:
        return line(repository), f"A push to {line(repository)} changed no branch."
    topic = pushes[0].ref if len(pushes) == 1 else "pushes"
    texts = [code_hosting.push_text(each) for each in pushes]
    return code_hosting.push_topic(repository, topic), "\n\n".join(texts)


def _topic(resource: Payload) -> str:
    request = resource.find("pullRequest") or resource
    if request.words("pullRequestId"):
        about = PullRequestOrIssue("PR", request.text("pullRequestId"), request.words("title"))
        return about.topic(request.words("repository.name") or "Azure DevOps")
    fields = resource.find("revision.fields").value or resource.find("fields").value
    number = resource.words("workItemId", "id")
    if isinstance(fields, Mapping) and number:
        title, kind = fields.get("System.Title"), fields.get("System.WorkItemType")
        project = fields.get("System.TeamProject")
        about = PullRequestOrIssue(
            line(kind) if isinstance(kind, str) else "work item",
            number,
            title if isinstance(title, str) else "",
        )
        return about.topic(project if isinstance(project, str) else "Azure DevOps")
    name = resource.words(
        "definition.name",  # a build
        "pipeline.name",
        "environment.release.releaseDefinition.name",
        "release.releaseDefinition.name",
        "project.name",
        "teamProject",
    )
    return line(name) or "Azure DevOps"


def _comment(resource: Payload) -> str:
    """The text of a comment on a pull request."""
    return resource.words("comment.content")
