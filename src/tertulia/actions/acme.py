"""The certificate that ACME has issued, with its keys, shared by all servers of a database.

Keys are sealed with the server's secret. The certificate and its key are one value, so that no
server sees one without the other.
"""

import base64

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.storage.server_values import ACME_ACCOUNT, ACME_CERTIFICATE, ACME_CHALLENGE


class Issued(msgspec.Struct, frozen=True):
    host: str
    chain: str
    key: str


class PendingChallenge(msgspec.Struct, frozen=True):
    """The challenge that the authority is checking now."""

    token: str
    authorization: str


def certificate(tx: Tx, vault: Vault) -> Issued | None:
    text = _unsealed(tx, vault, ACME_CERTIFICATE)
    return None if text is None else msgspec.json.decode(text, type=Issued)


def store_certificate(tx: Tx, vault: Vault, issued: Issued) -> None:
    _seal(tx, vault, ACME_CERTIFICATE, msgspec.json.encode(issued).decode())
    storage.server_values.delete(tx, ACME_CHALLENGE)


def account_key(tx: Tx, vault: Vault, new: str) -> str:
    """The key of the account with the authority; `new` becomes it if there is none."""
    found = _unsealed(tx, vault, ACME_ACCOUNT)
    if found is None:
        _seal(tx, vault, ACME_ACCOUNT, new)
    return found or new


def set_challenge(tx: Tx, pending: PendingChallenge) -> None:
    text = msgspec.json.encode(pending).decode()
    storage.server_values.store(tx, ACME_CHALLENGE, text)


def authorization(tx: Tx, token: str) -> str | None:
    """What to answer for the token of a challenge, on any server."""
    text = storage.server_values.find(tx, ACME_CHALLENGE)
    pending = None if text is None else msgspec.json.decode(text, type=PendingChallenge)
    return pending.authorization if pending is not None and pending.token == token else None


def _seal(tx: Tx, vault: Vault, name: str, text: str) -> None:
    storage.server_values.store(tx, name, base64.b64encode(vault.seal(text)).decode())


def _unsealed(tx: Tx, vault: Vault, name: str) -> str | None:
    sealed = storage.server_values.find(tx, name)
    return None if sealed is None else vault.unseal(base64.b64decode(sealed))
