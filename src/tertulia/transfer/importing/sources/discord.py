"""Discord servers, as DiscordChatExporter writes them: a JSON file per channel, thread or direct
conversation, with a folder of media beside it.

Discord tells neither who may read a channel nor who is in it, so channels are private to the people
who take part in them. Threads and forum posts become topics; a private thread is a channel.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tertulia.domain.emoji import CUSTOM
from tertulia.transfer.importing import archive_reader
from tertulia.transfer.importing.emoji import code_of_character
from tertulia.transfer.importing.import_counts import (
    DUPLICATES,
    EMOJI,
    FILES,
    MESSAGES,
    NOT_IN_ARCHIVE,
    OF_DROPPED_MESSAGES,
    REACTIONS,
)
from tertulia.transfer.importing.row_spool import RowSpool
from tertulia.transfer.importing.sources import attachments, discord_files, discord_text, plain_text
from tertulia.transfer.importing.sources.other_product import NOTICE, OtherProduct, shown_as
from tertulia.transfer.importing.times import from_iso
from tertulia.transfer.model import (
    ImportedAvatar,
    ImportedChannel,
    ImportedEmoji,
    ImportedFile,
    ImportedFolder,
    ImportedGroup,
    ImportedMessage,
    ImportedPerson,
    ImportedReaction,
    ProfileData,
    address,
    channel,
    person,
)

TOPIC = "imported from Discord"
THREADS = {"GuildPublicThread", "GuildNewsThread"}
PRIVATE_THREAD = "GuildPrivateThread"
DIRECT = {"DirectTextChat", "DirectGroupTextChat"}
NOTICES = {
    "RecipientAdd", "RecipientRemove", "Call", "ChannelNameChange", "ChannelIconChange",
    "ChannelPinnedMessage", "GuildMemberJoin", "ThreadCreated",
    *map(str, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18)),
    *map(str, (22, 24, 25, 26, 27, 28, 29, 31, 32, 36, 37, 38, 39, 44, 46)),
}  # fmt: skip
THREAD_START = "21"  # repeats the message from which a thread began
SPOILER = "SPOILER_"

Row = dict[str, Any]


class DiscordExport(OtherProduct):
    kind = "Discord"

    def __init__(self, folder: Path, files: list[Path]) -> None:
        super().__init__()
        self._folder = folder
        self._open = partial(archive_reader.open_in, folder)
        self._people: dict[str, Row] = {}
        self._bots: dict[str, str] = {}  # the first name of each bot
        self._roles: dict[str, tuple[str, set[str]]] = {}  # name and members
        self._rooms: dict[str, Row] = {}
        self._members: dict[str, set[str]] = {}  # by channel, or by conversation
        self._emoji: dict[str, Row] = {}
        self._emoji_names: dict[str, str] = {}
        self._media: dict[str, tuple[str, str]] = {}  # name and owner by path
        self._offsets: dict[str, int] = {}  # of messages, by id
        self._spool = RowSpool(folder)
        for file in files:
            self._read(file)
        self._add_forums()
        self._name_emoji()
        self.message_count = len(self._spool)
        self._count_accounts(self.people(), self.channels())
        self._count_profiles(self.profile_data())

    def people(self) -> list[ImportedPerson]:
        listed = [
            ImportedPerson(key, _name(row), is_bot=bool(row.get("isBot")))
            for key, row in self._people.items()
        ]
        return [*listed, *self._unlisted.values()]

    def folders(self) -> list[ImportedFolder]:
        named = {
            str(row["categoryId"]): str(row.get("category") or "")
            for row in self._rooms.values()
            if row.get("categoryId") and row["type"] not in THREADS | {PRIVATE_THREAD}
        }
        return [ImportedFolder(key, name) for key, name in named.items() if name]

    def channels(self) -> list[ImportedChannel]:
        return [
            ImportedChannel(
                key=key,
                name=_room_name(row),
                description=str(row.get("topic") or ""),
                is_private=True,
                members=tuple(sorted(self._members.get(key, ()))),
                folder=str(row.get("categoryId") or ""),
            )
            for key, row in self._rooms.items()
            if row["type"] not in THREADS | DIRECT
        ]

    def profile_data(self) -> ProfileData:
        return ProfileData(
            emoji=[
                ImportedEmoji(
                    key,
                    self._emoji_names[key],
                    "",
                    partial(self._open, row["imageUrl"]),
                )
                for key, row in self._emoji.items()
                if key in self._emoji_names
            ],
            avatars=[
                ImportedAvatar(key, partial(self._open, row["avatarUrl"]))
                for key, row in self._people.items()
                if row.get("avatarUrl")
            ],
            groups=[
                ImportedGroup(key, name, members=tuple(sorted(members)))
                for key, (name, members) in self._roles.items()
            ],
        )

    def files(self) -> Iterator[ImportedFile]:
        for path, (name, owner) in self._media.items():
            yield ImportedFile(path, name, owner, partial(self._open, path))

    def messages(self) -> Iterator[ImportedMessage]:
        for at, row in self._spool.rows():
            room = self._rooms[row["room"]]
            imported = ImportedMessage(
                sender=self._sender(row["author"]),
                at=at,
                text=self._text(row),
                edited_at=from_iso(row.get("timestampEdited")),
                reactions=list(self._reactions(row)),
            )
            if room["type"] in DIRECT:
                imported.people = tuple(sorted(self._members[row["room"]] | {imported.sender}))
            elif room["type"] in THREADS:
                imported.channel = str(room["categoryId"])
                imported.topic = str(room.get("name") or TOPIC)
            else:
                imported.channel, imported.topic = row["room"], TOPIC
            yield imported

    # --- first pass ---

    def _read(self, file: Path) -> None:
        root, rows, is_whole = discord_files.decoded(file)
        room, guild = root["channel"], root.get("guild") or {}
        key = str(room["id"])
        self._rooms.setdefault(key, room | {"type": str(room.get("type") or "")})
        if room.get("type") not in DIRECT and guild.get("name"):
            self.name = str(guild["name"])
        for row in rows:
            self._note(row, key, file)
        if not is_whole:
            last = rows[-1]["id"] if rows else "none"
            self._counts.warnings.append(
                f"{file.name} is cut off; its last whole message is {last}."
            )

    def _note(self, row: Row, room: str, file: Path) -> None:
        counts = self._counts
        reactions = row.get("reactions") or []
        named = sum(len(each.get("users") or ()) for each in reactions)
        given = sum(
            max(int(each.get("count") or 0), len(each.get("users") or ())) for each in reactions
        )
        files = [*_attached(row), *(row.get("stickers") or ())]
        counts.read[MESSAGES] += 1
        counts.read[REACTIONS] += given
        counts.read[FILES] += len(files)
        counts.drop_unread("pinned messages", int(bool(row.get("isPinned"))))
        reason = self._dropped_because(row)
        if reason is not None:
            counts.drop(MESSAGES, reason)
            counts.drop(REACTIONS, OF_DROPPED_MESSAGES, given)
            counts.drop(FILES, OF_DROPPED_MESSAGES, len(files))
            return
        counts.drop(REACTIONS, "of people who are not in the export", given - named)
        self._note_people(row, room, file)
        owner = self._sender(row["author"])
        for each in files:
            self._note_file(each, owner, file)
        for emoji in [*(row.get("inlineEmojis") or ()), *(each["emoji"] for each in reactions)]:
            if emoji.get("id"):
                picture = discord_files.media_path(self._folder, emoji.get("imageUrl"), file)
                known = self._emoji.setdefault(str(emoji["id"]), {"name": emoji.get("code") or ""})
                known["imageUrl"] = picture or known.get("imageUrl")
        self._offsets[row["id"]] = self._spool.add(
            from_iso(row["timestamp"]) or 0.0, row | {"room": room}
        )

    def _dropped_because(self, row: Row) -> str | None:
        """Why a row does not become a message; None if it does."""
        kind = str(row.get("type") or "")
        if row["id"] in self._offsets:
            return DUPLICATES
        if kind in NOTICES:
            return NOTICE
        if kind == THREAD_START:
            return "that repeat the start of a thread"
        shown = ("content", "attachments", "embeds", "stickers", "forwardedMessage")
        return None if any(row.get(key) for key in shown) else "without a text, such as polls"

    def _note_people(self, row: Row, room: str, file: Path) -> None:
        reacted = [user for each in row.get("reactions") or () for user in each.get("users") or ()]
        members = self._members.setdefault(self._room_of(room), set())
        for user in [row["author"], *(row.get("mentions") or ()), *reacted]:
            key = self._sender(user)
            picture = discord_files.media_path(self._folder, user.get("avatarUrl"), file)
            if key == str(user["id"]):
                known = self._people.setdefault(key, user | {"avatarUrl": picture})
                known["avatarUrl"] = known["avatarUrl"] or picture
            else:
                self._add_unlisted(key, str(user["name"]), is_bot=True)
            members.add(key)
            for role in user.get("roles") or ():
                group = self._roles.setdefault(str(role["id"]), (str(role["name"]), set()))
                group[1].add(key)

    def _sender(self, user: Row) -> str:
        """The key of a user. A webhook writes under different names with one id."""
        key, name = str(user["id"]), str(user.get("name") or "")
        if user.get("isBot") and self._bots.setdefault(key, name) != name:
            return shown_as(key, name)
        return key

    def _room_of(self, room: str) -> str:
        """The channel of a thread, or the room itself."""
        row = self._rooms[room]
        return str(row["categoryId"]) if row["type"] in THREADS else room

    def _note_file(self, row: Row, owner: str, file: Path) -> None:
        path = discord_files.media_path(self._folder, _url(row), file)
        if path is None:
            self._counts.drop(FILES, NOT_IN_ARCHIVE)
            return
        if path in self._media:
            self._counts.drop(FILES, DUPLICATES)
        self._media.setdefault(path, (str(row.get("fileName") or row.get("name") or path), owner))
        row["path"] = path

    def _add_forums(self) -> None:
        """Forums have no file of their own; private threads are channels beside theirs."""
        for row in list(self._rooms.values()):
            if row["type"] in THREADS and str(row.get("categoryId")) not in self._rooms:
                name = row.get("category") or "forum"
                self._rooms[str(row["categoryId"])] = {"type": "GuildForum", "name": name}

    def _name_emoji(self) -> None:
        taken: set[str] = set()
        for key, row in self._emoji.items():
            plain = re.sub(r"[^0-9a-z_-]", "_", str(row["name"]).lower()) or "emoji"
            name, number = plain, 2
            while name in taken:
                name, number = f"{plain}_{number}", number + 1
            taken.add(name)
            if row.get("imageUrl"):
                self._emoji_names[key] = name
            else:
                self._counts.read[EMOJI] += 1
                self._counts.drop(EMOJI, NOT_IN_ARCHIVE)

    # --- texts ---

    def _text(self, row: Row) -> str:
        parts = [self._quotation(row), self._content(row), *self._forwarded(row)]
        if row["author"].get("isBot"):
            parts += [self._embed(each) for each in row.get("embeds") or ()]
        parts += [self._link(each) for each in [*_attached(row), *(row.get("stickers") or ())]]
        return "\n".join(filter(None, parts))

    def _content(self, row: Row) -> str:
        text = self._converted(row.get("content"))
        for user in row.get("mentions") or ():  # texts in which the exporter has put names
            for name in dict.fromkeys((str(user.get("nickname")), str(user.get("name")))):
                text = text.replace(f"@{name}", person(self._sender(user))) if name else text
        return text

    def _converted(self, text: Any) -> str:
        return discord_text.converted(
            str(text or ""),
            emoji=lambda key, name: f":{self._emoji_names.get(key, name)}:",
            role=lambda key: f"@_*{self._roles[key][0]}*" if key in self._roles else "@role",
            room=self._room_link,
        )

    def _room_link(self, key: str) -> str:
        row = self._rooms.get(key, {})
        name = str(row.get("name") or "")
        if row.get("type") in THREADS:
            return f"{channel(str(row['categoryId']), str(row.get('category')))} > {name}"
        return channel(key, name)

    def _quotation(self, row: Row) -> str:
        original = str((row.get("reference") or {}).get("messageId") or "")
        if row.get("type") != "Reply" or not original:
            return ""
        if original not in self._offsets:
            return plain_text.LOST_REPLY
        found = self._spool.read(self._offsets[original])
        return plain_text.reply(person(self._sender(found["author"])), self._content(found))

    def _forwarded(self, row: Row) -> list[str]:
        inner = row.get("forwardedMessage")
        if not isinstance(inner, dict):
            return []
        return ["Forwarded:", attachments.quoted(self._converted(inner.get("content")))]

    def _embed(self, row: Row) -> str:
        author, footer = row.get("author") or {}, row.get("footer") or {}
        shown = {
            "author_name": author.get("name"),
            "title": row.get("title"),
            "title_link": row.get("url"),
            "text": row.get("description"),
            "fields": [
                {"title": each.get("name"), "value": each.get("value")}
                for each in row.get("fields") or ()
            ],
            "footer": footer.get("text"),
        }
        return "\n".join(attachments.texts([shown], self._converted))

    def _link(self, row: Row) -> str:
        """A link to a file; a file that is not in the archive is named only."""
        name = str(row.get("fileName") or row.get("name") or "file")
        if "path" not in row:
            return f":{name}:" if "fileName" not in row else f"*({name})*"
        link = f"[{name}]({address(row['path'])})"
        return discord_text.spoiler(link) if name.startswith(SPOILER) else link

    def _reactions(self, row: Row) -> Iterator[ImportedReaction]:
        for each in row.get("reactions") or ():
            emoji = each["emoji"]
            for user in each.get("users") or ():
                key = self._sender(user)
                if emoji.get("id"):
                    name = self._emoji_names.get(str(emoji["id"]), str(emoji.get("name")))
                    yield ImportedReaction(key, name, str(emoji["id"]), CUSTOM)
                else:
                    code = code_of_character(str(emoji.get("name") or ""))
                    yield ImportedReaction(key, str(emoji.get("code") or ""), code)


def open_export(folder: Path) -> DiscordExport | None:
    files = discord_files.exports_in(folder)
    return DiscordExport(folder, files) if files else None


def _attached(row: Row) -> list[Row]:
    inner = row.get("forwardedMessage") or {}
    return [*(row.get("attachments") or ()), *(inner.get("attachments") or ())]


def _url(row: Row) -> Any:
    """The URL of an attachment, or of a sticker that is a picture."""
    return row.get("url") or (row.get("sourceUrl") if row.get("format") != "Lottie" else None)


def _name(row: Row) -> str:
    return str(row.get("nickname") or row.get("name") or "")


def _room_name(row: Row) -> str:
    name = str(row.get("name") or "channel")
    return f"{row.get('category')}: {name}" if row["type"] == PRIVATE_THREAD else name
