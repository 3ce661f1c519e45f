"""Second factors: managed by their owner, and verified after a password.

They apply to passwords, including those of a directory. A login provider has its own checks. The
core reads at a login from `storage/people/second_factors.py` whether there is one.
"""

import math
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec.structs import replace

from tertulia import actions, api, domain, storage
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.second_factors import CodeApp, Passkey
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import OwnerRequired, PasskeyNotFound, WrongCode
from tertulia.errors.http import AttemptsExhausted
from tertulia.errors.people import UserNotFound
from tertulia.http.parameter_rules import MaxLength, NoNul
from tertulia.http.ratelimit import address_bucket
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import CreationTime, LastUsed, UserId

# --- actions ---


WINDOW_SECONDS = 1800
FROM_ONE_ADDRESS = 5
ALL_ADDRESSES = 20  # an attacker here knows the password, so strangers cannot lock a user out
WARN_AT_ATTEMPT = 5  # the attempt after which the owner is notified


# --- verification ---


def count_attempt(tx: Tx, vault: Vault, user_id: int, address: str, sends_mail: bool) -> None:
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
    user = storage.people.users.find(tx, user_id)
    if user is not None and before[0] is not None and before[1] is None:
        _mail_owner(tx, vault, user, "second-factor-guessed", sends_mail)


def verify_code(
    tx: Tx, vault: Vault, who: VerifiedIdentity, code: str, address: str
) -> VerifiedIdentity:
    """Verify a code and use it up. Raises WrongCode."""
    if not _consume(tx, vault, who.user_id, code):
        raise WrongCode()
    return _shown(tx, vault, who, address)


