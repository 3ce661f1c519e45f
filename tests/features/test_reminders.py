"""Reminders: creating, listing and deleting them."""

import time
from typing import Any

import pytest
from tests.support.people import Person

from tertulia import domain

IN_AN_HOUR = int(time.time()) + 3600


def asks(person: Person, message_id: int, **params: Any) -> int:
    params = {"scheduled_delivery_timestamp": IN_AN_HOUR, **params}
    number: int = person.post("/reminders", message_id=message_id, **params).succeeds()[
        "reminder_id"
    ]
    return number


def listed(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.get("/reminders").succeeds()["reminders"]
    return found


def test_a_reminder_of_a_channel_message_quotes_it(chat, in_kitchen, ana, ben):
    soup = ana.says("The soup is **ready**", to="kitchen > soup")
    queue = ben.listens_for("reminders")

    number = asks(ben, soup.id, note="wash the **pot**")

    link = domain.messages.links.topic_link(chat.channel("kitchen").id, "kitchen", "soup")
    (reminder,) = listed(ben)
    assert reminder.pop("rendered_content").startswith("<p>You requested a reminder")
    assert reminder == {
        "reminder_id": number,
        "to": [ben.id],
        "type": "private",
        "content": (
            "You requested a reminder for the following message. Note:\n > wash the **pot**\n\n"
            f"@_**Ana|{ana.id}** [said](http://{chat.host}/{link}/near/{soup.id})"
            f" in [#kitchen > soup]({link}/with/{soup.id}):\n"
            "```quote\nThe soup is **ready**\n```"
        ),
        "scheduled_delivery_timestamp": IN_AN_HOUR,
        "failed": False,
        "reminder_target_message_id": soup.id,
    }
    (event,) = queue.all()
    assert (event["type"], event["op"], event["reminders"]) == ("reminders", "add", listed(ben))


def test_a_reminder_of_a_direct_message_names_its_recipients(chat, ana, ben):
    hello = ana.says("hello Ben", to=[ben])

    asks(ana, hello.id)

    ids = f"{ana.id},{ben.id}"
    assert listed(ana)[0]["to"] == [ana.id]
    assert listed(ana)[0]["content"] == (
        "You requested a reminder for the following direct message.\n\n"
        f"@_**Ana|{ana.id}** [said](http://{chat.host}/#narrow/dm/{ids}/near/{hello.id})"
        f" to @_**Ben|{ben.id}**:\n```quote\nhello Ben\n```"
    )


def test_register_returns_reminders(ana, ben):
    hello = ana.says("hello", to=[ben])
    asks(ana, hello.id)

    assert ana.registers(fetch_event_types=["reminders"])["reminders"] == listed(ana)
    assert ben.registers(fetch_event_types=["reminders"])["reminders"] == []


def test_reminders_are_sorted_by_time(ana):
    note = ana.says("milk", to=[ana])
    later = asks(ana, note.id, scheduled_delivery_timestamp=IN_AN_HOUR + 60)
    sooner = asks(ana, note.id)

    assert [each["reminder_id"] for each in listed(ana)] == [sooner, later]


def test_a_reminder_requires_access_to_the_message(ana, ben, cleo):
    secret = ana.says("psst", to=[ben])

    for message_id in (secret.id, 987654321):
        cleo.post(
            "/reminders", message_id=message_id, scheduled_delivery_timestamp=IN_AN_HOUR
        ).fails("Invalid message(s)")


@pytest.mark.parametrize(
    "wrong, msg",
    [
        ({"message_id": None}, "Missing 'message_id' argument"),
        (
            {"scheduled_delivery_timestamp": None},
            "Missing 'scheduled_delivery_timestamp' argument",
        ),
        ({"scheduled_delivery_timestamp": 1000}, "Scheduled delivery time must be in the future."),
        ({"note": "n" * 1001}, "Maximum reminder note length: 1000 characters"),
    ],
)
def test_invalid_reminders_are_refused(ana, wrong, msg):
    milk = ana.says("milk", to=[ana])
    params = {"message_id": milk.id, "scheduled_delivery_timestamp": IN_AN_HOUR, **wrong}

    ana.post("/reminders", **params).fails(msg)

    assert listed(ana) == []


def test_the_longest_message_with_the_longest_note_fits(ana):
    long_message = ana.says("x" * 10_000, to=[ana])

    asks(ana, long_message.id, note="n" * 1000)

    content = listed(ana)[0]["content"]
    assert len(content) == 10_000
    assert content.endswith("x\n[message truncated]\n```")


def test_a_quoted_fence_stays_inside_the_quotation(ana):
    code = ana.says("```python\nprint()\n```", to=[ana])

    asks(ana, code.id)

    assert listed(ana)[0]["content"].endswith("````quote\n```python\nprint()\n```\n````")


def test_a_deleted_reminder_is_gone(ana, ben):
    milk = ana.says("milk", to=[ana])
    number = asks(ana, milk.id)
    queue, others = ana.listens_for("reminders"), ben.listens_for("reminders")

    ben.delete(f"/reminders/{number}").fails("Reminder does not exist", status=404)
    ana.delete(f"/reminders/{number}").succeeds()

    assert listed(ana) == []
    assert queue.all() == [{"type": "reminders", "op": "remove", "reminder_id": number}]
    assert others.silent()
    ana.delete(f"/reminders/{number}").fails("Reminder does not exist", status=404)


def test_bots_may_create_reminders(chat):
    bot = chat.person("bot", bot="generic", channels=["kitchen"])
    soup = bot.says("soup", to="kitchen > x")

    asks(bot, soup.id)

    assert len(listed(bot)) == 1


def test_anonymous_callers_cannot_create_reminders(chat):
    for method, path in [("GET", ""), ("POST", ""), ("DELETE", "/1")]:
        chat.stranger.request(method, f"/reminders{path}").asks_to_log_in()
