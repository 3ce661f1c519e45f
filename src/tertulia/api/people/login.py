"""Login: a password for an API key or for a session."""

from typing import Annotated

from tertulia import actions, domain, storage
from tertulia.actions.people.login import EMAIL, VerifiedIdentity
from tertulia.api import audit, browser_sessions
from tertulia.api.call import Call
from tertulia.api.people import ldap_login, password_hashing
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import (
    DirectoryUnreachable,
    LoginFailed,
    LoginOrganizationDeactivated,
    PasswordLoginDisabled,
)
from tertulia.errors.people import InvalidEmail
from tertulia.http.ratelimit import address_bucket
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import AccountKey, UserId

NO_USER = 0  # no account has this id


class ApiKey(Reply):
    api_key: AccountKey
    email: Annotated[str, Doc("The real email address of the account.")]
    user_id: UserId


async def fetch_api_key(
    call: Call,
    *,
    username: Annotated[
        str, Doc("The email address, or the login name in LDAP.", example="ana@example.com")
    ],
    password: Annotated[str, Doc("The password.", example="tides rise at noon")],
) -> ApiKey:
    """Exchange a password for an API key.

    An unknown name takes as long, and gets the same message, as a wrong password.
    """
    async with audit.login(call, username):
        return await key_of(call, await identify(call, username, password))


async def fetch_own_key(call: Call, *, password: str = "") -> ApiKey:
    """The API key of a user who is logged in and sends the password again.

    The password is not needed if no user of the organization can have one.
    """
    uses_passwords = call.org.realm.admits_passwords or ldap_login.open_to(call)
    if uses_passwords and not await is_correct_password(call, call.user, password):
        raise BadRequest("Password is incorrect.", problem="password-incorrect")
    audit.record_as(call, "POST /fetch_api_key", call.user.id)
    sealed = await call.db.write(_sealed_key, call.user.id)
    return _key_response(call, call.user, sealed)


async def key_of(call: Call, who: VerifiedIdentity) -> ApiKey:
    """The API key of an authenticated user, if they may log in."""
    session_request = browser_sessions.app_session_request(call)
    user = await call.db.write(actions.people.login.log_in, who, session_request)
    sealed = await call.db.read(_sealed_key, user.id)
    return _key_response(call, user, sealed)


async def identify(call: Call, username: str, password: str, link: str = "") -> VerifiedIdentity:
    """The user of a name and password; raises LoginFailed, and RateLimited after many attempts.

    `link` is the key of an invitation link, for a user of a directory who has no account yet.
    Whether they may log in is checked later.
    """
    org = call.org
    directories = ldap_login.open_to(call)
    if not directories and not domain.people.user.looks_like_email(username):
        raise InvalidEmail()
    if org.realm.deactivated:
        raise LoginOrganizationDeactivated()
    if not org.realm.admits_passwords and not directories:
        raise PasswordLoginDisabled()
    attempt = await _count(call, username)
    trouble: ClientError = LoginFailed()
    found = None
    try:
        found = await ldap_login.identify(call, username, password, link)
    except DirectoryUnreachable as error:
        trouble = error
    if found is None:
        found = await _by_password(call, username, password)
    if found is None:
        raise trouble
    await call.db.write(actions.people.password_attempts.clear, *attempt)
    return found


async def is_right(call: Call, user: User, password: str) -> bool:
    """Whether a password is the user's; raises RateLimited after many attempts."""
    attempt = await _count(call, user.email)
    known = await call.db.read(storage.people.users.password_hash, user.id)
    is_right = await _matches(call, password, known)
    if is_right:
        await call.system_db.write(actions.people.password_attempts.clear, *attempt)
    return is_right


async def is_correct_password(call: Call, user: User, password: str) -> bool:
    """The same, also for passwords in a directory."""
    if not await ldap_login.manages(call, user.id):
        return await is_right(call, user, password)
    attempt = await _count(call, user.email)
    found = await ldap_login.identify(call, user.email, password)
    if found is None or found.user_id != user.id:
        return False
    await call.system_db.write(actions.people.password_attempts.clear, *attempt)
    return True


async def _by_password(call: Call, username: str, password: str) -> VerifiedIdentity | None:
    """The user of a password stored here. An unknown name takes as long as a known one."""
    user = call.org.accounts.with_email(username)
    user_id = NO_USER if user is None or user.is_bot else user.id
    is_elsewhere = await ldap_login.manages(call, user_id)
    known = await call.db.read(storage.people.users.password_hash, user_id)
    is_right = await _matches(call, password, known and domain.people.passwords.without_mark(known))
    if not is_right or is_elsewhere or not call.org.realm.admits_passwords:
        return None
    return VerifiedIdentity(EMAIL, user_id, call.request.client_address)


async def _matches(call: Call, password: str, known: str | None) -> bool:
    candidate = password[: domain.limits.MAX_PASSWORD_LENGTH + 1]
    return await password_hashing.matches(call.person, candidate, known)


async def _count(call: Call, username: str) -> tuple[bytes, str]:
    """Count an attempt before it is checked, so that of many concurrent ones only the allowed
    number is tried. Returns what it was counted for."""
    name = actions.people.password_attempts.name_hash(call.vault, username)
    address = address_bucket(call.request.client_address)
    await call.system_db.write(actions.people.password_attempts.count, name, address)
    return name, address


def _key_response(call: Call, user: User, sealed: bytes) -> ApiKey:
    return ApiKey(api_key=call.vault.unseal(sealed), email=user.email, user_id=user.id)


def _sealed_key(tx: Tx, user_id: int) -> bytes:
    sealed = storage.people.users.sealed_key(tx, user_id)
    if sealed is None:
        raise LoginFailed()
    return sealed
