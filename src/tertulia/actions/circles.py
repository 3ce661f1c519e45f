"""Circles: the people whom permissions name, read once and asked about many of them.

`rights.holds` asks the database for each person; adding a thousand people to a channel cannot.
"""

from dataclasses import dataclass

import msgspec

from tertulia.domain.groups import GroupValue, Members, holds_by_role
from tertulia.domain.users import User
from tertulia.storage import groups, realms
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class Circle:
    user_ids: set[int]
    system_groups: list[str]


class Circles:
    """The circles of one transaction, each read when it is first asked about."""

    def __init__(self, tx: Tx, now: float | None = None) -> None:
        self._tx = tx
        self._now = tx.now if now is None else now
        self._waiting_days: int = realms.current(tx).setting("waiting_period_threshold")
        self._known: dict[bytes, Circle] = {}

    def holds(self, user: User, value: GroupValue) -> bool:
        circle = self._circle(value)
        return user.id in circle.user_ids or any(
            holds_by_role(user, name, self._waiting_days, self._now)
            for name in circle.system_groups
        )

    def _circle(self, value: GroupValue) -> Circle:
        key = msgspec.json.encode(value)
        if key not in self._known:
            self._known[key] = self._read(value)
        return self._known[key]

    def _read(self, value: GroupValue) -> Circle:
        if isinstance(value, Members) and not value.direct_subgroups:
            return Circle(set(value.direct_members), [])
        named = value.direct_subgroups if isinstance(value, Members) else [value]
        listed = groups.listed_within(self._tx, named)
        if isinstance(value, Members):
            listed.update(value.direct_members)
        return Circle(listed, groups.system_groups_within(self._tx, named))
