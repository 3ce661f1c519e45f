"""Muted users: their messages still arrive, and count as read.

Unread messages are counted on demand, so the stored count is updated before a mute starts or ends:
earlier messages are judged by the mutes of their time.
"""

from pyroaring import BitMap64

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.people import UserNotFound
from tertulia.events.audience import Users
from tertulia.events.types.personal.muted_users import MutedUsersChanged


def mute(tx: Tx, user: User, muted_id: int) -> None:
    if muted_id == user.id:
        raise BadRequest("Cannot mute self")
    muted = _get_user(tx, user, muted_id)
    if storage.personal.muted_users.is_muted(tx, user.id, muted.id):
        raise BadRequest("User already muted")
    if len(storage.personal.muted_users.of_user(tx, user.id)) >= domain.limits.MAX_MUTED_USERS:
        raise BadRequest(f"Too many muted users (limit: {domain.limits.MAX_MUTED_USERS})")
    theirs = storage.messages.unread.sent_by(tx, muted.id, among=_store_unread(tx, user))
    if theirs:
        actions.messages.read_state.mark_read(tx, user.id, theirs)
    storage.personal.muted_users.insert(tx, user.id, muted.id)
    events.log.announce(tx, MutedUsersChanged(user.id), to=Users([user.id]))


def unmute(tx: Tx, user: User, muted_id: int) -> None:
    muted = _get_user(tx, user, muted_id)
    if not storage.personal.muted_users.is_muted(tx, user.id, muted.id):
        raise BadRequest("User is not muted")
    _store_unread(tx, user)
    storage.personal.muted_users.delete(tx, user.id, muted.id)
    events.log.announce(tx, MutedUsersChanged(user.id), to=Users([user.id]))


def _get_user(tx: Tx, viewer: User, user_id: int) -> User:
    """A user whom the viewer may know, including bots and deactivated users."""
    found = actions.people.visible_users.find(tx, viewer, user_id)
    if found is None:
        raise UserNotFound()
    return found


def _store_unread(tx: Tx, user: User) -> BitMap64:
    """Store the current unread messages."""
    waiting = storage.messages.unread.load(tx, user.id)
    storage.messages.unread.change(tx, user.id, waiting)
    return waiting