def verify_passkey(
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


def store_app(
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
        remove_all(tx, vault, user, sends_mail)
    storage.people.second_factors.delete_passkey(tx, user.id, passkey_id)


def replace_recovery_codes(tx: Tx, user: User) -> list[str]:
    """Create new recovery codes. The old ones become invalid."""
    if not storage.people.second_factors.of_user(tx, user.id).is_enabled:
        raise BadRequest("There is no second factor yet.", problem="no-second-factor")
    return _issue_codes(tx, user)


def remove_all(tx: Tx, vault: Vault, user: User, sends_mail: bool) -> None:
    """Remove all second factors, unless the organization requires one."""
    _check_not_required(tx)
    _end(tx, vault, user, sends_mail)


def reset_of_user(tx: Tx, vault: Vault, actor: User | None, user_id: int, sends_mail: bool) -> User:
    """Remove a user's lost second factors; `actor` is None for the operator.

    If the organization requires one, the user sets it up at the next login.
    """
    user = storage.people.users.find(tx, user_id)
    if actor is not None:
        actions.groups.permissions.require_administrator(tx, actor)
    if user is None or user.is_bot:
        raise UserNotFound()
    if actor is not None and user.is_owner and not actor.is_owner:
        raise OwnerRequired()
    _end(tx, vault, user, sends_mail)
    return user


def _check_not_required(tx: Tx) -> None:
    if storage.organization.realms.current(tx).setting("require_second_factor"):
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
        realm = storage.organization.realms.current(tx)
        values = {"organization": realm.name, "name": user.full_name}
        mail = Email(kind, user.email, domain.emails.language_of(user), values)
        actions.outbox.enqueue_mail(tx, vault, mail)


# --- endpoints ---


Text = Annotated[str, MaxLength(1000), NoNul]
Password = Annotated[Text, Doc("The password.", example="tides rise at noon")]
PasskeyId = Annotated[int, Doc("The id of the passkey.", example=3)]


class PasskeyObject(msgspec.Struct):
    id: PasskeyId
    name: Annotated[str, Doc("The name of the passkey.")]
    created: CreationTime
    last_used: LastUsed | None


class SecondFactor(Reply):
    is_on: Annotated[bool, Doc("Whether a second factor is active.")]
    is_required: Annotated[bool, Doc("Whether the organization requires a second factor.")]
    has_app: Annotated[bool, Doc("Whether the user has a TOTP app.")]
    recovery_codes_left: Annotated[int, Doc("The number of unused recovery codes.")]
    passkeys: Annotated[list[PasskeyObject], Doc("The passkeys of the user.")]


class NewSecret(Reply):
    secret: Annotated[str, Doc("The TOTP secret.")]
    app_address: Annotated[str, Doc("The secret as an `otpauth` URL, for a QR code.")]


class RecoveryCodes(Reply):
    recovery_codes: Annotated[
        list[str], Doc("The recovery codes; each works once, and only this response has them.")
    ]


async def get_own(call: Call) -> SecondFactor:
    """Get the caller's second factors."""
    known = await call.db.read(storage.people.second_factors.of_user, call.user.id)
    return SecondFactor(
        is_on=known.is_enabled,
        is_required=bool(call.org.realm.setting("require_second_factor")),
        has_app=known.has_app,
        recovery_codes_left=known.recovery_codes,
        passkeys=[_passkey(each) for each in known.passkeys],
    )


async def new_secret(call: Call) -> NewSecret:
    """Create a TOTP secret and its QR code URL; nothing changes yet."""
    secret = domain.people.second_factors.new_secret()
    address = domain.people.second_factors.app_address(secret, call.org.realm.name, call.user.email)
    return NewSecret(secret=secret, app_address=address)


async def set_up_app(
    call: Call,
    *,
    password: Password,
    secret: Annotated[
        Text,
        Doc(
            "The secret from `POST /users/me/second_factor/secret`.",
            example="MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U",
        ),
    ],
    code: Annotated[
        Text,
        Doc(
            "The current code of the app, or a recovery code where that is allowed.",
            example="287082",
        ),
    ],
) -> RecoveryCodes:
    """Set or replace the caller's TOTP app.

    `code` is the app's current code for the secret. A user without a second factor gets recovery
    codes, which are shown only in this response. Existing sessions stay logged in.
    """
    checked = domain.people.second_factors.checked_secret(secret)
    await check_password(call, password)
    codes = await call.db.write(
        store_app,
        call.vault,
        call.user,
        checked,
        code,
        call.config.sends_mail,
    )
    return RecoveryCodes(recovery_codes=codes)


async def renew_recovery_codes(call: Call, *, password: Password) -> RecoveryCodes:
    """Replace the recovery codes."""
    await check_password(call, password)
    recovery_codes = await call.db.write(replace_recovery_codes, call.user)
    return RecoveryCodes(recovery_codes=recovery_codes)


async def remove(call: Call, *, password: Password) -> None:
    """Remove all second factors, unless the organization requires one."""
    await check_password(call, password)
    await call.db.write(
        remove_all,
        call.vault,
        call.user,
        call.config.sends_mail,
    )


async def reset(call: Call, user_id: UserId) -> None:
    """Remove the second factor of a user."""
    await call.db.write(
        reset_of_user,
        call.vault,
        call.user,
        user_id,
        call.config.sends_mail,
    )


async def show_code(call: Call, who: VerifiedIdentity, code: str) -> VerifiedIdentity:
    """The user, if the code is right. Raises WrongCode, and RateLimited after many attempts."""
    address = address_bucket(call.request.client_address)
    counted = who.user_id, address, call.config.sends_mail
    await call.system_db.write(count_attempt, call.vault, *counted)
    return await call.db.write(verify_code, call.vault, who, code, address)


async def check_password(call: Call, password: str) -> None:
    """Raises BadRequest unless it is the caller's password; an open session alone is not enough."""
    if not await api.people.login.is_correct_password(call, call.user, password):
        raise BadRequest("Wrong password!", problem="wrong-password")


def _passkey(each: Passkey) -> PasskeyObject:
    used = None if each.used_at is None else int(each.used_at)
    return PasskeyObject(each.id, each.name, int(each.created_at), used)
