"""Agents: the programs that act for users, listed and ended."""

from typing import Annotated

import msgspec

from tertulia import actions, storage
from tertulia.api.call import Call
from tertulia.domain.people.grant import Grant
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import CreationTime, ExpiryTime, LastUsed, UserId

AgentId = Annotated[int, Doc("The id of the agent.", example=12)]


class AgentObject(msgspec.Struct):
    id: AgentId
    user_id: UserId
    name: Annotated[str, Doc("The name of the program.")]
    readable_channels: Annotated[list[int], Doc("Ids of the channels that the agent may read.")]
    writable_channels: Annotated[
        list[int], Doc("Ids of the channels in which the agent may write.")
    ]
    reads_direct_messages: Annotated[
        bool, Doc("Whether the agent may read the direct messages of its user.")
    ]
    sees_people: Annotated[bool, Doc("Whether the agent may see who is who and who is active.")]
    created: CreationTime
    expires: ExpiryTime | None
    last_used: LastUsed | None


class Agents(Reply):
    agents: Annotated[list[AgentObject], Doc("The agents, newest first.")]


async def list_own(call: Call) -> Agents:
    """List the agents that act for the caller, newest first."""
    return await _listed(call, call.user.id)


async def list_all(call: Call) -> Agents:
    """List all agents of the organization, newest first."""
    return await _listed(call, None)


async def revoke(call: Call, agent_id: AgentId) -> None:
    """End the access of an agent. What it wrote stays."""
    await call.db.write(actions.people.agents.revoke, call.user, agent_id)


async def revoke_any(call: Call, agent_id: AgentId) -> None:
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
