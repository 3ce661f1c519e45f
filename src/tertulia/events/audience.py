"""Audiences: who is to hear of an event, described in a few bytes and resolved on delivery.

An audience never lists the ten thousand subscribers of a channel; it names the channel. Whether
somebody belongs to it is asked with `was_subscribed`, which answers for the moment of the event.
Every audience is a class in this file, and its tag is its word in the log.
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
    """`others_keep` says that what is gone for these people is still there for others."""

    others_keep: ClassVar[bool] = False

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        raise NotImplementedError

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        """Who of those who listen may be meant: quick and rough, `includes` has the last word."""
        return listening


class Everyone(Audience, frozen=True, tag="all"):
    """Everybody in the organization."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return True


class NonGuests(Audience, frozen=True, tag="non_guests"):
    """Everybody but guests."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return not org.users[user_id].is_guest


class AllBut(Audience, frozen=True, tag="all_but"):
    """Everybody but these: the guests who did not know somebody when something befell them."""

    ids: list[int]

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id not in self.ids


class Users(Audience, frozen=True, tag="users"):
    """These people and nobody else."""

    ids: list[int]

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id in self.ids

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        return self.ids


class Subscribers(Audience, frozen=True, tag="channel"):
    """Those who were subscribed to a channel when it happened."""

    id: int

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return was_subscribed(self.id)

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        subscribers = org.subscribers.get(self.id) or BitMap()
        if len(subscribers) < len(listening):
            return [user_id for user_id in subscribers if user_id in listening]
        return [user_id for user_id in listening if user_id in subscribers]


class ChannelViewers(Audience, frozen=True, tag="watchers"):
    """Those who may see that a channel exists, and some who have just lost or gained it."""

    id: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id in self.also or org.may_see(user_id, self.id, was_subscribed(self.id))


class UnsubscribedViewers(Audience, frozen=True, tag="onlookers"):
    """Those who may see a channel and were not in it: what its subscribers see, they are told."""

    id: int

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return not was_subscribed(self.id) and org.may_see(user_id, self.id, False)


class MessageHolders(Audience, frozen=True, tag="holders"):
    """Those who have messages of a channel: its subscribers, and some others who may read it."""

    id: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return was_subscribed(self.id) or (user_id in self.also and org.may_read(user_id, self.id))


class AffectedByMove(Audience, frozen=True, tag="moved"):
    """Those who knew messages in one channel, or now get to know them in another, and may."""

    old: int
    new: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        if not org.channels[self.new].history_public:
            return was_subscribed(self.new)
        knew = was_subscribed(self.old) or was_subscribed(self.new) or user_id in self.also
        return knew and org.may_read(user_id, self.new)


class LostByMove(Audience, frozen=True, tag="bereft"):
    """Those who had messages in one channel and lost them when they went to another.

    All of them, or those of some people who had the same messages.
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
    """Those who look after a bot: its owner at that time, if it has one, and administrators."""

    owner: int | None

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id == self.owner or org.users[user_id].is_admin


class Nobody(Audience, frozen=True, tag="nobody"):
    """No client: the event only tells the servers to look again."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return False

    def among(self, org: Organization, listening: Collection[int]) -> Iterable[int]:
        return ()


_decoder: msgspec.json.Decoder[Audience] = msgspec.json.Decoder(
    reduce(or_, Audience.__subclasses__())
)
decode = _decoder.decode
