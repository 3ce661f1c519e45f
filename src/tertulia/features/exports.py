"""Exports of an organization, requested and deleted by administrators, and of what one user wrote
and received; made by a job (`transfer/exporting/export_job.py`).

The core reads from `storage/organization/exports.py` who may download the file of an export.
"""

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from tertulia import actions, domain, events, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import MediaInfo
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.http.parameter_rules import Example
from tertulia.http.replies import Reply
from tertulia.storage.archive_queries import ArchivedMessages
from tertulia.storage.organization.exports import (
    CONTENT_TYPE,
    PAGES_CONTENT_TYPE,
    PUBLIC,
    WITHOUT_CONSENT,
    RealmExport,
)
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import AlwaysFalse, ChannelId, UserId

MAX_PER_WEEK = 5
WEEK_SECONDS = 7 * 86_400
MAX_MESSAGES = 250_000
GIVEN_UP_SECONDS = 3600  # a server that works on one for longer has died


def _list_all(tx: Tx) -> list[RealmExport]:
    """The exports of the organization and of its channels."""
    return [each for each in RealmExport.where(tx, "id") if each.person_id is None]


def _of_people(tx: Tx, user_id: int) -> list[RealmExport]:
    """The exports of single users that a user has requested."""
    requested = RealmExport.where(tx, "id", user_id=user_id)
    return [each for each in requested if each.person_id is not None]


def waiting(tx: Tx) -> list[tuple[int, int]]:
    """Exports that no server works on, as organization and id."""
    return tx.tuples(
        "SELECT realm_id, id FROM realm_export WHERE path_id IS NULL AND failed_at IS NULL"
        " AND deleted_at IS NULL AND (started_at IS NULL OR started_at < :before) ORDER BY id",
        before=tx.now - GIVEN_UP_SECONDS,
    )


# --- event ---


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


class ExportsChanged(Event, frozen=True, kind="exports"):
    """An export was requested, is ready, failed or was deleted. It contains all exports."""

    exports: list[ExportObject] = []

    class Wire(WireEvent, tag="realm_export"):
        exports: Annotated[list[ExportObject], Doc("The requested exports and their state.")]

    def completed(self, tx: Tx) -> "ExportsChanged":
        known = _list_all(tx)
        return msgspec.structs.replace(self, exports=[export_object(each, "") for each in known])

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.exports)


def export_object(export: RealmExport, site: str) -> ExportObject:
    is_there = export.path_id is not None and export.deleted_at is None
    return ExportObject(
        id=export.id,
        acting_user_id=export.user_id,
        export_time=export.requested_at,
        export_type=export.kind,
        export_url=f"{site}/user_uploads/{export.path_id}" if is_there else None,
        pending=export.is_pending,
        failed_timestamp=export.failed_at,
        deleted_timestamp=export.deleted_at,
        export_from_prior_server=False,
        stream_id=export.channel_id,
        is_html=export.has_pages,
    )


# --- actions ---


def request(tx: Tx, user: User, kind: str, *, is_html: bool = False) -> int:
    """Request an export of the organization, in Zulip's format or as HTML pages."""
    actions.groups.permissions.require_administrator(tx, user)
    _check_allowed(tx, user, kind)
    known = _list_all(tx)
    return _enqueue(tx, user, kind, ArchivedMessages(kind), known, is_html=is_html)


def request_channel(tx: Tx, user: User, channel_id: int, kind: str) -> int:
    """Request an export of one channel: what an export of this type contains of it."""
    actions.groups.permissions.require_administrator(tx, user)
    channel = actions.channels.lookups.visible_to(tx, user, channel_id)
    _check_allowed(tx, user, kind)
    if channel.invite_only and kind == PUBLIC:
        raise BadRequest(
            "This channel is private. Choose an export that contains private data.",
            problem="channel-private",
        )
    chosen = ArchivedMessages(kind, channel_id=channel.id)
    known = _list_all(tx)
    return _enqueue(tx, user, kind, chosen, known, is_html=True)


def request_person(tx: Tx, user: User, person_id: int) -> int:
    """Request what a user wrote and received. For that user, and for owners who may read it."""
    if person_id != user.id:
        actions.groups.permissions.require_owner(tx, user)
        person = actions.people.users.get(tx, person_id)
        may_read_all = storage.organization.realms.current(tx).setting("owner_full_content_access")
        if not may_read_all and not person.prefers("allow_private_data_export"):
            raise BadRequest(
                "This user does not agree to exports of private data.",
                problem="private-export-not-agreed",
            )
    chosen = of_person(tx, person_id)
    recent = _of_people(tx, user.id)
    return _enqueue(tx, user, PUBLIC, chosen, recent, is_html=True)


def of_person(tx: Tx, person_id: int) -> ArchivedMessages:
    """What a user wrote and received and may still read.

    Also what they wrote is left out if it is now in a channel that is hidden from them: its pages
    would show the names of the channel and its topics. Users whom a guest may not know have no name
    in it, and earlier versions are in it if the organization shows them.
    """
    person = actions.people.users.get(tx, person_id)
    readable = actions.channels.access.AccessByDatabase(tx, person).readable()
    people = storage.people.users.list_all(tx)
    known = actions.people.visible_users.filter_known(tx, person, people)
    policy = storage.organization.realms.current(tx).setting(
        "message_edit_history_visibility_policy"
    )
    return ArchivedMessages(
        PUBLIC,
        person_id=person_id,
        readable_ids=readable.ids,
        unknown_ids={each.id for each in people} - {each.id for each in known},
        has_earlier_versions=policy == "all",
    )


def _check_allowed(tx: Tx, user: User, kind: str) -> None:
    if kind == WITHOUT_CONSENT:
        _check_full_access(tx, user)


