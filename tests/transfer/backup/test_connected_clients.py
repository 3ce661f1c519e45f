"""Who was connected when a backup was put back finds everything again, without a hand on it."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.support import phone_app
from tests.support.browser_user import open_page
from tests.support.cli_runner import Terminal
from tests.support.databases import Databases, Kind
from tests.support.people import Chat, Person
from tests.support.server import SECRET
from tests.support.waiting import TIMEOUT_SECONDS, eventually
from tests.support.zulip_bot import connects, listens

from tertulia import storage


class Phone:
    """The mobile app, by what it asks: it registers, fetches, polls, and begins again when told."""

    def __init__(self, owner: Person) -> None:
        self.owner = owner
        self.shown: dict[int, str] = {}
        self.begin()

    def begin(self) -> None:
        state = self.owner.registers(**phone_app.OPTIONS)
        self.queue_id, self.last = state["queue_id"], state["last_event_id"]
        wanted = {"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": json.dumps([])}
        found = self.owner.get("/messages", **wanted, allow_empty_topic_name=True).succeeds()
        self.shown = {each["id"]: each["content"] for each in found["messages"]}

    def polls(self) -> None:
        position = {"queue_id": self.queue_id, "last_event_id": self.last}
        response = self.owner.get("/events", **position)
        if response.json.get("code") == "BAD_EVENT_QUEUE_ID":
            self.begin()
            return
        for event in response.succeeds()["events"]:
            self.apply(event)

    def apply(self, event: dict[str, Any]) -> None:
        self.last = event["id"]
        if event["type"] == "message":
            self.shown[event["message"]["id"]] = event["message"]["content"]


def puts_back(chat: Chat, file: Path, place: tuple[str, Path]) -> None:
    """What a backup holds, in an empty place, served where it was before."""
    server = chat.server
    server.stop()
    server.url, server.folder = place
    restored = Terminal(server.folder, server.url).runs(
        "restore", str(file), TERTULIA_SECRET=SECRET
    )
    assert restored.code == 0, restored.err
    server.start()


@pytest.mark.on_one
def test_clients_register_again_after_a_restore(
    own_chat: Chat, kind: Kind, databases: Databases, tmp_path: Path, chromium: Browser
):
    server, file = own_chat.server, tmp_path / "backup.tar"
    ana, ben, cleo, dan = own_chat.people("ana", "ben", "cleo", "dan", channels=["kitchen"])
    kept = ana.says("This was there before", to="kitchen > lunch")
    event, full = listens(connects(ben), 2)
    phone = Phone(cleo)
    page = open_page(chromium, own_chat, dan)
    page.goes(f"#narrow/channel/{own_chat.channel('kitchen').id}-kitchen/topic/lunch")
    page.page.evaluate("navigator.serviceWorker.ready.then(() => null)")  # fetched before the stop
    listeners = (ben, cleo, dan)

    def queues() -> list[set[str]]:
        read = (
            server.read(own_chat.realm.id, storage.queues.of_user, each.id) for each in listeners
        )
        return [set(each) for each in read]

    before = queues()
    folder = Terminal(server.folder, server.url)
    assert folder.runs("backup", str(file), TERTULIA_SECRET=SECRET).code == 0
    lost = ana.says("This will be lost", to="kitchen > lunch")
    eventually(lambda: len(event) == 1)
    phone.polls()
    expect(page.message("This will be lost")).to_be_visible()
    assert phone.shown.keys() == {kept.id, lost.id}

    puts_back(own_chat, file, databases.new(kind, untouched=True))
    phone.polls()
    eventually(lambda: all(queues()))
    new = ana.says("Who is hungry?", to="kitchen > lunch")
    phone.polls()

    assert full.wait(TIMEOUT_SECONDS)
    assert [each["content"] for each in event] == ["This will be lost", "Who is hungry?"]
    assert event[1]["id"] == new.id > lost.id + 1_000_000
    assert phone.shown == {
        kept.id: "<p>This was there before</p>",
        new.id: "<p>Who is hungry?</p>",
    }
    expect(page.message("Who is hungry?")).to_be_visible()
    expect(page.message("This was there before")).to_be_visible()
    expect(page.message("This will be lost")).to_have_count(0)
    assert not page.errors
    assert all(not was & now for was, now in zip(before, queues(), strict=True))
    page.context.close()
