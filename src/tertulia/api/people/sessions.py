"""The caller's browser sessions."""

import msgspec

from tertulia import actions
from tertulia.api.call import Call
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
    current = None if call.session is None else call.session.id
    return Sessions(
        sessions=[
            SessionObject(
                id=each.id,
                agent=each.agent,
                address=each.address,
                created=int(each.made_at),
                last_seen=int(each.seen_at),
                is_current=each.id == current,
            )
            for each in await call.db.read(actions.people.sessions.of_user, call.user)
        ]
    )


async def end(call: Call, session_id: int) -> None:
    """End a session of the caller."""
    await call.db.write(actions.people.sessions.end, call.user, session_id)


async def log_out_others(call: Call) -> None:
    """End all sessions of the caller except the current one."""
    current = None if call.session is None else call.session.id
    await call.db.write(actions.people.sessions.end_all, call.user.id, current)
