"""Exports an organization, or the data of one user, in Zulip's format.

realm.json                  everything small, one list of rows per table
messages-000001.json …      zerver_message and zerver_usermessage
attachment.json, uploads/   files
emoji/, avatars/            pictures
"""

import io
import tarfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from pyroaring import BitMap64

from tertulia import storage
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.files.attachments import Attachment
from tertulia.domain.messages.message import Edit
from tertulia.domain.people.user import NOTIFICATION_BOT, User
from tertulia.features import FEATURES
from tertulia.storage.channels.subscriptions import Span
from tertulia.storage.organization.exports import PUBLIC, WITHOUT_CONSENT
from tertulia.transfer.backup.file_snapshot import FileSnapshot
from tertulia.transfer.exporting import zulip_export_profiles
from tertulia.transfer.exporting.permissions import ExportedPermissions
from tertulia.transfer.exporting.recipients import Recipients, Tables

BITS = {"read": 1, "starred": 2, "collapsed": 4, "mentioned": 8}
DIRECT_TOPIC = "\x07"
MODE = 0o600
SECRETS = {
    "auth",
    "code_hash",
    "fingerprint",
    "hash",
    "key_hash",
    "key_sealed",
    "password_hash",
    "sealed",
    "service_token",
    "token",
    "token_hash",
}
# Rows that refer to a user, and that the user may not know of: deleted messages, legal holds.
HIDDEN_TABLES = ("deleted_", "legal_hold")
HIDDEN_COLUMNS = {column for each in FEATURES for column in each.hidden_columns}

Progress = Callable[[int], None]


class ExportArchive:
    """A tar archive that is written as it grows."""

    def __init__(self, file: Path, folder: str) -> None:
        self._tar = tarfile.open(file, "w:gz", compresslevel=3)  # noqa: SIM115
        self._folder = folder

    def put(self, name: str, value: Any) -> None:
        self.put_bytes(name, msgspec.json.encode(value))

    def put_bytes(self, name: str, data: bytes) -> None:
        self.put_file(name, len(data), io.BytesIO(data))

    def put_file(self, name: str, size: int, contents: Any) -> None:
        member = tarfile.TarInfo(f"{self._folder}/{name}")
        member.size, member.mode = size, MODE
        self._tar.addfile(member, contents)

    def close(self) -> None:
        self._tar.close()


class PlannedExport(msgspec.Struct, frozen=True):
    """The scope of an export."""

    kind: str
    consenting: frozenset[int]
    messages: int

    def includes(self, user_id: int) -> bool:
        """Whether a user's personal data is exported: what they have read, muted, starred."""
        if self.kind == PUBLIC:
            return False
        return self.kind == WITHOUT_CONSENT or user_id in self.consenting

    def includes_conversation(self, members: list[int]) -> bool:
        """A conversation is exported only together with its messages."""
        return any(map(self.includes, members))


def plan(tx: Tx, kind: str) -> PlannedExport:
    consenting = frozenset(
        each.id
        for each in storage.people.users.list_all(tx)
        if not each.is_bot and each.prefers("allow_private_data_export")
    )
    return PlannedExport(
        kind, consenting, storage.export_queries.count_messages(tx, kind, consenting)
    )


def write(
    tx: Tx, export: PlannedExport, archive: ExportArchive, files: FileSnapshot, progress: Progress
) -> None:
    """Export everything, read in one transaction."""
    people = storage.people.users.list_all(tx)
    tables = _small_tables(tx, export, people)
    recipients = Recipients(tx, export, tables)
    linking: dict[int, list[int]] = defaultdict(list)
    done = 0
    readers = _Readers(tx, [each for each in people if export.includes(each.id)])
    for number, page in enumerate(
        storage.export_queries.message_pages(tx, export.kind, export.consenting), 1
    ):
        ids = [row["id"] for row in page]
        flags = [
            *storage.export_queries.of_messages(tx, "message_flag", ids),
            *storage.messages.flags.pending(tx, ids),
        ]
        edits = storage.messages.edits.of_messages(tx, ids)
        archive.put(
            f"messages-{number:06}.json",
            {
                "zerver_message": [
                    _message(row, recipients, edits.get(row["id"], ())) for row in page
                ],
                "zerver_usermessage": list(readers.held(page, flags, recipients)),
            },
        )
        reactions = storage.export_queries.of_messages(tx, "reaction", ids)
        tables["zerver_reaction"] += map(_reaction, reactions)
        parts = storage.export_queries.of_messages(tx, "submessage", ids)
        tables["zerver_submessage"] += map(_part, sorted(parts, key=lambda row: row["id"]))
        for row in storage.export_queries.of_messages(tx, "attachment_message", ids):
            linking[row["attachment_id"]].append(row["message_id"])
        done += len(page)
        progress(done)
    for each in FEATURES:
        for name, rows in each.exports.items():
            tables[name] = list(rows(tx, recipients))
    archive.put("realm.json", tables)
    zulip_export_profiles.put_pictures(tx, people, archive)
    _put_files(tx, linking, archive, files)


