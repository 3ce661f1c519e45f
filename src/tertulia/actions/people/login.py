"""Login: admits a user whose identity was verified, by any method.

Verification happens before, outside of a transaction, because it may be slow or ask another server:
a password was right, or a provider has confirmed the user. This module decides whether the account
may be used. Every login method ends here, so that none can skip a rule.
"""

from enum import Enum

import msgspec

from tertulia import domain, events, storage
from tertulia.actions.organization import audit
from tertulia.actions.people import known_people, login_alerts, sessions
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import LOGIN, Act
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import Browser, ProviderSession
from tertulia.domain.people.user import User
from tertulia.errors.authentication import (
    LoginDeactivated,
    LoginFailed,
    LoginOrganizationDeactivated,
    MethodDisabled,
    PasswordExpired,
    PasswordLoginDisabled,
    SecondFactorMissing,
    SecondFactorNeeded,
)
from tertulia.events.types.people.user import PlaceholderClaimed

EMAIL = "Email"  # its name in the setting `authentication_methods`
BY_PASSWORD = (EMAIL, "LDAP")  # methods that may require a second factor


class VerifiedIdentity(msgspec.Struct, frozen=True):
    """A user, and how they were authenticated."""

    method: str
    user_id: int  # the account
    address: str = ""  # IP address of an app; a browser has its own
    is_complete: bool = False  # a second factor was verified too
    provider_session: ProviderSession | None = None  # the session at the login provider

    @property
    def needs_more(self) -> bool:
        """Whether a second factor may be required."""
        return self.method in BY_PASSWORD and not self.is_complete


class MissingFactor(Enum):
    """What a user needs besides the right password."""

    CODE = "a code"
    SETTING_UP = "a second factor to be set up"


class SessionRequest(msgspec.Struct, frozen=True):
    """A login request of a browser, which gets a cookie, or of an app, which gets the API key."""

    browser: Browser
    network: str  # the client's network
    fingerprint: bytes | None = None  # of the new cookie; None for an app
    former: bytes | None = None  # fingerprint of the old cookie, whose session ends
    mail_vault: Vault | None = None  # to encrypt mails; None if no mail is sent


def log_in(tx: Tx, who: VerifiedIdentity, session: SessionRequest) -> User:
    """Log in to the account, if it may be used now. A browser gets a session."""
    user = _usable(tx, who)
    check_complete(tx, who)
    if session.former is not None:
        sessions.log_out(tx, session.former)
    if session.fingerprint is not None:
        sessions.start(tx, user, session.fingerprint, session.browser, who.provider_session)
    if storage.bulk_import.claim_stub(tx, user.id):
        knowing = known_people.audience_knowing(tx, user.id)
        events.log.announce(tx, PlaceholderClaimed(user.id), to=knowing)
    act = Act(LOGIN, user.id, session.browser.address, {"method": who.method})
    audit.record(tx, act)
    if session.mail_vault is not None:
        origin = (session.browser, session.network)
        login_alerts.record_login(tx, session.mail_vault, user, *origin)
    return user


def missing_factor(tx: Tx, who: VerifiedIdentity) -> MissingFactor | None:
    """The missing factor; None if the password is enough. Raises like `arrive`."""
    _usable(tx, who)
    if not who.needs_more:
        return None
    if storage.people.second_factors.of_user(tx, who.user_id).is_enabled:
        return MissingFactor.CODE
    is_required = storage.organization.realms.current(tx).setting("require_second_factor")
    return MissingFactor.SETTING_UP if is_required else None


def check_complete(tx: Tx, who: VerifiedIdentity) -> None:
    """Raise if a second factor is missing."""
    missing = missing_factor(tx, who)
    if missing is not None:
        raise SecondFactorNeeded() if missing is MissingFactor.CODE else SecondFactorMissing()


def _usable(tx: Tx, who: VerifiedIdentity) -> User:
    """The account, if it may be used now."""
    check_method(tx, who.method)
    user = storage.people.users.find(tx, who.user_id)
    if user is None or user.is_bot:
        raise LoginFailed()
    if not user.is_active:
        raise LoginDeactivated()
    if who.method == EMAIL and domain.people.passwords.is_ended(
        storage.people.users.password_hash(tx, user.id)
    ):
        raise PasswordExpired()
    return user


def check_method(tx: Tx, method: str) -> None:
    """Raise if the organization is deactivated or does not allow this method."""
    realm = storage.organization.realms.current(tx)
    if realm.deactivated:
        raise LoginOrganizationDeactivated()
    if not realm.admits(method):
        raise PasswordLoginDisabled() if method == EMAIL else MethodDisabled(method=method)
