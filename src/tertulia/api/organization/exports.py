"""Exports: of the organization, for administrators, and of what one user wrote and received."""

from typing import Any, Literal

from tertulia import actions, events, storage
from tertulia.api.call import Call
from tertulia.http.replies import Reply

ExportType = Literal["public", "full_with_consent", "full_without_consent"]


class StartedExport(Reply):
    id: int


class Exports(Reply):
    exports: list[dict[str, Any]]


class Consents(Reply):
    export_consents: list[dict[str, Any]]


async def start(
    call: Call, *, export_type: ExportType = "public", as_html: bool = False
) -> StartedExport:
    """Start an export; the caller gets a message when it is ready."""
    export_id = await call.db.write(
        actions.organization.exports.request, call.user, export_type, is_html=as_html
    )
    return StartedExport(id=export_id)


async def start_channel(
    call: Call, stream_id: int, *, export_type: ExportType = "public"
) -> StartedExport:
    """Start an export of one channel as HTML pages; the caller gets a message when it is ready."""
    export_id = await call.db.write(
        actions.organization.exports.request_channel, call.user, stream_id, export_type
    )
    return StartedExport(id=export_id)


async def start_person(call: Call, user_id: int) -> StartedExport:
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


async def delete(call: Call, export_id: int) -> None:
    """Delete an export."""
    await call.db.write(actions.organization.exports.delete, call.user, export_id)


async def consents(call: Call) -> Consents:
    """List the users who consent to exports of private data."""
    return Consents(
        export_consents=[
            {
                "user_id": each.id,
                "consented": bool(each.prefers("allow_private_data_export")),
                "email_address_visibility": int(each.email_visibility),
            }
            for each in call.org.users.values()
            if each.is_active and not each.is_bot
        ]
    )
