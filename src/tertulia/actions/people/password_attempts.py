"""Limits of password attempts, counted before the password is checked, across all servers.

There is a low limit for one name from one IP address, and a much higher one for one name from all
addresses, so that an attacker cannot lock a user out. A right password clears the attempts of its
address.
"""

import math

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.errors.http import AttemptsExhausted

WINDOW_SECONDS = 1800
FROM_ONE_ADDRESS = 5
ALL_ADDRESSES = 100


def name_hash(vault: Vault, name: str) -> bytes:
    """A hash of the name, because users may type a password in its place."""
    return vault.fingerprint(f"name {domain.people.user.email_key(name)}")


def entry_hash(vault: Vault, provider: str, subject: str) -> bytes:
    """The same for a directory user, who may have several names."""
    return name_hash(vault, f"{provider} {subject}")


def count(tx: Tx, name_hash: bytes, address: str) -> None:
    """Count one attempt. Raises RateLimited if there were too many."""
    since = tx.now - WINDOW_SECONDS
    here = storage.people.password_attempts.nth_last(
        tx, name_hash, FROM_ONE_ADDRESS, since, address
    )
    anywhere = storage.people.password_attempts.nth_last(tx, name_hash, ALL_ADDRESSES, since)
    reached = [moment for moment in (here, anywhere) if moment is not None]
    if reached:
        raise AttemptsExhausted(retry_after=math.ceil(max(reached) - since))
    storage.people.password_attempts.insert(tx, name_hash, address)


def clear(tx: Tx, name_hash: bytes, address: str) -> None:
    """The password was right: clear the attempts of this name from this address."""
    storage.people.password_attempts.delete(tx, name_hash, address)


def unlock(tx: Tx, vault: Vault, user: User) -> int:
    """Clear the attempts of a user from all addresses. Returns their number."""
    found = storage.people.identities.of_user(tx, user.id)
    entries = [entry_hash(vault, identity.provider, identity.subject) for identity in found]
    names = [name_hash(vault, user.email), *entries]
    return max(storage.people.password_attempts.delete(tx, name) for name in names)


def delete_expired(tx: Tx) -> None:
    storage.people.password_attempts.delete_before(tx, tx.now - WINDOW_SECONDS)
