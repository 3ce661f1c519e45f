"""Channel edits: properties, permissions, archiving."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from tertulia import domain, events, storage
from tertulia.actions.channels import creation, lookups
from tertulia.actions.groups import permissions
from tertulia.actions.messages import notices
from tertulia.actions.people import bots
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.channels.topics import EMPTY_ONLY, EMPTY_TOPIC_NAME
from tertulia.domain.groups.group import (
    CHANNEL_PERMISSIONS,
    GroupValue,
    Members,
    PermissionChange,
)
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import AdministratorRequired, OwnerRequired
from tertulia.errors.channels import (
    ChannelNotAccessible,
    ContradictoryPrivacy,
    DefaultChannelIsPrivate,
    NamedTopicsExist,
)
from tertulia.events.audience import ChannelViewers, Everyone
from tertulia.events.types.channels.channel import (
    ADMINISTRATORS_POST,
    POST_POLICIES,
    ChannelArchived,
    ChannelChanged,
)

# Only users who can read a channel may change who gets access to it.
JOIN_PERMISSIONS = ("can_add_subscribers_group", "can_subscribe_group")


class ChannelChanges(msgspec.Struct, frozen=True):
    """The requested changes of a channel; None keeps a value."""

    name: str | None = None
    description: tuple[str, str] | None = None  # source and HTML
    is_private: bool | None = None
    is_web_public: bool | None = None
    history_public: bool | None = None
    is_default: bool | None = None
    retention_days: int | UnsetType | None = UNSET
    topics_policy: str | None = None
    folder_id: int | UnsetType | None = UNSET
    archived: bool | None = None
    default_push: bool | None = None
    slow_mode_seconds: int | None = None
    slow_mode_until: int | UnsetType | None = UNSET
    permissions: dict[str, PermissionChange] = field(default_factory=dict)

    @property
    def record_privacy_change(self) -> bool:
        privacy = (self.is_private, self.is_web_public, self.history_public)
        return any(each is not None for each in privacy)


def edit(
    tx: Tx, user: User, channel_id: int, changes: ChannelChanges, web_public_allowed: bool
) -> None:
    """Apply all requested changes, or none."""
    user = permissions.current_rights(tx, user)
    channel = lookups.visible_to(tx, user, channel_id)
    if changes.is_web_public:
        _check_web_public(tx, user, channel, changes, web_public_allowed)
    channel = lookups.administered_by(tx, user, channel_id)
    for step in _STEPS:
        step(tx, user, channel, changes)
        found = storage.channels.table.find(tx, channel_id)
        assert found is not None
        channel = found


def archive(tx: Tx, user: User, channel_id: int) -> None:
    """Archive a channel: it can be read but not written, and its name stays taken.

    Its messages count as read by everyone; clients know that from the event.
    """
    user = permissions.current_rights(tx, user)
    channel = lookups.administered_by(tx, user, channel_id)
    if channel.archived:
        raise BadRequest("Channel is already deactivated", problem="channel-archived-already")
    storage.channels.table.change(tx, channel.id, archived=True, is_default=False)
    event = ChannelArchived(channel.id, channel.name, True)
    seq = events.log.announce(tx, event, to=ChannelViewers(channel.id))
    notices.post_if_enabled(
        tx, channel, domain.messages.notices.channel_archived(channel), is_unread=False
    )
    storage.channels.table.change(
        tx, channel.id, archived_seq=seq, archived_message_id=storage.messages.table.newest_id(tx)
    )
    if channel.is_default:
        creation.announce_defaults(tx)


def set_default(tx: Tx, user: User, channel_id: int, is_default: bool) -> None:
    """Add a channel to the default channels of new users, or remove it."""
    permissions.require_administrator(tx, user)
    channel = lookups.readable_by(tx, user, channel_id)
    if is_default and channel.invite_only:
        raise BadRequest(
            "Private channels cannot be made default.", problem="default-channel-private"
        )
    if is_default and channel.archived:
        raise ChannelNotAccessible()
    if is_default and channel.is_default:
        return
    storage.channels.table.change(tx, channel.id, is_default=is_default)
    events.log.announce(
        tx, ChannelChanged(channel.id, channel.name, []), to=ChannelViewers(channel.id)
    )
    creation.announce_defaults(tx)


# --- one step for each part, in the order of the events ---


def _unarchive(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if changes.archived is not False:
        return
    if not channel.archived:
        raise BadRequest("Channel is not currently deactivated", problem="channel-not-archived")
    storage.channels.table.change(tx, channel.id, archived=False)
    events.log.announce(
        tx, ChannelArchived(channel.id, channel.name, False), to=ChannelViewers(channel.id)
    )
    notices.post_if_enabled(tx, channel, domain.messages.notices.channel_unarchived(channel))


def _change_openness(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if not changes.record_privacy_change:
        return
    after = _opened(channel, changes)
    is_default = channel.is_default if changes.is_default is None else changes.is_default
    if after.invite_only and is_default:
        raise DefaultChannelIsPrivate()
    if channel.invite_only and not after.invite_only:
        _require_content_access(tx, user, channel)
    creation.check_topic_creation(tx, after.history_public, after.permissions)
    storage.channels.table.change(
        tx,
        channel.id,
        invite_only=after.invite_only,
        is_web_public=after.is_web_public,
        history_public=after.history_public,
    )
    update = {
        "property": "invite_only",
        "value": after.invite_only,
        "history_public_to_subscribers": after.history_public,
        "is_web_public": after.is_web_public,
    }
    event = ChannelChanged(
        channel.id, channel.name, [update], channel.access_rule, after.access_rule
    )
    events.log.announce(tx, event, to=Everyone())
    if after.openness != channel.openness:
        notices.post_if_enabled(
            tx, channel, domain.messages.notices.openness_changed(user, channel, after)
        )


def _opened(channel: Channel, changes: ChannelChanges) -> Channel:
    """The channel with the requested privacy. Raises for an invalid combination."""
    is_private = channel.invite_only if changes.is_private is None else changes.is_private
    is_web_public = (
        channel.is_web_public if changes.is_web_public is None else changes.is_web_public
    )
    if is_web_public and changes.is_private is None:
        is_private = False
    if changes.history_public is not None:
        history_public = changes.history_public
    elif changes.is_private is None and not changes.is_web_public:
        history_public = channel.history_public
    else:
        history_public = not is_private
    if (is_web_public and is_private) or (not is_private and not history_public):
        raise ContradictoryPrivacy()
    return replace(
        channel,
        invite_only=is_private,
        is_web_public=is_web_public,
        history_public=history_public,
    )


def _change_default(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if changes.is_default is None:
        return
    if not user.is_admin:
        raise AdministratorRequired()
    if changes.is_default and channel.invite_only:
        raise DefaultChannelIsPrivate()
    if changes.is_default != channel.is_default:
        storage.channels.table.change(tx, channel.id, is_default=changes.is_default)
        events.log.announce(
            tx, ChannelChanged(channel.id, channel.name, []), to=ChannelViewers(channel.id)
        )
        creation.announce_defaults(tx)


def _change_retention(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if isinstance(changes.retention_days, UnsetType):
        return
    if not user.is_owner:
        raise OwnerRequired()
    if changes.retention_days == channel.retention_days:
        return
    storage.channels.table.change(tx, channel.id, retention_days=changes.retention_days)
    _announce(tx, channel, "message_retention_days", changes.retention_days)
    usual = storage.organization.realms.current(tx).setting("message_retention_days")
    old, new = (
        usual if days is None else days for days in (channel.retention_days, changes.retention_days)
    )
    notices.post_if_enabled(tx, channel, domain.messages.notices.retention_changed(user, old, new))


def _change_topics_policy(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if changes.topics_policy is None:
        return
    permissions.require_in_realm(tx, user, "can_set_topics_policy_group")
    if changes.topics_policy == channel.topics_policy:
        return
    if changes.topics_policy == EMPTY_ONLY and storage.channels.topics.has_named(tx, channel.id):
        raise NamedTopicsExist(empty_topic_display_name=EMPTY_TOPIC_NAME)
    storage.channels.table.change(tx, channel.id, topics_policy=changes.topics_policy)
    _announce(tx, channel, "topics_policy", changes.topics_policy)


def _change_description(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if changes.description is None:
        return
    text, rendered = changes.description
    storage.channels.table.change(tx, channel.id, description=text, rendered_description=rendered)
    _announce(tx, channel, "description", text, rendered_description=rendered)
    if text != channel.description:
        after = replace(channel, description=text, rendered_description=rendered)
        notices.post_if_enabled(
            tx, channel, domain.messages.notices.description_changed(user, channel, after)
        )


def _change_name(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if changes.name is None:
        return
    name = domain.channels.channel.checked_name(changes.name)
    if name == channel.name:
        raise BadRequest("Channel already has that name.", problem="channel-name-unchanged")
    creation.check_names_are_free(tx, [name], but_for=channel)
    storage.channels.table.rename(tx, channel.id, name)
    _announce(tx, channel, "name", name)
    bots.channel_renamed(tx, channel.id)
    notices.post_if_enabled(
        tx, channel, domain.messages.notices.channel_renamed(user, channel.name, name)
    )


def _change_folder(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if isinstance(changes.folder_id, UnsetType):
        return
    if changes.folder_id is not None:
        storage.channels.table.require_folder(tx, changes.folder_id)
    if changes.folder_id != channel.folder_id:
        storage.channels.table.change(tx, channel.id, folder_id=changes.folder_id)
        _announce(tx, channel, "folder_id", changes.folder_id)


def _change_default_push(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    if changes.default_push is not None and changes.default_push != channel.default_push:
        storage.channels.table.change(tx, channel.id, default_push=changes.default_push)
        _announce(tx, channel, "default_push_notifications", changes.default_push)


def _change_slow_mode(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    """Change slow mode. It has no end unless one is given with the seconds or afterwards."""
    seconds, until = changes.slow_mode_seconds, changes.slow_mode_until
    if seconds is not None and until is UNSET:
        until = None
    if not isinstance(until, UnsetType | None) and until <= tx.now:
        raise BadRequest("The end of slow mode must be in the future.", problem="end-not-in-future")
    if seconds is not None and seconds != channel.slow_mode_seconds:
        storage.channels.table.change(tx, channel.id, slow_mode_seconds=seconds)
        _announce(tx, channel, "slow_mode_seconds", seconds)
    if not isinstance(until, UnsetType) and until != channel.slow_mode_until:
        storage.channels.table.change(tx, channel.id, slow_mode_until=until)
        _announce(tx, channel, "slow_mode_until", until)


def _change_permissions(tx: Tx, user: User, channel: Channel, changes: ChannelChanges) -> None:
    for name, change in changes.permissions.items():
        channel = _change_permission(tx, user, channel, name, change)


def _change_permission(
    tx: Tx, user: User, channel: Channel, name: str, change: PermissionChange
) -> Channel:
    """Set one permission. Returns the changed channel."""
    new = permissions.checked_value(tx, CHANNEL_PERMISSIONS[name], change.new)
    current = channel.permissions[name]
    permissions.check_expected(tx, change, current)
    if new == current:
        return channel
    if name in JOIN_PERMISSIONS and channel.invite_only:
        _require_content_access(tx, user, channel)
    if name in creation.DELETION_PERMISSIONS:
        permissions.require_in_realm(tx, user, "can_set_delete_message_policy_group")
    after = replace(channel, permissions={**channel.permissions, name: new})
    creation.check_topic_creation(tx, after.history_public, after.permissions)
    storage.channels.table.set_permissions(tx, channel.id, after.permissions)
    updates = [{"property": name, "value": new}]
    if name == "can_send_message_group":
        updates += _post_policy_updates(tx, current, new)
    access_rules = (
        (channel.access_rule, after.access_rule)
        if channel.access_rule != after.access_rule
        else (None, None)
    )
    events.log.announce(
        tx,
        ChannelChanged(channel.id, channel.name, updates, *access_rules),
        to=ChannelViewers(channel.id) if access_rules[0] is None else Everyone(),
    )
    if name == "can_send_message_group":
        _post_policy_notice(tx, user, channel, current, new)
    return after


def _post_policy_updates(tx: Tx, old: GroupValue, new: GroupValue) -> list[dict[str, Any]]:
    """Compat: older clients get a number, if it changed."""
    names = {group_id: name for name, group_id in storage.groups.system_ids(tx).items()}
    before, after = (
        POST_POLICIES.get(names.get(value, ""), 1) if isinstance(value, int) else 1
        for value in (old, new)
    )
    if before == after:
        return []
    return [
        {"property": "stream_post_policy", "value": after},
        {"property": "is_announcement_only", "value": after == ADMINISTRATORS_POST},
    ]


def _post_policy_notice(
    tx: Tx, user: User, channel: Channel, old: GroupValue, new: GroupValue
) -> None:
    people_ids: list[int] = []
    group_ids: list[int] = []
    for value in (old, new):
        if isinstance(value, Members):
            people_ids += value.direct_members
            group_ids += value.direct_subgroups
        else:
            group_ids.append(value)
    known = {group.id: group for group in storage.groups.find_many(tx, group_ids)}
    people = {person.id: person for person in storage.people.users.find_many(tx, people_ids)}
    before, after = (
        domain.messages.notices.named_people(value, known, people) for value in (old, new)
    )
    notices.post_if_enabled(
        tx, channel, domain.messages.notices.posting_changed(user, before, after)
    )


_STEPS = (
    _unarchive,
    _change_openness,
    _change_default,
    _change_retention,
    _change_topics_policy,
    _change_description,
    _change_name,
    _change_folder,
    _change_default_push,
    _change_slow_mode,
    _change_permissions,
)


def _check_web_public(
    tx: Tx, user: User, channel: Channel, changes: ChannelChanges, web_public_allowed: bool
) -> None:
    """The permission to make channels web-public is checked first."""
    _opened(channel, changes)
    if not channel.is_web_public:
        creation.require_web_public(tx, user, web_public_allowed)


def _require_content_access(tx: Tx, user: User, channel: Channel) -> None:
    if not lookups.may_read(tx, user, channel):
        raise BadRequest("Channel content access is required.", problem="channel-content-hidden")


def _announce(tx: Tx, channel: Channel, name: str, value: Any, **more: Any) -> None:
    update = {"property": name, "value": value, **more}
    event = ChannelChanged(channel.id, channel.name, [update])
    events.log.announce(tx, event, to=ChannelViewers(channel.id))
