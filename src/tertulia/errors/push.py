"""Errors of the push service and of phone registrations."""

from tertulia.errors import ClientError


class NoActiveDevice(ClientError):
    code = "NO_ACTIVE_PUSH_DEVICE"
    message = "No active registered push device"


class UnknownDeviceToken(ClientError):
    code = "INVALID_PUSH_DEVICE_TOKEN"
    message = "Device not recognized"


class PushServiceUnavailable(ClientError):
    status = 502
    code = "FAILED_TO_CONNECT_BOUNCER"
    message = "Network error while connecting to Zulip push notification service."


class PushServiceBroken(ClientError):
    status = 502
    code = "INTERNAL_SERVER_ERROR_ON_BOUNCER"
    message = "Internal server error on Zulip push notification service, retry later."


class PushServiceBusy(PushServiceBroken):
    """Too many requests; `retry_seconds` is the delay it asks for."""


class PushServiceRejected(ClientError):
    status = 403
    code = "ADMIN_ACTION_REQUIRED"
    message = (
        "Push notification configuration issue on server, contact the server administrator or"
        " retry later."
    )
