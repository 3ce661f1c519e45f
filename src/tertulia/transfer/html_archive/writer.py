"""Writes an HTML archive.

```
index.html              channels, direct messages, search
channels/7/             topics (index.html) and their pages (t52.html, t52-2.html …), numbered by
                        their oldest message
dm/1.html               a conversation of direct messages
files/, emoji/          uploaded files and custom emoji
search/                 the search index
static/                 stylesheets and the script of the search
```

All of it is read in one transaction and written page by page, so memory does not grow with the
number of messages or files: in memory are the users, the topics of one channel and the list of
conversations.
"""

import shutil
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import msgspec

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.documents import message_html, page_frame, template_engine, view_models
from tertulia.documents.page_frame import PageFrame
from tertulia.documents.template_engine import DocumentTexts
from tertulia.documents.view_models import (
    SHADES,
    FormerVersion,
    ShownChannel,
    ShownPerson,
    ShownTopic,
)
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Edit, Message, TopicMessage
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.storage.archive_queries import ArchivedMessages
from tertulia.transfer.backup.file_snapshot import DamagedStoredFile, FileSnapshot
from tertulia.transfer.html_archive import links
from tertulia.transfer.html_archive.search_index import SearchIndex

PAGE_MESSAGES = 100
PAGE_TOPICS = 200
MAX_NAME_BYTES = 200  # of a file; file systems allow 255, some encrypted ones fewer
MAX_SUFFIX_BYTES = 20
MAX_KNOWN_TOPICS = 64  # of up to 80 KB, if a topic has a million messages
MISSING_FILES = "missing-files.txt"  # names those that are damaged or not in the store
STYLES = ("tokens", "base", "messages", "code", "public")
UNKNOWN = ShownPerson(UNKNOWN_NAME, SHADES, None, False)

Progress = Callable[[int], None]


class ArchiveAppearance:
    """Names, files and links of a page at a certain depth of the folder."""

    link_prefix = "#m"

    def __init__(self, archive: "HtmlArchive", root: str) -> None:
        self._archive = archive
        self._root = root
        self.deletions: Mapping[int, float] = {}

    def person(self, user_id: int) -> ShownPerson:
        return self._archive.people.get(user_id, UNKNOWN)

    def html(self, message: Message | TopicMessage) -> str:
        return self._rewritten(message.rendered)

    def emoji_image(self, code: str) -> str | None:
        return self._emoji(self._archive.emoji.get(int(code)))

    def special_emoji_image(self) -> str:
        return f"{self._root}static/icon.png"

    def former(self, t: DocumentTexts, message: Message | TopicMessage) -> list[FormerVersion]:
        if not self._archive.has_earlier_versions:
            return []
        found = []
        for edit in message.edits:
            date = t.day(edit.edited_at)
            if edit.prev_rendered is not None:
                html = view_models.without_script(self._rewritten(edit.prev_rendered))
                found.append(FormerVersion(html, t("public.earlier-version", date=date)))
            if place := self._archive.former_place(edit):
                html = f"<p>{escape(place)}</p>"
                found.append(FormerVersion(html, t("public.earlier-place", date=date)))
        widget = domain.messages.widget_state.of_message(message)
        for title in [] if widget is None else widget.former:
            found.append(FormerVersion(f"<p>{escape(title)}</p>", t("public.earlier-title")))
        return found

    def _rewritten(self, html: str) -> str:
        html = links.rewrite(html, self._file, self._emoji, self._message)
        return view_models.with_known_names(self, html)

    def _file(self, path_id: str) -> str | None:
        path = self._archive.file(unquote(path_id))
        return None if path is None else f"{self._root}{path}"

    def _emoji(self, name: str | None) -> str | None:
        return f"{self._root}emoji/{name}" if name in self._archive.emoji.values() else None

    def _message(self, channel_id: int, topic: str, message_id: int | None) -> str | None:
        path = self._archive.message_path(channel_id, unquote(topic), message_id)
        return None if path is None else f"{self._root}{path}"


