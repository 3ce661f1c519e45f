"""The budget of new words in the search index."""

import pytest

from tertulia.domain.search import budget
from tertulia.domain.search.budget import Spending

DAY = budget.SECONDS_PER_DAY
MOST = budget.MAX_NEW_WORDS_PER_DAY


@pytest.mark.parametrize(
    "new_words, new_grams, length, excess",
    [
        *((7, 0, 0, 0), (8, 0, 0, 1), (8, 0, 20, 0), (19, 0, 20, 11), (99, 0, 100, 87)),
        *((1, 14, 20, 0), (2, 60, 20, 24), (30, 0, 10_000, 0)),
    ],
)
def test_a_message_may_add_some_new_words_for_its_length(
    new_words: int, new_grams: int, length: int, excess: int
) -> None:
    assert budget.excess(new_words, new_grams, length) == excess


def test_a_budget_refills_within_a_day() -> None:
    spent = Spending().plus(MOST, at=1000.0)

    assert not spent.has_room_for(1, 1000.0)
    assert not spent.has_room_for(1, 500.0)  # an older message that was edited
    assert not spent.has_room_for(MOST // 2 + 1, 1000.0 + DAY / 2)
    assert spent.has_room_for(MOST // 2, 1000.0 + DAY / 2)
    assert spent.has_room_for(MOST, 1000.0 + DAY)
    assert not spent.has_room_for(MOST + 1, 1000.0 + 9 * DAY)
    assert spent.plus(10, 500.0) == Spending(MOST + 10, 1000.0)
