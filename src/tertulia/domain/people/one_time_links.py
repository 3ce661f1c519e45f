"""Links that are good once, handed to somebody by mail or by other means."""

import secrets

import msgspec

PASSWORD = "password"  # noqa: S105  # to choose a new one
ADDRESS = "address"  # to confirm that it is theirs
SIGN_UP = "sign-up"  # the same, for one who has no account yet
INVITING = "inviting"  # no link of its own: somebody was written to with an invitation
FINDING = "finding"  # no link: somebody wants to know where they have an account
BY_STRANGERS = (PASSWORD, SIGN_UP, FINDING)  # a person who is not logged in can cause these mails

LIFE_SECONDS = 86400
KEY_LENGTH = 24
_USER = "user"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # 5 bits each: 120 in all


class OneTimeLink(msgspec.Struct, frozen=True):
    id: int
    purpose: str
    user_id: int | None
    email: str
    expires_at: float
    invitation_id: int | None = None  # with which somebody began to sign up
    asked_from: str = ""  # an address, or `asker` of an administrator who hands it over

    def maker_id(self) -> int | None:
        """Who hands it over, if it is not sent."""
        kind, _, number = self.asked_from.partition(" ")
        return int(number) if kind == _USER else None


def asker(user_id: int) -> str:
    return f"{_USER} {user_id}"


def new_key() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(KEY_LENGTH))
