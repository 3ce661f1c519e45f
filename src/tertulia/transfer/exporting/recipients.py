"""Exports recipients in Zulip's format, in which channels and conversations share one id space."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from tertulia import storage
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx

CHANNEL, GROUP = 2, 3

Tables = dict[str, list[dict[str, Any]]]


class ExportSelection(Protocol):
    """The users and conversations that an export contains."""

    def includes(self, user_id: int) -> bool: ...
    def includes_conversation(self, members: list[int]) -> bool: ...


class Recipients:
    """Fills the tables of recipients, conversations and subscriptions."""

    def __init__(self, tx: Tx, export: ExportSelection, tables: Tables) -> None:
        self._tx = tx
        self._export = export
        self._of_channel: dict[int, int] = {}
        self._of_conversation: dict[int, int] = {}
        self.members: dict[int, list[int]] = {}
        self._of_members: dict[tuple[int, ...], int] = {}
        self._tables = tables
        subscribers: dict[int, list[int]] = defaultdict(list)
        choices: dict[tuple[int, int], dict[str, Any]] = {}
        for row in storage.export_queries.rows(tx, "subscription"):
            if row["active"]:
                subscribers[row["channel_id"]].append(row["user_id"])
                if export.includes(row["user_id"]):
                    key = (row["channel_id"], row["user_id"])
                    choices[key] = {name: row[name] for name in storage.bulk_import.CHOICES}
        for row in tables["zerver_stream"]:
            members = subscribers[row["id"]]
            chosen = {each: choices.get((row["id"], each), {}) for each in members}
            number = self._add(tables, CHANNEL, row["id"], members, chosen)
            self._of_channel[row["id"]] = number
        for found in storage.export_queries.rows(tx, "conversation"):
            members = [int(each) for each in found["member_ids"].split(",") if each]
            if not export.includes_conversation(members):
                continue
            tables["zerver_huddle"].append({"id": found["id"], "group_size": len(members)})
            number = self._add(tables, GROUP, found["id"], members)
            self._of_conversation[found["id"]] = number
            self._of_members[tuple(sorted(members))] = number
            self.members[found["id"]] = members

    def of(self, row: Row) -> int:
        if row["channel_id"] is not None:
            return self._of_channel[row["channel_id"]]
        return self._of_conversation[row["conversation_id"]]

    def rows(self, table: str, owner: str = "user_id") -> Iterable[Row]:
        found = storage.export_queries.rows(self._tx, table)
        return (row for row in found if self._export.includes(row[owner]))

    def recipient(self, channel_id: int | None, user_ids: list[int]) -> int | None:
        """A conversation that these users do not have yet is created."""
        if channel_id is not None:
            return self._of_channel.get(channel_id)
        if not user_ids:
            return None
        key = tuple(sorted(set(user_ids)))
        if key not in self._of_members:
            huddles = self._tables["zerver_huddle"]
            number = max((row["id"] for row in huddles), default=0) + 1
            huddles.append({"id": number, "group_size": len(key)})
            self._of_members[key] = self._add(self._tables, GROUP, number, list(key))
        return self._of_members[key]

    def _add(
        self,
        tables: Tables,
        kind: int,
        type_id: int,
        members: list[int],
        choices: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> int:
        number = len(tables["zerver_recipient"]) + 1
        tables["zerver_recipient"].append({"id": number, "type": kind, "type_id": type_id})
        for user_id in members:
            tables["zerver_subscription"].append(
                {
                    "id": len(tables["zerver_subscription"]) + 1,
                    "user_profile": user_id,
                    "recipient": number,
                    "active": True,
                    **_as_booleans((choices or {}).get(user_id, {})),
                }
            )
        return number


def _as_booleans(choices: Mapping[str, Any]) -> dict[str, Any]:
    """SQLite stores booleans as numbers."""
    return {
        name: value if name == "color" or value is None else bool(value)
        for name, value in choices.items()
    }
