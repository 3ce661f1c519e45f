"""What each person has taken from the budget of new words (`domain/search/budget.py`)."""

from collections.abc import Collection, Mapping

from tertulia.database.tx import Tx
from tertulia.domain.search.budget import Spending


def of(tx: Tx, person_ids: Collection[int]) -> dict[int, Spending]:
    """The spending of those of some people who have taken anything."""
    rows = tx.tuples(
        "SELECT person_id, words, at FROM search_budget"
        " WHERE realm_id = :realm AND person_id IN :ids",
        ids=list(person_ids),
    )
    return {person_id: Spending(words, at) for person_id, words, at in rows}


def store(tx: Tx, spending: Mapping[int, Spending]) -> None:
    for person_id, spent in sorted(spending.items()):
        tx.upsert(
            "search_budget", ("realm_id", "person_id"),
            person_id=person_id, words=spent.words, at=spent.at,
        )  # fmt: skip
