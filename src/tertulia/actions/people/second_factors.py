"""Second factors: managed by their owner, and verified after a password.

They apply to passwords, including those of a directory. A login provider has its own checks.
"""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from tertulia import actions, domain, storage
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.second_factors import CodeApp, Passkey
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import OwnerRequired, PasskeyNotFound, WrongCode
from tertulia.errors.http import AttemptsExhausted
from tertulia.errors.people import UserNotFound

WINDOW_SECONDS = 1800
FROM_ONE_ADDRESS = 5
ALL_ADDRESSES = 20  # an attacker here knows the password, so strangers cannot lock a user out
WARN_AT_ATTEMPT = 5  # the attempt after which the owner is notified


# --- verification ---


def count(tx: Tx, vault: Vault, user_id: int, address: str, sends_mail: bool) -> None:
    """Count one attempt before it is checked. Raises RateLimited.

    Someone who guesses codes knows the password, so the owner is notified.
    """
    name, since = _name(vault, user_id), tx.now - WINDOW_SECONDS
    nth_last = storage.people.password_attempts.nth_last
    here = nth_last(tx, name, FROM_ONE_ADDRESS, since, address)
    anywhere = nth_last(tx, name, ALL_ADDRESSES, since)
    reached = [moment for moment in (here, anywhere) if moment is not None]
    if reached:
        raise AttemptsExhausted(retry_after=math.ceil(max(reached) - since))
    before = [
        nth_last(tx, name, number, since) for number in (WARN_AT_ATTEMPT - 1, WARN_AT_ATTEMPT)
    ]
    storage.people.password_attempts.insert(tx, name, address)
    user = storage.people.find(tx, user_id)
    if user is not None and before[0] is not None and before[1] is None:
        _mail_owner(tx, vault, user, "second-factor-guessed", sends_mail)


def show_code(
    tx: Tx, vault: Vault, who: VerifiedIdentity, code: str, address: str
) -> VerifiedIdentity:
    """Verify a code and use it up. Raises WrongCode."""
    if not _consume(tx, vault, who.user_id, code):
        raise WrongCode()
    return _shown(tx, vault, who, address)


def show_passkey(
    tx: Tx, vault: Vault, who: VerifiedIdentity, passkey: Passkey, sign_count: int, address: str
) -> VerifiedIdentity:
    """Record a verified passkey. Raises WrongCode if it was copied or deleted.

    A device that counts its signatures never repeats a number.
    """
    stale = passkey.sign_count and sign_count <= passkey.sign_count
    if stale or not storage.people.second_factors.record_passkey_use(
        tx, passkey.id, passkey.sign_count, sign_count
    ):
        raise WrongCode()
    return _shown(tx, vault, who, address)


def unlock(tx: Tx, vault: Vault, user_id: int) -> int:
    """Clear the attempts of a user. Returns their number."""
    return storage.people.password_attempts.delete(tx, _name(vault, user_id))


def _shown(tx: Tx, vault: Vault, who: VerifiedIdentity, address: str) -> VerifiedIdentity:
    storage.people.password_attempts.delete(tx, _name(vault, who.user_id), address)
    return replace(who, is_complete=True)


def _consume(tx: Tx, vault: Vault, user_id: int, code: str) -> bool:
    app = storage.people.second_factors.app(tx, user_id)
    if app is not None:
        secret = vault.unseal(app.sealed)
        step = domain.people.second_factors.step_of(secret, code, tx.now, app.last_step)
        if step is not None:
            return storage.people.second_factors.consume_step(tx, user_id, step)
    code_hash = domain.people.second_factors.recovery_hash(user_id, code)
    return storage.people.second_factors.consume_recovery_code(tx, user_id, code_hash)


def _name(vault: Vault, user_id: int) -> bytes:
    return vault.fingerprint(f"second factor of {user_id}")


# --- management ---


def set_up_app(
    tx: Tx, vault: Vault, user: User, secret: str, code: str, sends_mail: bool
) -> list[str]:
    """Set an authenticator app whose first code is right; replaces the current one.

    Returns recovery codes if it is the user's first second factor.
    """
    step = domain.people.second_factors.step_of(secret, code, tx.now, last_step=0)
    if step is None:
        raise WrongCode()
    codes = _first_codes(tx, vault, user, sends_mail)
    storage.people.second_factors.store_app(tx, user.id, CodeApp(vault.seal(secret), step))
    return codes


