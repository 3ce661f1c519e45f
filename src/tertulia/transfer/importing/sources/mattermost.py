"""Mattermost exports: one JSON object per line with users, channels, and posts with
their replies."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from tertulia.transfer.importing import archive_reader, threads
from tertulia.transfer.importing.emoji import SLACK_NAMES, EmojiNames
from tertulia.transfer.importing.import_counts import (
    EMOJI,
    FILES,
    MARKS,
    MESSAGES,
    NOT_IN_ARCHIVE,
    OF_DROPPED_MESSAGES,
    REACTIONS,
    STATUSES,
    SUBSCRIPTIONS,
)
from tertulia.transfer.importing.sources import attachments
from tertulia.transfer.importing.sources.other_product import (
    NOTICE,
    TEMPORARY,
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

TOPIC = "imported from Mattermost"
STRUCTURE = {"version", "info", "direct_channel"}  # lines that are not counted
SYSTEM = "system_"  # begins the type of a notice
NO_TIME = "0001-"  # begins a time that is not set
PROFILE_FIELDS = {"position": "Position", "nickname": "Nickname"}

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
        self._authors: dict[str, None] = {}  # everyone who wrote or is in a conversation
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
        return [*map(_person, self._users), *self._unlisted.values()]

    def channels(self) -> list[ImportedChannel]:
        return [
            ImportedChannel(
                key=_key(row["team"], row["name"]),
                name=row.get("display_name") or row["name"],
                description=joined(row.get("purpose"), row.get("header")),
                is_private=row.get("type") == "P",
                is_archived=bool(row.get("deleted_at")),
                members=tuple(self._members.get(_key(row["team"], row["name"]), ())),
            )
            for row in self._rooms
        ]

    def profile_data(self) -> ProfileData:
        avatars = [(row["username"], row.get("profile_image")) for row in self._users]
        emoji = EmojiNames(SLACK_NAMES)
        return ProfileData(
            profile_fields=profile_fields(
                PROFILE_FIELDS, [(row["username"], row) for row in self._users]
            ),
            statuses=[
                status(
                    row["username"],
                    str(shown.get("text") or ""),
                    emoji.find(str(shown.get("emoji") or "")),
                )
                for row in self._users
                if (shown := _status(row)) and not _expires(shown)
            ],
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
            sender=_sender(message),
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
        for name in sorted(self._authors.keys() - {each["username"] for each in self._users}):
            self._add_unlisted(name)
        self._count_accounts(self.people(), self.channels())
        self._count_profiles(self.profile_data())
        gone = sum(self._find(path) is None for path in self._owners)
        self._counts.read[FILES] += len(self._owners)
        self._counts.drop(FILES, NOT_IN_ARCHIVE, gone)
        rooms = {_key(row["team"], row["name"]) for row in self._rooms}
        for key, members in self._members.items():
            if key not in rooms:
                self._counts.read[SUBSCRIPTIONS] += len(members)
                reason = "to channels that are not in the export"
                self._counts.drop(SUBSCRIPTIONS, reason, len(members))

    def _note(self, kind: str, row: Row, offset: int) -> None:
        if kind in ("user", "bot"):
            self._note_user(row[kind] | {"is_bot": kind == "bot"})
        elif kind == "emoji":
            name, image = row["emoji"]["name"], row["emoji"].get("image")
            if name in self._emoji:
                self._counts.read[EMOJI] += 1
                self._counts.drop(EMOJI, "whose name is taken")
            self._emoji[name] = image or ""
        elif kind == "channel":
            room = row["channel"]
            self._rooms.append(room)
            self._counts.notes["headers of channels, as part of the description"] += bool(
                room.get("header")
            )
        elif kind in ("post", "direct_post"):
            post = row[kind]
            for number, message in enumerate([post, *(post.get("replies") or ())], -1):
                self._note_message(message, offset, number)
            self._authors.update(dict.fromkeys(post.get("channel_members") or ()))
        elif kind not in STRUCTURE:
            self._counts.drop_unread(f"lines of the kind {kind}", 1)

    def _note_user(self, user: Row) -> None:
        self._users.append(user)
        if _expires(_status(user)):
            self._counts.read[STATUSES] += 1
            self._counts.drop(STATUSES, TEMPORARY)
        for team in user.get("teams") or ():
            for room in team.get("channels") or ():
                members = self._members.setdefault(_key(team["name"], room["name"]), [])
                members.append(user["username"])

    def _note_message(self, post: Row, offset: int, number: int) -> None:
        counts = self._counts
        reactions, stars = len(post.get("reactions") or ()), len(post.get("flagged_by") or ())
        counts.read[MESSAGES] += 1
        counts.read[REACTIONS] += reactions
        counts.read[MARKS] += stars
        counts.drop_unread("pinned messages", int(bool(post.get("is_pinned"))))
        for each in post.get("attachments") or ():
            self._owners[each["path"]] = post["user"]
        if str(post.get("type") or "").startswith(SYSTEM):
            counts.drop(MESSAGES, NOTICE)
            counts.drop(REACTIONS, OF_DROPPED_MESSAGES, reactions)
            counts.drop(MARKS, OF_DROPPED_MESSAGES, stars)
            return
        self._order.append((post["create_at"], offset, number))
        self._authors[post["user"]] = None
        if (key := _sender(post)) != post["user"]:
            self._add_unlisted(key, _shown_name(post), is_bot=True)


def open_export(folder: Path) -> MattermostExport | None:
    for pattern in ("*.jsonl", "*/*.jsonl"):
        for file in sorted(folder.glob(pattern)):
            return MattermostExport(file)
    return None


def _decode(line: bytes) -> Row:
    row: Row = msgspec.json.decode(line) if line.strip() else {}
    return row


def _sender(post: Row) -> str:
    """The key of the author. An integration can write under a different name each time."""
    name = _shown_name(post)
    return shown_as(post["user"], name) if name else str(post["user"])


def _shown_name(post: Row) -> str:
    name = (post.get("props") or {}).get("override_username")
    return str(name) if name and name != post["user"] else ""


def _status(user: Row) -> Row:
    shown = user.get("custom_status")
    return shown if isinstance(shown, dict) else {}


def _expires(status: Row) -> bool:
    return not str(status.get("expires_at") or NO_TIME).startswith(NO_TIME)


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
