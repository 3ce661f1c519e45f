"""Exports drafts, scheduled messages, snippets and navigation views in Zulip's format."""

from collections.abc import Iterator
from typing import Any

import msgspec

from tertulia import storage
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.transfer.exporting.recipients import ExportSelection, Recipients, Tables


def tables(tx: Tx, export: ExportSelection, recipients: Recipients) -> Tables:
    writings = _DraftTables(tx, export, recipients)
    return {
        "zerver_draft": list(writings.drafts()),
        "zerver_scheduledmessage": list(writings.scheduled()),
        "zerver_savedsnippet": list(writings.snippets()),
        "zerver_navigationview": list(writings.views()),
    }


class _DraftTables:
    """Rows of the users who are part of the export."""

    def __init__(self, tx: Tx, export: ExportSelection, recipients: Recipients) -> None:
        self._tx = tx
        self._export = export
        self._recipients = recipients

    def drafts(self) -> Iterator[dict[str, Any]]:
        for row in self._rows("draft", "user_id"):
            yield {
                "id": row["id"],
                "user_profile": row["user_id"],
                "recipient": self._recipient_id(
                    row, row["user_id"], msgspec.json.decode(row["user_ids"])
                ),
                "topic": row["topic"],
                "content": row["content"],
                "last_edit_time": row["edited_at"],
            }

    def scheduled(self) -> Iterator[dict[str, Any]]:
        for row in self._rows("scheduled_message", "owner_id"):
            if row["sent_at"] is None:
                people = [int(each) for each in row["user_ids"].split(",") if each]
                yield {
                    "id": row["id"],
                    "realm": row["realm_id"],
                    "sender": row["owner_id"],
                    "recipient": self._recipient_id(row, row["owner_id"], people),
                    "subject": row["topic"],
                    "content": row["content"],
                    "scheduled_timestamp": row["deliver_at"],
                    "delivered": False,
                    "failed": bool(row["failed"]),
                    "delivery_type": 1,
                }

    def snippets(self) -> Iterator[dict[str, Any]]:
        for row in self._rows("saved_snippet", "user_id"):
            yield {
                "id": row["id"],
                "realm": row["realm_id"],
                "user_profile": row["user_id"],
                "title": row["title"],
                "content": row["content"],
                "date_created": row["created_at"],
            }

    def views(self) -> Iterator[dict[str, Any]]:
        for row in self._rows("navigation_view", "user_id"):
            yield {
                "user_profile": row["user_id"],
                "fragment": row["fragment"],
                "name": row["name"],
                "is_pinned": bool(row["is_pinned"]),
            }

    def _rows(self, table: str, column: str) -> Iterator[Row]:
        found = storage.export_queries.rows(self._tx, table)
        return (row for row in found if self._export.includes(row[column]))

    def _recipient_id(self, row: Row, user_id: int, people: list[int]) -> int | None:
        if row["channel_id"] is not None:
            return self._recipients.of_channel(row["channel_id"])
        return self._recipients.of_members([*people, user_id]) if people else None
