"""Shows any JSON as it is."""

import json
from collections.abc import Iterable

from tertulia.integrations.payload import WebhookRequest
from tertulia.integrations.phrases import fenced
from tertulia.integrations.webhook_message import WebhookMessage

MAX_TEXT_LENGTH = 9000


_ENCODER = json.JSONEncoder(indent=2, ensure_ascii=False)


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    shown = _beginning(_ENCODER.iterencode(request.payload.value))
    return WebhookMessage("json", "JSON", fenced("json", shown, MAX_TEXT_LENGTH))


def _beginning(pieces: Iterable[str]) -> str:
    """The beginning, as long as a message may be; the rest is not serialized."""
    found, length = [], 0
    for piece in pieces:
        found.append(piece)
        length += len(piece)
        if length > MAX_TEXT_LENGTH:
            break
    return "".join(found)
