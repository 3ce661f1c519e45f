"""Users: all, one by id or email address, and the caller."""

from typing import Annotated

from msgspec import UNSET, UnsetType, structs

from tertulia import events
from tertulia.api.call import Call
from tertulia.api.people import visible_users
from tertulia.domain.people.user import User
from tertulia.errors.authentication import InsufficientPermission
from tertulia.errors.people import UserNotFound
from tertulia.events.types.people.user import (
    AvatarVersion,
    DateJoined,
    IsAdmin,
    IsGuest,
    IsImportedStub,
    IsOwner,
    ProfileValue,
    Timezone,
    UserObject,
)
from tertulia.http.parameter_rules import Id
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import (
    AddressOfUser,
    BotOwnerId,
    BotTypeNumber,
    ClientGravatar,
    DeliveryEmail,
    FullName,
    IsActive,
    IsBot,
    PictureUrl,
    UserId,
    UserRole,
    VisibleEmail,
)

IncludeCustomProfileFields = Annotated[bool, Doc("Whether to include profile fields.")]


class UserList(Reply):
    members: Annotated[list[UserObject], Doc("The users, including bots.")]


class OneUser(Reply):
    user: Annotated[UserObject, Doc("The user.")]


class Myself(Reply, kw_only=True):
    user_id: UserId
    email: VisibleEmail
    delivery_email: DeliveryEmail | None
    full_name: FullName
    date_joined: DateJoined
    is_active: IsActive
    is_owner: IsOwner
    is_admin: IsAdmin
    is_guest: IsGuest
    is_bot: IsBot
    bot_type: BotTypeNumber | None
    bot_owner_id: BotOwnerId | UnsetType | None = UNSET
    role: UserRole
    timezone: Timezone
    avatar_url: PictureUrl | None
    avatar_version: AvatarVersion
    is_imported_stub: IsImportedStub
    profile_data: Annotated[
        dict[str, ProfileValue] | UnsetType,
        Doc("The values of profile fields, by the id of the field."),
    ] = UNSET
    max_message_id: Annotated[
        int, Doc("The id of the newest message that the user has received; -1 if there is none.")
    ]


async def list_all(
    call: Call,
    *,
    client_gravatar: ClientGravatar = True,
    include_custom_profile_fields: IncludeCustomProfileFields = False,
    user_ids: Annotated[list[Id] | None, Doc("Ids of the users; without it, all.")] = None,
) -> UserList:
    """List all users, including bots and deactivated ones."""
    wanted = None if user_ids is None else set(user_ids)
    return UserList(
        members=[
            events.types.people.user.user_object(
                call.org,
                user,
                call.caller,
                client_gravatar=client_gravatar,
                profile=include_custom_profile_fields and call.caller is not None,
            )
            for user in call.org.users.values()
            if not user.is_system_bot
            and (wanted is None or user.id in wanted)
            and call.org.may_know(call.caller, user)
        ]
    )


async def by_id(
    call: Call,
    user_id: UserId,
    *,
    client_gravatar: ClientGravatar = True,
    include_custom_profile_fields: IncludeCustomProfileFields = False,
) -> OneUser:
    """Get a user by id."""
    user = visible_users.with_id(call, user_id)
    return _one(call, user, client_gravatar, include_custom_profile_fields)


async def by_email(
    call: Call,
    email: AddressOfUser,
    *,
    client_gravatar: ClientGravatar = True,
    include_custom_profile_fields: IncludeCustomProfileFields = False,
) -> OneUser:
    """Get a user by email address."""
    user = visible_users.with_address(call, email)
    return _one(call, user, client_gravatar, include_custom_profile_fields)


async def me(call: Call) -> Myself:
    """Get the caller's own user."""
    newest = await call.db.read(events.snapshot.snapshot_data.newest_received, call.user.id)
    shown = events.types.people.user.user_object(
        call.org, call.user, call.user, client_gravatar=False, profile=not call.user.is_bot
    )
    known = {
        name: value
        for name, value in structs.asdict(shown).items()
        if name in Myself.__struct_fields__
    }
    return Myself(max_message_id=newest, **known)


def _one(call: Call, user: User | None, client_gravatar: bool, profile: bool) -> OneUser:
    if user is None:
        # A caller with limited visibility must not learn that a hidden user exists.
        raise UserNotFound() if call.org.may_know_all(call.user) else InsufficientPermission()
    return OneUser(
        user=events.types.people.user.user_object(
            call.org, user, call.user, client_gravatar=client_gravatar, profile=profile
        )
    )
