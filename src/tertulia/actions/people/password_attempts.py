"""How often a password may be tried: counted before it is looked at, whoever asks, on any server.

Few times for one name from one address; for one name from everywhere many more, so that nobody is
locked out by a stranger who guesses. A right password clears what its own address has tried.
"""

import math

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.errors.http import AttemptsExhausted

WINDOW_SECONDS = 1800
FROM_ONE_ADDRESS = 5
FROM_EVERYWHERE = 100


def name_hash(vault: Vault, name: str) -> bytes:
    """What is kept of a name that was tried: it may be a password that was typed in its place."""
    return vault.fingerprint(f"name {domain.people.user.email_key(name)}")


def entry_hash(vault: Vault, provider: str, subject: str) -> bytes:
    """The same for somebody whom a directory knows by several names."""
    return name_hash(vault, f"{provider} {subject}")


def count(tx: Tx, name_hash: bytes, address: str) -> None:
    """Count one attempt, or raise RateLimited if there were too many."""
    since = tx.now - WINDOW_SECONDS
    here = storage.people.password_attempts.nth_last(
        tx, name_hash, FROM_ONE_ADDRESS, since, address
    )
    anywhere = storage.people.password_attempts.nth_last(tx, name_hash, FROM_EVERYWHERE, since)
    reached = [moment for moment in (here, anywhere) if moment is not None]
    if reached:
        raise AttemptsExhausted(retry_after=math.ceil(max(reached) - since))
    storage.people.password_attempts.insert(tx, name_hash, address)


def clear(tx: Tx, name_hash: bytes, address: str) -> None:
    """The password was right: what was tried before it from there is forgiven."""
    storage.people.password_attempts.forget(tx, name_hash, address)


def unlock(tx: Tx, vault: Vault, user: User) -> int:
    """Forgive what was tried for somebody from everywhere; says how often that was."""
    found = storage.people.identities.of_user(tx, user.id)
    entries = [entry_hash(vault, identity.provider, identity.subject) for identity in found]
    names = [name_hash(vault, user.email), *entries]
    return max(storage.people.password_attempts.forget(tx, name) for name in names)


def forget_old(tx: Tx) -> None:
    storage.people.password_attempts.forget_before(tx, tx.now - WINDOW_SECONDS)
