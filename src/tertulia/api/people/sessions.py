"""The caller's browser sessions."""

from typing import Annotated

import msgspec

from tertulia import actions
from tertulia.api.call import Call
from tertulia.domain.people.sessions import Session
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import ClientAddress, CreationTime

SessionId = Annotated[int, Doc("The id of the session.", example=13)]


class SessionObject(msgspec.Struct):
    id: SessionId
    agent: Annotated[str, Doc("The user agent of the browser.")]
    address: ClientAddress
    created: CreationTime
    last_seen: Annotated[int, Doc("The time of the last use, in UNIX seconds, exact to an hour.")]
    is_current: Annotated[bool, Doc("Whether it is the session of this request.")]


class Sessions(Reply):
    sessions: Annotated[list[SessionObject], Doc("The sessions, most recently used first.")]


async def list_own(call: Call) -> Sessions:
    """List the caller's browser sessions, most recently used first."""
    found = await call.db.read(actions.people.sessions.of_user, call.user)
    return Sessions(sessions=[session_object(call, each) for each in found])


def session_object(call: Call, session: Session) -> SessionObject:
    return SessionObject(
        id=session.id,
        agent=session.agent,
        address=session.address,
        created=int(session.created_at),
        last_seen=int(session.seen_at),
        is_current=call.session is not None and session.id == call.session.id,
    )


async def end(call: Call, session_id: SessionId) -> None:
    """End a session of the caller."""
    await call.db.write(actions.people.sessions.end, call.user, session_id)


async def log_out_others(call: Call) -> None:
    """End all sessions of the caller except the current one."""
    current = None if call.session is None else call.session.id
    await call.db.write(actions.people.sessions.end_all, call.user.id, current)
