"""Imports an export: first users and channels, then files, then messages.

Messages are written in batches, and each batch stores the position, so an interrupted import
continues where it stopped. No events are sent: until the import is finished, the organization is
closed.
"""

import secrets
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from tertulia import actions, domain, markdown, storage
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES, MediaInfo
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NOTIFICATION_BOT, User
from tertulia.errors import StartupError
from tertulia.transfer.importing import drafts, profile_data
from tertulia.transfer.importing.account_matching import Newcomers
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.importing.message_importer import MessageImporter
from tertulia.transfer.importing.tally import FILES, OF_OTHERS, Tally
from tertulia.transfer.model import (
    ArrivingChannel,
    ArrivingFile,
    ArrivingPerson,
    ProfileData,
    Source,
)

AT_ONCE = 2_000  # messages per transaction
INDEXED_AT_ONCE = 40_000
FILES_AT_ONCE, FILE_BYTES_AT_ONCE = 100, 16 << 20
AVATARS_AT_ONCE = 50

Progress = Callable[[int], None]


class AnotherImport(StartupError):
    """A different import into this organization is unfinished."""


class Importer:
    def __init__(self, database: Database, vault: Vault, source: Source, mark: str) -> None:
        self._database = database
        self._vault = vault
        self._source = source
        self._mark = mark  # identifies the export
        self._bringer = secrets.token_hex(8)  # identifies this process
        self._here = ImportState()
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

    def _begin(self, name: str, subdomain: str) -> storage.bulk_import.Run:
        known = {r.subdomain: r for r in self._database.read_now(0, storage.organization.list_all)}
        self._keeps_ids = self._source.number is not None and not set(known) - {subdomain}
        if subdomain not in known:
            self._realm = self._database.write_now(0, self._found, name, subdomain)
        else:
            self._realm = known[subdomain]
        run = self._database.write_now(
            self.realm.id, storage.bulk_import.claim, self._mark, self._bringer
        )
        if run is None or run.source != self._mark:
            raise AnotherImport(
                f"There is an organization at the subdomain '{subdomain}' already, which is not"
                " an unfinished import of this export. Choose another subdomain with --subdomain."
            )
        self._here = ImportState.of_state(run.state)
        return run

    def _found(self, tx: Tx, name: str, subdomain: str) -> Realm:
        """Create the organization with its users and channels in one transaction."""
        people, channels = self._source.people(), self._source.channels()
        if self._keeps_ids:
            self._make_room(tx, people, channels)
        realm = actions.organization.create(tx, name, subdomain, with_channels=False)
        here = tx.for_realm(realm.id)
        storage.bulk_import.start_run(here, self._mark)
        storage.organization.set_deactivated(here, True)
        bot = storage.people.find_system_bot(here, NOTIFICATION_BOT)
        assert bot is not None
        newcomers = Newcomers(
            here,
            self._here,
            self._vault,
            bot,
            keeps_ids=self._keeps_ids,
            knows_receivers=self._source.kind == "Zulip",
        )
        newcomers.add_people(people)
        for folder in self._source.folders():
            newcomers.add_folder(folder)
        for channel in channels:
            newcomers.add_channel(channel)
        storage.bulk_import.store_state(here, self._here.state())
        return realm

    def _make_room(
        self, tx: Tx, people: list[ArrivingPerson], channels: list[ArrivingChannel]
    ) -> None:
        """Move our own ids behind those of the export, so that imported objects can
        keep their ids."""
        tx.count_from("account", max((each.number or 0 for each in people), default=0))
        tx.count_from("channel", max((each.number or 0 for each in channels), default=0))
        tx.count_from("realm", (self._source.number or 1) - 1)

    # --- profile data ---

    def _settle(self) -> None:
        if not self._here.is_settled:
            drawn = profile_data.drawn_emoji(self._belongings.emoji)
            channels = self._source.channels()
            self._write(
                profile_data.settle, self._here, self._belongings, channels, drawn, self._bot
            )

    def _bring_avatars(self) -> None:
        while some := self._belongings.avatars[self._here.avatars :][:AVATARS_AT_ONCE]:
            drawn = [(each.person, profile_data.drawn_avatar(each)) for each in some]
            self._write(profile_data.put_avatars, self._here, drawn)

    @cached_property
    def _belongings(self) -> ProfileData:
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
        """Import some files and store that; returns whether there may be more."""
        size = 0
        for number, file in enumerate(files, 1):
            size += self._add_file(tx, file)
            if size > FILE_BYTES_AT_ONCE or number == FILES_AT_ONCE:
                break
        else:
            number = 0
        storage.bulk_import.store_state(tx, self._here.state())
        return number > 0

    def _add_file(self, tx: Tx, file: ArrivingFile) -> int:
        owner_id = self._here.people.get(file.owner)
        if owner_id is None:
            self._here.drop(FILES, OF_OTHERS)
            return 0
        upload_id = storage.files.uploads.insert(tx)
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
        looks = _media_info(file, name)
        attachment_id = storage.files.attachments.insert(
            tx, owner_id, upload_id, path_id, name, size, looks
        )
        self._here.files[file.key] = [attachment_id, path_id, name]
        self._here.count(FILES)
        return size

    # --- messages ---

    def _bring_messages(self, done: int, progress: Progress) -> None:
        speech = self._write(self._message_importer)
        messages = islice(self._source.messages(), done, None)
        while batch := list(islice(messages, AT_ONCE)):
            done += len(batch)
            self._write(speech.write, batch, done)
            progress(done)

    def _message_importer(self, tx: Tx) -> MessageImporter:
        return MessageImporter(tx, self._here, self._keeps_ids, self._source.last_message)

    def _finish(self, tx: Tx) -> None:
        drafts.add(tx, self._here, self._belongings, self._message_importer(tx))
        storage.bulk_import.store_state(tx, self._here.state())
        newest = storage.messages.newest_id(tx)
        storage.bulk_import.mark_caught_up(tx, newest)
        self._end_spans(tx, newest)
        storage.bulk_import.set_first_messages(tx)
        storage.organization.set_render_version(tx, markdown.VERSION)
        tx.allocate_ids("message")
        storage.bulk_import.record_done(tx, self._source.message_count, is_finished=True)
        actions.organization.deactivation.reactivate(tx)
        storage.log.delete_up_to(tx, storage.log.head(tx))
        storage.log.start_epoch(tx)

    def _end_spans(self, tx: Tx, newest: int) -> None:
        """Subscribers who have received nothing get a span that begins now."""
        known = storage.bulk_import.spans(tx)
        seq = storage.log.head(tx)
        rows = [
            (tx.realm_id, channel_id, user_id, seq, newest)
            for channel_id, user_id in storage.channels.subscriptions.active_pairs(tx)
            if (user_id, channel_id) not in known
        ]
        tx.load_rows("subscription_span", storage.bulk_import.SPAN, rows)

    def _index(self) -> None:
        behind = storage.search.index.count_behind
        while self._database.read_now(self.realm.id, behind, 1):
            self._write(actions.messages.search_index.index_messages, INDEXED_AT_ONCE)
        while self._write(actions.messages.search_index.index_batch, INDEXED_AT_ONCE):
            pass
        self._database.analyze()

    # --- the rest ---

    def _write(self, action: Callable[..., Any], *args: Any) -> Any:
        """Run a step; raises an error if another process has continued the import meanwhile."""

        def step(tx: Tx) -> Any:
            if storage.bulk_import.bringer(tx) != self._bringer:
                raise AnotherImport("Another command continues this import.")
            return action(tx, *args)

        return self._database.write_now(self.realm.id, step)


def _media_info(file: ArrivingFile, name: str) -> MediaInfo:
    looks = MediaInfo(domain.files.attachments.known_type("", name))
    if looks.content_type.startswith("image/"):
        with file.open() as contents:
            return domain.files.images.image_info(contents) or looks
    return looks
