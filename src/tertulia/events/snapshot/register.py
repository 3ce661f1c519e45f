"""A register: reads the state of an organization for one client, and composes the answer.

It owns its query and its entry in the register cache. Everything it returns is as of one log
position, `start`, at which the client's queue begins.
"""

from typing import Any

from tertulia import storage
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.events.directory.follower import Follower
from tertulia.events.directory.log_updates import LogUpdates
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Options
from tertulia.events.snapshot import register_parts
from tertulia.events.snapshot.register_parts import View
from tertulia.events.snapshot.server_info import ServerInfo
from tertulia.events.snapshot.snapshot_data import RequestedParts, SnapshotData, SnapshotQuery
from tertulia.storage.log import Head
from tertulia.storage.messages.unread import Stored


class Register:
    def __init__(
        self,
        follower: Follower,
        org: Organization,
        user: User,
        options: Options,
        wanted: RequestedParts,
    ) -> None:
        self._follower = follower
        self._caches = follower.caches
        self._org = org
        self._user = user
        self._options = options
        self._wanted = wanted
        self._key = (org.realm.id, user.id, options.capabilities.empty_topic_name)
        self._data = SnapshotData()
        self._rules = self.start = org.position

    async def read(self, database: Database) -> None:
        """Read the database, and bring the directory to the same position.

        The caller has frozen the organization and keeps it so until `compose`. All of it waits
        meanwhile, so this read does not wait for the turn of one person.
        """
        is_applied = False
        while not is_applied:
            data, updates, head = await database.of(self._org.realm.id).read(self._read)
            is_applied = self._follower.apply_in_freeze(updates)
        self._data, self._rules, self.start = data, head.rules, head.position
        if data.unread is not None:
            locations = data.unread.locations_found()
            self._caches.locations.add_many(self._org.realm.id, self.start.seq, locations)

    @property
    def stored_unread(self) -> Stored | None:
        """The stored unread state, which may be far behind; None if it was not read."""
        return None if self._data.unread is None else self._data.unread.stored

    def compose(self, server: ServerInfo, now: float, presence_days: int | None) -> dict[str, Any]:
        """The requested parts of the state."""
        view = View(self._org, self._user, self._options, self._data, server, now, presence_days)
        state = register_parts.compose(view, self._wanted)
        cached_register = self._data.cached_register(self._rules)
        if cached_register is not None:
            self._caches.registers.put(self._key, cached_register)
        return state

    def _read(self, tx: Tx) -> tuple[SnapshotData, LogUpdates, Head]:
        head = storage.log.head_and_rules(tx)
        query = SnapshotQuery(
            tx,
            self._user.id,
            self._wanted,
            self._caches.locations,
            self._caches.registers.find(self._key),
        )
        updates = self._follower.reader.fetch_relevant(tx, head)
        return query.facts(updates.rewritten(tx.realm_id), head.rules), updates, head
