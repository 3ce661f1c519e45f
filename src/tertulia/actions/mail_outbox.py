"""Letters: put into the box together with what causes them, and taken out by whoever sends them.

    actions.mail_outbox.post(tx, vault, Letter("password-reset", user.email, values={"link": link}))

Nothing is sent here. `jobs/mail_sender.py` does that, at least once, some time after the commit.
Whether the server sends mail at all is for the caller to ask first: `config.sends_mail`.
"""

from collections.abc import Sequence

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.emails import Letter, PostedLetter
from tertulia.domain.people.keys import Vault

AT_ONCE = 20
LEASE_SECONDS = 300.0  # for so long nobody else sends what one server has taken out

_decode = msgspec.json.Decoder(Letter).decode


def post(tx: Tx, vault: Vault, letter: Letter) -> None:
    """Put a letter into the box; it is sent if this transaction is committed."""
    storage.mail_outbox.insert(tx, letter.kind, vault.seal(msgspec.json.encode(letter).decode()))


def opened(vault: Vault, posted: PostedLetter) -> Letter:
    return _decode(vault.unseal(posted.sealed).encode())


def take_due(tx: Tx) -> list[PostedLetter]:
    """Take out what is due. Who does not tell what became of it, has it taken by another."""
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
    """Forget what was sent, and try again later what was not; gives what is given up."""
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
