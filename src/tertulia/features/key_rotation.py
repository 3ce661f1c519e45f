"""Key rotation: encrypts everything that is sealed with the server's secret with another secret."""

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault

# Tables with a column `sealed`, and their keys. The keys of accounts are in the code.
KEYS = {
    "outbox": "id",
    "push_key": "realm_id",
    "invitation": "id",
    "totp_secret": "user_id",
    "device": "id",
    "push_subscription": "id",
}


def reencrypt(tx: Tx, old: Vault | None, new: Vault) -> int:
    """Encrypt everything in all organizations with another secret. Returns the number of keys.

    If the old secret is lost, all users get new keys, and pending mails and invitations become
    invalid.
    """
    count = 0
    for realm in storage.organization.realms.list_all(tx):
        here = tx.for_realm(realm.id)
        for user_id, sealed in storage.people.users.sealed_keys(here).items():
            key = domain.people.keys.new_key() if old is None else old.unseal(sealed)
            storage.people.users.set_key(here, user_id, new.fingerprint(key), new.seal(key))
            count += 1
    if old is None:
        _delete_all(tx)
        return count
    for table, key in KEYS.items():
        for row in tx.all(f"SELECT {key} AS number, sealed FROM {table} WHERE sealed IS NOT NULL"):
            text = old.unseal(bytes(row["sealed"]))
            found_by, values = "", {"number": row["number"], "sealed": new.seal(text)}
            if table == "invitation":
                found_by = ", fingerprint = :fingerprint"
                values["fingerprint"] = actions.people.one_time_links.fingerprint(new, text)
            tx.execute(
                f"UPDATE {table} SET sealed = :sealed{found_by} WHERE {key} = :number", **values
            )
    return count


def _delete_all(tx: Tx) -> None:
    """Delete sealed data that cannot be opened any more. Devices subscribe again by themselves."""
    tx.execute("DELETE FROM outbox WHERE transport IN ('mail', 'device')")
    for table in (
        "one_time_link",
        *(each for each in KEYS if each != "outbox"),
    ):
        tx.execute(f"DELETE FROM {table}")
