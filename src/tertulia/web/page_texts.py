"""The texts of the pages before login in the language of a request."""

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace

from tertulia import domain
from tertulia.http.request import ApiRequest
from tertulia.web.translations import ar, de, en, es, fr, ja, pt

LANGUAGES = {
    "en": en.TEXTS,
    "ar": ar.TEXTS,
    "de": de.TEXTS,
    "es": es.TEXTS,
    "fr": fr.TEXTS,
    "ja": ja.TEXTS,
    "pt": pt.TEXTS,
}

# Texts of errors: by the class of the error, or by the API's message.
PROBLEMS = {
    "LoginFailed": "wrong_password",
    "InvalidEmail": "invalid_email",
    "LoginDeactivated": "account_deactivated",
    "PasswordExpired": "password_expired",
    "LoginOrganizationDeactivated": "organization_deactivated",
    "PasswordLoginDisabled": "password_login_disabled",
    "MethodDisabled": "method_disabled",
    "WrongCode": "wrong_code",
    "LinkInvalid": "link_invalid_explained",
    "EmailTaken": "email_taken",
    "AddressOutsideDomains": "address_outside_domains",
    "LoginExpired": "login_expired",
    "ProviderFailed": "provider_failed",
    "AccountNotAdmitted": "account_not_admitted",
    "AccountLinkedElsewhere": "account_linked_to_other_user",
    "NoVerifiedAddress": "no_verified_address",
    "AccountMissing": "no_account_yet",
    "InvitationRequired": "invitation_required",
    "DirectoryUnreachable": "directory_unavailable",
    "RemoteUserMissing": "proxy_header_missing",
    "WrongSetupCode": "wrong_setup_code",
    "AlreadySetUp": "already_set_up",
    "NoSuchFile": "file_missing",
    "FileAccessDenied": "file_forbidden",
    "LinkExpired": "file_link_expired",
}
SENTENCES = {
    "A password has at least 8 characters.": "password_too_short",
    "A password has at most 100 characters.": "password_too_long",
    "Wrong password!": "password_incorrect",
    "This password is too easy to guess.": "password_too_easy",
    "Name must not be empty!": "name_empty",
    "Name too long!": "name_too_long",
    "Invalid characters in name!": "name_invalid",
    "Invalid format!": "name_invalid",
    "Name is reserved!": "name_reserved",
    "Unique names required in this organization.": "name_taken",
    "Email addresses containing + are not allowed in this organization.": "address_with_plus",
    "Please use your real email address.": "address_disposable",
    "Enter a valid email address.": "invalid_email",
    "name must be a text of 1 to 40 characters": "organization_name_length",
    "Can't join the organization: password authentication is not enabled.": (
        "password_login_disabled"
    ),
    "This program is not registered here.": "agent_unknown",
    "This program asked to lead you to an address that it did not register.": "agent_wrong_address",
    "Too many agents act for you. End one of them first.": "agent_too_many",
}


def of(request: ApiRequest) -> dict[str, str]:
    """The texts in the language of a request."""
    return LANGUAGES[language(request.header("accept-language"))]


def language(accept_language: str | None) -> str:
    """The first language of the Accept-Language header that has a translation."""
    for wanted in (accept_language or "").lower().split(","):
        name = wanted.partition(";")[0].strip().partition("-")[0]
        if name in LANGUAGES:
            return name
    return "en"


def counted(texts: Mapping[str, str], name: str, number: int, **values: object) -> str:
    """A text with a number, in the plural form of its language."""
    return domain.organization.plurals.counted(texts, texts["language"], name, number, **values)


def in_language(name: str) -> SimpleNamespace:
    """The texts as attributes: templates use `texts.log_in`."""
    direction = domain.organization.languages.direction(name)
    texts = LANGUAGES[name]
    return SimpleNamespace(**texts, direction=direction, counted=partial(counted, texts))
