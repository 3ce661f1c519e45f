"""User groups: system groups, which follow from roles, and values of permissions.

Membership in a system group is not stored. It follows from the role and the time since joining, so
it can never be outdated.
"""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from tertulia import locale
from tertulia.domain import names
from tertulia.domain.people.user import Role, User
from tertulia.errors import BadRequest
from tertulia.wire import Doc

# In the order of creation, so that their ids ascend.
SYSTEM_GROUPS: dict[str, str] = {
    "role:nobody": "Nobody",
    "role:owners": "Owners",
    "role:administrators": "Administrators",
    "role:moderators": "Moderators",
    "role:fullmembers": "Full members",
    "role:members": "Members",
    "role:everyone": "Everyone",
    "role:internet": "Everyone on the internet",
}

_ROLE_NEEDED = {
    "role:owners": Role.OWNER,
    "role:administrators": Role.ADMINISTRATOR,
    "role:moderators": Role.MODERATOR,
    "role:members": Role.MEMBER,
    "role:everyone": Role.GUEST,
    "role:internet": Role.GUEST,
}

_DIRECT_GROUP = {
    Role.OWNER: "role:owners",
    Role.ADMINISTRATOR: "role:administrators",
    Role.MODERATOR: "role:moderators",
    Role.MEMBER: "role:members",
    Role.GUEST: "role:everyone",
}

ROLE_OF_GROUP = {name: role for role, name in _DIRECT_GROUP.items()}


