"""Slack exports: lists of users and channels, and a folder per channel with a file per day.

Files and custom emoji are not part of it, so files remain links. The links contain tokens that open
the files to anyone; the tokens are removed from everything that is read.
"""

import heapq
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tertulia.domain.people.user import Role
from tertulia.transfer.importing import archive_reader, threads
from tertulia.transfer.importing.emoji import SLACK_NAMES, EmojiNames
from tertulia.transfer.importing.import_counts import (
    ANSWERS,
    AVATARS,
    FILES,
    MESSAGES,
    NOT_IN_ARCHIVE,
    OF_DROPPED_MESSAGES,
    REACTIONS,
    STATUSES,
)
from tertulia.transfer.importing.sources import slack_text
from tertulia.transfer.importing.sources.other_product import (
    NOTICE,
    TEMPORARY,
    OtherProduct,
    joined,
    profile_fields,
    shown_as,
    status,
)
from tertulia.transfer.model import (
    NAMED,
    ImportedChannel,
    ImportedFile,
    ImportedMessage,
    ImportedPerson,
    ImportedReaction,
    ProfileData,
)

TOPIC = "imported from Slack"
NOTICES = {
    "channel_join", "channel_leave", "group_join", "group_leave", "channel_topic",
    "channel_purpose", "channel_name", "channel_archive", "channel_unarchive", "bot_add",
    "bot_remove", "bot_enable", "bot_disable", "pinned_item", "tombstone", "group_topic",
    "group_purpose", "group_name", "group_archive", "group_unarchive", "reminder_add",
    "channel_posting_permissions", "channel_convert_to_private", "channel_convert_to_public",
    "unpinned_item", "channel_canvas_updated", "tabbed_canvas_updated", "app_conversation_join",
    "sh_room_shared", "bookmark_added", "document_mention",
}  # fmt: skip
NO_MESSAGE = "that are no messages"
WITHOUT_SENDER, WITHOUT_TIME = "without a sender", "without a time"
LISTS = ("users", "channels", "groups", "dms", "mpims")
SLACKBOT = "USLACKBOT"
PROFILE_FIELDS = {
    "title": "Title",
    "phone": "Phone",
    "skype": "Skype",
    "pronouns": "Pronouns",
    "display_name": "Display name",
}

# A token in the URL of a file. The text is JSON, in which `&` has several spellings.
_AND = rb"(?:&(?:amp;)?|\\u0026(?:amp;)?)"
_TOKEN = rb"(?:(?:t|token)=xox[a-z]-[\w.%-]*|pub_secret=\w*)"
_FIRST_TOKEN = re.compile(rb"\?" + _TOKEN + _AND)
_ANY_TOKEN = re.compile(rb"(?:\?|" + _AND + rb")" + _TOKEN)

Row = dict[str, Any]
SlackMessage = tuple[float, str, tuple[str, ...], Row]  # time, channel, members, row


