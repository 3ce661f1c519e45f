"""What becomes of keys when data moves: they are sealed with a secret that may stay behind."""

import msgspec

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault, WrongSecret


class Settled(msgspec.Struct, frozen=True):
    """What was done with the keys."""

    kept: int = 0
    renewed: int = 0


def settle(tx: Tx, ours: Vault, theirs: Vault | None) -> Settled:
    """Let every key open with our secret.

    Keys that were sealed with ours stay as they are, and those sealed with a secret that came along
    are sealed anew. Without either nobody can know them, so everybody gets a new one.
    """
    sealed = storage.data_check.any_sealed_key(tx)
    if sealed is None or _opens(ours, sealed):
        return Settled(kept=len(storage.data_check.keys(tx)))
    changed = actions.people.key_rotation.seal_anew(tx, theirs, ours)
    return Settled(kept=changed) if theirs is not None else Settled(renewed=changed)


def _opens(vault: Vault, sealed: bytes) -> bool:
    try:
        vault.unseal(sealed)
    except WrongSecret:
        return False
    return True
