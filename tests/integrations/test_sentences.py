"""What templates of the table do with payloads that are not as documented."""

import pytest
from tests.integrations.messages import message_for

from tertulia.errors.integrations import MalformedPayload, MissingEventHeader

CHECK = {"check_name": "Roof", "current_state": "DOWN"}


def test_a_value_stays_on_one_line_and_mentions_no_one():
    report = message_for("pingdom", CHECK | {"check_name": "wet\n\n# roof @**all**"})

    assert report.topic == "wet # roof @_**all** status."
    assert report.text == ":alert: wet # roof @_**all**: down."


def test_a_link_is_never_cut():
    link = f"https://buildbot.example.com/{'x' * 200}"
    build = {"number": 1, "builder": {"name": "y" * 200}, "url": link}

    assert f"]({link}) started." in message_for("buildbot", build).text


@pytest.mark.parametrize("other", [None, "", " ", [], {"a": 1}, [None]])
def test_what_is_no_text_gives_way_to_the_next_path(other):
    named = {"check_name": other, "check_id": 7, "current_state": "UP"}

    assert message_for("pingdom", named).topic == "7 status."


@pytest.mark.parametrize(
    "service, payload, field",
    [
        ("pingdom", {"check_id": 7}, "current_state"),
        ("pingdom", {"current_state": "UP"}, "check_id"),
        ("circleci", {"type": "job-completed"}, "job"),
        ("sentry", {"event": {"level": "error"}}, "event.title"),
    ],
)
def test_a_missing_value_is_named(service, payload, field):
    with pytest.raises(MalformedPayload) as refusal:
        message_for(service, payload)

    assert refusal.value.extra()["field"] == field


@pytest.mark.parametrize(
    "service, payload",
    [
        ("linear", {"type": "Issue", "action": "update", "updatedFrom": None}),
        ("jira", {"webhookEvent": "jira:issue_created", "issue": {"key": "ROOF-3", "self": None}}),
    ],
)
def test_null_is_an_empty_text(service, payload):
    assert message_for(service, {"data": {"identifier": "ROOF-3", "title": "Rain"}} | payload).text


def test_a_missing_header_is_named():
    with pytest.raises(MissingEventHeader) as refusal:
        message_for("netlify", {"name": "roof"})

    assert "X-Netlify-Event" in str(refusal.value.extra())


def test_items_beyond_the_limit_are_counted():
    hosts = {f"host{number:02}": {"failed": True} for number in range(23)}

    report = message_for("awx", {"name": "Dry", "status": "failed", "hosts": hosts})

    assert report.text.count(": failed") == 1 + 20
    assert report.text.endswith("\n* host19: failed\n* and 3 others")
