"""Recalling: an event read from the log long after is told as it was told then.

Most events hold all they tell. Those about channels also tell who was there, and to whom: the
spans of subscriptions know that of every moment. The settings of a channel are told as they are
now; the events that follow say the same.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from tertulia.events.log import Happening
from tertulia.events.types.channels import ChannelChanged
from tertulia.events.types.event import Event
from tertulia.events.types.subscriptions import Arrival, Joined, Left
from tertulia.storage import subscriptions
from tertulia.storage.subscriptions import Span
from tertulia.storage.tx import Tx


def recalled(tx: Tx, happening: Happening, user_id: int, spans: Sequence[Span]) -> Event:
    """The event with what this user is to be told of the moment it happened."""
    recall = _RECALLS.get(type(happening.event))
    if recall is None:
        return happening.event
    there = [span.channel_id for span in spans if span.covers_event(happening.seq)]
    event: Event = recall(tx, happening.event, happening.seq, user_id, there)
    return event


def _joined(tx: Tx, event: Joined, seq: int, user_id: int, there: list[int]) -> Joined:
    def with_subscribers(arrival: Arrival) -> Arrival:
        if user_id not in arrival.subscriptions:
            return arrival
        then = subscriptions.active_user_ids_at(tx, arrival.channel_id, seq)
        return replace(arrival, subscribers=then)

    return replace(
        event, arrivals=[with_subscribers(each) for each in event.arrivals], subscribed=there
    )


def _left(tx: Tx, event: Left, seq: int, user_id: int, there: list[int]) -> Left:
    return replace(event, subscribed=there)


def _changed(
    tx: Tx, event: ChannelChanged, seq: int, user_id: int, there: list[int]
) -> ChannelChanged:
    if event.before is None:
        return event
    then = subscriptions.active_user_ids_at(tx, event.channel_id, seq)
    return replace(event, subscribed=there, subscribers=then)


_RECALLS: dict[type[Event], Callable[..., Any]] = {
    ChannelChanged: _changed,
    Joined: _joined,
    Left: _left,
}
