"""The event of muted users."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire
from tertulia.storage.personal.muted_users import Mute


class MuteObject(msgspec.Struct):
    id: int
    timestamp: int


def mute_object(mute: Mute) -> MuteObject:
    return MuteObject(mute.user_id, int(mute.muted_at))


class MutedUsersChanged(Event, frozen=True):
    """A user muted or unmuted another. Only they receive it, with the whole list."""

    kind: ClassVar[str] = "muted_users"
    types: ClassVar[tuple[str, ...]] = ("muted_users",)

    user_id: int
    muted: list[MuteObject] = []

    def completed(self, tx: Tx) -> "MutedUsersChanged":
        found = [
            mute_object(mute) for mute in storage.personal.muted_users.of_user(tx, self.user_id)
        ]
        return msgspec.structs.replace(self, muted=found)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"muted_users": self.muted}
