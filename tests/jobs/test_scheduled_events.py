"""A watcher has the state of a newcomer after messages were scheduled, sent or failed."""

import random
from typing import Any

import pytest
from tests.support.people import Person


class Watcher:
    """A client that applies events."""

    def __init__(self, person: Person) -> None:
        state = person.registers(
            event_types=["scheduled_messages", "reminders"],
            fetch_event_types=["scheduled_messages", "reminders"],
        )
        self._person = person
        self._queue_id, self._last = state["queue_id"], state["last_event_id"]
        self.scheduled = by("scheduled_message_id", state["scheduled_messages"])
        self.reminders = by("reminder_id", state["reminders"])

    def catch_up(self) -> None:
        response = self._person.get(
            "/events", queue_id=self._queue_id, last_event_id=self._last, dont_block=True
        ).succeeds()
        for event in response["events"]:
            self._last = event["id"]
            if event["type"] == "scheduled_messages":
                self._believe(self.scheduled, "scheduled_message", event)
            else:
                self._believe(self.reminders, "reminder", event)

    def _believe(self, known: dict[int, Any], word: str, event: dict[str, Any]) -> None:
        if event["op"] == "remove":
            del known[event[f"{word}_id"]]
            return
        for each in event.get(f"{word}s") or [event[word]]:
            assert (each[f"{word}_id"] in known) is (event["op"] == "update")
            known[each[f"{word}_id"]] = each


def by(key: str, entries: list[dict[str, Any]]) -> dict[int, Any]:
    return {entry[key]: entry for entry in entries}


@pytest.mark.parametrize("seed", range(3))
def test_a_watcher_has_the_state_of_a_newcomer(chat, seed):
    chance = random.Random(seed)
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    soup = ben.says("soup", to="kitchen > lunch")
    watcher = Watcher(ana)

    for step in range(40):
        _do_something(chance, chat, ana, soup.id, step)
        watcher.catch_up()
        newcomer = ana.registers(fetch_event_types=["scheduled_messages", "reminders"])
        assert watcher.scheduled == by("scheduled_message_id", newcomer["scheduled_messages"])
        assert watcher.reminders == by("reminder_id", newcomer["reminders"])


def _do_something(
    chance: random.Random, chat: Any, ana: Person, message_id: int, step: int
) -> None:
    entries = ana.get("/scheduled_messages").succeeds()["scheduled_messages"]
    reminders = ana.get("/reminders").succeeds()["reminders"]
    at = chat.in_seconds(chance.choice([60, 600, 3600]))
    what = chance.choice(["write", "write", "ask", "edit", "edit", "delete", "forget", "wait"])
    if what == "write":
        ana.post(
            "/scheduled_messages",
            type="channel",
            to=chat.channel("kitchen").id,
            topic="lunch",
            content=f"step {step}",
            scheduled_delivery_timestamp=at,
        ).succeeds()
    elif what == "ask":
        ana.post("/reminders", message_id=message_id, scheduled_delivery_timestamp=at).succeeds()
    elif what == "edit" and entries:
        number = chance.choice(entries)["scheduled_message_id"]
        change = {"content": f"step {step}", "scheduled_delivery_timestamp": at}
        ana.patch(f"/scheduled_messages/{number}", **change).succeeds()
    elif what == "delete" and entries:
        number = chance.choice(entries)["scheduled_message_id"]
        ana.delete(f"/scheduled_messages/{number}").succeeds()
    elif what == "forget" and reminders:
        ana.delete(f"/reminders/{chance.choice(reminders)['reminder_id']}").succeeds()
    else:
        chat.advance(minutes=chance.choice([1, 5, 30]))  # some are sent, some are too late
