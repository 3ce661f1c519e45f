"""Sealing anew: another secret, the same keys. What nobody can open any more ends."""

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.storage.reencryption import CODE_APPS, DEVICES, INVITATIONS, LETTERS, PUSH_KEYS


def seal_anew(tx: Tx, old: Vault | None, new: Vault) -> int:
    """Seal everything in all organizations with another secret; gives the number of keys.

    If the old secret is lost, everybody gets a new key, and mails and invitations that are under
    way come to nothing.
    """
    count = 0
    for realm in storage.organization.all_of_them(tx):
        here = tx.for_realm(realm.id)
        for user_id, sealed in storage.people.sealed_keys(here).items():
            key = domain.people.keys.new_key() if old is None else old.unseal(sealed)
            storage.people.set_key(here, user_id, new.fingerprint(key), new.seal(key))
            count += 1
    if old is None:
        storage.reencryption.drop_all(tx)
        return count
    for table in (LETTERS, PUSH_KEYS, INVITATIONS, CODE_APPS, DEVICES):
        for number, sealed in storage.reencryption.sealed(tx, table).items():
            text = old.unseal(sealed)
            storage.reencryption.reseal(tx, table, number, new.seal(text))
            if table == INVITATIONS:
                found_by = actions.people.one_time_links.fingerprint(new, text)
                storage.reencryption.set_fingerprint(tx, number, found_by)
    return count
