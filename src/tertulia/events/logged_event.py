"""A logged event: an event with its position in the log, its audience and its encoded bytes."""

from collections.abc import Collection
from dataclasses import dataclass, field

import msgspec

from tertulia.events.audience import (
    Audience,
    MessageHolders,
    Subscribers,
    Users,
    WasSubscribed,
)
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, PendingInfo

_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class LoggedEvent:
    """`encoded` keeps the bytes of each variant, so that a thousand queues share them."""

    realm_id: int
    seq: int
    event: Event
    audience: Audience
    stamp: int = 0  # distinguishes it from another event with the same seq in another log
    encoded: dict[object, list[bytes]] = field(default_factory=dict)
    about: PendingInfo = field(init=False)

    def __post_init__(self) -> None:
        self.about = self.event.about()

    def is_for(self, org: Organization, to: Listener, was_subscribed: WasSubscribed) -> bool:
        """Whether to deliver the event to a listener."""
        if not self.event.is_wanted_by(to):
            return False
        places = to.options.places
        if places is not None and self.about.channel_id not in places:
            return False
        if not self.audience.includes(org, to.user_id, was_subscribed):
            if not to.options.includes_public_channels:
                return False
            channel_id = self.event.public_channel_of(org)
            if channel_id is None or not org.may_read(to.user_id, channel_id):
                return False
        return not to.options.narrow or self.event.passes(org, to)

    def changed_channels(self) -> Collection[int] | None:
        """The channels whose public pages may look different after it; None means all."""
        touched = self.event.touched()
        if touched is not Event.touches and touched:
            return None
        if isinstance(self.audience, Users):
            return ()
        if isinstance(self.audience, Subscribers | MessageHolders):
            return (self.audience.id,)
        return None

    def encode_for(self, org: Organization, to: Listener) -> list[bytes]:
        """The wire events for a listener, each a JSON object that lacks only its id."""
        selects_types = to.options.event_types is not None and len(self.event.types) > 1
        variant = None if selects_types else self.event.variant(org, to)
        if variant is None:
            encoded = self._encode(org, to)
        elif variant in self.encoded:
            encoded = self.encoded[variant]
        else:
            encoded = self.encoded[variant] = self._encode(org, to)
        additions = self.event.additions(to)
        if not additions:
            return encoded
        members = _encode(additions)[1:]
        return [b"%s,%s" % (body[:-1], members) for body in encoded]

    def _encode(self, org: Organization, to: Listener) -> list[bytes]:
        return [_encode(wire) for wire in self.event.wire(org, to) if to.wants(wire.type)]
