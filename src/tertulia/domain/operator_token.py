"""Tokens for the operator's page: signed with the server's secret, valid until a time.

Nothing is stored. A new secret ends all of them. The token of a link opens a session; that of a
session, which is in a cookie, opens no other, so that a session cannot be extended.
"""

import hmac
from typing import Literal

from tertulia.domain.people.keys import Vault

PATH = "/operator/"
LINK_SECONDS = 3600
COOKIE_SECONDS = 12 * 3600


Kind = Literal["link", "session"]


def create(vault: Vault, expires_at: float, kind: Kind = "link") -> str:
    expiry = str(int(expires_at))
    return f"{expiry}-{vault.signature(f'operator {kind} {expiry}')}"


def is_valid(vault: Vault, token: str, now: float, kind: Kind = "link") -> bool:
    expiry = token.partition("-")[0]
    if not (expiry.isascii() and expiry.isdecimal() and len(expiry) < 12):
        return False
    return hmac.compare_digest(token.encode(), create(vault, int(expiry), kind).encode()) and (
        now < int(expiry)
    )
