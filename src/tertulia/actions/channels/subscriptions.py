"""Subscribing and unsubscribing, oneself or others."""

from collections.abc import Sequence
from functools import partial

import msgspec
from msgspec import field

from tertulia import actions, domain, events, storage
from tertulia.actions.groups.permissions import HasPermission
from tertulia.actions.people.known_people import VisibilityDiff
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel
from tertulia.domain.channels.topics import INHERIT
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import InsufficientPermission
from tertulia.errors.channels import ChannelIsArchived
from tertulia.errors.parameters import NothingToDo
from tertulia.events.audience import Everyone
from tertulia.events.types.channels.subscriptions import (
    AddedSubscription,
    RemovedSubscription,
    SubscriptionsAdded,
    SubscriptionsRemoved,
)

Principals = Sequence[int | str]
UsersByChannel = dict[int, tuple[Channel, list[User]]]  # by channel id


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


class Removal(msgspec.Struct, frozen=True):
    names: list[str]
    principals: Principals = ()


# --- subscribing ---


def subscribe(tx: Tx, user: User, request: SubscribeRequest, email_domain: str) -> Outcome:
    user = actions.groups.permissions.current_rights(tx, user)
    _check_creations(tx, user, request.channels)
    outcome = Outcome()
    existing: list[Channel] = []
    missing: list[tuple[NewChannel, str]] = []
    for new, rendered in zip(request.channels, request.rendered_descriptions, strict=True):
        channel = storage.channels.find_by_name(tx, domain.channels.channel.checked_name(new.name))
        if actions.channels.if_visible(tx, user, channel) is None:
            # Only users who may create such a channel learn that the name is taken.
            actions.channels.check_creation(tx, user, new, request.web_public_allowed)
        if channel is None:
            actions.channels.check_name_is_free(tx, new.name)
            missing.append((new, rendered))
        elif _may_join(tx, user, channel, new.name, request):
            existing.append(channel)
        else:
            outcome.unauthorized.append(new.name)
    missing = _unique(missing)
    _check_size(tx, user, len(missing), len(request.channels) * max(1, len(request.principals)))
    created = [
        actions.channels.create_unchecked(tx, user, new, rendered) for new, rendered in missing
    ]
    people_ = _principals(tx, user, request.principals, existing, email_domain)

    joins = _subscribe_missing(tx, existing + created, people_, request, outcome)
    _announce_new_channels(tx, user, created, announced=request.announced)
    if request.notifies_subscribers:
        outcome.notified_subscribers = _notify_subscribers(tx, user, joins, created)
    return outcome


def create_channel(
    tx: Tx,
    user: User,
    new: NewChannel,
    rendered_description: str,
    subscriber_ids: list[int],
    web_public_allowed: bool,
    announced: bool,
) -> int:
    """Create a channel with these subscribers. Returns its id."""
    user = actions.groups.permissions.current_rights(tx, user)
    _check_creations(tx, user, [new])
    name = domain.channels.channel.checked_name(new.name)
    actions.channels.check_creation(tx, user, new, web_public_allowed)
    actions.channels.check_name_is_free(tx, name)
    _check_size(tx, user, 1, len(subscriber_ids))
    channel = actions.channels.create_unchecked(tx, user, new, rendered_description)
    join(tx, channel, _principals(tx, user, subscriber_ids, [], "") if subscriber_ids else [])
    _announce_new_channels(tx, user, [channel], announced=announced)
    return channel.id


def edit(
    tx: Tx, user: User, request: SubscribeRequest, removal: Removal, email_domain: str
) -> tuple[Outcome, tuple[list[str], list[str]]]:
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
        actions.channels.folders.get(tx, folder_id)
    if any(new.topics_policy != INHERIT for new in wanted):
        actions.groups.permissions.require_in_realm(tx, user, "can_set_topics_policy_group")


def _check_size(tx: Tx, user: User, new_channels: int, subscriptions: int) -> None:
    """Limit the size of one call: all other writes wait for it, and all users receive the
    channels."""
    if subscriptions > domain.limits.MAX_SUBSCRIPTIONS_PER_CALL:
        raise BadRequest(
            f"Too many subscriptions at once (limit: {domain.limits.MAX_SUBSCRIPTIONS_PER_CALL})"
        )
    if new_channels > domain.limits.MAX_NEW_CHANNELS_PER_CALL:
        raise BadRequest(
            f"Too many new channels at once (limit: {domain.limits.MAX_NEW_CHANNELS_PER_CALL})"
        )
    if (
        new_channels
        and storage.creation_counts.channels(tx, user) + new_channels > domain.limits.MAX_CHANNELS
    ):
        raise BadRequest(f"Too many channels (limit: {domain.limits.MAX_CHANNELS})")


