"""Second factors: authenticator apps, recovery codes and passkeys."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.people.second_factors import CodeApp, Passkey, SecondFactors
from tertulia.storage.row_mapper import RowMapper

_APPS, _PASSKEYS = RowMapper(CodeApp, "totp_secret"), RowMapper(Passkey, "passkey")


def of_user(tx: Tx, user_id: int) -> SecondFactors:
    """All second factors of a user."""
    codes: int = tx.value(
        "SELECT COUNT(*) AS value FROM recovery_code WHERE user_id = :user AND realm_id = :realm",
        user=user_id,
    )
    return SecondFactors(app(tx, user_id) is not None, codes, tuple(passkeys(tx, user_id)))


def are_used(tx: Tx) -> bool:
    """Whether a user of the organization has one."""
    return any(
        tx.one(f"SELECT user_id FROM {table} WHERE realm_id = :realm LIMIT 1")
        for table in ("totp_secret", "passkey")
    )


def delete(tx: Tx, user_id: int) -> None:
    for table in ("totp_secret", "recovery_code", "passkey"):
        tx.execute(f"DELETE FROM {table} WHERE user_id = :user AND realm_id = :realm", user=user_id)


# --- codes ---


def app(tx: Tx, user_id: int) -> CodeApp | None:
    return _APPS.find(tx, user_id=user_id)


def store_app(tx: Tx, user_id: int, known: CodeApp) -> None:
    """Set the user's app, in place of an older one."""
    delete_app(tx, user_id)
    tx.insert_row(
        "totp_secret",
        user_id=user_id,
        sealed=known.sealed,
        last_step=known.last_step,
        created_at=tx.now,
    )


def delete_app(tx: Tx, user_id: int) -> None:
    tx.delete("totp_secret", user_id=user_id)


def consume_step(tx: Tx, user_id: int, step: int) -> bool:
    """Mark a time step as used. Returns False if it was used before."""
    done = tx.execute(
        "UPDATE totp_secret SET last_step = :step"
        " WHERE user_id = :user AND realm_id = :realm AND last_step < :step",
        step=step,
        user=user_id,
    )
    return done > 0


def store_recovery_codes(tx: Tx, user_id: int, hashes: Sequence[bytes]) -> None:
    """Replace the user's recovery codes."""
    tx.delete("recovery_code", user_id=user_id)
    for each in hashes:
        tx.insert_row("recovery_code", user_id=user_id, code_hash=each)


def consume_recovery_code(tx: Tx, user_id: int, code_hash: bytes) -> bool:
    """Delete a recovery code. Returns whether it existed."""
    return tx.delete("recovery_code", user_id=user_id, code_hash=code_hash) > 0


# --- passkeys ---


def passkeys(tx: Tx, user_id: int) -> list[Passkey]:
    return _PASSKEYS.where(tx, "id", user_id=user_id)


def insert_passkey(tx: Tx, user_id: int, name: str, credential: bytes, sign_count: int) -> None:
    tx.insert_row(
        "passkey",
        user_id=user_id,
        name=name,
        credential=credential,
        sign_count=sign_count,
        created_at=tx.now,
    )


def record_passkey_use(tx: Tx, passkey_id: int, before: int, sign_count: int) -> bool:
    """Store the counter of a passkey. Returns False if it is gone, or was used meanwhile."""
    done = tx.execute(
        "UPDATE passkey SET sign_count = :count, used_at = :now"
        " WHERE id = :id AND realm_id = :realm AND sign_count = :before",
        count=sign_count,
        now=tx.now,
        id=passkey_id,
        before=before,
    )
    return done > 0


def delete_passkey(tx: Tx, user_id: int, passkey_id: int) -> None:
    tx.delete("passkey", id=passkey_id, user_id=user_id)
