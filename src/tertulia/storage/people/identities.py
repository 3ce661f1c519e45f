"""Identities of accounts at login providers, by provider and subject."""

from collections.abc import Sequence

import msgspec

from tertulia.database.tx import Tx
from tertulia.domain.people.identities import Identity
from tertulia.storage.row_mapper import RowMapper

_IDENTITIES = RowMapper(
    Identity, "identity", readings={"group_ids": msgspec.json.Decoder(tuple[int, ...]).decode}
)


def find(tx: Tx, provider: str, subject: str) -> Identity | None:
    return _IDENTITIES.find(tx, provider=provider, subject=subject)


def of_provider(tx: Tx, provider: str) -> list[Identity]:
    return _IDENTITIES.where(tx, "id", provider=provider)


def of_user(tx: Tx, user_id: int) -> list[Identity]:
    return _IDENTITIES.where(tx, "id", user_id=user_id)


def providers_of(tx: Tx, user_id: int) -> set[str]:
    rows = tx.all(
        "SELECT provider FROM identity WHERE realm_id = :realm AND user_id = :user", user=user_id
    )
    return {row["provider"] for row in rows}


def store(tx: Tx, identity: Identity) -> None:
    """Store an identity; an account has one subject per provider, the latest."""
    tx.execute(
        "DELETE FROM identity WHERE realm_id = :realm AND provider = :provider"
        " AND (user_id = :user OR subject = :subject)",
        provider=identity.provider,
        user=identity.user_id,
        subject=identity.subject,
    )
    tx.execute(
        f"INSERT INTO identity (realm_id, {_IDENTITIES.columns}) VALUES"
        " (:realm, :provider, :subject, :user, :ended, :groups, :mark)",
        provider=identity.provider,
        subject=identity.subject,
        user=identity.user_id,
        ended=identity.is_ended,
        groups=_written(identity.group_ids),
        mark=identity.picture_mark,
    )


def delete(tx: Tx, user_id: int) -> bool:
    """Returns whether there was one."""
    return tx.delete("identity", user_id=user_id) > 0


def _written(numbers: Sequence[int]) -> str:
    return msgspec.json.encode(numbers).decode()
