"""Telegram chats, as the desktop app exports them in JSON: one chat, or all chats of a person.

A group is a channel here, its forum topics are topics. The export has no topic field: a topic is
found by following replies to the message that created it.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tertulia.transfer.importing import archive_reader
from tertulia.transfer.importing.archive_reader import InvalidExport
from tertulia.transfer.importing.emoji import code_of_character
from tertulia.transfer.importing.import_counts import (
    DUPLICATES,
    FILES,
    MESSAGES,
    NOT_IN_ARCHIVE,
    OF_DROPPED_MESSAGES,
    REACTIONS,
)
from tertulia.transfer.importing.row_spool import RowSpool
from tertulia.transfer.importing.sources import attachments, plain_text, telegram_text
from tertulia.transfer.importing.sources.other_product import NOTICE, OtherProduct, shown_as
from tertulia.transfer.importing.times import Zone, from_iso
from tertulia.transfer.model import (
    ImportedChannel,
    ImportedFile,
    ImportedMessage,
    ImportedPerson,
    ImportedReaction,
    ProfileData,
    address,
    person,
)

TOPIC, GENERAL = "imported from Telegram", "General"
DIRECT = {"personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes"}
BASIC_GROUP, PUBLIC = "private_group", "public_"
REPLY_TO = "reply_to_message_id"
MEDIA = ("photo", "file")
VECTOR_STICKER = ".tgs"
# Parts of an export of everything that are read, or say nothing.
READ = {"about", "chats", "left_chats", "personal_information"}

_BAD_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\x([0-9A-Fa-f]{2})")

Row = dict[str, Any]


class TelegramExport(OtherProduct):
    kind = "Telegram"

    def __init__(self, file: Path, zone: Zone) -> None:
        super().__init__()
        self._zone = zone
        self._folder = file.parent
        self._chats: dict[str, Row] = {}
        self._people: dict[str, str] = {}  # names
        self._members: dict[str, set[str]] = {}
        self._offsets: dict[tuple[str, int], int] = {}  # of messages, by chat and id
        self._topics: dict[tuple[str, int], str] = {}  # names, by chat and id of any message
        self._forums: set[str] = set()
        self._media: dict[str, str] = {}  # owner by path
        self._untimed = 0
        self._spool = RowSpool(self._folder)
        root: Row = msgspec.json.decode(_BAD_ESCAPE.sub(rb"\1\\u00\2", file.read_bytes()))
        self._own = self._add_own(root)
        if "messages" in root:
            self._read(root)
            self.name = str(root.get("name") or self.name)
        for part in ("chats", "left_chats"):
            for chat in (root.get(part) or {}).get("list") or ():
                self._read(chat)
        self.message_count = len(self._spool)
        self._count(root)

    def people(self) -> list[ImportedPerson]:
        listed = [
            ImportedPerson(key, name or "Deleted account", is_bot=not key.startswith("user"))
            for key, name in self._people.items()
        ]
        return [*listed, *self._unlisted.values()]

    def channels(self) -> list[ImportedChannel]:
        return [
            ImportedChannel(
                key=key,
                name=str(chat.get("name") or "group"),
                is_private=not str(chat["type"]).startswith(PUBLIC),
                members=tuple(sorted(self._members[key])),
            )
            for key, chat in self._chats.items()
            if chat["type"] not in DIRECT
        ]

    def profile_data(self) -> ProfileData:
        return ProfileData()

    def files(self) -> Iterator[ImportedFile]:
        for path, owner in self._media.items():
            opened = partial(archive_reader.open_in, self._folder, path)
            yield ImportedFile(path, Path(path).name, owner, opened)

    def messages(self) -> Iterator[ImportedMessage]:
        for at, row in self._spool.rows():
            chat = row["chat"]
            imported = ImportedMessage(
                sender=_sender(row),
                at=at,
                text=self._text(row),
                edited_at=_seconds(row, "edited", self._zone),
                reactions=list(_reactions(row)),
            )
            if self._chats[chat]["type"] in DIRECT:
                imported.people = tuple(sorted(self._members[chat] | {imported.sender}))
            else:
                imported.channel, imported.topic = chat, self._topic(chat, row)
            yield imported

    # --- first pass ---

    def _add_own(self, root: Row) -> str:
        """The person who exported, if the export says who that is."""
        about = root.get("personal_information") or {}
        if not about.get("user_id"):
            return ""
        key = f"user{about['user_id']}"
        names = (about.get("first_name"), about.get("last_name"))
        self._people[key] = " ".join(str(each) for each in names if each)
        return key

    def _read(self, chat: Row) -> None:
        key = _chat_key(chat)
        self._chats.setdefault(key, {"type": str(chat.get("type")), "name": chat.get("name")})
        members = self._members.setdefault(key, set())
        if chat.get("type") in DIRECT:
            members.update(filter(None, [self._own]))
            if chat.get("type") in ("personal_chat", "bot_chat"):
                self._people.setdefault(key, str(chat.get("name") or ""))
                members.add(key)
        for row in chat.get("messages") or ():
            self._note(row, key)

    def _note(self, row: Row, chat: str) -> None:
        counts = self._counts
        files = [row[name] for name in MEDIA if row.get(name)]
        given, named = _reaction_counts(row)
        counts.read[MESSAGES] += 1
        counts.read[REACTIONS] += given
        counts.read[FILES] += len(files)
        counts.drop_unread("pinned messages", int(row.get("action") == "pin_message"))
        counts.drop_unread("buttons of bots", sum(map(len, row.get("inline_bot_buttons") or ())))
        if row.get("action") == "topic_created":
            self._topics[chat, row["id"]] = str(row.get("title") or GENERAL)
            self._forums.add(chat)
        reason = _dropped_because(row)
        if reason is not None:
            counts.drop(MESSAGES, reason)
            counts.drop(REACTIONS, OF_DROPPED_MESSAGES, given)
            counts.drop(FILES, OF_DROPPED_MESSAGES, len(files))
            return
        counts.drop(REACTIONS, "of people or emoji that are not in the export", given - named)
        self._note_people(row, chat)
        for path in files:
            if str(path).endswith(VECTOR_STICKER):
                counts.drop(FILES, "that are animated stickers, shown as emoji")
            elif archive_reader.find(self._folder, str(path)) is None:
                counts.drop(FILES, NOT_IN_ARCHIVE)
            elif str(path) in self._media:
                counts.drop(FILES, DUPLICATES)
            else:
                self._media[str(path)] = _sender(row)
        at = _seconds(row, "date", self._zone)
        self._untimed += "date_unixtime" not in row
        self._offsets[chat, row["id"]] = self._spool.add(at or 0.0, row | {"chat": chat})

    def _note_people(self, row: Row, chat: str) -> None:
        key = _sender(row)
        if key != row["from_id"]:
            self._add_unlisted(key, str(row["author"]), is_bot=True)
        else:
            self._people[key] = str(row.get("from") or "") or self._people.get(key, "")
        self._members[chat].add(key)
        recent = [who for each in row.get("reactions") or () for who in each.get("recent") or ()]
        for who in recent:
            if who.get("from_id"):
                self._people.setdefault(str(who["from_id"]), str(who.get("from") or ""))
        for part in row.get("text_entities") or ():
            if part.get("type") == "mention_name" and part.get("user_id"):
                self._people.setdefault(f"user{part['user_id']}", str(part.get("text") or ""))

    def _count(self, root: Row) -> None:
        counts = self._counts
        self._count_accounts(self.people(), self.channels())
        if self._untimed and not self._zone.is_given:
            counts.warnings.append(
                f"{self._untimed:,} messages have a time without a zone, which is read as UTC. Set"
                " --timezone."
            )
        for name, part in root.items():
            rows = part.get("list") if isinstance(part, dict) else None
            if name not in READ and isinstance(rows, list):
                counts.drop_unread(f"entries of {name}", len(rows))

    # --- texts and topics ---

    def _topic(self, chat: str, row: Row) -> str:
        """The forum topic of a message: the one that its chain of replies leads to."""
        if chat not in self._forums:
            return TOPIC
        number, seen = row["id"], set()
        while (chat, number) not in self._topics and number not in seen:
            seen.add(number)
            offset = self._offsets.get((chat, number))
            number = 0 if offset is None else self._spool.read(offset).get(REPLY_TO) or 0
        topic = self._topics.get((chat, number), GENERAL)
        for each in seen - {0}:
            self._topics[chat, each] = topic
        return topic

    def _text(self, row: Row) -> str:
        text = telegram_text.message_text(row)
        parts = [self._quotation(row), text, *map(str, self._extras(row))]
        if row.get("forwarded_from") is not None:
            said = attachments.quoted("\n".join(filter(None, parts)))
            parts = [f"Forwarded from {plain_text.escaped(str(row['forwarded_from']))}:", said]
        return "\n".join(filter(None, parts))

    def _quotation(self, row: Row) -> str:
        chat, original = row["chat"], row.get(REPLY_TO)
        if not original or row.get("reply_to_peer_id"):
            return plain_text.LOST_REPLY if original else ""
        if (chat, original) in self._offsets:
            found = self._spool.read(self._offsets[chat, original])
            return plain_text.reply(person(_sender(found)), telegram_text.message_text(found))
        return "" if (chat, original) in self._topics else plain_text.LOST_REPLY

    def _extras(self, row: Row) -> Iterator[str]:
        """What a message shows beside its text."""
        for name in MEDIA:
            if row.get(name):
                yield self._link(str(row[name]), row)
        if isinstance(where := row.get("location_information"), dict):
            place = f"{where.get('latitude')},{where.get('longitude')}"
            title = plain_text.escaped(str(row.get("place_name") or "Location"))
            yield f"[{title}](https://www.openstreetmap.org/search?query={place})"
        if isinstance(who := row.get("contact_information"), dict):
            yield "Contact: " + plain_text.escaped(" ".join(str(v) for v in who.values() if v))
        for name, title in (("poll", "question"), ("todo_list", "title")):
            if isinstance(asked := row.get(name), dict):
                yield f"**{telegram_text.converted(asked.get(title))}**"
                for answer in asked.get("answers") or ():
                    votes = f" ({answer['voters']})" if "voters" in answer else ""
                    yield f"* {telegram_text.converted(answer.get('text'))}{votes}"

    def _link(self, path: str, row: Row) -> str:
        """A link to a file; a file that is not in the archive is named only."""
        if path not in self._media:
            what = row.get("sticker_emoji") or row.get("file_name") or row.get("media_type")
            return str(what) if row.get("sticker_emoji") else f"*({what or 'file'}, not exported)*"
        name = str(row.get("file_name") or Path(path).name)
        link = f"[{name}]({address(path)})"
        return f"\n```spoiler\n{link}\n```" if row.get("media_spoiler") else link


def open_export(folder: Path, zone: Zone) -> TelegramExport | None:
    """Raises InvalidExport for Telegram's other format."""
    for file in sorted(folder.rglob("result*.json")):
        head = file.open("rb").read(4096)
        if b'"messages"' in head or b'"personal_information"' in head or b'"chats"' in head:
            return TelegramExport(file, zone)
    for file in folder.rglob("messages.html"):
        if b"tgme" in (head := file.open("rb").read(1 << 16)) or b"page_wrap" in head:
            raise InvalidExport(
                f"{file.name} is Telegram's HTML format. Export again with the format"
                " “Machine-readable JSON”."
            )
    return None


