"""The caller's second factor."""

from typing import Annotated

import msgspec

from tertulia import actions, api, domain, storage
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.domain.people.second_factors import Passkey
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import MaxLength, NoNul
from tertulia.http.ratelimit import address_bucket
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import CreationTime, LastUsed, UserId

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
        actions.people.second_factors.set_up_app,
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
    recovery_codes = await call.db.write(
        actions.people.second_factors.renew_recovery_codes, call.user
    )
    return RecoveryCodes(recovery_codes=recovery_codes)


async def remove(call: Call, *, password: Password) -> None:
    """Remove all second factors, unless the organization requires one."""
    await check_password(call, password)
    await call.db.write(
        actions.people.second_factors.remove,
        call.vault,
        call.user,
        call.config.sends_mail,
    )


async def reset(call: Call, user_id: UserId) -> None:
    """Remove the second factor of a user."""
    await call.db.write(
        actions.people.second_factors.reset,
        call.vault,
        call.user,
        user_id,
        call.config.sends_mail,
    )


async def show_code(call: Call, who: VerifiedIdentity, code: str) -> VerifiedIdentity:
    """The user, if the code is right. Raises WrongCode, and RateLimited after many attempts."""
    address = address_bucket(call.request.client_address)
    counted = who.user_id, address, call.config.sends_mail
    await call.system_db.write(actions.people.second_factors.count, call.vault, *counted)
    return await call.db.write(
        actions.people.second_factors.show_code, call.vault, who, code, address
    )


async def check_password(call: Call, password: str) -> None:
    """Raises BadRequest unless it is the caller's password; an open session alone is not enough."""
    if not await api.people.login.is_correct_password(call, call.user, password):
        raise BadRequest("Wrong password!", problem="wrong-password")


async def are_used(call: Call) -> bool:
    """Whether logins need more than a password."""
    if call.found_org is None:
        return False
    is_required = bool(call.org.realm.setting("require_second_factor"))
    return is_required or await call.db.read(storage.people.second_factors.are_used)


def _passkey(each: Passkey) -> PasskeyObject:
    used = None if each.used_at is None else int(each.used_at)
    return PasskeyObject(each.id, each.name, int(each.created_at), used)
