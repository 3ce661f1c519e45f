"""Travis CI: https://docs.travis-ci.com/user/notifications/#webhooks-delivery-format"""

from tertulia.integrations import code_hosting
from tertulia.integrations.code_hosting import PullRequestOrIssue
from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import code, line, link
from tertulia.integrations.webhook_message import WebhookMessage

GOOD = {"passed", "fixed"}
BAD = {"failed", "broken", "still failing", "errored", "canceled"}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    result = payload.text("status_message").lower()
    sign = ":check:" if result in GOOD else ":cross_mark:" if result in BAD else ":information:"
    repository = line(payload.text("repository.name"))
    branch = payload.words("branch")
    build = link(f"Build #{payload.text('number')}", payload.words("build_url"))
    changes = link("changes", payload.words("compare_url"))
    who = line(payload.words("author_name") or "Somebody")
    number = payload.words("pull_request_number")
    if payload.is_true("pull_request") or number:
        title = payload.words("pull_request_title")
        topic = PullRequestOrIssue("PR", number or "?", title).topic(repository)
    else:
        topic = code_hosting.push_topic(repository, branch or "builds")
    where = f" on {code(branch)}" if branch else ""
    subject = line(payload.words("message").partition("\n")[0])
    about = f" ({subject})" if subject else ""
    text = f"{sign} {build}{where} {line(result)}: {changes} by {who}{about}."
    kind = payload.words("type") or "push"
    return WebhookMessage(kind, topic, text, branch=branch or None)
