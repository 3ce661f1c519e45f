"""Pending logins: stored while the browser is at the provider, so that any server can finish them.

A login is identified by a state parameter that passes through the provider, and is bound to the
browser that started it: another browser with a stolen URL cannot finish it. It can be used once.
"""

from tertulia import storage
from tertulia.actions.people import login
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.database.tx import Tx
from tertulia.errors.authentication import LoginExpired

EXPIRY_SECONDS = 900
TOKEN_SECONDS = 15


def start(
    tx: Tx, state_hash: bytes, browser_hash: bytes, sealed: bytes, user_id: int | None = None
) -> None:
    """Store a login. `user_id` is its user, if known."""
    storage.people.pending_logins.save(tx, state_hash, browser_hash, sealed, user_id)


def resume(tx: Tx, state_hash: bytes, browser_hash: bytes) -> bytes:
    """The stored login, which is deleted. Raises LoginExpired."""
    since = tx.now - EXPIRY_SECONDS
    sealed = storage.people.pending_logins.consume(tx, state_hash, browser_hash, since)
    if sealed is None:
        raise LoginExpired()
    return sealed


def issue_token(tx: Tx, who: VerifiedIdentity, token_hash: bytes) -> None:
    """Let another program on the same machine finish the login with a token that is valid for
    seconds."""
    login.check_method(tx, who.method)
    login.check_complete(tx, who)
    storage.people.pending_logins.store_token(tx, token_hash, who.user_id, who.method)


def redeem_token(tx: Tx, token_hash: bytes, address: str) -> VerifiedIdentity:
    """The user of a token. Raises LoginExpired."""
    found = storage.people.pending_logins.consume_token(tx, token_hash, tx.now - TOKEN_SECONDS)
    if found is None:
        raise LoginExpired()
    user_id, method = found
    return VerifiedIdentity(method, user_id, address, is_complete=True)


def delete_expired(tx: Tx) -> None:
    storage.people.pending_logins.delete_before(tx, tx.now - EXPIRY_SECONDS, tx.now - TOKEN_SECONDS)
