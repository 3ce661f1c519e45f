"""The agents that act for users: listed and ended by them, and by owners."""

import msgspec
from tests.support.agents import AgentProgram
from tests.support.grants import access_token, granted


def agents_of(person, path="/users/me/agents"):
    return person.get(path).succeeds()["agents"]


def test_users_see_and_end_their_own_agents(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "garden"])
    kitchen, garden = (chat.channel(name).id for name in ("kitchen", "garden"))

    grant = granted(ana, {kitchen: True, garden: False}, presence=True)

    (found,) = agents_of(ana)
    assert isinstance(found.pop("created"), int)
    assert found == {
        "id": grant.id,
        "user_id": ana.id,
        "name": "Helper",
        "readable_channels": [kitchen, garden],
        "writable_channels": [kitchen],
        "reads_direct_messages": False,
        "sees_people": True,
        "expires": None,
        "last_used": None,
    }
    assert agents_of(ben) == []
    ben.delete(f"/users/me/agents/{grant.id}").fails("No such agent")
    ana.delete(f"/users/me/agents/{grant.id}").succeeds()
    assert agents_of(ana) == []
    ana.delete(f"/users/me/agents/{grant.id}").fails("No such agent")


def test_owners_see_and_end_all_agents(chat):
    ana, olga = chat.person("ana", channels=["kitchen"]), chat.person("olga", role="owner")
    adam = chat.person("adam", role="admin")
    grant = granted(ana, {chat.channel("kitchen").id: True})

    assert [each["id"] for each in agents_of(olga, "/realm/agents")] == [grant.id]
    for refused in (adam.get("/realm/agents"), adam.delete(f"/realm/agents/{grant.id}")):
        refused.fails("Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL")
    olga.delete(f"/realm/agents/{grant.id}").succeeds()
    assert agents_of(ana) == []


def test_an_agent_of_a_deactivated_user_is_refused(chat):
    chat.set("enable_agent_access", True)
    ana, adam = chat.person("ana", channels=["kitchen"]), chat.person("adam", role="admin")
    token = access_token(ana, {chat.channel("kitchen").id: True})
    headers = {"Host": chat.host, "Authorization": f"Bearer {token}"}
    agent = AgentProgram(f"http://127.0.0.1:{chat.server.port}/mcp", headers)
    agent.call("list_channels").succeeds()

    adam.delete(f"/users/{ana.id}").succeeds()

    ping = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    sent = {"Content-Type": "application/json", **headers}
    assert chat.stranger.raw("POST", "/mcp", ping, **sent).status in (401, 403)


def test_a_grant_that_ended_by_itself_is_not_listed(chat):
    ana = chat.person("ana")
    granted(ana, presence=True, expires_at=chat.server.clock() + 1)
    granted(ana, presence=True, expires_at=chat.server.clock() + 3600)

    chat.write(lambda tx: tx.execute("UPDATE agent_grant SET expires_at = expires_at - 10"))

    assert len(agents_of(ana)) == 1
