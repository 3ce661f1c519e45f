"""Login alerts: a mail about a login from a new location.

A location is a network and a kind of browser. It is remembered for two months after its last use.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from tertulia import domain, locale, storage
from tertulia.actions import outbox
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import Browser
from tertulia.domain.people.user import User

KNOWN_SECONDS = 60 * 86400
SETTLING_SECONDS = 60  # no alert for the first login of a new user


def record_login(tx: Tx, vault: Vault, user: User, browser: Browser, network: str) -> None:
    """Send a mail if the location is new and the user wants alerts."""
    kind = domain.people.sessions.described(browser.agent)
    mark = vault.fingerprint(f"login from {network} by {kind}")
    is_known = storage.people.sessions.record(tx, user.id, mark)
    has_just_joined = tx.now - user.joined_at < SETTLING_SECONDS
    if is_known or has_just_joined or not user.prefers("enable_login_emails"):
        return
    values = {
        "organization": storage.organization.realms.current(tx).name,
        "name": user.full_name,
        "when": _local_time(tx.now, user),
        "address": browser.address,
        "browser": kind,
    }
    mail = Email("login", user.email, domain.emails.language_of(user), values)
    outbox.enqueue_mail(tx, vault, mail)


def delete_expired(tx: Tx) -> None:
    storage.people.sessions.delete_before(tx, tx.now - KNOWN_SECONDS)


def _local_time(now: float, user: User) -> str:
    zone = user.timezone or "UTC"
    moment = datetime.fromtimestamp(now, ZoneInfo(zone))
    language = domain.emails.language_of(user)
    return locale.texts(language).moment(moment, zone)