def _chat_key(chat: Row) -> str:
    """The key as in `from_id`; ids of different kinds of chats can be the same."""
    if chat.get("type") in DIRECT:
        return f"user{chat.get('id')}"
    return f"{'chat' if chat.get('type') == BASIC_GROUP else 'channel'}{chat.get('id')}"


def _dropped_because(row: Row) -> str | None:
    if row.get("type") == "service":
        return NOTICE
    if row.get("type") != "message":
        return "that Telegram could not export"
    return None if row.get("from_id") else "without a sender"


def _sender(row: Row) -> str:
    """The key of the author; a channel's post can be signed."""
    key = str(row["from_id"])
    signed = row.get("author") and not key.startswith("user")
    return shown_as(key, str(row["author"])) if signed else key


def _seconds(row: Row, name: str, zone: Zone) -> float | None:
    stamp = row.get(f"{name}_unixtime")
    return float(stamp) if stamp else from_iso(row.get(name), zone)


def _reaction_counts(row: Row) -> tuple[int, int]:
    """How many reactions there are, and how many of them can be imported."""
    rows = row.get("reactions") or ()
    named = sum(1 for _ in _reactions(row))
    return max(named, sum(int(each.get("count") or 0) for each in rows)), named


def _reactions(row: Row) -> Iterator[ImportedReaction]:
    for each in row.get("reactions") or ():
        if each.get("type") == "emoji":
            code = code_of_character(str(each.get("emoji") or ""))
            for who in each.get("recent") or ():
                if who.get("from_id"):
                    yield ImportedReaction(str(who["from_id"]), "", code)
