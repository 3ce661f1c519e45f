"""Mattermost's export: one object per line, people, channels and posts with their replies."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from tertulia.domain.messages.emoji import CUSTOM
from tertulia.domain.people.user import Role
from tertulia.moving import folders, threads
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

TOPIC = "imported from Mattermost"
KNOWN = {"user", "bot", "channel", "post", "direct_post", "direct_channel", "version", "team"}
KNOWN |= {"role", "info", "emoji"}

_MENTION = re.compile(r"(?<![\w@/.])@([a-z0-9][a-z0-9._-]*[a-z0-9_-]|[a-z0-9])")

Row = dict[str, Any]


class MattermostExport:
    kind = "Mattermost"
    number: int | None = None

    def __init__(self, file: Path) -> None:
        self._file = file
        self.name = "Imported from Mattermost"
        self._users: list[Row] = []
        self._rooms: list[Row] = []
        self._emoji: dict[str, str] = {}  # where the picture is, by name
        self._members: dict[str, list[str]] = {}
        self._left: Counter[str] = Counter()
        self._order: list[tuple[int, int, int]] = []  # time, where the post is, which reply
        self._owners: dict[str, str] = {}  # of attachments
        self._look()
        self._names = {each["username"] for each in self._users}
        self.message_count = len(self._order)

    def people(self) -> list[ArrivingPerson]:
        return [_person(row) for row in self._users]

    def channels(self) -> list[ArrivingChannel]:
        return [
            ArrivingChannel(
                key=_key(row["team"], row["name"]),
                name=row.get("display_name") or row["name"],
                description=row.get("purpose") or row.get("header") or "",
                is_private=row.get("type") == "P",
                is_archived=bool(row.get("deleted_at")),
                members=tuple(self._members.get(_key(row["team"], row["name"]), ())),
            )
            for row in self._rooms
        ]

    def belongings(self) -> Belongings:
        avatars = [(row["username"], row.get("profile_image")) for row in self._users]
        return Belongings(
            emoji=[
                ArrivingEmoji(name, name, "", partial(self._open, path))
                for name, path in self._emoji.items()
            ],
            avatars=[
                ArrivingAvatar(key, partial(self._open, path)) for key, path in avatars if path
            ],
        )

    def files(self) -> Iterator[ArrivingFile]:
        for path, owner in self._owners.items():
            found = self._find(path)
            if found is not None:
                yield ArrivingFile(
                    key=path,
                    name=found.name,
                    owner=owner,
                    open=partial(self._open, path),
                )

    def messages(self) -> Iterator[ArrivingMessage]:
        with self._file.open("rb") as file:
            for _, place, reply in self._order:
                file.seek(place)
                yield self._message(_decode(file.readline()), reply)

    def left(self) -> Counter[str]:
        gone = sum(self._find(path) is None for path in self._owners)
        return +(self._left + Counter({"files that are not in the archive": gone}))

    def _look(self) -> None:
        """Find out who there is, and in which order what was said."""
        place = 0
        with self._file.open("rb") as file:
            for line in file:
                row = _decode(line)
                self._note(row.get("type", ""), row, place)
                place += len(line)
        self._order.sort()

    def _note(self, kind: str, row: Row, place: int) -> None:
        if kind in ("user", "bot"):
            user = row[kind]
            self._users.append(user | {"is_bot": kind == "bot"})
            for team in user.get("teams") or ():
                for room in team.get("channels") or ():
                    members = self._members.setdefault(_key(team["name"], room["name"]), [])
                    members.append(user["username"])
        elif kind == "emoji":
            self._emoji[row["emoji"]["name"]] = row["emoji"].get("image") or ""
        elif kind == "channel":
            self._rooms.append(row["channel"])
        elif kind in ("post", "direct_post"):
            post = row[kind]
            for number, said in enumerate([post, *(post.get("replies") or ())], -1):
                self._order.append((said["create_at"], place, number))
                for each in said.get("attachments") or ():
                    self._owners[each["path"]] = said["user"]
        elif kind not in KNOWN:
            self._left[f"lines of the kind {kind}"] += 1

    def _message(self, row: Row, reply: int) -> ArrivingMessage:
        post: Row = row.get("post") or row["direct_post"]
        said = post if reply < 0 else post["replies"][reply]
        arriving = ArrivingMessage(
            sender=said["user"],
            at=said["create_at"] / 1000,
            text=_MENTION.sub(self._mention, said.get("message") or ""),
            edited_at=said["edit_at"] / 1000 if said.get("edit_at") else None,
            files=tuple(each["path"] for each in said.get("attachments") or ()),
            reactions=[
                self._reaction(each["user"], each["emoji_name"])
                for each in said.get("reactions") or ()
            ],
        )
        if "post" in row:
            arriving.channel = _key(post["team"], post["channel"])
            began = post["create_at"] / 1000
            text = post.get("message") or ""
            arriving.topic = threads.topic_of(began, text) if post.get("replies") else TOPIC
        else:
            arriving.people = tuple({*post["channel_members"], said["user"]})
        return arriving

    def _reaction(self, user: str, name: str) -> ArrivingReaction:
        return ArrivingReaction(user, name, *((name, CUSTOM) if name in self._emoji else ()))

    def _open(self, path: str) -> IO[bytes]:
        found = self._find(path)
        if found is None:
            raise FileNotFoundError
        return found.open("rb")

    def _mention(self, match: re.Match[str]) -> str:
        if match[1] in ("all", "channel", "here"):
            return "@**all**"
        return person(match[1]) if match[1] in self._names else match[0]

    def _find(self, path: str) -> Path | None:
        folder = self._file.parent
        return folders.find(folder, f"data/{path}") or folders.find(folder, path)


def open_export(folder: Path) -> MattermostExport | None:
    for pattern in ("*.jsonl", "*/*.jsonl"):
        for file in sorted(folder.glob(pattern)):
            return MattermostExport(file)
    return None


def _decode(line: bytes) -> Row:
    row: Row = msgspec.json.decode(line) if line.strip() else {}
    return row


def _key(team: str, channel: str) -> str:
    return f"{team}/{channel}"


def _person(row: Row) -> ArrivingPerson:
    names = [row.get("first_name"), row.get("last_name")]
    roles = row.get("roles") or ""
    role = Role.MEMBER
    if "system_admin" in roles:
        role = Role.OWNER
    elif "guest" in roles:
        role = Role.GUEST
    return ArrivingPerson(
        key=row["username"],
        name=" ".join(filter(None, names)) or row.get("display_name") or row["username"],
        email=row.get("email") or "",
        role=role,
        is_bot=row["is_bot"],
        is_active=not row.get("delete_at"),
    )
