"""Subscribing and unsubscribing, oneself or others.

Other writes wait for each transaction. The first one of a call therefore checks everything, and
subscribes or unsubscribes as many users as take little time; the caller writes the remaining users
in further transactions. Each of them leaves whole users behind: a user is in all of the channels of
the call or in none.
"""

from collections.abc import Collection, Sequence
from functools import partial

import msgspec
from msgspec import field

from tertulia import domain, events, storage
from tertulia.actions.channels import creation
from tertulia.actions.channels.bulk_access import BulkAccess, ChannelLookup
from tertulia.actions.groups import permissions
from tertulia.actions.groups.permissions import HasPermission
from tertulia.actions.messages import notices, read_state
from tertulia.actions.people import visible_users
from tertulia.actions.people.known_people import VisibilityDiff
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel
from tertulia.domain.channels.topics import INHERIT
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import InsufficientPermission
from tertulia.errors.channels import ChannelIsArchived
from tertulia.errors.parameters import NothingToDo, TooMany
from tertulia.events.audience import Everyone
from tertulia.events.types.channels.subscriptions import (
    AddedSubscription,
    RemovedSubscription,
    SubscriptionsAdded,
    SubscriptionsRemoved,
)
from tertulia.storage.channels.subscriptions import NewSubscriber

Principals = Sequence[int | str]
UsersByChannel = dict[int, tuple[Channel, list[User]]]  # by channel id

# Unsubscribing marks the channel's messages as read, so it first updates the unread state of each
# user to the newest message. One write reads at most this many messages and subscriptions for it.
MAX_CATCH_UP_PER_WRITE = 3000
MIN_COST_PER_USER = 30  # counted for each user besides


class SubscribeRequest(msgspec.Struct, frozen=True):
    """A request to subscribe users to channels; missing channels are created."""

    channels: list[NewChannel]
    rendered_descriptions: list[str]
    principals: Principals = ()
    authorization_errors_fatal: bool = True
    web_public_allowed: bool = False
    colors: dict[str, str] = field(default_factory=dict)  # by the folded name
    announced: bool = False
    notifies_subscribers: bool = True


class Outcome(msgspec.Struct):
    subscribed: dict[int, list[str]] = field(default_factory=dict)
    already_subscribed: dict[int, list[str]] = field(default_factory=dict)
    unauthorized: list[str] = field(default_factory=list)
    notified_subscribers: bool = True
    channel_ids: list[int] = field(default_factory=list)
    created_ids: list[int] = field(default_factory=list)
    remaining: list[list[int]] = field(default_factory=list)  # users of each further write


class Removal(msgspec.Struct, frozen=True):
    names: list[str]
    principals: Principals = ()


class Removed(msgspec.Struct):
    removed: list[str]  # the channel of each subscription that ends
    not_removed: list[str]
    channel_ids: list[int]
    remaining: list[list[int]]  # users of each further write


# --- subscribing ---


def subscribe(tx: Tx, user: User, request: SubscribeRequest, email_domain: str) -> Outcome:
    """Check everything, create the missing channels, and subscribe the first users."""
    user = permissions.current_rights(tx, user)
    _check_creations(tx, user, request.channels)
    lookup = ChannelLookup(tx, user, [new.name for new in request.channels])
    outcome = Outcome()
    existing, missing = _find_wanted(tx, user, request, lookup, outcome)
    created = creation.create_alike(tx, user, missing)
    user_ids = _principals(tx, user, request.principals, existing, lookup.access, email_domain)

    wanted = sorted(
        {channel.id: channel for channel in existing + created}.values(),
        key=lambda channel: channel.name,
    )
    inside = _inside(tx, wanted, user_ids)
    for channel in wanted:
        for user_id in user_ids:
            is_inside = channel.id in inside[user_id]
            group = outcome.already_subscribed if is_inside else outcome.subscribed
            group.setdefault(user_id, []).append(channel.name)
    is_small = len(outcome.subscribed) <= domain.limits.MAX_NEW_SUBSCRIPTION_NOTICES
    outcome.notified_subscribers = request.notifies_subscribers and is_small
    outcome.channel_ids = [channel.id for channel in wanted]
    outcome.created_ids = [channel.id for channel in created]
    joining = [user_id for user_id in user_ids if user_id in outcome.subscribed]
    now, *outcome.remaining = _portions(joining, len(wanted), notifies=outcome.notified_subscribers)
    first = storage.people.users.find_many(tx, now)
    _join_and_notify(tx, user, request, outcome, (wanted, first))
    _announce_new_channels(tx, user, created, announced=request.announced)
    return outcome


