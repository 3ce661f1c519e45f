"""Personal settings: the caller's, and the defaults of new users."""

import zoneinfo
from functools import cache
from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from tertulia import actions, domain
from tertulia.actions.personal.settings import EmailConfirmation, SettingsChanges
from tertulia.api.call import Call
from tertulia.api.people import ldap_login, login, password_hashing
from tertulia.api.personal import settings_of_others
from tertulia.api.personal.settings_of_others import TargetUsers
from tertulia.api.setting_values import FORMS, parameters
from tertulia.domain.setting_values import ChosenFrom
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import BareOrJson, Json, MaxLength, NoNul, OneOf
from tertulia.http.replies import Reply
from tertulia.http.signatures import accepts
from tertulia.wire import Doc
from tertulia.wire_fields import AccountKey

Text = Annotated[str, MaxLength(1000), NoNul]


def _chosen(kind: ChosenFrom) -> Any:
    """Compat: a value outside the list is refused with a longer message than elsewhere."""
    return Annotated[kind.type, OneOf(kind.values), BareOrJson if kind.type is str else Json]


SETTINGS = parameters(domain.personal.settings.PREFERENCES.values(), {**FORMS, ChosenFrom: _chosen})


class SettingsChanged(Reply):
    api_key: AccountKey | UnsetType = UNSET


@accepts(SETTINGS, enter_sends=True)
async def change(
    call: Call,
    *,
    timezone: Annotated[
        str, MaxLength(100), BareOrJson, Doc("The time zone, such as `Europe/Madrid`.")
    ]
    | None = None,
    full_name: Annotated[Text, Doc("The full name.")] | None = None,
    email: Annotated[Text, Doc("The email address.")] | None = None,
    old_password: Annotated[Text, Doc("The current password.")] = "",
    new_password: Annotated[Text, Doc("The new password.")] = "",
    new_api_key: Annotated[bool, Doc("Whether to replace the API key.")] = False,
    target_users: Annotated[
        TargetUsers | None,
        Doc(
            "For administrators: `user_ids` and `group_ids` of the users to change; with"
            " `skip_if_already_edited` only settings that have their default."
        ),
    ] = None,
    **values: Any,
) -> SettingsChanged:
    """Change personal settings, name, email address or password.

    A new password logs out all other browsers and, with `new_api_key`, everything that uses the
    key. A new address counts once it was confirmed, if the server sends mail. Administrators change
    settings of others with `target_users`.
    """
    if timezone is not None and timezone not in _timezones():
        raise BadRequest(
            "Invalid timezone: Value error, Not a recognized time zone", problem="bad-value"
        )
    domain.personal.settings.checked(values)
    if target_users is not None:
        if timezone or full_name or email or new_password or new_api_key:
            raise BadRequest("Only settings can be changed for others.")
        await settings_of_others.change(call, target_users, values)
        return SettingsChanged()
    email = email and email.strip()
    sends_mail = call.config.sends_mail
    if email not in (None, call.user.email) and not (call.config.accounts_api or sends_mail):
        raise BadRequest("User not authorized to change user emails", problem="user-not-authorized")
    password_hash = None
    if new_password:
        password_hash = await _new_password_hash(call, old_password, new_password)
    session_id = None if call.session is None else call.session.id
    wanted = SettingsChanges(values, timezone, full_name, email, password_hash, session_id)
    confirming = EmailConfirmation(call.vault, call.site) if sends_mail else None
    await call.db.write(actions.personal.settings.change, call.user, wanted, confirming)
    if new_password and new_api_key:
        key = await call.db.write(actions.people.accounts.renew_key, call.user, call.vault)
        return SettingsChanged(api_key=key)
    return SettingsChanged()


@accepts(SETTINGS, color_scheme=2)
async def change_defaults(call: Call, **values: Any) -> None:
    """Change the default personal settings of new users."""
    await call.db.write(actions.personal.settings.change_defaults_for_new_users, values)


async def _new_password_hash(call: Call, old: str, new: str) -> str:
    """Check the old password, with the rate limit of logins, and hash the new one."""
    await ldap_login.check_own_password(call, call.user.id)
    if not await login.is_right(call, call.user, old):
        raise BadRequest("Wrong password!", problem="wrong-password")
    try:
        about = [call.user.email, call.user.full_name]
        return await password_hashing.chosen(call.person, new, about)
    except BadRequest:
        raise BadRequest("New password is too weak!", problem="password-too-weak") from None


@cache
def _timezones() -> frozenset[str]:
    """All time zones, without the system's aliases such as `localtime`."""
    return frozenset(zoneinfo.available_timezones()) - {"localtime"}
