"""Audiences: who receives an event, described in a few bytes and resolved on delivery.

An audience never lists the ten thousand subscribers of a channel; it names the channel.
`was_subscribed` says whether a user was subscribed at the moment of the event. Every audience is a
class in this file. Its tag is stored in the log.
"""

from collections.abc import Callable, Collection, Iterable
from functools import reduce
from operator import or_
from typing import ClassVar

import msgspec
from pyroaring import BitMap

from tertulia.events.directory.organization import Organization

WasSubscribed = Callable[[int], bool]


class Audience(msgspec.Struct, frozen=True, tag_field="to", omit_defaults=True):
    """`others_keep` means that data removed for this audience still exists for other users."""

    others_keep: ClassVar[bool] = False

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        raise NotImplementedError

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        """Those of the listening users who may be in the audience. This is a quick filter:
        `includes` decides."""
        return listening


class Everyone(Audience, frozen=True, tag="all"):
    """All users of the organization."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return True


class NonGuests(Audience, frozen=True, tag="non_guests"):
    """All users but guests."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return not org.users[user_id].is_guest


class AllBut(Audience, frozen=True, tag="all_but"):
    """All users but these. Excludes guests who may not know the user that the event is about."""

    ids: list[int]

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id not in self.ids


class Users(Audience, frozen=True, tag="users"):
    ids: list[int]

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id in self.ids

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        return self.ids


class Subscribers(Audience, frozen=True, tag="channel"):
    """Users who were subscribed to a channel at the moment of the event."""

    id: int

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return was_subscribed(self.id)

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        subscribers = org.subscriptions.by_channel.get(self.id) or BitMap()
        if len(subscribers) < len(listening):
            return [user_id for user_id in subscribers if user_id in listening]
        return [user_id for user_id in listening if user_id in subscribers]


class ChannelViewers(Audience, frozen=True, tag="watchers"):
    """Users who may see that a channel exists, and some who have just lost or gained access to
    it."""

    id: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id in self.also or org.may_see(user_id, self.id, was_subscribed(self.id))


class UnsubscribedViewers(Audience, frozen=True, tag="onlookers"):
    """Users who may see a channel but were not subscribed. They get the same metadata as
    subscribers."""

    id: int

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return not was_subscribed(self.id) and org.may_see(user_id, self.id, False)


class MessageHolders(Audience, frozen=True, tag="holders"):
    """Users who have messages of a channel: its subscribers, and some others who may read it."""

    id: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return was_subscribed(self.id) or (user_id in self.also and org.may_read(user_id, self.id))


class AffectedByMove(Audience, frozen=True, tag="moved"):
    """Users who may read messages that moved between channels, in the old channel or in the new
    one."""

    old: int
    new: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        if not org.channels[self.new].history_public:
            return was_subscribed(self.new)
        knew = was_subscribed(self.old) or was_subscribed(self.new) or user_id in self.also
        return knew and org.may_read(user_id, self.new)


class LostByMove(Audience, frozen=True, tag="bereft"):
    """Users who lost messages that moved to another channel.

    `people` restricts them to some of the users who had these messages; None means all.
    """

    others_keep: ClassVar[bool] = True

    old: int
    new: int
    also: list[int] = []
    people: list[int] | None = None

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        if self.people is not None and user_id not in self.people:
            return False
        if not was_subscribed(self.old) and user_id not in self.also:
            return False
        if not org.channels[self.new].history_public:
            return not was_subscribed(self.new)
        return not org.may_read(user_id, self.new)


class BotManagers(Audience, frozen=True, tag="keepers"):
    """A bot's owner at the time of the event, if it has one, and administrators."""

    owner: int | None

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id == self.owner or org.users[user_id].is_admin


class NoClients(Audience, frozen=True, tag="nobody"):
    """No client. The event only makes servers reload something."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return False

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        return ()


_decoder: msgspec.json.Decoder[Audience] = msgspec.json.Decoder(
    reduce(or_, Audience.__subclasses__())
)
decode = _decoder.decode
