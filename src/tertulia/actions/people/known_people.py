"""Who knows whom: telling of people to those who may know them, and of those who come into sight.

An organization can keep its people from guests who share no channel and no conversation with
them. What is told of a person goes to those who know them at that moment, and guests are told when
people come into their sight and when they leave it. Finding people as far as somebody may know
them is in `people`.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.events.audience import AllBut, Audience, Everyone, Nobody, Users
from tertulia.events.types.people.known_people import DirectConversationStarted, PeopleBecameVisible

Known = dict[int, set[int]]  # the people whom each of some viewers knows


def knowing(tx: Tx, user_id: int) -> Audience:
    """Those who may know somebody now, whenever they hear of it."""
    others = strangers(tx, user_id)
    return AllBut(others) if others else Everyone()


def strangers(tx: Tx, user_id: int) -> list[int]:
    """The guests who do not know somebody."""
    if not actions.people.visible_users.guests_are_limited(tx):
        return []
    user = storage.people.find(tx, user_id)
    if user is None or user.is_bot:
        return []
    channel_ids = storage.channels.subscriptions.channel_ids_of(tx, user.id)
    met = {
        user.id,
        *(storage.people.known_people.guests_in(tx, channel_ids) if channel_ids else ()),
    }
    met |= storage.people.known_people.partners(tx, [user.id])[user.id]
    return [guest_id for guest_id in storage.people.known_people.guests(tx) if guest_id not in met]


def told_apart(tx: Tx, user_ids: list[int]) -> Iterator[tuple[list[int], Audience]]:
    """Some people, to each as far as they know them: first all, to those who know all of them."""
    unknown: dict[tuple[int, ...], list[int]] = {}  # whom some guests know, and these guests
    if actions.people.visible_users.guests_are_limited(tx):
        people = {each.id for each in storage.people.find_many(tx, user_ids) if not each.is_bot}
        guests = storage.people.known_people.guests(tx)
        for guest_id, met in storage.people.known_people.met(tx, guests, people).items():
            hidden = people - met - {guest_id}
            if hidden:
                known = tuple(each for each in user_ids if each not in hidden)
                unknown.setdefault(known, []).append(guest_id)
    strangers = sorted(guest_id for guests in unknown.values() for guest_id in guests)
    yield user_ids, AllBut(strangers) if strangers else Everyone()
    for known, guests in unknown.items():
        yield list(known), Users(guests)


# --- telling of those who come into sight or leave it ---


def known(tx: Tx, viewers: Collection[User], among: Collection[int] | None = None) -> Known:
    """Whom each viewer knows, of all people or of some.

    Bots and the viewers themselves, whom they always know, are left out.
    """
    if not viewers:
        return {}
    everybody = set(storage.people.human_ids(tx))
    if among is not None:
        everybody.intersection_update(among)
    guests = [viewer.id for viewer in viewers if viewer.is_guest]
    met = (
        storage.people.known_people.met(tx, guests, among)
        if actions.people.visible_users.guests_are_limited(tx)
        else {}
    )
    return {
        viewer.id: (everybody & met.get(viewer.id, everybody)) - {viewer.id} for viewer in viewers
    }


def tell(tx: Tx, before: Known, after: Known, other_channels: Iterable[int] = ()) -> None:
    """Announce the differences; those who see the same change hear of it together.

    Of channels that come or go for them in the same moment they hear by themselves.
    """
    for (shown, hidden), viewer_ids in domain.channels.access.changes(before, after).items():
        groups = _groups_of(tx, [*shown, *hidden])
        event = PeopleBecameVisible(list(shown), list(hidden), groups, sorted(other_channels))
        events.log.announce(tx, event, to=Users(viewer_ids))


def _groups_of(tx: Tx, user_ids: list[int]) -> dict[int, list[int]]:
    """The groups that list some people, each with those of them who are in it."""
    people = [each for each in storage.people.find_many(tx, user_ids) if each.is_active]
    known = storage.groups.Memberships(tx, people)
    found: dict[int, list[int]] = {}
    for each in people:
        for group_id in [
            *actions.groups.permissions.system_group_ids(tx, each),
            *known.listing(each.id),
        ]:
            found.setdefault(group_id, []).append(each.id)
    return found


class Meeting:
    """People join channels or leave them: whom do the guests there know before and after?"""

    def __init__(self, tx: Tx, channel_ids: list[int], movers: Iterable[User]) -> None:
        people = {user.id: user for user in movers}
        self._mover_ids = people.keys()
        self._moving: list[User] = []
        self._inside: list[User] = []
        if people and actions.people.visible_users.guests_are_limited(tx):
            self._moving = [user for user in people.values() if user.is_guest and user.is_active]
            inside = set(storage.people.known_people.guests_in(tx, channel_ids)) - people.keys()
            self._inside = storage.people.find_many(tx, sorted(inside))
        self._before = self._known(tx)

    def tell(self, tx: Tx) -> None:
        tell(tx, self._before, self._known(tx))

    def _known(self, tx: Tx) -> Known:
        """Of those inside only what they know of the movers can change."""
        return known(tx, self._inside, self._mover_ids) | known(tx, self._moving)


@contextmanager
def talking(tx: Tx, members: dict[int, User]) -> Iterator[None]:
    """Put it around the beginning of a direct conversation: its members know each other then."""
    guests = [user for user in members.values() if user.is_guest]
    if not guests or storage.messages.conversations.find(tx, sorted(members)) is not None:
        yield
        return
    before = known(tx, guests)
    partners = storage.people.known_people.partners(tx, [guest.id for guest in guests])
    yield
    news = {guest_id: sorted(members.keys() - met) for guest_id, met in partners.items()}
    events.log.announce(tx, DirectConversationStarted(sorted(members), news), to=Nobody())
    tell(tx, before, known(tx, guests))
