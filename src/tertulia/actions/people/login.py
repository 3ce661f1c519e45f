"""Arriving: somebody whose identity was proven is let in, by whichever way they came.

Proving is done before, outside of any transaction, since it may be slow or ask another machine:
a password was right, a provider has vouched. Here it is decided whose account that is, and whether
it may be used. All ways in end here, so that none forgets a rule.
"""

from enum import Enum

import msgspec

from tertulia import actions, domain, events, storage
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
    PasswordEnded,
    PasswordLoginDisabled,
    SecondFactorMissing,
    SecondFactorNeeded,
)
from tertulia.events.types.people.user import PlaceholderClaimed

EMAIL = "Email"  # the method's name among the organization's `authentication_methods`
BY_PASSWORD = (EMAIL, "LDAP")  # where somebody may have to show a second factor, too


class VerifiedIdentity(msgspec.Struct, frozen=True):
    """Who somebody is, and how that was shown."""

    method: str
    user_id: int  # the account that was recognized
    address: str = ""  # from where; a browser brings its own
    is_complete: bool = False  # a second factor was shown, too
    elsewhere: ProviderSession | None = None  # which session it is at a provider

    @property
    def needs_more(self) -> bool:
        """Whether a second factor may be asked for."""
        return self.method in BY_PASSWORD and not self.is_complete


class MissingFactor(Enum):
    """What somebody who has a right password needs besides."""

    CODE = "a code"
    SETTING_UP = "a second factor to be set up"


class SessionRequest(msgspec.Struct, frozen=True):
    """What somebody comes with: a browser that gets a cookie, or an app that gets the key."""

    browser: Browser
    network: str  # from which it comes
    fingerprint: bytes | None = None  # of the new cookie; None for an app
    former: bytes | None = None  # the fingerprint of the cookie it came with, which ends
    letters: Vault | None = None  # to seal letters with; None where no mail is sent


def arrive(tx: Tx, who: VerifiedIdentity, entrance: SessionRequest) -> User:
    """The account, if it may be used now; a browser gets a session of its own."""
    user = _usable(tx, who)
    check_complete(tx, who)
    if entrance.former is not None:
        actions.people.sessions.log_out(tx, entrance.former)
    if entrance.fingerprint is not None:
        actions.people.sessions.begin(
            tx, user, entrance.fingerprint, entrance.browser, who.elsewhere
        )
    if storage.bulk_import.claim_stub(tx, user.id):
        knowing = actions.people.known_people.knowing(tx, user.id)
        events.log.announce(tx, PlaceholderClaimed(user.id), to=knowing)
    act = Act(LOGIN, user.id, entrance.browser.address, {"method": who.method})
    actions.organization.audit.note(tx, act)
    if entrance.letters is not None:
        place = (entrance.browser, entrance.network)
        actions.people.login_alerts.note(tx, entrance.letters, user, *place)
    return user


def lack(tx: Tx, who: VerifiedIdentity) -> MissingFactor | None:
    """What a right password does not show; None if it is enough. Raises as `arrive` does."""
    _usable(tx, who)
    if not who.needs_more:
        return None
    if storage.people.second_factors.of_user(tx, who.user_id).is_on:
        return MissingFactor.CODE
    is_required = storage.organization.current(tx).setting("require_second_factor")
    return MissingFactor.SETTING_UP if is_required else None


def check_complete(tx: Tx, who: VerifiedIdentity) -> None:
    """Raises if a password is not enough."""
    missing = lack(tx, who)
    if missing is not None:
        raise SecondFactorNeeded() if missing is MissingFactor.CODE else SecondFactorMissing()


def _usable(tx: Tx, who: VerifiedIdentity) -> User:
    """The account, if it may be used now."""
    check_method(tx, who.method)
    user = storage.people.find(tx, who.user_id)
    if user is None or user.is_bot:
        raise LoginFailed()
    if not user.is_active:
        raise LoginDeactivated()
    if who.method == EMAIL and domain.people.passwords.is_ended(
        storage.people.password_hash(tx, user.id)
    ):
        raise PasswordEnded()
    return user


def check_method(tx: Tx, method: str) -> None:
    """Raises if the organization is closed, or does not let people in this way."""
    realm = storage.organization.current(tx)
    if realm.deactivated:
        raise LoginOrganizationDeactivated()
    if not realm.admits(method):
        raise PasswordLoginDisabled() if method == EMAIL else MethodDisabled(method=method)
