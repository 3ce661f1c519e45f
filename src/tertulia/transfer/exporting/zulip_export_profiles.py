"""Exports profiles, groups, what users have set, and pictures in Zulip's format."""

from typing import Any, Protocol

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.transfer.exporting.permissions import ExportedPermissions
from tertulia.transfer.exporting.recipients import ExportSelection, Tables


class PictureArchive(Protocol):
    def put(self, name: str, value: Any) -> None: ...
    def put_bytes(self, name: str, data: bytes) -> None: ...


def tables(
    tx: Tx, export: ExportSelection, channel_ids: set[int], values: ExportedPermissions
) -> Tables:
    return _groups(tx, values) | _profiles(tx, export) | _topic_policies(tx, export, channel_ids)


def put_pictures(tx: Tx, people: list[User], archive: PictureArchive) -> None:
    """Export custom emoji and avatars, each with its record."""
    emoji = []
    for each in storage.organization.custom_emoji.list_all(tx):
        path = f"{tx.realm_id}/emoji/images/{each.file_name}"
        archive.put_bytes(
            f"emoji/{path}", storage.organization.custom_emoji.picture(tx, each.file_name) or b""
        )
        record = {"path": path, "s3_path": path, "realm_id": tx.realm_id}
        emoji.append(record | {"file_name": each.file_name, "name": each.name})
    archive.put("emoji/records.json", emoji)
    avatars = []
    for user in people:
        found = user.avatar_name and storage.people.avatars.find(tx, user.avatar_name, medium=True)
        if found:
            path = f"{tx.realm_id}/{user.avatar_name}.original"
            archive.put_bytes(f"avatars/{path}", found)
            record = {"path": path, "s3_path": path, "realm_id": tx.realm_id}
            about = {"user_profile_id": user.id, "avatar_version": user.avatar_version}
            avatars.append(record | about)
    archive.put("avatars/records.json", avatars)


def _groups(tx: Tx, values: ExportedPermissions) -> Tables:
    groups = storage.groups.list_all(tx)
    own = [each for each in groups if not each.is_system]
    permissions = {each.id: values.of(each.permissions) for each in own}
    unnamed = values.unnamed
    return {
        "zerver_usergroup": [
            {"id": number, "realm": tx.realm_id}
            for number in (*(each.id for each in groups), *unnamed)
        ],
        "zerver_namedusergroup": [
            {
                "usergroup_ptr": each.id,
                "realm": tx.realm_id,
                "name": each.name,
                "description": each.description,
                "is_system_group": each.is_system,
                "deactivated": each.deactivated,
                "creator": each.creator_id,
                **permissions.get(each.id, {}),
            }
            for each in groups
        ],
        "zerver_usergroupmembership": [
            {"user_group": each.id, "user_profile": user_id}
            for each in own
            for user_id in each.members
        ]
        + [
            {"user_group": number, "user_profile": user_id}
            for number, value in unnamed.items()
            for user_id in value.direct_members
        ],
        "zerver_groupgroupmembership": [
            {"supergroup": each.id, "subgroup": inner} for each in own for inner in each.subgroups
        ]
        + [
            {"supergroup": number, "subgroup": inner}
            for number, value in unnamed.items()
            for inner in value.direct_subgroups
        ],
    }


def _profiles(tx: Tx, export: ExportSelection) -> Tables:
    return {
        "zerver_customprofilefield": [
            {
                "id": each.id,
                "realm": tx.realm_id,
                "name": each.name,
                "hint": each.hint,
                "field_type": int(each.type),
                "field_data": each.data,
                "order": each.position,
                "display_in_profile_summary": each.in_summary,
                "required": each.required,
                "editable_by_user": each.editable_by_user,
            }
            for each in storage.people.profile_fields.list_all(tx)
        ],
        "zerver_customprofilefieldvalue": [
            {
                "user_profile": user_id,
                "field": field_id,
                "value": value.text,
                "rendered_value": value.rendered,
            }
            for user_id, values in storage.people.profile_fields.all_values(tx).items()
            if export.includes(user_id)
            for field_id, value in values.items()
        ],
    }


def _topic_policies(tx: Tx, export: ExportSelection, channel_ids: set[int]) -> Tables:
    return {
        "zerver_usertopic": [
            {
                "user_profile": row["user_id"],
                "stream": row["channel_id"],
                "topic_name": row["topic"],
                "visibility_policy": row["policy"],
                "last_updated": row["updated_at"],
            }
            for row in storage.export_queries.rows(tx, "user_topic")
            if export.includes(row["user_id"]) and row["channel_id"] in channel_ids
        ],
    }
