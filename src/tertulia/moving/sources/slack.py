"""Slack's export: lists of people and channels, and a folder of days for each channel.

Neither files nor custom emoji are in it: files stay links to where they are.
"""

import heapq
import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tertulia.domain.people.user import Role
from tertulia.moving import folders, threads
from tertulia.moving.arrivals import (
    ArrivingChannel,
    ArrivingFile,
    ArrivingMessage,
    ArrivingPerson,
    ArrivingReaction,
    Belongings,
    channel,
    person,
)

TOPIC = "imported from Slack"
NOTICES = {
    "channel_join", "channel_leave", "group_join", "group_leave", "channel_topic",
    "channel_purpose", "channel_name", "channel_archive", "channel_unarchive", "bot_add",
    "bot_remove", "pinned_item", "tombstone",
}  # fmt: skip

_REFERENCE = re.compile(r"<([^<>\n]+)>")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_STRIKE = re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])")

Row = dict[str, Any]


class SlackExport:
    kind = "Slack"
    number: int | None = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = "Imported from Slack"
        self._users: list[Row] = _read(folder / "users.json")
        self._rooms = [(row, False) for row in _read(folder / "channels.json")]
        self._rooms += [(row, True) for row in _read(folder / "groups.json")]
        self._talks = [*_read(folder / "dms.json"), *_read(folder / "mpims.json")]
        self._bots: dict[str, str] = {}
        self._left: Counter[str] = Counter()
        self.message_count = 0
        for message in self._everything():
            self.message_count += 1
            self._note_bot(message[3])

    def people(self) -> list[ArrivingPerson]:
        known = [_person(row) for row in self._users]
        return known + [
            ArrivingPerson(key, name, is_bot=True, is_active=False)
            for key, name in self._bots.items()
        ]

    def channels(self) -> list[ArrivingChannel]:
        return [
            ArrivingChannel(
                key=row["id"],
                name=row["name"],
                description=(row.get("purpose") or {}).get("value", ""),
                is_private=is_private,
                is_archived=bool(row.get("is_archived")),
                is_default=bool(row.get("is_general")),
                created_at=float(row["created"]) if row.get("created") else None,
                members=tuple(row.get("members", ())),
            )
            for row, is_private in self._rooms
        ]

    def belongings(self) -> Belongings:
        return Belongings()

    def files(self) -> Iterator[ArrivingFile]:
        return iter(())

    def messages(self) -> Iterator[ArrivingMessage]:
        topics: dict[tuple[str, str], str] = {}
        for _, place, people, row in self._everything():
            arriving = ArrivingMessage(
                sender=_sender(row),
                at=float(row["ts"]),
                text=self._text(row),
                edited_at=_number((row.get("edited") or {}).get("ts")),
                reactions=list(_reactions(row)),
            )
            if people:
                arriving.people = tuple({*people, arriving.sender})
            else:
                arriving.channel = place
                arriving.topic = self._topic(row, place, topics)
            yield arriving

    def left(self) -> Counter[str]:
        return self._left

    def _topic(self, row: Row, place: str, topics: dict[tuple[str, str], str]) -> str:
        thread = row.get("thread_ts")
        if thread is None:
            return TOPIC
        if thread == row["ts"]:
            plain = " ".join(str(row.get("text", "")).split())
            topics[place, thread] = threads.topic_of(float(thread), plain)
        return topics.get((place, thread), TOPIC)

    def _everything(self) -> Iterator[tuple[float, str, tuple[str, ...], Row]]:
        """All messages, in the order of time."""
        self._left.clear()
        places: list[tuple[str, str, tuple[str, ...]]] = [
            (row["name"], row["id"], ()) for row, _ in self._rooms
        ]
        for row in self._talks:
            name = row["id"] if (self._folder / row["id"]).is_dir() else row.get("name", "")
            places.append((name, row["id"], tuple(row.get("members", ()))))
        return heapq.merge(*(self._days(*each) for each in places), key=lambda each: each[:2])

    def _days(
        self, name: str, place: str, people: tuple[str, ...]
    ) -> Iterator[tuple[float, str, tuple[str, ...], Row]]:
        folder = self._folder / name
        if not name or Path(name).name != name or not folder.is_dir():
            return
        for day in sorted(folder.glob("*.json")):
            for row in sorted(_read(day), key=lambda each: float(each.get("ts", 0))):
                if row.get("type") != "message" or row.get("subtype") in NOTICES:
                    self._left["notices of joining, leaving and the like"] += 1
                elif not _sender(row):
                    self._left["messages of nobody"] += 1
                else:
                    yield float(row["ts"]), place, people, row

    def _note_bot(self, row: Row) -> None:
        if not row.get("user") and row.get("bot_id"):
            self._bots.setdefault(row["bot_id"], row.get("username") or "Bot")

    def _text(self, row: Row) -> str:
        parts = [str(row.get("text") or "")]
        if not parts[0]:
            parts += [
                str(each.get("text") or each.get("fallback") or "")
                for each in row.get("attachments") or ()
            ]
        plain = "\n".join(filter(None, parts))
        plain = _REFERENCE.sub(lambda match: _reference(match[1]), plain)
        plain = _STRIKE.sub(r"~~\1~~", _BOLD.sub(r"**\1**", html.unescape(plain)))
        links = [
            f"[{each.get('name') or 'file'}]({each['url_private']})"
            for each in row.get("files") or ()
            if each.get("url_private")
        ]
        self._left["files, which are not in Slack's exports"] += len(links)
        return "\n".join([plain, *links]).strip()


def open_export(folder: Path) -> SlackExport | None:
    place = folders.holding(folder, "users.json", "channels.json")
    return None if place is None else SlackExport(place)


def _read(path: Path) -> list[Row]:
    rows: list[Row] = msgspec.json.decode(path.read_bytes()) if path.exists() else []
    return rows


def _sender(row: Row) -> str:
    return str(row.get("user") or row.get("bot_id") or "")


def _number(text: Any) -> float | None:
    return None if text is None else float(text)


def _person(row: Row) -> ArrivingPerson:
    profile = row.get("profile") or {}
    role = Role.MEMBER
    if row.get("is_owner") or row.get("is_primary_owner"):
        role = Role.OWNER
    elif row.get("is_admin"):
        role = Role.ADMINISTRATOR
    elif row.get("is_restricted") or row.get("is_ultra_restricted"):
        role = Role.GUEST
    return ArrivingPerson(
        key=row["id"],
        name=profile.get("real_name") or row.get("real_name") or row.get("name") or "",
        email=profile.get("email") or "",
        role=role,
        is_bot=bool(row.get("is_bot")) or row["id"] == "USLACKBOT",
        is_active=not row.get("deleted"),
        timezone=row.get("tz") or "",
    )


def _reactions(row: Row) -> Iterator[ArrivingReaction]:
    for each in row.get("reactions") or ():
        for user in each.get("users") or ():
            yield ArrivingReaction(user, each["name"].partition("::")[0])


def _reference(inside: str) -> str:
    """What stands between angle brackets: somebody, a channel, everybody or a link."""
    target, _, label = inside.partition("|")
    if target.startswith("@"):
        return person(target[1:])
    if target.startswith("#"):
        return channel(target[1:])
    if target.startswith("!"):
        word = target[1:].partition("^")[0]
        return "@**all**" if word in ("channel", "here", "everyone") else label or f"@{word}"
    target = target.removeprefix("mailto:") if label == target.removeprefix("mailto:") else target
    return f"[{label}]({target})" if label and label != target else target
