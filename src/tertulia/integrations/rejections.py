"""Why an integration rejects a request; the catalogue reports it to the sender."""

from tertulia.errors import BadRequest


class UnknownEvent(Exception):
    """The integration does not support this event."""


class UnexpectedPayload(Exception):
    """A field that the sender documents is missing or of another type."""


class NoSuchHeader(Exception):
    """This required header is missing."""


class WebhookRejected(BadRequest):
    """Any other reason, as a text for the sender."""