def subscribe_remaining(
    tx: Tx, user: User, request: SubscribeRequest, outcome: Outcome, user_ids: list[int]
) -> None:
    """Subscribe further users, as `subscribe` has checked. Archived channels and deactivated users
    are left out."""
    user = permissions.current_rights(tx, user)
    people_ = [each for each in storage.people.users.find_many(tx, user_ids) if each.is_active]
    found = storage.channels.table.find_many(tx, outcome.channel_ids)
    wanted = [channel for channel in found if not channel.archived]
    existing = [channel for channel in wanted if channel.id not in outcome.created_ids]
    access = BulkAccess(tx, user, existing)
    _require_adding_others(tx, user, user_ids, existing, access)
    _join_and_notify(tx, user, request, outcome, (wanted, people_))


def create_channel(
    tx: Tx,
    user: User,
    new: NewChannel,
    rendered_description: str,
    subscriber_ids: list[int],
    web_public_allowed: bool,
    announced: bool,
) -> Outcome:
    """Create a channel with these subscribers."""
    user = permissions.current_rights(tx, user)
    _check_creations(tx, user, [new])
    name = domain.channels.channel.checked_name(new.name)
    creation.check_creation(tx, user, new, web_public_allowed)
    creation.check_names_are_free(tx, [name])
    _check_new_channels(tx, user, 1)
    channel = creation.create_unchecked(tx, user, new, rendered_description)
    access = BulkAccess(tx, user, [channel])
    joining = _principals(tx, user, subscriber_ids, [], access, "") if subscriber_ids else []
    now, *remaining = _portions(joining, 1, notifies=False)
    join(tx, channel, storage.people.users.find_many(tx, now))
    _announce_new_channels(tx, user, [channel], announced=announced)
    return Outcome(
        channel_ids=[channel.id],
        created_ids=[channel.id],
        notified_subscribers=False,
        remaining=remaining,
    )


def edit(
    tx: Tx, user: User, request: SubscribeRequest, removal: Removal, email_domain: str
) -> tuple[Outcome, Removed]:
    """Subscribe to some channels and unsubscribe from others, or neither."""
    if not request.channels and not removal.names:
        raise NothingToDo(names='"add" or "delete"')
    outcome = subscribe(tx, user, request, email_domain)
    return outcome, unsubscribe(tx, user, removal, email_domain)


def join(tx: Tx, channel: Channel, new_subscribers: list[User], color: str | None = None) -> None:
    """Subscribe users who are not in the channel, and announce it."""
    colors = {} if color is None else {domain.channels.topics.fold(channel.name): color}
    _join_all(tx, {channel.id: (channel, new_subscribers)}, colors)


def join_several(tx: Tx, wanted: list[Channel], new_subscribers: list[User]) -> None:
    """Subscribe users to channels that none of them is in, with one event."""
    _join_all(tx, {channel.id: (channel, new_subscribers) for channel in wanted}, {})


def _check_creations(tx: Tx, user: User, wanted: list[NewChannel]) -> None:
    """Checks of the parameters for new channels, even if none is new."""
    for folder_id in {new.folder_id for new in wanted if new.folder_id is not None}:
        storage.channels.table.require_folder(tx, folder_id)
    if any(new.topics_policy != INHERIT for new in wanted):
        permissions.require_in_realm(tx, user, "can_set_topics_policy_group")


def check_size(channels: int, principals: int) -> None:
    """Limit the size of one call, before anything is read."""
    if channels * max(1, principals) > domain.limits.MAX_SUBSCRIPTIONS_PER_CALL:
        raise TooMany("subscriptions at once", domain.limits.MAX_SUBSCRIPTIONS_PER_CALL)


def check_new_channels(count: int) -> None:
    """Limit the new channels of one call: all users receive them."""
    if count > domain.limits.MAX_NEW_CHANNELS_PER_CALL:
        raise TooMany("new channels at once", domain.limits.MAX_NEW_CHANNELS_PER_CALL)


def _check_new_channels(tx: Tx, user: User, count: int) -> None:
    check_new_channels(count)
    if (
        count
        and storage.table_counts.created_channels(tx, user) + count > domain.limits.MAX_CHANNELS
    ):
        raise TooMany("channels", domain.limits.MAX_CHANNELS)


