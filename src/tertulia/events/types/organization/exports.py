"""The event of exports, for administrators."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.exports import RealmExport
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class ExportsChanged(Event, frozen=True):
    """An export was requested, is ready, failed or was deleted. It contains all exports."""

    kind: ClassVar[str] = "exports"
    types: ClassVar[tuple[str, ...]] = ("realm_export",)

    exports: list[dict[str, Any]] = []

    def completed(self, tx: Tx) -> "ExportsChanged":
        known = storage.organization.exports.list_all(tx)
        return msgspec.structs.replace(self, exports=[export_object(each, "") for each in known])

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"exports": self.exports}


def export_object(export: RealmExport, site: str) -> dict[str, Any]:
    is_there = export.path_id is not None and export.deleted_at is None
    return {
        "id": export.id,
        "acting_user_id": export.user_id,
        "export_time": export.asked_at,
        "export_type": export.kind,
        "export_url": f"{site}/user_uploads/{export.path_id}" if is_there else None,
        "pending": export.is_pending,
        "failed_timestamp": export.failed_at,
        "deleted_timestamp": export.deleted_at,
        "export_from_prior_server": False,
        "stream_id": export.channel_id,
        "is_html": export.has_pages,
    }
