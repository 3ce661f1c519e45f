"""Open invitations: events, and what ends them."""

from collections.abc import Sequence

from tertulia import events, storage
from tertulia.database.tx import Tx
from tertulia.events.audience import Users
from tertulia.events.types.people.invitations import InvitationsChanged

KEPT_SECONDS = 30 * 86400  # after their end


def announce(tx: Tx, inviters: Sequence[int]) -> None:
    """Announce a change to inviters and administrators."""
    concerned = {*inviters, *storage.people.users.active_admin_ids(tx)}
    events.log.announce(tx, InvitationsChanged(), to=Users(sorted(concerned)))


def end_of_inviter(tx: Tx, user_id: int) -> None:
    """End the invitations of a deactivated user."""
    if storage.people.invitations.expire_of_inviter(tx, user_id):
        announce(tx, [])


def end_for_address(tx: Tx, email: str) -> None:
    """End the other invitations of an address that has joined."""
    inviters = storage.people.invitations.expire_for_address(tx, email)
    if inviters:
        announce(tx, inviters)


def delete_expired(tx: Tx) -> None:
    storage.people.invitations.delete_before(tx, tx.now - KEPT_SECONDS)
