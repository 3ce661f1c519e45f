"""The directory: the state of an organization that nearly every request needs, in memory.

It follows the log and changes only on the event loop, one event at a time. A reader sees one
consistent moment between two awaits. Actions do not use it: inside a transaction only the database
knows the latest changes.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace
from pyroaring import BitMap

from tertulia import domain, markdown
from tertulia.caches.encoded_records import EncodedRecords
from tertulia.database.log_position import LogPosition
from tertulia.domain.channels.channel import AccessRule, Channel
from tertulia.domain.groups.group import REALM_PERMISSIONS, Group, GroupValue
from tertulia.domain.messages.external_pictures import AS_IT_IS, Shown
from tertulia.domain.organization.custom_emoji import CustomEmoji
from tertulia.domain.organization.linkifiers import Linkifier
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.user import Role, User
from tertulia.domain.personal.alert_words import WatchedWords
from tertulia.events.directory.accounts import Accounts, NameIndex
from tertulia.events.directory.channels_by_privacy import ChannelsByPrivacy
from tertulia.events.directory.profiles import Profiles
from tertulia.events.directory.subscriptions import SubscriptionTable
from tertulia.events.directory.user_groups import UserGroups
from tertulia.events.open_answers import OpenAnswers
from tertulia.events.presence import PresenceTable

_versions = itertools.count()

Rule = Callable[[User | None, Channel, bool, domain.channels.access.HasPermission], bool]


class Organization:
    """One organization as of the event `applied`."""

    def __init__(
        self,
        realm: Realm,
        position: LogPosition,
        *,
        email_domain: str,
        clock: Callable[[], float],
        encoded: EncodedRecords,
        shown: Shown = AS_IT_IS,
        rules_seq: int = 0,
    ) -> None:
        # Changes whenever a user or channel is sent to clients in another form.
        self.version = next(_versions)
        self.load = object()  # changes whenever the whole organization is loaded again
        self.realm = realm
        self.position = position  # the last event that is applied
        self.turned_at = position.seq  # the last event that affects the delivery of others
        self.rules_seq = rules_seq  # the last event that changed a permission
        self.email_domain = email_domain
        self.clock = clock
        self.shown = shown
        self.accounts = Accounts()
        self.users = self.accounts.by_id
        self.channels: dict[int, Channel] = {}
        self.by_privacy = ChannelsByPrivacy()
        self.user_groups = UserGroups(self.accounts, _waiting_days(realm))
        self.groups = self.user_groups.by_id
        self.system_ids = self.user_groups.system_ids
        self.emoji: dict[int, CustomEmoji] = {}
        self.emoji_sources: dict[str, str] = {}  # by name; active emoji only
        self.linkifiers: list[Linkifier] = []
        self.link_patterns: tuple[markdown.LinkPattern, ...] = ()
        self.profiles = Profiles(encoded)
        self.subscriptions = SubscriptionTable(self.accounts)
        # By guest: users they have exchanged direct messages with.
        self.partners: dict[int, set[int]] = {}
        self.alert_words = WatchedWords()
        self.presence = PresenceTable(self.users)
        self.answers = OpenAnswers()
        self.encoded = encoded
        self.channel_versions = ChannelVersions(position.seq)
        self._channel_by_name: NameIndex[str] = NameIndex()

    @property
    def applied(self) -> int:
        return self.position.seq

    @property
    def present(self) -> "Organization":
        """The current organization; a rewound copy (`events.delivery.past_directory`) returns
        another one."""
        return self

    # --- queries ---

    def channel_named(self, name: str) -> Channel | None:
        channel_id = self._channel_by_name.owner(domain.channels.topics.fold(name.strip()))
        return None if channel_id is None else self.channels[channel_id]

    # --- rules ---

    def has_permission(self, user: User, value: GroupValue, now: float) -> bool:
        """Whether a user is in the group that a permission names."""
        return domain.groups.permissions.has_permission(self.user_groups, user, value, now)

    def realm_permission(self, name: str) -> GroupValue:
        stored: GroupValue | None = self.realm.settings.get(name)
        if stored is not None:
            return stored
        return self.system_ids[REALM_PERMISSIONS[name].default]

    def may_see(
        self,
        user_id: int | None,
        channel_id: int,
        subscribed: bool | None = None,
        access_rule: AccessRule | None = None,
    ) -> bool:
        """By the current state, or by the subscription and access rule of an earlier moment."""
        return _allows(
            self, domain.channels.access.may_see, user_id, channel_id, subscribed, access_rule
        )

    def visible_channels(self, user_id: int | None) -> BitMap:
        """All channels that a user may see; for None, those that anyone may see without logging
        in."""
        user = None if user_id is None else self.users.get(user_id)
        seen = self.by_privacy.visible_to(user)
        if user is not None:
            seen |= self.subscriptions.by_user.get(user.id, BitMap())
        if user is not None and not user.is_guest:
            seen.update(each for each in self.by_privacy.all - seen if self.may_see(user.id, each))
        return seen

    def may_read(self, user_id: int | None, channel_id: int) -> bool:
        return _allows(self, domain.channels.access.may_read, user_id, channel_id)

    def may_know_all(self, viewer: User | None) -> bool:
        """Whether the viewer may know all users. Guests and anonymous viewers may know only
        some."""
        if viewer is not None and not viewer.is_guest:
            return True
        return (
            self.realm_permission(domain.people.known_people.SETTING)
            == self.system_ids["role:everyone"]
        )

    def may_know(self, viewer: User | None, user: User) -> bool:
        """Whether the viewer may know a user; `viewer` is None without a login."""
        if self.may_know_all(viewer):
            return True
        if viewer is None:
            return user.is_bot
        return domain.people.known_people.may_know(
            viewer, user, partial(_share_conversation, self, viewer.id)
        )

    def shown_user(self, user_id: int) -> User:
        """A user who becomes visible by an event."""
        return self.users[user_id]

    def filter_known(self, viewer: User | None, user_ids: Iterable[int]) -> list[int]:
        """Those of the users whom the viewer may know."""
        if self.may_know_all(viewer):
            return list(user_ids)
        return [user_id for user_id in user_ids if self.may_know(viewer, self.users[user_id])]

    # --- changes ---

    def set_realm(self, realm: Realm) -> None:
        self.version = next(_versions)
        self.realm = realm
        self.user_groups.waiting_days = _waiting_days(realm)

    def set_settings(self, values: Mapping[str, Any]) -> None:
        """Organization settings that decide what users may see."""
        if values:
            settings = self.realm.settings | dict(values)
            self.set_realm(replace(self.realm, settings=settings))

    def set_user(self, user: User, fingerprint: bytes | None) -> None:
        self.version = next(_versions)
        self.encoded.drop_user(user.id)
        known = self.users.get(user.id)
        if known is not None:
            self.presence.hidden.discard(user.id)
            if known.is_active != user.is_active:
                self.encoded.drop_channels()
        self.accounts.set_user(user, fingerprint)
        if not user.is_active:
            self.presence.hidden.add(user.id)

    def set_role(self, user_id: int, role: Role) -> None:
        user = self.users[user_id]
        if user.role != role:
            self.set_user(replace(user, role=role), self.accounts.key_of(user_id))

    def set_active(self, user_id: int, *, is_active: bool) -> None:
        user = self.users[user_id]
        if user.is_active != is_active:
            changed = replace(user, is_active=is_active)
            self.set_user(changed, self.accounts.key_of(user_id))

    def set_channel(self, channel: Channel) -> None:
        self.version = next(_versions)
        known = self.channels.get(channel.id)
        if known is not None:
            self._channel_by_name.remove(domain.channels.topics.fold(known.name), channel.id)
        self.channels[channel.id] = channel
        self.by_privacy.set_channel(channel)
        self.encoded.drop_channel(channel.id)
        self._channel_by_name.add(domain.channels.topics.fold(channel.name), channel.id)

    def set_emoji(self, all_emoji: list[CustomEmoji]) -> None:
        self.emoji = {emoji.id: emoji for emoji in all_emoji}
        self.emoji_sources = {
            emoji.name: emoji.source_url for emoji in all_emoji if not emoji.deactivated
        }

    def set_linkifiers(self, all_linkifiers: list[Linkifier]) -> None:
        self.version = next(_versions)
        self.linkifiers = all_linkifiers
        self.link_patterns = tuple(
            markdown.LinkPattern(each.id, each.rule.pattern, each.rule.url_template)
            for each in all_linkifiers
        )

    def set_group(self, group: Group) -> None:
        self.user_groups.set_group(group)
        self.encoded.drop_channels()

    def set_subscribed(
        self, channel_id: int, user_ids: Iterable[int], *, is_subscribed: bool
    ) -> None:
        self.encoded.drop_channel(channel_id)
        change = self.subscriptions.add if is_subscribed else self.subscriptions.remove
        change(channel_id, user_ids)

    def add_conversation(self, user_ids: Iterable[int]) -> None:
        """Record that users have exchanged direct messages. This matters for guests only."""
        for user_id in user_ids:
            if self.users[user_id].is_guest:
                self.partners[user_id] = self.partners.get(user_id, set()).union(user_ids)

    def replace_by(self, newer: "Organization") -> None:
        """Take over the state that was just loaded. Callers that hold this object see it too."""
        vars(self).update(vars(newer))


def _allows(
    org: Organization,
    rule: Rule,
    user_id: int | None,
    channel_id: int,
    subscribed: bool | None = None,
    access_rule: AccessRule | None = None,
) -> bool:
    channel = org.channels.get(channel_id)
    if channel is None:
        return False
    if access_rule is not None:
        channel = channel.with_access_rule(access_rule)
    user = None if user_id is None else org.users.get(user_id)
    if subscribed is None:
        subscribed = user is not None and org.subscriptions.includes(user.id, channel_id)

    def holds(value: GroupValue) -> bool:
        return user is not None and org.has_permission(user, value, org.clock())

    return rule(user, channel, subscribed, holds)


def _share_conversation(org: Organization, user_id: int, other_id: int) -> bool:
    return org.subscriptions.share_channel(user_id, other_id) or other_id in org.partners.get(
        user_id, ()
    )


def _waiting_days(realm: Realm) -> int:
    """How long a new member waits to become a full member."""
    days: int = realm.setting("waiting_period_threshold")
    return days


class ChannelVersions:
    """The last event that may have changed what a channel's public pages show: their ETag.

    After a start, all channels have the log position at which the organization was loaded.
    """

    def __init__(self, seq: int) -> None:
        self._of_all = seq
        self._by_channel: dict[int, int] = {}

    def note(self, seq: int, channel_ids: Collection[int] | None) -> None:
        """Record an event that concerns these channels; None means all of them."""
        if channel_ids is None:
            self._of_all = seq
            self._by_channel.clear()
            return
        for channel_id in channel_ids:
            self._by_channel[channel_id] = seq

    def newest(self, channel_ids: Iterable[int]) -> int:
        """The last event that concerns any of these channels."""
        known = self._by_channel
        return max((known.get(each, 0) for each in channel_ids), default=0) or self._of_all
