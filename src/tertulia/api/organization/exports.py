"""Exports: of the organization, for administrators, and of what one user wrote and received."""

from typing import Annotated, Literal

import msgspec

from tertulia import actions, events, storage
from tertulia.api.call import Call
from tertulia.events.types.organization.exports import ExportId, ExportObject
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import ChannelId, UserId

ExportType = Annotated[
    Literal["public", "full_with_consent", "full_without_consent"],
    Doc("The type of the export: `public`, `full_with_consent` or `full_without_consent`."),
]


class StartedExport(Reply):
    id: ExportId


class Exports(Reply):
    exports: Annotated[list[ExportObject], Doc("The requested exports and their state.")]


class ConsentObject(msgspec.Struct):
    user_id: UserId
    consented: Annotated[bool, Doc("Whether the user allows the export of private data.")]
    email_address_visibility: Annotated[int, Doc("Who sees the user's real email address.")]


class Consents(Reply):
    export_consents: Annotated[
        list[ConsentObject], Doc("For each user, whether private data may be exported.")
    ]


async def start(
    call: Call,
    *,
    export_type: ExportType = "public",
    as_html: Annotated[
        bool, Doc("Whether to export a folder of HTML pages that a browser opens, as a ZIP file.")
    ] = False,
) -> StartedExport:
    """Start an export; the caller gets a message when it is ready."""
    export_id = await call.db.write(
        actions.organization.exports.request, call.user, export_type, is_html=as_html
    )
    return StartedExport(id=export_id)


async def start_channel(
    call: Call, stream_id: ChannelId, *, export_type: ExportType = "public"
) -> StartedExport:
    """Start an export of one channel as HTML pages; the caller gets a message when it is ready."""
    export_id = await call.db.write(
        actions.organization.exports.request_channel, call.user, stream_id, export_type
    )
    return StartedExport(id=export_id)


async def start_person(call: Call, user_id: UserId) -> StartedExport:
    """Start an export of what a user wrote and received, as HTML pages.

    For that user, and for owners if the user agrees to exports of private data or owners may
    export everything. The caller gets a message when it is ready.
    """
    export_id = await call.db.write(actions.organization.exports.request_person, call.user, user_id)
    return StartedExport(id=export_id)


async def list_exports(call: Call) -> Exports:
    """List the exports."""
    known = await call.db.read(storage.organization.exports.list_all)
    to_wire = events.types.organization.exports.export_object
    return Exports(exports=[to_wire(each, call.site) for each in known])


async def delete(call: Call, export_id: ExportId) -> None:
    """Delete an export."""
    await call.db.write(actions.organization.exports.delete, call.user, export_id)


async def consents(call: Call) -> Consents:
    """List the users who consent to exports of private data."""
    return Consents(
        export_consents=[
            ConsentObject(
                user_id=each.id,
                consented=bool(each.prefers("allow_private_data_export")),
                email_address_visibility=int(each.email_visibility),
            )
            for each in call.org.users.values()
            if each.is_active and not each.is_bot
        ]
    )