class HtmlArchive:
    def __init__(
        self,
        tx: Tx,
        chosen: ArchivedMessages,
        folder: Path,
        files: FileSnapshot,
        progress: Progress,
    ) -> None:
        self._tx, self._chosen, self._folder, self._files = tx, chosen, folder, files
        self._progress, self._done = progress, 0
        self.has_earlier_versions = chosen.has_earlier_versions
        self.damaged_files: list[str] = []  # path ids of files that are missing or damaged
        self._realm = storage.organization.realms.current(tx)
        self._t = DocumentTexts.of(str(self._realm.setting("default_language")))
        self._templates = template_engine.environment()
        self._search = SearchIndex(folder / "search")
        # Where the pages of a topic start: else each link to a message would count the topic.
        self._starts: dict[tuple[int, str], array[int]] = {}
        self.people = {
            user.id: ShownPerson(user.full_name, user.id % SHADES + 1, None, user.is_bot)
            for user in storage.people.users.list_all(tx)
            if user.id not in chosen.unknown_ids
        }
        self.emoji = {
            each.id: each.file_name for each in storage.organization.custom_emoji.list_all(tx)
        }

    def write(self) -> None:
        self._write_static()
        channels = sorted(
            storage.channels.table.list_all(self._tx), key=lambda each: each.name.casefold()
        )
        self._channel_names = {each.id: each.name for each in channels}
        listed = [found for each in channels if (found := self._write_channel(each)) is not None]
        conversations = list(self._write_conversations())
        self._search.finish()
        person_id = self._chosen.person_id
        about = str(self._realm.setting("description"))
        if person_id is not None:
            about = self._t("public.archive-of-person", name=self.people[person_id].name)
        elif self._chosen.discovery is not None:
            about = self._t("public.archive-of-discovery")
        self._write(
            "index.html",
            "index",
            "",
            about=about,
            channels=listed,
            conversations=conversations,
        )
        if self.damaged_files:
            self._put(MISSING_FILES).write_text("\n".join(self.damaged_files) + "\n", "utf-8")

    # --- targets of links ---

    def file(self, path_id: str) -> str | None:
        """The path of an uploaded file in the archive; writes it when it is first needed."""
        if ".." in PurePosixPath(path_id).parts:
            return None
        path = f"files/{_shortened(path_id)}"
        return path if self._is_written(path) or self._write_file(path_id, path) else None

    def message_path(self, channel_id: int, topic: str, message_id: int | None) -> str | None:
        """The path of a topic, or of the page with a message, if it is in the archive."""
        key: str | None = domain.channels.topics.fold(topic)
        if message_id is not None:
            key = storage.archive_queries.topic_of(self._tx, self._chosen, message_id)
        if key is None:
            return None
        starts = self._page_starts(channel_id, key)
        if not starts:
            return None
        if message_id is None:
            return f"channels/{channel_id}/{_page_name(starts[0], 1)}"
        name = _page_name(starts[0], bisect_right(starts, message_id))
        return f"channels/{channel_id}/{name}#m{message_id}"

    def _page_starts(self, channel_id: int, topic_key: str) -> "array[int]":
        key = (channel_id, topic_key)
        if key not in self._starts:
            if len(self._starts) == MAX_KNOWN_TOPICS:
                del self._starts[next(iter(self._starts))]
            self._starts[key] = storage.archive_queries.page_starts(
                self._tx, self._chosen, channel_id, topic_key, PAGE_MESSAGES
            )
        return self._starts[key]

    # --- pages ---

    def _write_channel(self, channel: Channel) -> ShownChannel | None:
        """Write the topics of a channel and the list of them; returns None if there are none."""
        topics = storage.archive_queries.topics(self._tx, self._chosen, channel.id)
        if not topics:
            return None
        folder, count = f"channels/{channel.id}", -(-len(topics) // PAGE_TOPICS)
        for number in range(1, count + 1):
            part = topics[(number - 1) * PAGE_TOPICS : number * PAGE_TOPICS]
            self._write(
                f"{folder}/{_list_name(number)}",
                "channel",
                "../../",
                title=channel.name,
                about=view_models.description(channel),
                topics=[self._write_topic(folder, channel, *each) for each in part],
                later=number > 1 and _list_name(number - 1),
                earlier=number < count and _list_name(number + 1),
            )
        size = self._t("public.topic-count", count=len(topics))
        return ShownChannel(
            channel.name,
            view_models.description(channel),
            f"{folder}/index.html",
            channel.id % SHADES + 1,
            size,
        )

    def _write_topic(self, folder: str, channel: Channel, key: str, oldest_id: int) -> ShownTopic:
        pages = storage.archive_queries.topic_pages(
            self._tx, self._chosen, channel.id, key, PAGE_MESSAGES
        )
        return self._write_pages(folder, f"t{oldest_id}", channel.name, pages)

    def _write_conversations(self) -> Iterator[ShownTopic]:
        found = storage.archive_queries.conversations(self._tx, self._chosen)
        for number, conversation_id in enumerate(found, 1):
            pages = storage.archive_queries.conversation_pages(
                self._tx, self._chosen, conversation_id, PAGE_MESSAGES
            )
            shown = self._write_pages("dm", str(number), "", pages)
            yield msgspec.structs.replace(shown, path=f"dm/{shown.path}")

    def _write_pages(
        self, folder: str, name: str, place: str, pages: Iterator[list[Message]]
    ) -> ShownTopic:
        """Write a conversation, and return it for the list of its folder."""
        root = "../" * len(PurePosixPath(folder).parts)
        look, count, number = ArchiveAppearance(self, root), 0, 0
        page: list[Message] | None = next(pages)
        first = newest = page[0]  # type: ignore[index]  # every listed conversation has messages
        while page is not None:
            number += 1
            following = next(pages, None)
            title, is_resolved = self._title(page[-1])
            path = f"{folder}/{_numbered(name, number)}"
            if self._chosen.discovery is not None:
                kept = storage.archive_queries.kept_among(self._tx, [each.id for each in page])
                look.deletions = {each.message.id: each.deleted_at for each in kept}
            self._write(
                path,
                "topic",
                root,
                b"".join(message_html.of_all(self._t, look, page)),
                title=title,
                is_resolved=is_resolved,
                place=place,
                place_path="index.html" if place else "",
                number=number,
                dates=self._dates(page[0], page[-1]),
                earlier=number > 1 and _numbered(name, number - 1),
                later=following is not None and _numbered(name, number + 1),
            )
            label = f"{place} › {title}" if place else title
            texts = [
                domain.messages.plain_text.text_of(
                    view_models.with_known_names(look, each.rendered)
                )
                for each in page
            ]
            senders = [look.person(each.sender_id).name for each in page]
            self._search.add(path, label, texts + senders)
            count, newest = count + len(page), page[-1]
            self._done += len(page)
            self._progress(self._done)
            page = following
        title, is_resolved = self._title(newest)
        return ShownTopic(
            title=title,
            is_resolved=is_resolved,
            path=_numbered(name, 1),
            messages=self._t.count(count),
            date=self._dates(first, newest),
            iso=view_models.iso(newest.sent_at),
            sender=look.person(newest.sender_id).name,
            snippet=view_models.snippet(look, newest),
        )

    def former_place(self, edit: Edit) -> str:
        """Where a message was before a move. Only a discovery names other channels, which a person
        may not know."""
        names = []
        if self._chosen.discovery is not None and edit.prev_channel_id is not None:
            names.append(self._channel_names.get(edit.prev_channel_id, "?"))
        if edit.prev_topic is not None:
            names.append(edit.prev_topic or self._t("public.general-chat"))
        return " › ".join(names)

    def _title(self, message: Message) -> tuple[str, bool]:
        if message.channel_id is not None:
            return view_models.titled(self._t, message.topic)
        names = [self.people.get(each, UNKNOWN).name for each in message.member_ids]
        return ", ".join(sorted(names, key=str.casefold)), False

    def _dates(self, first: Message, last: Message) -> str:
        dates = self._t.day(first.sent_at, "short"), self._t.day(last.sent_at, "short")
        return dates[0] if dates[0] == dates[1] else f"{dates[0]} – {dates[1]}"

    # --- files ---

    def _write(
        self, path: str, template: str, root: str, messages: bytes = b"", **values: Any
    ) -> None:
        text = self._templates.get_template(f"archive/{template}.html").render(
            t=self._t,
            organization=self._realm.name,
            home=f"{root}index.html",
            static=f"{root}static/",
            made_on=self._t.day(self._tx.now),
            **page_frame.marks(["messages"]),
            **values,
        )
        page = PageFrame(text).fill({"messages": messages})
        self._put(path).write_bytes(page_frame.without_controls(page))

    def _is_written(self, path: str) -> bool:
        try:
            return (self._folder / path).is_file()
        except OSError:  # its name is too long for a file
            return False

    def _write_file(self, path_id: str, path: str) -> bool:
        """Returns whether there is such a file."""
        if "\0" in path_id:  # PostgreSQL refuses it
            return False
        attachment = storage.files.attachments.find_by_path(self._tx, path_id)
        found = None
        if attachment is not None and self._may_contain(attachment.id):
            found = attachment.id, attachment.size
        elif self._chosen.discovery is not None:
            found = storage.messages.deleted.file_at(self._tx, path_id)
        if found is None or path_id in self.damaged_files:
            return False
        target = self._put(path)
        try:
            with target.open("wb") as contents:
                shutil.copyfileobj(self._files.contents(self._tx, *found), contents)
            is_whole = target.stat().st_size == found[1]
        except DamagedStoredFile:
            is_whole = False
        if not is_whole:
            target.unlink()
            self.damaged_files.append(path_id)
        return is_whole

    def _may_contain(self, attachment_id: int) -> bool:
        """Whether an archived message gives access to a file: its address in a text does not."""
        if storage.organization.exports.find_by_file(self._tx, attachment_id) is not None:
            return False
        return storage.archive_queries.links_file(self._tx, self._chosen, attachment_id)

    def _write_static(self) -> None:
        for style in STYLES:
            shutil.copy(
                template_engine.STATIC / "css" / f"{style}.css",
                self._put(f"static/css/{style}.css"),
            )
        for name in ("logo.svg", "icon.png"):
            shutil.copy(template_engine.STATIC / "images" / name, self._put(f"static/{name}"))
        rule = f"archiveSearch.pluralForm = (n) => Number({self._t.plural_rule});\n"
        script = template_engine.SCRIPT.read_text(encoding="utf-8") + rule
        self._put("static/archive.js").write_text(script, encoding="utf-8")
        for name in self.emoji.values():
            picture = storage.organization.custom_emoji.picture(self._tx, name)
            if picture is not None:
                self._put(f"emoji/{name}").write_bytes(picture)

    def _put(self, path: str) -> Path:
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


def _shortened(path_id: str) -> str:
    """A path id with a name that a file system accepts: 100 letters may be 400 bytes."""
    folder, separator, name = path_id.rpartition("/")
    if len(name.encode()) <= MAX_NAME_BYTES:
        return path_id
    suffix = PurePosixPath(name).suffix
    if len(suffix.encode()) > MAX_SUFFIX_BYTES:
        suffix = ""
    size = MAX_NAME_BYTES - len(suffix.encode())
    return f"{folder}{separator}{name.encode()[:size].decode(errors='ignore')}{suffix}"


def _page_name(topic: int, page: int) -> str:
    return _numbered(f"t{topic}", page)


def _numbered(name: str, page: int) -> str:
    return f"{name}.html" if page == 1 else f"{name}-{page}.html"


def _list_name(number: int) -> str:
    return "index.html" if number == 1 else f"index-{number}.html"
