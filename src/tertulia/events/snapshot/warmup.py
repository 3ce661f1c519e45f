"""What every snapshot has in common, made before anybody asks.

Each user and channel is encoded once and kept. Whoever registers first would pay for all of
them, so a job goes through them after the start and after changes, a little at a time.
"""

from collections.abc import Iterator

from tertulia import events
from tertulia.events.directory.organization import Organization


def prepare(org: Organization) -> Iterator[None]:
    """Encode one thing, and pause; whoever goes on may find the organization changed."""
    for user_id in list(org.users):
        user = org.users[user_id]
        events.snapshot.people.prepare_user(org, user)
        yield
    for channel_id in list(org.channels):
        events.types.channels.channel.opened_channel(org, org.channels[channel_id])
        events.types.channels.channel.encoded_subscribers(org, channel_id)
        yield
