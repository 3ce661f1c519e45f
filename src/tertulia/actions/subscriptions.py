"""Joining and leaving channels, alone or by the hand of others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tertulia.actions import channels as channel_actions
from tertulia.actions import people, rights
from tertulia.domain.channels import Channel, NewChannel, checked_name, next_color
from tertulia.domain.users import User
from tertulia.errors import BadRequest, InsufficientPermission
from tertulia.events.audience import Watchers
from tertulia.events.log import announce
from tertulia.events.types.channels import Joined, Left
from tertulia.storage import channels, log, messages, subscriptions
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class Wish:
    """Channels that somebody wants people to be in, to be created where they do not exist."""

    channels: list[NewChannel]
    rendered_descriptions: list[str]
    principals: Sequence[int | str] = ()
    authorization_errors_fatal: bool = True
    web_public_allowed: bool = False
    colors: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Outcome:
    subscribed: dict[int, list[str]] = field(default_factory=dict)
    already_subscribed: dict[int, list[str]] = field(default_factory=dict)
    unauthorized: list[str] = field(default_factory=list)


def subscribe(tx: Tx, user: User, wish: Wish, email_domain: str) -> Outcome:
    """All of it or none of it; when several things are wrong, clients know which is told first."""
    outcome = Outcome()
    existing: list[Channel] = []
    created: list[Channel] = []
    for new in wish.channels:
        channel_actions.check_topics_policy(tx, user, new.topics_policy)
    for new, rendered in zip(wish.channels, wish.rendered_descriptions, strict=True):
        checked_name(new.name)
        channel = channels.find_by_name(tx, new.name)
        if channel is None:
            created.append(channel_actions.create(tx, user, new, rendered, wish.web_public_allowed))
        elif _may_enter(tx, user, channel, wish):
            existing.append(channel)
        else:
            outcome.unauthorized.append(channel.name)
    subscribers = _subscribers(tx, user, wish.principals, existing, email_domain)
    for channel in existing + created:
        _subscribe_to(tx, channel, subscribers, wish.colors.get(channel.name), outcome)
    return outcome


def _may_enter(tx: Tx, user: User, channel: Channel, wish: Wish) -> bool:
    """Whether the user may bring anybody in; raises where that ends the whole call."""
    if channel.archived:
        raise BadRequest("Subscriptions in an archived channel cannot be changed.")
    if not channel_actions.may_read(tx, user, channel):
        if wish.authorization_errors_fatal:
            raise BadRequest(f"Unable to access channel ({channel.name}).")
        return False
    if user.is_guest and not channel.is_web_public:
        raise InsufficientPermission()
    return True


def _subscribers(
    tx: Tx,
    user: User,
    principals: Sequence[int | str],
    existing: list[Channel],
    email_domain: str,
) -> list[User]:
    """Whom the call is about, if the user may bring them into the channels that were there."""
    if not principals:
        return [user]
    found = people.find_principals(tx, principals, email_domain)
    if not all(person is not None and _is_self_or_own_bot(user, person) for person in found):
        for channel in existing:
            if not _may_add_others(tx, user, channel):
                raise InsufficientPermission()
    return people.all_active(found)


def _may_add_others(tx: Tx, user: User, channel: Channel) -> bool:
    return (
        user.is_admin
        or rights.holds_in_realm(tx, user, "can_add_subscribers_group")
        or rights.holds(tx, user, channel.permissions["can_administer_channel_group"])
        or rights.holds(tx, user, channel.permissions["can_add_subscribers_group"])
    )


def _subscribe_to(
    tx: Tx, channel: Channel, people_: list[User], color: str | None, outcome: Outcome
) -> None:
    ids = [person.id for person in people_]
    inside = subscriptions.active_user_ids(tx, channel.id, among=ids)
    for person in people_:
        group = outcome.already_subscribed if person.id in inside else outcome.subscribed
        group.setdefault(person.id, []).append(channel.name)
    newcomers = [person for person in people_ if person.id not in inside]
    if newcomers:
        join(tx, channel, newcomers, color)


def join(tx: Tx, channel: Channel, newcomers: list[User], color: str | None = None) -> None:
    """Subscribe people who are not in the channel, and tell everybody who may know."""
    revealed = [
        person.id for person in newcomers if not channel_actions.may_see(tx, person, channel)
    ]
    count = subscriptions.count_active(tx, channel.id)
    ids = [person.id for person in newcomers]
    taken = subscriptions.colors_of(tx, ids)
    colors = {user_id: color or next_color(taken[user_id]) for user_id in ids}
    subscriptions.activate(tx, channel.id, colors, log.head(tx), messages.newest_id(tx))
    announce(
        tx,
        Joined(
            channel_id=channel.id,
            subscriptions={
                row.user_id: row.chosen() for row in subscriptions.of_channel(tx, channel.id, ids)
            },
            count_before=count,
            at=tx.now,
            revealed_to=revealed,
            first_message_id=channel.first_message_id,
        ),
        to=Watchers(channel.id),
    )


def unsubscribe(
    tx: Tx, user: User, names: list[str], principals: Sequence[int | str], email_domain: str
) -> tuple[list[str], list[str]]:
    """Take people out of channels: the names of those they left, and of those they were not in."""
    leavers = [user]
    if principals:
        leavers = people.all_active(people.find_principals(tx, principals, email_domain))
    found = [(name, channels.find_by_name(tx, name)) for name in names]
    unknown = [name for name, channel in found if channel is None]
    if unknown:
        raise BadRequest(f"Channel(s) ({', '.join(unknown)}) do not exist")

    removed: list[str] = []
    not_removed: list[str] = []
    for _, channel in found:
        assert channel is not None
        _check_removal(tx, user, channel, leavers)
        inside = subscriptions.active_user_ids(
            tx, channel.id, among=[person.id for person in leavers]
        )
        for person in leavers:
            (removed if person.id in inside else not_removed).append(channel.name)
        leave(tx, channel, [person for person in leavers if person.id in inside])
    return removed, not_removed


def _check_removal(tx: Tx, user: User, channel: Channel, leavers: list[User]) -> None:
    if channel.archived:
        raise BadRequest("Subscriptions in an archived channel cannot be changed.")
    others = [person for person in leavers if not _is_self_or_own_bot(user, person)]
    if not others or user.is_admin:
        return
    for name in ("can_administer_channel_group", "can_remove_subscribers_group"):
        if rights.holds(tx, user, channel.permissions[name]):
            return
    raise InsufficientPermission()


def leave(tx: Tx, channel: Channel, leavers: list[User]) -> None:
    """Unsubscribe people who are in the channel, and tell everybody who may know."""
    if not leavers:
        return
    ids = [person.id for person in leavers]
    subscriptions.end(tx, channel.id, ids, log.head(tx), messages.newest_id(tx))
    hidden = [person.id for person in leavers if not channel_actions.may_see(tx, person, channel)]
    announce(tx, Left(channel.id, sorted(ids), hidden), to=Watchers(channel.id, also=sorted(ids)))


def _is_self_or_own_bot(user: User, person: User) -> bool:
    return person.id == user.id or person.bot_owner_id == user.id
