"""Submessages in API format, and their event.

As with messages, the log holds only the id.
"""

from collections.abc import Collection, Iterable
from typing import Annotated

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.widgets import Submessage
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import MessageEvent
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import MessageId, SenderId

SubmessageId = Annotated[int, Doc("The id of the submessage.")]
Content = Annotated[str, Doc("The content, as JSON in a string.")]
MsgType = Annotated[str, Doc("The type of the submessage: `widget`.")]


class SubmessageObject(msgspec.Struct, frozen=True):
    id: SubmessageId
    message_id: MessageId
    sender_id: SenderId
    msg_type: MsgType
    content: Content


def submessage_object(part: Submessage) -> SubmessageObject:
    return SubmessageObject(part.id, part.message_id, part.sender_id, part.msg_type, part.content)


class SubmessageAdded(MessageEvent, frozen=True, kind="submessage", invalidates_permits=False):
    """A user acted in a widget, for example voted in a poll."""

    submessage_id: int
    part: SubmessageObject | None = None

    class Wire(WireEvent, tag="submessage"):
        msg_type: MsgType
        message_id: MessageId
        submessage_id: SubmessageId
        sender_id: SenderId
        content: Content

    def completed(self, tx: Tx) -> "SubmessageAdded":
        found = storage.messages.submessages.find(tx, self.submessage_id)
        if found is None:
            return self
        return msgspec.structs.replace(self, part=submessage_object(found))

    def rewritten(self) -> Collection[int]:
        return [] if self.part is None else [self.part.message_id]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        part = self.part
        if part is not None:
            yield self.Wire(part.msg_type, part.message_id, part.id, part.sender_id, part.content)
