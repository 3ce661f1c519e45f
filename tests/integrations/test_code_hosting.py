"""GitHub, GitLab, Gitea and Bitbucket, by the fields that they document."""

import pytest
from tests.integrations.messages import find_message, message_for

from tertulia.errors.integrations import MalformedPayload, MissingEventHeader, UnsupportedEvent

REPOSITORY = {
    "name": "roof",
    "full_name": "house/roof",
    "html_url": "https://github.com/house/roof",
    "private": False,
}
ANA = {"login": "ana", "html_url": "https://github.com/ana"}
COMMIT = {
    "id": "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c",
    "message": "Mend the gutter\n\nIt leaked.",
    "url": "https://github.com/house/roof/commit/0d1a26e",
    "author": {"name": "Ana", "username": "ana"},
}
PUSH = {
    "ref": "refs/heads/main",
    "before": "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
    "after": COMMIT["id"],
    "forced": False,
    "compare": "https://github.com/house/roof/compare/6113728f27ae...0d1a26e67d8f",
    "commits": [COMMIT],
    "repository": REPOSITORY,
    "pusher": {"name": "ana"},
    "sender": ANA,
}
REQUEST = {
    "number": 7,
    "title": "Mend the [old] roof",
    "html_url": "https://github.com/house/roof/pull/7",
    "body": "It rains in. @**all**",
    "merged": False,
    "head": {"ref": "mend"},
    "base": {"ref": "main"},
}
ISSUE = {
    "number": 3,
    "title": "Rain",
    "html_url": "https://github.com/house/roof/issues/3",
    "body": "On my head.",
}


def github(event, payload):
    return message_for(
        "github", {"repository": REPOSITORY, "sender": ANA} | payload, X_GitHub_Event=event
    )


def test_a_push_to_github_becomes_a_message():
    report = message_for("github", PUSH, X_GitHub_Event="push")

    assert (report.event, report.topic, report.branch) == ("push", "roof / main", "main")
    assert report.text == (
        "ana pushed [1 commit](https://github.com/house/roof/compare/6113728f27ae...0d1a26e67d8f)"
        " to branch `main`.\n\n"
        "* Mend the gutter ([0d1a26e67d8](https://github.com/house/roof/commit/0d1a26e))"
    )


@pytest.mark.parametrize(
    "change, text",
    [
        ({"after": "0" * 40, "commits": []}, "ana deleted the branch `main`."),
        ({"before": "0" * 40, "commits": []}, "ana pushed new branch `main`."),
        ({"ref": "refs/tags/v1", "commits": []}, "ana pushed tag `v1`."),
        ({"ref": "refs/tags/v1", "after": "0" * 40, "commits": []}, "ana removed tag `v1`."),
    ],
)
def test_created_and_deleted_branches_and_tags(change, text):
    assert message_for("github", PUSH | change, X_GitHub_Event="push").text == text


def test_a_long_push_is_truncated():
    report = message_for("github", PUSH | {"commits": [COMMIT] * 30}, X_GitHub_Event="push")

    assert report.text.count("Mend the gutter") == 20
    assert report.text.endswith("* and 10 others")


def test_mentions_in_a_pull_request_are_silent():
    report = github("pull_request", {"action": "opened", "pull_request": REQUEST})

    assert report.event == "pull_request.opened"
    assert report.topic == "roof / PR #7 Mend the [old] roof"
    assert report.text == (
        "ana opened [PR #7 Mend the [old] roof](https://github.com/house/roof/pull/7)"
        " from `mend` to `main`:\n``` quote\nIt rains in. @**all**\n```"
    )


