"""Agents: the programs that act for users, listed and ended."""

import msgspec

from tertulia import actions, storage
from tertulia.api.call import Call
from tertulia.domain.people.grant import Grant
from tertulia.http.replies import Reply


class AgentObject(msgspec.Struct):
    id: int
    user_id: int
    name: str
    readable_channels: list[int]
    writable_channels: list[int]
    reads_direct_messages: bool
    sees_people: bool
    created: int
    expires: int | None
    last_used: int | None


class Agents(Reply):
    agents: list[AgentObject]


async def list_own(call: Call) -> Agents:
    """List the agents that act for the caller, newest first."""
    return await _listed(call, call.user.id)


async def list_all(call: Call) -> Agents:
    """List all agents of the organization, newest first."""
    return await _listed(call, None)


async def revoke(call: Call, agent_id: int) -> None:
    """End the access of an agent. What it wrote stays."""
    await call.db.write(actions.people.agents.revoke, call.user, agent_id)


async def revoke_any(call: Call, agent_id: int) -> None:
    """End the access of an agent of any user."""
    await call.db.write(actions.people.agents.revoke, call.user, agent_id)


async def _listed(call: Call, user_id: int | None) -> Agents:
    found = await call.db.read(storage.people.agents.grants, call.now, user_id)
    return Agents(agents=[_object(each) for each in found])


def _object(grant: Grant) -> AgentObject:
    return AgentObject(
        id=grant.id,
        user_id=grant.user_id,
        name=grant.agent,
        readable_channels=list(grant.channels),
        writable_channels=[each for each, writes in grant.channels.items() if writes],
        reads_direct_messages=grant.direct_messages,
        sees_people=grant.presence,
        created=int(grant.created_at),
        expires=None if grant.expires_at is None else int(grant.expires_at),
        last_used=None if grant.used_at is None else int(grant.used_at),
    )
