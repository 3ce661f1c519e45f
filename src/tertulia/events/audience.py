"""Audiences: who is to hear of an event, described in a few bytes and resolved on delivery.

An audience never lists the ten thousand subscribers of a channel; it names the channel. Whether
somebody belongs to it is asked with `was_subscribed`, which answers for the moment of the event.
"""

from collections.abc import Callable

import msgspec

from tertulia.events.directory import Organization

WasSubscribed = Callable[[int], bool]


class Everyone(msgspec.Struct, frozen=True, tag="all", tag_field="to"):
    """Everybody in the organization."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return True


class NonGuests(msgspec.Struct, frozen=True, tag="non_guests", tag_field="to"):
    """Everybody but guests."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return not org.users[user_id].is_guest


class AllBut(msgspec.Struct, frozen=True, tag="all_but", tag_field="to"):
    """Everybody but these: the guests who did not know somebody when something befell them."""

    ids: list[int]

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id not in self.ids


class Users(msgspec.Struct, frozen=True, tag="users", tag_field="to"):
    """These people and nobody else."""

    ids: list[int]

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id in self.ids


class Subscribers(msgspec.Struct, frozen=True, tag="channel", tag_field="to"):
    """Those who were subscribed to a channel when it happened."""

    id: int

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return was_subscribed(self.id)


class Watchers(msgspec.Struct, frozen=True, tag="watchers", tag_field="to", omit_defaults=True):
    """Those who may see that a channel exists, and some who have just lost or gained it."""

    id: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id in self.also or org.may_see(user_id, self.id, was_subscribed(self.id))


class Onlookers(msgspec.Struct, frozen=True, tag="onlookers", tag_field="to"):
    """Those who may see a channel and were not in it: what its subscribers see, they are told."""

    id: int

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return not was_subscribed(self.id) and org.may_see(user_id, self.id, False)


class Holders(msgspec.Struct, frozen=True, tag="holders", tag_field="to", omit_defaults=True):
    """Those who have messages of a channel: its subscribers, and some others who may read it."""

    id: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return was_subscribed(self.id) or (user_id in self.also and org.may_read(user_id, self.id))


class Followers(msgspec.Struct, frozen=True, tag="moved", tag_field="to", omit_defaults=True):
    """Those who knew messages in one channel, or now get to know them in another, and may."""

    old: int
    new: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        if not org.channels[self.new].history_public:
            return was_subscribed(self.new)
        knew = was_subscribed(self.old) or was_subscribed(self.new) or user_id in self.also
        return knew and org.may_read(user_id, self.new)


class Bereft(msgspec.Struct, frozen=True, tag="bereft", tag_field="to", omit_defaults=True):
    """Those who had messages in one channel and lost them when they went to another."""

    old: int
    new: int
    also: list[int] = []

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        if not was_subscribed(self.old) and user_id not in self.also:
            return False
        if not org.channels[self.new].history_public:
            return not was_subscribed(self.new)
        return not org.may_read(user_id, self.new)


class Keepers(msgspec.Struct, frozen=True, tag="keepers", tag_field="to"):
    """Those who look after a bot: its owner at that time, if it has one, and administrators."""

    owner: int | None

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return user_id == self.owner or org.users[user_id].is_admin


class Nobody(msgspec.Struct, frozen=True, tag="nobody", tag_field="to"):
    """No client: the event only tells the servers to look again."""

    def includes(self, org: Organization, user_id: int, was_subscribed: WasSubscribed) -> bool:
        return False


Audience = (
    Everyone
    | NonGuests
    | AllBut
    | Users
    | Subscribers
    | Watchers
    | Onlookers
    | Holders
    | Followers
    | Bereft
    | Keepers
    | Nobody
)

decode = msgspec.json.Decoder(Audience).decode
