"""Realistic payloads of services, and the message that each of them becomes."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Example(NamedTuple):
    service: str
    payload: Any
    event: str
    topic: str
    text: str
    headers: Mapping[str, str] = {}


# What Buildbot's ZulipStatusPush, and the templates for Zulip in Zabbix and UptimeRobot send.
ZULIP_REPORTER = {
    "buildid": 17,
    "buildername": "tests",
    "url": "https://buildbot.example.com/#/builds/17",
    "project": "roof",
    "timestamp": 1767261600,
}
ZABBIX_SCRIPT = {
    "hostname": "cellar",
    "severity": "High",
    "status": "PROBLEM",
    "item": "Level: 3 cm",
    "trigger": "Water",
    "link": "https://zabbix.example.com/tr_events.php",
}
ZULIP_MONITOR = {
    "monitor_url": "https://roof.example.com",
    "monitor_friendly_name": "Roof",
    "alert_details": "Connection Timeout",
}
ZABBIX = {
    "alert_subject": "Problem: Water in the cellar",
    "alert_message": "Water in the cellar since 10:00",
    "event_id": "734",
    "event_severity": "High",
    "event_status": "PROBLEM",
    "event_value": "1",
    "event_update_status": "0",
    "event_opdata": "Level: 3 cm",
    "host_name": "cellar",
    "trigger_id": "23",
    "trigger_name": "Water in the cellar",
    "zabbix_url": "https://zabbix.example.com/",
}
ZABBIX_LINK = (
    "[Water in the cellar](https://zabbix.example.com/tr_events.php?triggerid=23&eventid=734)"
)
UPTIME_ROBOT = {
    "monitorID": "95987545252",
    "monitorURL": "https://roof.example.com",
    "monitorFriendlyName": "Roof",
    "alertType": "1",
    "alertTypeFriendlyName": "Down",
    "alertDetails": "Connection Timeout",
    "alertDuration": "",
    "monitorAlertContacts": "457;2;ana@example.com",
}
OPSGENIE = {
    "action": "Create",
    "alert": {
        "alertId": "052652ac-5d1c-464a-812a-7dd18bbfba8c",
        "tinyId": "14",
        "message": "The cellar is wet",
        "description": "3 cm of water",
        "priority": "P2",
        "tags": ["water", "cellar"],
        "entity": "pump",
        "username": "Ana",
        "createdAt": 1_767_261_600_000,
    },
    "source": {"name": "web", "type": "API"},
    "integrationName": "Webhook",
}
STATUSPAGE_PAGE = {
    "id": "j2mfxwj97wnj",
    "status_indicator": "critical",
    "status_description": "Major System Outage",
}
STATUSPAGE = {
    "page": STATUSPAGE_PAGE,
    "incident": {
        "name": "No hot water",
        "status": "identified",
        "impact": "critical",
        "shortlink": "https://stspg.io/4a1",
        "incident_updates": [
            {"body": "The boiler is off.", "status": "identified"},
            {"body": "We look.", "status": "investigating"},
        ],
    },
}
STATUSPAGE_COMPONENT = {
    "page": STATUSPAGE_PAGE,
    "component_update": {
        "new_status": "operational",
        "old_status": "major_outage",
        "component_id": "rb5wg65bgh",
    },
    "component": {"id": "rb5wg65bgh", "name": "Boiler", "status": "operational"},
}
ROLLBAR_ITEM = {
    "id": 272_716_944,
    "counter": 7,
    "title": "TypeError: roof is null",
    "environment": "production",
    "level": 40,
    "total_occurrences": 12,
    "last_occurrence": {"level": "error", "language": "python"},
}
ROLLBAR_LINK = "[#7 TypeError: roof is null](https://rollbar.com/item/272716944/)"
ROLLBAR_FACTS = "* **Environment**: production\n* **Level**: error\n* **Occurrences**: 12"
PINGDOM = {
    "check_id": 12345,
    "check_name": "Roof",
    "check_type": "HTTP",
    "check_params": {
        "hostname": "roof.example.com",
        "full_url": "https://roof.example.com/",
        "port": 443,
    },
    "previous_state": "UP",
    "current_state": "DOWN",
    "importance_level": "HIGH",
    "state_changed_timestamp": 1_767_261_600,
    "long_description": "Socket timeout, unable to connect",
    "first_probe": {"ip": "192.0.2.1", "location": "Lisbon, Portugal"},
}
SPLUNK = {
    "sid": "scheduler__admin__search__W2_at_14232356_132",
    "search_name": "Wet hosts",
    "app": "search",
    "owner": "ana",
    "results_link": "https://splunk.example.com/app/search/@go?sid=1",
    "result": {"host": "cellar", "count": "8", "_time": "1767261600"},
}

AZURE_REPOSITORY = {
    "name": "roof",
    "remoteUrl": "https://dev.azure.com/house/_git/roof",
    "project": {"name": "House"},
}
AZURE_PUSH = {
    "eventType": "git.push",
    "publisherId": "tfs",
    "message": {"text": "Ana pushed updates to branch main of roof"},
    "resource": {
        "commits": [
            {
                "commitId": "33b55f7cb7e7e245323987634f960cf4a6e6bc74",
                "author": {"name": "Ben", "email": "ben@example.com"},
                "comment": "Mend the gutter",
            }
        ],
        "refUpdates": [
            {
                "name": "refs/heads/main",
                "oldObjectId": "aad331d8d3b131fa9ae03cf5e53965b51942618a",
                "newObjectId": "33b55f7cb7e7e245323987634f960cf4a6e6bc74",
            }
        ],
        "repository": AZURE_REPOSITORY,
        "pushedBy": {"displayName": "Ana"},
        "pushId": 14,
    },
}
AZURE_REQUEST = {
    "pullRequestId": 1,
    "title": "Mend the roof",
    "status": "active",
    "repository": AZURE_REPOSITORY,
}
AZURE_WORK_ITEM = {
    "eventType": "workitem.updated",
    "message": {"markdown": "[Bug 5](https://dev.azure.com/house/5) (Rain) updated by Ana"},
    "resource": {
        "id": 2,
        "workItemId": 5,
        "revision": {
            "id": 5,
            "fields": {
                "System.Title": "Rain",
                "System.WorkItemType": "Bug",
                "System.TeamProject": "House",
            },
        },
    },
}
TEAMCITY = {
    "eventType": "BUILD_FINISHED",
    "payload": {
        "id": 1201,
        "buildTypeId": "House_Roof",
        "number": "18",
        "status": "FAILURE",
        "state": "finished",
        "branchName": "main",
        "webUrl": "https://teamcity.example.com/build/1201",
        "statusText": "Tests failed: 2",
        "buildType": {"id": "House_Roof", "name": "Roof", "projectName": "House"},
    },
}
TEAMCITY_PLUGIN = {
    "build": {
        "notifyType": "buildFinished",
        "buildResult": "success",
        "buildFullName": "House :: Roof",
        "buildName": "Roof",
        "projectName": "House",
        "buildNumber": "19",
        "buildStatusUrl": "https://teamcity.example.com/build/1202",
        "branchDisplayName": "main",
    }
}
HEROKU = {
    "action": "update",
    "resource": "release",
    "actor": {"email": "ana@example.com", "id": "01"},
    "data": {
        "id": "7c1a",
        "app": {"id": "02", "name": "house-roof"},
        "status": "succeeded",
        "version": 12,
        "description": "Deploy 0d1a26e6",
        "user": {"email": "ana@example.com"},
    },
    "webhook_metadata": {"event": {"include": "api:release"}},
}
NETLIFY = {
    "id": "5ebc34bf4fea0b01f02efa3a",
    "state": "error",
    "name": "house-roof",
    "url": "https://roof.example.com",
    "deploy_ssl_url": "https://5ebc34bf--house-roof.netlify.app",
    "branch": "main",
    "context": "production",
    "error_message": "The build script returned 2",
    "title": "Mend the gutter",
}
SONARQUBE = {
    "serverUrl": "https://sonar.example.com",
    "taskId": "AVh21JS2JepAEhwQ",
    "status": "SUCCESS",
    "analysedAt": "2026-01-01T10:00:00+0000",
    "project": {"key": "roof", "name": "Roof", "url": "https://sonar.example.com/d?id=roof"},
    "branch": {
        "name": "main",
        "type": "BRANCH",
        "isMain": True,
        "url": "https://sonar.example.com/d?id=roof",
    },
    "qualityGate": {
        "name": "Dry",
        "status": "ERROR",
        "conditions": [
            {
                "metric": "new_coverage",
                "operator": "LESS_THAN",
                "value": "61.5",
                "status": "ERROR",
                "errorThreshold": "80",
            },
            {
                "metric": "new_bugs",
                "operator": "GREATER_THAN",
                "value": "0",
                "status": "OK",
                "errorThreshold": "0",
            },
        ],
    },
    "properties": {},
}
HARBOR = {
    "type": "PUSH_ARTIFACT",
    "occur_at": 1_767_261_600,
    "operator": "ana",
    "event_data": {
        "resources": [
            {
                "digest": "sha256:954b378c375d852eb3c63ab88978f640b4348b01",
                "tag": "v1",
                "resource_url": "hub.example.com/house/roof:v1",
            }
        ],
        "repository": {
            "name": "roof",
            "namespace": "house",
            "repo_full_name": "house/roof",
            "repo_type": "private",
        },
    },
}
HARBOR_SCAN = {
    "specversion": "1.0",
    "id": "c9b8e0a5",
    "source": "/projects/1/webhook/policies/2",
    "type": "harbor.scan.completed",
    "operator": "auto",
    "data": {
        "resources": [
            {
                "tag": "v1",
                "resource_url": "hub.example.com/house/roof:v1",
                "scan_overview": {
                    "application/vnd.security.vulnerability.report; version=1.1": {
                        "scan_status": "Success",
                        "severity": "High",
                        "summary": {"total": 9, "fixable": 4},
                    }
                },
            }
        ],
        "repository": {"name": "roof", "repo_full_name": "house/roof", "repo_type": "public"},
    },
}
AWX = {
    "id": 42,
    "name": "Dry the cellar",
    "url": "https://awx.example.com/#/jobs/playbook/42",
    "created_by": "ana",
    "started": "2026-01-01T10:00:00+00:00",
    "finished": "2026-01-01T10:05:00+00:00",
    "status": "failed",
    "traceback": "",
    "inventory": "House",
    "project": "Pumps",
    "playbook": "dry.yml",
    "limit": "",
    "extra_vars": "{}",
    "hosts": {
        "cellar": {"failed": True, "changed": 0, "dark": 0, "failures": 1, "ok": 2},
        "attic": {"failed": True, "changed": 0, "dark": 1, "failures": 0, "ok": 0},
        "kitchen": {"failed": False, "changed": 1, "dark": 0, "failures": 0, "ok": 3},
    },
    "friendly_name": "Job",
}
BUILDBOT = {
    "buildid": 18,
    "number": 17,
    "builderid": 10,
    "builder": {"builderid": 10, "name": "tests"},
    "buildset": {"sourcestamps": [{"branch": "main", "project": "roof", "revision": "83e7"}]},
    "complete": True,
    "results": 2,
    "state_string": "failed test",
    "url": "https://buildbot.example.com/#/builders/10/builds/17",
}

REDMINE_ISSUE = {
    "id": 12,
    "project": {"id": 1, "name": "House"},
    "tracker": {"id": 1, "name": "Bug"},
    "status": {"id": 2, "name": "In Progress"},
    "priority": {"id": 4, "name": "High"},
    "author": {"id": 5, "name": "Ana"},
    "subject": "Rain",
    "description": "On my head.",
}
REDMINE_UPDATE = {
    "type": "issue.updated",
    "timestamp": "2026-01-01T10:00:00Z",
    "data": {
        "issue": REDMINE_ISSUE,
        "journal": {
            "id": 9,
            "notes": "Here, too.",
            "user": {"id": 6, "name": "Ben"},
            "details": [
                {
                    "property": "attr",
                    "prop_key": "done_ratio",
                    "old_value": "0",
                    "value": "50",
                },
                {
                    "property": "attr",
                    "prop_key": "status_id",
                    "old_value": "1",
                    "value": "2",
                },
            ],
        },
    },
}
REDMINE_PLUGIN = {
    "payload": {
        "action": "opened",
        "issue": REDMINE_ISSUE
        | {"author": {"login": "ana", "firstname": "Ana", "lastname": "Silva"}, "assignee": None},
        "url": "https://redmine.example.com/issues/12",
    }
}
OPENPROJECT = {
    "action": "work_package:created",
    "work_package": {
        "_type": "WorkPackage",
        "id": 34,
        "subject": "Rain",
        "description": {"format": "markdown", "raw": "On my head.", "html": "<p>On my head.</p>"},
        "dueDate": "2026-02-01",
        "_embedded": {
            "type": {"name": "Bug"},
            "status": {"name": "New"},
            "priority": {"name": "High"},
            "author": {"name": "Ana"},
            "project": {"name": "House", "identifier": "house"},
        },
        "_links": {"assignee": {"href": "/api/v3/users/4", "title": "Ben"}},
    },
}
OPENPROJECT_COMMENT = {
    "action": "work_package_comment:comment",
    "activity": {
        "_type": "Activity::Comment",
        "comment": {"raw": "Here, too."},
        "_embedded": {
            "user": {"name": "Ben"},
            "workPackage": {
                "id": 34,
                "subject": "Rain",
                "_links": {"project": {"title": "House"}},
            },
        },
    },
}
OPENPROJECT_TIME = {
    "action": "time_entry:created",
    "time_entry": {
        "hours": "PT1H30M",
        "comment": {"raw": "On the ladder"},
        "_links": {
            "user": {"title": "Ana"},
            "project": {"title": "House"},
            "workPackage": {"title": "Rain"},
        },
    },
}
NOTION = {
    "id": "367cba44-b6f3-4c92-81e7-6a2e9659efd4",
    "timestamp": "2026-01-01T10:00:00.000Z",
    "workspace_id": "13950b26-c203-4f3b-b97d-93ec06319565",
    "workspace_name": "House",
    "type": "page.properties_updated",
    "authors": [{"id": "c7c11cca-1d73-471d-9b6e-bdef51470190", "type": "person"}],
    "attempt_number": 1,
    "entity": {"id": "1d92e5f5-5ad6-80e6-b4ce-f7e9d1c1a1a1", "type": "page"},
    "data": {
        "parent": {"id": "0ef104cd", "type": "database"},
        "updated_properties": ["XGe%40", "bDf%5B"],
    },
}
WORDPRESS = {
    "hook": "publish_post",
    "ID": "12",
    "post_title": "A dry winter",
    "post_type": "post",
    "post_url": "https://blog.example.com/a-dry-winter",
    "post_excerpt": "No rain.",
}


def quote(text: str) -> str:
    return f":\n``` quote\n{text}\n```"


EXAMPLES = [
    Example(
        "buildbot",
        ZULIP_REPORTER | {"event": "new"},
        "started",
        "roof",
        "[Build #17 of tests](https://buildbot.example.com/#/builds/17) started.",
    ),
    Example(
        "buildbot",
        ZULIP_REPORTER | {"event": "finished", "results": 2, "project": ""},
        "finished.failure",
        "general",
        ":cross_mark: [Build #17 of tests](https://buildbot.example.com/#/builds/17): failure.",
    ),
    Example(
        "zabbix",
        ZABBIX_SCRIPT,
        "problem",
        "cellar",
        ":alert: [Water](https://zabbix.example.com/tr_events.php) on cellar: problem.\n\n"
        "* **Severity**: high\n* **Data**: Level: 3 cm",
    ),
    Example(
        "zabbix",
        ZABBIX_SCRIPT | {"status": "OK"},
        "resolved",
        "cellar",
        ":squared_ok: [Water](https://zabbix.example.com/tr_events.php) on cellar: resolved.\n\n"
        "* **Severity**: high\n* **Data**: Level: 3 cm",
    ),
    Example(
        "uptimerobot",
        ZULIP_MONITOR | {"alert_type_friendly_name": "Down"},
        "down",
        "Roof",
        f":alert: [Roof](https://roof.example.com) is down{quote('Connection Timeout')}",
    ),
    Example(
        "uptimerobot",
        ZULIP_MONITOR | {"alert_type_friendly_name": "Up", "alert_friendly_duration": "3 minutes"},
        "up",
        "Roof",
        f":squared_ok: [Roof](https://roof.example.com) is up{quote('Connection Timeout')}\n\n"
        "* **Duration**: 3 minutes",
    ),
    Example(
        "zabbix",
        ZABBIX,
        "problem",
        "cellar",
        f":alert: {ZABBIX_LINK} on cellar: problem.\n\n* **Severity**: high\n"
        "* **Data**: Level: 3 cm",
    ),
    Example(
        "zabbix",
        ZABBIX | {"event_status": "RESOLVED", "event_value": "0", "event_opdata": ""},
        "resolved",
        "cellar",
        f":squared_ok: {ZABBIX_LINK} on cellar: resolved.\n\n* **Severity**: high",
    ),
    Example(
        "zabbix",
        {"alert_subject": "New host", "alert_message": "attic"},
        "alert",
        "New host",
        f"New host{quote('attic')}",
    ),
    Example(
        "uptimerobot",
        UPTIME_ROBOT,
        "down",
        "Roof",
        f":alert: [Roof](https://roof.example.com) is down{quote('Connection Timeout')}",
    ),
    Example(
        "uptimerobot",
        UPTIME_ROBOT | {"alertType": 2, "alertDetails": "", "alertDuration": "120"},
        "up",
        "Roof",
        ":squared_ok: [Roof](https://roof.example.com) is up.\n\n* **Duration**: 120 seconds",
    ),
    Example(
        "opsgenie",
        OPSGENIE,
        "create",
        "Webhook",
        f":alert: **The cellar is wet** was created by Ana{quote('3 cm of water')}\n\n"
        "* **Priority**: P2\n* **Tags**: `water` and `cellar`\n* **Entity**: pump",
    ),
    Example(
        "statuspage",
        STATUSPAGE,
        "incident.identified",
        "No hot water: Major System Outage",
        f":alert: [No hot water](https://stspg.io/4a1): identified{quote('The boiler is off.')}\n\n"
        "* **Impact**: critical\n* **Page**: Major System Outage",
    ),
    Example(
        "statuspage",
        STATUSPAGE_COMPONENT,
        "component.operational",
        "Boiler: Major System Outage",
        ":squared_ok: **Boiler**: major outage → operational.",
    ),
    Example(
        "rollbar",
        {"event_name": "new_item", "data": {"item": ROLLBAR_ITEM}},
        "new_item",
        "#7 TypeError: roof is null",
        f":alert: New item {ROLLBAR_LINK}.\n\n{ROLLBAR_FACTS}",
    ),
    Example(
        "rollbar",
        {"event_name": "exp_repeat_item", "data": {"item": ROLLBAR_ITEM, "occurrences": 10}},
        "exp_repeat_item",
        "#7 TypeError: roof is null",
        f":alert: {ROLLBAR_LINK} occurred 10 times.\n\n{ROLLBAR_FACTS}",
    ),
    Example(
        "rollbar",
        {
            "event_name": "deploy",
            "data": {
                "deploy": {
                    "environment": "production",
                    "revision": "0d1a26e67d8f5eaf1f6b",
                    "local_username": "ana",
                    "comment": "Dry",
                }
            },
        },
        "deploy",
        "deploys / production",
        f"ana deployed `0d1a26e67d8` to **production**{quote('Dry')}",
    ),
    Example(
        "pingdom",
        PINGDOM,
        "down",
        "Roof status.",
        ":alert: [Roof](https://roof.example.com/): up → down"
        f"{quote('Socket timeout, unable to connect')}\n\n"
        "* **Type**: HTTP\n* **Host**: roof.example.com\n* **Importance**: high\n"
        "* **Seen from**: Lisbon, Portugal",
    ),
    Example(
        "splunk",
        SPLUNK,
        "alert",
        "Wet hosts",
        ":alert: [Wet hosts](https://splunk.example.com/app/search/@go?sid=1) found results.\n\n"
        "* **App**: search\n* **Owner**: ana\n* **host**: `cellar`\n* **count**: `8`",
    ),
    Example(
        "homeassistant",
        {"title": "Cellar", "message": "The floor is **wet**", "target": ["ana"]},
        "message",
        "Cellar",
        "The floor is **wet**",
    ),
    Example(
        "azuredevops",
        AZURE_PUSH,
        "git.push",
        "roof / main",
        "Ana pushed 1 commit by Ben to branch `main`.\n\n* Mend the gutter"
        " ([33b55f7cb7e](https://dev.azure.com/house/_git/roof/commit/"
        "33b55f7cb7e7e245323987634f960cf4a6e6bc74))",
    ),
    Example(
        "azuredevops",
        {
            "eventType": "git.pullrequest.created",
            "message": {"text": "Ana created pull request 1 (Mend the roof)"},
            "resource": AZURE_REQUEST,
        },
        "git.pullrequest.created",
        "roof / PR #1 Mend the roof",
        "Ana created pull request 1 (Mend the roof)",
    ),
    Example(
        "azuredevops",
        {
            "eventType": "ms.vss-code.git-pullrequest-comment-event",
            "message": {"markdown": "Ben has commented on a pull request"},
            "resource": {"comment": {"content": "Here, too."}, "pullRequest": AZURE_REQUEST},
        },
        "ms.vss-code.git-pullrequest-comment-event",
        "roof / PR #1 Mend the roof",
        f"Ben has commented on a pull request{quote('Here, too.')}",
    ),
    Example(
        "azuredevops",
        AZURE_WORK_ITEM,
        "workitem.updated",
        "House / Bug #5 Rain",
        "[Bug 5](https://dev.azure.com/house/5) (Rain) updated by Ana",
    ),
    Example(
        "azuredevops",
        {
            "eventType": "build.complete",
            "message": {"text": "Build 20260101.1 succeeded"},
            "resource": {"id": 2, "definition": {"name": "Roof CI"}, "result": "succeeded"},
        },
        "build.complete",
        "Roof CI",
        "Build 20260101.1 succeeded",
    ),
    Example(
        "teamcity",
        TEAMCITY,
        "build_finished.failure",
        "House / Roof",
        ":cross_mark: [Build #18 of Roof](https://teamcity.example.com/build/1201) on `main`"
        " finished: failure (Tests failed: 2).",
    ),
    Example(
        "teamcity",
        TEAMCITY_PLUGIN,
        "buildFinished.success",
        "House :: Roof",
        ":check: [Build #19 of Roof](https://teamcity.example.com/build/1202) on `main`"
        " finished: success.",
    ),
    Example(
        "heroku",
        HEROKU,
        "release.update",
        "house-roof",
        ":check: Release v12 of [house-roof](https://dashboard.heroku.com/apps/house-roof)"
        f" was updated by ana@example.com (succeeded){quote('Deploy 0d1a26e6')}",
    ),
    Example(
        "heroku",
        {
            "action": "create",
            "resource": "dyno",
            "data": {"app": {"name": "house-roof"}, "name": "web.1", "state": "crashed"},
        },
        "dyno.create",
        "house-roof",
        ":cross_mark: The dyno `web.1` of"
        " [house-roof](https://dashboard.heroku.com/apps/house-roof) was created (crashed).",
    ),
    Example(
        "netlify",
        NETLIFY,
        "deploy_failed",
        "main",
        ":cross_mark: [Deploy to house-roof](https://5ebc34bf--house-roof.netlify.app) of `main`"
        f" failed{quote('The build script returned 2')}",
        {"X-Netlify-Event": "deploy_failed"},
    ),
    Example(
        "netlify",
        {
            "number": 6,
            "name": "Ana",
            "email": "ana@example.com",
            "form_name": "contact",
            "site_url": "https://roof.example.com",
            "data": {"message": "It rains in", "floor": 2},
        },
        "submission_created",
        "https://roof.example.com / contact",
        "Ana submitted the form `contact`.\n\n* **message**: It rains in\n* **floor**: 2",
        {"X-Netlify-Event": "submission_created"},
    ),
    Example(
        "sonarqube",
        SONARQUBE,
        "gate.error",
        "Roof / main",
        ":cross_mark: [Roof](https://sonar.example.com/d?id=roof) on `main` failed the quality"
        " gate Dry.\n\n* new coverage: 61.5 (`< 80` fails)",
    ),
    Example(
        "harbor",
        HARBOR,
        "PUSH_ARTIFACT",
        "house/roof",
        "ana pushed `house/roof:v1`.",
    ),
    Example(
        "harbor",
        HARBOR_SCAN,
        "SCANNING_COMPLETED",
        "house/roof",
        ":check: The scan of `house/roof:v1` is complete.\n\n* **Severity**: High (9 found)",
    ),
    Example(
        "awx",
        AWX,
        "failed",
        "Dry the cellar",
        ":cross_mark: [Job #42 Dry the cellar](https://awx.example.com/#/jobs/playbook/42):"
        " failed.\n\n* **Started by**: ana\n* **Project**: Pumps\n* **Playbook**: dry.yml\n"
        "* **Inventory**: House\n\n* cellar: failed\n* attic: unreachable",
    ),
    Example(
        "awx", {"body": "AWX Notification Test 1"}, "message", "AWX", "AWX Notification Test 1"
    ),
    Example(
        "buildbot",
        BUILDBOT,
        "finished.failure",
        "roof / tests",
        ":cross_mark: [Build #17 of tests](https://buildbot.example.com/#/builders/10/builds/17)"
        " on `main`: failure (failed test).",
    ),
    Example(
        "buildbot",
        BUILDBOT | {"complete": False, "results": None},
        "started",
        "roof / tests",
        "[Build #17 of tests](https://buildbot.example.com/#/builders/10/builds/17)"
        " on `main` started.",
    ),
    Example(
        "redmine",
        {"type": "issue.created", "data": {"issue": REDMINE_ISSUE}},
        "issue.created",
        "House / Bug #12 Rain",
        f"Ana created Bug #12 Rain{quote('On my head.')}\n\n"
        "* **Status**: In Progress\n* **Priority**: High",
    ),
    Example(
        "redmine",
        REDMINE_UPDATE,
        "issue.updated",
        "House / Bug #12 Rain",
        f"Ben updated Bug #12 Rain{quote('Here, too.')}\n\n"
        "* **Status**: In Progress\n* **Priority**: High\n* **Done ratio**: 0 → 50",
    ),
    Example(
        "redmine",
        REDMINE_PLUGIN,
        "issue.opened",
        "House / Bug #12 Rain",
        "Ana Silva created [Bug #12 Rain](https://redmine.example.com/issues/12)"
        f"{quote('On my head.')}\n\n* **Status**: In Progress\n* **Priority**: High",
    ),
    Example(
        "openproject",
        OPENPROJECT,
        "work_package.created",
        "House",
        f"**Bug #34 Rain** was created by Ana{quote('On my head.')}\n\n* **Status**: New\n"
        "* **Priority**: High\n* **Assignee**: Ben\n* **Due**: 2026-02-01",
    ),
    Example(
        "openproject",
        OPENPROJECT_COMMENT,
        "work_package_comment.comment",
        "House",
        f"Ben commented on **#34 Rain**{quote('Here, too.')}",
    ),
    Example(
        "openproject",
        OPENPROJECT_TIME,
        "time_entry.created",
        "House",
        f"Ana logged 1h30m on **Rain**{quote('On the ladder')}",
    ),
    Example(
        "notion",
        NOTION,
        "page.properties_updated",
        "House",
        "[Page](https://www.notion.so/1d92e5f55ad680e6b4cef7e9d1c1a1a1): properties updated (2).",
    ),
    Example(
        "wordpress",
        WORDPRESS,
        "publish_post",
        "WordPress notification",
        f"New post: [A dry winter](https://blog.example.com/a-dry-winter){quote('No rain.')}",
    ),
    Example(
        "wordpress",
        {"hook": "comment_post", "comment_author": "Ben", "comment_post_ID": "12"}
        | {"comment_content": "At last"},
        "comment_post",
        "WordPress notification",
        f"Ben commented on post 12{quote('At last')}",
    ),
]
