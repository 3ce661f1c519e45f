"""Newcomers: somebody new finds the default channels, with something in them to read.

Where the organization has a channel for that, the others are told who has joined.
"""

from pyroaring import BitMap64

from tertulia.actions import notices
from tertulia.actions import subscriptions as subscription_actions
from tertulia.domain.notices import joined
from tertulia.domain.users import User
from tertulia.storage import channels, messages, realms, subscriptions, unread
from tertulia.storage.tx import Tx

UNREAD_AT_FIRST = 20
RECEIVED_AT_FIRST = 1000


def welcome(tx: Tx, user: User) -> None:
    """Subscribe somebody to the default channels; of what was said there, a little is unread."""
    defaults = channels.defaults(tx)
    subscription_actions.join_several(tx, defaults, [user])
    ids = [channel.id for channel in defaults]
    recent = messages.newest_in(tx, ids, RECEIVED_AT_FIRST) if ids else []
    if recent:
        subscriptions.extend_back(tx, user.id, ids, recent[-1] - 1)
        newest = messages.newest_id(tx)
        unread.store(tx, user.id, BitMap64(recent[:UNREAD_AT_FIRST]), newest)


def introduce(tx: Tx, user: User) -> None:
    where = channels.find(tx, realms.current(tx).setting("signup_announcements_stream_id"))
    if where is not None and not where.archived:
        notices.post(tx, where, notices.SIGNUPS, joined(user), read_by=[user.id])
