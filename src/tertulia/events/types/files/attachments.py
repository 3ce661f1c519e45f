"""Uploaded files in API format, and the events for their owners.

The log holds only the id of a file, not its name.
"""

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import Attachment
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent

UploadSpaceUsed = Annotated[int, Doc("The total size of the organization's files, in bytes.")]
AttachmentId = Annotated[int, Doc("The id of the file.", example=4)]
FileName = Annotated[str, Doc("The name of the file.")]


class AttachmentObject(msgspec.Struct):
    id: AttachmentId
    name: FileName
    path_id: Annotated[str, Doc("The path of the file after `/user_uploads/`.")]
    size: Annotated[int, Doc("The size of the file in bytes.")]
    create_time: Annotated[int, Doc("The time of the upload, in UNIX seconds.")]
    message_ids: Annotated[list[int], Doc("Ids of the messages that link the file.")]


def attachment_object(attachment: Attachment) -> AttachmentObject:
    return AttachmentObject(
        attachment.id,
        attachment.name,
        attachment.path_id,
        attachment.size,
        int(attachment.created_at),
        list(attachment.message_ids),
    )


class AttachmentSaved(Event, frozen=True, kind="attachment_saved"):
    """A file was uploaded, or the messages that link it changed."""

    op: Literal["add", "update"]
    attachment_id: int
    space_used: int  # by all files of the organization
    attachment: AttachmentObject | None = None

    class Wire(WireEvent, tag="attachment"):
        op: Literal["add", "update"]
        attachment: Annotated[AttachmentObject, Doc("The uploaded file.")]
        upload_space_used: UploadSpaceUsed

    def completed(self, tx: Tx) -> "AttachmentSaved":
        found = storage.files.attachments.find(tx, self.attachment_id)
        if found is None:
            return self
        return msgspec.structs.replace(self, attachment=attachment_object(found))

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        if self.attachment is not None:
            yield self.Wire(self.op, self.attachment, self.space_used)


class AttachmentReference(msgspec.Struct):
    id: AttachmentId


class AttachmentRemoved(Event, frozen=True, kind="attachment_removed"):
    attachment_id: int
    space_used: int

    class Wire(WireEvent, tag="attachment"):
        op: Literal["remove"]
        attachment: Annotated[AttachmentReference, Doc("The id of the deleted file.")]
        upload_space_used: UploadSpaceUsed

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", AttachmentReference(self.attachment_id), self.space_used)
