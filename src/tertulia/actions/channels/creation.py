"""Creation of channels, and what is checked before."""

from collections.abc import Collection

from tertulia import domain, events, storage
from tertulia.actions.groups.permissions import initial_values, require_in_realm
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel
from tertulia.domain.groups.group import CHANNEL_PERMISSIONS, GroupValue
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import InsufficientPermission, OwnerRequired
from tertulia.errors.channels import (
    ChannelNameTaken,
    ContradictoryPrivacy,
    DefaultChannelIsPrivate,
)
from tertulia.errors.parameters import UnsupportedCombination
from tertulia.events.audience import ChannelViewers, NonGuests
from tertulia.events.types.channels.channel import ChannelCreated, DefaultChannelsChanged

DELETION_PERMISSIONS = {"can_delete_any_message_group", "can_delete_own_message_group"}


def create(
    tx: Tx, creator: User, new: NewChannel, rendered_description: str, web_public_allowed: bool
) -> Channel:
    """Create a channel without subscribers, and announce it."""
    domain.channels.channel.checked_name(new.name)
    check_creation(tx, creator, new, web_public_allowed)
    return create_unchecked(tx, creator, new, rendered_description)


def create_unchecked(tx: Tx, creator: User, new: NewChannel, rendered_description: str) -> Channel:
    """Create a channel without a permission check."""
    (channel,) = create_alike(tx, creator, [(new, rendered_description)])
    return channel


def create_alike(tx: Tx, creator: User, wanted: list[tuple[NewChannel, str]]) -> list[Channel]:
    """Create channels that differ only in name and description, without a permission check."""
    if not wanted:
        return []
    permissions = _permissions(tx, creator, wanted[0][0])
    created = [
        storage.channels.table.insert(tx, new, rendered, creator.id, permissions)
        for new, rendered in wanted
    ]
    events.log.announce_all(
        tx, [(ChannelCreated(channel.id), ChannelViewers(channel.id)) for channel in created]
    )
    if wanted[0][0].is_default:
        announce_defaults(tx)
    return created


def announce_defaults(tx: Tx) -> None:
    """Announce the default channels of new users."""
    ids = [channel.id for channel in storage.channels.table.defaults(tx)]
    events.log.announce(tx, DefaultChannelsChanged(ids), to=NonGuests())


def check_topic_creation(tx: Tx, shares_history: bool, permissions: dict[str, GroupValue]) -> None:
    """With a protected history a user cannot know whether a topic is new, so everyone may start
    one."""
    if shares_history:
        return
    everyone = storage.groups.system_ids(tx)["role:everyone"]
    if permissions["can_create_topic_group"] != everyone:
        raise UnsupportedCombination(
            parameters="history_public_to_subscribers, can_create_topic_group"
        )


def check_creation(tx: Tx, creator: User, new: NewChannel, web_public_allowed: bool) -> None:
    """Raise if the user may not create this channel."""
    if new.is_web_public and new.invite_only:
        raise ContradictoryPrivacy()
    kind = "private" if new.invite_only else "public"
    require_in_realm(tx, creator, f"can_create_{kind}_channel_group")
    if new.is_default and not creator.is_admin:
        raise InsufficientPermission()
    if new.is_default and new.invite_only:
        raise DefaultChannelIsPrivate()
    if new.is_web_public:
        require_web_public(tx, creator, web_public_allowed)
    if new.retention_days is not None and not creator.is_owner:
        raise OwnerRequired()
    if DELETION_PERMISSIONS & (new.permissions or {}).keys():
        require_in_realm(tx, creator, "can_set_delete_message_policy_group")


def check_names_are_free(tx: Tx, names: Collection[str], but_for: Channel | None = None) -> None:
    """Raise if another channel has one of these names or one that looks the same."""
    if not names:
        return
    taken = storage.channels.table.names(tx)
    if but_for is not None:
        del taken[but_for.id]
    looks = {domain.names.lookalike_key(each).casefold() for each in taken.values()}
    for name in names:
        if domain.names.lookalike_key(name).casefold() in looks:
            raise ChannelNameTaken(channel_name=name)


def require_web_public(tx: Tx, user: User, web_public_allowed: bool) -> None:
    """A web-public channel requires the server's setting, the organization's setting and a
    permission."""
    if not web_public_allowed:
        raise BadRequest(
            "Web-public channels are not enabled.", problem="web-public-channels-disabled"
        )
    require_in_realm(tx, user, "can_create_web_public_channel_group")


def _permissions(tx: Tx, creator: User, new: NewChannel) -> dict[str, GroupValue]:
    values = initial_values(tx, CHANNEL_PERMISSIONS, creator, new.permissions or {})
    check_topic_creation(tx, new.shares_history(), values)
    return values
