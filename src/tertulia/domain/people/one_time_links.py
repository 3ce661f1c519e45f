"""One-time links, sent by mail or handed over by an administrator."""

import secrets

import msgspec

PASSWORD = "password"  # noqa: S105  # to choose a new one
ADDRESS = "address"  # to confirm an email address
SIGN_UP = "sign-up"  # to confirm the address of a new account
INVITING = "inviting"  # no link of its own: an invitation was sent
FINDING = "finding"  # no link: a list of the user's accounts was sent
BY_STRANGERS = (PASSWORD, SIGN_UP, FINDING)  # mails that a visitor without a login can cause

LIFE_SECONDS = 86400
KEY_LENGTH = 24
_USER = "user"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # 5 bits each, 120 in all


class OneTimeLink(msgspec.Struct, frozen=True):
    id: int
    purpose: str
    user_id: int | None
    email: str
    expires_at: float
    invitation_id: int | None = None  # the invitation of a sign-up
    requested_from: str = (
        ""  # an IP address, or `requested_by` of the administrator who hands it over
    )

    def maker_id(self) -> int | None:
        """The administrator who hands it over, if it is not sent by mail."""
        kind, _, number = self.requested_from.partition(" ")
        return int(number) if kind == _USER else None


def requested_by(user_id: int) -> str:
    return f"{_USER} {user_id}"


def new_key() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(KEY_LENGTH))