def add_passkey(
    tx: Tx,
    vault: Vault,
    user: User,
    name: str,
    credential: bytes,
    sign_count: int,
    sends_mail: bool,
) -> list[str]:
    """Add a passkey. Returns recovery codes if it is the user's first second factor."""
    known = storage.people.second_factors.passkeys(tx, user.id)
    if len(known) >= domain.limits.MAX_PASSKEYS:
        raise BadRequest(
            "One can have at most {limit} passkeys.",
            problem="too-many-passkeys",
            limit=domain.limits.MAX_PASSKEYS,
        )
    if any(each.credential == credential for each in known):
        raise BadRequest("This passkey is there already.", problem="passkey-exists")
    codes = _first_codes(tx, vault, user, sends_mail)
    storage.people.second_factors.insert_passkey(tx, user.id, name, credential, sign_count)
    return codes


def remove_passkey(tx: Tx, vault: Vault, user: User, passkey_id: int, sends_mail: bool) -> None:
    known = storage.people.second_factors.of_user(tx, user.id)
    if passkey_id not in {each.id for each in known.passkeys}:
        raise PasskeyNotFound()
    if not known.has_app and len(known.passkeys) == 1:
        remove(tx, vault, user, sends_mail)
    storage.people.second_factors.delete_passkey(tx, user.id, passkey_id)


def renew_recovery_codes(tx: Tx, user: User) -> list[str]:
    """Create new recovery codes. The old ones become invalid."""
    if not storage.people.second_factors.of_user(tx, user.id).is_enabled:
        raise BadRequest("There is no second factor yet.", problem="no-second-factor")
    return _issue_codes(tx, user)


def remove(tx: Tx, vault: Vault, user: User, sends_mail: bool) -> None:
    """Remove all second factors, unless the organization requires one."""
    _check_not_required(tx)
    _end(tx, vault, user, sends_mail)


def reset(tx: Tx, vault: Vault, actor: User | None, user_id: int, sends_mail: bool) -> User:
    """Remove a user's lost second factors; `actor` is None for the operator.

    If the organization requires one, the user sets it up at the next login.
    """
    user = storage.people.find(tx, user_id)
    if actor is not None:
        actions.groups.permissions.require_administrator(tx, actor)
    if user is None or user.is_bot:
        raise UserNotFound()
    if actor is not None and user.is_owner and not actor.is_owner:
        raise OwnerRequired()
    _end(tx, vault, user, sends_mail)
    return user


def _check_not_required(tx: Tx) -> None:
    if storage.organization.current(tx).setting("require_second_factor"):
        raise BadRequest(
            "This organization requires a second factor.", problem="second-factor-required"
        )


def _first_codes(tx: Tx, vault: Vault, user: User, sends_mail: bool) -> list[str]:
    if storage.people.second_factors.of_user(tx, user.id).is_enabled:
        return []
    _mail_owner(tx, vault, user, "second-factor-on", sends_mail)
    return _issue_codes(tx, user)


def _issue_codes(tx: Tx, user: User) -> list[str]:
    codes = domain.people.second_factors.new_recovery_codes()
    _store(tx, user.id, codes)
    return codes


def _store(tx: Tx, user_id: int, codes: Sequence[str]) -> None:
    hashes = [domain.people.second_factors.recovery_hash(user_id, code) for code in codes]
    storage.people.second_factors.store_recovery_codes(tx, user_id, hashes)


def _end(tx: Tx, vault: Vault, user: User, sends_mail: bool) -> None:
    if storage.people.second_factors.of_user(tx, user.id).is_enabled:
        _mail_owner(tx, vault, user, "second-factor-off", sends_mail)
    storage.people.second_factors.delete(tx, user.id)
    unlock(tx, vault, user.id)


def _mail_owner(tx: Tx, vault: Vault, user: User, kind: str, sends_mail: bool) -> None:
    """Notify the owner of the account by mail, who may not be the acting person."""
    if sends_mail:
        realm = storage.organization.current(tx)
        values = {"organization": realm.name, "name": user.full_name}
        mail = Email(kind, user.email, domain.emails.language_of(user), values)
        actions.mail_outbox.enqueue(tx, vault, mail)
