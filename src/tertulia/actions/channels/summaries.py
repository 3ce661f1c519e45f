"""Summaries of topics: whether a channel allows them, and who may ask for one."""

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest


def allows(tx: Tx, user: User, channel_id: int) -> bool:
    """Whether a channel that the user may read allows summaries."""
    actions.channels.readable_by(tx, user, channel_id)
    return storage.channels.allows_summaries(tx, channel_id)


def check(tx: Tx, user: User, channel_id: int) -> None:
    """Raise unless the user may ask for a summary of a topic of the channel."""
    actions.channels.readable_by(tx, user, channel_id)
    if not storage.organization.current(tx).setting("enable_topic_summaries"):
        raise BadRequest("This organization does not allow summaries of topics.")
    if not actions.groups.permissions.has_realm_permission(tx, user, "can_summarize_topics_group"):
        raise BadRequest("You do not have permission to summarize topics.")
    if not storage.channels.allows_summaries(tx, channel_id):
        raise BadRequest("This channel does not allow summaries of its topics.")


def set_allowed(tx: Tx, user: User, channel_id: int, allowed: bool) -> None:
    """Allow or forbid summaries, for administrators of the channel."""
    channel = actions.channels.administered_by(tx, user, channel_id)
    storage.channels.change(tx, channel.id, allows_summaries=allowed)
