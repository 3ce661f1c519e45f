"""Channels: the way to one is through what somebody may see or read."""

from tertulia.actions import rights
from tertulia.domain import access
from tertulia.domain.channels import Channel, NewChannel, checked_name
from tertulia.domain.groups import CHANNEL_PERMISSIONS, GroupValue, Members
from tertulia.domain.users import User
from tertulia.errors import (
    BadRequest,
    ChannelNotAccessible,
    InsufficientPermission,
    OwnerRequired,
    UnsupportedCombination,
)
from tertulia.events.audience import Watchers
from tertulia.events.log import announce
from tertulia.events.types.channels import ChannelCreated
from tertulia.storage import channels, groups, subscriptions
from tertulia.storage.tx import Tx


def visible_to(tx: Tx, user: User, channel_id: int) -> Channel:
    """A channel whose name and settings the user may know."""
    channel = channels.find(tx, channel_id)
    if channel is None or not may_see(tx, user, channel):
        raise ChannelNotAccessible()
    return channel


def may_see(tx: Tx, user: User, channel: Channel) -> bool:
    subscribed = subscriptions.is_subscribed(tx, user.id, channel.id)
    return access.may_see(user, channel, subscribed, lambda value: rights.holds(tx, user, value))


def may_read(tx: Tx, user: User, channel: Channel) -> bool:
    subscribed = subscriptions.is_subscribed(tx, user.id, channel.id)
    return access.may_read(user, channel, subscribed, lambda value: rights.holds(tx, user, value))


def readable_ids(tx: Tx, user: User) -> list[int]:
    """All channels whose messages the user may read, if they have received them."""
    mine = {row.channel_id for row in subscriptions.of_user(tx, user.id) if row.active}
    return [
        channel.id
        for channel in channels.everything(tx)
        if access.may_read(
            user, channel, channel.id in mine, lambda value: rights.holds(tx, user, value)
        )
    ]


def create(
    tx: Tx, creator: User, new: NewChannel, rendered_description: str, web_public_allowed: bool
) -> Channel:
    """Create a channel without subscribers and tell those who may see it."""
    checked_name(new.name)
    _check_creation(tx, creator, new, web_public_allowed)
    return found(tx, creator, new, rendered_description)


def found(tx: Tx, creator: User, new: NewChannel, rendered_description: str) -> Channel:
    """Create a channel without asking whether the creator may."""
    permissions = _permissions(tx, creator, new)
    channel = channels.insert(tx, new, rendered_description, creator.id, permissions)
    announce(tx, ChannelCreated(channel.id, tx.now), to=Watchers(channel.id))
    return channel


def check_topics_policy(tx: Tx, user: User, policy: str) -> None:
    """Whether the user may choose this policy, for a new channel or one that is there."""
    if policy != "inherit":
        rights.require_in_realm(tx, user, "can_set_topics_policy_group")


def _check_creation(tx: Tx, creator: User, new: NewChannel, web_public_allowed: bool) -> None:
    if new.is_web_public and new.invite_only:
        raise BadRequest("Invalid parameters")
    if new.invite_only:
        rights.require_in_realm(tx, creator, "can_create_private_channel_group")
    else:
        rights.require_in_realm(tx, creator, "can_create_public_channel_group")
    if new.is_default and not creator.is_admin:
        raise InsufficientPermission()
    if new.is_default and new.invite_only:
        raise BadRequest("A default channel cannot be private.")
    if new.is_web_public:
        if not web_public_allowed:
            raise BadRequest("Web-public channels are not enabled.")
        rights.require_in_realm(tx, creator, "can_create_web_public_channel_group")
    if new.retention_days is not None and not creator.is_owner:
        raise OwnerRequired()
    asked = new.permissions or {}
    if {"can_delete_any_message_group", "can_delete_own_message_group"} & asked.keys():
        rights.require_in_realm(tx, creator, "can_set_delete_message_policy_group")


def _permissions(tx: Tx, creator: User, new: NewChannel) -> dict[str, GroupValue]:
    system_ids = groups.system_ids(tx)
    asked = new.permissions or {}
    values: dict[str, GroupValue] = {}
    for name, permission in CHANNEL_PERMISSIONS.items():
        if name in asked:
            values[name] = rights.checked_value(tx, permission, asked[name])
        elif permission.default == "channel_creator":
            values[name] = Members([creator.id], [])
        else:
            values[name] = system_ids[permission.default]
    if not new.shares_history() and values["can_create_topic_group"] != system_ids["role:everyone"]:
        raise UnsupportedCombination(
            parameters="history_public_to_subscribers, can_create_topic_group"
        )
    return values
