"""Webhook payloads may be large and slow to parse: parsing does not block other requests.

Every test fails if it blocks the event loop (`tests/support/latency_guard.py`).
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.support.people import Chat, Person

from tertulia.integrations import WebhookRequest, json_text

NESTED = json.dumps([[]] * 450_000).encode()
QUEUE_STATES = json.dumps(
    {"text": "*a* _b_ <c\n" * 100_000, "blocks": [{"type": "x"}] * 9000}
).encode()
FIELDS = b"&".join(b"%d=x" % each for each in range(300_000))


@pytest.fixture
def oven(chat: Chat) -> Person:
    ana = chat.person("ana", channels=["kitchen"])
    return chat.person("oven", bot="incoming-webhook", owner=ana)


@pytest.mark.parametrize(
    "name, body, media, params",
    [
        ("json", NESTED, "application/json", {}),
        ("slack_incoming", QUEUE_STATES, "application/json", {}),
        ("github", NESTED, "application/json", {}),
        ("travis", FIELDS, "text/plain", {"webhook_secret": "beef"}),
    ],
)
def test_a_large_payload_is_parsed_off_the_event_loop(oven, name, body, media, params):
    query = urlencode({"api_key": oven.key, "stream": "kitchen", **params})

    response = oven.chat.stranger.raw(
        "POST", f"/api/v1/external/{name}?{query}", body, Content_Type=media
    )

    assert response.status in (200, 400)


class Counted(list[Any]):
    looked_at = 0

    def __iter__(self) -> Iterator[Any]:
        for each in super().__iter__():
            self.looked_at += 1
            yield each


def test_no_more_text_is_built_than_is_shown():
    sent = Counted([1] * 100_000)

    report = json_text.to_message(WebhookRequest(sent))

    assert report is not None
    assert len(report.text) < json_text.MAX_TEXT_LENGTH + 100
    assert sent.looked_at < json_text.MAX_TEXT_LENGTH
