"""Accounts: what administrators change in those of others, and users in their own."""

from typing import Annotated, Any

import msgspec

from tertulia import actions, domain
from tertulia.actions.people.accounts import AccountChanges
from tertulia.actions.people.profiles import FieldChange
from tertulia.api.call import Call
from tertulia.api.people import ldap_login, password_hashing, visible_users
from tertulia.domain.people.profile_fields import RENDERED
from tertulia.domain.people.user import NewUser, Role
from tertulia.errors import BadRequest
from tertulia.errors.people import ProfileFieldNotFound, UserNotFound
from tertulia.http.parameter_rules import Example, MaxItems, MaxLength, Name, NoNul, OneOf
from tertulia.http.replies import Reply
from tertulia.http.signatures import parameters_from
from tertulia.wire import Doc
from tertulia.wire_fields import AccountKey, AddressOfUser, ExpiryTime, UserId

Text = Annotated[str, MaxLength(1000), NoNul]
FullName = Annotated[Text, Doc("The full name.", example="Ana Ruiz")]
DeactivationComment = Annotated[
    str,
    MaxLength(2000),
    NoNul,
    Doc(
        "A comment for a mail to the user; empty sends the mail without a comment, null"
        " sends no mail."
    ),
]
RoleNumber = Annotated[
    int,
    OneOf([int(role) for role in Role]),
    Doc("The role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest."),
]


class FieldValueParameter(msgspec.Struct):
    id: int
    value: str | list[Any] | None


GivenValues = Annotated[
    list[FieldValueParameter],
    MaxItems(2 * domain.limits.MAX_PROFILE_FIELDS),
    Doc("The values of profile fields, or the ids of fields to clear."),
]


class NewId(Reply):
    user_id: UserId


class NewKey(Reply):
    api_key: AccountKey


class PasswordLink(Reply):
    link: Annotated[str, Doc("The URL of the page that sets a new password.")]
    expires: ExpiryTime


class FurtherActions(msgspec.Struct, forbid_unknown_fields=True):
    """Optional actions when an account is deactivated."""

    delete_profile: bool = False
    delete_public_channel_messages: bool = False
    delete_private_channel_messages: bool = False
    delete_direct_messages: bool = False


async def create(
    call: Call,
    *,
    email: Annotated[Text, Doc("The email address.", example="ana@example.com")],
    password: Annotated[Text, Doc("The password.", example="tides rise at noon")],
    full_name: FullName,
) -> NewId:
    """Create an account for a person."""
    if not call.config.accounts_api:
        raise BadRequest("User not authorized to create users", problem="user-not-authorized")
    domain.people.user.checked_full_name(full_name)
    hashed = await password_hashing.chosen(call.person, password, [email, full_name])
    new = NewUser(email, full_name, password_hash=hashed)
    user_id = await call.db.write(
        actions.people.account_creation.create, call.user, call.vault, new
    )
    return NewId(user_id=user_id)


async def edit_by_id(
    call: Call,
    user_id: UserId,
    *,
    full_name: Annotated[FullName | None, Example("Ana Ruiz")] = None,
    role: RoleNumber | None = None,
    new_email: Annotated[Text, Doc("The new email address.")] | None = None,
    profile_data: Annotated[GivenValues | None, Doc("The values of profile fields.")] = None,
) -> None:
    """Change the name, role, email address or profile of a user."""
    if new_email is not None and not call.config.accounts_api:
        raise BadRequest("User not authorized to change user emails", problem="user-not-authorized")
    profile = await _composed(call, profile_data or [])
    changes = AccountChanges(full_name, None if role is None else Role(role), new_email, profile)
    await call.db.write(actions.people.accounts.edit, call.user, user_id, changes)


@parameters_from(edit_by_id)
async def edit_by_email(call: Call, email: AddressOfUser, **changes: Any) -> None:
    """Change the name, role, email address or profile of a user, by email address."""
    await edit_by_id(call, _id_of(call, email), **changes)


