"""What is committed together is told one by one, by a directory that knows all of it already."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tertulia.actions import channel_edits, settings

Act = tuple[Any, ...]  # an action and its arguments


@pytest.fixture
def together(chat) -> Callable[..., list[Any]]:
    """Have acts done in one gathering, in this order."""

    async def gather(acts: tuple[Act, ...]) -> list[Any]:
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

    return lambda *acts: chat.server.do(gather(acts))


def renames(who, channel, name) -> Act:
    return channel_edits.edit, who.record, channel.id, channel_edits.Changes(name=name), False


def moves_to(who, email) -> Act:
    return settings.change, who.record, settings.Changes(email=email)


def test_a_channel_may_take_the_name_that_another_gives_up(chat, together):
    ana = chat.person("ana", role="owner", channels=["kitchen", "garden"])
    kitchen, garden = chat.channel("kitchen"), chat.channel("garden")

    together(renames(ana, garden, "attic"), renames(ana, kitchen, "garden"))

    named = {
        name: ana.get("/get_stream_id", stream=name).succeeds()["stream_id"]
        for name in ("attic", "garden")
    }
    assert named == {"attic": garden.id, "garden": kitchen.id}
    ana.get("/get_stream_id", stream="kitchen").fails("Invalid channel name 'kitchen'")


def test_a_channel_renamed_twice_has_its_last_name(chat, together):
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    kitchen = chat.channel("kitchen")
    ears = ana.listens_for("stream")

    together(renames(ana, kitchen, "attic"), renames(ana, kitchen, "garden"))

    assert ana.get("/get_stream_id", stream="garden").succeeds()["stream_id"] == kitchen.id
    for former in ("attic", "kitchen"):
        ana.get("/get_stream_id", stream=former).fails(f"Invalid channel name '{former}'")
    assert [(each["name"], each["value"]) for each in ears.all() if "name" in each.values()] == [
        ("kitchen", "attic"),
        ("attic", "garden"),
    ]


def test_an_address_may_go_from_one_to_another(chat, together):
    admin = chat.person("admin", role="owner")
    ana, ben = chat.people("ana", "ben")

    together(moves_to(ben, "benno@example.com"), moves_to(ana, ben.email))

    found = {
        email: admin.get(f"/users/{email}").succeeds()["user"]["user_id"]
        for email in ("benno@example.com", ben.email)
    }
    assert found == {"benno@example.com": ben.id, ben.email: ana.id}
    admin.get(f"/users/{ana.email}").fails("No such user")
