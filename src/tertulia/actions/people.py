"""Finding the people a caller names, by id or by an address the caller may know."""

import re
from collections.abc import Sequence

from tertulia.domain.users import User, may_see_email
from tertulia.errors import UserIsDeactivated, UserNotFound
from tertulia.storage import users
from tertulia.storage.tx import Tx

_STAND_IN = re.compile(r"user(\d{1,18})@(.+)")


def find_by_address(tx: Tx, viewer: User, email: str, email_domain: str) -> User | None:
    """By the address that stands in public, or by the real one if the viewer may see it."""
    stand_in = _STAND_IN.fullmatch(email.strip().lower())
    if stand_in is not None and stand_in[2] == email_domain.lower():
        return users.find(tx, int(stand_in[1]))
    user = users.find_by_email(tx, email)
    if user is not None and not may_see_email(viewer, user):
        return None
    return user


def active_principals(
    tx: Tx, viewer: User, principals: Sequence[int | str], email_domain: str
) -> list[User]:
    """Users named by id or by address, each once; raises for one unknown or deactivated."""
    found: dict[int, User] = {}
    for principal in principals:
        if isinstance(principal, int):
            user = users.find(tx, principal)
        else:
            user = find_by_address(tx, viewer, principal, email_domain)
        if user is None or user.is_system_bot:
            raise UserNotFound()
        if not user.is_active:
            raise UserIsDeactivated()
        found[user.id] = user
    return list(found.values())
