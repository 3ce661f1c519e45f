"""Sessions, found by the fingerprint of the cookie."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.people.sessions import ProviderSession, Session
from tertulia.storage.row_mapper import RowMapper

_SESSIONS = RowMapper(Session, "session")


def find(tx: Tx, fingerprint: bytes) -> Session | None:
    return _SESSIONS.find(tx, fingerprint=fingerprint)


def of_user(tx: Tx, user_id: int, seen_after: float) -> list[Session]:
    """Sessions used since a time, most recent first."""
    return _SESSIONS.all(
        tx,
        "FROM session WHERE user_id = :user AND realm_id = :realm"
        " AND seen_at >= :after AND (ends_at IS NULL OR ends_at > :now)"
        " ORDER BY seen_at DESC, id DESC",
        user=user_id,
        after=seen_after,
        now=tx.now,
    )


def insert(
    tx: Tx,
    user_id: int,
    fingerprint: bytes,
    agent: str,
    address: str,
    provider_session: ProviderSession | None = None,
) -> int:
    return tx.insert_with_id(
        "session",
        user_id=user_id,
        fingerprint=fingerprint,
        agent=agent,
        address=address,
        created_at=tx.now,
        seen_at=tx.now,
        provider_person=None if provider_session is None else provider_session.person,
        provider_mark=None if provider_session is None else provider_session.mark,
        provider_sealed=None if provider_session is None else provider_session.sealed,
        ends_at=None if provider_session is None else provider_session.ends_at,
    )


def provider_sealed(tx: Tx, session_id: int) -> bytes | None:
    """The sealed data for a logout at the provider; None if the session has none."""
    found = tx.value(
        "SELECT provider_sealed AS value FROM session WHERE id = :id AND realm_id = :realm",
        id=session_id,
    )
    return None if found is None else bytes(found)


def of_provider(tx: Tx, person: bytes, marks: Sequence[bytes]) -> list[Session]:
    """A user's sessions from a provider: all, or those of certain provider sessions."""
    which = " AND provider_mark IN :marks" if marks else ""
    return _SESSIONS.all(
        tx,
        f"FROM session WHERE realm_id = :realm AND provider_person = :person{which}",
        person=person,
        **({"marks": list(marks)} if marks else {}),
    )


def extend(tx: Tx, session_id: int, address: str) -> None:
    tx.update("session", session_id, seen_at=tx.now, address=address)


def delete(tx: Tx, user_id: int, session_id: int) -> bool:
    """Returns whether the user had this session."""
    return tx.delete("session", id=session_id, user_id=user_id) > 0


def delete_all(tx: Tx, user_id: int, but: int | None = None) -> bool:
    """Delete a user's sessions, optionally except for one. Returns whether there were any."""
    done = tx.execute(
        "DELETE FROM session WHERE user_id = :user AND realm_id = :realm AND id <> :but",
        user=user_id,
        but=but or 0,
    )
    return done > 0


def delete_unseen(tx: Tx, since: float) -> None:
    """Delete sessions not used since a time, and expired ones."""
    tx.execute(
        "DELETE FROM session WHERE realm_id = :realm"
        " AND (seen_at < :since OR (ends_at IS NOT NULL AND ends_at <= :now))",
        since=since,
        now=tx.now,
    )


def record(tx: Tx, user_id: int, fingerprint: bytes) -> bool:
    """Record an origin of a user. Returns whether it was known."""
    known = tx.execute(
        "UPDATE known_login SET seen_at = :now"
        " WHERE user_id = :user AND realm_id = :realm AND fingerprint = :fingerprint",
        now=tx.now,
        user=user_id,
        fingerprint=fingerprint,
    )
    if not known:
        tx.insert_row("known_login", user_id=user_id, fingerprint=fingerprint, seen_at=tx.now)
    return known > 0


def delete_before(tx: Tx, moment: float) -> None:
    tx.execute(
        "DELETE FROM known_login WHERE realm_id = :realm AND seen_at < :moment", moment=moment
    )
