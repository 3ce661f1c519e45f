"""Calls through the documented TURN server, where the organization allows no other way."""

from tests.support.coturn import SECRET, relay  # noqa: F401
from tests.support.people import Chat
from tests.web.test_calls import hears, join, opened, start  # noqa: F401

RELAYED = """async () => {
  const types = new Set();
  for (const connection of window.connections) {
    const stats = await connection.getStats();
    for (const pair of stats.values())
      if (pair.type === "candidate-pair" && pair.nominated)
        types.add(stats.get(pair.localCandidateId).candidateType);
  }
  return [...types];
}"""


def test_a_call_of_relay_only_goes_through_coturn(relay, start_server, opened):  # noqa: F811
    server = start_server(turn_servers=f"turn:{relay}?transport=udp", turn_secret=SECRET)
    chat = Chat.found(server)
    ana, ben = chat.people("ana", "ben", channels=["general"])
    ana.says("Hello", to="general > x")
    chat.set("calls_relay_only", True)
    here = f"#narrow/channel/{chat.channel('general').id}-general/topic/x"
    anas, bens = opened(ana, here, chat), opened(ben, here, chat)

    start(anas)
    join(bens)

    for user in (anas, bens):
        hears(user)
        assert user.page.evaluate(RELAYED) == ["relay"]


def test_without_a_turn_server_a_call_of_relay_only_is_refused(chat):
    ana = chat.person("ana", channels=["general"])
    chat.set("calls_relay_only", True)

    reply = ana.post("/calls", type="channel", to="general", topic="x")

    assert (reply.status, reply.json["problem"]) == (400, "no-relay")
