"""Values that the servers of a database share, by name."""

from tertulia.database.tx import Tx

VERSION = "version"  # of the server that last opened the data
DISK_WARNING = "disk_warning"  # when owners were last warned of a full disk
ACME_ACCOUNT = "acme_account"  # the sealed key of the account with the authority
ACME_CERTIFICATE = "acme_certificate"  # sealed, with its key
ACME_CHALLENGE = "acme_challenge"  # what the authority is checking now
SETUP_CODE = "setup_code"  # lets the operator create the first owner
LAST_BACKUP = "last_backup"  # when `tertulia backup` last ran, and with which result
LDAP_SYNC = "ldap_sync."  # and the key of a directory: its last synchronization
LAST_RUN = "last_run."  # and the name of a job: when it last ran
WRITE_PROBE = "write_probe"  # when a server last tested whether it can write


def find(tx: Tx, name: str) -> str | None:
    row = tx.one("SELECT value FROM server_note WHERE name = :name", name=name)
    return None if row is None else str(row["value"])


def with_prefix(tx: Tx, prefix: str) -> dict[str, str]:
    """Values whose name begins with a text, by the rest of the name."""
    rows = tx.all("SELECT name, value FROM server_note ORDER BY name")
    return {
        row["name"].removeprefix(prefix): row["value"]
        for row in rows
        if row["name"].startswith(prefix)
    }


def store(tx: Tx, name: str, value: str) -> None:
    tx.execute(
        "INSERT INTO server_note (name, value) VALUES (:name, :value)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name=name,
        value=value,
    )


def put_new(tx: Tx, name: str, value: str) -> None:
    """Store a value unless there is one."""
    tx.execute(
        "INSERT INTO server_note (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING",
        name=name,
        value=value,
    )


def delete(tx: Tx, name: str) -> bool:
    """Delete a value. Returns whether it was there."""
    return tx.execute("DELETE FROM server_note WHERE name = :name", name=name) > 0
