"""Large answers: whoever asks for very much is given it, and nobody waits for that."""

import pytest
from tests.support.watch import MOST_COUNTS, WATCH, count

from tertulia import actions, storage
from tertulia.domain.messages.message import Draft
from tertulia.storage.database.tx import Tx

LONG = "All work and no play. " * 450


def says_much(tx: Tx, user_id: int, count: int) -> None:
    sender = storage.people.find(tx, user_id)
    assert sender is not None
    for _ in range(count):
        draft = Draft(LONG, f"<p>{LONG}</p>", 0, "test", False)
        actions.messages.sending.to_channel(tx, sender, "kitchen", "lunch", draft)


@pytest.mark.on_one
def test_thousands_of_long_messages_hold_nobody_up(chat):
    """However many they are, the loop is held for those that are put into the answer at once."""
    ana = chat.person("ana", channels=["kitchen"])
    chat.write(says_much, ana.id, 1000)
    WATCH.begin()

    found = ana.get("/messages", anchor="newest", num_before=5000).succeeds()

    assert len(found["messages"]) == 1000
    held, _ = WATCH.longest["loop"]
    assert held < MOST_COUNTS / 2 * count()
