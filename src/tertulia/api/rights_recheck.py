"""Checks the caller's rights again inside the transaction that writes.

Authentication uses what the server has in memory, and a request can wait or take long to arrive.
The database knows whether the caller still has the rights.
"""

from tertulia import actions
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User


def checked(plain: OrgDatabase, user: User) -> OrgDatabase:
    """The database of one organization for one caller that writes."""
    return plain.checked_by(lambda tx: check(tx, user))


def check(tx: Tx, user: User) -> None:
    """Raise if the user has lost rights, or the agent its grant."""
    actions.groups.permissions.check_role(tx, user)
    if user.grant is not None:
        actions.people.agents.check(tx, user.grant)
