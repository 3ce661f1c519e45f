"""Bringing in what an export holds: people and channels first, then files, then every message.

Messages are written by the thousand, each batch with the note of how far it has come. So an import
that was interrupted goes on where it was. Nobody is told: until it is finished, the organization is
closed.
"""

import secrets
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from pyroaring import BitMap64

from tertulia import actions, domain, markdown, storage
from tertulia.domain.channels.channel import COLORS, NewChannel
from tertulia.domain.files.attachments import PIECE_BYTES, Looks
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NOTIFICATION_BOT, BotType, User
from tertulia.errors import BadRequest, CannotStart
from tertulia.markdown import Found, Settings
from tertulia.moving import belongings
from tertulia.moving.arrivals import (
    ArrivingChannel,
    ArrivingFile,
    ArrivingFolder,
    ArrivingPerson,
    Belongings,
    Source,
)
from tertulia.moving.here import Here
from tertulia.moving.speech import Speech
from tertulia.moving.tally import (
    BOTS,
    CHANNELS,
    DEFAULTS,
    FILES,
    FOLDERS,
    OF_OTHERS,
    PEOPLE,
    SUBSCRIPTIONS,
    TWICE,
    Tally,
)
from tertulia.storage.database import Database
from tertulia.storage.database.tx import Tx

AT_ONCE = 2_000  # messages in one transaction
INDEXED_AT_ONCE = 40_000
FILES_AT_ONCE, FILE_BYTES_AT_ONCE = 100, 16 << 20
AVATARS_AT_ONCE = 50
UNNAMED = "Unnamed"
SAME_ADDRESS = "with the address of another, who stands for both"

Progress = Callable[[int], None]


class AnotherImport(CannotStart):
    """Something else was being brought into this organization."""


