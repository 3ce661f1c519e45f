"""Key rotation: encrypts all keys with another secret."""

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.storage.reencryption import CODE_APPS, DEVICES, INVITATIONS, OUTBOX, PUSH_KEYS


def reencrypt(tx: Tx, old: Vault | None, new: Vault) -> int:
    """Encrypt everything in all organizations with another secret. Returns the number of keys.

    If the old secret is lost, all users get new keys, and pending mails and invitations become
    invalid.
    """
    count = 0
    for realm in storage.organization.list_all(tx):
        here = tx.for_realm(realm.id)
        for user_id, sealed in storage.people.sealed_keys(here).items():
            key = domain.people.keys.new_key() if old is None else old.unseal(sealed)
            storage.people.set_key(here, user_id, new.fingerprint(key), new.seal(key))
            count += 1
    if old is None:
        storage.reencryption.drop_all(tx)
        return count
    for table in (OUTBOX, PUSH_KEYS, INVITATIONS, CODE_APPS, DEVICES):
        for number, sealed in storage.reencryption.sealed(tx, table).items():
            text = old.unseal(sealed)
            storage.reencryption.reseal(tx, table, number, new.seal(text))
            if table == INVITATIONS:
                found_by = actions.people.one_time_links.fingerprint(new, text)
                storage.reencryption.set_fingerprint(tx, number, found_by)
    return count
