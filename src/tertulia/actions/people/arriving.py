"""Arriving: somebody whose identity was proven is let in, by whichever way they came.

Proving is done before, outside of any transaction, since it may be slow or ask another machine:
a password was right, a provider has vouched. Here it is decided whose account that is, and whether
it may be used. All ways in end here, so that none forgets a rule.
"""

from dataclasses import dataclass

from tertulia import actions, events, storage
from tertulia.domain.organization.audit import LOGIN, Act
from tertulia.domain.people.sessions import Browser
from tertulia.domain.people.user import User
from tertulia.errors.authentication import (
    LoginDeactivated,
    LoginFailed,
    LoginOrganizationDeactivated,
    MethodDisabled,
    PasswordLoginDisabled,
)
from tertulia.events.types.people.user import StubClaimed
from tertulia.storage.database.tx import Tx

EMAIL = "Email"  # the method's name among the organization's `authentication_methods`


@dataclass(frozen=True, slots=True)
class ProvenIdentity:
    """Who somebody is, and how that was shown."""

    method: str
    user_id: int  # the account that was recognized
    address: str = ""  # from where; a browser brings its own


@dataclass(frozen=True, slots=True)
class Entrance:
    """A browser that is to be let in: what it is, and the fingerprint of its new cookie."""

    browser: Browser
    fingerprint: bytes
    former: bytes | None = None  # the fingerprint of the cookie it came with, which ends


def arrive(tx: Tx, who: ProvenIdentity, entrance: Entrance | None = None) -> User:
    """The account, if it may be used now; a browser gets a session of its own."""
    check_method(tx, who.method)
    user = storage.people.find(tx, who.user_id)
    if user is None or user.is_bot:
        raise LoginFailed()
    if not user.is_active:
        raise LoginDeactivated()
    if entrance is not None:
        if entrance.former is not None:
            actions.people.sessions.log_out(tx, entrance.former)
        actions.people.sessions.begin(tx, user, entrance.fingerprint, entrance.browser)
    if storage.arriving.claim_stub(tx, user.id):
        knowing = actions.people.known_people.knowing(tx, user.id)
        events.log.announce(tx, StubClaimed(user.id), to=knowing)
    address = who.address or ("" if entrance is None else entrance.browser.address)
    act = Act(LOGIN, user.id, address, {"method": who.method})
    actions.organization.audit.note(tx, act)
    return user


def check_method(tx: Tx, method: str) -> None:
    """Raises if the organization is closed, or does not let people in this way."""
    realm = storage.organization.current(tx)
    if realm.deactivated:
        raise LoginOrganizationDeactivated()
    if not realm.admits(method):
        raise PasswordLoginDisabled() if method == EMAIL else MethodDisabled(method=method)
