"""Exports of an organization, requested and deleted by administrators, and of what one user wrote
and received; made by a job."""

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import MediaInfo
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.organization.exports import (
    CONTENT_TYPE,
    GIVEN_UP_SECONDS,
    MAX_MESSAGES,
    MAX_PER_WEEK,
    PAGES_CONTENT_TYPE,
    PUBLIC,
    WITHOUT_CONSENT,
    RealmExport,
)
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.types.organization.exports import ExportsChanged
from tertulia.storage.archive_queries import ArchivedMessages

WEEK_SECONDS = 7 * 86_400


def request(tx: Tx, user: User, kind: str, *, is_html: bool = False) -> int:
    """Request an export of the organization, in Zulip's format or as HTML pages."""
    actions.groups.permissions.require_administrator(tx, user)
    _check_allowed(tx, user, kind)
    known = storage.organization.exports.list_all(tx)
    return _enqueue(tx, user, kind, ArchivedMessages(kind), known, is_html=is_html)


def request_channel(tx: Tx, user: User, channel_id: int, kind: str) -> int:
    """Request an export of one channel: what an export of this type contains of it."""
    actions.groups.permissions.require_administrator(tx, user)
    channel = actions.channels.visible_to(tx, user, channel_id)
    _check_allowed(tx, user, kind)
    if channel.invite_only and kind == PUBLIC:
        raise BadRequest(
            "This channel is private. Choose an export that contains private data.",
            problem="channel-private",
        )
    chosen = ArchivedMessages(kind, channel_id=channel.id)
    known = storage.organization.exports.list_all(tx)
    return _enqueue(tx, user, kind, chosen, known, is_html=True)


def request_person(tx: Tx, user: User, person_id: int) -> int:
    """Request what a user wrote and received. For that user, and for owners who may read it."""
    if person_id != user.id:
        actions.groups.permissions.require_owner(tx, user)
        person = actions.people.get(tx, person_id)
        may_read_all = storage.organization.current(tx).setting("owner_full_content_access")
        if not may_read_all and not person.prefers("allow_private_data_export"):
            raise BadRequest(
                "This user does not agree to exports of private data.",
                problem="private-export-not-agreed",
            )
    chosen = of_person(tx, person_id)
    recent = storage.organization.exports.of_people(tx, user.id)
    return _enqueue(tx, user, PUBLIC, chosen, recent, is_html=True)


def of_person(tx: Tx, person_id: int) -> ArchivedMessages:
    """What a user wrote and received and may still read.

    Also what they wrote is left out if it is now in a channel that is hidden from them: its pages
    would show the names of the channel and its topics. Users whom a guest may not know have no name
    in it, and earlier versions are in it if the organization shows them.
    """
    person = actions.people.get(tx, person_id)
    readable = actions.channels.access.AccessByDatabase(tx, person).readable()
    people = storage.people.list_all(tx)
    known = actions.people.visible_users.filter_known(tx, person, people)
    policy = storage.organization.current(tx).setting("message_edit_history_visibility_policy")
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
    if sum(each.asked_at > tx.now - WEEK_SECONDS for each in others) >= MAX_PER_WEEK:
        raise BadRequest("Exceeded rate limit.", problem="rate-limit-exceeded")
    if storage.archive_queries.count(tx, chosen) > MAX_MESSAGES:
        raise BadRequest(
            "The export you requested is too large for automatic processing. Please request a"
            " manual export by contacting the administrator of the server.",
            problem="export-too-large",
        )
    export_id = storage.organization.exports.insert(
        tx, user.id, kind, chosen.channel_id, chosen.person_id, is_html=is_html
    )
    if chosen.person_id is None:
        _announce(tx)
    return export_id


def delete(tx: Tx, user: User, export_id: int) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    found = storage.organization.exports.find(tx, export_id)
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
    storage.organization.exports.mark_deleted(tx, export_id)
    _announce(tx)


# --- the job ---


def start(tx: Tx, export_id: int) -> RealmExport | None:
    """Claim an export. None if another server has, or its requester may no longer have it."""
    if not storage.organization.exports.start(tx, export_id, tx.now - GIVEN_UP_SECONDS):
        return None
    found = storage.organization.exports.find(tx, export_id)
    assert found is not None
    if not found.is_for(actions.people.get(tx, found.user_id)):
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
    storage.organization.exports.finish(tx, export.id, attachment_id, path_id)
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
    storage.organization.exports.fail(tx, export.id)
    if export.person_id is None:
        _announce(tx)


def _check_full_access(tx: Tx, user: User) -> None:
    allowed = storage.organization.current(tx).setting("owner_full_content_access")
    if not user.is_owner or not allowed:
        raise BadRequest(
            "Exports of all public and private data are not enabled for this organization.",
            problem="full-export-disabled",
        )


def _announce(tx: Tx) -> None:
    admins = [each.id for each in storage.people.list_all(tx) if each.is_admin and each.is_active]
    events.log.announce(tx, ExportsChanged(), to=Users(admins))
