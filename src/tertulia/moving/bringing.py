"""Bringing in what an export holds: people and channels first, then files, then every message.

Messages are written by the thousand, each batch with the note of how far it has come. So an import
that was interrupted goes on where it was. Nobody is told: until it is finished, the organization is
closed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from pyroaring import BitMap64

from tertulia import actions, domain, markdown, storage
from tertulia.domain.channels.channel import COLORS, NewChannel
from tertulia.domain.files.attachments import PIECE_BYTES, Looks
from tertulia.domain.messages.emoji import UNICODE
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NOTIFICATION_BOT, BotType, User
from tertulia.errors import BadRequest, CannotStart
from tertulia.markdown import Found, LinkedChannel, MentionedUser, Settings, Upload
from tertulia.moving.arrivals import (
    NAMED,
    ArrivingChannel,
    ArrivingFile,
    ArrivingMessage,
    ArrivingPerson,
    ImportReport,
    Source,
)
from tertulia.storage.database import Database
from tertulia.storage.database.tx import Tx

AT_ONCE = 2_000  # messages in one transaction
INDEXED_AT_ONCE = 40_000
CLIENT = "imported"
UNNAMED = "Unnamed"

Progress = Callable[[int], None]


class AnotherImport(CannotStart):
    """Something else was being brought into this organization."""


@dataclass(slots=True)
class Here:
    """Under which numbers what was brought is known here."""

    people: dict[str, int] = field(default_factory=dict)
    channels: dict[str, int] = field(default_factory=dict)
    files: dict[str, list[Any]] = field(default_factory=dict)  # attachment, path and name
    brought: dict[str, int] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)

    def state(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "channels": self.channels,
            "files": self.files,
            "brought": self.brought,
            "left": self.left,
        }


class Bringing:
    def __init__(self, database: Database, vault: Vault, source: Source, mark: str) -> None:
        self._database = database
        self._vault = vault
        self._source = source
        self._mark = mark  # by which the same export is known again
        self._here = Here()
        self._report = ImportReport()
        self._keeps_ids = False
        self._realm: Realm | None = None

    @property
    def realm(self) -> Realm:
        assert self._realm is not None
        return self._realm

    def run(self, name: str, subdomain: str, progress: Progress) -> ImportReport:
        run = self._begin(name, subdomain)
        if not run.is_finished:
            self._bring_files()
            self._bring_messages(run.messages_done, progress)
            self._write(self._finish)
        self._index()
        self._report.brought.update(self._here.brought)
        self._report.left.update(self._here.left)
        self._report.left.update(self._source.left())
        return self._report

    # --- the organization ---

    def _begin(self, name: str, subdomain: str) -> storage.arriving.Run:
        known = {r.subdomain: r for r in self._database.read_now(0, _organizations)}
        self._keeps_ids = self._source.number is not None and not (
            set(known) - ({subdomain} if subdomain in known else set())
        )
        if subdomain not in known:
            self._realm = self._database.write_now(0, self._found, name, subdomain)
        else:
            self._realm = known[subdomain]
        run = self._database.read_now(self.realm.id, storage.arriving.find_run)
        if run is None or run.source != self._mark:
            raise AnotherImport(
                f"There is an organization at the subdomain '{subdomain}' already, and this export"
                " was not being brought into it. Choose another one with --subdomain."
            )
        self._here = Here(**run.state) if run.state else Here()
        return run

    def _found(self, tx: Tx, name: str, subdomain: str) -> Realm:
        """The organization with its people and channels, all at once."""
        people, channels = self._source.people(), self._source.channels()
        if self._keeps_ids:
            self._make_room(tx, people, channels)
        realm = actions.organization.create(tx, name, subdomain, with_channels=False)
        here = tx.for_realm(realm.id)
        storage.arriving.begin_run(here, self._mark)
        storage.organization.set_deactivated(here, True)
        bot = storage.people.find_system_bot(here, NOTIFICATION_BOT)
        assert bot is not None
        by_address: dict[str, int] = {}
        for person in people:
            self._add_person(here, person, bot, by_address)
        for channel in channels:
            self._add_channel(here, channel, bot)
        storage.arriving.keep_state(here, self._here.state())
        return realm

    def _make_room(
        self, tx: Tx, people: list[ArrivingPerson], channels: list[ArrivingChannel]
    ) -> None:
        """Number what is ours after what is theirs, so that theirs can keep their numbers."""
        tx.count_from("account", max((each.number or 0 for each in people), default=0))
        tx.count_from("channel", max((each.number or 0 for each in channels), default=0))
        tx.count_from("realm", (self._source.number or 1) - 1)

    def _add_person(
        self, tx: Tx, person: ArrivingPerson, bot: User, by_address: dict[str, int]
    ) -> None:
        email = _address(person)
        known = bot.id if person.is_house_bot else by_address.get(email.casefold())
        if known is not None:
            self._here.people[person.key] = known
            return
        user = storage.people.insert(
            tx,
            email=email,
            full_name=_full_name(person.name),
            role=person.role,
            bot_type=BotType.GENERIC if person.is_bot else None,
        )
        number = user.id
        if self._keeps_ids and person.number is not None:
            number = person.number
            storage.arriving.renumber(tx, "account", user.id, number)
        key = domain.people.keys.new_key()
        storage.people.set_key(tx, number, self._vault.fingerprint(key), self._vault.seal(key))
        storage.arriving.make_stub(
            tx,
            number,
            joined_at=person.joined_at or tx.now,
            timezone=person.timezone,
            is_active=person.is_active,
        )
        storage.messages.unread.store(tx, number, BitMap64(), 0)
        self._here.people[person.key] = by_address[email.casefold()] = number
        self._count("bots" if person.is_bot else "people")

    def _add_channel(self, tx: Tx, arriving: ArrivingChannel, bot: User) -> None:
        name = _free_name(tx, arriving.name)
        new = NewChannel(
            name=name,
            description=arriving.description[: domain.limits.CHANNEL_DESCRIPTION_LENGTH],
            invite_only=arriving.is_private,
            history_public=arriving.shares_history,
            is_default=arriving.is_default and not arriving.is_private,
        )
        html = markdown.render_description(new.description, Found(), Settings())
        channel = actions.channels.found(tx, bot, new, html)
        number = channel.id
        if self._keeps_ids and arriving.number is not None:
            number = arriving.number
            storage.arriving.renumber(tx, "channel", channel.id, number)
        storage.arriving.date_channel(
            tx, number, created_at=arriving.created_at or tx.now, archived=arriving.is_archived
        )
        self._here.channels[arriving.key] = number
        self._subscribe(tx, arriving, number)
        self._count("channels")

    def _subscribe(self, tx: Tx, arriving: ArrivingChannel, channel_id: int) -> None:
        """Where history is protected, spans begin with the first message that somebody has."""
        members = sorted({self._here.people[k] for k in arriving.members if k in self._here.people})
        color = COLORS[channel_id % len(COLORS)]
        rows = [(tx.realm_id, channel_id, user_id, True, color) for user_id in members]
        storage.arriving.load(tx, "subscription", storage.arriving.SUBSCRIPTION, rows)
        if arriving.shares_history or self._source.kind != "Zulip":
            spans = [(tx.realm_id, channel_id, user_id, 0, 0) for user_id in members]
            storage.arriving.load(tx, "subscription_span", storage.arriving.SPAN, spans)
        self._count("subscriptions", len(members))

    # --- files ---

    def _bring_files(self) -> None:
        for file in self._source.files():
            if file.key in self._here.files:
                continue
            owner_id = self._here.people.get(file.owner)
            if owner_id is None:
                self._leave("files of nobody who was brought")
                continue
            self._write(self._add_file, file, owner_id)

    def _add_file(self, tx: Tx, file: ArrivingFile, owner_id: int) -> None:
        upload_id = storage.files.uploads.begin(tx)
        size = 0
        with file.open() as contents:
            for position, piece in enumerate(iter(lambda: contents.read(PIECE_BYTES), b"")):
                storage.files.uploads.add_piece(tx, upload_id, position, piece)
                size += len(piece)
        storage.files.uploads.finish(tx, upload_id)
        name = domain.files.attachments.shown_name(file.name)
        path_id = domain.files.attachments.new_path_id(tx.realm_id, name)
        if self._keeps_ids and file.path_id:
            path_id = file.path_id
        looks = _looks(file, name)
        attachment_id = storage.files.attachments.insert(
            tx, owner_id, upload_id, path_id, name, size, looks
        )
        self._here.files[file.key] = [attachment_id, path_id, name]
        self._count("files")
        storage.arriving.keep_state(tx, self._here.state())

    # --- messages ---

    def _bring_messages(self, done: int, progress: Progress) -> None:
        speech = self._write(self._open_speech)
        messages = islice(self._source.messages(), done, None)
        while batch := list(islice(messages, AT_ONCE)):
            done += len(batch)
            self._write(speech.write, batch, done)
            progress(done)

    def _open_speech(self, tx: Tx) -> "Speech":
        return Speech(tx, self._here, self._keeps_ids, self._count, self._leave)

    def _finish(self, tx: Tx) -> None:
        newest = storage.messages.newest_id(tx)
        storage.arriving.caught_up(tx, newest)
        self._end_spans(tx, newest)
        storage.arriving.note_first_messages(tx)
        storage.organization.set_render_version(tx, markdown.VERSION)
        tx.number_on("message")
        storage.arriving.note_done(tx, self._source.message_count, is_finished=True)
        actions.organization.ending.reactivate(tx)
        storage.log.forget_up_to(tx, storage.log.head(tx))
        storage.log.begin_epoch(tx)

    def _end_spans(self, tx: Tx, newest: int) -> None:
        """Whoever is subscribed and has received nothing yet is so from now on."""
        known = storage.arriving.spans(tx)
        seq = storage.log.head(tx)
        rows = [
            (tx.realm_id, channel_id, user_id, seq, newest)
            for channel_id, user_id in storage.channels.subscriptions.active_pairs(tx)
            if (user_id, channel_id) not in known
        ]
        storage.arriving.load(tx, "subscription_span", storage.arriving.SPAN, rows)

    def _index(self) -> None:
        behind = storage.search.index.count_behind
        while self._database.read_now(self.realm.id, behind, 1):
            self._write(actions.messages.indexing.index_some, INDEXED_AT_ONCE)
        self._database.tidy()

    # --- the rest ---

    def _write(self, action: Callable[..., Any], *args: Any) -> Any:
        return self._database.write_now(self.realm.id, action, *args)

    def _count(self, kind: str, number: int = 1) -> None:
        self._here.brought[kind] = self._here.brought.get(kind, 0) + number

    def _leave(self, kind: str, number: int = 1) -> None:
        self._here.left[kind] = self._here.left.get(kind, 0) + number


class Speech:
    """Writes messages. What it needs to know is read once and held in memory."""

    def __init__(
        self,
        tx: Tx,
        here: Here,
        keeps_ids: bool,
        count: Callable[..., None],
        leave: Callable[..., None],
    ) -> None:
        self._here = here
        self._keeps_ids = keeps_ids
        self._count, self._leave = count, leave
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
        rows: dict[str, list[tuple[Any, ...]]] = {"message": [], "flag": [], "reaction": []}
        rows |= {"link": [], "span": []}
        touched: set[int] = set()
        for arriving, number in zip(batch, numbers, strict=True):
            if number is None:
                self._leave("messages of nobody or nowhere")
                continue
            self._add(tx, arriving, number, rows, touched)
        load = storage.arriving.load
        load(tx, "message", storage.arriving.MESSAGE, rows["message"])
        load(tx, "message_flag", storage.arriving.FLAG, rows["flag"])
        load(tx, "reaction", storage.arriving.REACTION, rows["reaction"])
        load(tx, "attachment_message", storage.arriving.LINK, rows["link"])
        load(tx, "subscription_span", storage.arriving.SPAN, rows["span"])
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
        rows: dict[str, list[tuple[Any, ...]]],
        touched: set[int],
    ) -> None:
        realm, people = tx.realm_id, self._here.people
        sender = people[arriving.sender]
        channel_id = self._here.channels[arriving.channel] if arriving.channel else None
        conversation = None if channel_id else self._conversation(tx, arriving)
        topic = arriving.topic[: domain.limits.TOPIC_LENGTH] if channel_id else ""
        content = self._in_our_words(arriving)
        rendered = markdown.render(content, self._found(content), self._settings)
        paths = [each for each in rendered.attachment_path_ids if each in self._uploads]
        rows["message"].append(
            (
                *(number, realm, sender, channel_id, channel_id, conversation),
                *(topic, domain.channels.topics.fold(topic), content, rendered.html),
                *(markdown.VERSION, CLIENT, arriving.at, arriving.edited_at, True),
                content.startswith("/me "),
                *(rendered.has_link, rendered.has_image, bool(paths)),
            )
        )
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
        self._count("messages")

    def _add_reactions(
        self,
        arriving: ArrivingMessage,
        number: int,
        realm: int,
        rows: dict[str, list[tuple[Any, ...]]],
    ) -> None:
        seen = set()
        for each in arriving.reactions:
            person = self._here.people.get(each.person)
            code = each.code or markdown.emoji_names.code_for(each.name)
            key = (person, each.type or UNICODE, code)
            if person is None or code is None or key in seen:
                self._leave("reactions with an emoji that is not known here")
                continue
            seen.add(key)
            rows["reaction"].append((realm, number, person, each.name, code, each.type or UNICODE))
            self._count("reactions")

    def _receive(
        self,
        realm: int,
        channel_id: int,
        number: int,
        receivers: list[str],
        rows: dict[str, list[tuple[Any, ...]]],
    ) -> None:
        for key in receivers:
            user_id = self._here.people.get(key)
            if user_id is not None and (user_id, channel_id) not in self._spans:
                self._spans.add((user_id, channel_id))
                rows["span"].append((realm, channel_id, user_id, 0, number - 1))

    def _conversation(self, tx: Tx, arriving: ArrivingMessage) -> int:
        members = tuple(sorted({self._here.people[key] for key in arriving.people}))
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
        if kind == "f":
            return self._name_file(key)
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


def _organizations(tx: Tx) -> list[Realm]:
    return storage.organization.all_of_them(tx)


def _address(person: ArrivingPerson) -> str:
    email = person.email.strip()
    if domain.people.user.looks_like_email(email):
        return email
    plain = "".join(c if c.isalnum() else "-" for c in person.key.lower()) or "nobody"
    return f"{plain}@imported.invalid"


def _full_name(name: str) -> str:
    plain = "".join(c for c in name if c.isprintable() and c not in '*`\\>"@|#').strip()
    try:
        return domain.people.user.checked_full_name(plain[: domain.limits.FULL_NAME_LENGTH])
    except BadRequest:
        return UNNAMED


def _free_name(tx: Tx, wanted: str) -> str:
    """A channel name that nobody has yet."""
    plain = "".join(c for c in wanted if c.isprintable()).strip()[:55] or "channel"
    taken = list(storage.channels.names(tx).values())
    name, number = plain, 2
    while domain.names.is_like_one_of(name, taken):
        name, number = f"{plain} {number}", number + 1
    return name


def _looks(file: ArrivingFile, name: str) -> Looks:
    looks = Looks(domain.files.attachments.known_type("", name))
    if looks.content_type.startswith("image/"):
        with file.open() as contents:
            return domain.files.images.looks(contents) or looks
    return looks
