"""Revoking the grants of agents."""

from collections.abc import Callable

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.grant import Grant

# What features do before a grant ends (`features/__init__.py`).
BEFORE_END: list[Callable[[Tx, Grant], None]] = []


def end(tx: Tx, grant: Grant) -> None:
    for before_end in BEFORE_END:
        before_end(tx, grant)
    storage.people.agents.delete_grant(tx, grant.id)


def end_all_of(tx: Tx, user_id: int) -> None:
    """End all grants of a user, also those whose time is over."""
    for grant in storage.people.agents.grants(tx, 0.0, user_id):
        end(tx, grant)
