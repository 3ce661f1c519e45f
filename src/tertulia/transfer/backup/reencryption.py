"""Re-encrypts keys after a restore or a move, because the server's secret may have changed."""

import msgspec

from tertulia import features, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault, WrongSecret


class ResealedKeys(msgspec.Struct, frozen=True):
    """How many keys were kept, re-encrypted and replaced."""

    kept: int = 0
    renewed: int = 0


def reseal(tx: Tx, ours: Vault, theirs: Vault | None) -> ResealedKeys:
    """Make every key readable with our secret.

    Keys that are encrypted with our secret stay. Keys that are encrypted with the other secret, if
    it is given, are re-encrypted. All others cannot be read, so their owners get new ones.
    """
    sealed = storage.data_check.any_sealed_key(tx)
    if sealed is None or _opens(ours, sealed):
        return ResealedKeys(kept=len(storage.data_check.keys(tx)))
    changed = features.key_rotation.reencrypt(tx, theirs, ours)
    return ResealedKeys(kept=changed) if theirs is not None else ResealedKeys(renewed=changed)


def _opens(vault: Vault, sealed: bytes) -> bool:
    try:
        vault.unseal(sealed)
    except WrongSecret:
        return False
    return True
