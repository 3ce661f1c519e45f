"""Rocket.Chat data as `mongodump` writes it: a BSON file per collection."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tertulia.transfer.importing import archive_reader, bson, threads
from tertulia.transfer.importing.bson import GridFsFiles
from tertulia.transfer.importing.emoji import ROCKETCHAT_NAMES
from tertulia.transfer.importing.import_counts import (
    AVATARS,
    BOTS,
    FILES,
    MARKS,
    MESSAGES,
    OF_DROPPED_MESSAGES,
    PEOPLE,
    REACTIONS,
)
from tertulia.transfer.importing.sources import attachments
from tertulia.transfer.importing.sources.other_product import (
    NOTICE,
    OtherProduct,
    joined,
    profile_fields,
    role_among,
    shown_as,
    status,
)
from tertulia.transfer.importing.sources.text_names import TextNames
from tertulia.transfer.model import (
    ImportedAvatar,
    ImportedChannel,
    ImportedEmoji,
    ImportedFile,
    ImportedMessage,
    ImportedPerson,
    ProfileData,
)

TOPIC = "imported from Rocket.Chat"
MESSAGES_FILE = "rocketchat_message.bson"
DIRECT, LIVE_CHAT, ENCRYPTED = "d", "l", "e2e"
THUMBNAIL = "thumb"
# Collections that are read; `.chunks` and `.files` contain files.
READ = {
    "users", "rocketchat_room", "rocketchat_subscription", "rocketchat_uploads",
    "rocketchat_custom_emoji", "rocketchat_avatars", "rocketchat_message",
}  # fmt: skip
PIECES = (".chunks", ".files")
PROFILE_FIELDS = {"nickname": "Nickname", "bio": "Bio"}
DESCRIPTIONS = ("description", "topic", "announcement")  # of rooms
NOT_IN_DUMP = "of rooms that are not in the dump"

Row = dict[str, Any]


class RocketChatExport(OtherProduct):
    kind = "Rocket.Chat"

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._users = self._all("users")
        self._rooms = {row["_id"]: row for row in self._all("rocketchat_room")}
        self._by_name = {row["username"]: row["_id"] for row in self._users if "username" in row}
        self._listed = set(self._by_name.values())
        self._members: dict[str, list[str]] = {}
        for row in self._all("rocketchat_subscription"):
            self._members.setdefault(row["rid"], []).append((row.get("u") or {}).get("_id", ""))
        self._uploads = {row["_id"]: row for row in self._all("rocketchat_uploads")}
        self._stored = GridFsFiles(folder / "rocketchat_uploads.chunks.bson")
        self._emoji = self._all("rocketchat_custom_emoji")
        self._avatars = self._all("rocketchat_avatars")
        self._texts = TextNames(
            ROCKETCHAT_NAMES,
            self._by_name,
            {
                name: row["name"]
                for row in self._emoji
                for name in (*(row.get("aliases") or ()), row["name"])
            },
        )
        self._topics: dict[str, str] = {}  # of threads, by the id of their first message
        self._offsets = self._scan()
        self._count()
        self.message_count = len(self._offsets)

    def people(self) -> list[ImportedPerson]:
        listed = [_person(row) for row in self._users if row.get("username")]
        return [*listed, *self._unlisted.values()]

    def channels(self) -> list[ImportedChannel]:
        return [
            ImportedChannel(
                key=row["_id"],
                name=row.get("fname") or row.get("name") or row["_id"],
                description=joined(*(row.get(key) for key in DESCRIPTIONS)),
                is_private=row.get("t") == "p",
                is_archived=bool(row.get("archived")),
                is_default=bool(row.get("default")),
                created_at=row.get("ts"),
                members=tuple(self._members.get(row["_id"], ())),
            )
            for row in self._rooms.values()
            if _is_channel(row)
        ]

    def profile_data(self) -> ProfileData:
        pictures = GridFsFiles(self._folder / "custom_emoji.chunks.bson")
        avatars = GridFsFiles(self._folder / "rocketchat_avatars.chunks.bson")
        users = [row for row in self._users if row.get("username")]
        asked = dict.fromkeys(name for row in users for name in row.get("customFields") or ())
        return ProfileData(
            profile_fields=[
                *profile_fields(PROFILE_FIELDS, [(row["_id"], row) for row in users]),
                *profile_fields(
                    {name: name for name in asked},
                    [(row["_id"], row.get("customFields") or {}) for row in users],
                ),
            ],
            statuses=[
                status(row["_id"], str(row["statusText"]), None)
                for row in users
                if row.get("statusText")
            ],
            emoji=[
                ImportedEmoji(name, name, "", partial(pictures.open, f"{name}.{row['extension']}"))
                for row in self._emoji
                for name in [row["name"]]
            ],
            avatars=[
                ImportedAvatar(row["userId"], partial(avatars.open, row["_id"]))
                for row in self._avatars
                if row.get("userId")
            ],
        )

    def files(self) -> Iterator[ImportedFile]:
        for key, row in self._uploads.items():
            if key in self._stored and row.get("typeGroup") != THUMBNAIL:
                yield ImportedFile(
                    key=key,
                    name=row.get("name") or key,
                    owner=row.get("userId") or "",
                    open=partial(self._stored.open, key),
                )

    def messages(self) -> Iterator[ImportedMessage]:
        for row in bson.at(self._folder / MESSAGES_FILE, self._offsets):
            yield self._message(row)

    def _message(self, row: Row) -> ImportedMessage:
        room = self._rooms[row["rid"]]
        text, unknown = self._texts.text(_text(row))
        imported = ImportedMessage(
            sender=self._sender(row),
            at=row.get("ts") or 0.0,
            text=text,
            edited_at=row.get("editedAt"),
            files=tuple(each for each in _file_keys(row) if each in self._stored),
            reactions=[
                self._texts.reaction(self._by_name.get(name, ""), emoji.strip(":"))
                for emoji, name in _reactions(row)
            ],
            marks=[(key, "starred") for key in _stars(row)],
            unknown_emoji=unknown,
        )
        if room["t"] == DIRECT:
            imported.people = tuple({*self._members_of(room), imported.sender})
        elif room.get("prid"):  # a discussion becomes a topic of its parent channel
            imported.channel = room["prid"]
            imported.topic = room.get("fname") or room.get("name") or TOPIC
        else:
            imported.channel = row["rid"]
            imported.topic = self._topics.get(row.get("tmid") or row["_id"], TOPIC)
        return imported

    def _sender(self, row: Row) -> str:
        """The key of the author. An integration can write under a different name each time."""
        author, alias = row.get("u") or {}, row.get("alias")
        key = str(author.get("_id") or "")
        is_alias = alias and alias not in (author.get("name"), author.get("username"))
        return shown_as(key, str(alias)) if is_alias else key

    def _members_of(self, room: Row) -> list[str]:
        """The members of a direct conversation; old rooms have user names only."""
        named = (self._by_name.get(each, each) for each in room.get("usernames") or ())
        return list(room.get("uids") or named)

    # --- first pass ---

    def _scan(self) -> list[int]:
        """First pass: offsets of messages in order of time. Counts everything and names threads."""
        order, named = [], set()
        lost: Counter[str] = Counter()
        counts = self._counts
        for offset, row in bson.documents(self._folder / MESSAGES_FILE):
            reactions, stars = len(list(_reactions(row))), len(_stars(row))
            counts.read[MESSAGES] += 1
            counts.read[REACTIONS] += reactions
            counts.read[MARKS] += stars
            counts.drop_unread("pinned messages", int(bool(row.get("pinned"))))
            reason = self._dropped_because(row)
            if reason is not None:
                lost[str(row.get("rid"))] += reason == NOT_IN_DUMP
                counts.drop(MESSAGES, reason)
                counts.drop(REACTIONS, OF_DROPPED_MESSAGES, reactions)
                counts.drop(MARKS, OF_DROPPED_MESSAGES, stars)
                continue
            order.append((row.get("ts") or 0.0, offset))
            self._note_author(row)
            named.update(_file_keys(row))
            if row.get("tcount"):
                topic = threads.topic_of(row.get("ts") or 0.0, row.get("msg") or "")
                self._topics[row["_id"]] = topic
        for room, number in (+lost).items():
            counts.warn_of_lost_messages(f"the room {room}", number)
        files = {key for key, row in self._uploads.items() if row.get("typeGroup") != THUMBNAIL}
        gone = sum(key not in self._stored for key in files)
        counts.read[FILES] += len(files | named)
        counts.drop(FILES, "that are not in the dump", gone + len(named - files))
        return [offset for _, offset in sorted(order)]

    def _dropped_because(self, row: Row) -> str | None:
        """Why a row does not become a message; None if it does."""
        room = self._rooms.get(row.get("rid", ""))
        if row.get("_hidden"):
            return "that were changed or deleted later"
        if row.get("t") == ENCRYPTED:
            return "that are encrypted"
        if row.get("t"):
            return NOTICE
        if room is None:
            return NOT_IN_DUMP
        if room.get("t", LIVE_CHAT) == LIVE_CHAT:
            return "of live chats"
        return None if self._sender(row) else "without a sender"

    def _note_author(self, row: Row) -> None:
        author, key = row.get("u") or {}, self._sender(row)
        if key != author["_id"]:
            self._add_unlisted(key, str(row["alias"]), is_bot=True)
        elif key not in self._listed:
            self._add_unlisted(key, str(author.get("name") or author.get("username") or ""))

    def _count(self) -> None:
        counts = self._counts
        for row in self._users:
            if not row.get("username") and row["_id"] not in self._unlisted:
                kind = BOTS if _person(row).is_bot else PEOPLE
                counts.read[kind] += 1
                counts.drop(kind, "without a user name")
        for row in self._rooms.values():
            if row.get("t") == DIRECT:
                for key in self._members_of(row):
                    if key not in self._listed:
                        self._add_unlisted(key)
        self._count_accounts(self.people(), self.channels())
        self._count_profiles(self.profile_data())
        for row in self._rooms.values():
            if _is_channel(row):
                more = sum(bool(row.get(key)) for key in DESCRIPTIONS[1:])
                counts.notes["topics and announcements, as part of the description"] += more
            elif row.get("prid"):
                counts.notes["discussions, which become topics"] += 1
            elif row.get("t") != DIRECT:
                counts.drop_unread("live chats and other rooms", 1)
        of_rooms = sum(not row.get("userId") for row in self._avatars)
        counts.read[AVATARS] += of_rooms
        counts.drop(AVATARS, "of rooms", of_rooms)
        for file in sorted(self._folder.glob("*.bson")):
            if file.stem not in READ and not file.stem.endswith(PIECES):
                counts.drop_unread(f"documents of {file.stem}", bson.count(file))

    def _all(self, collection: str) -> list[Row]:
        file = self._folder / f"{collection}.bson"
        return [row for _, row in bson.documents(file)] if file.exists() else []


def open_export(folder: Path) -> RocketChatExport | None:
    root = archive_reader.folder_with(folder, MESSAGES_FILE, "users.bson")
    return None if root is None else RocketChatExport(root)


def _file_keys(row: Row) -> list[str]:
    """The files of a message, without thumbnails."""
    named = row.get("files") or [row.get("file") or {}]
    return [each["_id"] for each in named if "_id" in each and each.get("typeGroup") != THUMBNAIL]


def _text(row: Row) -> str:
    """The text of a message with its attachments and the descriptions of its files."""
    shown = [each for each in row.get("attachments") or () if isinstance(each, dict)]
    is_file = bool(row.get("file") or row.get("files"))
    about = [each.get("description") or "" for each in shown] if is_file else []
    quoted = [] if is_file else attachments.texts(shown, lambda v: "" if v is None else str(v))
    text = attachments.end_quotations(row.get("msg") or "")
    return "\n\n".join(filter(None, [text, *about, *quoted]))


def _reactions(row: Row) -> Iterator[tuple[str, str]]:
    """Pairs of an emoji and the user who reacted."""
    for emoji, given in (row.get("reactions") or {}).items():
        for name in given.get("usernames") or ():
            yield emoji, name


def _stars(row: Row) -> list[str]:
    return [str(each["_id"]) for each in row.get("starred") or () if "_id" in each]


def _is_channel(room: Row) -> bool:
    return room.get("t") in ("c", "p") and not room.get("prid")


def _person(row: Row) -> ImportedPerson:
    emails = row.get("emails") or [{}]
    roles = row.get("roles") or []
    return ImportedPerson(
        key=row["_id"],
        name=row.get("name") or row.get("username") or "",
        email=emails[0].get("address") or "",
        role=role_among(roles, "admin"),
        is_bot=row.get("type") == "bot" or "bot" in roles,
        is_active=bool(row.get("active", True)),
        joined_at=row.get("createdAt"),
    )
