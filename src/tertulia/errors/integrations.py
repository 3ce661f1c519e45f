"""Errors of incoming webhooks."""

from tertulia.errors import ClientError


class UnknownIntegration(ClientError):
    status = 404
    code = "NOT_FOUND"
    message = "There is no integration '{name}' here; /integrations lists those there are."


class UnsupportedEvent(ClientError):
    """Compat: with status 200, because senders disable a webhook that fails."""

    status = 200
    code = "UNSUPPORTED_WEBHOOK_EVENT_TYPE"
    message = (
        "The '{event_type}' event isn't currently supported by the {webhook_name} webhook; ignoring"
    )
    keys = ("webhook_name", "event_type")


class MalformedPayload(ClientError):
    """A field that the sender documents is missing or of another type."""

    code = "ANOMALOUS_WEBHOOK_PAYLOAD"
    message = "Unable to parse request: Did {webhook_name} generate this event?"
    keys = ("webhook_name", "field")


class MissingEventHeader(ClientError):
    code = "MISSING_HTTP_EVENT_HEADER"
    message = "Missing the HTTP event header '{header}'"
    keys = ("header",)
