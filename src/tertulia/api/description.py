"""The OpenAPI description, derived from the routes, the wire events and the parts of the state."""

from collections.abc import Iterable

import msgspec

from tertulia import __version__
from tertulia.api import event_schemas, register_schema
from tertulia.http.openapi import SentRequest, describe
from tertulia.http.routing import Route

ABOUT = (
    "The API of this chat server, which is that of Zulip. Parameters come in a form, as a JSON"
    " object or in the address; lists and objects are JSON. Log in with HTTP Basic: an address and"
    " its API key."
)

# Additional request headers, by route.
HEADERS = {
    ("POST", "/messages"): {
        "Idempotency-Key": "A text of up to 200 characters. The same key within a day is the same"
        " message, however often it is sent.",
    }
}


def encoded(routes: Iterable[Route], sent_requests: Iterable[SentRequest]) -> bytes:
    return msgspec.json.encode(
        describe(
            routes,
            title="Tertulia",
            version=__version__,
            about=ABOUT,
            schemas={
                **event_schemas.schemas(),
                **register_schema.schemas(),
                "ChangedSettings": {"additionalProperties": {}},
            },
            headers=HEADERS,
            webhooks=sent_requests,
        )
    )
