"""Accounts, bots and profiles."""

from typing import Any

from tertulia.errors import BadRequest, ClientError


class UserNotFound(ClientError):
    message = "No such user"
    reports_absence = True


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


class AddressOutsideDomains(BadRequest):
    def __init__(self, email: str) -> None:
        super().__init__(
            f"Your email address, {email}, is not in one of the domains that are allowed"
            " to register for accounts in this organization."
        )
        self.values = {"email": email}

    def extra(self) -> dict[str, Any]:
        return {}


class BotNotFound(ClientError):
    message = "No such bot"
    reports_absence = True


class InvitationFailed(ClientError):
    """`errors` contains lists of an address, the reason, and whether its account is deactivated."""

    code = "INVITATION_FAILED"
    message = "{why}"

    def extra(self) -> dict[str, Any]:
        return {
            "errors": self.values["errors"],
            "sent_invitations": self.values.get("sent", False),
            "daily_limit_reached": self.values.get("daily_limit_reached", False),
            "license_limit_reached": False,
        }


class MailNotConfigured(ClientError):
    code = "MAIL_NOT_CONFIGURED"
    message = "This server sends no mail. Make an invitation link and hand it over instead."


class InvalidMailDomain(ClientError):
    message = "Invalid domain: {reason}"


class ProfileFieldNotFound(ClientError):
    message = "Field id {field_id} not found."
    reports_absence = True


class ReadOnlyGrant(ClientError):
    code = "AGENT_MAY_NOT_WRITE"
    message = "This agent may not write here."


class GrantEnded(ClientError):
    status = 401
    code = "AGENT_ACCESS_ENDED"
    message = "The access of this agent has ended."


class GrantNotFound(ClientError):
    message = "No such agent"
    reports_absence = True
