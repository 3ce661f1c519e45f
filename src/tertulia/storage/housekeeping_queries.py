"""The organizations in which a job has something to do, each in one statement."""

from typing import Any

from tertulia.database.tx import Tx


def with_waiting_period(tx: Tx) -> list[int]:
    return _realms(
        tx,
        "SELECT id AS realm_id FROM realm WHERE settings LIKE '%\"waiting_period_threshold\"%'",
    )


def with_old_renderings(tx: Tx, version: int) -> list[int]:
    return _realms(
        tx, "SELECT id AS realm_id FROM realm WHERE render_version < :version", version=version
    )


def with_old_presence(tx: Tx, at: float) -> list[int]:
    return _realms(tx, "SELECT DISTINCT realm_id FROM presence WHERE idle_at < :at", at=at)


def with_old_audit_entries(tx: Tx, at: float) -> list[int]:
    return _realms(tx, "SELECT DISTINCT realm_id FROM audit_entry WHERE at < :at", at=at)


def with_old_access(
    tx: Tx,
    *,
    sessions: float,
    attempts: float,
    links: float,
    invitations: float,
    logins_before: float,
    tokens: float,
) -> list[int]:
    """Organizations with credentials that expired before the time for their kind."""
    return _realms(
        tx,
        "SELECT realm_id FROM session WHERE seen_at < :sessions"
        " UNION SELECT realm_id FROM password_attempt WHERE tried_at <= :attempts"
        " UNION SELECT realm_id FROM one_time_link"
        " WHERE expires_at <= :links AND created_at <= :links"
        " UNION SELECT realm_id FROM invitation"
        " WHERE expires_at <= :invitations OR ended_at <= :invitations"
        " UNION SELECT realm_id FROM pending_login WHERE created_at < :logins_before"
        " UNION SELECT realm_id FROM login_token WHERE created_at < :tokens",
        sessions=sessions,
        attempts=attempts,
        links=links,
        invitations=invitations,
        logins_before=logins_before,
        tokens=tokens,
    )


def with_queues(tx: Tx) -> list[int]:
    return _realms(tx, "SELECT DISTINCT realm_id FROM queue")


def _realms(tx: Tx, sql: str, **params: Any) -> list[int]:
    return sorted(row["realm_id"] for row in tx.all(sql, **params))
