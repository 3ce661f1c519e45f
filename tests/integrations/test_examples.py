"""The messages of services whose payloads are in `examples.py`."""

import pytest
from tests.integrations.examples import EXAMPLES, HARBOR, HEROKU, NOTION, Example
from tests.integrations.messages import find_message, message_for

from tertulia import integrations
from tertulia.errors.integrations import MalformedPayload, UnsupportedEvent
from tertulia.integrations import WebhookRequest


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.service}-{each.event}")
def test_a_payload_becomes_a_message(example: Example):
    service = integrations.INTEGRATIONS[example.service]

    report = service.message_for(WebhookRequest(example.payload, example.headers))

    assert report is not None
    assert (report.event, report.topic, report.text) == (
        example.event,
        example.topic,
        example.text,
    )
    assert not report.to_owner


@pytest.mark.parametrize("service", sorted({each.service for each in EXAMPLES}))
@pytest.mark.parametrize("payload", [{}, [], None, "rain", {"type": [], "data": 3, "result": "x"}])
def test_a_malformed_payload_is_refused(service, payload):
    headers = {"X_Netlify_Event": "deploy_failed"}

    with pytest.raises(MalformedPayload):
        message_for(service, payload, **headers)


@pytest.mark.parametrize(
    "service, payload",
    [
        ("azuredevops", {"eventType": "weather.changed", "resource": {}}),
        ("heroku", HEROKU | {"resource": "weather"}),
        ("netlify", {"name": "roof"}),
        ("notion", NOTION | {"type": "weather.changed"}),
        ("openproject", {"action": "weather:changed"}),
        ("opsgenie", {"action": "Rain", "alert": {"message": "Wet"}}),
        ("redmine", {"type": "weather.changed", "data": {}}),
        ("rollbar", {"event_name": "weather", "data": {}}),
        ("teamcity", {"eventType": "CHANGES_LOADED", "payload": {}}),
        ("wordpress", {"hook": "weather"}),
        ("harbor", HARBOR | {"type": "WEATHER"}),
    ],
)
def test_an_unknown_event_is_refused(service, payload):
    with pytest.raises(UnsupportedEvent):
        message_for(service, payload, X_Netlify_Event="weather")


def test_a_release_in_progress_is_not_reported():
    payload = HEROKU | {"data": {"app": {"name": "house-roof"}, "status": "pending"}}

    assert find_message("heroku", payload) is None


def test_the_verification_token_of_notion_goes_to_the_owner():
    report = message_for("notion", {"verification_token": "secret_rain"})

    assert report.to_owner
    assert "`secret_rain`" in report.text


def test_uptime_robot_may_send_its_variables_in_the_url():
    service = integrations.INTEGRATIONS["uptimerobot"]
    query = {"alertType": "1", "monitorFriendlyName": "Roof", "alertDetails": "Timeout"}

    report = service.message_for(WebhookRequest({}, query=query))

    assert report is not None
    assert report.text == ":alert: Roof is down:\n``` quote\nTimeout\n```"


def test_a_private_harbor_repository_is_recognized():
    assert message_for("harbor", HARBOR).is_private
