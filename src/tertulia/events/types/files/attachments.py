"""Uploaded files in API format, and the events for their owners.

The log holds only the id of a file, not its name.
"""

from collections.abc import Iterable
from typing import ClassVar, Literal

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import Attachment
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class AttachmentObject(msgspec.Struct):
    id: int
    name: str
    path_id: str
    size: int
    create_time: int
    message_ids: list[int]


def attachment_object(attachment: Attachment) -> AttachmentObject:
    return AttachmentObject(
        attachment.id,
        attachment.name,
        attachment.path_id,
        attachment.size,
        int(attachment.created_at),
        list(attachment.message_ids),
    )


class AttachmentSaved(Event, frozen=True):
    """A file was uploaded, or the messages that link it changed."""

    kind: ClassVar[str] = "attachment_saved"
    types: ClassVar[tuple[str, ...]] = ("attachment",)

    op: Literal["add", "update"]
    attachment_id: int
    space_used: int  # by all files of the organization
    attachment: AttachmentObject | None = None

    def completed(self, tx: Tx) -> "AttachmentSaved":
        found = storage.files.attachments.find(tx, self.attachment_id)
        if found is None:
            return self
        return msgspec.structs.replace(self, attachment=attachment_object(found))

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        if self.attachment is not None:
            yield {
                "op": self.op,
                "attachment": self.attachment,
                "upload_space_used": self.space_used,
            }


class AttachmentRemoved(Event, frozen=True):
    kind: ClassVar[str] = "attachment_removed"
    types: ClassVar[tuple[str, ...]] = ("attachment",)

    attachment_id: int
    space_used: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {
            "op": "remove",
            "attachment": {"id": self.attachment_id},
            "upload_space_used": self.space_used,
        }
