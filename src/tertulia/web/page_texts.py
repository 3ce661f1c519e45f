"""The texts of the pages before login in the language of a request."""

from tertulia import locale
from tertulia.errors import ClientError
from tertulia.http.request import ApiRequest
from tertulia.locale import Texts

# Texts of errors: by the class of the error, or by its problem.
PROBLEMS = {
    "LoginFailed": "login.wrong-password",
    "InvalidEmail": "login.invalid-email",
    "LoginDeactivated": "login.account-deactivated",
    "PasswordExpired": "login.password-expired",
    "LoginOrganizationDeactivated": "login.organization-deactivated",
    "PasswordLoginDisabled": "login.password-login-disabled",
    "MethodDisabled": "login.method-disabled",
    "WrongCode": "login.wrong-code",
    "LinkInvalid": "login.link-invalid-explained",
    "EmailTaken": "login.email-taken",
    "AddressOutsideDomains": "login.address-outside-domains",
    "LoginExpired": "login.login-expired",
    "ProviderFailed": "login.provider-failed",
    "AccountNotAdmitted": "login.account-not-admitted",
    "AccountLinkedElsewhere": "login.account-linked-to-other-user",
    "NoVerifiedAddress": "login.no-verified-address",
    "AccountMissing": "login.no-account-yet",
    "InvitationRequired": "login.invitation-required",
    "DirectoryUnreachable": "login.directory-unavailable",
    "RemoteUserMissing": "login.proxy-header-missing",
    "WrongSetupCode": "login.wrong-setup-code",
    "AlreadySetUp": "login.already-set-up",
    "NoSuchFile": "login.file-missing",
    "FileAccessDenied": "login.file-forbidden",
    "LinkExpired": "login.file-link-expired",
    "password-too-short": "login.password-too-short",
    "password-too-long": "login.password-too-long",
    "wrong-password": "login.password-incorrect",
    "password-too-easy": "login.password-too-easy",
    "name-empty": "login.name-empty",
    "name-too-long": "login.name-too-long",
    "name-characters-invalid": "login.name-invalid",
    "name-format-invalid": "login.name-invalid",
    "name-reserved": "login.name-reserved",
    "name-not-unique": "login.name-taken",
    "email-with-plus": "login.address-with-plus",
    "email-not-real": "login.address-disposable",
    "email-invalid": "login.invalid-email",
    "password-login-disabled": "login.password-login-disabled",
    "program-unknown": "consent.unknown",
    "program-address-wrong": "consent.wrong-address",
    "too-many-agents": "consent.too-many",
}


def of(request: ApiRequest) -> Texts:
    return locale.texts(locale.accepted(request.header("accept-language")))


def describe(request: ApiRequest, error: ClientError) -> str:
    """The text of an error, translated if there is a translation."""
    t = of(request)
    known = PROBLEMS.get(type(error).__name__) or PROBLEMS.get(error.problem)
    if known is None and t.language == locale.ENGLISH:
        return error.msg
    key = known or f"error.{error.problem}"
    return t(key, **error.values) if t.has(key) else error.msg
