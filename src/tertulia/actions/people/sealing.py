"""Sealing anew: another secret, the same keys."""

from tertulia import actions, events, storage
from tertulia.domain.organization.audit import Act
from tertulia.domain.people.keys import Vault
from tertulia.events.audience import Nobody
from tertulia.events.types.people.user import KeysSealedAnew
from tertulia.storage.database.tx import Tx


def seal_anew(tx: Tx, old: Vault, new: Vault, act: Act) -> int:
    """Seal everything in all organizations with another secret; gives the number of keys."""
    count = 0
    for realm in storage.organization.all_of_them(tx):
        here = tx.for_realm(realm.id)
        for user_id, sealed in storage.people.sealed_keys(here).items():
            key = old.unseal(sealed)
            storage.people.set_key(here, user_id, new.fingerprint(key), new.seal(key))
            count += 1
        events.log.announce(here, KeysSealedAnew(), to=Nobody())
        actions.organization.audit.note(here, act)
    for letter_id, sealed in storage.checking.sealed_letters(tx).items():
        storage.checking.reseal_letter(tx, letter_id, new.seal(old.unseal(sealed)))
    return count