@pytest.mark.parametrize(
    "event, payload, text",
    [
        (
            "pull_request",
            {"action": "closed", "pull_request": REQUEST | {"merged": True}},
            "ana merged [PR #7 Mend the [old] roof](https://github.com/house/roof/pull/7).",
        ),
        (
            "pull_request",
            {"action": "review_requested", "pull_request": REQUEST}
            | {"requested_reviewer": {"login": "ben"}},
            "ana asked ben to review"
            " [PR #7 Mend the [old] roof](https://github.com/house/roof/pull/7).",
        ),
        (
            "pull_request_review",
            {"action": "submitted", "pull_request": REQUEST}
            | {"review": {"state": "approved", "body": "", "html_url": "https://github.com/r/1"}},
            "ana approved [PR #7 Mend the [old] roof](https://github.com/r/1).",
        ),
        (
            "issues",
            {"action": "labeled", "issue": ISSUE, "label": {"name": "wet"}},
            "ana labeled with `wet` [issue #3 Rain](https://github.com/house/roof/issues/3).",
        ),
        (
            "issue_comment",
            {"action": "created", "issue": ISSUE}
            | {"comment": {"body": "Here, too.", "html_url": "https://github.com/c/1"}},
            "ana [commented on](https://github.com/c/1)"
            " [issue #3 Rain](https://github.com/house/roof/issues/3):\n"
            "``` quote\nHere, too.\n```",
        ),
        (
            "release",
            {"action": "published"}
            | {"release": {"tag_name": "v1", "name": "Dry", "html_url": "https://github.com/v"}},
            "ana published [release Dry](https://github.com/v) for tag `v1`.",
        ),
        (
            "workflow_run",
            {"action": "completed"}
            | {
                "workflow_run": {
                    "name": "tests",
                    "status": "completed",
                    "conclusion": "failure",
                    "head_branch": "main",
                    "html_url": "https://github.com/run",
                }
            },
            "[tests](https://github.com/run) on `main`: failure.",
        ),
        (
            "deployment",
            {"action": "created"}
            | {"deployment": {"ref": "main", "environment": "production", "description": "Dry"}},
            "ana created a deployment of `main` to production:\n``` quote\nDry\n```",
        ),
        (
            "deployment_status",
            {"deployment": {"ref": "main", "environment": "production"}}
            | {"deployment_status": {"state": "in_progress", "log_url": "https://github.com/l"}},
            "[Deployment to production](https://github.com/l) of `main`: in progress.",
        ),
        (
            "public",
            {},
            "ana made the repository [house/roof](https://github.com/house/roof) public.",
        ),
        (
            "page_build",
            {"id": 5}
            | {
                "build": {
                    "status": "errored",
                    "error": {"message": "The page could not be built."},
                    "pusher": {"login": "ben"},
                }
            },
            "GitHub Pages (pushed by ben): errored:\n``` quote\nThe page could not be built.\n```",
        ),
        (
            "repository_advisory",
            {"action": "published"}
            | {
                "repository_advisory": {
                    "ghsa_id": "GHSA-wet1-roof-0001",
                    "cve_id": "CVE-2026-0001",
                    "summary": "Rain gets in",
                    "description": "Through the gutter.",
                    "severity": "high",
                    "html_url": "https://github.com/house/roof/security/advisories/1",
                }
            },
            "ana published [advisory GHSA-wet1-roof-0001 Rain gets in]"
            "(https://github.com/house/roof/security/advisories/1):\n"
            "``` quote\nThrough the gutter.\n```\n\n* **Severity**: high\n* **CVE**: CVE-2026-0001",
        ),
        ("star", {"action": "created"}, "ana starred roof."),
        ("create", {"ref": "v2", "ref_type": "tag"}, "ana created tag `v2`."),
        ("fork", {"forkee": {"full_name": "ben/roof"}}, "ana forked roof as ben/roof."),
    ],
)
def test_github_events_become_messages(event, payload, text):
    assert github(event, payload).text == text


TEAM = {"name": "Roofers", "html_url": "https://github.com/orgs/house/teams/roofers"}
TEAM_LINK = "[Roofers](https://github.com/orgs/house/teams/roofers)"


