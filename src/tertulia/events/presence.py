"""Presence of an organization's users, in memory.

Changes are written to the database in batches, so a ping costs no write; a crash loses the last
moments. A change gets its number when it is written, so every server on the same database uses the
same numbers. A change without a number is always sent to clients.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import domain
from tertulia.domain.people.presence import HISTORY_DAYS, Doing, Presence
from tertulia.domain.people.user import SECONDS_PER_DAY, User
from tertulia.storage.people.presence import NumberedPresence
from tertulia.wire import Doc, any_of
from tertulia.wire_fields import AlwaysFalse

Known = Callable[[User], bool]

_encode = msgspec.json.Encoder().encode


class PresenceObject(msgspec.Struct, frozen=True):
    active_timestamp: Annotated[int, Doc("When the user was last active.")]
    idle_timestamp: Annotated[int, Doc("When the user was last connected.")]


class ClientPresence(msgspec.Struct, frozen=True, kw_only=True):
    """The presence in one client, in the older form."""

    client: Annotated[str | UnsetType, Doc("The name of the client.")] = UNSET
    status: Annotated[
        Literal["active", "idle", "offline"],
        Doc("What the user does: `active`, `idle` or `offline`."),
    ]
    timestamp: Annotated[int, Doc("The time, in UNIX seconds.")]
    pushable: AlwaysFalse | UnsetType = UNSET


Aggregated = Annotated[ClientPresence, Doc("The presence over all clients.")]
Website = Annotated[ClientPresence, Doc("The presence in the browser.")]


class PresenceByClient(msgspec.Struct, frozen=True):
    aggregated: Aggregated
    website: Website


class UserPresence(PresenceObject, frozen=True):
    """The newer and the older form together."""

    aggregated: Aggregated
    website: Website


# By user id, or in the older form by email address.
PresencesByUser = dict[str, Annotated[Any, any_of(PresenceObject, PresenceByClient)]]


class _Entry(msgspec.Struct):
    """`number` is None until the change is written; `encoded` is a member of a JSON object."""

    presence: Presence
    idle_at: float
    number: int | None
    encoded: bytes


class PresenceTable:
    def __init__(self, users: Mapping[int, User]) -> None:
        self.head = -1  # the last number that this server knows
        self.is_stale = False  # whether another server has written changes since
        self.hidden: set[int] = set()  # users who deactivated their accounts
        self._users = users
        self._entries: dict[int, _Entry] = {}  # in the order of the last change
        self._pending: dict[int, Presence] = {}

    # --- changes ---

    def touch(self, user_id: int, doing: Doing, now: float) -> tuple[Presence, bool]:
        """Record a ping. Returns whether the user came online by it."""
        known = self.find(user_id)
        if known is None:
            presence, is_news = domain.people.presence.first(doing, now), doing == "active"
        else:
            presence, is_news = known.pinged(doing, now), known.becomes_active(doing, now)
        if presence is not known:
            self._pending[user_id] = presence
            self._store(user_id, presence, None)
        return presence, is_news

    def pending(self) -> dict[int, Presence]:
        """Changes that are not written yet."""
        return dict(self._pending)

    def load(self, noted: Iterable[NumberedPresence]) -> None:
        """Apply changes that were written by this or another server, in order."""
        for each in noted:
            self.head = max(self.head, each.update_id)
            waiting = self._pending.get(each.user_id)
            if waiting is None or waiting == each.presence:
                self._pending.pop(each.user_id, None)
                self._store(each.user_id, each.presence, each.update_id)

    def delete_before(self, time: float) -> None:
        """Drop users who were last seen before a time, as the database does."""
        for user_id, entry in list(self._entries.items()):
            if entry.idle_at < time and user_id not in self._pending:
                del self._entries[user_id]

    def _store(self, user_id: int, presence: Presence, number: int | None) -> None:
        user = self._users.get(user_id)
        shown = PresenceObject(**presence.modern(user.joined_at if user else 0))
        encoded = b'"%d":%s' % (user_id, _encode(shown))
        self._entries.pop(user_id, None)
        self._entries[user_id] = _Entry(presence, presence.idle_at, number, encoded)

    # --- queries ---

    def find(self, user_id: int) -> Presence | None:
        entry = self._entries.get(user_id)
        return None if entry is None else entry.presence

    def compact(
        self, since: int | None, days: int | None, now: float, known: Known | None = None
    ) -> msgspec.Raw:
        """By user id. In a busy organization nearly every entry has changed since a client last
        asked, so each is encoded when it changes and only joined here."""
        seen = [
            self._entries[user_id].encoded
            for user_id in self._changed_users(since, days, now, known)
        ]
        return msgspec.Raw(b"{%s}" % b",".join(seen))

    def legacy(
        self, days: int | None, now: float, email_domain: str, known: Known | None = None
    ) -> dict[str, PresenceByClient]:
        """Compat: by email address, for clients that do not ask for the slim form."""
        return {
            self._users[user_id].api_email(email_domain): legacy_presence(
                self._entries[user_id].presence
            )
            for user_id in self._changed_users(None, days, now, known)
            if user_id in self._users
        }

    def _changed_users(
        self, since: int | None, days: int | None, now: float, known: Known | None
    ) -> list[int]:
        """Users who changed after a number, within so many days; the oldest change first.

        `known` says whom the viewer may know; None if they may know all users.
        """
        oldest = now - SECONDS_PER_DAY * (HISTORY_DAYS if days is None else days)
        found: list[int] = []
        if days == 0:
            return found
        after = -1 if since is None else since
        for user_id, entry in reversed(self._entries.items()):
            if entry.number is not None and entry.number <= after:
                break
            if entry.idle_at < oldest or user_id in self.hidden:
                continue
            if known is None or (user_id in self._users and known(self._users[user_id])):
                found.append(user_id)
        found.reverse()
        return found


def legacy_presence(presence: Presence) -> PresenceByClient:
    legacy = presence.legacy()
    return PresenceByClient(ClientPresence(**legacy), ClientPresence(**legacy, pushable=False))
