"""Conversations are found by their participants, however many there are."""

from tertulia import storage
from tertulia.database.tx import Tx

FIRST = 9_000_000_001  # as long as ids get in a very large organization


def people(tx: Tx, number: int) -> list[int]:
    ids = [FIRST + 7 * each for each in range(number)]
    columns = ("id", "realm_id", "email", "email_key", "full_name", "role", "joined_at")
    rows = [(each, tx.realm_id, f"{each}@x.org", f"{each}@x.org", "A", 400, 0.0) for each in ids]
    tx.bulk.load_rows("account", columns, rows)
    return ids


def test_a_thousand_users_can_share_a_conversation(database, realm):
    everybody = database.of(realm.id).write(people, 1000)

    begun = database.of(realm.id).write(storage.messages.conversations.get_or_start, everybody)
    again = database.of(realm.id).write(
        storage.messages.conversations.get_or_start, everybody[::-1]
    )
    fewer = database.of(realm.id).read(storage.messages.conversations.find, everybody[1:])

    assert again == begun
    assert fewer is None