@pytest.mark.parametrize(
    "event, payload, text",
    [
        ("team", {"action": "created"}, f"ana created the team {TEAM_LINK}."),
        (
            "team",
            {"action": "edited", "changes": {"name": {"from": "Slaters"}}},
            f"ana edited the team {TEAM_LINK}.\n\n* **Former name**: Slaters",
        ),
        (
            "team",
            {"action": "added_to_repository", "repository": REPOSITORY},
            f"ana gave the team {TEAM_LINK} access to [house/roof](https://github.com/house/roof).",
        ),
        (
            "membership",
            {"action": "removed", "scope": "team", "member": {"login": "ben"}},
            f"ana removed ben from the team {TEAM_LINK}.",
        ),
    ],
)
def test_github_team_events(event, payload, text):
    about = {"team": TEAM, "organization": {"login": "house"}, "sender": ANA}

    report = message_for("github", about | payload, X_GitHub_Event=event)

    assert (report.topic, report.text) == ("house / teams", text)
    assert report.event == f"{event}.{payload['action']}"


@pytest.mark.parametrize(
    "action, more, text",
    [
        ("created", {}, "ben started sponsoring ana.\n\n* **Tier**: $5 a month"),
        (
            "pending_tier_change",
            {
                "changes": {"tier": {"from": {"name": "$50 a month"}}},
                "effective_date": "2026-02-01T00:00:00Z",
            },
            "ben will change the tier for ana.\n\n* **Tier**: $5 a month\n"
            "* **Former tier**: $50 a month\n* **Effective**: 2026-02-01T00:00:00Z",
        ),
    ],
)
def test_github_sponsorship_events(action, more, text):
    sponsorship = {
        "sponsorable": {"login": "ana"},
        "sponsor": {"login": "ben"},
        "privacy_level": "public",
        "tier": {"name": "$5 a month", "monthly_price_in_dollars": 5},
    }

    report = message_for(
        "github",
        {"action": action, "sponsorship": sponsorship, "sender": ANA} | more,
        X_GitHub_Event="sponsorship",
    )

    assert (report.topic, report.text) == ("ana / sponsors", text)


def test_a_page_build_in_progress_is_not_reported():
    payload = {"build": {"status": "building"}, "repository": REPOSITORY}

    assert find_message("github", payload, X_GitHub_Event="page_build") is None


def test_a_check_in_progress_is_not_reported():
    run = {"name": "tests", "status": "in_progress"}
    payload = {"action": "created", "check_run": run, "repository": REPOSITORY}

    assert find_message("github", payload, X_GitHub_Event="check_run") is None


def test_a_private_repository_is_recognized():
    payload = PUSH | {"repository": REPOSITORY | {"private": True}}

    assert message_for("github", payload, X_GitHub_Event="push").is_private


def test_unknown_events_and_missing_fields_are_named():
    with pytest.raises(UnsupportedEvent) as unknown:
        github("custom_property", {})
    with pytest.raises(MalformedPayload) as strange:
        github("pull_request", {"action": "opened"})
    with pytest.raises(MissingEventHeader) as missing:
        message_for("github", PUSH)

    assert unknown.value.extra() == {"webhook_name": "GitHub", "event_type": "custom_property"}
    assert strange.value.extra() == {"webhook_name": "GitHub", "field": "pull_request"}
    assert missing.value.extra() == {"header": "X-GitHub-Event"}


PROJECT = {
    "name": "roof",
    "path_with_namespace": "house/roof",
    "web_url": "https://gitlab.com/house/roof",
    "visibility_level": 0,
}
USER = {"name": "Ana", "username": "ana"}


def gitlab(event, payload):
    return message_for("gitlab", {"project": PROJECT, "user": USER} | payload, X_Gitlab_Event=event)


