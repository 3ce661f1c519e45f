"""Acquaintance inside a transaction: finding people as far as somebody may know them.

An organization can keep its people from guests who share no channel and no conversation with
them. Every lookup of a person for a caller goes through here, so that somebody whom the caller may
not know is not there. Guests are told when people come into their sight and when they leave it.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from tertulia.domain.acquaintance import SETTING, may_know
from tertulia.domain.users import User
from tertulia.events.audience import AllBut, Audience, Everyone, Nobody, Users
from tertulia.events.log import announce
from tertulia.events.types.acquaintance import ConversationBegun, PeopleUncovered
from tertulia.storage import acquaintance, conversations, groups, realms, subscriptions, users
from tertulia.storage.tx import Tx

Known = dict[int, set[int]]  # the people whom each of some viewers knows


def is_limited(tx: Tx, viewer: User) -> bool:
    """Whether somebody sees only the people they have met."""
    return viewer.is_guest and guests_are_limited(tx)


def guests_are_limited(tx: Tx) -> bool:
    value = realms.current(tx).settings.get(SETTING)
    return value is not None and value != groups.system_ids(tx)["role:everyone"]


def find(tx: Tx, viewer: User, user_id: int) -> User | None:
    user = users.find(tx, user_id)
    known = known_among(tx, viewer, [] if user is None else [user])
    return known[0] if known else None


def find_many(tx: Tx, viewer: User, user_ids: list[int]) -> list[User]:
    return known_among(tx, viewer, users.find_many(tx, user_ids))


def knows(tx: Tx, viewer: User, user: User) -> bool:
    return bool(known_among(tx, viewer, [user]))


def known_among(tx: Tx, viewer: User, people: list[User]) -> list[User]:
    """Those of the people whom the viewer may know.

    For nobody at all it takes as long: by the time, too, somebody hidden is not told from nobody.
    """
    if not is_limited(tx, viewer):
        return people
    met = acquaintance.met(tx, [viewer.id], {user.id for user in people})[viewer.id]
    return [user for user in people if may_know(viewer, user, met.__contains__)]


# --- telling of people, as they were known at the moment ---


def knowing(tx: Tx, user_id: int) -> Audience:
    """Those who may know somebody now, whenever they hear of it."""
    others = strangers(tx, user_id)
    return AllBut(others) if others else Everyone()


def strangers(tx: Tx, user_id: int) -> list[int]:
    """The guests who do not know somebody."""
    if not guests_are_limited(tx):
        return []
    user = users.find(tx, user_id)
    if user is None or user.is_bot:
        return []
    channel_ids = subscriptions.channel_ids_of(tx, user.id)
    met = {user.id, *(acquaintance.guests_in(tx, channel_ids) if channel_ids else ())}
    met |= acquaintance.partners(tx, [user.id])[user.id]
    return [guest_id for guest_id in acquaintance.guests(tx) if guest_id not in met]


# --- telling of those who come into sight or leave it ---


def known(tx: Tx, viewers: Collection[User], among: Collection[int] | None = None) -> Known:
    """Whom each viewer knows, of all people or of some.

    Bots and the viewers themselves, whom they always know, are left out.
    """
    if not viewers:
        return {}
    everybody = set(users.human_ids(tx))
    if among is not None:
        everybody.intersection_update(among)
    guests = [viewer.id for viewer in viewers if viewer.is_guest]
    met = acquaintance.met(tx, guests, among) if guests_are_limited(tx) else {}
    return {
        viewer.id: (everybody & met.get(viewer.id, everybody)) - {viewer.id} for viewer in viewers
    }


def tell(tx: Tx, before: Known, after: Known) -> None:
    """Announce the differences; those who see the same change hear of it together."""
    listeners: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for viewer_id, now in after.items():
        shown = tuple(sorted(now - before[viewer_id]))
        hidden = tuple(sorted(before[viewer_id] - now))
        if shown or hidden:
            listeners.setdefault((shown, hidden), []).append(viewer_id)
    for (shown, hidden), viewer_ids in listeners.items():
        announce(tx, PeopleUncovered(list(shown), list(hidden)), to=Users(viewer_ids))


class Meeting:
    """People join channels or leave them: whom do the guests there know before and after?"""

    def __init__(self, tx: Tx, channel_ids: list[int], movers: Iterable[User]) -> None:
        people = {user.id: user for user in movers}
        self._mover_ids = people.keys()
        self._moving: list[User] = []
        self._inside: list[User] = []
        if people and guests_are_limited(tx):
            self._moving = [user for user in people.values() if user.is_guest and user.is_active]
            inside = set(acquaintance.guests_in(tx, channel_ids)) - people.keys()
            self._inside = users.find_many(tx, sorted(inside))
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
    if not guests or conversations.find(tx, sorted(members)) is not None:
        yield
        return
    before = known(tx, guests)
    yield
    announce(tx, ConversationBegun(sorted(members)), to=Nobody())
    tell(tx, before, known(tx, guests))
