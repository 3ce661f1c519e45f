"""Every event in the lists of the services becomes the message that `messages.txt` has, and every
example the one that `examples.txt` has."""

from collections.abc import Iterable
from pathlib import Path

from tests.integrations.event_payloads import Sent, every_payload

from tertulia import integrations
from tertulia.integrations import WebhookMessage, WebhookRequest

FOLDER = Path(__file__).parent


def test_every_event_of_a_fixed_list_has_a_payload():
    listed = {
        (name, event)
        for name, service in integrations.INTEGRATIONS.items()
        for event in service.events or ()
    }

    assert {(sent.service, sent.event) for sent in every_payload()} == listed


def test_every_event_becomes_its_message():
    check("messages.txt", map(event_entry, every_payload()))


def test_every_example_becomes_its_message():
    check("examples.txt", map(example_entry, sorted(integrations.INTEGRATIONS)))


def check(name: str, entries: Iterable[str]) -> None:
    problem = f"{name} differs: read the new messages and write them there"
    assert "\n".join(entries) == (FOLDER / name).read_text(encoding="utf-8"), problem


def event_entry(sent: Sent) -> str:
    headers = {name.lower(): value for name, value in sent.headers.items()}
    report = message_of(sent.service, WebhookRequest(sent.payload, headers))
    assert report.event == sent.event or report.event.startswith(f"{sent.event}."), sent.event
    return f"{sent.service} {sent.event}\n{shown(report)}"


def example_entry(name: str) -> str:
    report = message_of(name, integrations.examples.request(name))
    return f"{name} {report.event}\n" + "".join(map(shown, (report, *report.more)))


def message_of(service: str, request: WebhookRequest) -> WebhookMessage:
    report = integrations.INTEGRATIONS[service].message_for(request)
    assert report is not None, service
    return report


def shown(report: WebhookMessage) -> str:
    text = "\n".join(f"    {line}".rstrip() for line in report.text.split("\n"))
    return f"  {report.topic}\n{text}\n"
