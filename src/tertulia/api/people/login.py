"""Logging in: a password for a key."""

from tertulia import api, domain, storage
from tertulia.api.call import Call
from tertulia.errors.authentication import (
    LoginDeactivated,
    LoginFailed,
    LoginOrganizationDeactivated,
    PasswordLoginDisabled,
)
from tertulia.errors.http import RateLimited
from tertulia.errors.people import InvalidEmail
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
    org = call.org
    if not domain.people.user.looks_like_email(username):
        raise InvalidEmail()
    if org.realm.deactivated:
        raise LoginOrganizationDeactivated()
    if not org.realm.admits_passwords:
        raise PasswordLoginDisabled()

    attempt = (org.realm.id, username.casefold())
    _check_attempts(call, attempt)
    user = org.user_with_email(username)
    known = None
    if user is not None and not user.is_bot:
        known = await call.db.read(storage.people.password_hash, user.id)
    candidate = password[: domain.limits.PASSWORD_LENGTH + 1]
    right = await api.people.hashing.matches(candidate, known)
    if not right or user is None:
        if call.password_attempts is not None:
            call.password_attempts.check(attempt)
        raise LoginFailed()
    if not user.is_active:
        raise LoginDeactivated()
    if call.password_attempts is not None:
        call.password_attempts.clear(attempt)
    sealed = await call.db.read(_sealed_key, user.id)
    return ApiKey(api_key=call.services.vault.unseal(sealed), email=user.email, user_id=user.id)


def _check_attempts(call: Call, attempt: tuple[int, str]) -> None:
    if call.password_attempts is not None:
        decision = call.password_attempts.peek(attempt)
        if not decision.is_allowed:
            raise RateLimited(retry_after=decision.retry_after)


def _sealed_key(tx: Tx, user_id: int) -> bytes:
    sealed = storage.people.sealed_key(tx, user_id)
    if sealed is None:
        raise LoginFailed()
    return sealed
