"""Lookups of users that the viewer may know, by id or public email address.

Every lookup of a user for a caller goes through here. A user whom the caller may not know does not
exist for them.
"""

import re
from collections.abc import Iterable, Sequence

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.known_people import SETTING, UNKNOWN_NAME
from tertulia.domain.people.user import User
from tertulia.errors.people import UserIsDeactivated, UserNotFound

_PLACEHOLDER = re.compile(r"user(\d{1,18})@(.+)")


def is_limited(tx: Tx, viewer: User) -> bool:
    """Whether the viewer sees only users they have met."""
    return viewer.is_guest and guests_are_limited(tx)


def guests_are_limited(tx: Tx) -> bool:
    value = storage.organization.realms.current(tx).settings.get(SETTING)
    return value is not None and value != storage.groups.system_ids(tx)["role:everyone"]


def find(tx: Tx, viewer: User, user_id: int) -> User | None:
    user = storage.people.users.find(tx, user_id)
    known = filter_known(tx, viewer, [] if user is None else [user])
    return known[0] if known else None


def find_many(tx: Tx, viewer: User, user_ids: list[int]) -> list[User]:
    return filter_known(tx, viewer, storage.people.users.find_many(tx, user_ids))


def may_know(tx: Tx, viewer: User, user: User) -> bool:
    return bool(filter_known(tx, viewer, [user]))


def filter_known(tx: Tx, viewer: User, people: list[User]) -> list[User]:
    """Those of the users whom the viewer may know.

    An empty list takes as long, so the time does not reveal hidden users.
    """
    if not is_limited(tx, viewer):
        return people
    met = storage.people.known_people.direct_partners(
        tx, [viewer.id], {user.id for user in people}
    )[viewer.id]
    return [
        user
        for user in people
        if domain.people.known_people.may_know(viewer, user, met.__contains__)
    ]


def names_for(tx: Tx, viewer: User, user_ids: Iterable[int]) -> dict[int, str]:
    """The names of users as the viewer sees them."""
    people = storage.people.users.find_many(tx, sorted(set(user_ids)))
    known = {each.id for each in filter_known(tx, viewer, people)}
    return {each.id: each.full_name if each.id in known else UNKNOWN_NAME for each in people}


def find_by_address(tx: Tx, viewer: User, email: str, email_domain: str) -> User | None:
    """By the public address, or by the real one if the viewer may see it."""
    stand_in = _PLACEHOLDER.fullmatch(domain.people.user.email_key(email))
    if stand_in is not None and stand_in[2] == email_domain.lower():
        return find(tx, viewer, int(stand_in[1]))
    user = storage.people.users.find_by_email(tx, email)
    if user is None or not domain.people.user.may_see_email(viewer, user):
        return None
    return user if may_know(tx, viewer, user) else None


def find_principals(
    tx: Tx, viewer: User, principals: Sequence[int | str], email_domain: str
) -> list[User | None]:
    """Users by id or address; None for an unknown one."""
    ids = [each for each in principals if isinstance(each, int)]
    known = {user.id: user for user in find_many(tx, viewer, ids)}
    found = [
        known.get(each)
        if isinstance(each, int)
        else find_by_address(tx, viewer, each, email_domain)
        for each in principals
    ]
    return [None if user is None or user.is_system_bot else user for user in found]


def usable_principals(tx: Tx, viewer: User, principals: Sequence[int | str]) -> list[int] | None:
    """The ids of users by id, if all of them are active and the viewer may know all users. Else
    None: `find_principals` finds the reason."""
    ids = {each for each in principals if isinstance(each, int)}
    if not ids.issuperset(principals) or is_limited(tx, viewer):
        return None
    usable = storage.people.users.usable_ids(tx, sorted(ids))
    return sorted(usable) if len(usable) == len(ids) else None


def all_active(found: Sequence[User | None]) -> list[User]:
    """Each of them once. Raises for an unknown or deactivated one."""
    known: dict[int, User] = {}
    for user in found:
        if user is None:
            raise UserNotFound()
        if not user.is_active:
            raise UserIsDeactivated()
        known[user.id] = user
    return list(known.values())


def active_human(tx: Tx, viewer: User, user_id: int) -> User:
    """An active user who is not a bot."""
    user = find(tx, viewer, user_id)
    if user is None or user.is_bot:
        raise UserNotFound()
    if not user.is_active:
        raise UserIsDeactivated()
    return user
