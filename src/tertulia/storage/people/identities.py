"""Accounts that came from a provider, by provider and subject."""

from collections.abc import Sequence

import msgspec

from tertulia.domain.people.identities import Identity
from tertulia.storage.database.tx import Row, Tx

_COLUMNS = "provider, subject, user_id, is_ended, group_ids, picture_mark"


def find(tx: Tx, provider: str, subject: str) -> Identity | None:
    row = tx.one(
        f"SELECT {_COLUMNS} FROM identity"
        " WHERE realm_id = :realm AND provider = :provider AND subject = :subject",
        provider=provider,
        subject=subject,
    )
    return None if row is None else _identity(row)


def of_provider(tx: Tx, provider: str) -> list[Identity]:
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM identity WHERE realm_id = :realm AND provider = :provider"
        " ORDER BY id",
        provider=provider,
    )
    return [_identity(row) for row in rows]


def of_user(tx: Tx, user_id: int) -> list[Identity]:
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM identity WHERE realm_id = :realm AND user_id = :user ORDER BY id",
        user=user_id,
    )
    return [_identity(row) for row in rows]


def providers_of(tx: Tx, user_id: int) -> set[str]:
    rows = tx.all(
        "SELECT provider FROM identity WHERE realm_id = :realm AND user_id = :user", user=user_id
    )
    return {row["provider"] for row in rows}


def put(tx: Tx, identity: Identity) -> None:
    """Remember it; an account has one subject with a provider, the one that came last."""
    tx.execute(
        "DELETE FROM identity WHERE realm_id = :realm AND provider = :provider"
        " AND (user_id = :user OR subject = :subject)",
        provider=identity.provider,
        user=identity.user_id,
        subject=identity.subject,
    )
    tx.execute(
        f"INSERT INTO identity (realm_id, {_COLUMNS}) VALUES"
        " (:realm, :provider, :subject, :user, :ended, :groups, :mark)",
        provider=identity.provider,
        subject=identity.subject,
        user=identity.user_id,
        ended=identity.is_ended,
        groups=_written(identity.group_ids),
        mark=identity.picture_mark,
    )


def forget(tx: Tx, user_id: int) -> bool:
    """Whether there was something to forget."""
    done = tx.execute(
        "DELETE FROM identity WHERE realm_id = :realm AND user_id = :user", user=user_id
    )
    return done > 0


def _written(numbers: Sequence[int]) -> str:
    return msgspec.json.encode(numbers).decode()


def _identity(row: Row) -> Identity:
    return Identity(
        provider=row["provider"],
        subject=row["subject"],
        user_id=row["user_id"],
        is_ended=bool(row["is_ended"]),
        group_ids=tuple(msgspec.json.decode(row["group_ids"])),
        picture_mark=row["picture_mark"],
    )
