"""The settings of an organization, changed by those who run it."""

from typing import Any

from tertulia.actions import channels as channel_actions
from tertulia.actions import full_members, known_people, rights
from tertulia.domain.channels import FOREVER
from tertulia.domain.groups import (
    REALM_PERMISSIONS,
    GroupValue,
    PermissionChange,
)
from tertulia.domain.known_people import SETTING as WHO_SEES_EVERYBODY
from tertulia.domain.languages import LANGUAGES
from tertulia.domain.realms import login_methods
from tertulia.domain.topics import DISABLE_EMPTY
from tertulia.domain.users import User
from tertulia.errors import (
    AdministratorRequired,
    BadRequest,
    BadValue,
    ChannelNotAccessible,
    OwnerRequired,
)
from tertulia.events.audience import Everyone
from tertulia.events.log import announce
from tertulia.events.types.realms import RealmChanged, RealmChangedTogether, login_state
from tertulia.storage import groups, realms, users
from tertulia.storage.tx import Tx

OWNERS_ONLY = frozenset(
    {
        "authentication_methods",
        "can_create_groups",
        "can_invite_users_group",
        "can_manage_all_groups",
        "can_manage_billing_group",
        "create_multiuse_invite_group",
        "disallow_disposable_email_addresses",
        "emails_restricted_to_domains",
        "invite_required",
        "message_retention_days",
        "waiting_period_threshold",
    }
)

# Compat: clients hear of these as parts of a dictionary.
_IN_A_DICTIONARY = frozenset(
    {
        "allow_message_editing",
        "description",
        "message_content_edit_limit_seconds",
        "topics_policy",
    }
)

CHANNEL_SETTINGS = frozenset(
    {
        "moderation_request_channel_id",
        "new_stream_announcements_stream_id",
        "signup_announcements_stream_id",
        "zulip_update_announcements_stream_id",
    }
)
NO_CHANNEL = -1

TIME_LIMITS = frozenset(
    {
        "message_content_delete_limit_seconds",
        "message_content_edit_limit_seconds",
        "move_messages_between_streams_limit_seconds",
        "move_messages_within_stream_limit_seconds",
    }
)


def edit(
    tx: Tx,
    user: User,
    values: dict[str, Any],
    permissions: dict[str, PermissionChange],
    rendered_description: str,
) -> dict[str, Any]:
    """Change settings, all or none; gives those whose value is another one now."""
    user = rights.acting(tx, user)
    if not user.is_admin:
        raise AdministratorRequired()
    if not user.is_owner and OWNERS_ONLY & (values.keys() | permissions.keys()):
        raise OwnerRequired()
    changed: dict[str, Any] = {}
    for name in sorted(values):
        value = _checked(tx, user, name, values[name])
        if _set(tx, name, value, rendered_description):
            changed[name] = value
    for name, change in permissions.items():
        new = _set_permission(tx, name, change)
        if new is not None:
            changed[name] = new
    return changed


def _checked(tx: Tx, user: User, name: str, value: Any) -> Any:
    """The value as it is kept; raises for one that this organization cannot have."""
    if name in TIME_LIMITS or name == "message_retention_days":
        if value == "unlimited":
            return FOREVER if name == "message_retention_days" else None
        if not isinstance(value, int) or not 0 < value < 2**31:
            raise BadValue(name=name, value=value)
    if name == "authentication_methods":
        return _checked_methods(tx, value)
    if name == "jitsi_server_url" and value == "default":
        return None
    if name == "default_language" and value not in LANGUAGES:
        raise BadRequest(f"Invalid language '{value}'")
    if (
        name in CHANNEL_SETTINGS
        and value != NO_CHANNEL
        and channel_actions.visible_to(tx, user, value).archived
    ):
        raise ChannelNotAccessible()
    return value


def _checked_methods(tx: Tx, wanted: dict[str, bool]) -> dict[str, bool]:
    """All ways to log in and whether each is open; one has to be."""
    known = login_methods(realms.current(tx))
    for name in wanted:
        if name not in known:
            raise BadRequest(f"Invalid authentication method: {name}")
    methods = known | wanted
    if not any(methods.values()):
        raise BadRequest("At least one authentication method must be enabled.")
    return methods


def _set_methods(tx: Tx, methods: dict[str, bool]) -> bool:
    if methods == login_methods(realms.current(tx)):
        return False
    realms.set_setting(tx, "email_auth_enabled", methods["Email"])
    data = {"authentication_methods": login_state(realms.current(tx))}
    announce(tx, RealmChangedTogether(data), to=Everyone())
    return True


def _set(tx: Tx, name: str, value: Any, rendered_description: str) -> bool:
    if name == "authentication_methods":
        return _set_methods(tx, value)
    realm = realms.current(tx)
    current = realm.name if name == "name" else realm.setting(name)
    if current == value:
        return False
    if name == full_members.WAITING_PERIOD:
        full_members.set_waiting_period(tx, value)
        return True
    if name == "name":
        realms.rename(tx, value)
    else:
        realms.set_setting(tx, name, value)
    if name in _IN_A_DICTIONARY:
        data = {name: value}
        if name == "description":
            data["rendered_description"] = rendered_description
        if name == "topics_policy":
            data["mandatory_topics"] = value == DISABLE_EMPTY
        announce(tx, RealmChangedTogether(data), to=Everyone())
    else:
        announce(tx, RealmChanged(name, value), to=Everyone())
    return True


def _set_permission(tx: Tx, name: str, change: PermissionChange) -> GroupValue | None:
    """Give a permission a new value; None if it has it already."""
    permission = REALM_PERMISSIONS[name]
    new = rights.checked_value(tx, permission, change.new)
    default = groups.system_ids(tx)[permission.default]
    current = realms.current(tx).settings.get(name, default)
    rights.check_expected(tx, change, current)
    if new == current:
        return None
    guests = users.active_guests(tx) if name == WHO_SEES_EVERYBODY else []
    knew = known_people.known(tx, guests)
    realms.set_setting(tx, name, new)
    announce(tx, RealmChangedTogether({name: new}), to=Everyone())
    known_people.tell(tx, knew, known_people.known(tx, guests))
    return new
