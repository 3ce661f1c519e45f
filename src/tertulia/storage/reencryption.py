"""Data sealed with the server's secret, besides the keys of accounts, in all organizations."""

from tertulia.database.tx import Tx

# Tables with a column `sealed`, and their key columns.
OUTBOX, PUSH_KEYS, INVITATIONS, CODE_APPS = "outbox", "push_key", "invitation", "totp_secret"
DEVICES = "device"
_KEYS = {
    OUTBOX: "id",
    PUSH_KEYS: "realm_id",
    INVITATIONS: "id",
    CODE_APPS: "user_id",
    DEVICES: "id",
}


def sealed(tx: Tx, table: str) -> dict[int, bytes]:
    rows = tx.all(f"SELECT {_KEYS[table]} AS number, sealed FROM {table} WHERE sealed IS NOT NULL")
    return {row["number"]: bytes(row["sealed"]) for row in rows}


def reseal(tx: Tx, table: str, number: int, sealed: bytes) -> None:
    tx.execute(
        f"UPDATE {table} SET sealed = :sealed WHERE {_KEYS[table]} = :number",
        sealed=sealed,
        number=number,
    )


def set_fingerprint(tx: Tx, invitation_id: int, fingerprint: bytes) -> None:
    tx.execute(
        "UPDATE invitation SET fingerprint = :fingerprint WHERE id = :id",
        fingerprint=fingerprint,
        id=invitation_id,
    )


def drop_all(tx: Tx) -> None:
    """Delete sealed data that cannot be opened any more. Devices subscribe again by themselves."""
    tx.execute("DELETE FROM one_time_link")
    tx.execute("DELETE FROM outbox WHERE transport IN ('mail', 'device')")
    for table in (INVITATIONS, CODE_APPS, "push_subscription", PUSH_KEYS, DEVICES):
        tx.execute(f"DELETE FROM {table}")
