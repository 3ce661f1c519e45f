"""Muted users: their messages still arrive, and count as read.

Unread messages are counted on demand, so the stored count is updated before a mute starts or ends:
earlier messages are judged by the mutes of their time. The core reads the mutes from
`storage/personal/muted_users.py`.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from pyroaring import BitMap64

from tertulia import actions, events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import TooMany
from tertulia.errors.people import UserNotFound
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.storage.personal.muted_users import Mute
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import UserId

MAX_MUTED_USERS = 2000  # per user


class MuteObject(msgspec.Struct):
    id: UserId
    timestamp: Annotated[int, Doc("The time of the mute, in UNIX seconds.")]


def mute_object(mute: Mute) -> MuteObject:
    return MuteObject(mute.user_id, int(mute.muted_at))


class MutedUsersChanged(Event, frozen=True, kind="muted_users"):
    """A user muted or unmuted another. Only they receive it, with the whole list."""

    user_id: int
    muted: list[MuteObject] = []

    class Wire(WireEvent, tag="muted_users"):
        muted_users: Annotated[
            list[MuteObject], Doc("The users that the user has muted, each with the time.")
        ]

    def completed(self, tx: Tx) -> "MutedUsersChanged":
        found = [
            mute_object(mute) for mute in storage.personal.muted_users.of_user(tx, self.user_id)
        ]
        return msgspec.structs.replace(self, muted=found)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.muted)


# --- actions ---


def add(tx: Tx, user: User, muted_id: int) -> None:
    if muted_id == user.id:
        raise BadRequest("Cannot mute self", problem="cannot-mute-self")
    muted = _get_user(tx, user, muted_id)
    if storage.personal.muted_users.is_muted(tx, user.id, muted.id):
        raise BadRequest("User already muted", problem="user-muted-already")
    if len(storage.personal.muted_users.of_user(tx, user.id)) >= MAX_MUTED_USERS:
        raise TooMany("muted users", MAX_MUTED_USERS)
    theirs = storage.messages.unread.sent_by(tx, muted.id, among=_store_unread(tx, user))
    if theirs:
        actions.messages.read_state.mark_read(tx, user.id, theirs)
    storage.personal.muted_users.insert(tx, user.id, muted.id)
    events.log.announce(tx, MutedUsersChanged(user.id), to=Users([user.id]))


def delete(tx: Tx, user: User, muted_id: int) -> None:
    muted = _get_user(tx, user, muted_id)
    if not storage.personal.muted_users.is_muted(tx, user.id, muted.id):
        raise BadRequest("User is not muted", problem="user-not-muted")
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


# --- endpoints ---


async def mute(call: Call, muted_user_id: UserId) -> None:
    """Mute a user; their messages count as read."""
    await call.db.write(add, call.user, muted_user_id)


async def unmute(call: Call, muted_user_id: UserId) -> None:
    """Unmute a user."""
    await call.db.write(delete, call.user, muted_user_id)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for row in export.rows("muted_user"):
        yield {
            "user_profile": row["user_id"],
            "muted_user": row["muted_id"],
            "date_muted": row["muted_at"],
        }


FEATURE = Feature(
    shows_ids={
        "members": [
            "DELETE /users/me/muted_users/{muted_user_id}",
            "POST /users/me/muted_users/{muted_user_id}",
        ]
    },
    register={
        "muted_users": ListedPart(
            "muted_user",
            storage.personal.muted_users.of_user,
            mute_object,
            doc="The users that the user has muted.",
        )
    },
    exports={"zerver_muteduser": _exported},
    hidden_columns=[("muted_user", "muted_id")],  # nobody knows who has muted them
)