class Bringing:
    def __init__(self, database: Database, vault: Vault, source: Source, mark: str) -> None:
        self._database = database
        self._vault = vault
        self._source = source
        self._mark = mark  # by which the same export is known again
        self._bringer = secrets.token_hex(8)  # that it is us, and nobody who came later
        self._here = Here()
        self._keeps_ids = False
        self._realm: Realm | None = None

    @property
    def realm(self) -> Realm:
        assert self._realm is not None
        return self._realm

    def run(self, name: str, subdomain: str, progress: Progress) -> Tally:
        run = self._begin(name, subdomain)
        if not run.is_finished:
            self._settle()
            self._bring_avatars()
            self._bring_files()
            self._bring_messages(run.messages_done, progress)
            self._write(self._finish)
        self._index()
        here = self._here
        return self._source.tally().with_import(here.brought, here.dropped, here.notes)

    # --- the organization ---

    def _begin(self, name: str, subdomain: str) -> storage.arriving.Run:
        known = {
            r.subdomain: r for r in self._database.read_now(0, storage.organization.all_of_them)
        }
        self._keeps_ids = self._source.number is not None and not set(known) - {subdomain}
        if subdomain not in known:
            self._realm = self._database.write_now(0, self._found, name, subdomain)
        else:
            self._realm = known[subdomain]
        run = self._database.write_now(
            self.realm.id, storage.arriving.take_over, self._mark, self._bringer
        )
        if run is None or run.source != self._mark:
            raise AnotherImport(
                f"There is an organization at the subdomain '{subdomain}' already, and this export"
                " was not being brought into it. Choose another one with --subdomain."
            )
        self._here = Here.of_state(run.state)
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
        for person in people:
            if person.is_bot and person.owner in self._here.people:
                bot_id, owner_id = (self._here.people[key] for key in (person.key, person.owner))
                storage.people.bots.set_owner(here, bot_id, owner_id)
        for folder in self._source.folders():
            self._add_folder(here, folder, bot)
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
        kind = BOTS if person.is_bot else PEOPLE
        known = (
            bot.id if person.is_house_bot else by_address.get(domain.people.user.email_key(email))
        )
        if known is not None:
            self._here.people[person.key] = known
            self._here.drop(kind, SAME_ADDRESS, int(not person.is_house_bot))
            return
        user = storage.people.insert(
            tx,
            email=email,
            full_name=_full_name(person.name),
            role=person.role,
            bot_type=_bot_type(person),
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
        self._here.people[person.key] = by_address[domain.people.user.email_key(email)] = number
        self._here.count(kind)

    def _add_folder(self, tx: Tx, arriving: ArrivingFolder, bot: User) -> None:
        name = domain.names.cleaned(arriving.name, domain.limits.FOLDER_NAME_LENGTH)
        taken = [each.name for each in storage.channels.folders.everything(tx) if not each.archived]
        if not name or (domain.names.is_like_one_of(name, taken) and not arriving.is_archived):
            self._here.drop(FOLDERS, "whose name cannot be used")
            return
        description = arriving.description[: domain.limits.FOLDER_DESCRIPTION_LENGTH]
        html = markdown.render_text(description, Found(), Settings())
        creator = self._here.people.get(arriving.creator, bot.id)
        folder = storage.channels.folders.insert(tx, name, description, html, creator)
        created_at = arriving.created_at or tx.now
        storage.arriving.date_folder(
            tx, folder.id, created_at=created_at, archived=arriving.is_archived
        )
        self._here.folders[arriving.key] = folder.id
        self._here.count(FOLDERS)

    def _add_channel(self, tx: Tx, arriving: ArrivingChannel, bot: User) -> None:
        name = _free_name(tx, arriving.name)
        new = NewChannel(
            name=name,
            description=arriving.description[: domain.limits.CHANNEL_DESCRIPTION_LENGTH],
            invite_only=arriving.is_private,
            is_web_public=arriving.is_web_public and not arriving.is_private,
            history_public=arriving.shares_history,
            is_default=arriving.is_default and not arriving.is_private,
            retention_days=arriving.retention_days,
            topics_policy=arriving.topics_policy,
            folder_id=self._here.folders.get(arriving.folder),
            default_push=arriving.default_push,
        )
        too_long = len(arriving.description) > len(new.description)
        self._here.note("descriptions of channels that were shortened", int(too_long))
        html = markdown.render_description(new.description, Found(), Settings())
        channel = actions.channels.found(tx, bot, new, html)
        number = channel.id
        if self._keeps_ids and arriving.number is not None:
            number = arriving.number
            storage.arriving.renumber(tx, "channel", channel.id, number)
        storage.arriving.date_channel(
            tx, number, created_at=arriving.created_at or tx.now, archived=arriving.is_archived
        )
        if arriving.creator in self._here.people:
            storage.arriving.set_creator(tx, "channel", number, self._here.people[arriving.creator])
        self._here.channels[arriving.key] = number
        self._subscribe(tx, arriving, number)
        self._here.count(CHANNELS)
        if new.is_default:
            self._here.count(DEFAULTS)
        elif arriving.is_default:
            self._here.drop(DEFAULTS, "which are private")

    def _subscribe(self, tx: Tx, arriving: ArrivingChannel, channel_id: int) -> None:
        """Where history is protected, spans begin with the first message that somebody has."""
        members = self._here.people_of(arriving.members)
        color = COLORS[channel_id % len(COLORS)]
        default = storage.arriving.CHOICES | {"color": color}
        chosen = {
            self._here.people[key]: choices
            for key, choices in arriving.choices.items()
            if key in self._here.people
        }
        rows = [
            (
                tx.realm_id,
                channel_id,
                user_id,
                True,
                *(default | {**chosen.get(user_id, {})}).values(),
            )
            for user_id in members
        ]
        tx.load_rows("subscription", storage.arriving.SUBSCRIPTION, rows)
        if arriving.shares_history or self._source.kind != "Zulip":
            spans = [(tx.realm_id, channel_id, user_id, 0, 0) for user_id in members]
            tx.load_rows("subscription_span", storage.arriving.SPAN, spans)
        known = sum(key in self._here.people for key in arriving.members)
        self._here.count(SUBSCRIPTIONS, len(members))
        self._here.drop(SUBSCRIPTIONS, TWICE, known - len(members))
        self._here.drop(SUBSCRIPTIONS, OF_OTHERS, len(arriving.members) - known)

    # --- what people have ---

    def _settle(self) -> None:
        if not self._here.is_settled:
            drawn = belongings.drawn_emoji(self._belongings.emoji)
            channels = self._source.channels()
            self._write(belongings.settle, self._here, self._belongings, channels, drawn, self._bot)

    def _bring_avatars(self) -> None:
        while some := self._belongings.avatars[self._here.avatars :][:AVATARS_AT_ONCE]:
            drawn = [(each.person, belongings.drawn_avatar(each)) for each in some]
            self._write(belongings.put_avatars, self._here, drawn)

    @cached_property
    def _belongings(self) -> Belongings:
        return self._source.belongings()

    @cached_property
    def _bot(self) -> User:
        bot = self._database.read_now(
            self.realm.id, storage.people.find_system_bot, NOTIFICATION_BOT
        )
        assert bot is not None
        return bot

    # --- files ---

    def _bring_files(self) -> None:
        files = (each for each in self._source.files() if each.key not in self._here.files)
        while self._write(self._add_files, files):
            pass

    def _add_files(self, tx: Tx, files: Iterator[ArrivingFile]) -> bool:
        """Some of them, with the note that they are here; says whether there may be more."""
        size = 0
        for number, file in enumerate(files, 1):
            size += self._add_file(tx, file)
            if size > FILE_BYTES_AT_ONCE or number == FILES_AT_ONCE:
                break
        else:
            number = 0
        storage.arriving.keep_state(tx, self._here.state())
        return number > 0

    def _add_file(self, tx: Tx, file: ArrivingFile) -> int:
        owner_id = self._here.people.get(file.owner)
        if owner_id is None:
            self._here.drop(FILES, OF_OTHERS)
            return 0
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
        self._here.count(FILES)
        return size

    # --- messages ---

    def _bring_messages(self, done: int, progress: Progress) -> None:
        speech = self._write(self._speech)
        messages = islice(self._source.messages(), done, None)
        while batch := list(islice(messages, AT_ONCE)):
            done += len(batch)
            self._write(speech.write, batch, done)
            progress(done)

    def _speech(self, tx: Tx) -> Speech:
        return Speech(tx, self._here, self._keeps_ids, self._source.last_message)

    def _finish(self, tx: Tx) -> None:
        belongings.add_writings(tx, self._here, self._belongings, self._speech(tx))
        storage.arriving.keep_state(tx, self._here.state())
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
        tx.load_rows("subscription_span", storage.arriving.SPAN, rows)

    def _index(self) -> None:
        behind = storage.search.index.count_behind
        while self._database.read_now(self.realm.id, behind, 1):
            self._write(actions.messages.indexing.index_some, INDEXED_AT_ONCE)
        while self._write(actions.messages.indexing.join_some, INDEXED_AT_ONCE):
            pass
        self._database.tidy()

    # --- the rest ---

    def _write(self, action: Callable[..., Any], *args: Any) -> Any:
        """Each step goes on from the one before, so there must be nobody else between them."""

        def step(tx: Tx) -> Any:
            if storage.arriving.bringer(tx) != self._bringer:
                raise AnotherImport("Another command has taken over and goes on with this import.")
            return action(tx, *args)

        return self._database.write_now(self.realm.id, step)


def _bot_type(person: ArrivingPerson) -> BotType | None:
    """Bots that call services come without these, as plain ones."""
    if not person.is_bot:
        return None
    return BotType.INCOMING_WEBHOOK if person.is_incoming_webhook else BotType.GENERIC


def _address(person: ArrivingPerson) -> str:
    email = person.email.strip()
    if domain.people.user.looks_like_email(email):
        return email
    plain = "".join(c if c.isalnum() else "-" for c in person.key.lower()) or "nobody"
    return f"{plain}@imported.invalid"


def _full_name(name: str) -> str:
    plain = "".join(c for c in name if c not in '*`\\>"@|#')
    short = domain.names.cleaned(plain, domain.limits.FULL_NAME_LENGTH)
    try:
        return domain.people.user.checked_full_name(short)
    except BadRequest:
        return UNNAMED


def _free_name(tx: Tx, wanted: str) -> str:
    """A channel name that nobody has yet."""
    plain = domain.names.cleaned(wanted, 55) or "channel"
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
