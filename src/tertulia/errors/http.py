"""Requests that cannot be answered, whatever they ask for."""

import math
from typing import Any

from tertulia.errors import ClientError


class NotFound(ClientError):
    status = 404
    code = "NOT_FOUND"
    message = "Not found"
    reports_absence = True


class FeatureDisabled(NotFound):
    """Clients know the address, but there is nothing of the kind here."""

    message = "This server does not offer {what}."


class PushNotConfigured(ClientError):
    """Phones are reached through a service of the makers of their apps; there is none."""

    code = "PUSH_SERVICE_NOT_CONFIGURED"
    message = "Server is not configured to use push notification service."


class CallsNotConfigured(ClientError):
    message = "{service} credentials have not been configured"


class NotInProduction(ClientError):
    message = "Endpoint not available in production."


class TrailingSlash(NotFound):
    message = "Not found. There is something at {path}, without the slash at the end."


class MethodNotAllowed(ClientError):
    status = 405
    code = "METHOD_NOT_ALLOWED"
    message = "Method Not Allowed"
    keys = ("allowed_methods",)

    def reply_headers(self) -> dict[str, str]:
        return {"Allow": ", ".join(self.values["allowed_methods"])}


class BodyTooLarge(ClientError):
    status = 413
    code = "REQUEST_ENTITY_TOO_LARGE"
    message = "The request is too large (limit: {limit} bytes)"


class HeadersTooLarge(ClientError):
    status = 431
    code = "REQUEST_HEADER_FIELDS_TOO_LARGE"
    message = "The request headers are too large"


class AddressTooLong(ClientError):
    status = 414
    code = "REQUEST_URI_TOO_LONG"
    message = "The request address is too long (limit: {limit} bytes)"


class RequestTooSlow(ClientError):
    status = 408
    code = "REQUEST_TIMEOUT"
    message = "The request took too long to arrive"


class TooManyConnections(ClientError):
    """One address has more of them than its share."""

    status = 429
    code = "TOO_MANY_CONNECTIONS"
    message = "Too many connections from this address"


class RateLimited(ClientError):
    status = 429
    code = "RATE_LIMIT_HIT"
    message = "API usage exceeded rate limit"

    def extra(self) -> dict[str, Any]:
        return {"retry-after": self.values["retry_after"]}

    def reply_headers(self) -> dict[str, str]:
        return {"Retry-After": str(math.ceil(self.values["retry_after"]))}


class AttemptsExhausted(RateLimited):
    """A rule allows no more attempts of this kind for now.

    An attempt is recorded before it is checked, so this follows a commit of the same request. That
    commit holds nothing but the record, and the request has done nothing else.
    """


class InternalError(ClientError):
    status = 500
    code = "INTERNAL_SERVER_ERROR"
    message = "Internal server error"


class ServiceUnavailable(ClientError):
    """The disk is full or the database cannot be reached; the same request may succeed later.

    It promises that nothing was done: see `errors/outcome.py`.
    """

    status = 503
    code = "SERVICE_UNAVAILABLE"
    message = "The server cannot reach its data right now. Please try again in a moment."
    headers = {"Retry-After": "1"}


class OutcomeUnknown(ServiceUnavailable):
    """The same failure, at a moment when the request may have been done already.

    Load balancers repeat a 503 elsewhere, which would do it twice, so this has another status, and
    no `Retry-After`. A caller that sent an `Idempotency-Key` may repeat it.
    """

    status = 500
    code = "OUTCOME_UNKNOWN"
    message = (
        "The server lost its data while it did this. It may have been done; please look before you"
        " try again."
    )
    headers = {}


class ServerOverloaded(ServiceUnavailable):
    message = "The server has too many connections. Please try again in a moment."


class ServerStopping(ServiceUnavailable):
    """The server was stopped while it answered, and had begun to write nothing."""

    message = "The server is stopping. Please try again in a moment."
