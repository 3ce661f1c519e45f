"""Whoever comes back and hears from the log hears what was true then, and no secrets of since.

The laws compare all that can happen (`tests/laws/test_watcher_and_newcomer.py`); here is what it is
about.
"""

from tests.support.event_queue import EventQueue
from tests.support.people import Chat


def heard_late(chat: Chat, ears: EventQueue, channel: str) -> list[str]:
    """What becomes of a channel, to one whose mailbox was given up meanwhile."""
    number = chat.channel(channel).id
    chat.server.lose_mailbox(ears.queue_id)
    return [
        each["op"]
        for each in ears.all()
        if number in (each.get("stream_id"), *[of["stream_id"] for of in each.get("streams", ())])
    ]


def test_a_channel_is_new_once_to_a_guest_who_becomes_a_member(chat):
    ana, gus = chat.person("ana", role="owner"), chat.person("gus", role="guest")
    ears = gus.listens_for("stream")

    ana.joins("kitchen")
    ana.patch(f"/users/{gus.id}", role=400).succeeds()

    assert heard_late(chat, ears, "kitchen") == ["create"]


def test_a_channel_that_was_seen_is_gone_for_a_member_who_becomes_a_guest(chat):
    ana, ben = chat.person("ana", role="owner"), chat.person("ben")
    ears = ben.listens_for("stream")

    ana.joins("kitchen")
    ana.patch(f"/streams/{chat.channel('kitchen').id}", description="For all").succeeds()
    ana.patch(f"/users/{ben.id}", role=600).succeeds()

    assert heard_late(chat, ears, "kitchen") == ["create", "update", "delete"]


def test_what_was_written_after_one_was_put_out_stays_unknown(chat):
    ana, ben = chat.person("ana", role="owner"), chat.person("ben")
    ears = ben.listens_for("stream", "subscription")

    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    ana.delete("/users/me/subscriptions", subscriptions=["cellar"], principals=[ben.id]).succeeds()
    place = f"/streams/{chat.channel('cellar').id}"
    ana.patch(place, new_name="vault", description="The *safe* is behind the wine").succeeds()
    chat.server.lose_mailbox(ears.queue_id)

    told = ears.all()
    assert [(each["type"], each["op"]) for each in told] == [
        ("stream", "create"), ("subscription", "add"), ("subscription", "remove"),
        ("stream", "delete"),
    ]  # fmt: skip
    assert told[0]["streams"][0]["name"] == "cellar"
    assert all(word not in str(told) for word in ("safe", "vault"))
