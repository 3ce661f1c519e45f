"""The parts of each kind of mail. Their texts are `mail.…` of the catalogues (`locale/`)."""

from typing import NamedTuple


class Button(NamedTuple):
    """A link: a button in HTML, words and an address in text."""

    key: str
    address: str = "{link}"


class Paragraphs(NamedTuple):
    """A value that holds paragraphs itself; a text if it is empty."""

    value: str
    otherwise: str = ""


class Optional(NamedTuple):
    """A text that is there if a value is not empty."""

    value: str
    key: str


Part = str | Button | Paragraphs | Optional

# The subject of a kind is the text `mail.KIND.subject`.
LAYOUTS: dict[str, tuple[Part, ...]] = {
    "account": (
        "mail.hello-name",
        "mail.account.text",
        Button("mail.account.button", "{site}/"),
    ),
    "address-changed": ("mail.hello-name", "mail.address-changed.text"),
    "address-confirm": (
        "mail.hello-name",
        "mail.address-confirm.text",
        Button("mail.address-confirm.button"),
        "mail.address-confirm.link",
    ),
    "address-taken": ("mail.hello", "mail.address-taken.text"),
    "deactivated": ("mail.hello-name", "mail.deactivated.text", Paragraphs("comment")),
    "digest": (
        "mail.digest.text",
        Paragraphs("topics"),
        Optional("channels", "mail.digest.channels"),
        Button("mail.read-on"),
        "mail.digest.leave",
    ),
    "invitation": (
        "mail.hello",
        "mail.invitation.text",
        Button("mail.invitation.button"),
        Optional("until", "mail.invitation.until"),
        "mail.invitation.unknown",
    ),
    "invitation-needless": ("mail.hello", "mail.invitation-needless.text"),
    "login": (
        "mail.hello-name",
        "mail.login.text",
        "mail.login.when",
        "mail.login.from",
        "mail.login.with",
        "mail.login.not-you",
    ),
    "missed-messages": (
        Paragraphs("said"),
        Button("mail.read-on"),
        Optional("answerable", "mail.missed-messages.answer"),
        "mail.missed-messages.leave",
    ),
    "missed-messages-untold": (
        "mail.missed-messages-untold.text",
        Button("mail.missed-messages-untold.button"),
        "mail.missed-messages.leave",
    ),
    "organizations": (
        "mail.hello",
        "mail.organizations.text",
        Paragraphs("found", "mail.organizations.none"),
        "mail.not-you",
    ),
    "password-elsewhere": ("mail.hello-name", "mail.password-elsewhere.text", "mail.not-you"),
    "password-ended": (
        "mail.hello-name",
        "mail.password-ended.text",
        Button("mail.choose-password"),
        "mail.password-ended.link",
    ),
    "password-reset": (
        "mail.hello-name",
        "mail.password-reset.text",
        Button("mail.choose-password"),
        "mail.password-reset.link",
    ),
    "password-unknown": ("mail.hello", "mail.password-unknown.text", "mail.not-you"),
    "second-factor-guessed": (
        "mail.hello-name",
        "mail.second-factor-guessed.text",
        "mail.second-factor-guessed.not-you",
    ),
    "second-factor-off": (
        "mail.hello-name",
        "mail.second-factor-off.text",
        "mail.second-factor-off.not-you",
    ),
    "second-factor-on": (
        "mail.hello-name",
        "mail.second-factor-on.text",
        "mail.second-factor-on.not-you",
    ),
    "sign-up": (
        "mail.hello",
        "mail.sign-up.text",
        Button("mail.sign-up.button"),
        "mail.sign-up.link",
    ),
    "sign-up-needless": ("mail.hello", "mail.sign-up-needless.text"),
    "test": ("mail.test.text",),
}