def test_a_push_to_gitlab_becomes_a_message():
    report = gitlab(
        "Push Hook",
        {
            "ref": "refs/heads/main",
            "before": "95790bf8",
            "after": "da156088",
            "user_name": "Ana",
            "total_commits_count": 25,
            "commits": [
                {
                    "id": "b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327",
                    "message": "Update the ladder",
                    "url": "https://gitlab.com/c/b6568db1",
                    "author": {"name": "Ben"},
                }
            ],
        },
    )

    assert (report.topic, report.branch, report.is_private) == ("roof / main", "main", True)
    assert report.text == (
        "Ana pushed [25 commits](https://gitlab.com/house/roof/-/compare/95790bf8...da156088)"
        " by Ben to branch `main`.\n\n"
        "* Update the ladder ([b6568db1bc1](https://gitlab.com/c/b6568db1))\n* and 24 others"
    )


@pytest.mark.parametrize(
    "event, payload, topic, text",
    [
        (
            "Merge Request Hook",
            {
                "object_attributes": {
                    "iid": 7,
                    "title": "Mend",
                    "url": "https://gitlab.com/mr/7",
                    "action": "open",
                    "source_branch": "mend",
                    "target_branch": "main",
                    "description": "",
                }
            },
            "roof / MR #7 Mend",
            "Ana created [MR #7 Mend](https://gitlab.com/mr/7) from `mend` to `main`.",
        ),
        (
            "Confidential Issue Hook",
            {
                "object_attributes": {
                    "iid": 3,
                    "title": "Rain",
                    "url": "https://gitlab.com/i/3",
                    "action": "close",
                }
            },
            "roof / issue #3 Rain",
            "Ana closed [issue #3 Rain](https://gitlab.com/i/3).",
        ),
        (
            "Note Hook",
            {
                "object_attributes": {
                    "noteable_type": "Issue",
                    "note": "Here, too.",
                    "url": "https://gitlab.com/n/1",
                },
                "issue": {"iid": 3, "title": "Rain", "url": "https://gitlab.com/i/3"},
            },
            "roof / issue #3 Rain",
            "Ana [commented](https://gitlab.com/n/1) on"
            " [issue #3 Rain](https://gitlab.com/i/3):\n``` quote\nHere, too.\n```",
        ),
        (
            "Pipeline Hook",
            {
                "object_attributes": {"id": 31, "ref": "main", "status": "failed"},
                "builds": [{"id": 380, "name": "tests", "status": "failed"}],
            },
            "roof / main",
            "[Pipeline 31](https://gitlab.com/house/roof/-/pipelines/31) failed on `main`.\n\n"
            "* tests: failed",
        ),
        (
            "Deployment Hook",
            {
                "object_kind": "deployment",
                "status": "success",
                "environment": "staging",
                "environment_external_url": "https://staging.example.com",
                "deployable_url": "https://gitlab.com/house/roof/-/jobs/796",
                "ref": "main",
                "commit_title": "Mend the gutter",
            },
            "roof / deployments",
            "[Deployment to staging](https://staging.example.com) of `main` by Ana:"
            " [success](https://gitlab.com/house/roof/-/jobs/796):\n"
            "``` quote\nMend the gutter\n```",
        ),
        (
            "Feature Flag Hook",
            {"object_attributes": {"id": 6, "name": "dry-floor", "active": True}},
            "roof / feature flags",
            "Ana enabled the feature flag `dry-floor`.",
        ),
        (
            "Emoji Hook",
            {
                "event_type": "award",
                "object_attributes": {
                    "name": "umbrella",
                    "awardable_type": "Issue",
                    "awarded_on_url": "https://gitlab.com/i/3",
                },
                "issue": {"iid": 3, "title": "Rain"},
            },
            "roof / issue #3 Rain",
            "Ana reacted with :umbrella: to [issue #3 Rain](https://gitlab.com/i/3).",
        ),
        (
            "Emoji Hook",
            {
                "event_type": "revoke",
                "object_attributes": {
                    "name": "umbrella",
                    "awardable_type": "Note",
                    "awarded_on_url": "https://gitlab.com/n/1",
                },
            },
            "roof / emoji",
            "Ana removed :umbrella: from [a comment](https://gitlab.com/n/1).",
        ),
        (
            "Resource Access Token Hook",
            {
                "object_kind": "access_token",
                "object_attributes": {"name": "weather", "expires_at": "2026-01-26"},
            },
            "roof / tokens",
            ":warning: The access token `weather` of [roof](https://gitlab.com/house/roof)"
            " expires on 2026-01-26.",
        ),
        (
            "System Hook",
            {
                "event_name": "repository_update",
                "user_name": "Ben",
                "changes": [{"before": "8205ea8d", "after": "4045ea7a", "ref": "refs/heads/main"}],
                "refs": ["refs/heads/main"],
            },
            "roof",
            "Ben updated `main`.",
        ),
    ],
)
def test_gitlab_events_become_messages(event, payload, topic, text):
    report = gitlab(event, payload)

    assert (report.topic, report.text) == (topic, text)


