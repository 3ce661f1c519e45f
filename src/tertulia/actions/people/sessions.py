"""Sessions: begun when somebody arrives in a browser, ended by their owner or with the account."""

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
from tertulia.events.audience import Nobody
from tertulia.events.types.people.sessions import SessionsEnded


def begin(
    tx: Tx,
    user: User,
    fingerprint: bytes,
    browser: Browser,
    elsewhere: ProviderSession | None = None,
) -> None:
    """Let a browser in; it alone knows what the fingerprint is of."""
    storage.people.sessions.insert(
        tx, user.id, fingerprint, browser.agent[:AGENT_LENGTH], browser.address, elsewhere
    )
    for session in mine(tx, user)[domain.limits.SESSIONS :]:
        end(tx, user, session.id)


def mine(tx: Tx, user: User) -> list[Session]:
    """Somebody's sessions, the one that was used last first."""
    return storage.people.sessions.of_user(tx, user.id, tx.now - LIFE_SECONDS)


def note_seen(tx: Tx, session_id: int, address: str) -> None:
    """Let a session live on; nothing happens to one that has ended meanwhile."""
    storage.people.sessions.note_seen(tx, session_id, address)


def end(tx: Tx, user: User, session_id: int) -> None:
    if not storage.people.sessions.delete(tx, user.id, session_id):
        raise BadRequest("No such session")
    _tell(tx, user.id)


def end_all(tx: Tx, user_id: int, but: int | None = None) -> None:
    """End all of somebody's sessions, but perhaps for the one they act from; and a login that is
    under way, since what it began with may be good no longer."""
    storage.people.pending_logins.forget_of(tx, user_id)
    if storage.people.sessions.delete_all(tx, user_id, but):
        _tell(tx, user_id)


def log_out(tx: Tx, fingerprint: bytes) -> bytes | None:
    """End the session of a browser that leaves, if there is one; gives what the provider that has
    vouched for it has to be told."""
    session = storage.people.sessions.find(tx, fingerprint)
    if session is None:
        return None
    elsewhere = storage.people.sessions.provider_sealed(tx, session.id)
    storage.people.sessions.delete(tx, session.user_id, session.id)
    _tell(tx, session.user_id)
    return elsewhere


def end_at_provider(tx: Tx, person: bytes, marks: Sequence[bytes]) -> None:
    """Somebody was logged out by their provider: of all their sessions from there, or of some."""
    for session in storage.people.sessions.of_provider(tx, person, marks):
        storage.people.sessions.delete(tx, session.user_id, session.id)
        _tell(tx, session.user_id)


def forget_old(tx: Tx) -> None:
    """Delete what was not used for so long that it is over."""
    storage.people.sessions.delete_unseen(tx, tx.now - LIFE_SECONDS)


def _tell(tx: Tx, user_id: int) -> None:
    events.log.announce(tx, SessionsEnded(user_id), to=Nobody())
