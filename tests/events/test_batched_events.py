"""Events of one batch are delivered one by one, although the directory knows them all."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tertulia import actions
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import Role

Act = tuple[Any, ...]  # an action and its arguments


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="owner")


@pytest.fixture
def together(chat) -> Callable[..., list[Any]]:
    """Run actions in one batch, in this order, in a loaded organization."""

    async def run_batch(acts: tuple[Act, ...]) -> list[Any]:
        await chat.server.load(chat.realm.id)
        hold, held = threading.Event(), threading.Event()

        def keep_waiting(tx: Any) -> None:
            held.set()
            hold.wait(5)

        bound = chat.server.database.of(chat.realm.id)
        first = asyncio.create_task(bound.write(keep_waiting))
        await asyncio.to_thread(held.wait, 5)
        rest = [asyncio.create_task(bound.write(*act)) for act in acts]
        await asyncio.sleep(0)
        hold.set()
        await first
        return await asyncio.gather(*rest)

    return lambda *acts: chat.server.do(run_batch(acts))


def renames(who, channel, name) -> Act:
    return (
        actions.channels.edits.edit,
        who.record,
        channel.id,
        actions.channels.edits.ChannelChanges(name=name),
        False,
    )


def moves_to(who, email, by) -> Act:
    changes = actions.people.accounts.AccountChanges(email=email)
    return actions.people.accounts.edit, by.record, who.id, changes


def test_a_channel_may_take_a_name_that_another_gives_up_in_the_same_batch(chat, together):
    ana = chat.person("ana", role="owner", channels=["kitchen", "garden"])
    kitchen, garden = chat.channel("kitchen"), chat.channel("garden")

    together(renames(ana, garden, "attic"), renames(ana, kitchen, "garden"))

    named = {
        name: ana.get("/get_stream_id", stream=name).succeeds()["stream_id"]
        for name in ("attic", "garden")
    }
    assert named == {"attic": garden.id, "garden": kitchen.id}
    ana.get("/get_stream_id", stream="kitchen").fails("Invalid channel name 'kitchen'")


def test_a_new_channel_may_take_a_name_given_up_in_the_same_batch(chat, together):
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    kitchen = chat.channel("kitchen")

    together(
        renames(ana, kitchen, "attic"),
        (actions.channels.creation.create, ana.record, NewChannel("kitchen"), "", False),
    )

    named = [
        ana.get("/get_stream_id", stream=name).succeeds()["stream_id"]
        for name in ("attic", "kitchen")
    ]
    assert named == [kitchen.id, chat.channel("kitchen").id]


def test_a_channel_renamed_twice_has_its_last_name(chat, together):
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    kitchen = chat.channel("kitchen")
    queue = ana.listens_for("stream")

    together(renames(ana, kitchen, "attic"), renames(ana, kitchen, "garden"))

    assert ana.get("/get_stream_id", stream="garden").succeeds()["stream_id"] == kitchen.id
    for former in ("attic", "kitchen"):
        ana.get("/get_stream_id", stream=former).fails(f"Invalid channel name '{former}'")
    assert [(each["name"], each["value"]) for each in queue.all() if "name" in each.values()] == [
        ("kitchen", "attic"),
        ("attic", "garden"),
    ]


def test_an_address_may_move_from_one_user_to_another(chat, together):
    admin = chat.person("admin", role="owner")
    ana, ben = chat.people("ana", "ben")

    together(moves_to(ben, "benno@example.com", admin), moves_to(ana, ben.email, admin))

    found = {
        email: admin.get(f"/users/{email}").succeeds()["user"]["user_id"]
        for email in ("benno@example.com", ben.email)
    }
    assert found == {"benno@example.com": ben.id, ben.email: ana.id}
    admin.get(f"/users/{ana.email}").fails("No such user")


def test_a_message_that_moved_out_of_sight_does_not_reveal_where(chat, together):
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    ben, cleo = chat.person("ben", channels=["kitchen"]), chat.person("cleo")
    ana.joins("vault", invite_only=True)
    queue = ben.listens_for("message", "delete_message", "update_message")
    wide = cleo.listens_for("message", "update_message", all_public_streams=True)
    vault = chat.channel("vault")

    def says_in_the_wrong_place(tx: Any) -> None:
        draft = Draft("Oops", "<p>Oops</p>", 0, "test", read_by_sender=True)
        sent = actions.messages.send.to_channel(tx, ana.record, "kitchen", "lunch", draft)
        wish = actions.messages.edits.MessageChanges(channel_id=vault.id, notifies_new_topic=False)
        actions.messages.edits.change(tx, ana.record, sent.message_id, wish)

    together((says_in_the_wrong_place,))

    assert [each["type"] for each in queue.all()] == ["delete_message"]
    assert wide.silent()


def test_a_removed_user_does_not_learn_the_new_name(chat, ana, ben, together):
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    cellar = chat.channel("cellar")
    queue = ben.listens_for("stream", "subscription")

    together(
        (actions.channels.subscriptions.remove, cellar, [ben.record]), renames(ana, cellar, "vault")
    )

    received = queue.all()
    assert "vault" not in str(received)
    assert received[0]["subscriptions"] == [{"name": "cellar", "stream_id": cellar.id}]


def opens(who, channel) -> Act:
    changes = actions.channels.edits.ChannelChanges(is_private=False)
    return actions.channels.edits.edit, who.record, channel.id, changes, False


def channel_events(channel, received) -> list[str]:
    """The channel events of a user, in order."""
    return [
        each["op"]
        for each in received
        if each["type"] == "stream"
        and channel.id
        in [each.get("stream_id"), *(s["stream_id"] for s in each.get("streams", []))]
    ]


def test_a_promoted_guest_receives_a_new_channel_once(chat, ana, gus, together):
    queue = gus.listens_for("stream")
    promotion = actions.people.accounts.AccountChanges(role=Role.MEMBER)

    together(
        (actions.channels.creation.create, ana.record, NewChannel("attic"), "", False),
        (actions.people.accounts.edit, ana.record, gus.id, promotion),
    )

    assert channel_events(chat.channel("attic"), queue.all()) == ["create"]


def test_a_channel_renamed_and_opened_is_reported_by_its_new_name_only(chat, together):
    ana = chat.person("ana", role="owner")
    ben = chat.person("ben")
    ana.joins("cellar", invite_only=True)
    cellar = chat.channel("cellar")
    queue = ben.listens_for("stream")

    together(renames(ana, cellar, "vault"), opens(ana, cellar))

    received = queue.all()
    assert channel_events(cellar, received) == ["create"]
    assert "cellar" not in str(received)
    assert ana.get("/get_stream_id", stream="vault").succeeds()["stream_id"] == cellar.id


def test_a_user_who_joins_and_leaves_does_not_learn_the_new_name(chat, ana, ben, together):
    ana.joins("cellar", invite_only=True)
    cellar = chat.channel("cellar")
    queue = ben.listens_for("stream", "subscription")

    together(
        (actions.channels.subscriptions.join, cellar, [ben.record]),
        (actions.channels.subscriptions.remove, cellar, [ben.record]),
        renames(ana, cellar, "vault"),
    )

    received = str(queue.all())
    assert "cellar" in received
    assert "vault" not in received


def test_a_late_poll_does_not_reveal_the_new_name(chat, ana, ben):
    queue = ben.listens_for("stream", "subscription")
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    cellar = chat.channel("cellar")
    ben.leaves("cellar")
    ana.patch(f"/streams/{cellar.id}", is_private=False).succeeds()
    ana.patch(f"/streams/{cellar.id}", is_private=True).succeeds()
    ana.patch(f"/streams/{cellar.id}", new_name="vault", description="Of gold").succeeds()
    chat.server.becomes_cold()

    received = str(queue.all())

    assert "cellar" in received
    assert "vault" not in received
    assert "gold" not in received