def write_person(tx: Tx, user: User, archive: ExportArchive, files: FileSnapshot) -> None:
    """Export all rows that refer to a user, their messages and their files."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    found["account"] = [
        _plain(r) for r in storage.export_queries.of_person(tx, "account", "id", user.id)
    ]
    for table, column, target in storage.data_check.references(tx):
        is_hidden = table.startswith(HIDDEN_TABLES) or (table, column) in HIDDEN_COLUMNS
        if target == "account" and not is_hidden:
            rows = storage.export_queries.of_person(tx, table, column, user.id)
            found[table] += [_plain(row) for row in rows]
    archive.put("person.json", {name: rows for name, rows in found.items() if rows})
    for attachment in storage.files.attachments.of_user(tx, user.id):
        if storage.organization.exports.find_by_file(tx, attachment.id) is None:
            _put_upload(tx, attachment, archive, files)


# --- tables ---


def _small_tables(tx: Tx, export: PlannedExport, people: list[User]) -> Tables:
    realm = storage.organization.realms.current(tx)
    channel_ids = storage.export_queries.channel_ids(tx, export.kind, export.consenting)
    channels = [each for each in storage.channels.table.list_all(tx) if each.id in channel_ids]
    values = ExportedPermissions(tx)
    tables: Tables = {
        "import_source": "zulip",  # type: ignore[dict-item]
        "zerver_realm": [
            {
                "id": realm.id,
                "name": realm.name,
                "string_id": realm.subdomain,
                "date_created": realm.created_at,
                "deactivated": realm.deactivated,
                "description": realm.setting("description"),
            }
        ],
        "zerver_userprofile": [
            _person(each, export.includes(each.id)) for each in people if not each.is_system_bot
        ],
        "zerver_userprofile_crossrealm": [
            {"id": each.id, "email": NOTIFICATION_BOT, "full_name": each.full_name}
            for each in people
            if each.is_system_bot
        ],
        "zerver_defaultstream": [
            {"id": each.id, "realm": realm.id, "stream": each.id}
            for each in channels
            if each.is_default
        ],
        "zerver_recipient": [],
        "zerver_huddle": [],
        "zerver_subscription": [],
        "zerver_reaction": [],
        "zerver_submessage": [],
    }
    tables |= _channels(tx, channels, values)
    return tables | zulip_export_profiles.tables(tx, export, channel_ids, values)


def _channels(tx: Tx, channels: list[Channel], values: ExportedPermissions) -> Tables:
    return {
        "zerver_stream": [
            {
                "id": each.id,
                "realm": tx.realm_id,
                "name": each.name,
                "description": each.description,
                "rendered_description": each.rendered_description,
                "invite_only": each.invite_only,
                "history_public_to_subscribers": each.history_public,
                "is_web_public": each.is_web_public,
                "deactivated": each.archived,
                "date_created": each.created_at,
                "creator": each.creator_id,
                "folder": each.folder_id,
                "topics_policy": each.topics_policy,
                "message_retention_days": each.retention_days,
                "default_push_notifications": each.default_push,
                "topic_summaries_allowed": each.allows_summaries,
                **values.of(each.permissions),
            }
            for each in channels
        ],
    }


def _person(user: User, is_included: bool) -> dict[str, Any]:
    return {
        "id": user.id,
        "email": user.email,
        "delivery_email": user.email,
        "full_name": user.full_name,
        "role": int(user.role),
        "is_active": user.is_active,
        "is_bot": user.is_bot,
        "bot_type": None if user.bot_type is None else int(user.bot_type),
        "bot_owner": user.bot_owner_id,
        "date_joined": user.joined_at,
        "timezone": user.timezone if is_included else "",
        "is_mirror_dummy": False,
        "is_imported_stub": user.is_imported_stub,
    }


class _Readers:
    """Which of these users received a message, with their flags."""

    def __init__(self, tx: Tx, people: list[User]) -> None:
        self._spans: dict[int, list[tuple[int, Span]]] = defaultdict(list)
        self._unread: dict[int, BitMap64] = {}
        for user in people:
            if user.is_system_bot:
                continue
            for span in storage.channels.subscriptions.spans_of(tx, user.id):
                self._spans[span.channel_id].append((user.id, span))
            self._unread[user.id] = storage.messages.unread.load(tx, user.id)

    def held(
        self, page: list[Row], flags: Sequence[Row], recipients: Recipients
    ) -> Iterator[dict[str, int]]:
        marks: dict[tuple[int, int], int] = defaultdict(int)
        for row in flags:
            marks[row["user_id"], row["message_id"]] |= BITS.get(row["flag"], 0)
        for row in page:
            number = row["id"]
            if row["channel_id"] is None:
                members = recipients.members[row["conversation_id"]]
                holders = [user_id for user_id in members if user_id in self._unread]
            else:
                spans = self._spans[row["origin_channel_id"] or row["channel_id"]]
                holders = [user_id for user_id, span in spans if span.covers_message(number)]
            for user_id in holders:
                mask = marks[user_id, number]
                if number not in self._unread[user_id]:
                    mask |= BITS["read"]
                yield {"user_profile": user_id, "message": number, "flags_mask": mask}


def _message(row: Row, recipients: Recipients, edits: Sequence[Edit]) -> dict[str, Any]:
    is_direct = row["channel_id"] is None
    return {
        "id": row["id"],
        "sender": row["sender_id"],
        "recipient": recipients.of(row),
        "realm": row["realm_id"],
        "type": 1,
        "subject": DIRECT_TOPIC if is_direct else row["topic"],
        "content": row["content"],
        "rendered_content": row["rendered"],
        "date_sent": row["sent_at"],
        "last_edit_time": row["edited_at"],
        "edit_history": msgspec.json.encode([_edit(each) for each in reversed(edits)]).decode()
        if edits
        else None,
        "has_attachment": bool(row["has_attachment"]),
        "has_image": bool(row["has_image"]),
        "has_link": bool(row["has_link"]),
        "is_channel_message": not is_direct,
        "sending_client": 1,
    }


def _edit(edit: Edit) -> dict[str, Any]:
    """An edit in Zulip's format, which leaves out unchanged fields."""
    found = {
        "user_id": edit.user_id,
        "timestamp": edit.edited_at,
        "prev_content": edit.prev_content,
        "prev_rendered_content": edit.prev_rendered,
        "prev_topic": edit.prev_topic,
        "topic": edit.topic,
        "prev_stream": edit.prev_channel_id,
        "stream": edit.channel_id,
    }
    return {name: value for name, value in found.items() if value is not None}


