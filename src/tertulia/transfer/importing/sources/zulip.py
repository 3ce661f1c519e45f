"""Zulip exports of any version: columns are read by name, unknown ones are ignored.

realm.json                  everything small, one list of rows per table
messages-000001.json …      zerver_message and zerver_usermessage
attachment.json, uploads/   files
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from pyroaring import BitMap64

from tertulia import storage
from tertulia.domain.messages.widgets import WIDGET
from tertulia.domain.people.user import BotType, Role
from tertulia.transfer.importing import archive_reader
from tertulia.transfer.importing.import_counts import (
    ALERT_WORDS,
    ANSWERS,
    BOTS,
    CHANNELS,
    DEFAULTS,
    DRAFTS,
    EDITS,
    EMOJI,
    FIELDS,
    FILES,
    FOLDERS,
    LINKIFIERS,
    MARKS,
    MESSAGES,
    MUTED,
    NOT_IN_ARCHIVE,
    OF_DROPPED_MESSAGES,
    PEOPLE,
    PLAYGROUNDS,
    POLICIES,
    REACTIONS,
    SNIPPETS,
    STATUSES,
    SUBSCRIPTIONS,
    UNREAD,
    VIEWS,
    VOTES,
    ImportCounts,
)
from tertulia.transfer.importing.sources import zulip_profiles
from tertulia.transfer.model import (
    ImportedChannel,
    ImportedEdit,
    ImportedFile,
    ImportedFolder,
    ImportedMessage,
    ImportedPerson,
    ImportedSubmessage,
    ProfileData,
    address,
    mention,
    person,
)

PERSONAL, CHANNEL, GROUP = 1, 2, 3  # of recipients
READ, STARRED, COLLAPSED, MENTIONED = 1, 2, 4, 8
MARKED = {STARRED: "starred", COLLAPSED: "collapsed", MENTIONED: "mentioned"}
TOPICS_POLICIES = ("inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only")
KNOWN_ROLES = {int(role): role for role in Role}
# Tables whose rows are counted separately below, and join tables.
IMPORTED_TABLES = {
    "zerver_realm", "zerver_userprofile", "zerver_userprofile_mirrordummy",
    "zerver_userprofile_crossrealm", "zerver_stream", "zerver_recipient", "zerver_huddle",
    "zerver_subscription", "zerver_reaction", "zerver_client", "zerver_usergroup",
    "zerver_namedusergroup", "zerver_usergroupmembership", "zerver_groupgroupmembership",
    "zerver_scheduledmessage", "zerver_submessage",
}  # fmt: skip
# Tables in which every row counts as one object.
COUNTED_TABLES = {
    "zerver_channelfolder": FOLDERS,
    "zerver_defaultstream": DEFAULTS,
    "zerver_realmemoji": EMOJI,
    "zerver_customprofilefield": FIELDS,
    "zerver_customprofilefieldvalue": ANSWERS,
    "zerver_usertopic": POLICIES,
    "zerver_muteduser": MUTED,
    "zerver_alertword": ALERT_WORDS,
    "zerver_userstatus": STATUSES,
    "zerver_realmfilter": LINKIFIERS,
    "zerver_realmplayground": PLAYGROUNDS,
    "zerver_draft": DRAFTS,
    "zerver_savedsnippet": SNIPPETS,
    "zerver_navigationview": VIEWS,
}

_MENTION = re.compile(r"@(_?)\*\*[^*|\n]+\|([0-9]+)\*\*")
_FILE = re.compile(r"/user_uploads/([0-9]+/[^\s)\]\"'>]+)")

Row = dict[str, Any]


class ZulipExport:
    kind = "Zulip"
    knows_receivers = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, list[Row]] = _read(folder / "realm.json")
        realm = (self._tables.get("zerver_realm") or [{}])[0]
        self.name = str(realm.get("name") or realm.get("string_id") or "Imported")
        self.number: int | None = realm.get("id")
        self._pages = sorted(folder.glob("messages-*.json"))
        self._recipients = {row["id"]: row for row in self._rows("zerver_recipient")}
        self._members: dict[int, list[str]] = defaultdict(list)
        self._choices: dict[int, dict[str, Row]] = defaultdict(dict)
        for row in self._rows("zerver_subscription"):
            if row.get("active", True):
                key = str(row["user_profile"])
                self._members[row["recipient"]].append(key)
                self._choices[row["recipient"]][key] = _choices(row)
        attachments = folder / "attachment.json"
        self._files = _read(attachments)["zerver_attachment"] if attachments.exists() else []
        self._paths = {row["path_id"] for row in self._files}
        self._protected = {
            str(row["id"])
            for row in self._rows("zerver_stream")
            if not row.get("history_public_to_subscribers", True)
        }
        self._counts = ImportCounts()
        self._unlisted: dict[int, ImportedPerson] = {}  # authors who are in no table
        self.message_count = 0
        self.last_message = 0
        self._scan()

    def people(self) -> list[ImportedPerson]:
        house = [
            ImportedPerson(str(row["id"]), row.get("full_name", ""), is_system_bot=True)
            for row in self._rows("zerver_userprofile_crossrealm")
        ]
        rows = [*self._rows("zerver_userprofile"), *self._rows("zerver_userprofile_mirrordummy")]
        return [*house, *map(_person, rows), *self._unlisted.values()]

    def folders(self) -> list[ImportedFolder]:
        rows = sorted(
            self._rows("zerver_channelfolder"), key=lambda r: (r.get("order", 0), r["id"])
        )
        return [
            ImportedFolder(
                key=str(row["id"]),
                name=row["name"],
                description=row.get("description") or "",
                creator=str(row.get("creator")),
                created_at=_time(row.get("date_created")),
                is_archived=bool(row.get("is_archived")),
            )
            for row in rows
        ]

    def channels(self) -> list[ImportedChannel]:
        values = zulip_profiles.NamedPermissions(self._rows)
        defaults = {row["stream"] for row in self._rows("zerver_defaultstream")}
        recipients = {
            row["type_id"]: row["id"] for row in self._recipients.values() if row["type"] == CHANNEL
        }
        return [
            ImportedChannel(
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
                folder=str(row.get("folder")),
                topics_policy=_topics_policy(row.get("topics_policy")),
                retention_days=row.get("message_retention_days"),
                default_push=bool(row.get("default_push_notifications")),
                allows_summaries=bool(row.get("topic_summaries_allowed", True)),
                creator=str(row.get("creator")),
                permissions=values.of(row),
                choices=self._choices.get(recipients.get(row["id"], 0), {}),
            )
            for row in self._rows("zerver_stream")
        ]

    def profile_data(self) -> ProfileData:
        return zulip_profiles.read_profiles(self._folder, self._tables, self._text)

    def files(self) -> Iterator[ImportedFile]:
        for row in self._files:
            path_in_export = f"uploads/{row['path_id']}"
            path = archive_reader.find(self._folder, path_in_export)
            if path is not None:
                yield ImportedFile(
                    key=row["path_id"],
                    name=row.get("file_name") or path.name,
                    owner=str(row.get("owner")),
                    open=partial(archive_reader.open_in, self._folder, path_in_export),
                    path_id=row["path_id"],
                )

    def messages(self) -> Iterator[ImportedMessage]:
        reactions = _by_message(self._rows("zerver_reaction"))
        parts = _by_message(self._rows("zerver_submessage"))
        for page in self._pages:
            tables = _read(page)
            held: dict[int, list[Row]] = defaultdict(list)
            for row in tables.get("zerver_usermessage", []):
                held[row["message"]].append(row)
            for row in sorted(tables["zerver_message"], key=lambda each: each["id"]):
                imported = self._message(row, held[row["id"]])
                imported.reactions = list(map(zulip_profiles.reaction, reactions[row["id"]]))
                imported.parts = list(map(_part, parts[row["id"]]))
                yield imported

    def counts(self) -> ImportCounts:
        return self._counts

    def _scan(self) -> None:
        """First pass: count everything."""
        counts = self._counts
        numbers = BitMap64()
        listed = {each.key for each in self.people()}
        for page in self._pages:
            tables = _read(page)
            for number in {row["sender"] for row in tables["zerver_message"]}:
                if str(number) not in listed:
                    self._unlisted[number] = ImportedPerson(
                        str(number), f"User {number}", number=number, is_active=False
                    )
            numbers.update(row["id"] for row in tables["zerver_message"])
            self.message_count += len(tables["zerver_message"])
            counts.read[EDITS] += sum(len(_edits(row)) for row in tables["zerver_message"])
            for row in tables.get("zerver_usermessage", []):
                mask, is_here = row["flags_mask"], row["message"] in numbers
                marks = sum(bool(mask & bit) for bit in MARKED)
                counts.read[UNREAD] += not mask & READ
                counts.read[MARKS] += marks
                if not is_here:
                    counts.drop(UNREAD, OF_DROPPED_MESSAGES, int(not mask & READ))
                    counts.drop(MARKS, OF_DROPPED_MESSAGES, marks)
        self.last_message = numbers.max() if numbers else 0
        counts.read[MESSAGES] += self.message_count
        for table, kind in (("zerver_reaction", REACTIONS), ("zerver_submessage", VOTES)):
            rows = self._rows(table)
            counts.read[kind] += len(rows)
            gone = sum(row["message"] not in numbers for row in rows)
            counts.drop(kind, OF_DROPPED_MESSAGES, gone)
        for each in self.people():
            if not each.is_system_bot:  # our own bot already exists
                counts.read[BOTS if each.is_bot else PEOPLE] += 1
        counts.notes["authors who are not in the list of users"] += len(self._unlisted)
        counts.read[CHANNELS] += len(self._rows("zerver_stream"))
        self._count_tables()

    def _count_tables(self) -> None:
        counts = self._counts
        streams = {row["id"] for row in self._rows("zerver_stream")}
        of_channels = {
            row["id"]
            for row in self._recipients.values()
            if row["type"] == CHANNEL and row["type_id"] in streams
        }
        for row in self._rows("zerver_subscription"):
            if row["recipient"] in of_channels:
                counts.read[SUBSCRIPTIONS] += 1
                counts.drop(SUBSCRIPTIONS, "that have ended", int(not row.get("active", True)))
        for table, kind in COUNTED_TABLES.items():
            counts.read[kind] += len(self._rows(table))
        lost = sum(row["stream"] not in streams for row in self._rows("zerver_defaultstream"))
        counts.drop(DEFAULTS, "that are not in the export", lost)
        zulip_profiles.count(self._folder, self._rows, counts)
        counts.read[FILES] += len(self._files)
        counts.drop(FILES, NOT_IN_ARCHIVE, len(self._files) - len(list(self.files())))
        for name, rows in self._tables.items():
            if (
                name not in IMPORTED_TABLES
                and name not in COUNTED_TABLES
                and isinstance(rows, list)
            ):
                counts.drop_unread(f"rows of {name}", len(rows))

    def _rows(self, table: str) -> list[Row]:
        return self._tables.get(table) or []

    def _message(self, row: Row, held: list[Row]) -> ImportedMessage:
        sender = str(row["sender"])
        imported = ImportedMessage(
            sender=sender,
            at=_time(row["date_sent"]) or 0.0,
            text=self._text(row["content"]),
            number=row["id"],
            edited_at=_time(row.get("last_edit_time")),
            edits=[self._edit(each) for each in reversed(_edits(row))],
            unread_by=[str(each["user_profile"]) for each in held if not each["flags_mask"] & READ],
            marks=[
                (str(each["user_profile"]), name)
                for each in held
                for bit, name in MARKED.items()
                if each["flags_mask"] & bit
            ],
        )
        recipient = self._recipients.get(row["recipient"], {"type": 0, "type_id": 0})
        if recipient["type"] == CHANNEL:
            imported.channel, imported.topic = str(recipient["type_id"]), row.get("subject", "")
            if imported.channel in self._protected:
                imported.received_by = [str(each["user_profile"]) for each in held]
        elif recipient["type"] == PERSONAL:
            imported.people = tuple({sender, str(recipient["type_id"])})
        elif recipient["type"] == GROUP:
            imported.people = tuple({sender, *self._members.get(row["recipient"], ())})
        return imported

    def _edit(self, row: Row) -> ImportedEdit:
        content, channel = row.get("prev_content"), row.get("prev_stream")
        return ImportedEdit(
            person=str(row.get("user_id")),
            at=_time(row.get("timestamp")) or 0.0,
            content=None if content is None else self._text(content),
            topic=row.get("prev_topic"),
            new_topic=row.get("topic"),
            channel=None if channel is None else str(channel),
            new_channel=None if channel is None else str(row.get("stream")),
        )

    def _text(self, content: str) -> str:
        content = _MENTION.sub(lambda m: person(m[2]) if m[1] else mention(m[2]), content)
        return _FILE.sub(lambda m: address(m[1]) if m[1] in self._paths else m[0], content)


def open_export(folder: Path) -> ZulipExport | None:
    root = archive_reader.folder_with(folder, "realm.json")
    return None if root is None else ZulipExport(root)


def _read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def _time(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _by_message(rows: list[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["message"]].append(row)
    return found


def _part(row: Row) -> ImportedSubmessage:
    return ImportedSubmessage(str(row["sender"]), row.get("msg_type") or WIDGET, row["content"])


def _edits(message: Row) -> list[Row]:
    """The history of a message, newest first."""
    history = message.get("edit_history")
    rows: list[Row] = msgspec.json.decode(history) if history else []
    return rows


def _choices(row: Row) -> Row:
    """A subscriber's settings for a channel; missing ones are the default."""
    return {
        name: row[name]
        for name in storage.bulk_import.CHOICES
        if row.get(name) is not None and isinstance(row[name], str if name == "color" else bool)
    }


def _topics_policy(value: Any) -> str:
    """Zulip stores a number or a name."""
    if isinstance(value, int):
        return TOPICS_POLICIES[value - 1] if 0 < value <= len(TOPICS_POLICIES) else "inherit"
    return str(value) if value in TOPICS_POLICIES else "inherit"


def _person(row: Row) -> ImportedPerson:
    return ImportedPerson(
        key=str(row["id"]),
        name=row.get("full_name") or "",
        email=row.get("delivery_email") or row.get("email") or "",
        number=row["id"],
        role=KNOWN_ROLES.get(row.get("role", 400), Role.MEMBER),
        is_bot=bool(row.get("is_bot")),
        is_active=bool(row.get("is_active", True)) and not row.get("is_mirror_dummy"),
        joined_at=_time(row.get("date_joined")),
        timezone=row.get("timezone") or "",
        is_incoming_webhook=row.get("bot_type") == BotType.INCOMING_WEBHOOK,
        owner=str(row.get("bot_owner")),
    )
