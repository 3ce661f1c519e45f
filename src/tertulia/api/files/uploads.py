"""Uploading files, listing and deleting one's own, and links that work without a login."""

import hmac
from typing import Annotated

from tertulia import actions, events
from tertulia.actions.files.upload import UploadWriter
from tertulia.api.call import Call
from tertulia.domain.files.attachments import Attachment, Quota
from tertulia.domain.people.keys import Vault
from tertulia.errors import BadRequest
from tertulia.errors.files import (
    FileAccessDenied,
    InvalidAttachment,
    LinkExpired,
    NoSuchFile,
    SeveralFilesGiven,
)
from tertulia.errors.messages import FileTooLarge
from tertulia.events.types.files.attachments import (
    AttachmentId,
    AttachmentObject,
    FileName,
    UploadSpaceUsed,
)
from tertulia.http.forms import FileHead, Incoming
from tertulia.http.replies import Reply, Url
from tertulia.wire import Doc

FORM_BYTES = 1 << 20  # room for the form around a file
LINK_SECONDS = 60  # validity of a link without a login


RealmIdStr = Annotated[int, Doc("The first part of the path of the file.", example="2")]
Filename = Annotated[
    str, Doc("The rest of the path of the file.", example="4e/m2ukXkHbkrN5B7TCYB/tides.pdf")
]


class Uploaded(Reply):
    uri: Annotated[str, Doc("The same as `url`. Deprecated.")]
    url: Url
    filename: FileName


class TemporaryLink(Reply):
    url: Url


class ThumbnailStatus(Reply):
    has_thumbnail: Annotated[bool, Doc("Whether there is a thumbnail.")]


class OwnAttachments(Reply):
    attachments: Annotated[list[AttachmentObject], Doc("The files, newest first.")]
    upload_space_used: UploadSpaceUsed


async def upload(call: Call, *, file: Incoming) -> Uploaded:
    """Upload a file; others can read it when a message links it."""
    limit = call.config.max_upload_mib
    if call.request.announced_bytes() > (limit << 20) + FORM_BYTES:
        raise FileTooLarge(limit=limit)
    quota = Quota(call.config.upload_quota_mib, call.config.user_upload_quota_mib)
    receiving = UploadWriter(call.db, call.user, limit, quota, call.request.announced_bytes())
    try:
        added = await _received(receiving, file)
    except Exception:  # also if the client disconnected
        await receiving.abort()
        raise
    return Uploaded(uri=added.url, url=added.url, filename=added.name)


async def temporary_link(call: Call, realm_id_str: RealmIdStr, filename: Filename) -> TemporaryLink:
    """Get a link to a file that works for one minute without a login."""
    path_id = f"{realm_id_str}/{filename}"
    found = await call.db.read(actions.files.attachments.readable, call.user, path_id)
    return TemporaryLink(temporary_url(call.vault, found.path_id, call.now))


def temporary_url(vault: Vault, path_id: str, now: float) -> str:
    """The URL of a file that works for one minute without a login."""
    token = _token(vault, path_id, int(now) + LINK_SECONDS)
    return f"/user_uploads/temporary/{token}/{path_id.rpartition('/')[2]}"


async def thumbnail_status(
    call: Call, realm_id_str: RealmIdStr, filename: Filename
) -> ThumbnailStatus:
    """Check whether a file has a thumbnail."""
    try:
        path_id = f"{realm_id_str}/{filename}"
        found = await call.db.read(actions.files.attachments.readable, call.user, path_id)
    except (NoSuchFile, FileAccessDenied):
        raise InvalidAttachment() from None
    return ThumbnailStatus(has_thumbnail=bool(found.thumbnail_url))


async def list_own(call: Call) -> OwnAttachments:
    """List the caller's files, newest first."""
    found, space = await call.db.read(actions.files.attachments.of_owner, call.user)
    return OwnAttachments(
        [events.types.files.attachments.attachment_object(each) for each in found], space
    )


async def delete(call: Call, attachment_id: AttachmentId) -> None:
    """Delete one of the caller's files."""
    await call.db.write(actions.files.attachments.delete_own, call.user, attachment_id)


def linked(vault: Vault, token: str, now: float) -> str:
    """The file of a temporary link; raises LinkExpired."""
    try:
        path_id, expires, signature = bytes.fromhex(token).decode().rsplit(":", 2)
        is_ours = hmac.compare_digest(
            signature.encode(), _signature(vault, f"{path_id}:{expires}").encode()
        )
    except ValueError:
        raise LinkExpired() from None
    if not is_ours or int(expires) < now:
        raise LinkExpired()
    return path_id


def _token(vault: Vault, path_id: str, expires: int) -> str:
    text = f"{path_id}:{expires}"
    return f"{text}:{_signature(vault, text)}".encode().hex()


def _signature(vault: Vault, text: str) -> str:
    return vault.signature(f"file {text}")


async def _received(receiving: UploadWriter, files: Incoming) -> Attachment:
    head: FileHead | None = None
    async for item in files:
        if not isinstance(item, FileHead):
            await receiving.write(item)
        elif head is None:
            head = item
        else:
            raise SeveralFilesGiven()
    if head is None:
        raise BadRequest("You must specify a file to upload", problem="file-missing")
    return await receiving.finish(head.filename, head.content_type)
