"""Writes imported messages in batches, with the same rows as sending would have written."""

import re
from collections import defaultdict
from typing import Any

from tertulia import domain, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.emoji import CUSTOM, UNICODE
from tertulia.domain.limits import MAX_MESSAGE_LENGTH, MAX_TOPIC_LENGTH
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.markdown import (
    LinkedChannel,
    LinkPattern,
    MentionedGroup,
    MentionedUser,
    Resolved,
    Settings,
    Upload,
)
from tertulia.storage.channels.topics import TopicRow
from tertulia.transfer.importing import long_texts
from tertulia.transfer.importing.import_counts import (
    DUPLICATES,
    EDITS,
    MARKS,
    MESSAGES,
    NOT_DISPLAYABLE,
    OF_DROPPED_MESSAGES,
    OF_UNKNOWN_PEOPLE,
    REACTIONS,
    UNREAD,
    VOTES,
)
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.model import NAMED, ImportedEdit, ImportedMessage, ImportedReaction

CLIENT = "imported"

# Tables that refer to messages, and their columns.
DETAILS = {
    "flag": ("message_flag", storage.bulk_import.FLAG),
    "reaction": ("reaction", storage.bulk_import.REACTION),
    "link": ("attachment_message", storage.bulk_import.LINK),
    "span": ("subscription_span", storage.bulk_import.SPAN),
    "part": ("submessage", storage.bulk_import.PART),
    "edit": ("message_edit", storage.bulk_import.EDIT),
}

_VOTER = re.compile(r'("key"\s*:\s*")([0-9]+),')

Rows = dict[str, list[tuple[Any, ...]]]  # by table