def _unique(missing: list[tuple[NewChannel, str]]) -> list[tuple[NewChannel, str]]:
    """A name that occurs twice is one channel."""
    return list(
        {
            domain.channels.topics.fold(new.name): (new, rendered) for new, rendered in missing
        }.values()
    )


def _may_join(tx: Tx, user: User, channel: Channel, name: str, request: SubscribeRequest) -> bool:
    """Whether the user may subscribe. Raises if that must fail the whole call."""
    if not actions.channels.may_read(tx, user, channel):
        if request.authorization_errors_fatal:
            raise BadRequest(f"Unable to access channel ({name}).")
        return False
    if channel.archived:
        raise ChannelIsArchived()
    return True


def _principals(
    tx: Tx, user: User, principals: Principals, existing: list[Channel], email_domain: str
) -> list[User]:
    """The users to subscribe, by id; the caller if none is named."""
    if not principals:
        return [user]
    found = actions.people.visible_users.find_principals(tx, user, principals, email_domain)
    others = [person for person in found if person is None or not _is_self(user, person)]
    if others and not all(_may_add_others(tx, user, channel) for channel in existing):
        raise InsufficientPermission()
    return sorted(actions.people.visible_users.all_active(found), key=lambda person: person.id)


def require_adding(tx: Tx, user: User, channel: Channel) -> None:
    """Raise if a user may not add others to a channel."""
    if not _may_add_others(tx, user, channel):
        raise BadRequest("You do not have permission to subscribe other users to channels.")


def _may_add_others(tx: Tx, user: User, channel: Channel) -> bool:
    return (
        actions.channels.may_administer(tx, user, channel)
        or actions.groups.permissions.has_realm_permission(tx, user, "can_add_subscribers_group")
        or actions.channels.has_permission(tx, user, channel, "can_add_subscribers_group")
    )


def _subscribe_missing(
    tx: Tx, wanted: list[Channel], people_: list[User], request: SubscribeRequest, outcome: Outcome
) -> UsersByChannel:
    """Subscribe the users to the channels that each is not in yet."""
    ids = [person.id for person in people_]
    joins: UsersByChannel = {}
    for channel in sorted(wanted, key=lambda channel: channel.name):
        if channel.id in joins:
            continue
        inside = storage.channels.subscriptions.active_user_ids(tx, channel.id, among=ids)
        for person in people_:
            group = outcome.already_subscribed if person.id in inside else outcome.subscribed
            group.setdefault(person.id, []).append(channel.name)
        joins[channel.id] = (channel, [each for each in people_ if each.id not in inside])
    _join_all(tx, joins, request.colors)
    return joins


def _join_all(tx: Tx, joins: UsersByChannel, colors: dict[str, str]) -> None:
    movers = _movers(joins)
    holds = actions.groups.permissions.permission_checker(tx, movers)
    taken = storage.channels.subscriptions.colors_of(tx, sorted(person.id for person in movers))
    seq, newest = storage.log.head(tx), storage.messages.newest_id(tx)
    meeting = _visibility_diff(tx, joins)
    subscribed: list[AddedSubscription] = []
    for channel, new_subscribers in joins.values():
        if not new_subscribers:
            continue
        chosen = _choose_colors(
            new_subscribers, taken, colors.get(domain.channels.topics.fold(channel.name))
        )
        count = storage.channels.subscriptions.count_active(tx, channel.id)
        storage.channels.subscriptions.activate(tx, channel, chosen, seq, newest)
        ids = [person.id for person in new_subscribers]
        subscribed.append(
            AddedSubscription(
                channel_id=channel.id,
                subscriptions={
                    row.user_id: row.chosen()
                    for row in storage.channels.subscriptions.of_channel(tx, channel.id, ids)
                },
                count_before=count,
                revealed_to=_gaining_access(channel, new_subscribers, holds),
                first_message_id=channel.first_message_id,
            )
        )
    if subscribed:
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
        actions.messages.notices.post_if_enabled(
            tx, channel, domain.messages.notices.channel_created(user, channel), read_by=[user.id]
        )
    public = [channel for channel in created if channel.is_public]
    where = storage.channels.find(
        tx, storage.organization.current(tx).setting("new_stream_announcements_stream_id")
    )
    if announced and public and where is not None and not where.archived:
        words = domain.messages.notices.new_channels(user, public)
        actions.messages.notices.post(
            tx, where, actions.messages.notices.NEW_CHANNELS, words, read_by=[user.id]
        )


