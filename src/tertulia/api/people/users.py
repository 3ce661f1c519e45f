"""Users: all, one by id or email address, and the caller."""

from msgspec import UNSET, UnsetType, structs

from tertulia import api, events
from tertulia.api.call import Call
from tertulia.domain.people.user import User
from tertulia.errors.authentication import InsufficientPermission
from tertulia.errors.people import UserNotFound
from tertulia.events.types.people.user import ProfileValue, UserObject
from tertulia.http.parameter_rules import Id
from tertulia.http.replies import Reply


class UserList(Reply):
    members: list[UserObject]


class OneUser(Reply):
    user: UserObject


class Myself(Reply, kw_only=True):
    user_id: int
    email: str
    delivery_email: str | None
    full_name: str
    date_joined: str
    is_active: bool
    is_owner: bool
    is_admin: bool
    is_guest: bool
    is_bot: bool
    bot_type: int | None
    bot_owner_id: int | UnsetType | None = UNSET
    role: int
    timezone: str
    avatar_url: str | None
    avatar_version: int
    is_imported_stub: bool
    profile_data: dict[str, ProfileValue] | UnsetType = UNSET
    max_message_id: int


async def list_all(
    call: Call,
    *,
    client_gravatar: bool = True,
    include_custom_profile_fields: bool = False,
    user_ids: list[Id] | None = None,
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
    user_id: int,
    *,
    client_gravatar: bool = True,
    include_custom_profile_fields: bool = False,
) -> OneUser:
    """Get a user by id."""
    user = api.people.visible_users.with_id(call, user_id)
    return _one(call, user, client_gravatar, include_custom_profile_fields)


async def by_email(
    call: Call,
    email: str,
    *,
    client_gravatar: bool = True,
    include_custom_profile_fields: bool = False,
) -> OneUser:
    """Get a user by email address."""
    user = api.people.visible_users.with_address(call, email)
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
