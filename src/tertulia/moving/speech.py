"""Writing the messages of an export, by the thousand, as sending would have written them."""

from collections import defaultdict
from typing import Any

from tertulia import domain, markdown, storage
from tertulia.domain.limits import TOPIC_LENGTH
from tertulia.domain.messages.emoji import CUSTOM, UNICODE
from tertulia.domain.messages.message import Draft
from tertulia.markdown import Found, LinkedChannel, MentionedUser, Settings, Upload
from tertulia.moving.arrivals import NAMED, ArrivingMessage, ArrivingReaction
from tertulia.moving.here import Here
from tertulia.storage.database.tx import Tx

CLIENT = "imported"

Rows = dict[str, list[tuple[Any, ...]]]  # that hang on messages


class Speech:
    """Writes messages. What it needs to know is read once and held in memory."""

    def __init__(self, tx: Tx, here: Here, keeps_ids: bool) -> None:
        self._here = here
        self._keeps_ids = keeps_ids
        realm = storage.organization.current(tx)
        self._settings = Settings(
            default_code_language=realm.setting("default_code_block_language"),
            image_previews=realm.setting("inline_image_preview"),
        )
        users = storage.people.everyone(tx)
        self._users = {
            each.id: MentionedUser(each.id, each.full_name, each.is_active) for each in users
        }
        self._by_name = {each.full_name: self._users[each.id] for each in users}
        channels = storage.channels.everything(tx)
        self._channels = {each.id: each for each in channels}
        self._by_channel_name = {each.name: LinkedChannel(each.id, each.name) for each in channels}
        self._uploads = {path: attachment for attachment, path, _ in here.files.values()}
        self._unread = storage.arriving.unread(tx)
        self._spans = storage.arriving.spans(tx)
        self._conversations: dict[tuple[int, ...], int] = {}

    def write(self, tx: Tx, batch: list[ArrivingMessage], done: int) -> None:
        numbers = self._numbers(tx, batch)
        messages: list[dict[str, Any]] = []
        rows: Rows = defaultdict(list)
        touched: set[int] = set()
        for arriving, number in zip(batch, numbers, strict=True):
            if number is None:
                self._here.leave("messages of nobody or nowhere")
                continue
            messages.append(self._add(tx, arriving, number, rows, touched))
        storage.arriving.load_messages(tx, messages)
        tx.load_rows("message_flag", storage.arriving.FLAG, rows["flag"])
        tx.load_rows("reaction", storage.arriving.REACTION, rows["reaction"])
        tx.load_rows("attachment_message", storage.arriving.LINK, rows["link"])
        tx.load_rows("subscription_span", storage.arriving.SPAN, rows["span"])
        last = max((number for number in numbers if number is not None), default=0)
        for user_id in touched:
            storage.messages.unread.store(tx, user_id, self._unread[user_id], last)
        storage.arriving.note_done(tx, done)
        storage.arriving.keep_state(tx, self._here.state())

    def _numbers(self, tx: Tx, batch: list[ArrivingMessage]) -> list[int | None]:
        """The number of each message; None for one that has no place here."""
        good = [self._is_placed(each) for each in batch]
        if self._keeps_ids:
            return [each.number if ok else None for each, ok in zip(batch, good, strict=True)]
        fresh = iter(storage.arriving.message_numbers(tx, sum(good)))
        return [next(fresh) if ok else None for ok in good]

    def _is_placed(self, arriving: ArrivingMessage) -> bool:
        here = self._here
        if arriving.sender not in here.people:
            return False
        if arriving.channel:
            return arriving.channel in here.channels
        return bool(arriving.people) and all(key in here.people for key in arriving.people)

    def _add(
        self,
        tx: Tx,
        arriving: ArrivingMessage,
        number: int,
        rows: Rows,
        touched: set[int],
    ) -> dict[str, Any]:
        """What hangs on a message is added to the rows; given is the message itself."""
        realm, people = tx.realm_id, self._here.people
        sender = people[arriving.sender]
        channel_id = self._here.channels[arriving.channel] if arriving.channel else None
        conversation = None if channel_id else self._conversation(tx, arriving)
        topic = domain.names.cleaned(arriving.topic, TOPIC_LENGTH) if channel_id else ""
        content = self._in_our_words(arriving)
        rendered = markdown.render(content, self._found(content), self._settings)
        paths = [each for each in rendered.attachment_path_ids if each in self._uploads]
        rows["link"] += [(realm, self._uploads[path], number) for path in set(paths)]
        self._add_reactions(arriving, number, realm, rows)
        rows["flag"] += {
            (realm, people[key], flag, number) for key, flag in arriving.marks if key in people
        }
        for key in arriving.unread_by:
            if key in people and people[key] in self._unread:
                self._unread[people[key]].add(number)
                touched.add(people[key])
        if channel_id is not None and arriving.received_by is not None:
            self._receive(realm, channel_id, number, arriving.received_by, rows)
        self._here.count("messages")
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
        when = {"sent_at": arriving.at, "edited_at": arriving.edited_at}
        row = {"id": number, "realm_id": realm, **when}
        return row | storage.messages.new_row(sender, draft, channel_id, conversation, topic)

    def _add_reactions(
        self, arriving: ArrivingMessage, number: int, realm: int, rows: Rows
    ) -> None:
        seen = set()
        for each in arriving.reactions:
            person = self._here.people.get(each.person)
            code = self._emoji_code(each)
            key = (person, each.type or UNICODE, code)
            if person is None or code is None or key in seen:
                self._here.leave("reactions with an emoji that is not known here")
                continue
            seen.add(key)
            rows["reaction"].append((realm, number, person, each.name, code, each.type or UNICODE))
            self._here.count("reactions")

    def _emoji_code(self, reaction: ArrivingReaction) -> str | None:
        if reaction.type == CUSTOM:
            number = self._here.emoji.get(reaction.code)
            return None if number is None else str(number)
        return reaction.code or markdown.emoji_names.code_for(reaction.name)

    def _receive(
        self, realm: int, channel_id: int, number: int, receivers: list[str], rows: Rows
    ) -> None:
        for key in receivers:
            user_id = self._here.people.get(key)
            if user_id is not None and (user_id, channel_id) not in self._spans:
                self._spans.add((user_id, channel_id))
                rows["span"].append((realm, channel_id, user_id, 0, number - 1))

    def _conversation(self, tx: Tx, arriving: ArrivingMessage) -> int:
        members = tuple(self._here.people_of(arriving.people))
        if members not in self._conversations:
            found = storage.messages.conversations.get_or_start(tx, members)
            self._conversations[members] = found
        return self._conversations[members]

    def _in_our_words(self, arriving: ArrivingMessage) -> str:
        text = NAMED.sub(self._name, arriving.text.replace("\0", "")).strip()
        links = [self._name_file(key) for key in arriving.files]
        whole = "\n".join([text, *filter(None, links)]).strip() or "(empty)"
        return whole[: domain.limits.MESSAGE_LENGTH]

    def _name(self, match: Any) -> str:
        kind, key = match[1], match[2]
        if kind == "a":
            file = self._here.files.get(key)
            return f"/user_uploads/{key if file is None else file[1]}"
        if kind == "c":
            found = self._channels.get(self._here.channels.get(key, 0))
            return "" if found is None else f"#**{found.name}**"
        person = self._users.get(self._here.people.get(key, 0))
        if person is None:
            return "@someone"
        return f"@{'_' if kind == 'p' else ''}**{person.full_name}|{person.id}**"

    def _name_file(self, key: str) -> str:
        file = self._here.files.get(key)
        return "" if file is None else f"[{file[2]}](/user_uploads/{file[1]})"

    def _found(self, content: str) -> Found:
        wanted = markdown.scan(content)
        if not wanted:
            return Found()
        return Found(
            users_by_name={n: self._by_name[n] for n in wanted.user_names if n in self._by_name},
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
