"""Summaries of topics: whether a channel allows them, and who may ask for one."""

from tertulia import actions, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import ChannelViewers
from tertulia.events.types.channels.channel import ChannelChanged


def allows(tx: Tx, user: User, channel_id: int) -> bool:
    """Whether a channel that the user may read allows summaries."""
    return actions.channels.readable_by(tx, user, channel_id).allows_summaries


def check(tx: Tx, user: User, channel_id: int) -> None:
    """Raise unless the user may ask for a summary of a topic of the channel."""
    channel = actions.channels.readable_by(tx, user, channel_id)
    if not storage.organization.current(tx).setting("enable_topic_summaries"):
        raise BadRequest("This organization does not allow summaries of topics.")
    if not actions.groups.permissions.has_realm_permission(tx, user, "can_summarize_topics_group"):
        raise BadRequest("You do not have permission to summarize topics.")
    if not channel.allows_summaries:
        raise BadRequest("This channel does not allow summaries of its topics.")


def set_allowed(tx: Tx, user: User, channel_id: int, allowed: bool) -> None:
    """Allow or forbid summaries, for administrators of the channel."""
    channel = actions.channels.administered_by(tx, user, channel_id)
    if channel.allows_summaries == allowed:
        return
    storage.channels.change(tx, channel.id, allows_summaries=allowed)
    update = {"property": "topic_summaries_allowed", "value": allowed}
    event = ChannelChanged(channel.id, channel.name, [update])
    events.log.announce(tx, event, to=ChannelViewers(channel.id))
