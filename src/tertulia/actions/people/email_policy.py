"""Email policy: which addresses an organization accepts, by domain and without disposable ones."""

from enum import Enum
from functools import cache

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.mail_domains import RESTRICTION


class Rejection(Enum):
    """Why an address is rejected."""

    INVALID = "Invalid address."
    OUTSIDE = "Outside your domain."
    PLUS = "Email addresses containing + are not allowed."
    DISPOSABLE = "Please use your real email address."


def rejection_reason(tx: Tx, email: str) -> Rejection | None:
    realm = storage.organization.realms.current(tx)
    if not domain.people.user.looks_like_email(email):
        return Rejection.INVALID
    if realm.setting(RESTRICTION):
        domains = storage.organization.mail_domains.list_all(tx)
        if not domain.organization.mail_domains.is_allowed(email, domains):
            return Rejection.OUTSIDE
        if "+" in email.rpartition("@")[0]:
            return Rejection.PLUS
    elif realm.setting("disallow_disposable_email_addresses") and _is_disposable(email):
        return Rejection.DISPOSABLE
    return None


def _is_disposable(email: str) -> bool:
    labels = domain.people.user.email_key(email).rpartition("@")[2].split(".")
    known = _disposable_domains()
    return any(".".join(labels[at:]) in known for at in range(len(labels) - 1))


@cache
def _disposable_domains() -> frozenset[str]:
    """Some thousands; imported on first use."""
    from disposable_email_domains import blocklist

    return frozenset(blocklist)
