"""What an integration makes of a payload, for tests."""

from typing import Any

from tertulia import integrations
from tertulia.integrations import WebhookMessage, WebhookRequest


def told(name: str, payload: Any, **headers: str) -> WebhookMessage:
    found = maybe_told(name, payload, **headers)
    assert found is not None, "there was nothing to tell"
    return found


def maybe_told(name: str, payload: Any, **headers: str) -> WebhookMessage | None:
    service = integrations.find(name)
    assert service is not None
    return service.message_for(
        WebhookRequest(payload, {key.replace("_", "-"): headers[key] for key in headers})
    )
