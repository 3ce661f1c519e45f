"""Mails: they are stored in the transaction that causes them and sent by a job.

    mail = Email("password-reset", user.email, values={"link": link})
    actions.mail_outbox.enqueue(tx, vault, mail)

`jobs/mail_sender.py` sends them at least once, after the commit. The caller first checks that the
server sends mail: `config.sends_mail`.
"""

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.outbox import OutboxItem
from tertulia.domain.people.keys import Vault

_decode = msgspec.json.Decoder(Email).decode


def enqueue(tx: Tx, vault: Vault, mail: Email) -> None:
    """Put an email into the outbox. It is sent if this transaction is committed."""
    storage.outbox.insert_mail(tx, mail.kind, vault.seal(msgspec.json.encode(mail).decode()))


def opened(vault: Vault, item: OutboxItem) -> Email:
    assert item.sealed is not None
    return _decode(vault.unseal(item.sealed).encode())
