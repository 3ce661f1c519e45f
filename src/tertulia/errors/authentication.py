"""Authentication and permission errors."""

from tertulia.errors import ClientError


class Unauthorized(ClientError):
    status = 401
    code = "UNAUTHORIZED"
    headers = {"WWW-Authenticate": 'Basic realm="zulip"'}


class NotLoggedIn(Unauthorized):
    message = "Not logged in: API authentication or user session required"


class NoSession(Unauthorized):
    """For pages of browsers: a Basic challenge would make them open a login dialog."""

    message = NotLoggedIn.message
    headers = {"WWW-Authenticate": 'Session realm="zulip"'}


class CrossSiteRequest(ClientError):
    status = 403
    code = "CSRF_FAILED"
    message = "This request did not come from a page of ours"


class BadAuthorizationHeader(Unauthorized):
    message = "Invalid authorization header for basic auth"


class MalformedKey(Unauthorized):
    message = "Malformed API key"
    hint = (
        "An API key has 32 letters and digits; a password does not work here."
        " Copy the key from your settings, or fetch it with POST /api/v1/fetch_api_key."
    )


class InvalidKey(Unauthorized):
    message = "Invalid API key"
    hint = (
        "No account of this organization has this email address and API key."
        " Compare both, and the address of the server, with your zuliprc file."
    )


class AccountDeactivated(Unauthorized):
    message = "Account is deactivated"
    problem = "account-deactivated"


class OrganizationDeactivated(Unauthorized):
    message = "This organization has been deactivated"


class WrongOrganization(Unauthorized):
    message = "Account is not associated with this subdomain"


class WebhookBotRefused(Unauthorized):
    message = "This API is not available to incoming webhook bots."


class LoginRefused(ClientError):
    """Base of the errors for users who are trying to log in."""

    status = 401
    code = "AUTHENTICATION_FAILED"


class LoginFailed(LoginRefused):
    message = "Your username or password is incorrect"


class LoginDeactivated(LoginRefused):
    code = "USER_DEACTIVATED"
    message = "Account is deactivated"
    problem = "account-deactivated"


class LoginOrganizationDeactivated(LoginRefused):
    code = "REALM_DEACTIVATED"
    message = "This organization has been deactivated"


class PasswordLoginDisabled(LoginRefused):
    code = "PASSWORD_AUTH_DISABLED"
    message = "Password authentication is disabled in this organization"


class PasswordExpired(LoginRefused):
    code = "PASSWORD_RESET_REQUIRED"
    message = "Your password has been disabled and needs to be reset"


class MethodDisabled(LoginRefused):
    code = "AUTHENTICATION_METHOD_DISABLED"
    message = "{method} authentication is disabled in this organization"


class SecondFactorNeeded(LoginRefused):
    code = "SECOND_FACTOR_REQUIRED"
    message = "This account has a second factor: log in with the browser instead"


class SecondFactorMissing(LoginRefused):
    code = "SECOND_FACTOR_REQUIRED"
    message = "This organization requires a second factor: log in with the browser to set one up"


class WrongCode(LoginRefused):
    code = "SECOND_FACTOR_FAILED"
    message = "This code is wrong, too old, or was used already"


class PasskeyNotFound(ClientError):
    message = "No such passkey"
    problem = "not-found"


class LinkInvalid(ClientError):
    status = 404
    code = "LINK_NOT_GOOD"
    message = "This link was used already, is too old, or was never ours"


class UnknownSubdomain(ClientError):
    status = 404
    code = "NONEXISTENT_SUBDOMAIN"
    message = "Invalid subdomain"


class AdministratorRequired(ClientError):
    code = "UNAUTHORIZED_PRINCIPAL"
    message = "Must be an organization administrator"
    problem = "administrator-required"


class OwnerRequired(ClientError):
    code = "UNAUTHORIZED_PRINCIPAL"
    message = "Must be an organization owner"
    problem = "owner-required"


class GuestRefused(ClientError):
    message = "Not allowed for guest users"
    problem = "guests-not-allowed"


class BotRequired(ClientError):
    code = "PERMISSION_DENIED"
    message = "Must be a bot user"


class InsufficientPermission(ClientError):
    message = "Insufficient permission"
    problem = "insufficient-permission"


class AccountMissing(LoginRefused):
    """The provider knows the user, who has no account here and may not create one."""

    code = "NO_ACCOUNT"
    message = "There is no account for {email} in this organization"


class InvitationRequired(LoginRefused):
    code = "INVITATION_REQUIRED"
    message = "Please request an invite for {email} from the organization administrator."


class AccountLinkedElsewhere(LoginRefused):
    """The account with this address is linked to another user of the same provider."""

    message = "The account of {email} belongs to another user there; ask an administrator"


class AccountNotAdmitted(LoginRefused):
    """The provider's settings, such as `only_groups`, exclude the user."""

    message = "Your account there may not be used to log in here"


class NoVerifiedAddress(LoginRefused):
    message = "The provider does not vouch for an email address of yours"


class DirectoryUnreachable(ClientError):
    status = 503
    code = "DIRECTORY_UNREACHABLE"
    message = "The directory that knows your password cannot be reached; please try again later"


class LoginExpired(ClientError):
    """The login was started too long ago or in another browser, or is already finished."""

    status = 400
    code = "LOGIN_EXPIRED"
    message = "This login has expired; please begin again"


class ProviderFailed(LoginRefused):
    message = "The provider did not confirm who you are; please begin again"


class BadJwt(ClientError):
    message = "Bad JSON web token"


class RemoteUserMissing(ClientError):
    """The proxy did not send the header that names the user."""

    message = "The proxy in front of this server did not say who you are"


class WrongSetupCode(ClientError):
    status = 403
    message = "The setup code is wrong. `tertulia setup-code` shows it on the server."


class AlreadySetUp(ClientError):
    status = 403
    message = "This server has an owner, so it has no setup code."
