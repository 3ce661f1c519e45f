"""The event of exports, for administrators."""

from collections.abc import Iterable
from typing import Annotated, ClassVar

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.exports import RealmExport
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import AlwaysFalse

ExportId = Annotated[int, Doc("The id of the export.", example=1)]


class ExportObject(msgspec.Struct):
    id: ExportId
    acting_user_id: Annotated[int, Doc("The user who started the export.")]
    export_time: Annotated[float, Doc("When the export was started.")]
    export_type: Annotated[
        str, Doc("The type of the export: `public`, `full_with_consent` or `full_without_consent`.")
    ]
    export_url: Annotated[str | None, Doc("Where to download the export.")]
    pending: Annotated[bool, Doc("Whether the export is still being written.")]
    failed_timestamp: Annotated[float | None, Doc("When the export failed.")]
    deleted_timestamp: Annotated[float | None, Doc("When the export was deleted.")]
    export_from_prior_server: AlwaysFalse
    stream_id: Annotated[
        int | None, Doc("The only channel in the export; null for an export of the organization.")
    ]
    is_html: Annotated[bool, Doc("Whether it is a folder of HTML pages, as a ZIP file.")]


class ExportsChanged(Event, frozen=True):
    """An export was requested, is ready, failed or was deleted. It contains all exports."""

    kind: ClassVar[str] = "exports"

    exports: list[ExportObject] = []

    class Wire(WireEvent, tag="realm_export"):
        exports: Annotated[list[ExportObject], Doc("The requested exports and their state.")]

    def completed(self, tx: Tx) -> "ExportsChanged":
        known = storage.organization.exports.list_all(tx)
        return msgspec.structs.replace(self, exports=[export_object(each, "") for each in known])

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.exports)


def export_object(export: RealmExport, site: str) -> ExportObject:
    is_there = export.path_id is not None and export.deleted_at is None
    return ExportObject(
        id=export.id,
        acting_user_id=export.user_id,
        export_time=export.asked_at,
        export_type=export.kind,
        export_url=f"{site}/user_uploads/{export.path_id}" if is_there else None,
        pending=export.is_pending,
        failed_timestamp=export.failed_at,
        deleted_timestamp=export.deleted_at,
        export_from_prior_server=False,
        stream_id=export.channel_id,
        is_html=export.has_pages,
    )
