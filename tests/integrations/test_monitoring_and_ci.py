"""What watches and what builds, and money: by the fields that each of them documents."""

import pytest
from tests.integrations.messages import find_message, message_for

from tertulia.errors import BadRequest


def test_sentry_events_become_messages():
    issue = {
        "title": "ReferenceError: roof is not defined",
        "web_url": "https://sentry.io/issues/1",
        "level": "error",
        "culprit": "rain",
        "project": {"name": "house"},
    }
    event = {"title": "ReferenceError", "web_url": "https://sentry.io/e", "level": "error"}

    created = message_for(
        "sentry",
        {"action": "created", "data": {"issue": issue}, "actor": {"name": "Sentry"}},
        Sentry_Hook_Resource="issue",
    )
    alert = message_for(
        "sentry",
        {"action": "triggered", "data": {"event": event, "triggered_rule": "wet"}},
        Sentry_Hook_Resource="event_alert",
    )

    assert created.topic == "ReferenceError: roof is not defined"
    assert created.text == (
        "Issue [ReferenceError: roof is not defined](https://sentry.io/issues/1) was created by"
        " Sentry.\n\n* **Level**: error\n* **Culprit**: `rain`"
    )
    assert alert.text == "Alert wet: [ReferenceError](https://sentry.io/e).\n\n* **Level**: error"


ALERT = {
    "status": "firing",
    "labels": {"alertname": "Wet", "instance": "cellar"},
    "annotations": {"description": "Water on the floor", "summary": "Wet floor"},
    "startsAt": "2026-01-01T10:00:00Z",
    "generatorURL": "https://prometheus.example.com/graph",
}


def test_alertmanager_events_become_messages():
    payload = {
        "version": "4",
        "status": "firing",
        "receiver": "chat",
        "groupLabels": {"alertname": "Wet"},
        "commonLabels": {"alertname": "Wet"},
        "externalURL": "https://alerts.example.com",
        "alerts": [ALERT, ALERT | {"status": "resolved"}],
    }

    report = message_for("alertmanager", payload)

    line = "* cellar: Water on the floor ([source](https://prometheus.example.com/graph))"
    assert (report.event, report.topic, report.more) == ("firing", "cellar", ())
    assert report.text == (
        f":alert: **Firing**\n{line}\n\n:squared_ok: **Resolved**\n{line}\n\n"
        "[Alertmanager](https://alerts.example.com)"
    )


@pytest.mark.parametrize(
    "service, topics",
    [("alertmanager", ["cellar", "(unknown)"]), ("grafana", ["[Wet]", "[Cold]", "[f4]"])],
)
def test_alerts_are_in_the_topics_that_zulip_gives_them(service, topics):
    labels = [ALERT["labels"], {"alertname": "Cold"}, {}, ALERT["labels"]]
    listed = [ALERT | {"labels": each, "fingerprint": "f4"} for each in labels]

    report = message_for(service, {"status": "firing", "alerts": listed})

    found = [report, *report.more]
    assert [each.topic for each in found] == topics
    assert sum(each.text.count("\n* ") for each in found) == len(listed)


@pytest.mark.parametrize(
    "service, payload, topic",
    [
        ("homeassistant", {"message": "Wet"}, "homeassistant"),
        ("homeassistant", {"message": "Wet", "topic": "Cellar"}, "Cellar"),
        ("wordpress", {"hook": "wp_login", "user_login": "ana"}, "WordPress notification"),
        (
            "openproject",
            {
                "action": "attachment:created",
                "attachment": {
                    "fileName": "gutter.png",
                    "_embedded": {
                        "container": {"subject": "Rain", "_links": {"project": {"title": "House"}}}
                    },
                },
            },
            "House",
        ),
    ],
)
def test_other_messages_are_in_the_topics_that_zulip_gives_them(service, payload, topic):
    assert message_for(service, payload).topic == topic


