"""Invitations, found by id, by address or by the fingerprint of their link."""

import msgspec

from tertulia import domain
from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.domain.people.invitations import Invitation, Terms
from tertulia.domain.people.user import Role

_COLUMNS = (
    "id, inviter_id, email, role, channel_ids, group_ids, with_defaults, notifies_inviter, welcome,"
    " sealed, created_at, expires_at, ended_at, is_operators"
)
_GOOD = "ended_at IS NULL AND (expires_at IS NULL OR expires_at > :now)"


def insert(
    tx: Tx,
    inviter_id: int,
    email: str | None,
    terms: Terms,
    fingerprint: bytes,
    sealed: bytes,
    is_operators: bool = False,
) -> int:
    expires_at = None if terms.minutes is None else tx.now + 60 * terms.minutes
    return tx.insert_with_id(
        "invitation",
        inviter_id=inviter_id,
        email=email,
        email_key=None if email is None else domain.people.user.email_key(email),
        role=int(terms.role),
        channel_ids=msgspec.json.encode(terms.channel_ids).decode(),
        group_ids=msgspec.json.encode(terms.group_ids).decode(),
        with_defaults=terms.with_defaults,
        notifies_inviter=terms.notifies_inviter,
        welcome=terms.welcome,
        fingerprint=fingerprint,
        sealed=sealed,
        created_at=tx.now,
        expires_at=expires_at,
        is_operators=is_operators,
    )


def find(tx: Tx, invitation_id: int) -> Invitation | None:
    row = tx.one(
        f"SELECT {_COLUMNS} FROM invitation WHERE id = :id AND realm_id = :realm", id=invitation_id
    )
    return None if row is None else _invitation(row)


def find_by_key(tx: Tx, fingerprint: bytes) -> Invitation | None:
    """A valid invitation."""
    row = tx.one(
        f"SELECT {_COLUMNS} FROM invitation"
        f" WHERE fingerprint = :fingerprint AND realm_id = :realm AND {_GOOD}",
        fingerprint=fingerprint,
        now=tx.now,
    )
    return None if row is None else _invitation(row)


def for_address(tx: Tx, email: str) -> Invitation | None:
    """The newest valid invitation for an address."""
    row = tx.one(
        f"SELECT {_COLUMNS} FROM invitation"
        f" WHERE realm_id = :realm AND email_key = :email AND {_GOOD} ORDER BY id DESC LIMIT 1",
        email=domain.people.user.email_key(email),
        now=tx.now,
    )
    return None if row is None else _invitation(row)


def list_valid(tx: Tx, inviter_id: int | None = None) -> list[Invitation]:
    """Valid invitations of the organization, or of one inviter, newest first."""
    whose = "" if inviter_id is None else " AND inviter_id = :inviter"
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM invitation WHERE realm_id = :realm AND {_GOOD}{whose}"
        " ORDER BY created_at DESC, id DESC",
        now=tx.now,
        **({} if inviter_id is None else {"inviter": inviter_id}),
    )
    return [_invitation(row) for row in rows]


def expire(tx: Tx, invitation_id: int) -> None:
    tx.update("invitation", invitation_id, ended_at=tx.now)


def expire_for_address(tx: Tx, email: str) -> list[int]:
    """End all for an address. Returns the inviters of those that were valid."""
    return _expire(tx, "email_key = :who", domain.people.user.email_key(email))


def expire_of_inviter(tx: Tx, inviter_id: int) -> list[int]:
    """End all of an inviter."""
    return _expire(tx, "inviter_id = :who", inviter_id)


def delete_before(tx: Tx, moment: float) -> None:
    """Delete those that expired before a time, except for one that is in use for a signup."""
    tx.execute(
        "DELETE FROM invitation WHERE realm_id = :realm"
        " AND (expires_at <= :moment OR ended_at <= :moment)"
        " AND id NOT IN (SELECT o.invitation_id FROM one_time_link o"
        " WHERE o.realm_id = :realm AND o.invitation_id IS NOT NULL)",
        moment=moment,
    )


def _expire(tx: Tx, which: str, who: str | int) -> list[int]:
    rows = tx.all(
        f"UPDATE invitation SET ended_at = :now WHERE realm_id = :realm AND {which} AND {_GOOD}"
        " RETURNING inviter_id",
        now=tx.now,
        who=who,
    )
    return sorted({row["inviter_id"] for row in rows})


def _invitation(row: Row) -> Invitation:
    return Invitation(
        id=row["id"],
        inviter_id=row["inviter_id"],
        email=row["email"],
        terms=Terms(
            role=Role(row["role"]),
            channel_ids=tuple(msgspec.json.decode(row["channel_ids"])),
            group_ids=tuple(msgspec.json.decode(row["group_ids"])),
            with_defaults=bool(row["with_defaults"]),
            notifies_inviter=bool(row["notifies_inviter"]),
            welcome=row["welcome"],
        ),
        sealed=bytes(row["sealed"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        is_ended=row["ended_at"] is not None,
        is_operators=bool(row["is_operators"]),
    )