class MessageImporter:
    """Writes messages. Lookup data is read once and held in memory."""

    def __init__(self, tx: Tx, state: ImportState, keeps_ids: bool, last_number: int) -> None:
        self._state = state
        self._keeps_ids = keeps_ids
        # If ids are kept, further parts of a long message get ids after all messages.
        self._further = max(last_number, storage.messages.table.newest_id(tx)) if keeps_ids else 0
        realm = storage.organization.realms.current(tx)
        self._settings = Settings(
            default_code_language=realm.setting("default_code_block_language"),
            image_previews=realm.setting("inline_image_preview"),
            linkifiers=tuple(
                LinkPattern(each.id, each.rule.pattern, each.rule.url_template)
                for each in storage.organization.linkifiers.list_all(tx)
            ),
            custom_emoji={
                each.name: each.source_url
                for each in storage.organization.custom_emoji.list_all(tx)
                if not each.deactivated
            },
        )
        users = storage.people.users.list_all(tx)
        self._users = {
            each.id: MentionedUser(each.id, each.full_name, each.is_active) for each in users
        }
        self._by_name = {each.full_name.lower(): self._users[each.id] for each in users}
        self._groups = {
            each.name: MentionedGroup(each.id, each.name) for each in storage.groups.list_all(tx)
        }
        channels = storage.channels.table.list_all(tx)
        self._channels = {each.id: each for each in channels}
        self._by_channel_name = {each.name: LinkedChannel(each.id, each.name) for each in channels}
        self._uploads = {path: attachment for attachment, path, _ in state.files.values()}
        self._unread = storage.bulk_import.unread(tx)
        self._spans = storage.bulk_import.spans(tx)
        self._conversations: dict[tuple[int, ...], int] = {}
        self._topics: dict[tuple[int, str], TopicRow] = {}

    def write(self, tx: Tx, batch: list[ImportedMessage], done: int) -> None:
        placed = [each for each in batch if self._is_placed(each)]
        for imported in batch:
            if not self._is_placed(imported):
                self._drop(imported)
        texts = [self._text_parts(each) for each in placed]
        messages: list[dict[str, Any]] = []
        rows: Rows = defaultdict(list)
        touched: set[int] = set()
        last = 0
        for imported, parts, numbers in zip(
            placed, texts, self._numbers(tx, placed, texts), strict=True
        ):
            for content, number in zip(parts, numbers, strict=True):
                messages.append(self._add(tx, imported, content, number, rows, touched))
                last = max(last, number)
            self._add_details(tx, imported, numbers[0], rows)
            self._state.count(MESSAGES)
            self._state.note("further messages, as parts of long ones", len(parts) - 1)
            self._state.note("unknown emoji names that remain in texts", imported.unknown_emoji)
        storage.bulk_import.load_messages(tx, messages)
        for kind, (table, columns) in DETAILS.items():
            tx.bulk.load_rows(table, columns, rows[kind])
        for user_id in touched:
            storage.messages.unread.store(tx, user_id, self._unread[user_id], last)
        storage.bulk_import.record_done(tx, done)
        storage.bulk_import.store_state(tx, self._state.to_dict())

    def with_names(self, text: str) -> str:
        """A text with the names that users, channels and files have here."""
        return NAMED.sub(self._name, text.replace("\0", ""))

    def draft(self, content: str) -> Draft:
        """A message that is sent later."""
        rendered = markdown.render(content, self._found(content), self._settings)
        return Draft(
            content,
            rendered.html,
            markdown.VERSION,
            CLIENT,
            read_by_sender=True,
            mentions=Mentions(
                user_ids=rendered.mentioned_user_ids,
                group_ids=rendered.mentioned_group_ids,
                channel_wildcard=rendered.mentions_channel,
                topic_wildcard=rendered.mentions_topic,
            ),
            has_link=rendered.has_link,
            has_image=rendered.has_image,
        )

    def _numbers(
        self, tx: Tx, placed: list[ImportedMessage], texts: list[list[str]]
    ) -> list[list[int]]:
        """The ids of all parts of all messages."""
        if not self._keeps_ids:
            fresh = iter(storage.bulk_import.message_numbers(tx, sum(map(len, texts))))
            return [[next(fresh) for _ in parts] for parts in texts]
        return [
            [imported.number or 0, *(self._next_extra_id() for _ in parts[1:])]
            for imported, parts in zip(placed, texts, strict=True)
        ]

    def _next_extra_id(self) -> int:
        self._further += 1
        return self._further

    def _drop(self, imported: ImportedMessage) -> None:
        """Count a message that cannot be imported, and everything that refers to it."""
        self._state.drop(MESSAGES, "of people or channels that were not imported")
        if imported.channel and imported.channel not in self._state.channels:
            place, lost = f"the channel {imported.channel}", self._state.lost_channels
            lost[place] = lost.get(place, 0) + 1
        for kind, things in (
            (REACTIONS, imported.reactions),
            (UNREAD, imported.unread_by),
            (MARKS, imported.marks),
            (VOTES, imported.parts),
            (EDITS, imported.edits),
        ):
            self._state.drop(kind, OF_DROPPED_MESSAGES, len(things))

    def _is_placed(self, imported: ImportedMessage) -> bool:
        state = self._state
        if imported.sender not in state.people:
            return False
        if imported.channel:
            return imported.channel in state.channels
        return bool(imported.people) and all(key in state.people for key in imported.people)

    def _add(
        self,
        tx: Tx,
        imported: ImportedMessage,
        content: str,
        number: int,
        rows: Rows,
        touched: set[int],
    ) -> dict[str, Any]:
        """Add the rows that every part of a message has; returns the message row."""
        realm, people = tx.realm_id, self._state.people
        sender = people[imported.sender]
        channel_id = self._state.channels[imported.channel] if imported.channel else None
        conversation = None if channel_id else self._conversation(tx, imported)
        topic = domain.names.cleaned(imported.topic, MAX_TOPIC_LENGTH) if channel_id else ""
        rendered = markdown.render(content, self._found(content), self._settings)
        paths = [each for each in rendered.attachment_path_ids if each in self._uploads]
        rows["link"] += [(realm, self._uploads[path], number) for path in set(paths)]
        for key in imported.unread_by:
            if key in people and people[key] in self._unread:
                self._unread[people[key]].add(number)
                touched.add(people[key])
        if channel_id is not None and imported.received_by is not None:
            self._add_receivers(realm, channel_id, number, imported.received_by, rows)
        draft = Draft(
            content,
            rendered.html,
            markdown.VERSION,
            CLIENT,
            read_by_sender=True,
            has_link=rendered.has_link,
            has_image=rendered.has_image,
            path_ids=tuple(paths),
        )
        moved = [each.at for each in imported.edits if each.topic is not None or each.channel]
        when = {
            "sent_at": imported.at,
            "edited_at": imported.edited_at,
            "moved_at": max(moved, default=None),
        }
        row = {"id": number, "realm_id": realm, **when}
        place = self._topic(tx, channel_id, topic) if channel_id else (None, 0)
        return row | storage.messages.table.new_row(sender, draft, channel_id, conversation, *place)

    def _topic(self, tx: Tx, channel_id: int, topic: str) -> TopicRow:
        key = (channel_id, topic)
        if key not in self._topics:
            self._topics[key] = storage.channels.topics.get_or_start(tx, channel_id, topic)
        return self._topics[key]

    def _add_details(self, tx: Tx, imported: ImportedMessage, number: int, rows: Rows) -> None:
        """Add the rows that refer to a message, or to the first part of a long one."""
        realm, people, state = tx.realm_id, self._state.people, self._state
        self._add_reactions(imported, number, realm, rows)
        marks = {(people[key], flag) for key, flag in imported.marks if key in people}
        rows["flag"] += [(realm, user_id, flag, number) for user_id, flag in marks]
        state.count(MARKS, len(marks))
        known = sum(key in people for key, _ in imported.marks)
        state.drop(MARKS, DUPLICATES, known - len(marks))
        state.drop(MARKS, OF_UNKNOWN_PEOPLE, len(imported.marks) - known)
        readers = sum(key in people and people[key] in self._unread for key in imported.unread_by)
        state.count(UNREAD, readers)
        state.drop(UNREAD, OF_UNKNOWN_PEOPLE, len(imported.unread_by) - readers)
        for part in imported.parts:
            if part.sender not in people:
                state.drop(VOTES, OF_UNKNOWN_PEOPLE)
                continue
            if not domain.messages.widgets.is_readable(part.content):
                state.drop(VOTES, NOT_DISPLAYABLE)
                continue
            content = _VOTER.sub(self._voter, part.content)
            rows["part"].append((realm, number, people[part.sender], part.type, content))
            state.count(VOTES)
        for edit in imported.edits:
            self._add_edit(edit, number, realm, rows)

    def _voter(self, match: re.Match[str]) -> str:
        """Replace the user id in the key of an option or task that a user added."""
        user_id = self._state.people.get(match[2])
        return match[0] if user_id is None else f"{match[1]}{user_id},"

    def _add_edit(self, edit: ImportedEdit, number: int, realm: int, rows: Rows) -> None:
        state = self._state
        if edit.person not in state.people:
            state.drop(EDITS, OF_UNKNOWN_PEOPLE)
            return
        content = None if edit.content is None else self.with_names(edit.content)
        html = None
        if content is not None:
            html = markdown.render(content, self._found(content), self._settings).html
        channels = [state.channels.get(key or "") for key in (edit.channel, edit.new_channel)]
        what = (content, html, edit.topic, edit.new_topic, *channels)
        rows["edit"].append((realm, number, state.people[edit.person], edit.at, *what))
        state.count(EDITS)

    def _add_reactions(
        self, imported: ImportedMessage, number: int, realm: int, rows: Rows
    ) -> None:
        seen = set()
        for each in imported.reactions:
            person = self._state.people.get(each.person)
            code = self._emoji_code(each)
            key = (person, each.type or UNICODE, code)
            if person is None:
                self._state.drop(REACTIONS, OF_UNKNOWN_PEOPLE)
                continue
            if code is None:
                self._state.drop(REACTIONS, "with an unknown emoji")
                continue
            if key in seen:
                self._state.drop(REACTIONS, DUPLICATES)
                continue
            seen.add(key)
            name = each.name
            if not each.type:
                names = markdown.emoji_names.names_for(code)
                name = name if name in names else names[0]
            rows["reaction"].append((realm, number, person, name, code, each.type or UNICODE))
            self._state.count(REACTIONS)

    def _emoji_code(self, reaction: ImportedReaction) -> str | None:
        if reaction.type == CUSTOM:
            number = self._state.emoji.get(reaction.code)
            return None if number is None else str(number)
        code = reaction.code or markdown.emoji_names.code_for(reaction.name) or ""
        if reaction.type:
            return code or None
        return code if markdown.emoji_names.names_for(code) else None

    def _add_receivers(
        self, realm: int, channel_id: int, number: int, receivers: list[str], rows: Rows
    ) -> None:
        for key in receivers:
            user_id = self._state.people.get(key)
            if user_id is not None and (user_id, channel_id) not in self._spans:
                self._spans.add((user_id, channel_id))
                rows["span"].append((realm, channel_id, user_id, 0, number - 1))

    def _conversation(self, tx: Tx, imported: ImportedMessage) -> int:
        members = tuple(self._state.people_of(imported.people))
        if members not in self._conversations:
            found = storage.messages.conversations.get_or_start(tx, members)
            self._conversations[members] = found
        return self._conversations[members]

    def _text_parts(self, imported: ImportedMessage) -> list[str]:
        """The converted text of a message, in as many parts as it needs."""
        text = self.with_names(imported.text).strip()
        links = [self._name_file(key) for key in imported.files]
        whole = "\n".join([text, *filter(None, links)]).strip() or "(empty)"
        return long_texts.split(whole, MAX_MESSAGE_LENGTH)

    def _name(self, match: Any) -> str:
        kind, (key, _, label) = match[1], match[2].partition("|")
        if kind == "a":
            file = self._state.files.get(match[2])
            return f"/user_uploads/{match[2] if file is None else file[1]}"
        if kind == "c":
            found = self._channels.get(self._state.channels.get(key, 0))
            if found is None:
                self._state.note("links to channels that were not imported")
            return f"#{label or 'unknown channel'}" if found is None else f"#**{found.name}**"
        person = self._users.get(self._state.people.get(key, 0))
        if person is None:
            self._state.note("mentions of people who were not imported")
            return f"@{label or 'someone'}"
        return f"@{'_' if kind == 'p' else ''}**{person.full_name}|{person.id}**"

    def _name_file(self, key: str) -> str:
        file = self._state.files.get(key)
        return "" if file is None else f"[{file[2]}](/user_uploads/{file[1]})"

    def _found(self, content: str) -> Resolved:
        wanted = markdown.scan(content)
        if not wanted:
            return Resolved()
        return Resolved(
            users_by_name={n: self._by_name[n] for n in wanted.user_names if n in self._by_name},
            groups={n: self._groups[n] for n in wanted.group_names if n in self._groups},
            users_by_id={n: self._users[n] for n in wanted.user_ids if n in self._users},
            channels={
                n: self._by_channel_name[n]
                for n in wanted.channel_names
                if n in self._by_channel_name
            },
            uploads={
                path: Upload(path, "application/octet-stream")
                for path in wanted.upload_path_ids
                if path in self._uploads
            },
        )