class SlackExport(OtherProduct):
    kind = "Slack"

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._users: list[Row] = _read(folder / "users.json")
        self._rooms = [(row, False) for row in _read(folder / "channels.json")]
        self._rooms += [(row, True) for row in _read(folder / "groups.json")]
        self._talks = [*_read(folder / "dms.json"), *_read(folder / "mpims.json")]
        self._names = {row["id"]: _person(row).name for row in self._users}
        self._emoji = EmojiNames(SLACK_NAMES)
        self._folders = {archive_reader.composed(each.name): each for each in folder.glob("*/")}
        self.message_count = self._scan()

    def people(self) -> list[ImportedPerson]:
        return [*map(_person, self._users), *self._unlisted.values()]

    def channels(self) -> list[ImportedChannel]:
        return [
            ImportedChannel(
                key=row["id"],
                name=row["name"],
                description=joined(
                    *((row.get(key) or {}).get("value") for key in ("purpose", "topic"))
                ),
                is_private=is_private,
                is_archived=bool(row.get("is_archived")),
                is_default=bool(row.get("is_general")),
                created_at=float(row["created"]) if row.get("created") else None,
                members=tuple(row.get("members", ())),
            )
            for row, is_private in self._rooms
        ]

    def profile_data(self) -> ProfileData:
        profiles = [(row["id"], _profile(row)) for row in self._users]
        return ProfileData(
            profile_fields=profile_fields(PROFILE_FIELDS, profiles),
            statuses=[
                status(
                    key,
                    profile.get("status_text") or "",
                    self._emoji.find(str(profile.get("status_emoji") or "").strip(":")),
                )
                for key, profile in profiles
                if _has_status(profile) and not profile.get("status_expiration")
            ],
        )

    def files(self) -> Iterator[ImportedFile]:
        return iter(())

    def messages(self) -> Iterator[ImportedMessage]:
        topics: dict[tuple[str, str], str] = {}
        for at, conversation, people, row in self._all_messages():
            text, unknown = self._emoji.replace(_text(row))
            imported = ImportedMessage(
                sender=self._sender(row),
                at=at,
                text=text,
                edited_at=_number((row.get("edited") or {}).get("ts")),
                reactions=list(self._reactions(row)),
                unknown_emoji=unknown,
            )
            if people:
                imported.people = tuple({*people, imported.sender})
            else:
                imported.channel = conversation
                imported.topic = self._topic(row, conversation, topics)
            yield imported

    def _topic(self, row: Row, conversation: str, topics: dict[tuple[str, str], str]) -> str:
        thread = row.get("thread_ts")
        if thread is None:
            return TOPIC
        if thread == row["ts"]:
            text, _ = self._emoji.replace(slack_text.message_text(row))
            topics[conversation, thread] = threads.topic_of(
                float(thread), NAMED.sub(self._named, text)
            )
        return topics.get((conversation, thread), TOPIC)

    def _named(self, match: re.Match[str]) -> str:
        key, _, label = match[2].partition("|")
        sign = "#" if match[1] == "c" else "@"
        return f"{sign}{self._names.get(key) or label or key}"

    def _reactions(self, row: Row) -> Iterator[ImportedReaction]:
        for each in row.get("reactions") or ():
            found = self._emoji.find(each["name"])
            for user in each.get("users") or ():
                yield ImportedReaction(user, each["name"], "" if found is None else found.code)

    # --- reading ---

    def _all_messages(self) -> Iterator[SlackMessage]:
        """All messages in order of time."""
        return heapq.merge(
            *(self._messages(*each) for each in self._conversations()), key=lambda s: s[:2]
        )

    def _conversations(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """The folders of channels and of direct conversations; conversations have members."""
        names = Counter(row["name"] for row, _ in self._rooms)
        conversations: list[tuple[str, str, tuple[str, ...]]] = []
        for row, _ in self._rooms:  # of several channels with a name, the last one has the folder
            names[row["name"]] -= 1
            conversations.append(("" if names[row["name"]] else row["name"], row["id"], ()))
        for row in self._talks:
            name = row["id"] if row["id"] in self._folders else row.get("name", "")
            conversations.append((name, row["id"], tuple(row.get("members", ()))))
        return conversations

    def _messages(
        self, name: str, conversation: str, people: tuple[str, ...]
    ) -> Iterator[SlackMessage]:
        for row in self._days(name):
            if _dropped_because(row) is None:
                yield float(row["ts"]), conversation, people, row

    def _days(self, name: str) -> Iterator[Row]:
        """All rows of a channel's folder in order of time."""
        folder = self._folders.get(archive_reader.composed(name))
        if folder is not None:
            for day in sorted(folder.glob("*.json")):
                yield from sorted(_read(day), key=lambda each: _number(each.get("ts")) or 0.0)

    # --- counting ---

    def _scan(self) -> int:
        """First pass: count everything and collect the authors; returns the number of messages."""
        counts, found = self._counts, 0
        conversations = self._conversations()
        for name, _, people in conversations:
            for key in people:
                self._add_person(key)
            for row in self._days(name):
                reason = _dropped_because(row)
                self._count(row, reason)
                if reason is None:
                    found += 1
                    self._note_sender(row)
        known = {archive_reader.composed(name) for name, _, _ in conversations}
        for name in sorted(self._folders.keys() - known):
            rows = list(self._days(name))
            for row in rows:
                self._count(row, "in folders that belong to no channel of the export")
            if rows:
                counts.warn_of_lost_messages(f"the folder {name}", len(rows))
        self._count_accounts(self.people(), self.channels())
        self._count_profiles(self.profile_data())
        self._count_lost_profiles()
        for room, _ in self._rooms:
            counts.drop_unread("pinned messages", len(room.get("pins") or ()))
            topic = (room.get("topic") or {}).get("value")
            counts.notes["topics of channels, as part of the description"] += bool(topic)
        for file in sorted(self._folder.glob("*.json")):
            if file.stem not in LISTS:
                counts.drop_unread(f"entries of {file.name}", len(_read(file)))
        return found

    def _count(self, row: Row, reason: str | None) -> None:
        """Count a row, its reactions and its files, with the reason if it is dropped."""
        counts = self._counts
        counts.read[MESSAGES] += 1
        reactions = [each for each in row.get("reactions") or () if isinstance(each, dict)]
        named = sum(len(each.get("users") or ()) for each in reactions)
        given = sum(
            max(int(each.get("count") or 0), len(each.get("users") or ())) for each in reactions
        )
        counts.read[REACTIONS] += given
        files = row.get("files") or ()
        counts.read[FILES] += len(files)
        if reason is not None:
            counts.drop(MESSAGES, reason)
            counts.drop(REACTIONS, OF_DROPPED_MESSAGES, given)
            counts.drop(FILES, OF_DROPPED_MESSAGES, len(files))
            return
        counts.drop(REACTIONS, "of people who are not in the export", given - named)
        linked = sum(bool(each.get("url_private")) for each in files)
        counts.drop(FILES, "which are not in Slack's exports, but linked", linked)
        counts.drop(FILES, "which are not in Slack's exports", len(files) - linked)

    def _count_lost_profiles(self) -> None:
        counts = self._counts
        for profile in (row.get("profile") or {} for row in self._users):
            if _has_status(profile) and profile.get("status_expiration"):
                counts.read[STATUSES] += 1
                counts.drop(STATUSES, TEMPORARY)
            answers = len(profile.get("fields") or ())
            counts.read[ANSWERS] += answers
            counts.drop(ANSWERS, "to questions that are not in the export", answers)
            has_picture = int(bool(profile.get("image_original")))
            counts.read[AVATARS] += has_picture
            counts.drop(AVATARS, NOT_IN_ARCHIVE, has_picture)

    def _sender(self, row: Row) -> str:
        """The key of the author. An app can write under a different name each time."""
        sender, name = _sender(row), row.get("username")
        is_app = bool(row.get("bot_id")) or row.get("subtype") == "bot_message"
        if is_app and name and name != self._names.get(sender):
            return shown_as(sender, str(name))
        return sender

    def _note_sender(self, row: Row) -> None:
        key = self._sender(row)
        if key != _sender(row):
            self._add_unlisted(key, str(row["username"]), is_bot=True)
        elif key == row.get("bot_id"):
            about = row.get("bot_profile") or {}
            self._add_unlisted(key, str(about.get("name") or "Bot"), is_bot=True)
        else:
            about = row.get("user_profile") or {}
            self._add_person(key, str(about.get("real_name") or about.get("name") or ""))

    def _add_person(self, key: str, name: str = "") -> None:
        if key not in self._names:
            self._add_unlisted(key, name)


def open_export(folder: Path) -> SlackExport | None:
    root = archive_reader.folder_with(folder, "users.json", "channels.json")
    return None if root is None else SlackExport(root)


def without_tokens(data: bytes) -> bytes:
    """The contents of a file without access tokens."""
    return _ANY_TOKEN.sub(b"", _FIRST_TOKEN.sub(b"?", data))


def _read(path: Path) -> list[Row]:
    data = without_tokens(path.read_bytes()) if path.exists() else b"[]"
    rows: list[Row] = msgspec.json.decode(data)
    return rows


def _dropped_because(row: Row) -> str | None:
    """Why a row does not become a message; None if it does."""
    if row.get("type") != "message":
        return NO_MESSAGE
    if row.get("subtype") in NOTICES:
        return NOTICE
    if not _sender(row):
        return WITHOUT_SENDER
    return None if row.get("ts") else WITHOUT_TIME


def _sender(row: Row) -> str:
    others = (row.get("comment") or {}).get("user"), (row.get("edited") or {}).get("user")
    found = (row.get("user"), row.get("bot_id"), *others)
    return str(next(filter(None, found), ""))


def _profile(row: Row) -> Row:
    """The profile of a user; a display name that is the full name says nothing."""
    profile = row.get("profile") or {}
    is_same = profile.get("display_name") == _person(row).name
    return profile | ({"display_name": ""} if is_same else {})


def _has_status(profile: Row) -> bool:
    return bool(profile.get("status_text") or profile.get("status_emoji"))


def _number(text: Any) -> float | None:
    return None if text is None else float(text)


def _text(row: Row) -> str:
    text = slack_text.message_text(row)
    if row.get("subtype") == "me_message":
        text = f"/me {text}"
    links = [
        f"[{each.get('name') or 'file'}]({each['url_private']})"
        for each in row.get("files") or ()
        if each.get("url_private")
    ]
    return "\n".join(filter(None, [text, *links]))


def _person(row: Row) -> ImportedPerson:
    profile = row.get("profile") or {}
    role = Role.MEMBER
    if row.get("is_owner") or row.get("is_primary_owner"):
        role = Role.OWNER
    elif row.get("is_admin"):
        role = Role.ADMINISTRATOR
    elif row.get("is_restricted") or row.get("is_ultra_restricted"):
        role = Role.GUEST
    return ImportedPerson(
        key=row["id"],
        name=profile.get("real_name") or row.get("real_name") or row.get("name") or "",
        email=profile.get("email") or "",
        role=role,
        is_bot=bool(row.get("is_bot")) or row["id"] == SLACKBOT,
        is_active=not row.get("deleted"),
        timezone=row.get("tz") or "",
    )
