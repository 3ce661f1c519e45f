"""Errors that do not depend on the endpoint."""

import math
from typing import Any

from tertulia.errors import ClientError


class NotFound(ClientError):
    status = 404
    code = "NOT_FOUND"
    message = "Not found"
    reports_absence = True


class FeatureDisabled(NotFound):
    """The endpoint exists in the API, and the feature is disabled on this server."""

    message = "This server does not offer {what}."


class PushNotConfigured(ClientError):
    """Phones can only be reached through the push service of the app's vendor, and none is
    configured."""

    code = "PUSH_SERVICE_NOT_CONFIGURED"
    message = "Server is not configured to use push notification service."


class CallsNotConfigured(ClientError):
    message = "{service} credentials have not been configured"
    problem = "call-provider-not-configured"


class NotInProduction(ClientError):
    message = "Endpoint not available in production."


class TrailingSlash(NotFound):
    message = "Not found. There is something at {path}, without the slash at the end."


class WrongPath(NotFound):
    message = "Not found. Did you mean {path}?"


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


class HttpsOnHttpPort(ClientError):
    message = "This port speaks http, not https: write http://, or have a proxy speak https."


class AddressTooLong(ClientError):
    status = 414
    code = "REQUEST_URI_TOO_LONG"
    message = "The request address is too long (limit: {limit} bytes)"


class RequestTooSlow(ClientError):
    status = 408
    code = "REQUEST_TIMEOUT"
    message = "The request took too long to arrive"


class TooManyConnections(ClientError):
    """Too many connections from one address."""

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
    """Too many attempts of this kind for now.

    An attempt is recorded before it is checked, so this error follows a commit of the same request.
    That commit contains only the record; the request has done nothing else.
    """


class InternalError(ClientError):
    status = 500
    code = "INTERNAL_SERVER_ERROR"
    message = "Internal server error"


class ServiceUnavailable(ClientError):
    """The disk is full or the database cannot be reached; the same request may succeed later.

    It promises that nothing was written: see `errors/outcome.py`.
    """

    status = 503
    code = "SERVICE_UNAVAILABLE"
    message = "The server cannot reach its data right now. Please try again in a moment."
    headers = {"Retry-After": "1"}


class OutcomeUnknown(ServiceUnavailable):
    """The same failure at a moment when the request may already be committed.

    Load balancers repeat a 503 on another server, which would do it twice, so this has another
    status and no `Retry-After`. A client that sent an `Idempotency-Key` may repeat the request.
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
    """The server stopped during the request, before it wrote anything."""

    message = "The server is stopping. Please try again in a moment."
