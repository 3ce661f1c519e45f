"""The event of a user's status."""

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import Doc, EmojiType, WireEvent
from tertulia.wire_fields import Away, EmojiCode, EmojiName, StatusText, UserId


class StatusUpdate(WireEvent, tag="user_status"):
    user_id: UserId
    status_text: StatusText | UnsetType = UNSET
    emoji_name: EmojiName | UnsetType = UNSET
    emoji_code: EmojiCode | UnsetType = UNSET
    reaction_type: EmojiType | UnsetType = UNSET
    away: Away | UnsetType = UNSET
    ends_at: Annotated[
        int | UnsetType | None,
        Doc("When the server clears the status, in UNIX seconds; null if it does not."),
    ] = UNSET


class StatusChanged(Event, frozen=True, kind="status", wires=(StatusUpdate,)):
    """A user changed their status. Everyone may see it.

    `changes` holds only the changed parts, in API format.
    """

    user_id: int
    changes: dict[str, Any]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield StatusUpdate(self.user_id, **self.changes)
