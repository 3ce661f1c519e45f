"""Known people: whom a guest knows, where the organization does not show everybody to guests.

The same rule serves a transaction, which asks the database, and the directory in memory: both
hand in what they know as `has_met`.
"""

from collections.abc import Callable

from tertulia.domain.people.user import User

SETTING = "can_access_all_users_group"
UNKNOWN_NAME = "Unknown user"  # of those whom one does not know


def may_know(viewer: User, user: User, has_met: Callable[[int], bool]) -> bool:
    """Whether a guest may know of somebody: those in a channel or a conversation with them.

    Whose account has ended is still known to those who were together with them. Bots are tools
    of the organization and known to all.
    """
    return user.id == viewer.id or user.is_bot or has_met(user.id)
