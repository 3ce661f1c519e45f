"""Submessages in API format, and their event.

As with messages, the log holds only the id.
"""

from collections.abc import Collection, Iterable
from typing import ClassVar

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.widgets import Submessage
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import MessageEvent, Wire


class SubmessageObject(msgspec.Struct, frozen=True):
    id: int
    message_id: int
    sender_id: int
    msg_type: str
    content: str


def submessage_object(part: Submessage) -> SubmessageObject:
    return SubmessageObject(part.id, part.message_id, part.sender_id, part.msg_type, part.content)


class SubmessageAdded(MessageEvent, frozen=True):
    """A user acted in a widget, for example voted in a poll."""

    kind: ClassVar[str] = "submessage"
    types: ClassVar[tuple[str, ...]] = ("submessage",)
    invalidates_permits: ClassVar[bool] = False

    submessage_id: int
    part: SubmessageObject | None = None

    def completed(self, tx: Tx) -> "SubmessageAdded":
        found = storage.messages.submessages.find(tx, self.submessage_id)
        if found is None:
            return self
        return msgspec.structs.replace(self, part=submessage_object(found))

    def rewritten(self) -> Collection[int]:
        return [] if self.part is None else [self.part.message_id]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        if self.part is not None:
            yield {
                "msg_type": self.part.msg_type,
                "message_id": self.part.message_id,
                "submessage_id": self.part.id,
                "sender_id": self.part.sender_id,
                "content": self.part.content,
            }
