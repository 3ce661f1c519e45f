"""Channels."""

from collections.abc import Iterable
from typing import Any

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel
from tertulia.domain.groups.group import GroupValue
from tertulia.errors.channels import FolderNotFound
from tertulia.storage.row_mapper import RowMapper

_decode = msgspec.json.Decoder(dict[str, GroupValue]).decode


_CHANNELS = RowMapper(Channel, "channel", readings={"permissions": _decode})


def find(tx: Tx, channel_id: int) -> Channel | None:
    return _CHANNELS.find(tx, id=channel_id)


def find_by_name(tx: Tx, name: str) -> Channel | None:
    return _CHANNELS.find(tx, name_key=domain.channels.topics.fold(name.strip()))


def find_by_names(tx: Tx, names: Iterable[str]) -> dict[str, Channel]:
    """Channels by the folded names; missing ones are left out."""
    keys = list({domain.channels.topics.fold(name.strip()) for name in names})
    found = _CHANNELS.where(tx, "id", name_key=keys) if keys else []
    return {domain.channels.topics.fold(channel.name): channel for channel in found}


def require_folder(tx: Tx, folder_id: int) -> None:
    if not tx.has_row("channel_folder", id=folder_id):
        raise FolderNotFound()


def names(tx: Tx) -> dict[int, str]:
    """All channel names by id."""
    return dict(tx.tuples("SELECT id, name FROM channel WHERE realm_id = :realm"))


def find_many(tx: Tx, channel_ids: list[int]) -> list[Channel]:
    return _CHANNELS.where(tx, "id", id=channel_ids)


def list_all(tx: Tx) -> list[Channel]:
    return _CHANNELS.where(tx, "id")


def list_private(tx: Tx) -> list[Channel]:
    return _CHANNELS.where(tx, "id", invite_only=True)


class StoredPrivacy(msgspec.Struct, frozen=True):
    """The columns of a channel that decide for most users whether they may read it."""

    id: int
    is_public: bool
    is_web_public: bool
    history_public: bool


def all_privacy(tx: Tx) -> list[StoredPrivacy]:
    """All channels with few columns, at a fraction of the cost."""
    rows = tx.all(
        "SELECT id, invite_only, is_web_public, history_public FROM channel"
        " WHERE realm_id = :realm ORDER BY id"
    )
    return [
        StoredPrivacy(
            row["id"],
            not row["invite_only"],
            bool(row["is_web_public"]),
            bool(row["history_public"]),
        )
        for row in rows
    ]


def defaults(tx: Tx) -> list[Channel]:
    return _CHANNELS.all(
        tx, "FROM channel WHERE realm_id = :realm AND is_default AND NOT archived ORDER BY id"
    )


def insert(
    tx: Tx,
    new: NewChannel,
    rendered_description: str,
    creator_id: int | None,
    permissions: dict[str, GroupValue],
) -> Channel:
    channel_id = tx.insert_with_id(
        "channel",
        name=new.name,
        name_key=domain.channels.topics.fold(new.name),
        description=new.description,
        rendered_description=rendered_description,
        created_at=tx.now,
        creator_id=creator_id,
        invite_only=new.invite_only,
        is_web_public=new.is_web_public,
        history_public=new.shares_history(),
        is_default=new.is_default,
        folder_id=new.folder_id,
        retention_days=new.retention_days,
        topics_policy=new.topics_policy,
        default_push=new.default_push,
        allows_summaries=new.allows_summaries,
        permissions=msgspec.json.encode(permissions).decode(),
    )
    channel = find(tx, channel_id)
    assert channel is not None
    return channel


def record_message(tx: Tx, channel: Channel, message_id: int) -> bool:
    """Set a channel's first message and, about once a day, the time of its last one."""
    if channel.first_message_id is not None and tx.now - (channel.last_message_at or 0) < 86_400:
        return False
    tx.execute(
        "UPDATE channel SET last_message_at = :now, first_message_id = :first,"
        " recently_active = :yes WHERE id = :id",
        now=tx.now,
        first=channel.first_message_id or message_id,
        yes=True,
        id=channel.id,
    )
    return True


def with_old_messages(tx: Tx, default_days: int) -> list[int]:
    """Channels whose first message is older than their retention, or than the default."""
    return tx.column(
        "SELECT c.id FROM channel c WHERE c.realm_id = :realm"
        " AND coalesce(c.retention_days, :days) > 0"
        " AND (SELECT m.sent_at FROM message m WHERE m.channel_id = c.id ORDER BY m.id LIMIT 1)"
        " < :now - 86400.0 * coalesce(c.retention_days, :days) ORDER BY c.id",
        days=default_days,
        now=tx.now,
    )


def set_first_message(tx: Tx, channel_id: int, message_id: int | None) -> None:
    tx.update("channel", channel_id, first_message_id=message_id)


def change(tx: Tx, channel_id: int, **columns: Any) -> None:
    """Update columns of a channel. The names are ours, never a client's."""
    assert columns.keys() <= _CHANGEABLE
    tx.update("channel", channel_id, **columns)


def rename(tx: Tx, channel_id: int, name: str) -> None:
    change(tx, channel_id, name=name, name_key=domain.channels.topics.fold(name))


def set_permissions(tx: Tx, channel_id: int, permissions: dict[str, GroupValue]) -> None:
    change(tx, channel_id, permissions=msgspec.json.encode(permissions).decode())


def longest_uncounted(tx: Tx, before: float, limit: int) -> list[Channel]:
    """Channels whose traffic was last counted before a time."""
    return _CHANNELS.all(
        tx,
        "FROM channel WHERE realm_id = :realm AND counted_at < :before"
        " ORDER BY counted_at LIMIT :limit",
        before=before,
        limit=limit,
    )


def realms_with_uncounted(tx: Tx, before: float) -> list[int]:
    """Organizations with such channels."""
    return tx.column(
        "SELECT DISTINCT realm_id FROM channel WHERE counted_at < :before", before=before
    )


def was_closed(tx: Tx, channel_id: int) -> bool:
    """Whether the history of a channel was ever closed to later subscribers."""
    return tx.exists(
        "SELECT 1 AS found FROM channel WHERE id = :channel AND archived_seq IS NOT NULL",
        channel=channel_id,
    )


_CHANGEABLE = {
    "allows_summaries",
    "archived",
    "archived_message_id",
    "archived_seq",
    "counted_at",
    "default_push",
    "description",
    "folder_id",
    "history_public",
    "invite_only",
    "is_default",
    "is_web_public",
    "name",
    "name_key",
    "permissions",
    "recently_active",
    "rendered_description",
    "retention_days",
    "slow_mode_seconds",
    "slow_mode_until",
    "topics_policy",
    "weekly_traffic",
}
