"""Channel statistics for clients: the first message, recent activity and weekly traffic.

A job counts the traffic, so that neither a send nor a read pays for it.
"""

from typing import Any

from tertulia import domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import COUNTED_DAYS, RECENTLY_SECONDS, Channel
from tertulia.domain.people.user import SECONDS_PER_DAY
from tertulia.events.audience import ChannelViewers, UnsubscribedViewers
from tertulia.events.types.channels.channel import ChannelChanged
from tertulia.events.types.messages.edits import FirstMessageChanged


def record_message(tx: Tx, channel: Channel, message_id: int) -> None:
    """Announce a channel's first message, or its first one in a long while."""
    if not storage.channels.table.record_message(tx, channel, message_id):
        return
    if channel.first_message_id is None:
        # Subscribers receive the message itself.
        update: dict[str, Any] = {"property": "first_message_id", "value": message_id}
        event = ChannelChanged(channel.id, channel.name, [update])
        events.log.announce(tx, event, to=UnsubscribedViewers(channel.id))
    if not channel.recently_active:
        update = {"property": "is_recently_active", "value": True}
        event = ChannelChanged(channel.id, channel.name, [update])
        events.log.announce(tx, event, to=ChannelViewers(channel.id))


def find_first_message(tx: Tx, channel: Channel) -> None:
    """Find the first message again after messages were deleted or moved, and announce a change."""
    first = storage.messages.table.oldest_in_channel(tx, channel.id)
    if first != channel.first_message_id:
        storage.channels.table.set_first_message(tx, channel.id, first)
        events.log.announce(
            tx, FirstMessageChanged(channel.id, first), to=ChannelViewers(channel.id)
        )


def realms_to_count(tx: Tx) -> list[int]:
    """Organizations in which `count` has something to do."""
    return storage.channels.table.realms_with_uncounted(tx, tx.now - SECONDS_PER_DAY)


def count(tx: Tx, limit: int) -> int:
    """Count the traffic of channels that were not counted today. Returns their number."""
    waiting = storage.channels.table.longest_uncounted(tx, tx.now - SECONDS_PER_DAY, limit)
    if waiting:
        since = storage.messages.table.last_before(tx, tx.now - COUNTED_DAYS * SECONDS_PER_DAY)
        for channel in waiting:
            _count(tx, channel, since)
    return len(waiting)


def _count(tx: Tx, channel: Channel, since: int) -> None:
    age_days = int((tx.now - channel.created_at) // SECONDS_PER_DAY)
    traffic = domain.channels.channel.average_week(
        storage.messages.table.count_after(tx, channel.id, since), age_days
    )
    last = channel.last_message_at or channel.created_at
    active = tx.now - last < RECENTLY_SECONDS
    storage.channels.table.change(
        tx, channel.id, counted_at=tx.now, weekly_traffic=traffic, recently_active=active
    )
    updates: list[dict[str, Any]] = []
    if traffic != channel.weekly_traffic:
        updates.append({"property": "stream_weekly_traffic", "value": traffic})
    if active != channel.recently_active:
        updates.append({"property": "is_recently_active", "value": active})
    if updates:
        event = ChannelChanged(channel.id, channel.name, updates)
        events.log.announce(tx, event, to=ChannelViewers(channel.id))
