"""Every event in the lists of the services becomes the message that `messages.txt` has."""

from pathlib import Path

from tests.integrations.event_payloads import Sent, every_payload

from tertulia import integrations
from tertulia.integrations import WebhookRequest

MESSAGES = Path(__file__).with_name("messages.txt")


def test_every_event_of_a_fixed_list_has_a_payload():
    listed = {
        (name, event)
        for name, service in integrations.INTEGRATIONS.items()
        for event in service.events or ()
    }

    assert {(sent.service, sent.event) for sent in every_payload()} == listed


def test_every_event_becomes_its_message():
    written = "\n".join(map(entry, every_payload()))

    problem = f"{MESSAGES.name} differs: read the new messages and write them there"
    assert written == MESSAGES.read_text(encoding="utf-8"), problem


def entry(sent: Sent) -> str:
    service = integrations.INTEGRATIONS[sent.service]
    headers = {name.lower(): value for name, value in sent.headers.items()}
    report = service.message_for(WebhookRequest(sent.payload, headers))
    assert report is not None, sent.event
    assert report.event == sent.event or report.event.startswith(f"{sent.event}."), sent.event
    text = "\n".join(f"    {line}".rstrip() for line in report.text.split("\n"))
    return f"{sent.service} {sent.event}\n  {report.topic}\n{text}\n"
