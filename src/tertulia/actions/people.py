"""Finding the people a caller names, by id or by the address that stands in public."""

import re
from collections.abc import Sequence

from tertulia.actions import acquaintance
from tertulia.domain.users import User, may_see_email
from tertulia.errors import UserIsDeactivated, UserNotFound
from tertulia.storage import users
from tertulia.storage.tx import Tx

_STAND_IN = re.compile(r"user(\d{1,18})@(.+)")


def find_by_address(tx: Tx, viewer: User, email: str, email_domain: str) -> User | None:
    """By the address that stands in public, or by the real one for those who may see it."""
    stand_in = _STAND_IN.fullmatch(email.strip().lower())
    if stand_in is not None and stand_in[2] == email_domain.lower():
        return acquaintance.find(tx, viewer, int(stand_in[1]))
    user = users.find_by_email(tx, email)
    if user is None or not may_see_email(viewer, user):
        return None
    return user if acquaintance.knows(tx, viewer, user) else None


def find_principals(
    tx: Tx, viewer: User, principals: Sequence[int | str], email_domain: str
) -> list[User | None]:
    """Users named by id or by address; None for somebody unknown."""
    found: list[User | None] = []
    for principal in principals:
        if isinstance(principal, int):
            user = acquaintance.find(tx, viewer, principal)
        else:
            user = find_by_address(tx, viewer, principal, email_domain)
        found.append(None if user is None or user.is_system_bot else user)
    return found


def all_active(found: Sequence[User | None]) -> list[User]:
    """Each of them once; raises for one unknown or deactivated."""
    known: dict[int, User] = {}
    for user in found:
        if user is None:
            raise UserNotFound()
        if not user.is_active:
            raise UserIsDeactivated()
        known[user.id] = user
    return list(known.values())


def active_human(tx: Tx, viewer: User, user_id: int) -> User:
    """A person who is still here; bots are passed over as if they were not there."""
    user = acquaintance.find(tx, viewer, user_id)
    if user is None or user.is_bot:
        raise UserNotFound()
    if not user.is_active:
        raise UserIsDeactivated()
    return user