@pytest.mark.parametrize(
    "kind, thing, topic",
    [
        ("charge.succeeded", {"customer": "cus_1"}, "cus_1"),
        ("charge.succeeded", {"customer": {"id": "cus_1"}}, "cus_1"),
        ("charge.dispute.created", {"customer": "cus_1"}, "disputes"),
        ("charge.refund.updated", {}, "refunds"),
        ("customer.updated", {"id": "cus_2"}, "cus_2"),
        ("customer.subscription.created", {"customer": "cus_1"}, "cus_1"),
        ("account.updated", {}, "account updates"),
    ],
)
def test_stripe_events_of_a_customer_are_in_one_topic(kind, thing, topic):
    event = {"type": kind, "data": {"object": {"id": "x_1"} | thing}}

    assert message_for("stripe", event).topic == topic


def test_grafana_events_become_messages():
    report = message_for(
        "grafana",
        {"status": "resolved", "commonLabels": {"alertname": "Wet"}, "alerts": [ALERT]},
    )
    older = message_for(
        "grafana",
        {
            "title": "[Alerting] Wet",
            "ruleName": "Wet",
            "ruleUrl": "https://grafana.example.com/d/1",
            "state": "alerting",
            "message": "Water",
            "evalMatches": [{"metric": "level", "value": 3}],
        },
    )

    assert (report.topic, older.topic) == ("[Wet]", "[Alerting] Wet")
    assert report.text == (
        ":squared_ok: **Resolved**\n\n"
        "* :alert: Wet: Wet floor ([source](https://prometheus.example.com/graph))"
    )
    assert older.text == (
        ":alert: [[Alerting] Wet](https://grafana.example.com/d/1):\n"
        "``` quote\nWater\n```\n\n* level: 3"
    )


def test_pagerduty_events_become_messages():
    incident = {
        "id": "PGR0VU2",
        "type": "incident",
        "html_url": "https://acme.pagerduty.com/incidents/PGR0VU2",
        "number": 2,
        "title": "The cellar is wet",
        "service": {"summary": "Cellar", "html_url": "https://acme.pagerduty.com/services/1"},
        "assignees": [{"summary": "Ana"}, {"summary": "Ben"}],
    }
    event = {
        "event_type": "incident.acknowledged",
        "agent": {"summary": "Ana", "type": "user_reference"},
        "data": incident,
    }

    report = message_for("pagerduty", {"event": event})

    assert (report.event, report.topic) == (
        "incident.acknowledged",
        "Incident The cellar is wet (#2)",
    )
    assert report.text == (
        "[Incident 2](https://acme.pagerduty.com/incidents/PGR0VU2) of"
        " [Cellar](https://acme.pagerduty.com/services/1) was acknowledged by Ana"
        " (assigned to Ana and Ben):\n``` quote\nThe cellar is wet\n```"
    )


@pytest.mark.parametrize(
    "status, event, text",
    [(0, "down", ":alert: [Cellar](https://c.example.com) is down"), (1, "up", "is up")],
)
def test_uptime_kuma_events_become_messages(status, event, text):
    payload = {
        "heartbeat": {"status": status, "msg": "timeout", "time": "2026-01-01 10:00:00"},
        "monitor": {"name": "Cellar", "url": "https://c.example.com"},
        "msg": "[Cellar] timeout",
    }

    report = message_for("uptimekuma", payload)

    assert (report.event, report.topic) == (event, "Cellar")
    assert text in report.text
    assert message_for("uptimekuma", {"msg": "Test", "heartbeat": None}).text == "Test"


def test_jenkins_events_become_messages():
    build = {
        "full_url": "https://jenkins.example.com/job/roof/18/",
        "number": 18,
        "phase": "FINALIZED",
        "status": "FAILURE",
        "scm": {"branch": "origin/main", "culprits": ["ana"]},
    }

    report = message_for("jenkins", {"name": "roof", "build": build})
    finished = find_message("jenkins", {"name": "roof", "build": build | {"phase": "COMPLETED"}})

    assert finished is None
    assert (report.event, report.topic) == ("finished.failure", "roof")
    assert report.text == (
        ":cross_mark: [Build #18 of roof](https://jenkins.example.com/job/roof/18/)"
        " on `origin/main`: failure, with changes by ana."
    )


