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

from tertulia import actions, domain, features, markdown, storage
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.files.attachments import PIECE_BYTES, MediaInfo
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NOTIFICATION_BOT, User
from tertulia.errors import StartupError
from tertulia.transfer.importing import drafts, profile_data
from tertulia.transfer.importing.account_importer import AccountImporter
from tertulia.transfer.importing.import_counts import FILES, OF_UNKNOWN_PEOPLE, ImportCounts
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.importing.message_importer import MessageImporter
from tertulia.transfer.model import (
    ImportedChannel,
    ImportedFile,
    ImportedPerson,
    ProfileData,
    Source,
)

MESSAGES_PER_BATCH = 2_000  # messages per transaction
INDEXED_PER_BATCH = 40_000
FILES_PER_BATCH, FILE_BYTES_PER_BATCH = 100, 16 << 20
AVATARS_PER_BATCH = 50

Progress = Callable[[int], None]


class AnotherImport(StartupError):
    """A different import into this organization is unfinished."""


class Importer:
    def __init__(
        self,
        database: BlockingDatabase,
        vault: Vault,
        source: Source,
        mark: str,
        *,
        is_rehearsal: bool = False,
    ) -> None:
        """A rehearsal only counts: it stores no contents of files and no search index."""
        self._is_rehearsal = is_rehearsal
        self._database = database
        self._vault = vault
        self._source = source
        self._mark = mark  # identifies the export
        self._process_id = secrets.token_hex(8)  # identifies this process
        self._state = ImportState()
        self._keeps_ids = False
        self._realm: Realm | None = None

    @property
    def realm(self) -> Realm:
        assert self._realm is not None
        return self._realm

    def run(self, name: str, subdomain: str, progress: Progress) -> ImportCounts:
        run = self._start(name, subdomain)
        if not run.is_finished:
            self._import_profiles()
            self._import_avatars()
            self._import_files()
            self._import_messages(run.messages_done, progress)
            self._write(self._finish)
        if not self._is_rehearsal:
            self._index()
        state = self._state
        return self._source.counts().with_import(
            state.imported, state.dropped, state.notes, state.lost_channels
        )

    # --- the organization ---

    def _start(self, name: str, subdomain: str) -> storage.bulk_import.Run:
        known = {
            r.subdomain: r for r in self._database.of(0).read(storage.organization.realms.list_all)
        }
        self._keeps_ids = self._source.number is not None and not set(known) - {subdomain}
        if subdomain not in known:
            self._realm = self._database.of(0).write(self._create, name, subdomain)
        else:
            self._realm = known[subdomain]
        run = self._database.of(self.realm.id).write(
            storage.bulk_import.claim, self._mark, self._process_id
        )
        if run is None or run.source != self._mark:
            raise AnotherImport(
                f"There is an organization at the subdomain '{subdomain}' already, which is not"
                " an unfinished import of this export. Choose another subdomain with --subdomain."
            )
        self._state = ImportState.from_dict(run.state)
        return run

    def _create(self, tx: Tx, name: str, subdomain: str) -> Realm:
        """Create the organization with its users and channels in one transaction."""
        people, channels = self._source.people(), self._source.channels()
        if self._keeps_ids:
            self._reserve_ids(tx, people, channels)
        realm = actions.organization.creation.create(tx, name, subdomain, with_channels=False)
        realm_tx = tx.for_realm(realm.id)
        storage.bulk_import.start_run(realm_tx, self._mark)
        storage.organization.realms.set_deactivated(realm_tx, True)
        bot = storage.people.users.find_system_bot(realm_tx, NOTIFICATION_BOT)
        assert bot is not None
        accounts = AccountImporter(
            realm_tx,
            self._state,
            self._vault,
            bot,
            keeps_ids=self._keeps_ids,
            knows_receivers=self._source.knows_receivers,
        )
        accounts.add_people(people)
        for folder in self._source.folders():
            accounts.add_folder(folder)
        for channel in channels:
            accounts.add_channel(channel)
        storage.bulk_import.store_state(realm_tx, self._state.to_dict())
        return realm

    def _reserve_ids(
        self, tx: Tx, people: list[ImportedPerson], channels: list[ImportedChannel]
    ) -> None:
        """Move our own ids behind those of the export, so that imported objects can
        keep their ids."""
        last = {
            "account": max((each.number or 0 for each in people), default=0),
            "channel": max((each.number or 0 for each in channels), default=0),
            "realm": (self._source.number or 1) - 1,
        }
        if max(last.values()) > domain.limits.MAX_ID:
            raise ValueError("an id that no database can hold")
        for table, number in last.items():
            tx.bulk.set_counter(table, number)

    # --- profile data ---

    def _import_profiles(self) -> None:
        if not self._state.has_profile_data:
            pictures = profile_data.read_emoji(self._profiles.emoji)
            channels = self._source.channels()
            self._write(
                profile_data.add, self._state, self._profiles, channels, pictures, self._bot
            )

    def _import_avatars(self) -> None:
        while some := self._profiles.avatars[self._state.avatars :][:AVATARS_PER_BATCH]:
            pictures = [(each.person, profile_data.read_avatar(each)) for each in some]
            self._write(profile_data.put_avatars, self._state, pictures)

    @cached_property
    def _profiles(self) -> ProfileData:
        return self._source.profile_data()

    @cached_property
    def _bot(self) -> User:
        bot = self._database.of(self.realm.id).read(
            storage.people.users.find_system_bot, NOTIFICATION_BOT
        )
        assert bot is not None
        return bot

    # --- files ---

    def _import_files(self) -> None:
        files = (each for each in self._source.files() if each.key not in self._state.files)
        while self._write(self._add_files, files):
            pass

    def _add_files(self, tx: Tx, files: Iterator[ImportedFile]) -> bool:
        """Import some files and store that; returns whether there may be more."""
        size = 0
        for number, file in enumerate(files, 1):
            size += self._add_file(tx, file)
            if size > FILE_BYTES_PER_BATCH or number == FILES_PER_BATCH:
                break
        else:
            number = 0
        storage.bulk_import.store_state(tx, self._state.to_dict())
        return number > 0

    def _add_file(self, tx: Tx, file: ImportedFile) -> int:
        owner_id = self._state.people.get(file.owner)
        if owner_id is None:
            self._state.drop(FILES, OF_UNKNOWN_PEOPLE)
            return 0
        upload_id = storage.files.uploads.insert(tx)
        size = 0
        with file.open() as contents:
            pieces = iter(lambda: contents.read(PIECE_BYTES), b"")
            for position, piece in enumerate(() if self._is_rehearsal else pieces):
                storage.files.uploads.add_piece(tx, upload_id, position, piece)
                size += len(piece)
        storage.files.uploads.finish(tx, upload_id)
        name = domain.files.attachments.shown_name(file.name)
        path_id = domain.files.attachments.new_path_id(tx.realm_id, name)
        if self._keeps_ids and file.path_id:
            path_id = file.path_id
        info = _media_info(file, name)
        attachment_id = storage.files.attachments.insert(
            tx, owner_id, upload_id, path_id, name, size, info
        )
        self._state.files[file.key] = [attachment_id, path_id, name]
        self._state.count(FILES)
        return size

    # --- messages ---

    def _import_messages(self, done: int, progress: Progress) -> None:
        importer = self._write(self._message_importer)
        messages = islice(self._source.messages(), done, None)
        while batch := list(islice(messages, MESSAGES_PER_BATCH)):
            done += len(batch)
            self._write(importer.write, batch, done)
            progress(done)

    def _message_importer(self, tx: Tx) -> MessageImporter:
        return MessageImporter(tx, self._state, self._keeps_ids, self._source.last_message)

    def _finish(self, tx: Tx) -> None:
        drafts.add(tx, self._state, self._profiles, self._message_importer(tx))
        storage.bulk_import.store_state(tx, self._state.to_dict())
        newest = storage.messages.table.newest_id(tx)
        storage.bulk_import.set_read_position(tx, newest)
        self._add_empty_spans(tx, newest)
        storage.bulk_import.set_first_messages(tx)
        storage.organization.realms.set_render_version(tx, markdown.VERSION)
        tx.bulk.allocate_ids("message")
        storage.bulk_import.record_done(tx, self._source.message_count, is_finished=True)
        features.deactivation.reactivate(tx)
        storage.log.delete_up_to(tx, storage.log.head(tx))
        storage.log.start_epoch(tx)

    def _add_empty_spans(self, tx: Tx, newest: int) -> None:
        """Subscribers who have received nothing get a span that begins now."""
        known = storage.bulk_import.spans(tx)
        seq = storage.log.head(tx)
        rows = [
            (tx.realm_id, channel_id, user_id, seq, newest)
            for channel_id, user_id in storage.channels.subscriptions.active_pairs(tx)
            if (user_id, channel_id) not in known
        ]
        tx.bulk.load_rows("subscription_span", storage.bulk_import.SPAN, rows)

    def _index(self) -> None:
        behind = storage.search.index.count_behind
        while self._database.of(self.realm.id).read(behind, 1):
            self._write(storage.search.batch.index_messages, INDEXED_PER_BATCH)
        while self._write(storage.search.phrase_filter.index_batch, INDEXED_PER_BATCH):
            pass
        self._database.analyze()

    # --- the rest ---

    def _write(self, action: Callable[..., Any], *args: Any) -> Any:
        """Run a step; raises an error if another process has continued the import meanwhile."""

        def step(tx: Tx) -> Any:
            if storage.bulk_import.claimed_by(tx) != self._process_id:
                raise AnotherImport("Another command continues this import.")
            return action(tx, *args)

        return self._database.of(self.realm.id).write(step)


def _media_info(file: ImportedFile, name: str) -> MediaInfo:
    info = MediaInfo(domain.files.attachments.known_type("", name))
    if info.content_type.startswith("image/"):
        with file.open() as contents:
            return domain.files.images.image_info(contents) or info
    return info
