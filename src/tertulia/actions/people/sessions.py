"""Sessions: started at a login, ended by their owner or with the account."""

from collections.abc import Sequence

from tertulia import domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.sessions import (
    AGENT_LENGTH,
    LIFE_SECONDS,
    Browser,
    ProviderSession,
    Session,
)
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import NoClients
from tertulia.events.types.people.sessions import SessionsEnded


def start(
    tx: Tx,
    user: User,
    fingerprint: bytes,
    browser: Browser,
    provider_session: ProviderSession | None = None,
) -> None:
    """Start a session. Only the browser knows the token of the fingerprint."""
    storage.people.sessions.insert(
        tx, user.id, fingerprint, browser.agent[:AGENT_LENGTH], browser.address, provider_session
    )
    for session in of_user(tx, user)[domain.limits.MAX_SESSIONS :]:
        end(tx, user, session.id)


def of_user(tx: Tx, user: User) -> list[Session]:
    """A user's sessions, last used first."""
    return storage.people.sessions.of_user(tx, user.id, tx.now - LIFE_SECONDS)


def extend(tx: Tx, session_id: int, address: str) -> None:
    """Extend a session. No effect if it has ended."""
    storage.people.sessions.extend(tx, session_id, address)


def end(tx: Tx, user: User, session_id: int) -> None:
    if not storage.people.sessions.delete(tx, user.id, session_id):
        raise BadRequest("No such session", problem="not-found")
    _announce(tx, user.id)


def end_all(tx: Tx, user_id: int, but: int | None = None) -> None:
    """End all sessions of a user except `but`, and pending logins, which may be invalid now."""
    storage.people.pending_logins.delete_of_user(tx, user_id)
    if storage.people.sessions.delete_all(tx, user_id, but):
        _announce(tx, user_id)


def log_out(tx: Tx, fingerprint: bytes) -> bytes | None:
    """End the session of a browser. Returns the logout data for its provider."""
    session = storage.people.sessions.find(tx, fingerprint)
    if session is None:
        return None
    provider_session = storage.people.sessions.provider_sealed(tx, session.id)
    storage.people.sessions.delete(tx, session.user_id, session.id)
    _announce(tx, session.user_id)
    return provider_session


def end_at_provider(tx: Tx, person: bytes, marks: Sequence[bytes]) -> None:
    """End the sessions of a user whom their provider has logged out, all or some."""
    for session in storage.people.sessions.of_provider(tx, person, marks):
        storage.people.sessions.delete(tx, session.user_id, session.id)
        _announce(tx, session.user_id)


def delete_expired(tx: Tx) -> None:
    """Delete expired sessions."""
    storage.people.sessions.delete_unseen(tx, tx.now - LIFE_SECONDS)


def _announce(tx: Tx, user_id: int) -> None:
    events.log.announce(tx, SessionsEnded(user_id), to=NoClients())
