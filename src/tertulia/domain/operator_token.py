"""Tokens for the operator's page: signed with the server's secret, valid until a time.

Nothing is stored. A new secret ends all of them.
"""

import hmac

from tertulia.domain.people.keys import Vault

PATH = "/operator/"
LINK_SECONDS = 3600
COOKIE_SECONDS = 12 * 3600


def create(vault: Vault, expires_at: float) -> str:
    expiry = str(int(expires_at))
    return f"{expiry}-{vault.signature(f'operator {expiry}')}"


def is_valid(vault: Vault, token: str, now: float) -> bool:
    expiry = token.partition("-")[0]
    if not (expiry.isascii() and expiry.isdecimal() and len(expiry) < 12):
        return False
    return hmac.compare_digest(token.encode(), create(vault, int(expiry)).encode()) and (
        now < int(expiry)
    )