def _notify_subscribers(tx: Tx, user: User, joins: UsersByChannel, created: list[Channel]) -> bool:
    """Notify users of their new subscriptions. False if there are too many to notify."""
    new_ids = {channel.id for channel in created}
    news: dict[int, list[Channel]] = {}
    new_subscribers: set[int] = set()
    for channel, people_ in joins.values():
        new_subscribers.update(person.id for person in people_)
        if channel.id not in new_ids:
            for person in people_:
                if person.id != user.id and not person.is_bot:
                    news.setdefault(person.id, []).append(channel)
    if len(new_subscribers) > domain.limits.MAX_NEW_SUBSCRIPTION_NOTICES:
        return False
    for user_id, joined in news.items():
        actions.messages.notices.send_to_user(
            tx, user_id, domain.messages.notices.subscribed_you(user, joined)
        )
    return True


# --- unsubscribing ---


def unsubscribe(
    tx: Tx, user: User, removal: Removal, email_domain: str
) -> tuple[list[str], list[str]]:
    """Unsubscribe users. Returns the names of channels they left, and of those they were not in."""
    user = actions.groups.permissions.current_rights(tx, user)
    found = _find_all(tx, user, removal.names)
    users = [user]
    if removal.principals:
        named = actions.people.visible_users.find_principals(
            tx, user, removal.principals, email_domain
        )
        users = actions.people.visible_users.all_active(named)
    removed: list[str] = []
    not_removed: list[str] = []
    removals: UsersByChannel = {}
    ids = [person.id for person in users]
    for channel in found:
        _check_removal(tx, user, channel, users)
        inside = storage.channels.subscriptions.active_user_ids(tx, channel.id, among=ids)
        if inside and channel.archived:
            raise ChannelIsArchived()
        for person in users:
            (removed if person.id in inside else not_removed).append(channel.name)
        removals[channel.id] = (channel, [each for each in users if each.id in inside])
    _remove_all(tx, removals)
    return removed, not_removed


def remove(tx: Tx, channel: Channel, users: list[User]) -> None:
    """Unsubscribe users who are in the channel, and announce it."""
    _remove_all(tx, {channel.id: (channel, users)})


def _find_all(tx: Tx, user: User, names: list[str]) -> list[Channel]:
    found = [actions.channels.named(tx, user, name) for name in names]
    unknown = [name for name, channel in zip(names, found, strict=True) if channel is None]
    if unknown:
        raise BadRequest(f"Channel(s) ({', '.join(unknown)}) do not exist")
    return list({channel.id: channel for channel in found if channel is not None}.values())


def _check_removal(tx: Tx, user: User, channel: Channel, users: list[User]) -> None:
    others = [person for person in users if not _is_self(user, person)]
    if others and not (
        actions.channels.may_administer(tx, user, channel)
        or actions.channels.has_permission(tx, user, channel, "can_remove_subscribers_group")
    ):
        raise InsufficientPermission()


def _remove_all(tx: Tx, removals: UsersByChannel) -> None:
    holds = actions.groups.permissions.permission_checker(tx, _movers(removals))
    seq, newest = storage.log.head(tx), storage.messages.newest_id(tx)
    meeting = _visibility_diff(tx, removals)
    left: list[RemovedSubscription] = []
    for channel, users in removals.values():
        if not users:
            continue
        ids = sorted(person.id for person in users)
        hidden = _gaining_access(channel, users, holds)
        storage.channels.subscriptions.end(tx, channel.id, ids, seq, newest)
        left.append(RemovedSubscription(channel.id, ids, hidden, channel.name))
    if not left:
        return
    events.log.announce(tx, SubscriptionsRemoved(left), to=Everyone())
    meeting.announce(tx)
    for removed in left:
        for user_id in removed.user_ids:
            actions.messages.read_state.mark_conversation_read(tx, user_id, removed.channel_id)


def _visibility_diff(tx: Tx, moves: UsersByChannel) -> VisibilityDiff:
    return VisibilityDiff(tx, list(moves), _movers(moves))


def _movers(moves: UsersByChannel) -> list[User]:
    """The users who join or leave, each once."""
    return list({each.id: each for _, people_ in moves.values() for each in people_}.values())


def _is_self(user: User, person: User) -> bool:
    """A user's bots count as the user."""
    return person.id == user.id or person.bot_owner_id == user.id