class Members(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """An anonymous group: some users and the members of some groups."""

    direct_members: Annotated[list[int], Doc("Ids of the users.")]
    direct_subgroups: Annotated[list[int], Doc("Ids of the groups.")]


GroupValue = int | Members
"""What a permission is set to: a group's id, or people and groups named in place."""


class Group(msgspec.Struct, frozen=True):
    id: int
    name: str
    description: str
    is_system: bool
    creator_id: int | None
    created_at: float | None
    deactivated: bool
    permissions: dict[str, GroupValue]
    members: tuple[int, ...] = ()
    subgroups: tuple[int, ...] = ()


def holds_by_role(user: User, system_group: str, waiting_days: int, now: float) -> bool:
    if system_group == "role:fullmembers":
        return user.is_full_member(waiting_days, now)
    needed = _ROLE_NEEDED.get(system_group)
    return needed is not None and user.role <= needed


def direct_system_groups(user: User, waiting_days: int, now: float) -> list[str]:
    """The system groups that contain this user directly."""
    found = [_DIRECT_GROUP[user.role]]
    if user.role == Role.MEMBER and user.is_full_member(waiting_days, now):
        found.append("role:fullmembers")
    return found


def canonical(value: GroupValue, nobody_id: int) -> GroupValue:
    """The form in which a value is stored and shown: a single group is its id."""
    if isinstance(value, int):
        return value
    members = sorted(set(value.direct_members))
    subgroups = sorted(set(value.direct_subgroups))
    if not members and len(subgroups) == 1:
        return subgroups[0]
    if not members and not subgroups:
        return nobody_id
    return Members(members, subgroups)


def groups_named(values: Iterable[GroupValue]) -> set[int]:
    found: set[int] = set()
    for value in values:
        found.update([value] if isinstance(value, int) else value.direct_subgroups)
    return found


class Permission(msgspec.Struct, frozen=True):
    """A setting whose value is a group: its default and the groups it allows."""

    name: str
    default: str
    everyone: bool = False
    nobody: bool = True
    allowed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    # Of an organization, see `OrganizationSetting`.
    heading: str = ""
    owners_only: bool = False
    clients_only: bool = False

    def is_open_to(self, user: User) -> bool:
        """A permission that cannot be given to everyone never includes guests, even as members
        of a group."""
        return self.everyone or not user.is_guest

    @property
    def requires_system_group(self) -> bool:
        return bool(self.allowed)

    @property
    def meaning(self) -> str:
        """Its label, if it is of a channel or a group, as a sentence for the API."""
        area = "channel" if self.name in CHANNEL_PERMISSIONS else "audit.parameter"
        return f"{locale.texts(locale.ENGLISH)(f'{area}.{self.name}')}."


def _by_name(*permissions: Permission) -> dict[str, Permission]:
    return {each.name: each for each in permissions}


CREATOR_ALONE = ("channel_creator", "group_creator")  # stand for a group with only the creator

CHANNEL_PERMISSIONS = _by_name(
    Permission("can_add_subscribers_group", "role:nobody"),
    Permission("can_administer_channel_group", "channel_creator"),
    Permission("can_create_topic_group", "role:everyone", everyone=True),
    Permission("can_delete_any_message_group", "role:nobody", everyone=True),
    Permission("can_delete_own_message_group", "role:nobody", everyone=True),
    Permission("can_move_messages_out_of_channel_group", "role:nobody", everyone=True),
    Permission("can_move_messages_within_channel_group", "role:nobody", everyone=True),
    Permission("can_remove_subscribers_group", "role:administrators", everyone=True),
    Permission("can_resolve_topics_group", "role:nobody", everyone=True),
    Permission("can_send_message_group", "role:everyone", everyone=True),
    Permission("can_subscribe_group", "role:nobody"),
)

GROUP_PERMISSIONS = _by_name(
    Permission("can_add_members_group", "group_creator"),
    Permission("can_join_group", "role:nobody"),
    Permission("can_leave_group", "role:everyone", everyone=True),
    Permission("can_manage_group", "group_creator"),
    Permission("can_mention_group", "role:everyone", everyone=True, refused=("role:owners",)),
    Permission("can_remove_members_group", "role:nobody"),
)

REALM_PERMISSIONS = _by_name(
    Permission("can_create_public_channel_group", "role:members", heading="channels"),
    Permission("can_create_private_channel_group", "role:members", heading="channels"),
    Permission(
        "can_create_web_public_channel_group",
        "role:owners",
        heading="channels",
        allowed=("role:moderators", "role:administrators", "role:owners", "role:nobody"),
    ),
    Permission("can_add_subscribers_group", "role:members", heading="channels"),
    Permission(
        "can_mention_many_users_group", "role:administrators", heading="channels", everyone=True
    ),
    Permission("can_set_topics_policy_group", "role:members", heading="channels", everyone=True),
    Permission("can_set_delete_message_policy_group", "role:moderators", heading="channels"),
    Permission("can_delete_own_message_group", "role:everyone", heading="messages", everyone=True),
    Permission("can_delete_any_message_group", "role:administrators", heading="messages"),
    Permission(
        "can_move_messages_between_topics_group", "role:everyone", heading="messages", everyone=True
    ),
    Permission("can_move_messages_between_channels_group", "role:members", heading="messages"),
    Permission("can_resolve_topics_group", "role:everyone", heading="messages", everyone=True),
    Permission("can_summarize_topics_group", "role:everyone", heading="messages", everyone=True),
    Permission("can_invite_users_group", "role:members", heading="inviting", owners_only=True),
    Permission(
        "create_multiuse_invite_group", "role:administrators", heading="inviting", owners_only=True
    ),
    Permission(
        "can_access_all_users_group",
        "role:everyone",
        heading="inviting",
        everyone=True,
        nobody=False,
        allowed=("role:everyone", "role:members"),
    ),
    Permission(
        "direct_message_initiator_group", "role:everyone", heading="inviting", everyone=True
    ),
    Permission(
        "direct_message_permission_group", "role:everyone", heading="inviting", everyone=True
    ),
    Permission("can_create_groups", "role:members", heading="inviting", owners_only=True),
    Permission(
        "can_manage_all_groups", "role:owners", heading="inviting", nobody=False, owners_only=True
    ),
    Permission("can_add_custom_emoji_group", "role:members", heading="other"),
    Permission("can_create_bots_group", "role:members", heading="other"),
    Permission("can_create_write_only_bots_group", "role:members", heading="other"),
    Permission(
        "can_manage_billing_group",
        "role:administrators",
        heading="other-clients",
        nobody=False,
        owners_only=True,
        clients_only=True,
    ),
    Permission(
        "workplace_users_group",
        "role:everyone",
        heading="other-clients",
        everyone=True,
        clients_only=True,
    ),
)

MAX_NAME_LENGTH = 100
_RESERVED = ("@", "role:", "user:", "stream:", "channel:")


def checked_group_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise BadRequest("User group name can't be empty!", problem="group-name-empty")
    if len(name) > MAX_NAME_LENGTH:
        raise BadRequest(
            "User group name cannot exceed {limit} characters.",
            problem="group-name-too-long",
            limit=MAX_NAME_LENGTH,
        )
    for prefix in _RESERVED:
        if name.startswith(prefix):
            raise BadRequest(
                "User group name cannot start with '{prefix}'.",
                problem="group-name-prefix-reserved",
                prefix=prefix,
            )
    names.check(name, "user group name")
    return name


class NewGroup(msgspec.Struct, frozen=True):
    """The parameters of a group to create."""

    name: str
    description: str
    members: list[int]
    subgroups: list[int]
    permissions: dict[str, GroupValue]


class PermissionChange(msgspec.Struct, frozen=True):
    """A new value of a permission, and the old value that the caller expects."""

    new: GroupValue
    old: GroupValue | None = None
