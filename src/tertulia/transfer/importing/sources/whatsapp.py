"""WhatsApp chats, as phones export them: a text, with media beside it. One text is a channel, or a
direct conversation if two people wrote and the chat has the name of one of them.

The text has neither ids nor replies nor reactions, and its notices are sentences in the language of
the phone. A notice is recognized by its form: no name, or a mark of direction before the text.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tertulia.transfer.importing import archive_reader
from tertulia.transfer.importing.emoji import outside_code
from tertulia.transfer.importing.import_counts import (
    DUPLICATES,
    FILES,
    MESSAGES,
    NOT_IN_ARCHIVE,
)
from tertulia.transfer.importing.sources.other_product import NOTICE, OtherProduct
from tertulia.transfer.importing.sources.plain_text import neutral
from tertulia.transfer.importing.sources.whatsapp_lines import (
    ChatLine,
    is_chat,
    parse,
    without_marks,
)
from tertulia.transfer.importing.times import Zone
from tertulia.transfer.model import (
    ImportedChannel,
    ImportedFile,
    ImportedMessage,
    ImportedPerson,
    ProfileData,
    address,
    person,
)

TOPIC = "imported from WhatsApp"
HEAD_BYTES = 4096
WITHOUT_FILE = "whose file is not in the export"
DELETED = {
    "this message was deleted", "you deleted this message", "diese nachricht wurde gelöscht",
    "du hast diese nachricht gelöscht", "se eliminó este mensaje", "eliminaste este mensaje",
    "ce message a été supprimé", "vous avez supprimé ce message", "mensagem apagada",
    "você apagou esta mensagem", "questo messaggio è stato eliminato", "dit bericht is verwijderd",
    "данное сообщение удалено", "このメッセージは削除されました", "تم حذف هذه الرسالة",
}  # fmt: skip

_CHAT_NAME = re.compile(r".*WhatsApp\b.*? (?:with|mit|con|avec|com|met|с|-) (?P<name>.+)")
_ATTACHED = re.compile("\u200e?<[^<>:\n]+: (?P<name>[^<>\n]+\\.\\w+)>")
_NAMED = re.compile(r"(?P<name>\S[^\n]*\.\w{2,5}) \([^()\n]+\)(?=\n|$)")
_OMITTED = re.compile(r"<[^<>\n]+>")
_EDITED = re.compile("\\s*\u200e<[^<>\n]+>$")
_MENTION = re.compile("@(?:\u2068(?P<name>[^\u2069\n]+)\u2069|(?P<digits>[0-9]{6,15})\\b)")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_ITALIC = re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])")
_STRIKE = re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])")
_MONOSPACE = re.compile(r"```(.+?)```", re.DOTALL)


class WhatsAppExport(OtherProduct):
    kind = "WhatsApp"

    def __init__(self, folder: Path, files: list[Path], zone: Zone) -> None:
        super().__init__()
        self._folder = folder
        self._people: dict[str, str] = {}  # names by key
        self._digits: dict[str, str] = {}  # keys of people who are phone numbers
        self._chats: dict[str, tuple[str, bool, set[str]]] = {}  # name, is direct, members
        self._media: dict[str, tuple[Path, str]] = {}  # folder and owner by key
        self._messages: list[tuple[float, str, ChatLine, str]] = []
        for file in files:
            self._read(file, zone)
        self._messages.sort(key=lambda each: each[:2])
        self.message_count = len(self._messages)
        if len(self._chats) == 1:
            self.name = next(iter(self._chats.values()))[0]
        self._count_accounts(self.people(), self.channels())

    def people(self) -> list[ImportedPerson]:
        return [ImportedPerson(key, name) for key, name in self._people.items()]

    def channels(self) -> list[ImportedChannel]:
        return [
            ImportedChannel(key, name, is_private=True, members=tuple(sorted(members)))
            for key, (name, is_direct, members) in self._chats.items()
            if not is_direct
        ]

    def profile_data(self) -> ProfileData:
        return ProfileData()

    def files(self) -> Iterator[ImportedFile]:
        for key, (folder, owner) in self._media.items():
            name = key.rpartition("/")[2]
            yield ImportedFile(key, name, owner, partial(archive_reader.open_in, folder, name))

    def messages(self) -> Iterator[ImportedMessage]:
        for at, chat, line, attached in self._messages:
            _, is_direct, members = self._chats[chat]
            text = self._text(line.text)
            if attached:
                link = f"[{attached.rpartition('/')[2]}]({address(attached)})"
                text = f"{text}\n{link}".strip()
            yield ImportedMessage(
                sender=_key(line.sender),
                at=at,
                text=text,
                channel="" if is_direct else chat,
                people=tuple(sorted(members)) if is_direct else (),
                topic="" if is_direct else TOPIC,
            )

    # --- first pass ---

    def _read(self, file: Path, zone: Zone) -> None:
        lines = parse(file.read_text(encoding="utf-8-sig", errors="replace"), zone.tzinfo)
        authors = {line.sender for line in lines if line.sender and line.is_written}
        others = [line.sender for line in lines if line.sender and line.sender not in authors]
        match = _CHAT_NAME.match(file.stem)
        name = match["name"] if match else others[0] if others else file.stem.strip("_")
        for author in sorted(authors):
            self._people[_key(author)] = author.removeprefix("~").strip()
            if digits := re.sub(r"\D", "", author) if author.startswith("+") else "":
                self._digits[digits] = _key(author)
        is_direct = len(authors) == 2 and (name in authors or not (others or match))
        chat = file.relative_to(self._folder).with_suffix("").as_posix()
        self._chats[chat] = (name, is_direct, {_key(each) for each in authors})
        for line in lines:
            self._note(line, chat, file.parent)
        if not zone.is_given:
            self._counts.warnings.append(
                f"The times of {file.name} have no time zone, and are read as UTC. Set --timezone."
            )

    def _note(self, line: ChatLine, chat: str, folder: Path) -> None:
        counts = self._counts
        counts.read[MESSAGES] += 1
        name, text = _attachment(line.text, folder)
        counts.read[FILES] += bool(name)
        is_here = bool(name) and archive_reader.find(folder, name) is not None
        counts.drop(FILES, NOT_IN_ARCHIVE, int(bool(name) and not is_here))
        reason = None if name and line.sender else _dropped_because(line)
        if name and not is_here and not text:
            reason = WITHOUT_FILE
        if reason is not None:
            counts.drop(MESSAGES, reason)
            return
        key = f"{chat}/{name}" if is_here else ""
        if key and key in self._media:
            counts.drop(FILES, DUPLICATES)
        elif key:
            self._media[key] = (folder, _key(line.sender))
        without = _EDITED.sub("", text)
        counts.notes["edited messages, without the time of the edit"] += without != text
        line.text = without
        self._messages.append((line.at, chat, line, key))

    # --- texts ---

    def _text(self, text: str) -> str:
        text = neutral(_MENTION.sub(self._mention, text))
        text = _MONOSPACE.sub(lambda match: f"\n```\n{match[1].strip()}\n```\n", text)
        return outside_code(_formatted, without_marks(text)).strip()

    def _mention(self, match: re.Match[str]) -> str:
        if match["name"]:
            key = _key(match["name"])
            return person(key, match["name"]) if key in self._people else f"@{match['name']}"
        key = self._digits.get(match["digits"], "")
        return person(key) if key else match[0]


def open_export(folder: Path, zone: Zone) -> WhatsAppExport | None:
    files = [file for file in sorted(folder.rglob("*.txt")) if _is_chat(file)]
    return WhatsAppExport(folder, files, zone) if files else None


def _is_chat(file: Path) -> bool:
    with file.open("rb") as opened:
        return is_chat(opened.read(HEAD_BYTES).decode("utf-8-sig", errors="replace"))


def _attachment(text: str, folder: Path) -> tuple[str, str]:
    """The name of the attached file, and the caption."""
    if match := _ATTACHED.search(text):
        return match["name"].strip(), (text[: match.start()] + text[match.end() :]).strip()
    match = _NAMED.match(without_marks(text))
    if match and (archive_reader.find(folder, match["name"]) or "-WA" in match["name"]):
        return match["name"], without_marks(text)[match.end() :].strip()
    return "", text


def _dropped_because(line: ChatLine) -> str | None:
    text = without_marks(line.text).strip()
    if not line.sender:
        return NOTICE
    if text.rstrip(".").lower() in DELETED:
        return "that were deleted"
    if not line.is_written:
        return "that the app wrote: notices, calls, files that were left out"
    if _OMITTED.fullmatch(text):
        return WITHOUT_FILE
    return None if text and text != "null" else "that are empty"


def _key(name: str) -> str:
    """People have no ids: their name is the key."""
    return " ".join(without_marks(name).split()).removeprefix("~").strip().lower()


def _formatted(text: str) -> str:
    text = _ITALIC.sub(r"*\1*", _BOLD.sub(r"**\1**", text))
    return _STRIKE.sub(r"~~\1~~", text)
