"""Snapshot warm-up: encodes users and channels before the first register needs them.

Each is encoded once and cached. The first register would pay for all of them, so a job encodes them
after the start and after changes, a little at a time.
"""

from collections.abc import Iterator

from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot import people
from tertulia.events.types.channels import channel


def prepare(org: Organization) -> Iterator[None]:
    """Yields after each step. The organization may change between two steps."""
    for user_id in list(org.users):
        user = org.users[user_id]
        people.prepare_user(org, user)
        yield
    for channel_id in list(org.channels):
        channel.opened_channel(org, org.channels[channel_id])
        channel.encoded_subscribers(org, channel_id)
        yield
