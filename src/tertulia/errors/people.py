"""Accounts, bots and profiles."""

from typing import Any

from tertulia.errors import BadRequest, ClientError, WordedError


class UserNotFound(ClientError):
    message = "No such user"
    problem = "no-such-user"
    reports_absence = True


class UserIsDeactivated(ClientError):
    message = "User is deactivated"
    problem = "user-deactivated"


class LastOwner(ClientError):
    code = "CANNOT_DEACTIVATE_LAST_USER"
    message = "Cannot deactivate the only {entity}."
    keys = ("is_last_owner", "entity")


class InvalidEmail(ClientError):
    message = "Enter a valid email address."
    problem = "email-invalid"


class EmailTaken(ClientError):
    message = "Email is already in use."
    problem = "email-taken"


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
    problem = "not-found"
    reports_absence = True


class InvitationFailed(WordedError):
    """`errors` contains lists of an address, the reason, and whether its account is deactivated."""

    code = "INVITATION_FAILED"

    def extra(self) -> dict[str, Any]:
        return {
            "errors": [],
            "sent_invitations": False,
            "daily_limit_reached": False,
            "license_limit_reached": False,
            **self.answer,
        }


class MailNotConfigured(ClientError):
    code = "MAIL_NOT_CONFIGURED"
    message = "This server sends no mail. Make an invitation link and hand it over instead."


class InvalidMailDomain(ClientError):
    message = "Invalid domain: {reason}"
    problem = "invalid-domain"


class ProfileFieldNotFound(ClientError):
    message = "Field id {field_id} not found."
    problem = "field-not-found"
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
    problem = "not-found"
    reports_absence = True
