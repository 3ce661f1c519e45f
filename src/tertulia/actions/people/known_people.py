"""Known users: events about a user go only to users who may know them.

An organization can hide users from guests who share no channel and no direct conversation with
them. Events about a user go to users who know them at that moment. A guest gets events when users
become visible or invisible. Lookups are in `visible_users`.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from tertulia import domain, events, storage
from tertulia.actions.groups import permissions
from tertulia.actions.people import visible_users
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.events.audience import AllBut, Audience, Everyone, NoClients, Users
from tertulia.events.types.people.known_people import DirectConversationStarted, PeopleBecameVisible

KnownUsers = dict[int, set[int]]  # known users by viewer


def audience_knowing(tx: Tx, user_id: int) -> Audience:
    """The audience of users who may know a user at this moment."""
    others = hidden_people(tx, user_id)
    return AllBut(others) if others else Everyone()


def hidden_people(tx: Tx, user_id: int) -> list[int]:
    """The guests who may not know a user."""
    if not visible_users.guests_are_limited(tx):
        return []
    user = storage.people.users.find(tx, user_id)
    if user is None or user.is_bot:
        return []
    channel_ids = storage.channels.subscriptions.channel_ids_of(tx, user.id)
    met = {
        user.id,
        *(storage.people.known_people.guests_in(tx, channel_ids) if channel_ids else ()),
    }
    met |= storage.people.known_people.partners(tx, [user.id])[user.id]
    return [guest_id for guest_id in storage.people.known_people.guests(tx) if guest_id not in met]


def split_by_audience(tx: Tx, user_ids: list[int]) -> Iterator[tuple[list[int], Audience]]:
    """Split users by who may know them: first all, for users who know all of them."""
    # The known ones, and the guests who know just these.
    unknown: dict[tuple[int, ...], list[int]] = {}
    hidden_from = (
        _hidden_from_guests(tx, storage.people.users.find_many(tx, user_ids))
        if visible_users.guests_are_limited(tx)
        else {}
    )
    for guest_id, hidden in hidden_from.items():
        known = tuple(each for each in user_ids if each not in hidden)
        unknown.setdefault(known, []).append(guest_id)
    yield user_ids, AllBut(sorted(hidden_from)) if hidden_from else Everyone()
    for known, guests in unknown.items():
        yield list(known), Users(guests)


def by_audience(tx: Tx, people: Collection[User]) -> Iterator[tuple[list[User], Audience]]:
    """Users together with those whom the same users may know."""
    limited = visible_users.guests_are_limited(tx)
    hidden_from = _hidden_from_guests(tx, people) if limited else {}
    alike: dict[tuple[int, ...], list[User]] = {}
    for user in people:
        others = (guest_id for guest_id, hidden in hidden_from.items() if user.id in hidden)
        alike.setdefault(tuple(others), []).append(user)
    for guest_ids, some in alike.items():
        yield some, AllBut(list(guest_ids)) if guest_ids else Everyone()


def _hidden_from_guests(tx: Tx, people: Collection[User]) -> dict[int, set[int]]:
    """The guests who may not know all of these users, each with those whom they may not know."""
    ids = {user.id for user in people if not user.is_bot}
    guests = storage.people.known_people.guests(tx)
    met = storage.people.known_people.direct_partners(tx, guests, ids)
    hidden = {guest_id: ids - met[guest_id] - {guest_id} for guest_id in guests}
    return {guest_id: unknown for guest_id, unknown in hidden.items() if unknown}


# --- announcing visibility ---


def known(tx: Tx, viewers: Collection[User], among: Collection[int] | None = None) -> KnownUsers:
    """The users whom each viewer may know, of all or of some.

    Bots and the viewers themselves, who are always known, are left out.
    """
    if not viewers:
        return {}
    everybody = set(storage.people.users.human_ids(tx))
    if among is not None:
        everybody.intersection_update(among)
    guests = [viewer.id for viewer in viewers if viewer.is_guest]
    met = (
        storage.people.known_people.direct_partners(tx, guests, among)
        if visible_users.guests_are_limited(tx)
        else {}
    )
    return {
        viewer.id: (everybody & met.get(viewer.id, everybody)) - {viewer.id} for viewer in viewers
    }


def announce_changes(
    tx: Tx, before: KnownUsers, after: KnownUsers, other_channels: Iterable[int] = ()
) -> None:
    """Announce the differences. Viewers with the same change share an event.

    `other_channels` become visible or invisible at the same time and have their own events.
    """
    for (shown, hidden), viewer_ids in domain.channels.access.changes(before, after).items():
        groups = _groups_of(tx, [*shown, *hidden])
        event = PeopleBecameVisible(list(shown), list(hidden), groups, sorted(other_channels))
        events.log.announce(tx, event, to=Users(viewer_ids))


def _groups_of(tx: Tx, user_ids: list[int]) -> dict[int, list[int]]:
    """The groups that contain some of these users, with their members among them."""
    people = [each for each in storage.people.users.find_many(tx, user_ids) if each.is_active]
    known = storage.groups.Memberships(tx, people)
    by_role = permissions.system_group_ids(tx, people)
    found: dict[int, list[int]] = {}
    for each in people:
        for group_id in [*by_role[each.id], *known.listing(each.id)]:
            found.setdefault(group_id, []).append(each.id)
    return found


class VisibilityDiff:
    """Compares whom guests know before and after users join or leave channels."""

    def __init__(self, tx: Tx, channel_ids: list[int], movers: Iterable[User]) -> None:
        people = {user.id: user for user in movers}
        self._mover_ids = people.keys()
        self._moving: list[User] = []
        self._inside: list[User] = []
        if people and visible_users.guests_are_limited(tx):
            self._moving = [user for user in people.values() if user.is_guest and user.is_active]
            inside = set(storage.people.known_people.guests_in(tx, channel_ids)) - people.keys()
            self._inside = storage.people.users.find_many(tx, sorted(inside))
        self._before = self._known(tx)

    def announce(self, tx: Tx) -> None:
        announce_changes(tx, self._before, self._known(tx))

    def _known(self, tx: Tx) -> KnownUsers:
        """For other subscribers, only their knowledge of the moving users can change."""
        return known(tx, self._inside, self._mover_ids) | known(tx, self._moving)


@contextmanager
def during_conversation(tx: Tx, members: dict[int, User]) -> Iterator[None]:
    """Wrap the start of a direct conversation: its members know each other afterwards."""
    guests = [user for user in members.values() if user.is_guest]
    if not guests or storage.messages.conversations.find(tx, sorted(members)) is not None:
        yield
        return
    before = known(tx, guests)
    partners = storage.people.known_people.partners(tx, [guest.id for guest in guests])
    yield
    news = {guest_id: sorted(members.keys() - met) for guest_id, met in partners.items()}
    events.log.announce(tx, DirectConversationStarted(sorted(members), news), to=NoClients())
    announce_changes(tx, before, known(tx, guests))
