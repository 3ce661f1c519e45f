"""Scheduled messages: creating, listing, changing and deleting them."""

import time
from typing import Any

import pytest
from tests.support.people import Person

from tertulia import actions, domain, features, storage
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.errors.messages import WildcardNotAllowedInChannel
from tertulia.features.scheduled.entry import ToChannel

IN_AN_HOUR = int(time.time()) + 3600
IN_TWO_HOURS = IN_AN_HOUR + 3600


def schedules(person: Person, content: str = "Soup's on", **params: Any) -> int:
    response = person.post("/scheduled_messages", content=content, **soon(**params)).succeeds()
    number: int = response["scheduled_message_id"]
    return number


def soon(**params: Any) -> dict[str, Any]:
    """In an hour to a channel, or to users if only `to` is given."""
    kind = "direct" if isinstance(params.get("to"), list) else "channel"
    found = {"type": kind, "scheduled_delivery_timestamp": IN_AN_HOUR, **params}
    if found["type"] in ("channel", "stream"):
        found.setdefault("topic", "lunch")
    return found


def listed(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.get("/scheduled_messages").succeeds()["scheduled_messages"]
    return found


# --- creating ---


def test_a_message_to_a_channel_is_scheduled(chat, in_kitchen, ana):
    queue = ana.listens_for("scheduled_messages", "message")
    kitchen = chat.channel("kitchen").id

    number = schedules(ana, to=kitchen)

    entry = {
        "scheduled_message_id": number,
        "to": kitchen,
        "type": "stream",
        "content": "Soup's on",
        "rendered_content": "<p>Soup's on</p>",
        "topic": "lunch",
        "scheduled_delivery_timestamp": IN_AN_HOUR,
        "failed": False,
    }
    assert listed(ana) == [entry]
    assert queue.all() == [
        {"type": "scheduled_messages", "op": "add", "scheduled_messages": [entry]}
    ]
    assert list(listed(ana)[0]) == list(entry)


def test_a_direct_message_lists_the_other_participants_in_order(ana, ben, cleo):
    schedules(ana, to=[cleo.id, ana.id, ben.id, cleo.id])

    (entry,) = listed(ana)
    assert (entry["type"], entry["to"]) == ("private", [ben.id, cleo.id])
    assert "topic" not in entry


def test_a_message_to_oneself_lists_oneself(ana):
    schedules(ana, to=[ana.id])

    assert listed(ana)[0]["to"] == [ana.id]


@pytest.mark.parametrize(
    "word, to_people, shown",
    [
        ("channel", False, "stream"),
        ("stream", False, "stream"),
        ("direct", True, "private"),
        ("private", True, "private"),
    ],
)
def test_all_four_names_of_the_type_are_accepted(chat, in_kitchen, ana, word, to_people, shown):
    to = [ana.id] if to_people else chat.channel("kitchen").id

    schedules(ana, to=to, type=word)

    assert listed(ana)[0]["type"] == shown


@pytest.mark.parametrize("topic", ["", "(no topic)", "general chat", "  "])
def test_the_empty_topic_has_several_names_and_is_shown_as_stored(chat, in_kitchen, ana, topic):
    schedules(ana, to=chat.channel("kitchen").id, topic=topic)

    assert listed(ana)[0]["topic"] == ""


def test_the_topic_may_be_called_subject(chat, in_kitchen, ana):
    params = soon(to=chat.channel("kitchen").id)
    params["subject"] = params.pop("topic")

    ana.post("/scheduled_messages", content="x", **params).succeeds()

    assert listed(ana)[0]["topic"] == "lunch"


def test_the_list_is_personal_and_sorted_by_time(ana, ben):
    later = schedules(ana, to=[ben.id], scheduled_delivery_timestamp=IN_TWO_HOURS)
    sooner = schedules(ana, to=[ben.id])
    schedules(ben, to=[ana.id])

    numbers = [entry["scheduled_message_id"] for entry in listed(ana)]

    assert numbers == [sooner, later]


def test_register_returns_scheduled_messages(ana, ben):
    schedules(ana, to=[ben.id])

    state = ana.registers(fetch_event_types=["scheduled_messages"])

    assert state["scheduled_messages"] == listed(ana)
    assert ben.registers(fetch_event_types=["scheduled_messages"])["scheduled_messages"] == []


def test_only_the_owner_receives_the_event(chat, in_kitchen, ana, ben):
    queue = ben.listens_for("scheduled_messages", "message")

    number = schedules(ana, to=chat.channel("kitchen").id)
    ana.patch(f"/scheduled_messages/{number}", content="Soup's gone").succeeds()
    ana.delete(f"/scheduled_messages/{number}").succeeds()

    assert queue.silent()


@pytest.mark.parametrize(
    "wrong, msg",
    [
        ({"type": "letter"}, "Invalid type: Value error, Not in the list of possible values"),
        ({"type": None}, "Missing 'type' argument"),
        ({"to": None}, "Missing 'to' argument"),
        ({"to": "kitchen"}, "to is not valid JSON"),
        ({"to": [1]}, "Invalid data type for channel ID"),
        ({"to": ["a@example.com"]}, "to[0] is not an integer"),
        ({"type": "direct", "to": 1}, "Invalid data type for recipients"),
        ({"type": "direct", "to": []}, "Message must have recipients"),
        ({"type": "direct", "to": [987654]}, "Invalid user ID 987654"),
        ({"content": None}, "Missing 'content' argument"),
        ({"content": " "}, "Message must not be empty"),
        ({"content": "a\0b"}, "Message must not contain null bytes"),
        ({"content": "x" * 10_001}, "Message is too long (limit: 10000 characters)"),
        ({"topic": None}, "Missing topic"),
        ({"topic": "x" * 61}, "topic is too long (limit: 60 characters)"),
        (
            {"scheduled_delivery_timestamp": None},
            "Missing 'scheduled_delivery_timestamp' argument",
        ),
        (
            {"scheduled_delivery_timestamp": "tomorrow"},
            "scheduled_delivery_timestamp is not valid JSON",
        ),
        (
            {"scheduled_delivery_timestamp": 1000},
            "Scheduled delivery time must be in the future.",
        ),
        (
            {"scheduled_delivery_timestamp": 10**12},
            "scheduled_delivery_timestamp is too large",
        ),
        ({"read_by_sender": "perhaps"}, "read_by_sender is not valid JSON"),
    ],
)
def test_invalid_scheduled_messages_are_refused(chat, in_kitchen, ana, wrong, msg):
    params = {"content": "x", **soon(to=chat.channel("kitchen").id), **wrong}

    ana.post("/scheduled_messages", **params).fails(msg)

    assert listed(ana) == []


def test_an_unknown_channel_is_named_in_the_answer(ana):
    response = ana.post("/scheduled_messages", content="x", **soon(to=987654)).fails(
        "Channel with ID '987654' does not exist", code="STREAM_DOES_NOT_EXIST"
    )

    assert response["stream_id"] == 987654


def test_the_current_second_is_not_in_the_future(chat, ana):
    now = int(chat.server.clock())

    ana.post(
        "/scheduled_messages",
        content="x",
        **soon(to=[ana.id], scheduled_delivery_timestamp=now),
    ).fails("Scheduled delivery time must be in the future.")


def test_posting_permissions_are_checked_on_creation(chat, in_kitchen, ana, ben):
    cleo = chat.person("cleo")
    chat.write(_found_private, ana.record, "vault")
    chat.write(actions.people.users.deactivate, ben.id)
    vault = chat.channel("vault").id

    cleo.post("/scheduled_messages", content="x", **soon(to=vault)).fails(
        f"Channel with ID '{vault}' does not exist", code="STREAM_DOES_NOT_EXIST"
    )
    cleo.post("/scheduled_messages", content="x", **soon(to=[ben.id])).fails(
        "A recipient's account is deactivated."
    )


def test_the_topic_policy_is_checked_on_creation(chat, in_kitchen, ana):
    chat.set("topics_policy", "disable_empty_topic")

    ana.post(
        "/scheduled_messages", content="x", **soon(to=chat.channel("kitchen").id, topic="")
    ).fails("Sending messages to the general chat is not allowed in this channel.")


def test_a_wildcard_mention_in_a_large_channel_is_refused_on_creation(chat):
    people = chat.people(*(f"p{number}" for number in range(16)), channels=["stalls"])
    to = ToChannel(chat.channel("stalls").id, "x")
    draft = Draft("@**all** come", "…", 0, "tests", False, Mentions(channel_wildcard=True))
    chat.permit("can_mention_many_users_group", "moderators")

    with pytest.raises(WildcardNotAllowedInChannel):
        chat.write(
            features.scheduled.transactions.create,
            people[0].record,
            to,
            draft,
            None,
            IN_AN_HOUR,
            "x.invalid",
        )


@pytest.mark.parametrize("to_people", [False, True])
def test_a_forbidden_group_mention_is_refused_on_creation(chat, to_people):
    ana, owner = chat.person("ana", channels=["kitchen"]), chat.person("root", role="owner")
    group = {"name": "cooks", "description": "", "members": [ana.id]}
    owner.post(
        "/user_groups/create", **group, can_mention_group=chat.group("moderators")
    ).succeeds()
    to = [ana.id] if to_people else chat.channel("kitchen").id
    number = schedules(ana, to=to)
    refusal = "You are not allowed to mention user group 'cooks'."

    ana.post("/scheduled_messages", content="@*cooks* soup", **soon(to=to)).fails(refusal)
    ana.patch(f"/scheduled_messages/{number}", content="@*cooks* soup").fails(refusal)

    assert [entry["content"] for entry in listed(ana)] == ["Soup's on"]


def test_bots_may_schedule(chat):
    bot = chat.person("bot", bot="generic", channels=["kitchen"])

    schedules(bot, to=chat.channel("kitchen").id)

    assert len(listed(bot)) == 1


def test_anonymous_callers_may_not_schedule(chat):
    for method, path in [
        ("GET", "/scheduled_messages"),
        ("POST", "/scheduled_messages"),
        ("PATCH", "/scheduled_messages/1"),
        ("DELETE", "/scheduled_messages/1"),
    ]:
        chat.stranger.request(method, path).asks_to_log_in()


def test_unknown_parameters_are_ignored_and_listed(ana):
    response = ana.post(
        "/scheduled_messages", content="x", mood="good", **soon(to=[ana.id])
    ).succeeds()

    assert response["ignored_parameters_unsupported"] == ["mood"]


# --- changing ---


@pytest.mark.parametrize(
    "change, expected",
    [
        ({"content": "Soup's off"}, {"rendered_content": "<p>Soup's off</p>"}),
        (
            {"scheduled_delivery_timestamp": IN_TWO_HOURS},
            {"scheduled_delivery_timestamp": IN_TWO_HOURS},
        ),
        ({"topic": "dinner"}, {"topic": "dinner"}),
        ({"subject": "dinner"}, {"topic": "dinner"}),
        ({"topic": "general chat"}, {"topic": ""}),
        ({"type": "channel"}, {}),
        ({"type": "stream", "topic": "dinner"}, {"topic": "dinner"}),
    ],
)
def test_only_given_parameters_change(chat, in_kitchen, ana, change, expected):
    number = schedules(ana, to=chat.channel("kitchen").id)
    (before,) = listed(ana)
    queue = ana.listens_for("scheduled_messages")

    ana.patch(f"/scheduled_messages/{number}", **change).succeeds()

    if "content" in change:
        expected = {**expected, "content": change["content"]}
    after = {**before, **expected}
    assert listed(ana) == [after]
    assert queue.all() == [
        {"type": "scheduled_messages", "op": "update", "scheduled_message": after}
    ]


def test_a_scheduled_message_may_move_to_another_channel(chat):
    ana = chat.person("ana", channels=["kitchen", "garden"])
    number = schedules(ana, to=chat.channel("kitchen").id)

    ana.patch(f"/scheduled_messages/{number}", to=chat.channel("garden").id).succeeds()

    (entry,) = listed(ana)
    assert (entry["to"], entry["topic"]) == (chat.channel("garden").id, "lunch")


def test_a_scheduled_message_may_become_a_direct_message(chat, in_kitchen, ana, ben):
    number = schedules(ana, to=chat.channel("kitchen").id)

    ana.patch(f"/scheduled_messages/{number}", type="direct", to=[ben.id]).succeeds()

    (entry,) = listed(ana)
    assert (entry["type"], entry["to"]) == ("private", [ben.id])
    assert "topic" not in entry


def test_a_scheduled_message_may_become_a_channel_message(chat, in_kitchen, ana, ben):
    number = schedules(ana, to=[ben.id])
    kitchen = chat.channel("kitchen").id

    ana.patch(f"/scheduled_messages/{number}", type="channel", to=kitchen, topic="x").succeeds()

    (entry,) = listed(ana)
    assert (entry["type"], entry["to"], entry["topic"]) == ("stream", kitchen, "x")


@pytest.mark.parametrize("topic", ["anything", "x" * 100])
def test_the_topic_of_a_direct_message_is_ignored(ana, ben, topic):
    number = schedules(ana, to=[ben.id])

    ana.patch(f"/scheduled_messages/{number}", topic=topic).succeeds()

    assert "topic" not in listed(ana)[0]


@pytest.mark.parametrize(
    "change, msg",
    [
        ({}, "Nothing to change"),
        ({"type": "direct"}, "Recipient required when updating type of scheduled message."),
        ({"type": "letter"}, "Invalid type: Value error, Not in the list of possible values"),
        ({"to": [1]}, "Invalid data type for channel ID"),
        ({"to": 987654}, "Channel with ID '987654' does not exist"),
        ({"type": "direct", "to": [987654]}, "Invalid user ID 987654"),
        ({"type": "direct", "to": 1}, "Invalid data type for recipients"),
        ({"content": ""}, "Message must not be empty"),
        ({"content": "x" * 10_001}, "Message is too long (limit: 10000 characters)"),
        ({"topic": "x" * 61}, "topic is too long (limit: 60 characters)"),
        ({"scheduled_delivery_timestamp": 1000}, "Scheduled delivery time must be in the future."),
    ],
)
def test_invalid_changes_are_refused(chat, in_kitchen, ana, change, msg):
    number = schedules(ana, to=chat.channel("kitchen").id)
    before = listed(ana)

    code = "STREAM_DOES_NOT_EXIST" if change.get("to") == 987654 else "BAD_REQUEST"
    ana.patch(f"/scheduled_messages/{number}", **change).fails(msg, code=code)

    assert listed(ana) == before


def test_a_direct_message_needs_a_topic_to_become_a_channel_message(chat, in_kitchen, ana):
    number = schedules(ana, to=[ana.id])

    ana.patch(f"/scheduled_messages/{number}", type="channel", to=chat.channel("kitchen").id).fails(
        "Topic required when updating scheduled message type to channel."
    )


@pytest.mark.parametrize("change", [{"content": "x"}, {"topic": "x"}, {"type": "channel"}])
def test_a_change_is_checked_against_the_permissions_again(chat, in_kitchen, ana, change):
    number = schedules(ana, to=chat.channel("kitchen").id)
    chat.write(_archive, "kitchen")

    ana.patch(f"/scheduled_messages/{number}", **change).fails(
        "Not authorized to send to channel 'kitchen'"
    )


def test_a_change_of_the_time_alone_is_not_checked_again(chat, in_kitchen, ana):
    number = schedules(ana, to=chat.channel("kitchen").id)
    chat.write(_archive, "kitchen")

    ana.patch(f"/scheduled_messages/{number}", scheduled_delivery_timestamp=IN_TWO_HOURS).succeeds()


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_messages_of_others_do_not_exist(ana, ben, method):
    number = schedules(ana, to=[ben.id])

    ben.request(method, f"/scheduled_messages/{number}", content="x").fails(
        "Scheduled message does not exist"
    )
    ben.request(method, "/scheduled_messages/987654321", content="x").fails(
        "Scheduled message does not exist"
    )
    assert len(listed(ana)) == 1


# --- deleting ---


def test_a_deleted_message_is_gone(ana):
    number = schedules(ana, to=[ana.id])
    queue = ana.listens_for("scheduled_messages")

    ana.delete(f"/scheduled_messages/{number}").succeeds()

    assert listed(ana) == []
    assert queue.all() == [
        {"type": "scheduled_messages", "op": "remove", "scheduled_message_id": number}
    ]
    ana.delete(f"/scheduled_messages/{number}").fails("Scheduled message does not exist")


def test_nothing_of_a_deleted_message_remains(chat, ana):
    queue = ana.listens_for("scheduled_messages")
    number = schedules(ana, "a secret", to=[ana.id])

    ana.delete(f"/scheduled_messages/{number}").succeeds()

    chat.server.lose_mailbox(queue.queue_id)
    assert [event["op"] for event in queue.all()] == ["remove"]
    assert chat.read(features.scheduled.entry.find, number) is None
    entries = chat.read(storage.log.after, chat.realm.id, 0, 1000)
    assert not any("a secret" in entry.payload for entry in entries)


def _found_private(tx, creator, name):
    actions.channels.creation.create_unchecked(tx, creator, NewChannel(name, invite_only=True), "")


def _archive(tx, name):
    tx.execute(
        "UPDATE channel SET archived = TRUE WHERE realm_id = :realm AND name = :name",
        realm=tx.realm_id,
        name=name,
    )


def test_the_number_of_scheduled_messages_is_limited(ana, monkeypatch):
    monkeypatch.setattr(features.scheduled.transactions, "MAX_PER_USER", 1)
    monkeypatch.setattr(features.reminders, "MAX_REMINDERS", 1)
    note = ana.says("milk", to=[ana])
    later = {"scheduled_delivery_timestamp": IN_TWO_HOURS}
    message = {"type": "direct", "to": [ana.id], "content": "x", **later}

    ana.post("/scheduled_messages", **message).succeeds()
    ana.post("/reminders", message_id=note.id, **later).succeeds()

    ana.post("/scheduled_messages", **message).fails("Too many scheduled messages (limit: 1)")
    ana.post("/reminders", message_id=note.id, **later).fails("Too many reminders (limit: 1)")
    assert len(ana.get("/scheduled_messages").succeeds()["scheduled_messages"]) == 1
    assert len(ana.get("/reminders").succeeds()["reminders"]) == 1


@pytest.mark.on_both
def test_the_length_of_all_scheduled_messages_is_limited(ana, monkeypatch):
    monkeypatch.setattr(domain.limits, "LATER_UNCOUNTED", 2)
    monkeypatch.setattr(domain.limits, "MAX_LATER_LENGTH", 1000)
    note = ana.says("x" * 250, to=[ana])
    later = {"scheduled_delivery_timestamp": IN_TWO_HOURS}
    first = schedules(ana, "x" * 200, to=[ana.id])
    schedules(ana, "y" * 200, to=[ana.id])
    for _ in range(2):
        ana.post("/reminders", message_id=note.id, **later).succeeds()

    refusals = [
        ana.post("/scheduled_messages", content="x" * 100, **soon(to=[ana.id])),
        ana.patch(f"/scheduled_messages/{first}", content="x" * 300),
        ana.post("/reminders", message_id=note.id, **later),
    ]

    limit = "(limit: 1000 characters, with their HTML)"
    for refused, what in zip(refusals, ["scheduled messages"] * 2 + ["reminders"], strict=True):
        refused.fails(f"Your {what} together are too long {limit}")
    ana.patch(f"/scheduled_messages/{first}", content="x").succeeds()
    schedules(ana, "z" * 100, to=[ana.id])
