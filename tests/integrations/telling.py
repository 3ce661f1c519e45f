"""What an integration makes of a payload, for tests."""

from typing import Any

from tertulia import integrations
from tertulia.integrations import Hook, Report


def told(name: str, payload: Any, **headers: str) -> Report:
    found = maybe_told(name, payload, **headers)
    assert found is not None, "there was nothing to tell"
    return found


def maybe_told(name: str, payload: Any, **headers: str) -> Report | None:
    service = integrations.find(name)
    assert service is not None
    return service.report(Hook(payload, {key.replace("_", "-"): headers[key] for key in headers}))
