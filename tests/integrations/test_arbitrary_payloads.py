"""Any payload to an integration is posted or refused, with a reason and in time."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integrations import examples, test_code_hosting, test_monitoring_and_ci, test_trackers
from tests.support.complexity import grows_linearly

from tertulia import integrations
from tertulia.errors import ClientError
from tertulia.integrations import Integration, WebhookRequest, slack_incoming

EVENTS = {
    "X-GitHub-Event": ["push", "pull_request", "issues", "release", "check_run", "gollum"],
    "X-Gitlab-Event": ["Push Hook", "Note Hook", "Pipeline Hook", "Issue Hook", "System Hook"],
    "X-Gitea-Event": ["push", "pull_request_approved", "pull_request_comment"],
    "X-Event-Key": ["repo:push", "pullrequest:created", "issue:comment_created"],
    "Sentry-Hook-Resource": ["", "issue", "event_alert", "metric_alert", "comment"],
    "X-Netlify-Event": ["deploy_created", "submission_created", "deploy_x"],
    "X-Discourse-Event": ["ping", "post_created", "topic_created", "post_liked", "user_x"],
}
# Words that lead into the payloads, and values that are there in place of the right ones.
WORDS = sorted(
    {
        word
        for module in (examples, test_code_hosting, test_monitoring_and_ci, test_trackers)
        for word in Path(str(module.__file__)).read_text(encoding="utf-8").split('"')
        if word.isidentifier() and len(word) < 25
    }
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["created", "opened", "@**all**", "```", "https://x.example/(", "[", "\0"]),
    st.sampled_from(WORDS),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6)
    ),
    max_leaves=25,
)
SERVICES = sorted(integrations.INTEGRATIONS.values(), key=lambda each: each.name)


@settings(max_examples=150)
@given(
    st.sampled_from(SERVICES),
    VALUES,
    st.fixed_dictionaries({k: st.sampled_from(v) for k, v in EVENTS.items()}),
)
def test_any_payload_is_posted_or_refused(
    service: Integration, payload: Any, headers: dict[str, str]
):
    with contextlib.suppress(ClientError):
        report = service.message_for(WebhookRequest(payload, headers))
        assert report is None or report.text.strip()


def pieces(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a payload."""
    found = [path] if path else []
    inside = value if isinstance(value, dict) else dict(enumerate(value))
    for key, item in inside.items():
        found += pieces(item, (*path, key)) if isinstance(item, dict | list) else [(*path, key)]
    return found


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@pytest.mark.parametrize("other", [None, 0, "", [], {}, [None], {"a": 1}, "x" * 5000, True, -1.5])
def test_a_valid_payload_with_one_change_is_posted_or_refused(other):
    push = test_code_hosting.PUSH | {"action": "opened", "pull_request": test_code_hosting.REQUEST}
    alerts = {
        "status": "firing",
        "alerts": [test_monitoring_and_ci.ALERT],
        "commonLabels": {"a": "b"},
    }
    jira = {"webhookEvent": "jira:issue_created", "issue": test_trackers.JIRA_ISSUE}
    for name, payload, headers in [
        ("github", push, {"X-GitHub-Event": "push"}),
        ("github", push, {"X-GitHub-Event": "pull_request"}),
        ("gitea", push, {"X-Gitea-Event": "push"}),
        ("grafana", alerts, {}),
        ("alertmanager", alerts, {}),
        ("jira", jira, {}),
        *[(each.service, each.payload, each.headers) for each in examples.EXAMPLES],
    ]:
        for location in pieces(payload):
            hook = WebhookRequest(replaced(payload, location, other), headers)
            with contextlib.suppress(ClientError):
                integrations.INTEGRATIONS[name].message_for(hook)


@pytest.mark.parametrize("text", ["*", "_", "~", "<", "<a|", "`", "*a ", "<!", "```"])
def test_slack_markup_takes_linear_time(text):
    assert grows_linearly(lambda times: slack_incoming.markup(text * times), 8_000)
