"""One-time links: created, looked up while valid, and used once.

Opening the page does not use a link up, because virus scanners open every link in a mail.
"""

import math
from collections.abc import Sequence

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.one_time_links import BY_STRANGERS, LIFE_SECONDS, OneTimeLink
from tertulia.errors.authentication import LinkInvalid
from tertulia.errors.http import AttemptsExhausted

HOUR, DAY = 3600, 86400
AN_HOUR, A_DAY = 2, 5  # limits per user
MAX_PER_DAY_FROM_ADDRESS = 100  # enough for the first day of a whole office


def create(
    tx: Tx,
    vault: Vault,
    purpose: str,
    *,
    email: str,
    user_id: int | None,
    requested_from: str = "",
    invitation_id: int | None = None,
) -> str:
    """Create a link and return its key. Earlier ones for the same purpose become invalid."""
    if user_id is None:
        storage.people.one_time_links.expire_for_address(tx, purpose, email)
    else:
        storage.people.one_time_links.expire(tx, purpose, user_id)
    key = domain.people.one_time_links.new_key()
    storage.people.one_time_links.insert(
        tx,
        purpose,
        fingerprint(vault, key),
        user_id,
        email,
        requested_from,
        tx.now + LIFE_SECONDS,
        invitation_id,
    )
    return key


def record_request_without_account(tx: Tx, purpose: str, email: str, requested_from: str) -> None:
    """Record a request for which no link is made. Takes as long as making one."""
    storage.people.one_time_links.expire_for_address(tx, purpose, email)
    storage.people.one_time_links.insert(
        tx, purpose, None, None, email, requested_from, tx.now + LIFE_SECONDS
    )


def record_mail(tx: Tx, purpose: str, email: str, user_id: int) -> None:
    """Record that a user had a mail sent to an address."""
    storage.people.one_time_links.insert(
        tx, purpose, None, user_id, email, "", tx.now + LIFE_SECONDS
    )


def get(tx: Tx, vault: Vault, purpose: str, key: str) -> OneTimeLink:
    """A valid link. Raises LinkInvalid."""
    found = storage.people.one_time_links.find(tx, purpose, fingerprint(vault, key))
    if found is None:
        raise LinkInvalid()
    return found


def fingerprint(vault: Vault, key: str) -> bytes:
    return vault.fingerprint(f"link {key}")


def check_rate_of_address(tx: Tx, purpose: str, email: str, requested_from: str) -> None:
    """Raise RateLimited if too many mails go to one address, or are requested from one.

    All mails that visitors without a login can cause share one counter per recipient.
    """
    since = tx.now - DAY
    _check(tx, storage.people.one_time_links.requests_for(tx, BY_STRANGERS, email, since))
    from_there = storage.people.one_time_links.requests_from(tx, purpose, requested_from, since)
    _bound(tx, from_there, MAX_PER_DAY_FROM_ADDRESS, DAY)


def check_rate_of_user(tx: Tx, purpose: str, user_id: int) -> None:
    """Raise RateLimited if a user requests too many."""
    _check(tx, storage.people.one_time_links.requests_by(tx, purpose, user_id, tx.now - DAY))


def delete_expired(tx: Tx) -> None:
    storage.people.one_time_links.delete_before(tx, tx.now - DAY)


def _check(tx: Tx, moments: Sequence[float]) -> None:
    _bound(tx, [each for each in moments if each > tx.now - HOUR], AN_HOUR, HOUR)
    _bound(tx, moments, A_DAY, DAY)


def _bound(tx: Tx, moments: Sequence[float], limit: int, seconds: float) -> None:
    if len(moments) >= limit:
        raise AttemptsExhausted(retry_after=math.ceil(moments[-limit] + seconds - tx.now))
