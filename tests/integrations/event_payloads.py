"""A payload for every event of the services with a fixed list of events, as they document them.

`messages.txt` has the message that each of them becomes.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.integrations.examples import HARBOR, NETLIFY, ROLLBAR_ITEM

HOME = "https://code.example.com/house/roof"
SHA = "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c"
OLD_SHA = "6113728f27ae82c7b1a177c8d03f9e96e0adf246"
ANA = {"login": "ana", "html_url": "https://code.example.com/ana"}
BEN = {"login": "ben", "html_url": "https://code.example.com/ben"}


class Sent(NamedTuple):
    service: str
    event: str  # as in the list of the service
    payload: dict[str, Any]
    headers: dict[str, str]


def every_payload() -> Iterator[Sent]:
    for event, payload in GITHUB.items():
        yield Sent("github", event, GITHUB_SENDER | payload, {"X-GitHub-Event": event})
    for service, header in (("gitea", "Gitea"), ("forgejo", "Forgejo"), ("gogs", "Gogs")):
        for event, payload in GITEA.items():
            yield Sent(service, event, GITHUB_SENDER | payload, {f"X-{header}-Event": event})
    for event, payload in GITLAB.items():
        name = event.replace("_", " ").title()
        yield Sent("gitlab", event, GITLAB_SENDER | payload, {"X-Gitlab-Event": f"{name} Hook"})
    for event, payload in BITBUCKET.items():
        key = event.replace(".", ":", 1)
        yield Sent("bitbucket2", event, BITBUCKET_SENDER | payload, {"X-Event-Key": key})
    for event, data in TRELLO.items():
        yield Sent("trello", event, trello(event, data), {})
    for event, payload in NETLIFY_EVENTS.items():
        yield Sent("netlify", event, payload, {"X-Netlify-Event": event})
    for event, data in HARBOR_EVENTS.items():
        yield Sent("harbor", event, HARBOR | {"type": event, "event_data": data}, {})
    for event, data in ROLLBAR.items():
        yield Sent("rollbar", event, {"event_name": event, "data": data}, {})


# --- GitHub, Gitea ---

REPOSITORY = {
    "id": 186853002,
    "name": "roof",
    "full_name": "house/roof",
    "html_url": HOME,
    "private": False,
    "owner": {"login": "house"},
    "default_branch": "main",
}
GITHUB_SENDER = {
    "repository": REPOSITORY,
    "sender": ANA,
    "organization": {"login": "house"},
}
COMMIT = {
    "id": SHA,
    "message": "Mend the gutter\n\nIt leaked.",
    "url": f"{HOME}/commit/{SHA}",
    "author": {"name": "Ana", "username": "ana"},
}
PUSH = {
    "ref": "refs/heads/main",
    "before": OLD_SHA,
    "after": SHA,
    "forced": False,
    "compare": f"{HOME}/compare/{OLD_SHA[:12]}...{SHA[:12]}",
    "compare_url": f"{HOME}/compare/{OLD_SHA}...{SHA}",
    "total_commits": 1,
    "commits": [COMMIT],
    "pusher": {"name": "ana", "login": "ana"},
}
REQUEST = {
    "number": 7,
    "title": "Mend the roof",
    "html_url": f"{HOME}/pull/7",
    "body": "It rains in.",
    "state": "open",
    "merged": False,
    "user": ANA,
    "head": {"ref": "mend", "sha": SHA},
    "base": {"ref": "main", "sha": OLD_SHA},
}
ISSUE = {
    "number": 3,
    "title": "Rain",
    "html_url": f"{HOME}/issues/3",
    "body": "On my head.",
    "state": "open",
    "user": ANA,
    "labels": [],
}
DISCUSSION = {
    "number": 5,
    "title": "Slate or tile?",
    "html_url": f"{HOME}/discussions/5",
    "body": "Tile is cheaper.",
    "category": {"name": "Ideas"},
}
COMMENT = {"id": 11, "body": "It dried.", "html_url": f"{HOME}/issues/3#issuecomment-11"}
RELEASE = {
    "tag_name": "v1.2",
    "name": "Dry",
    "html_url": f"{HOME}/releases/tag/v1.2",
    "body": "No more buckets.",
    "draft": False,
    "prerelease": False,
    "author": ANA,
}
REVIEW = {"state": "approved", "body": "Well done.", "html_url": f"{HOME}/pull/7#review-2"}
CHECK = {
    "name": "tests",
    "status": "completed",
    "conclusion": "failure",
    "html_url": f"{HOME}/runs/4",
    "details_url": f"{HOME}/runs/4",
    "head_branch": "main",
    "head_sha": SHA,
}
DEPLOYMENT = {
    "ref": "main",
    "sha": SHA,
    "environment": "production",
    "description": "Before the rain",
}
TEAM = {"name": "Roofers", "html_url": "https://code.example.com/orgs/house/teams/roofers"}
GITHUB: dict[str, dict[str, Any]] = {
    "check_run": {"action": "completed", "check_run": CHECK},
    "check_suite": {
        "action": "completed",
        "check_suite": CHECK | {"app": {"name": "Rain check"}, "url": f"{HOME}/suites/4"},
    },
    "commit_comment": {"action": "created", "comment": COMMENT | {"commit_id": SHA}},
    "create": {"ref": "mend", "ref_type": "branch", "master_branch": "main"},
    "delete": {"ref": "v1.1", "ref_type": "tag"},
    "deployment": {"action": "created", "deployment": DEPLOYMENT},
    "deployment_status": {
        "action": "created",
        "deployment": DEPLOYMENT,
        "deployment_status": {
            "state": "success",
            "environment_url": "https://roof.example.com",
            "description": "Finished",
        },
    },
    "discussion": {"action": "created", "discussion": DISCUSSION},
    "discussion_comment": {"action": "created", "discussion": DISCUSSION, "comment": COMMENT},
    "fork": {"forkee": {"full_name": "ben/roof", "html_url": "https://code.example.com/ben/roof"}},
    "gollum": {"pages": [{"action": "edited", "title": "Ladders", "html_url": f"{HOME}/wiki/L"}]},
    "issue_comment": {"action": "created", "issue": ISSUE, "comment": COMMENT},
    "issues": {"action": "opened", "issue": ISSUE},
    "member": {"action": "added", "member": BEN},
    "membership": {"action": "removed", "scope": "team", "member": BEN, "team": TEAM},
    "page_build": {"build": {"status": "built", "pusher": ANA, "error": {"message": None}}},
    "ping": {"zen": "Keep it logically awesome.", "hook_id": 30},
    "public": {},
    "pull_request": {"action": "opened", "number": 7, "pull_request": REQUEST},
    "pull_request_review": {"action": "submitted", "pull_request": REQUEST, "review": REVIEW},
    "pull_request_review_comment": {
        "action": "created",
        "pull_request": REQUEST,
        "comment": COMMENT | {"path": "gutter.py"},
    },
    "push": PUSH,
    "release": {"action": "published", "release": RELEASE},
    "repository": {"action": "archived"},
    "repository_advisory": {
        "action": "published",
        "repository_advisory": {
            "ghsa_id": "GHSA-abcd-1234-wxyz",
            "summary": "Water comes in",
            "description": "Through the north side.",
            "severity": "high",
            "cve_id": "CVE-2026-1234",
            "html_url": f"{HOME}/security/advisories/GHSA-abcd-1234-wxyz",
        },
    },
    "sponsorship": {
        "action": "created",
        "sponsorship": {
            "sponsor": BEN,
            "sponsorable": {"login": "house"},
            "tier": {"name": "$5 a month"},
        },
    },
    "star": {"action": "created", "starred_at": "2026-01-01T10:00:00Z"},
    "status": {
        "state": "failure",
        "sha": SHA,
        "context": "ci/rain",
        "target_url": f"{HOME}/runs/4",
        "description": "Two tests failed",
        "branches": [{"name": "main"}],
    },
    "team": {"action": "created", "team": TEAM},
    "watch": {"action": "started"},
    "workflow_run": {"action": "completed", "workflow_run": CHECK},
}
AS_GITHUB = (
    *("create", "delete", "fork", "issue_comment", "issues", "pull_request", "push"),
    *("release", "repository"),
)
GITEA = {
    **{event: GITHUB[event] for event in AS_GITHUB},
    **{
        f"pull_request_{event}": {
            "action": "reviewed",
            "pull_request": REQUEST,
            "review": {"type": f"pull_request_{event}", "content": "Well done."},
        }
        for event in ("review_approved", "review_rejected", "review_comment")
    },
    "pull_request_approved": {"pull_request": REQUEST, "review": {"content": "Well done."}},
    "pull_request_rejected": {"pull_request": REQUEST, "review": {"content": "Too steep."}},
    "pull_request_comment": {"action": "created", "issue": REQUEST, "comment": COMMENT},
}

# --- GitLab ---

GITLAB_SENDER = {
    "user": {"name": "Ana", "username": "ana"},
    "project": {"id": 15, "name": "Roof", "web_url": HOME, "visibility_level": 20},
    "repository": {"name": "Roof", "homepage": HOME},
}
GITLAB_ISSUE = {
    "iid": 3,
    "title": "Rain",
    "url": f"{HOME}/-/issues/3",
    "description": "On my head.",
    "action": "open",
    "state": "opened",
}
GITLAB_REQUEST = {
    "iid": 7,
    "title": "Mend the roof",
    "url": f"{HOME}/-/merge_requests/7",
    "description": "It rains in.",
    "source_branch": "mend",
    "target_branch": "main",
    "action": "open",
}
GITLAB_PUSH = {
    "ref": "refs/heads/main",
    "before": OLD_SHA,
    "after": SHA,
    "user_name": "Ana",
    "total_commits_count": 1,
    "commits": [COMMIT | {"author": {"name": "Ana", "email": "ana@example.com"}}],
}
TOKEN = {"id": 25, "name": "builds", "expires_at": "2026-01-26"}
GITLAB: dict[str, dict[str, Any]] = {
    "deployment": {
        "object_kind": "deployment",
        "status": "success",
        "environment": "production",
        "environment_external_url": "https://roof.example.com",
        "deployable_url": f"{HOME}/-/jobs/796",
        "ref": "main",
        "commit_title": "Mend the gutter",
    },
    "emoji": {
        "object_kind": "emoji",
        "event_type": "award",
        "object_attributes": {
            "name": "thumbsup",
            "awardable_type": "Issue",
            "awarded_on_url": f"{HOME}/-/issues/3",
            "action": "award",
        },
        "issue": GITLAB_ISSUE,
    },
    "feature_flag": {
        "object_kind": "feature_flag",
        "object_attributes": {"name": "awning", "description": "Shade", "active": True},
    },
    "issue": {"object_kind": "issue", "object_attributes": GITLAB_ISSUE},
    "job": {
        "object_kind": "build",
        "ref": "main",
        "build_id": 1977,
        "build_name": "tests",
        "build_stage": "test",
        "build_status": "failed",
        "project_name": "House / Roof",
    },
    "merge_request": {"object_kind": "merge_request", "object_attributes": GITLAB_REQUEST},
    "note": {
        "object_kind": "note",
        "object_attributes": {
            "note": "It dried.",
            "noteable_type": "Issue",
            "url": f"{HOME}/-/issues/3#note_1244",
        },
        "issue": GITLAB_ISSUE,
    },
    "pipeline": {
        "object_kind": "pipeline",
        "object_attributes": {"id": 31, "ref": "main", "status": "failed"},
        "builds": [{"name": "tests", "status": "failed"}, {"name": "lint", "status": "success"}],
    },
    "push": GITLAB_PUSH,
    "release": {
        "object_kind": "release",
        "action": "create",
        "tag": "v1.2",
        "name": "Dry",
        "description": "No more buckets.",
        "url": f"{HOME}/-/releases/v1.2",
    },
    "repository_update": {
        "event_name": "repository_update",
        "user_name": "Ana",
        "changes": [{"before": OLD_SHA, "after": SHA, "ref": "refs/heads/main"}],
        "refs": ["refs/heads/main"],
    },
    "resource_access_token": {"object_kind": "access_token", "object_attributes": TOKEN},
    "resource_deploy_token": {"object_kind": "deploy_token", "object_attributes": TOKEN},
    "tag_push": GITLAB_PUSH | {"ref": "refs/tags/v1.2", "before": "0" * 40, "commits": []},
    "wiki_page": {
        "object_kind": "wiki_page",
        "object_attributes": {
            "title": "Ladders",
            "url": f"{HOME}/-/wikis/ladders",
            "message": "Longer ones",
            "action": "update",
        },
    },
    "work_item": {
        "object_kind": "work_item",
        "object_attributes": GITLAB_ISSUE | {"type": "Task", "action": "close"},
    },
}

# --- Bitbucket ---

BITBUCKET_SENDER = {
    "actor": {"display_name": "Ana", "nickname": "ana"},
    "repository": {"name": "roof", "full_name": "house/roof", "is_private": False},
}


def at(path: str) -> dict[str, Any]:
    return {"html": {"href": f"{HOME}/{path}"}}


BITBUCKET_REQUEST = {
    "id": 7,
    "title": "Mend the roof",
    "description": "It rains in.",
    "state": "OPEN",
    "source": {"branch": {"name": "mend"}},
    "destination": {"branch": {"name": "main"}},
    "links": at("pull-requests/7"),
}
BITBUCKET_ISSUE = {
    "id": 3,
    "title": "Rain",
    "content": {"raw": "On my head."},
    "links": at("issues/3"),
}
BITBUCKET_COMMENT = {"content": {"raw": "It dried."}, "links": at("issues/3#comment-11")}
STATUS = {
    "name": "Tests",
    "key": "tests",
    "state": "FAILED",
    "description": "Two tests failed",
    "url": "https://ci.example.com/4",
    "refname": "main",
}
BITBUCKET: dict[str, dict[str, Any]] = {
    "repo.push": {
        "push": {
            "changes": [
                {
                    "new": {"type": "branch", "name": "main"},
                    "old": {"type": "branch", "name": "main"},
                    "created": False,
                    "closed": False,
                    "forced": False,
                    "links": at("branches/compare/0d1a26e..6113728"),
                    "commits": [
                        {
                            "hash": SHA,
                            "message": "Mend the gutter\n",
                            "links": at(f"commits/{SHA}"),
                            "author": {"raw": "Ana <ana@example.com>"},
                        }
                    ],
                }
            ]
        }
    },
    "repo.fork": {
        "fork": {
            "full_name": "ben/roof",
            "links": {"html": {"href": "https://code.example.com/ben/roof"}},
        }
    },
    "repo.commit_comment_created": {
        "comment": BITBUCKET_COMMENT,
        "commit": {"hash": SHA, "links": at(f"commits/{SHA}")},
    },
    "repo.commit_status_created": {
        "commit_status": STATUS | {"state": "INPROGRESS", "description": ""}
    },
    "repo.commit_status_updated": {"commit_status": STATUS},
    **{
        f"pullrequest.{event}": {"pullrequest": BITBUCKET_REQUEST}
        for event in (
            *("created", "updated", "approved", "unapproved", "changes_request_created"),
            *("fulfilled", "rejected"),
        )
    },
    "pullrequest.comment_created": {
        "pullrequest": BITBUCKET_REQUEST,
        "comment": BITBUCKET_COMMENT,
    },
    "issue.created": {"issue": BITBUCKET_ISSUE},
    "issue.updated": {"issue": BITBUCKET_ISSUE, "changes": {"status": {"new": "resolved"}}},
    "issue.comment_created": {"issue": BITBUCKET_ISSUE, "comment": BITBUCKET_COMMENT},
}

# --- Trello ---

CARD = {"id": "5f1", "name": "Mend the gutter", "idShort": 9, "shortLink": "r33fhNKZ"}
LIST = {"id": "5f2", "name": "To do"}
TRELLO: dict[str, dict[str, Any]] = {
    "addAttachmentToCard": {
        "card": CARD,
        "attachment": {"name": "gutter.png", "url": "https://trello.com/a/gutter.png"},
    },
    "addChecklistToCard": {"card": CARD, "checklist": {"name": "Tools"}},
    "addLabelToCard": {"card": CARD, "label": {"name": "urgent", "color": "red"}},
    "addMemberToCard": {"card": CARD, "member": {"name": "Ben"}},
    "commentCard": {"card": CARD, "text": "It dried."},
    "createCard": {"card": CARD, "list": LIST},
    "createList": {"list": LIST},
    "deleteCard": {"card": {"id": "5f1", "idShort": 9}, "list": LIST},
    "removeLabelFromCard": {"card": CARD, "label": {"name": "", "color": "red"}},
    "removeMemberFromCard": {"card": CARD, "member": {"name": "Ben"}},
    "updateBoard": {"board": {"name": "Roof"}, "old": {"name": "Attic"}},
    "updateCard": {"card": CARD, "listBefore": LIST, "listAfter": {"id": "5f3", "name": "Done"}},
    "updateCheckItemStateOnCard": {
        "card": CARD,
        "checkItem": {"name": "Ladder", "state": "complete"},
    },
    "updateList": {"list": LIST | {"closed": True}, "old": {"closed": False}},
    "addMemberToBoard": {"idMemberAdded": "5f4"},
    "removeMemberFromBoard": {"idMember": "5f4"},
}


def trello(event: str, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "action": {
            "type": event,
            "data": {"board": {"name": "Roof"}} | data,
            "memberCreator": {"fullName": "Ana", "username": "ana"},
            "member": {"fullName": "Ben", "username": "ben"},
        },
        "model": {"name": "Roof", "url": "https://trello.com/b/iqXXzYEj/roof"},
    }


# --- Netlify, Harbor, Rollbar ---

NETLIFY_EVENTS: dict[str, dict[str, Any]] = {
    **{
        f"deploy_{event}": NETLIFY | {"state": event, "error_message": None}
        for event in (
            *("building", "created", "succeeded", "deleted", "locked", "unlocked", "restored"),
            *("request_pending", "request_accepted", "request_rejected"),
        )
    },
    "deploy_failed": NETLIFY,
    "submission_created": {
        "name": "Ana",
        "email": "ana@example.com",
        "form_name": "contact",
        "site_url": "https://roof.example.com",
        "data": {"message": "It rains in"},
    },
}
ARTIFACT: Any = HARBOR["event_data"]
HARBOR_EVENTS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        (
            *("PUSH_ARTIFACT", "PULL_ARTIFACT", "DELETE_ARTIFACT", "SCANNING_COMPLETED"),
            *("SCANNING_FAILED", "SCANNING_STOPPED"),
        ),
        ARTIFACT,
    ),
    "QUOTA_EXCEED": ARTIFACT
    | {"custom_attributes": {"Details": "adding 1 MiB of storage exceeds 10 MiB"}},
    "QUOTA_WARNING": ARTIFACT
    | {"custom_attributes": {"Details": "quota usage reach 85%: resource storage used 8.5 MiB"}},
    "REPLICATION": {
        "replication": {
            "job_status": "Success",
            "artifact_type": "image",
            "policy_creator": "ana",
            "dest_resource": {"endpoint": "https://other.example.com", "namespace": "house"},
        }
    },
    "TAG_RETENTION": {"retention": {"total": 8, "retained": 3, "result": "SUCCESS"}},
}
ROLLBAR: dict[str, dict[str, Any]] = {
    **{
        event: {"item": ROLLBAR_ITEM, "occurrences": 10}
        for event in (
            *("new_item", "occurrence", "exp_repeat_item", "item_velocity", "reactivated_item"),
            *("reopened_item", "resolved_item"),
        )
    },
    "deploy": {
        "deploy": {
            "environment": "production",
            "revision": SHA,
            "local_username": "ana",
            "comment": "Before the rain",
        }
    },
    "test": {"message": "This is a test payload from Rollbar."},
}
