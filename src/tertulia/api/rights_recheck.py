"""Checks the caller's rights again inside the transaction that writes.

Authentication uses what the server has in memory, and a request can wait or take long to arrive.
The database knows whether the caller still has the rights.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from tertulia import actions
from tertulia.database import OrgDatabase
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User

P = ParamSpec("P")
T = TypeVar("T")


class CheckedOrgDatabase(OrgDatabase):
    """The database of one organization for one caller that writes."""

    __slots__ = ("_user",)

    def __init__(self, plain: OrgDatabase, user: User) -> None:
        super().__init__(plain._database, plain.realm_id, plain.person)
        self._user = user

    async def write(
        self, action: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        @wraps(action)
        def act(tx: Tx) -> T:
            actions.groups.permissions.check_role(tx, self._user)
            return action(tx, *args, **kwargs)

        return await super().write(act)