def _find_wanted(
    tx: Tx,
    user: User,
    request: SubscribeRequest,
    lookup: ChannelLookup,
    outcome: Outcome,
) -> tuple[list[Channel], list[tuple[NewChannel, str]]]:
    """The channels that the user may join, and those to create. A name that occurs twice is one
    channel."""
    existing: list[Channel] = []
    missing: dict[str, tuple[NewChannel, str]] = {}
    may_create = False
    for new, rendered in zip(request.channels, request.rendered_descriptions, strict=True):
        domain.channels.channel.checked_name(new.name)
        channel = lookup.any(new.name)
        if lookup.visible(new.name) is None and not may_create:
            # Only users who may create such a channel learn that the name is taken.
            creation.check_creation(tx, user, new, request.web_public_allowed)
            may_create = True
        if channel is None:
            missing[domain.channels.topics.fold(new.name)] = (new, rendered)
        elif _may_join(lookup.access, channel, new.name, request):
            existing.append(channel)
        else:
            outcome.unauthorized.append(new.name)
    _check_new_channels(tx, user, len(missing))
    creation.check_names_are_free(tx, [new.name for new, _ in missing.values()])
    return existing, list(missing.values())


def _may_join(access: BulkAccess, channel: Channel, name: str, request: SubscribeRequest) -> bool:
    """Whether the user may subscribe. Raises if that must fail the whole call."""
    if not access.may_read(channel):
        if request.authorization_errors_fatal:
            raise BadRequest(f"Unable to access channel ({name}).", problem="invalid-channel-name")
        return False
    if channel.archived:
        raise ChannelIsArchived()
    return True


def _principals(
    tx: Tx,
    user: User,
    principals: Principals,
    existing: list[Channel],
    access: BulkAccess,
    email_domain: str,
) -> list[int]:
    """The users to subscribe; the caller if none is named. Thousands by id are not loaded."""
    if not principals:
        return [user.id]
    ids = visible_users.usable_principals(tx, user, principals)
    if ids is not None:
        _require_adding_others(tx, user, ids, existing, access)
        return ids
    found = visible_users.find_principals(tx, user, principals, email_domain)
    named = [None if each is None else each.id for each in found]
    _require_adding_others(tx, user, named, existing, access)
    return sorted(person.id for person in visible_users.all_active(found))


def _require_adding_others(
    tx: Tx,
    user: User,
    user_ids: Collection[int | None],
    channels: list[Channel],
    access: BulkAccess,
) -> None:
    own = {user.id, *storage.people.bots.ids_of_owners(tx, [user.id])}
    if not own.issuperset(user_ids) and len(addable(tx, user, channels, access)) < len(channels):
        raise InsufficientPermission()


def addable(tx: Tx, user: User, channels: list[Channel], access: BulkAccess) -> list[Channel]:
    """Those of the channels to which a user may add others."""
    limited = {channel.id for channel in channels if not access.may_administer(channel)}
    if not limited or permissions.has_realm_permission(tx, user, "can_add_subscribers_group"):
        return channels
    return [
        channel
        for channel in channels
        if channel.id not in limited or access.has_permission(channel, "can_add_subscribers_group")
    ]


def _inside(tx: Tx, channels: list[Channel], user_ids: list[int]) -> dict[int, set[int]]:
    """The channels that each user is in."""
    channel_ids = [channel.id for channel in channels]
    return storage.channels.subscriptions.inside(tx, channel_ids, user_ids)


