"""Logging in: a password for a key, or for a session."""

from tertulia import actions, api, domain, storage
from tertulia.actions.people.arriving import EMAIL, ProvenIdentity
from tertulia.api.call import Call
from tertulia.errors.authentication import (
    LoginFailed,
    LoginOrganizationDeactivated,
    PasswordLoginDisabled,
)
from tertulia.errors.people import InvalidEmail
from tertulia.http.ratelimit import neighbourhood
from tertulia.http.replies import Reply
from tertulia.storage.database.tx import Tx


class ApiKey(Reply):
    api_key: str
    email: str
    user_id: int


async def fetch_api_key(call: Call, *, username: str, password: str) -> ApiKey:
    """Exchange a password for an API key.

    An unknown name takes as long, and is answered in the same words, as a wrong password.
    """
    async with api.recording.login(call, username):
        who = await identify(call, username, password)
        user = await call.db.write(actions.people.arriving.arrive, who)
    sealed = await call.db.read(_sealed_key, user.id)
    return ApiKey(api_key=call.services.vault.unseal(sealed), email=user.email, user_id=user.id)


async def identify(call: Call, username: str, password: str) -> ProvenIdentity:
    """Whose name and password these are; raises LoginFailed, and RateLimited for one who guesses.

    Whether they may come in is for `arriving.arrive` to say.
    """
    org = call.org
    if not domain.people.user.looks_like_email(username):
        raise InvalidEmail()
    if org.realm.deactivated:
        raise LoginOrganizationDeactivated()
    if not org.realm.admits_passwords:
        raise PasswordLoginDisabled()
    user = org.user_with_email(username)
    user_id = None if user is None or user.is_bot else user.id
    if not await is_right(call, username, user_id, password) or user_id is None:
        raise LoginFailed()
    return ProvenIdentity(EMAIL, user_id, call.request.client_address)


async def is_right(call: Call, username: str, user_id: int | None, password: str) -> bool:
    """Whether a password is that of an account; raises RateLimited if it was tried too often.

    The attempt is counted first, so that of many at once no more than the allowed ones are tried.
    """
    name = call.vault.fingerprint(f"name {username.strip().casefold()}")
    address = neighbourhood(call.request.client_address)
    await call.db.write(actions.people.password_attempts.count, name, address)
    known = None
    if user_id is not None:
        known = await call.db.read(storage.people.password_hash, user_id)
    candidate = password[: domain.limits.PASSWORD_LENGTH + 1]
    is_right = await api.people.hashing.matches(candidate, known)
    if is_right:
        await call.db.write(actions.people.password_attempts.clear, name, address)
    return is_right


def _sealed_key(tx: Tx, user_id: int) -> bytes:
    sealed = storage.people.sealed_key(tx, user_id)
    if sealed is None:
        raise LoginFailed()
    return sealed
