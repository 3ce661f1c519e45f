"""Muting people: what they write still arrives, and counts as read.

Unread messages are counted when somebody looks, so the count is brought up to date before a
mute begins or ends: what came before is judged by what held then.
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
    muted = _somebody(tx, user, muted_id)
    if storage.personal.muted_users.is_muted(tx, user.id, muted.id):
        raise BadRequest("User already muted")
    if len(storage.personal.muted_users.of_user(tx, user.id)) >= domain.limits.MUTED_USERS:
        raise BadRequest(f"Too many muted users (limit: {domain.limits.MUTED_USERS})")
    theirs = storage.messages.unread.sent_by(tx, muted.id, among=_settle(tx, user))
    if theirs:
        actions.messages.read_state.mark_read(tx, user.id, theirs)
    storage.personal.muted_users.insert(tx, user.id, muted.id)
    events.log.announce(tx, MutedUsersChanged(user.id), to=Users([user.id]))


def unmute(tx: Tx, user: User, muted_id: int) -> None:
    muted = _somebody(tx, user, muted_id)
    if not storage.personal.muted_users.is_muted(tx, user.id, muted.id):
        raise BadRequest("User is not muted")
    _settle(tx, user)
    storage.personal.muted_users.delete(tx, user.id, muted.id)
    events.log.announce(tx, MutedUsersChanged(user.id), to=Users([user.id]))


def _somebody(tx: Tx, viewer: User, user_id: int) -> User:
    """Anybody whom one may know, bots and those who have left included."""
    found = actions.people.visible_users.find(tx, viewer, user_id)
    if found is None:
        raise UserNotFound()
    return found


def _settle(tx: Tx, user: User) -> BitMap64:
    """What is unread now, whatever comes after."""
    waiting = storage.messages.unread.load(tx, user.id)
    storage.messages.unread.change(tx, user.id, waiting)
    return waiting
