"""Mail outbox: emails are stored in the transaction that causes them and sent by a job.

    actions.mail_outbox.post(tx, vault, Letter("password-reset", user.email, values={"link": link}))

`jobs/mail_sender.py` sends them at least once, after the commit. The caller first checks that the
server sends mail: `config.sends_mail`.
"""

from collections.abc import Sequence

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.emails import Letter, PostedLetter
from tertulia.domain.people.keys import Vault

AT_ONCE = 20
LEASE_SECONDS = 300.0  # how long only the server that claimed an email may send it

_decode = msgspec.json.Decoder(Letter).decode


def post(tx: Tx, vault: Vault, letter: Letter) -> None:
    """Put an email into the outbox. It is sent if this transaction is committed."""
    storage.mail_outbox.insert(tx, letter.kind, vault.seal(msgspec.json.encode(letter).decode()))


def opened(vault: Vault, posted: PostedLetter) -> Letter:
    return _decode(vault.unseal(posted.sealed).encode())


def take_due(tx: Tx) -> list[PostedLetter]:
    """Claim due emails. If no outcome is recorded within the lease, another server claims them."""
    letters = storage.mail_outbox.due(tx, AT_ONCE)
    if letters:
        storage.mail_outbox.put_off(tx, [each.id for each in letters], tx.now + LEASE_SECONDS)
    return letters


def note_outcome(
    tx: Tx,
    sent: Sequence[PostedLetter],
    failed: Sequence[PostedLetter],
    refused: Sequence[PostedLetter],
) -> list[PostedLetter]:
    """Delete sent emails and schedule retries. Returns the emails that are given up."""
    given_up = list(refused)
    for letter in failed:
        next_try = letter.next_try(tx.now)
        if next_try is None:
            given_up.append(letter)
        else:
            storage.mail_outbox.note_failure(tx, letter.id, next_try)
    for letter in [*sent, *given_up]:
        storage.mail_outbox.delete(tx, letter.id)
    return given_up
