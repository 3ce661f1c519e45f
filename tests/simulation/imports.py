"""An import beside the server: it dies with the machine, and the next life continues it.

It writes the export of a small organization into the same database, in batches.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import apsw
from tests.simulation.machine import EPOCH, Thread, sleep
from tests.simulation.server import SECRET, Server

from tertulia.database.blocking import BlockingDatabase
from tertulia.database.dialect import Dialect
from tertulia.domain.people.keys import Vault
from tertulia.errors import StartupError
from tertulia.errors.http import ServiceUnavailable
from tertulia.transfer.importing import importer
from tertulia.transfer.importing.import_counts import ImportCounts
from tertulia.transfer.model import (
    ImportedChannel,
    ImportedFile,
    ImportedFolder,
    ImportedMessage,
    ImportedPerson,
    ProfileData,
)

if TYPE_CHECKING:
    from tests.simulation.world import World

MESSAGES, BATCH_SIZE = 60, 5
SECONDS_PER_BATCH = 0.3

importer.MESSAGES_PER_BATCH = BATCH_SIZE


class Export:
    kind, name = "simulated", "Imported"
    number: int | None = None
    message_count, last_message, knows_receivers = MESSAGES, 0, False

    def people(self) -> list[ImportedPerson]:
        return [ImportedPerson("ana", "Ana", "ana@example.org")]

    def channels(self) -> list[ImportedChannel]:
        return [ImportedChannel("kitchen", "kitchen", members=("ana",))]

    def messages(self) -> Iterator[ImportedMessage]:
        for number in range(MESSAGES):
            at = EPOCH - MESSAGES + number
            yield ImportedMessage("ana", at, f"imported{number}", channel="kitchen", topic="soup")

    def folders(self) -> list[ImportedFolder]:
        return []

    def files(self) -> Iterator[ImportedFile]:
        return iter(())

    def profile_data(self) -> ProfileData:
        return ProfileData()

    def counts(self) -> ImportCounts:
        return ImportCounts()


def start(server: Server, dialect: Dialect, clock: Callable[[], float]) -> None:
    """Begin the import, or continue it. A disk that fails ends it."""

    def run() -> None:
        with contextlib.suppress(sqlite3.Error, ServiceUnavailable, StartupError):
            command = importer.Importer(
                BlockingDatabase(dialect, clock), Vault(SECRET), Export(), "simulated"
            )
            command.run("Imported", "imported", lambda done: sleep(SECONDS_PER_BATCH))

    server.host.context.copy().run(Thread(target=run, name="import").start)


def broken_laws(world: "World", connection: apsw.Connection) -> list[str]:
    """The import is finished, and has each message once and in order."""
    if not world.scenario.has_import:
        return []
    sql = "SELECT content FROM message WHERE content LIKE 'imported%' ORDER BY id"
    found = [str(content) for (content,) in connection.execute(sql)]
    if found == [each.text for each in Export().messages()]:
        return []
    return [f"the import has stored {found}"]
