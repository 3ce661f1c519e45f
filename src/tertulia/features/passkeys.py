"""The caller's passkeys: a second factor after the password."""

from typing import Annotated, Any

import msgspec

from tertulia import actions, api, domain, storage
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.domain.people.second_factors import Passkey
from tertulia.errors import BadRequest
from tertulia.errors.authentication import LoginExpired, WrongCode
from tertulia.external.sso.provider_types import ProviderError
from tertulia.features.second_factors import (
    PasskeyId,
    Password,
    RecoveryCodes,
    Text,
    add_passkey,
    check_password,
    count_attempt,
    remove_passkey,
    verify_passkey,
)
from tertulia.http.parameter_rules import MaxLength, NoNul, NotBlank, Stripped
from tertulia.http.ratelimit import address_bucket
from tertulia.http.replies import Reply
from tertulia.log import log
from tertulia.wire import Doc

Answer = Annotated[
    str,
    MaxLength(20_000),
    NoNul,
    Doc(
        "The response of the browser for a passkey, as JSON.",
        example='{"id": "…", "rawId": "…", "type": "public-key", "response": {}}',
    ),
]
PasskeyName = Annotated[
    str,
    MaxLength(domain.limits.MAX_PASSKEY_NAME_LENGTH),
    NoNul,
    Stripped,
    NotBlank,
    Doc("The name.", example="Kitchen"),
]


class PasskeyOptions(Reply):
    state: Annotated[str, Doc("A value to send back with the browser's response.")]
    options: Annotated[dict[str, Any], Doc("The argument for `navigator.credentials.create`.")]


class PendingPasskey(msgspec.Struct, frozen=True):
    """State that is kept until the browser has created the passkey."""

    user_id: int
    asked: str


async def start(call: Call, *, password: Password) -> PasskeyOptions:
    """Get the options for `navigator.credentials.create`."""
    from tertulia.external.sso import passkeys

    await check_password(call, password)
    known = await call.db.read(storage.people.second_factors.passkeys, call.user.id)
    begun = PendingPasskey(call.user.id, domain.people.sessions.new_token())
    state = domain.people.sessions.new_token()
    sealed = call.vault.seal(msgspec.json.encode(begun).decode())
    await call.db.write(actions.people.pending_logins.start, _state_hash(call, state), b"", sealed)
    user = (call.user.id, call.user.email, call.user.full_name)
    options = await api.people.crypto_queue.run(
        call,
        lambda: passkeys.creation_options(call.site, call.org.realm.name, user, known, begun.asked),
    )
    return PasskeyOptions(state=state, options=options)


async def add(
    call: Call,
    *,
    state: Annotated[
        Text,
        Doc(
            "The state from `POST /users/me/second_factor/passkeys/begin`.",
            example="q0Fh3SxWcXk0sJYwq8mZr1dVt2uTn5oLb7eGa9iKpMy",
        ),
    ],
    name: PasskeyName,
    answer: Answer,
) -> RecoveryCodes:
    """Add a passkey.

    `answer` is the authenticator's response as JSON. A user without a second factor gets recovery
    codes.
    """
    from tertulia.external.sso import passkeys

    sealed = await call.system_db.write(
        actions.people.pending_logins.resume, _state_hash(call, state), b""
    )
    begun = msgspec.json.decode(call.vault.unseal(sealed), type=PendingPasskey)
    if begun.user_id != call.user.id:
        raise LoginExpired()
    try:
        made = await api.people.crypto_queue.run(
            call, lambda: passkeys.verify_creation(call.site, begun.asked, answer)
        )
    except ProviderError as trouble:
        log.info("auth.passkey_rejected", user_id=call.user.id, reason=str(trouble))
        raise BadRequest(
            "What your browser says of this passkey cannot be used",
            problem="passkey-answer-invalid",
        ) from trouble
    codes = await call.db.write(
        add_passkey,
        call.vault,
        call.user,
        name,
        made.credential,
        made.sign_count,
        call.config.sends_mail,
    )
    return RecoveryCodes(recovery_codes=codes)


async def remove(call: Call, passkey_id: PasskeyId, *, password: Password) -> None:
    """Delete a passkey."""
    await check_password(call, password)
    await call.db.write(
        remove_passkey,
        call.vault,
        call.user,
        passkey_id,
        call.config.sends_mail,
    )


# --- logging in ---


async def request(call: Call, user_id: int, challenge: str) -> dict[str, Any] | None:
    """The options for `navigator.credentials.get`; None if the user has no passkey."""
    from tertulia.external.sso import passkeys

    known = await call.db.read(storage.people.second_factors.passkeys, user_id)
    if not known:
        return None
    return await api.people.crypto_queue.run(
        call, lambda: passkeys.login_options(call.site, known, challenge)
    )


async def show(call: Call, who: VerifiedIdentity, challenge: str, answer: str) -> VerifiedIdentity:
    """The user, if one of their passkeys signed the challenge. Raises WrongCode and RateLimited."""
    from tertulia.external.sso import passkeys

    address = address_bucket(call.request.client_address)
    counted = who.user_id, address, call.config.sends_mail
    await call.system_db.write(count_attempt, call.vault, *counted)
    known = await call.db.read(storage.people.second_factors.passkeys, who.user_id)
    try:
        passkey_id, sign_count = await api.people.crypto_queue.run(
            call, lambda: passkeys.verify_login(call.site, known, challenge, answer)
        )
    except ProviderError as trouble:
        log.info("auth.passkey_login_failed", user_id=who.user_id, reason=str(trouble))
        raise WrongCode() from trouble
    return await call.db.write(
        verify_passkey,
        call.vault,
        who,
        _named(known, passkey_id),
        sign_count,
        address,
    )


def _named(known: list[Passkey], passkey_id: int) -> Passkey:
    return next(each for each in known if each.id == passkey_id)


def _state_hash(call: Call, state: str) -> bytes:
    return call.vault.fingerprint(f"passkey state {call.user.id} {state}")