def test_circleci_events_become_messages():
    payload = {
        "type": "workflow-completed",
        "workflow": {"name": "build", "status": "success", "url": "https://app.circleci.com/w"},
        "project": {"name": "roof", "slug": "gh/house/roof"},
        "pipeline": {"vcs": {"branch": "main", "commit": {"subject": "Mend the gutter"}}},
    }

    report = message_for("circleci", payload)

    assert (report.topic, report.branch) == ("roof", "main")
    assert report.text == (
        ":check: [Workflow build](https://app.circleci.com/w) success on `main` (Mend the gutter)."
    )


def test_travis_events_become_messages():
    payload = {
        "number": "42",
        "status_message": "Still Failing",
        "build_url": "https://app.travis-ci.com/b",
        "compare_url": "https://github.com/compare",
        "branch": "main",
        "author_name": "Ana",
        "message": "Mend the gutter",
        "type": "push",
        "repository": {"name": "roof", "owner_name": "house"},
    }

    report = message_for("travis", payload)

    assert (report.event, report.topic) == ("push", "roof / main")
    assert report.text == (
        ":cross_mark: [Build #42](https://app.travis-ci.com/b) on `main` still failing:"
        " [changes](https://github.com/compare) by Ana (Mend the gutter)."
    )


def test_new_relic_events_become_messages():
    payload = {
        "id": "d1b1f3fd",
        "issueUrl": "https://radar-api.newrelic.com/i",
        "title": "Memory is low",
        "priority": "CRITICAL",
        "state": "ACTIVATED",
        "impactedEntities": ["house"],
        "alertConditionNames": ["Memory"],
        "totalIncidents": 1,
    }

    report = message_for("newrelic", payload)

    assert (report.event, report.topic) == ("activated", "Memory is low")
    assert report.text.startswith(
        ":alert: [Memory is low](https://radar-api.newrelic.com/i) is activated.\n\n"
        "* **Priority**: critical\n* **Impacted**: house"
    )


def test_stripe_events_become_messages():
    charge = {
        "id": "ch_1",
        "object": "charge",
        "amount": 2050,
        "currency": "eur",
        "billing_details": {"email": "ana@example.com"},
        "status": "succeeded",
    }

    report = message_for(
        "stripe", {"type": "charge.succeeded", "livemode": False, "data": {"object": charge}}
    )

    assert (report.event, report.topic) == ("charge.succeeded", "charges")
    assert report.text == (
        "Charge [ch_1](https://dashboard.stripe.com/payments/ch_1) succeeded (test mode).\n\n"
        "* **Amount**: 20.50 EUR\n* **Customer**: ana@example.com\n* **Status**: succeeded"
    )


def test_zapier_and_ifttt_texts_become_messages():
    report = message_for("zapier", {"subject": "Rain", "content": "It is @**ana**'s turn"})

    assert (report.topic, report.text) == ("Rain", "It is @**ana**'s turn")
    assert find_message("zapier", {"type": "auth"}) is None
    for payload, words in [
        ({"content": "x"}, "Topic can't be empty"),
        ({"topic": "x"}, "Content can't be empty"),
        ({"topic": ["x"], "content": "x"}, "Malformed payload"),
    ]:
        with pytest.raises(BadRequest, match=words):
            message_for("ifttt", payload)


def test_json_is_shown_as_it_is():
    report = message_for("json", {"b": ["ü", "```"], "a": 1})

    assert report.topic == "JSON"
    assert report.text == ('```` json\n{\n  "b": [\n    "ü",\n    "```"\n  ],\n  "a": 1\n}\n````')
