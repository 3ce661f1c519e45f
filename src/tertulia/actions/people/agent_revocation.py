"""Revoking the grants of agents."""

from tertulia import events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.grant import Grant
from tertulia.events.audience import Users
from tertulia.events.types.later.scheduled import ScheduledMessageSaved


def end(tx: Tx, grant: Grant) -> None:
    """End a grant. What the agent has scheduled is not sent; its owner can schedule it again."""
    for entry_id in storage.later.scheduled.fail_of_grant(tx, grant.id):
        cancelled = ScheduledMessageSaved("update", entry_id)
        events.log.announce(tx, cancelled, to=Users([grant.user_id]))
    storage.people.agents.delete_grant(tx, grant.id)


def end_all_of(tx: Tx, user_id: int) -> None:
    """End all grants of a user, also those whose time is over."""
    for grant in storage.people.agents.grants(tx, 0.0, user_id):
        end(tx, grant)
