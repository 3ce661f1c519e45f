"""A client that polls late receives what was true then, and no later secrets.

`tests/laws/test_watcher_and_newcomer.py` compares everything; these are examples.
"""

from tests.support.event_queue import EventQueue
from tests.support.people import Chat


def received_late(chat: Chat, queue: EventQueue, channel: str) -> list[str]:
    """The channel events of a client whose mailbox was dropped meanwhile."""
    number = chat.channel(channel).id
    chat.server.lose_mailbox(queue.queue_id)
    return [
        each["op"]
        for each in queue.all()
        if number in (each.get("stream_id"), *[of["stream_id"] for of in each.get("streams", ())])
    ]


def test_a_promoted_guest_receives_a_channel_once(chat):
    ana, gus = chat.person("ana", role="owner"), chat.person("gus", role="guest")
    queue = gus.listens_for("stream")

    ana.joins("kitchen")
    ana.patch(f"/users/{gus.id}", role=400).succeeds()

    assert received_late(chat, queue, "kitchen") == ["create"]


def test_a_demoted_member_loses_a_visible_channel(chat):
    ana, ben = chat.person("ana", role="owner"), chat.person("ben")
    queue = ben.listens_for("stream")

    ana.joins("kitchen")
    ana.patch(f"/streams/{chat.channel('kitchen').id}", description="For all").succeeds()
    ana.patch(f"/users/{ben.id}", role=600).succeeds()

    assert received_late(chat, queue, "kitchen") == ["create", "update", "delete"]


def test_messages_sent_after_a_removal_stay_unknown(chat):
    ana, ben = chat.person("ana", role="owner"), chat.person("ben")
    queue = ben.listens_for("stream", "subscription")

    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    ana.delete("/users/me/subscriptions", subscriptions=["cellar"], principals=[ben.id]).succeeds()
    path = f"/streams/{chat.channel('cellar').id}"
    ana.patch(path, new_name="vault", description="The *safe* is behind the wine").succeeds()
    chat.server.lose_mailbox(queue.queue_id)

    received = queue.all()
    assert [(each["type"], each["op"]) for each in received] == [
        ("stream", "create"), ("subscription", "add"), ("subscription", "remove"),
        ("stream", "delete"),
    ]  # fmt: skip
    assert received[0]["streams"][0]["name"] == "cellar"
    assert all(word not in str(received) for word in ("safe", "vault"))