def _part(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "message": row["message_id"],
        "sender": row["sender_id"],
        "msg_type": row["msg_type"],
        "content": row["content"],
    }


def _reaction(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "user_profile": row["user_id"],
        "message": row["message_id"],
        "emoji_name": row["emoji_name"],
        "emoji_code": row["emoji_code"],
        "reaction_type": row["reaction_type"],
    }


# --- files ---


def _put_files(
    tx: Tx, linking: dict[int, list[int]], archive: ExportArchive, files: FileSnapshot
) -> None:
    """Export the files that exported messages link to, with those links."""
    rows, records = [], []
    for attachment_id, message_ids in sorted(linking.items()):
        found = storage.files.attachments.find(tx, attachment_id)
        if found is None or storage.organization.exports.find_by_file(tx, found.id) is not None:
            continue
        _put_upload(tx, found, archive, files)
        rows.append(
            {
                "id": found.id,
                "path_id": found.path_id,
                "file_name": found.name,
                "owner": found.owner_id,
                "realm": found.realm_id,
                "size": found.size,
                "create_time": found.created_at,
                "content_type": found.media.content_type,
                "messages": message_ids,
            }
        )
        records.append(
            {
                "path": found.path_id,
                "s3_path": found.path_id,
                "size": found.size,
                "user_profile_id": found.owner_id,
                "realm_id": found.realm_id,
                "content_type": found.media.content_type,
                "last_modified": found.created_at,
            }
        )
    archive.put("attachment.json", {"zerver_attachment": rows})
    archive.put("uploads/records.json", records)


def _put_upload(tx: Tx, file: Attachment, archive: ExportArchive, files: FileSnapshot) -> None:
    contents = files.contents(tx, file.id, file.size)
    archive.put_file(f"uploads/{file.path_id}", file.size, contents)


def _plain(row: Any) -> dict[str, Any]:
    """A row without secrets and internal columns."""
    return {
        name: value
        for name, value in dict(row).items()
        if name not in SECRETS and not isinstance(value, bytes | memoryview)
    }
