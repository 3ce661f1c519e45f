"""Who may see that a channel exists, and who may read what is said in it.

The same rules serve a transaction, which asks the database, and the directory in memory: both
hand in what they know as `holds`, which says whether the user is in a permission's set.
"""

from collections.abc import Callable

from tertulia.domain.channels import Channel, Outline
from tertulia.domain.groups import GroupValue
from tertulia.domain.users import User

Holds = Callable[[GroupValue], bool]


def may_see(user: User | None, channel: Channel, subscribed: bool, holds: Holds) -> bool:
    """Name, description, settings, subscribers."""
    if channel.is_web_public or subscribed:
        return True
    if user is None or user.is_guest:
        return False
    if user.is_admin or channel.is_public:
        return True
    return holds(channel.permissions["can_administer_channel_group"]) or _may_let_in(channel, holds)


def may_read(user: User | None, channel: Channel, subscribed: bool, holds: Holds) -> bool:
    """The messages; with a protected history, only those that one has received."""
    known = may_read_anyway(user, channel, subscribed)
    return _may_let_in(channel, holds) if known is None else known


def may_read_anyway(user: User | None, channel: Channel | Outline, subscribed: bool) -> bool | None:
    """The same, as far as it can be told without permissions: None if they decide."""
    if channel.is_web_public or subscribed:
        return True
    if user is None or user.is_guest:
        return False
    return True if channel.is_public else None


def _may_let_in(channel: Channel, holds: Holds) -> bool:
    """Who may add people, or join, can let themselves in, so nothing is hidden from them."""
    return holds(channel.permissions["can_add_subscribers_group"]) or holds(
        channel.permissions["can_subscribe_group"]
    )
