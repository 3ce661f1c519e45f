"""Accounts, bots and profiles."""

from tertulia.errors import ClientError


class UserNotFound(ClientError):
    message = "No such user"


class UserIsDeactivated(ClientError):
    message = "User is deactivated"


class LastOwner(ClientError):
    code = "CANNOT_DEACTIVATE_LAST_USER"
    message = "Cannot deactivate the only {entity}."
    keys = ("is_last_owner", "entity")


class InvalidEmail(ClientError):
    message = "Enter a valid email address."


class EmailTaken(ClientError):
    message = "Email is already in use."


class BotNotFound(ClientError):
    message = "No such bot"


class SessionNotFound(ClientError):
    message = "No such session"


class InvalidMailDomain(ClientError):
    message = "Invalid domain: {reason}"


class ProfileFieldNotFound(ClientError):
    message = "Field id {field_id} not found."
