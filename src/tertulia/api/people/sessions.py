"""The caller's browser sessions."""

import msgspec

from tertulia import actions
from tertulia.api.call import Call
from tertulia.domain.people.sessions import Session
from tertulia.http.replies import Reply


class SessionObject(msgspec.Struct):
    id: int
    agent: str
    address: str
    created: int
    last_seen: int
    is_current: bool


class Sessions(Reply):
    sessions: list[SessionObject]


async def list_own(call: Call) -> Sessions:
    """List the caller's browser sessions, most recently used first."""
    found = await call.db.read(actions.people.sessions.of_user, call.user)
    return Sessions(sessions=[session_object(call, each) for each in found])


def session_object(call: Call, session: Session) -> SessionObject:
    return SessionObject(
        id=session.id,
        agent=session.agent,
        address=session.address,
        created=int(session.made_at),
        last_seen=int(session.seen_at),
        is_current=call.session is not None and session.id == call.session.id,
    )


async def end(call: Call, session_id: int) -> None:
    """End a session of the caller."""
    await call.db.write(actions.people.sessions.end, call.user, session_id)


async def log_out_others(call: Call) -> None:
    """End all sessions of the caller except the current one."""
    current = None if call.session is None else call.session.id
    await call.db.write(actions.people.sessions.end_all, call.user.id, current)
