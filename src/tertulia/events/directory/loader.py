"""Loads the directory from the database: all of it first, then the rows that events invalidate.

The rows are read on any thread, in the transaction that reads the log. They are put into the
directory later, on the event loop.
"""

from collections.abc import Callable, Iterable

import msgspec
from msgspec import field

from tertulia import domain, storage
from tertulia.caches.encoded_records import EncodedRecordsCache
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.groups.group import Group
from tertulia.domain.messages.external_pictures import AS_IT_IS, Shown
from tertulia.domain.organization.custom_emoji import CustomEmoji
from tertulia.domain.organization.linkifiers import Linkifier
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.profile_fields import ProfileField
from tertulia.domain.people.user import User
from tertulia.domain.personal.alert_words import WatchedWord
from tertulia.events.directory.organization import Organization
from tertulia.storage.people.profile_fields import Values

NO_RECORDS = EncodedRecordsCache(0)


class Invalidated(msgspec.Struct):
    """The parts of an organization that events have changed."""

    users: set[int] = field(default_factory=set)
    channels: set[int] = field(default_factory=set)
    groups: set[int] = field(default_factory=set)
    realm: bool = False
    emoji: bool = False
    linkifiers: bool = False
    profile_fields: bool = False
    profiles: set[int] = field(default_factory=set)  # by user
    alert_words: set[int] = field(default_factory=set)  # by user
    everything: bool = False  # the event does not say which parts

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__struct_fields__)

    def add(self, other: "Invalidated") -> None:
        for name in self.__struct_fields__:
            if part := getattr(other, name):
                setattr(self, name, getattr(self, name) | part)


class Patch(msgspec.Struct):
    """Rows that were read again because an event invalidated them."""

    realm: Realm | None = None
    users: list[User] = field(default_factory=list)
    fingerprints: dict[int, bytes] = field(default_factory=dict)
    partners: dict[int, set[int]] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    emoji: list[CustomEmoji] | None = None
    linkifiers: list[Linkifier] | None = None
    profile_fields: list[ProfileField] | None = None
    profiles: dict[int, Values] = field(default_factory=dict)
    alert_words: dict[int, list[WatchedWord]] = field(default_factory=dict)

    def apply_to(self, org: Organization) -> None:
        if self.realm is not None:
            org.set_realm(self.realm)
        for user in self.users:
            org.set_user(user, self.fingerprints.get(user.id))
        org.partners.update(self.partners)
        for channel in self.channels:
            org.set_channel(channel)
        for group in self.groups:
            org.set_group(group)
        if self.emoji is not None:
            org.set_emoji(self.emoji)
        if self.linkifiers is not None:
            org.set_linkifiers(self.linkifiers)
        if self.profile_fields is not None:
            org.profiles.set_fields(self.profile_fields)
        for user_id, values in self.profiles.items():
            org.profiles.set_values(user_id, values)
        for user_id, words in self.alert_words.items():
            org.alert_words.set_words(user_id, words)


def load(
    tx: Tx,
    email_domain: str,
    clock: Callable[[], float],
    shown: Shown = AS_IT_IS,
    records: EncodedRecordsCache = NO_RECORDS,
) -> Organization:
    """Load the organization of the transaction, as of its snapshot."""
    realm, head = storage.organization.realms.current(tx), storage.log.head_and_rules(tx)
    position = head.position._replace(stamp=storage.log.stamp_at(tx, head.position.seq))
    kept = records.for_organization()
    org = Organization(
        realm,
        position,
        email_domain=email_domain,
        clock=clock,
        encoded=kept,
        shown=shown,
        rules_seq=head.rules_seq,
    )
    fingerprints = storage.people.users.fingerprints(tx)
    for user in storage.people.users.list_all(tx):
        org.set_user(user, fingerprints.get(user.id))
    for channel in storage.channels.table.list_all(tx):
        org.set_channel(channel)
    for group in storage.groups.list_all(tx):
        org.set_group(group)
    org.set_emoji(storage.organization.custom_emoji.list_all(tx))
    org.set_linkifiers(storage.organization.linkifiers.list_all(tx))
    org.profiles.set_fields(storage.people.profile_fields.list_all(tx))
    for user_id, values in storage.people.profile_fields.all_values(tx).items():
        org.profiles.set_values(user_id, values)
    org.subscriptions.set_all(storage.channels.subscriptions.active_pairs(tx))
    org.partners = _partners_of_guests(tx, org.users.values())
    for user_id, words in _alert_words(tx).items():
        org.alert_words.set_words(user_id, words)
    org.presence.load(storage.people.presence.since(tx, 0))
    return org


def read_patch(tx: Tx, touched: Invalidated) -> Patch:
    """Read the invalidated rows again."""
    patch = Patch()
    if touched.realm:
        patch.realm = storage.organization.realms.current(tx)
    if touched.users:
        ids = sorted(touched.users)
        patch.users = storage.people.users.find_many(tx, ids)
        patch.fingerprints = storage.people.users.fingerprints(tx, ids)
        patch.partners = _partners_of_guests(tx, patch.users)
    if touched.channels:
        patch.channels = storage.channels.table.find_many(tx, sorted(touched.channels))
    if touched.groups:
        patch.groups = storage.groups.list_all(tx, sorted(touched.groups))
    if touched.emoji:
        patch.emoji = storage.organization.custom_emoji.list_all(tx)
    if touched.linkifiers:
        patch.linkifiers = storage.organization.linkifiers.list_all(tx)
    if touched.profile_fields:
        patch.profile_fields = storage.people.profile_fields.list_all(tx)
    if touched.profiles:
        found = storage.people.profile_fields.all_values(tx, sorted(touched.profiles))
        patch.profiles = {user_id: found.get(user_id, {}) for user_id in touched.profiles}
    if touched.alert_words:
        words = _alert_words(tx, sorted(touched.alert_words))
        patch.alert_words = {user_id: words.get(user_id, []) for user_id in touched.alert_words}
    return patch


def _partners_of_guests(tx: Tx, people: Iterable[User]) -> dict[int, set[int]]:
    return storage.people.known_people.partners(tx, [user.id for user in people if user.is_guest])


def _alert_words(tx: Tx, user_ids: list[int] | None = None) -> dict[int, list[WatchedWord]]:
    found = storage.personal.alert_words.of_users(tx, user_ids)
    return {
        user_id: [domain.personal.alert_words.watched(word) for word in words]
        for user_id, words in found.items()
    }
