"""One-time links, found by the fingerprint of their token."""

from collections.abc import Sequence

from tertulia import domain
from tertulia.database.tx import Tx
from tertulia.domain.people.one_time_links import OneTimeLink
from tertulia.storage.row_mapper import RowMapper

_LINKS = RowMapper(OneTimeLink)


def insert(
    tx: Tx,
    purpose: str,
    fingerprint: bytes | None,
    user_id: int | None,
    email: str,
    requested_from: str,
    expires_at: float,
    invitation_id: int | None = None,
) -> None:
    tx.insert_row(
        "one_time_link",
        purpose=purpose,
        fingerprint=fingerprint,
        user_id=user_id,
        email=email,
        email_key=domain.people.user.email_key(email),
        requested_from=requested_from,
        created_at=tx.now,
        expires_at=expires_at,
        invitation_id=invitation_id,
    )


def find(tx: Tx, purpose: str, fingerprint: bytes) -> OneTimeLink | None:
    """A valid link."""
    return _LINKS.one(
        tx,
        "FROM one_time_link WHERE fingerprint = :fingerprint AND purpose = :purpose"
        " AND realm_id = :realm AND expires_at > :now",
        fingerprint=fingerprint,
        purpose=purpose,
        now=tx.now,
    )


def expire(tx: Tx, purpose: str, user_id: int) -> None:
    """End the links of a user; the number of requests stays recorded."""
    tx.execute(
        "UPDATE one_time_link SET fingerprint = NULL"
        " WHERE user_id = :user AND purpose = :purpose AND realm_id = :realm",
        user=user_id,
        purpose=purpose,
    )


def expire_for_address(tx: Tx, purpose: str, email: str) -> None:
    """End the links for an address."""
    tx.execute(
        "UPDATE one_time_link SET fingerprint = NULL"
        " WHERE email_key = :email AND purpose = :purpose AND realm_id = :realm",
        email=domain.people.user.email_key(email),
        purpose=purpose,
    )


def requests_for(tx: Tx, purposes: Sequence[str], email: str, since: float) -> list[float]:
    """When links were requested for an address in any organization, oldest first."""
    return tx.column(
        "SELECT created_at FROM one_time_link WHERE email_key = :email AND created_at > :since"
        " AND purpose IN :purposes ORDER BY created_at",
        email=domain.people.user.email_key(email),
        since=since,
        purposes=list(purposes),
    )


def requests_by(tx: Tx, purpose: str, user_id: int, since: float) -> list[float]:
    """When a user requested links."""
    return _requests(tx, purpose, "user_id", user_id, since)


def requests_from(tx: Tx, purpose: str, address: str, since: float) -> list[float]:
    """When links were requested from this network address."""
    return _requests(tx, purpose, "requested_from", address, since)


def _requests(tx: Tx, purpose: str, column: str, value: str | int, since: float) -> list[float]:
    return tx.column(
        "SELECT created_at FROM one_time_link WHERE realm_id = :realm AND purpose = :purpose"
        f" AND {column} = :value AND created_at > :since ORDER BY created_at",
        purpose=purpose,
        value=value,
        since=since,
    )


def delete_before(tx: Tx, moment: float) -> None:
    tx.execute(
        "DELETE FROM one_time_link"
        " WHERE realm_id = :realm AND expires_at <= :moment AND created_at <= :moment",
        moment=moment,
    )