def _portions(user_ids: list[int], channels: int, *, notifies: bool) -> list[list[int]]:
    """The users of this write and of each further one."""
    size = max(1, domain.limits.MAX_SUBSCRIPTIONS_PER_WRITE // max(1, channels))
    if notifies:
        size = min(size, domain.limits.MAX_NOTICES_PER_WRITE)
    return domain.portions.split(user_ids, size) or [[]]


def _join_and_notify(
    tx: Tx,
    user: User,
    request: SubscribeRequest,
    outcome: Outcome,
    pairs: tuple[list[Channel], list[User]],
) -> None:
    wanted, people_ = pairs
    inside = _inside(tx, wanted, [person.id for person in people_])
    joins: UsersByChannel = {
        channel.id: (channel, [each for each in people_ if channel.id not in inside[each.id]])
        for channel in wanted
    }
    _join_all(tx, joins, request.colors)
    if outcome.notified_subscribers:
        _notify_subscribers(tx, user, joins, outcome.created_ids)


def _join_all(tx: Tx, joins: UsersByChannel, colors: dict[str, str]) -> None:
    movers = _movers(joins)
    if not movers:
        return
    holds = permissions.permission_checker(tx, movers)
    user_ids = sorted(person.id for person in movers)
    taken = storage.channels.subscriptions.colors_of(tx, user_ids)
    seq, newest = storage.log.head(tx), storage.messages.table.newest_id(tx)
    meeting = _visibility_diff(tx, joins)
    channel_ids = [channel.id for channel, new_subscribers in joins.values() if new_subscribers]
    counts = storage.channels.subscriptions.counts_active(tx, channel_ids)
    new = [
        NewSubscriber(channel, user_id, color)
        for channel, new_subscribers in joins.values()
        for user_id, color in _choose_colors(
            new_subscribers, taken, colors.get(domain.channels.topics.fold(channel.name))
        ).items()
    ]
    storage.channels.subscriptions.activate_all(tx, new, seq, newest)
    stored = {
        (row.channel_id, row.user_id): row.chosen()
        for row in storage.channels.subscriptions.of_channels(tx, channel_ids, user_ids)
    }
    subscribed = [
        AddedSubscription(
            channel_id=channel.id,
            subscriptions={each.id: stored[channel.id, each.id] for each in new_subscribers},
            count_before=counts.get(channel.id, 0),
            revealed_to=_gaining_access(channel, new_subscribers, holds),
            first_message_id=channel.first_message_id,
        )
        for channel, new_subscribers in joins.values()
        if new_subscribers
    ]
    meeting.announce(tx)
    events.log.announce(tx, SubscriptionsAdded(subscribed), to=Everyone())


def _choose_colors(
    new_subscribers: list[User], taken: dict[int, set[str]], wanted: str | None
) -> dict[int, str]:
    chosen = {}
    for person in new_subscribers:
        color = wanted or domain.channels.channel.next_color(taken[person.id])
        taken[person.id].add(color)
        chosen[person.id] = color
    return chosen


def _gaining_access(channel: Channel, people_: list[User], holds: HasPermission) -> list[int]:
    """Those of the users who could not see the channel without a subscription."""
    return [
        person.id
        for person in people_
        if not domain.channels.access.may_see(person, channel, False, partial(holds, person))
    ]


def _announce_new_channels(tx: Tx, user: User, created: list[Channel], *, announced: bool) -> None:
    for channel in created:
        notices.post_if_enabled(
            tx, channel, domain.messages.notices.channel_created(user, channel), read_by=[user.id]
        )
    public = [channel for channel in created if channel.is_public]
    where = storage.channels.table.find(
        tx, storage.organization.realms.current(tx).setting("new_stream_announcements_stream_id")
    )
    if announced and public and where is not None and not where.archived:
        words = domain.messages.notices.new_channels(user, public)
        notices.post(tx, where, notices.NEW_CHANNELS, words, read_by=[user.id])


def _notify_subscribers(tx: Tx, user: User, joins: UsersByChannel, created_ids: list[int]) -> None:
    """Notify users of their subscriptions to channels that existed before."""
    news: dict[int, list[Channel]] = {}
    for channel, people_ in joins.values():
        if channel.id not in created_ids:
            for person in people_:
                if person.id != user.id and not person.is_bot:
                    news.setdefault(person.id, []).append(channel)
    for user_id, joined in news.items():
        notices.send_to_user(tx, user_id, domain.messages.notices.subscribed_you(user, joined))


# --- unsubscribing ---


def unsubscribe(tx: Tx, user: User, removal: Removal, email_domain: str) -> Removed:
    """Check everything, and unsubscribe the first users."""
    user = permissions.current_rights(tx, user)
    lookup = ChannelLookup(tx, user, removal.names)
    found = _find_all(lookup, removal.names)
    users = [user]
    if removal.principals:
        named = visible_users.find_principals(tx, user, removal.principals, email_domain)
        users = visible_users.all_active(named)
    _check_removal(user, lookup.access, found, users)
    inside = _inside(tx, found, [person.id for person in users])
    outcome = Removed([], [], [channel.id for channel in found], [])
    for channel in found:
        if channel.archived and any(channel.id in each for each in inside.values()):
            raise ChannelIsArchived()
        for person in users:
            is_inside = channel.id in inside[person.id]
            (outcome.removed if is_inside else outcome.not_removed).append(channel.name)
    leaving = [person.id for person in users if inside[person.id]]
    now, *outcome.remaining = _removal_portions(tx, leaving, len(found))
    _remove_from(tx, found, now)
    return outcome


def unsubscribe_remaining(tx: Tx, user: User, channel_ids: list[int], user_ids: list[int]) -> None:
    """Unsubscribe further users, as `unsubscribe` has checked."""
    user = permissions.current_rights(tx, user)
    found = storage.channels.table.find_many(tx, channel_ids)
    users = storage.people.users.find_many(tx, user_ids)
    _check_removal(user, BulkAccess(tx, user, found), found, users)
    _remove_from(tx, [channel for channel in found if not channel.archived], user_ids)


def _removal_portions(tx: Tx, user_ids: list[int], channels: int) -> list[list[int]]:
    """Divide users into one list for each write, by the work that each of them causes."""
    lags = storage.messages.unread.lags(tx, user_ids)
    found: list[list[int]] = [[]]
    room = MAX_CATCH_UP_PER_WRITE
    for user_id in user_ids:
        cost = MIN_COST_PER_USER + channels + lags[user_id]
        if found[-1] and cost > room:
            found.append([])
            room = MAX_CATCH_UP_PER_WRITE
        found[-1].append(user_id)
        room -= cost
    return found


def _remove_from(tx: Tx, channels: list[Channel], user_ids: list[int]) -> None:
    users = storage.people.users.find_many(tx, user_ids)
    inside = _inside(tx, channels, user_ids)
    _remove_all(
        tx,
        {
            channel.id: (channel, [each for each in users if channel.id in inside[each.id]])
            for channel in channels
        },
    )


def remove(tx: Tx, channel: Channel, users: list[User]) -> None:
    """Unsubscribe users who are in the channel, and announce it."""
    _remove_all(tx, {channel.id: (channel, users)})


def _find_all(lookup: ChannelLookup, names: list[str]) -> list[Channel]:
    found = [lookup.visible(name) for name in names]
    unknown = [name for name, channel in zip(names, found, strict=True) if channel is None]
    if unknown:
        raise BadRequest(
            f"Channel(s) ({', '.join(unknown)}) do not exist", problem="invalid-channel-name"
        )
    return list({channel.id: channel for channel in found if channel is not None}.values())


def _check_removal(
    user: User, access: BulkAccess, channels: list[Channel], users: list[User]
) -> None:
    if all(_is_self(user, person) for person in users):
        return
    for channel in channels:
        if not (
            access.may_administer(channel)
            or access.has_permission(channel, "can_remove_subscribers_group")
        ):
            raise InsufficientPermission()


def _remove_all(tx: Tx, removals: UsersByChannel) -> None:
    movers = _movers(removals)
    if not movers:
        return
    holds = permissions.permission_checker(tx, movers)
    seq, newest = storage.log.head(tx), storage.messages.table.newest_id(tx)
    meeting = _visibility_diff(tx, removals)
    left = [
        RemovedSubscription(
            channel.id,
            sorted(person.id for person in users),
            _gaining_access(channel, users, holds),
            channel.name,
        )
        for channel, users in removals.values()
        if users
    ]
    storage.channels.subscriptions.end(
        tx, [each.channel_id for each in left], [each.id for each in movers], seq, newest
    )
    events.log.announce(tx, SubscriptionsRemoved(left), to=Everyone())
    meeting.announce(tx)
    left_by: dict[int, list[int]] = {}
    for each in left:
        for user_id in each.user_ids:
            left_by.setdefault(user_id, []).append(each.channel_id)
    for user_id, channel_ids in left_by.items():
        read_state.mark_channels_read(tx, user_id, channel_ids)


def _visibility_diff(tx: Tx, moves: UsersByChannel) -> VisibilityDiff:
    return VisibilityDiff(tx, list(moves), _movers(moves))


def _movers(moves: UsersByChannel) -> list[User]:
    """The users who join or leave, each once."""
    return list({each.id: each for _, people_ in moves.values() for each in people_}.values())


def _is_self(user: User, person: User) -> bool:
    """A user's bots count as the user."""
    return person.id == user.id or person.bot_owner_id == user.id
