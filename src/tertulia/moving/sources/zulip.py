"""Zulip's export, of any version: rows are read by the names of the columns that we know.

realm.json                  everything small, one list of rows per table
messages-000001.json …      zerver_message and zerver_usermessage
attachment.json, uploads/   files
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tertulia.domain.people.user import Role
from tertulia.moving import folders
from tertulia.moving.arrivals import (
    ArrivingChannel,
    ArrivingFile,
    ArrivingMessage,
    ArrivingPerson,
    ArrivingReaction,
    Belongings,
    address,
    mention,
    person,
)
from tertulia.moving.sources import zulip_belongings

PERSONAL, CHANNEL, GROUP = 1, 2, 3  # of recipients
READ, STARRED, COLLAPSED, MENTIONED = 1, 2, 4, 8
MARKS = {STARRED: "starred", COLLAPSED: "collapsed", MENTIONED: "mentioned"}
KNOWN_ROLES = {int(role): role for role in Role}
BROUGHT = {
    "zerver_realm", "zerver_userprofile", "zerver_userprofile_mirrordummy",
    "zerver_userprofile_crossrealm", "zerver_stream", "zerver_recipient", "zerver_huddle",
    "zerver_subscription", "zerver_defaultstream", "zerver_reaction", "zerver_client",
    "zerver_usergroup", "zerver_namedusergroup", "zerver_usergroupmembership",
    "zerver_groupgroupmembership", "zerver_realmemoji", "zerver_customprofilefield",
    "zerver_customprofilefieldvalue", "zerver_usertopic", "zerver_muteduser", "zerver_alertword",
    "zerver_userstatus",
}  # fmt: skip

_MENTION = re.compile(r"@(_?)\*\*[^*|\n]+\|([0-9]+)\*\*")
_FILE = re.compile(r"/user_uploads/([0-9]+/[^\s)\]\"'>]+)")

Row = dict[str, Any]


class ZulipExport:
    kind = "Zulip"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, list[Row]] = _read(folder / "realm.json")
        realm = (self._tables.get("zerver_realm") or [{}])[0]
        self.name = str(realm.get("name") or realm.get("string_id") or "Imported")
        self.number: int | None = realm.get("id")
        self._pages = sorted(folder.glob("messages-*.json"))
        self.message_count = sum(len(_read(page)["zerver_message"]) for page in self._pages)
        self._recipients = {row["id"]: row for row in self._rows("zerver_recipient")}
        self._members: dict[int, list[str]] = defaultdict(list)
        for row in self._rows("zerver_subscription"):
            if row.get("active", True):
                self._members[row["recipient"]].append(str(row["user_profile"]))
        self._reactions: dict[int, list[ArrivingReaction]] = defaultdict(list)
        for row in self._rows("zerver_reaction"):
            self._reactions[row["message"]].append(zulip_belongings.reaction(row))
        attachments = folder / "attachment.json"
        self._files = _read(attachments)["zerver_attachment"] if attachments.exists() else []
        self._paths = {row["path_id"] for row in self._files}
        self._protected = {
            str(row["id"])
            for row in self._rows("zerver_stream")
            if not row.get("history_public_to_subscribers", True)
        }

    def people(self) -> list[ArrivingPerson]:
        house = [
            ArrivingPerson(str(row["id"]), row.get("full_name", ""), is_house_bot=True)
            for row in self._rows("zerver_userprofile_crossrealm")
        ]
        rows = [*self._rows("zerver_userprofile"), *self._rows("zerver_userprofile_mirrordummy")]
        return house + [_person(row) for row in rows]

    def channels(self) -> list[ArrivingChannel]:
        defaults = {row["stream"] for row in self._rows("zerver_defaultstream")}
        recipients = {
            row["type_id"]: row["id"] for row in self._recipients.values() if row["type"] == CHANNEL
        }
        return [
            ArrivingChannel(
                key=str(row["id"]),
                name=row["name"],
                description=row.get("description") or "",
                number=row["id"],
                is_private=bool(row.get("invite_only")),
                is_web_public=bool(row.get("is_web_public")),
                shares_history=bool(row.get("history_public_to_subscribers", True)),
                is_archived=bool(row.get("deactivated")),
                is_default=row["id"] in defaults,
                created_at=_time(row.get("date_created")),
                members=tuple(self._members.get(recipients.get(row["id"], 0), ())),
            )
            for row in self._rows("zerver_stream")
        ]

    def belongings(self) -> Belongings:
        return zulip_belongings.found_in(self._folder, self._tables)

    def files(self) -> Iterator[ArrivingFile]:
        for row in self._files:
            place = f"uploads/{row['path_id']}"
            path = folders.find(self._folder, place)
            if path is not None:
                yield ArrivingFile(
                    key=row["path_id"],
                    name=row.get("file_name") or path.name,
                    owner=str(row.get("owner")),
                    open=partial(folders.open_in, self._folder, place),
                    path_id=row["path_id"],
                )

    def messages(self) -> Iterator[ArrivingMessage]:
        for page in self._pages:
            tables = _read(page)
            held: dict[int, list[Row]] = defaultdict(list)
            for row in tables.get("zerver_usermessage", []):
                held[row["message"]].append(row)
            for row in sorted(tables["zerver_message"], key=lambda each: each["id"]):
                yield self._message(row, held[row["id"]])

    def left(self) -> Counter[str]:
        counts = Counter(
            {
                name: len(rows)
                for name, rows in self._tables.items()
                if name not in BROUGHT and isinstance(rows, list)
            }
        )
        gone = len(self._files) - len(list(self.files()))
        return +(counts + Counter({"files that are not in the archive": gone}))

    def _rows(self, table: str) -> list[Row]:
        return self._tables.get(table) or []

    def _message(self, row: Row, held: list[Row]) -> ArrivingMessage:
        sender = str(row["sender"])
        arriving = ArrivingMessage(
            sender=sender,
            at=_time(row["date_sent"]) or 0.0,
            text=self._text(row["content"]),
            number=row["id"],
            edited_at=_time(row.get("last_edit_time")),
            reactions=self._reactions.pop(row["id"], []),
            unread_by=[str(each["user_profile"]) for each in held if not each["flags_mask"] & READ],
            marks=[
                (str(each["user_profile"]), name)
                for each in held
                for bit, name in MARKS.items()
                if each["flags_mask"] & bit
            ],
        )
        recipient = self._recipients.get(row["recipient"], {"type": 0, "type_id": 0})
        if recipient["type"] == CHANNEL:
            arriving.channel, arriving.topic = str(recipient["type_id"]), row.get("subject", "")
            if arriving.channel in self._protected:
                arriving.received_by = [str(each["user_profile"]) for each in held]
        elif recipient["type"] == PERSONAL:
            arriving.people = tuple({sender, str(recipient["type_id"])})
        elif recipient["type"] == GROUP:
            arriving.people = tuple({sender, *self._members.get(row["recipient"], ())})
        return arriving

    def _text(self, content: str) -> str:
        content = _MENTION.sub(lambda m: person(m[2]) if m[1] else mention(m[2]), content)
        return _FILE.sub(lambda m: address(m[1]) if m[1] in self._paths else m[0], content)


def open_export(folder: Path) -> ZulipExport | None:
    place = folders.holding(folder, "realm.json")
    return None if place is None else ZulipExport(place)


def _read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def _time(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _person(row: Row) -> ArrivingPerson:
    return ArrivingPerson(
        key=str(row["id"]),
        name=row.get("full_name") or "",
        email=row.get("delivery_email") or row.get("email") or "",
        number=row["id"],
        role=KNOWN_ROLES.get(row.get("role", 400), Role.MEMBER),
        is_bot=bool(row.get("is_bot")),
        is_active=bool(row.get("is_active", True)) and not row.get("is_mirror_dummy"),
        joined_at=_time(row.get("date_joined")),
        timezone=row.get("timezone") or "",
    )