@pytest.mark.parametrize("name", ["gitea", "forgejo", "gogs"])
def test_a_push_to_gitea_and_its_forks_becomes_a_message(name):
    payload = PUSH | {"compare_url": "https://git.example.com/compare", "pusher": ANA}

    report = message_for(name, payload, X_Gitea_Event="push")

    assert report.text.startswith("ana pushed [1 commit](https://git.example.com/compare) to")


def test_a_gitea_review_becomes_a_message():
    report = message_for(
        "gitea",
        {
            "action": "reviewed",
            "pull_request": REQUEST,
            "repository": REPOSITORY,
            "sender": ANA,
            "review": {"type": "pull_request_review_approved", "content": "Dry at last."},
        },
        X_Gitea_Event="pull_request_approved",
    )

    assert report.text == (
        "ana approved [PR #7 Mend the [old] roof](https://github.com/house/roof/pull/7):\n"
        "``` quote\nDry at last.\n```"
    )


def test_bitbucket_events_become_messages():
    about = {"repository": {"name": "roof", "is_private": True}, "actor": {"display_name": "Ana"}}
    change = {
        "new": {"type": "branch", "name": "main"},
        "old": {"type": "branch", "name": "main"},
        "forced": True,
        "links": {"html": {"href": "https://bitbucket.org/compare"}},
        "commits": [
            {
                "hash": "03f4a7270240708834de475bcf21532d6134777e",
                "message": "Mend the gutter\n",
                "links": {"html": {"href": "https://bitbucket.org/c"}},
                "author": {"raw": "Ben <ben@example.com>"},
            }
        ],
    }
    request = {
        "id": 1,
        "title": "Mend",
        "links": {"html": {"href": "https://bitbucket.org/pr"}},
        "source": {"branch": {"name": "mend"}},
        "destination": {"branch": {"name": "main"}},
    }

    push = message_for(
        "bitbucket2", about | {"push": {"changes": [change]}}, X_Event_Key="repo:push"
    )
    merged = message_for(
        "bitbucket", about | {"pullrequest": request}, X_Event_Key="pullrequest:fulfilled"
    )

    assert (push.topic, push.branch, push.is_private) == ("roof / main", "main", True)
    assert push.text == (
        "Ana force pushed [1 commit](https://bitbucket.org/compare) by Ben to branch `main`.\n\n"
        "* Mend the gutter ([03f4a727024](https://bitbucket.org/c))"
    )
    comment = message_for(
        "bitbucket",
        about
        | {
            "comment": {
                "content": {"raw": "Here, too."},
                "links": {"html": {"href": "https://bitbucket.org/c#1"}},
            },
            "commit": {
                "hash": "03f4a7270240708834de475bcf21532d6134777e",
                "links": {"html": {"href": "https://bitbucket.org/c"}},
            },
        },
        X_Event_Key="repo:commit_comment_created",
    )

    assert (comment.topic, comment.text) == (
        "roof / commits",
        "Ana [commented](https://bitbucket.org/c#1) on commit"
        " [03f4a727024](https://bitbucket.org/c):\n``` quote\nHere, too.\n```",
    )
    assert (merged.topic, merged.text) == (
        "roof / PR #1 Mend",
        "Ana merged [PR #1 Mend](https://bitbucket.org/pr).",
    )
