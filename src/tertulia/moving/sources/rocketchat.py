"""Rocket.Chat's data as `mongodump` writes it: a file of BSON for each collection."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tertulia.domain.messages.emoji import CUSTOM
from tertulia.domain.people.user import Role
from tertulia.moving import bson, folders, threads
from tertulia.moving.arrivals import (
    ArrivingAvatar,
    ArrivingChannel,
    ArrivingEmoji,
    ArrivingFile,
    ArrivingMessage,
    ArrivingPerson,
    ArrivingReaction,
    Belongings,
    person,
)
from tertulia.moving.gridfs import FilesInPieces

TOPIC = "imported from Rocket.Chat"
MESSAGES = "rocketchat_message.bson"
DIRECT, LIVE_CHAT = "d", "l"
THUMBNAIL = "thumb"

_MENTION = re.compile(r"(?<![\w@/.])@([\w.-]*\w)")

Row = dict[str, Any]


class RocketChatExport:
    kind = "Rocket.Chat"
    number: int | None = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = "Imported from Rocket.Chat"
        self._users = _all(folder / "users.bson")
        self._rooms = {row["_id"]: row for row in _all(folder / "rocketchat_room.bson")}
        self._by_name = {row["username"]: row["_id"] for row in self._users if "username" in row}
        self._members: dict[str, list[str]] = {}
        for row in _all(folder / "rocketchat_subscription.bson"):
            self._members.setdefault(row["rid"], []).append((row.get("u") or {}).get("_id", ""))
        self._uploads = {row["_id"]: row for row in _all(folder / "rocketchat_uploads.bson")}
        self._stored = FilesInPieces(folder / "rocketchat_uploads.chunks.bson")
        self._emoji = _all(folder / "rocketchat_custom_emoji.bson")
        self._emoji_names = {
            name: row["name"]
            for row in self._emoji
            for name in (*(row.get("aliases") or ()), row["name"])
        }
        self._left: Counter[str] = Counter()
        self._topics: dict[str, str] = {}  # of threads, by their first message
        order = []
        for place, row in bson.documents(folder / MESSAGES):
            room = self._rooms.get(row.get("rid", ""), {})
            if row.get("t"):
                self._left["notices of joining, leaving and the like"] += 1
            elif room.get("t", LIVE_CHAT) == LIVE_CHAT:
                self._left["messages of live chats"] += 1
            else:
                order.append((row.get("ts") or 0.0, place))
                gone = [each for each in _file_keys(row) if each not in self._stored]
                self._left["files that are not in the dump"] += len(gone)
                if row.get("tcount"):
                    topic = threads.topic_of(row.get("ts") or 0.0, row.get("msg") or "")
                    self._topics[row["_id"]] = topic
        self._places = [place for _, place in sorted(order)]
        self.message_count = len(self._places)

    def people(self) -> list[ArrivingPerson]:
        return [_person(row) for row in self._users if row.get("username")]

    def channels(self) -> list[ArrivingChannel]:
        return [
            ArrivingChannel(
                key=row["_id"],
                name=row.get("fname") or row.get("name") or row["_id"],
                description=row.get("description") or row.get("topic") or "",
                is_private=row.get("t") == "p",
                is_archived=bool(row.get("archived")),
                is_default=bool(row.get("default")),
                created_at=row.get("ts"),
                members=tuple(self._members.get(row["_id"], ())),
            )
            for row in self._rooms.values()
            if row.get("t") in ("c", "p") and not row.get("prid")
        ]

    def belongings(self) -> Belongings:
        pictures = FilesInPieces(self._folder / "custom_emoji.chunks.bson")
        avatars = FilesInPieces(self._folder / "rocketchat_avatars.chunks.bson")
        return Belongings(
            emoji=[
                ArrivingEmoji(name, name, "", partial(pictures.open, f"{name}.{row['extension']}"))
                for row in self._emoji
                for name in [row["name"]]
            ],
            avatars=[
                ArrivingAvatar(row["userId"], partial(avatars.open, row["_id"]))
                for row in _all(self._folder / "rocketchat_avatars.bson")
                if row.get("userId")
            ],
        )

    def files(self) -> Iterator[ArrivingFile]:
        for key, row in self._uploads.items():
            if key in self._stored and row.get("typeGroup") != THUMBNAIL:
                yield ArrivingFile(
                    key=key,
                    name=row.get("name") or key,
                    owner=row.get("userId") or "",
                    open=partial(self._stored.open, key),
                )

    def messages(self) -> Iterator[ArrivingMessage]:
        for row in bson.at(self._folder / MESSAGES, self._places):
            yield self._message(row)

    def left(self) -> Counter[str]:
        return +self._left

    def _message(self, row: Row) -> ArrivingMessage:
        room = self._rooms[row["rid"]]
        arriving = ArrivingMessage(
            sender=row["u"]["_id"],
            at=row.get("ts") or 0.0,
            text=_MENTION.sub(self._mention, _text(row)),
            edited_at=row.get("editedAt"),
            files=tuple(each for each in _file_keys(row) if each in self._stored),
            reactions=[
                self._reaction(self._by_name.get(name, ""), emoji.strip(":"))
                for emoji, given in (row.get("reactions") or {}).items()
                for name in given.get("usernames") or ()
            ],
        )
        if room["t"] == DIRECT:
            arriving.people = tuple({*(room.get("uids") or ()), arriving.sender})
        elif room.get("prid"):  # a discussion: a topic of the channel it is about
            arriving.channel = room["prid"]
            arriving.topic = room.get("fname") or room.get("name") or TOPIC
        else:
            arriving.channel = row["rid"]
            arriving.topic = self._topics.get(row.get("tmid") or row["_id"], TOPIC)
        return arriving

    def _reaction(self, key: str, emoji: str) -> ArrivingReaction:
        if (name := self._emoji_names.get(emoji)) is None:
            return ArrivingReaction(key, emoji)
        return ArrivingReaction(key, name, name, CUSTOM)

    def _mention(self, match: re.Match[str]) -> str:
        if match[1] in ("all", "here"):
            return "@**all**"
        key = self._by_name.get(match[1])
        return match[0] if key is None else person(key)


def open_export(folder: Path) -> RocketChatExport | None:
    place = folders.holding(folder, MESSAGES, "users.bson")
    return None if place is None else RocketChatExport(place)


def _file_keys(row: Row) -> list[str]:
    """The files of a message; of a picture there is often a smaller one, made from it."""
    named = row.get("files") or [row.get("file") or {}]
    return [each["_id"] for each in named if "_id" in each and each.get("typeGroup") != THUMBNAIL]


def _text(row: Row) -> str:
    """What was said: of a file, what was said of that."""
    about = [each.get("description") or "" for each in row.get("attachments") or ()]
    return row.get("msg") or "\n".join(filter(None, about))


def _all(file: Path) -> list[Row]:
    return [row for _, row in bson.documents(file)] if file.exists() else []


def _person(row: Row) -> ArrivingPerson:
    emails = row.get("emails") or [{}]
    roles = row.get("roles") or []
    role = Role.MEMBER
    if "admin" in roles:
        role = Role.OWNER
    elif "guest" in roles:
        role = Role.GUEST
    return ArrivingPerson(
        key=row["_id"],
        name=row.get("name") or row["username"],
        email=emails[0].get("address") or "",
        role=role,
        is_bot=row.get("type") == "bot" or "bot" in roles,
        is_active=bool(row.get("active", True)),
        joined_at=row.get("createdAt"),
    )
