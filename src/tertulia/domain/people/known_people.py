"""Known users: whom a guest may know, if the organization does not show all users to guests.

Transactions and the in-memory directory use the same rule. Both pass `has_met`.
"""

from collections.abc import Callable

from tertulia.domain.people.user import User

SETTING = "can_access_all_users_group"
UNKNOWN_NAME = "Unknown user"  # shown for users whom the viewer may not know


def may_know(viewer: User, user: User, has_met: Callable[[int], bool]) -> bool:
    """Whether a guest may know a user: they share a channel or a direct conversation.

    A deactivated user stays known to the same guests. Bots are known to everyone.
    """
    return user.id == viewer.id or user.is_bot or has_met(user.id)
