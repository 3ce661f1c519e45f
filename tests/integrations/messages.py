"""What an integration makes of a payload, for tests."""

from typing import Any

from tertulia import integrations
from tertulia.integrations import WebhookMessage, WebhookRequest


def message_for(name: str, payload: Any, **headers: str) -> WebhookMessage:
    found = find_message(name, payload, **headers)
    assert found is not None, "the payload made no message"
    return found


def find_message(name: str, payload: Any, **headers: str) -> WebhookMessage | None:
    service = integrations.find(name)
    assert service is not None
    return service.message_for(
        WebhookRequest(payload, {key.replace("_", "-"): headers[key] for key in headers})
    )