async def deactivate_by_id(
    call: Call,
    user_id: UserId,
    *,
    also: Annotated[
        FurtherActions | None,
        Name("actions"),
        Doc("Further actions on the account; this server refuses all of them."),
    ] = None,
    deactivation_notification_comment: DeactivationComment | None = None,
) -> None:
    """Deactivate a user; with a comment, send a mail."""
    if also is not None and also != FurtherActions():
        # Deactivating is quick; deleting all messages of the user would not be.
        raise BadRequest("This server does not delete a user's messages together with the account.")
    comment = deactivation_notification_comment if call.config.sends_mail else None
    await call.db.write(actions.people.accounts.deactivate, call.user, user_id, call.vault, comment)


@parameters_from(deactivate_by_id)
async def deactivate_by_email(call: Call, email: AddressOfUser, **how: Any) -> None:
    """Deactivate a user, by email address; with a comment, send a mail."""
    await deactivate_by_id(call, _id_of(call, email), **how)


async def deactivate_self(call: Call) -> None:
    """Deactivate the caller's account."""
    await call.db.write(actions.people.accounts.deactivate_self, call.user)


async def reactivate(call: Call, user_id: UserId) -> None:
    """Reactivate a user."""
    await call.db.write(actions.people.accounts.reactivate, call.user, call.vault, user_id)


async def create_password_link(call: Call, user_id: UserId) -> PasswordLink:
    """Create a link to choose a password, for another user."""
    key = await call.db.write(
        actions.people.password_reset.create_link,
        call.vault,
        call.user,
        user_id,
        [each.key for each in ldap_login.open_to(call)],
    )
    return PasswordLink(
        link=actions.people.password_reset.address(call.site, key),
        expires=int(call.now) + domain.people.one_time_links.LIFE_SECONDS,
    )


async def invalidate_password(call: Call, user_id: UserId) -> None:
    """Make a user's password invalid, so that they must choose a new one.

    Their browsers are logged out. Where the server sends mail, they get one.
    """
    await call.db.write(
        actions.people.password_reset.invalidate,
        call.vault,
        call.user,
        user_id,
        call.site if call.config.sends_mail else None,
        [each.key for each in ldap_login.open_to(call)],
    )


async def renew_key(call: Call) -> NewKey:
    """Replace the caller's API key; the old key and its event queues end at once."""
    api_key = await call.db.write(actions.people.accounts.renew_key, call.user, call.vault)
    return NewKey(api_key=api_key)


def _id_of(call: Call, email: str) -> int:
    user = visible_users.with_address(call, email)
    if user is None:
        raise UserNotFound()
    return user.id


async def fill_in(
    call: Call, *, data: Annotated[GivenValues, Example([{"id": 3, "value": "Baker"}])]
) -> None:
    """Set the caller's profile fields."""
    values = await _composed(call, data)
    await call.db.write(actions.people.profiles.change, call.user, call.user.id, values)


async def empty(
    call: Call,
    *,
    data: Annotated[
        list[int],
        MaxItems(2 * domain.limits.MAX_PROFILE_FIELDS),
        Doc("The values of profile fields, or the ids of fields to clear."),
        Example([3]),
    ],
) -> None:
    """Clear the caller's profile fields."""
    values = [FieldChange(field_id, None) for field_id in data]
    await call.db.write(actions.people.profiles.change, call.user, call.user.id, values)


async def _composed(call: Call, given: list[FieldValueParameter]) -> list[FieldChange]:
    """Values ready to be stored: texts are rendered here, before the transaction."""
    found = []
    for each in given:
        field = call.org.profiles.fields.get(each.id)
        if field is None:
            raise ProfileFieldNotFound(field_id=each.id)
        rendered = None
        if each.value is not None:
            text = domain.people.profile_fields.checked_value(field, each.value)
            rendered = (
                await actions.messages.draft.describe(call.author, text)
                if field.type in RENDERED
                else None
            )
        found.append(FieldChange(each.id, each.value, rendered))
    return found
