"""Mattermost exports: one JSON object per line with users, channels, and posts with
their replies."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from tertulia.transfer.importing import archive_reader, threads
from tertulia.transfer.importing.emoji import SLACK_NAMES
from tertulia.transfer.importing.import_counts import (
    AVATARS,
    BOTS,
    CHANNELS,
    EMOJI,
    FILES,
    MARKS,
    MESSAGES,
    NOT_IN_ARCHIVE,
    PEOPLE,
    REACTIONS,
    SUBSCRIPTIONS,
)
from tertulia.transfer.importing.sources import attachments
from tertulia.transfer.importing.sources.other_product import OtherProduct, role_among
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

TOPIC = "imported from Mattermost"
STRUCTURE = {"version", "info", "direct_channel"}  # lines that are not counted

Row = dict[str, Any]


class MattermostExport(OtherProduct):
    kind = "Mattermost"

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self._users: list[Row] = []
        self._rooms: list[Row] = []
        self._emoji: dict[str, str] = {}  # path of the picture by name
        self._members: dict[str, list[str]] = {}
        self._order: list[tuple[int, int, int]] = []  # time, offset of the post, index of the reply
        self._owners: dict[str, str] = {}  # of attachments
        self._scan()
        self._texts = TextNames(
            SLACK_NAMES,
            {each["username"]: each["username"] for each in self._users},
            {name: name for name in self._emoji},
        )
        self.message_count = len(self._order)

    def people(self) -> list[ImportedPerson]:
        return [_person(row) for row in self._users]

    def channels(self) -> list[ImportedChannel]:
        return [
            ImportedChannel(
                key=_key(row["team"], row["name"]),
                name=row.get("display_name") or row["name"],
                description=row.get("purpose") or row.get("header") or "",
                is_private=row.get("type") == "P",
                is_archived=bool(row.get("deleted_at")),
                members=tuple(self._members.get(_key(row["team"], row["name"]), ())),
            )
            for row in self._rooms
        ]

    def profile_data(self) -> ProfileData:
        avatars = [(row["username"], row.get("profile_image")) for row in self._users]
        return ProfileData(
            emoji=[
                ImportedEmoji(name, name, "", partial(self._open, path))
                for name, path in self._emoji.items()
            ],
            avatars=[
                ImportedAvatar(key, partial(self._open, path)) for key, path in avatars if path
            ],
        )

    def files(self) -> Iterator[ImportedFile]:
        for path, owner in self._owners.items():
            found = self._find(path)
            if found is not None:
                yield ImportedFile(
                    key=path,
                    name=found.name,
                    owner=owner,
                    open=partial(self._open, path),
                )

    def messages(self) -> Iterator[ImportedMessage]:
        with self._file.open("rb") as file:
            for _, offset, reply in self._order:
                file.seek(offset)
                yield self._message(_decode(file.readline()), reply)

    def _message(self, row: Row, reply: int) -> ImportedMessage:
        post: Row = row.get("post") or row["direct_post"]
        message = post if reply < 0 else post["replies"][reply]
        text, unknown = self._texts.text(_text(message))
        imported = ImportedMessage(
            sender=message["user"],
            at=message["create_at"] / 1000,
            text=text,
            edited_at=message["edit_at"] / 1000 if message.get("edit_at") else None,
            files=tuple(each["path"] for each in message.get("attachments") or ()),
            reactions=[
                self._texts.reaction(each["user"], each["emoji_name"])
                for each in message.get("reactions") or ()
            ],
            marks=[(name, "starred") for name in message.get("flagged_by") or ()],
            unknown_emoji=unknown,
        )
        if "post" in row:
            imported.channel = _key(post["team"], post["channel"])
            began = post["create_at"] / 1000
            first = post.get("message") or ""
            imported.topic = threads.topic_of(began, first) if post.get("replies") else TOPIC
        else:
            imported.people = tuple({*post["channel_members"], message["user"]})
        return imported

    def _open(self, path: str) -> IO[bytes]:
        found = self._find(path)
        if found is None:
            raise FileNotFoundError
        return found.open("rb")

    def _find(self, path: str) -> Path | None:
        folder = self._file.parent
        return archive_reader.find(folder, f"data/{path}") or archive_reader.find(folder, path)

    # --- first pass ---

    def _scan(self) -> None:
        """First pass: collect users and the order of messages, and count everything."""
        offset = 0
        with self._file.open("rb") as file:
            for line in file:
                row = _decode(line)
                if row:
                    self._note(row.get("type", ""), row, offset)
                offset += len(line)
        self._order.sort()
        gone = sum(self._find(path) is None for path in self._owners)
        self._counts.read[FILES] += len(self._owners)
        self._counts.drop(FILES, NOT_IN_ARCHIVE, gone)
        rooms = {_key(row["team"], row["name"]) for row in self._rooms}
        for key, members in self._members.items():
            self._counts.read[SUBSCRIPTIONS] += len(members)
            if key not in rooms:
                reason = "to channels that are not in the export"
                self._counts.drop(SUBSCRIPTIONS, reason, len(members))

    def _note(self, kind: str, row: Row, offset: int) -> None:
        if kind in ("user", "bot"):
            self._note_user(row[kind] | {"is_bot": kind == "bot"})
        elif kind == "emoji":
            name, image = row["emoji"]["name"], row["emoji"].get("image")
            self._counts.read[EMOJI] += 1
            if name in self._emoji:
                self._counts.drop(EMOJI, "whose name is taken")
            self._emoji[name] = image or ""
        elif kind == "channel":
            self._counts.read[CHANNELS] += 1
            self._rooms.append(row["channel"])
        elif kind in ("post", "direct_post"):
            post = row[kind]
            for number, message in enumerate([post, *(post.get("replies") or ())], -1):
                self._note_message(message, offset, number)
        elif kind not in STRUCTURE:
            self._counts.drop_unread(f"lines of the kind {kind}", 1)

    def _note_user(self, user: Row) -> None:
        self._users.append(user)
        self._counts.read[BOTS if user["is_bot"] else PEOPLE] += 1
        self._counts.read[AVATARS] += bool(user.get("profile_image"))
        for team in user.get("teams") or ():
            for room in team.get("channels") or ():
                members = self._members.setdefault(_key(team["name"], room["name"]), [])
                members.append(user["username"])

    def _note_message(self, post: Row, offset: int, number: int) -> None:
        self._order.append((post["create_at"], offset, number))
        self._counts.read[MESSAGES] += 1
        self._counts.read[REACTIONS] += len(post.get("reactions") or ())
        self._counts.read[MARKS] += len(post.get("flagged_by") or ())
        self._counts.drop_unread("pinned messages", int(bool(post.get("is_pinned"))))
        for each in post.get("attachments") or ():
            self._owners[each["path"]] = post["user"]


def open_export(folder: Path) -> MattermostExport | None:
    for pattern in ("*.jsonl", "*/*.jsonl"):
        for file in sorted(folder.glob(pattern)):
            return MattermostExport(file)
    return None


def _decode(line: bytes) -> Row:
    row: Row = msgspec.json.decode(line) if line.strip() else {}
    return row


def _text(post: Row) -> str:
    """The text of a post with its attachments."""
    props = post.get("props") or {}
    rows = [each for each in props.get("attachments") or () if isinstance(each, dict)]
    about = attachments.texts(rows, lambda value: "" if value is None else str(value))
    return "\n\n".join(filter(None, [post.get("message"), *about]))


def _key(team: str, channel: str) -> str:
    return f"{team}/{channel}"


def _person(row: Row) -> ImportedPerson:
    names = [row.get("first_name"), row.get("last_name")]
    roles = row.get("roles") or ""
    return ImportedPerson(
        key=row["username"],
        name=" ".join(filter(None, names)) or row.get("display_name") or row["username"],
        email=row.get("email") or "",
        role=role_among(roles, "system_admin"),
        is_bot=row["is_bot"],
        is_active=not row.get("delete_at"),
    )
