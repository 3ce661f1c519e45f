"""Claims and outcomes of items in the outbox.

    claimed = actions.outbox.claim(tx, items)      # no other server sends them for a while
    actions.outbox.record_results(tx, done, failed)        # delete, try again later, or give up

`jobs/outbox.py` finds due items and hands them to the sender of their transport: each is sent at
least once. If no outcome is recorded within the lease, an item is sent again.
"""

from collections.abc import Sequence

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.outbox import POLICIES, OutboxItem
from tertulia.domain.people.keys import Vault


def claim(tx: Tx, items: Sequence[OutboxItem]) -> list[OutboxItem]:
    """Returns those that no other server has claimed."""
    return [
        each
        for each in items
        if storage.outbox.claim(tx, each, tx.now + POLICIES[each.transport].lease_seconds)
    ]


def record_results(
    tx: Tx, done: Sequence[OutboxItem], failed: Sequence[OutboxItem]
) -> list[OutboxItem]:
    """Delete what is done, and schedule retries. Returns the items that are given up."""
    for each in done:
        storage.outbox.delete(tx, each)
    given_up = []
    for each in failed:
        next_try = each.next_try(tx.now)
        if next_try is None:
            storage.outbox.delete(tx, each)
            given_up.append(each)
        else:
            storage.outbox.reschedule(tx, each, next_try, each.tries + 1)
    return given_up


_decode = msgspec.json.Decoder(Email).decode


def enqueue_mail(tx: Tx, vault: Vault, mail: Email) -> None:
    """Put an email into the outbox. It is sent if this transaction is committed. The caller first
    checks that the server sends mail: `config.sends_mail`."""
    storage.outbox.insert_mail(tx, mail.kind, vault.seal(msgspec.json.encode(mail).decode()))


def opened_mail(vault: Vault, item: OutboxItem) -> Email:
    assert item.sealed is not None
    return _decode(vault.unseal(item.sealed).encode())