def _enqueue(
    tx: Tx,
    user: User,
    kind: str,
    chosen: ArchivedMessages,
    others: list[RealmExport],
    *,
    is_html: bool,
) -> int:
    """`others` count against the limit per week."""
    if sum(each.requested_at > tx.now - WEEK_SECONDS for each in others) >= MAX_PER_WEEK:
        raise BadRequest("Exceeded rate limit.", problem="rate-limit-exceeded")
    if storage.archive_queries.count(tx, chosen) > MAX_MESSAGES:
        raise BadRequest(
            "The export you requested is too large for automatic processing. Please request a"
            " manual export by contacting the administrator of the server.",
            problem="export-too-large",
        )
    export_id = RealmExport.insert(
        tx,
        user_id=user.id,
        kind=kind,
        requested_at=tx.now,
        channel_id=chosen.channel_id,
        person_id=chosen.person_id,
        is_html=is_html,
    )
    if chosen.person_id is None:
        _announce(tx)
    return export_id


def discard(tx: Tx, user: User, export_id: int) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    found = RealmExport.find(tx, id=export_id)
    if found is None or found.person_id is not None:
        raise BadRequest("Invalid data export ID", problem="invalid-export-id")
    if found.deleted_at is not None:
        raise BadRequest("Export already deleted", problem="export-deleted-already")
    if found.failed_at is not None:
        raise BadRequest("Export failed, nothing to delete", problem="export-failed")
    if found.is_pending:
        raise BadRequest("Export still in progress", problem="export-in-progress")
    if found.attachment_id is not None:
        actions.files.attachments.drop(tx, found.attachment_id)
    RealmExport.update(tx, export_id, deleted_at=tx.now, attachment_id=None)
    _announce(tx)


# --- the job ---


def claim(tx: Tx, export_id: int) -> RealmExport | None:
    """Claim an export. None if another server has, or its requester may no longer have it."""
    claimed = tx.execute(
        "UPDATE realm_export SET started_at = :now WHERE id = :id AND realm_id = :realm"
        " AND path_id IS NULL AND failed_at IS NULL"
        " AND (started_at IS NULL OR started_at < :before)",
        now=tx.now,
        id=export_id,
        before=tx.now - GIVEN_UP_SECONDS,
    )
    if not claimed:
        return None
    found = RealmExport.find(tx, id=export_id)
    assert found is not None
    if not found.is_for(actions.people.users.get(tx, found.user_id)):
        fail(tx, found)
        return None
    return found


def finish(tx: Tx, export: RealmExport, upload_id: int, name: str, size: int) -> None:
    """Make the archive a file of the user who requested it, and notify them."""
    storage.files.uploads.finish(tx, upload_id)
    path_id = domain.files.attachments.new_path_id(tx.realm_id, name)
    content_type = PAGES_CONTENT_TYPE if export.has_pages else CONTENT_TYPE
    attachment_id = storage.files.attachments.insert(
        tx, export.user_id, upload_id, path_id, name, size, MediaInfo(content_type)
    )
    RealmExport.update(tx, export.id, attachment_id=attachment_id, path_id=path_id)
    address = f"/user_uploads/{path_id}"
    actions.messages.notices.send_to_user(
        tx,
        export.user_id,
        NoticeText(
            f"Your data export is complete. [View and download exports]({address}).",
            "<p>Your data export is complete."
            f' <a href="{address}">View and download exports</a>.</p>',
        ),
    )
    if export.person_id is None:
        _announce(tx)


def fail(tx: Tx, export: RealmExport) -> None:
    RealmExport.update(tx, export.id, failed_at=tx.now)
    if export.person_id is None:
        _announce(tx)


def _check_full_access(tx: Tx, user: User) -> None:
    allowed = storage.organization.realms.current(tx).setting("owner_full_content_access")
    if not user.is_owner or not allowed:
        raise BadRequest(
            "Exports of all public and private data are not enabled for this organization.",
            problem="full-export-disabled",
        )


def _announce(tx: Tx) -> None:
    admins = [
        each.id for each in storage.people.users.list_all(tx) if each.is_admin and each.is_active
    ]
    events.log.announce(tx, ExportsChanged(), to=Users(admins))


# --- endpoints ---


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
    export_type: Annotated[ExportType, Example("public")] = "public",
    as_html: Annotated[
        bool, Doc("Whether to export a folder of HTML pages that a browser opens, as a ZIP file.")
    ] = False,
) -> StartedExport:
    """Start an export; the caller gets a message when it is ready."""
    export_id = await call.db.write(request, call.user, export_type, is_html=as_html)
    return StartedExport(id=export_id)


async def start_channel(
    call: Call, stream_id: ChannelId, *, export_type: ExportType = "public"
) -> StartedExport:
    """Start an export of one channel as HTML pages; the caller gets a message when it is ready."""
    export_id = await call.db.write(request_channel, call.user, stream_id, export_type)
    return StartedExport(id=export_id)


async def start_person(call: Call, user_id: UserId) -> StartedExport:
    """Start an export of what a user wrote and received, as HTML pages.

    For that user, and for owners if the user agrees to exports of private data or owners may
    export everything. The caller gets a message when it is ready.
    """
    export_id = await call.db.write(request_person, call.user, user_id)
    return StartedExport(id=export_id)


async def list_exports(call: Call) -> Exports:
    """List the exports."""
    known = await call.db.read(_list_all)
    to_wire = export_object
    return Exports(exports=[to_wire(each, call.site) for each in known])


async def delete(call: Call, export_id: ExportId) -> None:
    """Delete an export."""
    await call.db.write(discard, call.user, export_id)


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
