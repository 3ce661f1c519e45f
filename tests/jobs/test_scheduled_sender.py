"""Scheduled messages are sent once, in order, by the rules of that moment, or fail with a
notice."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.people import Chat, Person
from tests.support.waiting import eventually

from tertulia import actions, domain, features
from tertulia.database import OrgDatabase
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import NOTIFICATION_BOT
from tertulia.features.scheduled.endpoints import SCHEDULED
from tertulia.features.scheduled.entry import ToChannel
from tertulia.features.scheduled.sender import MAX_CLAIMED, ScheduledKind


def schedules(person: Person, content: str = "Soup's on", *, at: int, **params: Any) -> int:
    if "to" not in params:
        params["to"] = person.chat.channel("kitchen").id
    kind = "direct" if isinstance(params["to"], list) else "channel"
    params = {"type": kind, "scheduled_delivery_timestamp": at, **params}
    if kind == "channel":
        params.setdefault("topic", "lunch")
    response = person.post("/scheduled_messages", content=content, **params).succeeds()
    number: int = response["scheduled_message_id"]
    return number


def waiting(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.get("/scheduled_messages").succeeds()["scheduled_messages"]
    return found


def texts(person: Person) -> list[str]:
    """All messages that this user can read, in order."""
    response = person.get(
        "/messages", anchor="oldest", num_after=5000, apply_markdown=False
    ).succeeds()
    return [message["content"] for message in response["messages"]]


def notices(person: Person) -> list[str]:
    response = person.get(
        "/messages",
        anchor="oldest",
        num_after=100,
        apply_markdown=False,
        narrow=[{"operator": "is", "operand": "dm"}],
    ).succeeds()
    return [
        message["content"]
        for message in response["messages"]
        if message["sender_full_name"] == "Notification Bot"
    ]


def notice(at: int, reason: str) -> str:
    moment = datetime.fromtimestamp(at, UTC).isoformat()
    return (
        f"The message you scheduled for <time:{moment}> was not sent because of the following"
        f" error:\n\n> {reason}\n\n[View scheduled messages](#scheduled)"
    )


# --- on time ---


def test_a_due_message_becomes_an_ordinary_message(chat, in_kitchen, ana, ben):
    hers, his = ana.listens_for("scheduled_messages", "message"), ben.listens_for("message")
    at = chat.in_seconds(60)
    number = schedules(ana, "Soup's *on*", at=at)
    hers.all()

    chat.advance(seconds=59 - 1)
    assert (texts(ben), len(waiting(ana))) == ([], 1)
    chat.advance(seconds=2)

    sent, gone = hers.all()
    assert (sent["type"], sent["message"]["content"]) == ("message", "Soup's *on*")
    assert sent["message"]["timestamp"] >= at
    assert gone == {"type": "scheduled_messages", "op": "remove", "scheduled_message_id": number}
    (received,) = his.all()
    assert (received["message"]["sender_id"], received["message"]["subject"]) == (ana.id, "lunch")
    assert waiting(ana) == []


def test_a_message_to_a_channel_in_slow_mode_waits_for_its_turn(chat, in_kitchen, ana, ben):
    ana.patch(f"/streams/{chat.channel('kitchen').id}", slow_mode_seconds=600).succeeds()
    at = chat.in_seconds(60)
    schedules(ben, "Later", at=at)
    ben.says("Now", to="kitchen > lunch")

    chat.advance(seconds=62)

    (entry,) = waiting(ben)
    assert not entry["failed"]
    assert at + 500 < entry["scheduled_delivery_timestamp"] <= at + 601
    chat.advance(seconds=600)
    assert (texts(ben)[-2:], waiting(ben)) == (["Now", "Later"], [])


def test_the_server_sends_it_within_a_second(own_chat):
    ana, ben = own_chat.people("ana", "ben")
    queue = ben.listens_for("message")
    at = int(own_chat.server.clock()) + 2
    schedules(ana, at=at, to=[ben.id])

    (event,) = queue.waits().result(10)

    assert event["message"]["content"] == "Soup's on"
    assert at <= event["message"]["timestamp"] <= at + 1


def test_a_message_due_during_a_run_is_sent_soon(chat):
    house, garden = chat.realm.id, Chat.found(chat.server).realm.id
    due = {house: list(range(500)), garden: []}
    sent: list[int] = []

    async def deliver(db: OrgDatabase, _: Any, entry: int, *rest: Any) -> bool:
        sent.append(db.realm_id)
        if len(sent) == 100:
            due[garden] = [1000]
        due[db.realm_id].remove(entry)
        return True

    async def compose(*_: Any) -> Draft:
        return Draft("", "", 0, "tests", False)

    kind: ScheduledKind[int] = ScheduledKind(
        lambda tx: [realm_id for realm_id, entries in due.items() if entries],
        lambda tx, most: due[tx.realm_id][:most],
        compose,
        deliver,
        fail=deliver,
    )
    server = chat.server
    server.send_due(kind)

    assert (sent.count(house), sent.count(garden)) == (500, 1)
    assert sent.index(garden) <= 100 + 2 * MAX_CLAIMED


def test_each_message_waits_for_the_commit_of_the_one_before(chat):
    # Concurrent writes of an organization keep no order if another transaction has locked it.
    due, running, sent = list(range(10)), set[int](), list[int]()

    async def deliver(db: OrgDatabase, _: Any, entry: int, *rest: Any) -> bool:
        assert not running
        running.add(entry)
        await asyncio.sleep(0)
        running.remove(entry)
        due.remove(entry)
        sent.append(entry)
        return True

    async def compose(*_: Any) -> Draft:
        return Draft("", "", 0, "tests", False)

    async def fail(*_: Any) -> bool:
        return False

    kind: ScheduledKind[int] = ScheduledKind(
        lambda tx: [chat.realm.id] if due else [],
        lambda tx, most: due[:most],
        compose,
        deliver,
        fail,
    )
    chat.server.send_due(kind)

    assert sent == list(range(10))


def test_a_sent_message_is_not_sent_again(chat, in_kitchen, ana):
    schedules(ana, at=chat.in_seconds(60))

    chat.advance(seconds=61)
    chat.run_due_jobs()
    chat.advance(minutes=5)

    assert texts(ana) == ["Soup's on"]


def test_an_edit_after_sending_gets_an_error(chat, in_kitchen, ana):
    number = schedules(ana, at=chat.in_seconds(60))
    chat.advance(seconds=61)

    for request in (
        ana.patch(f"/scheduled_messages/{number}", content="No soup"),
        ana.delete(f"/scheduled_messages/{number}"),
    ):
        request.fails("Scheduled message was already sent")
    ben = chat.person("ben")
    ben.patch(f"/scheduled_messages/{number}", content="x").fails(
        "Scheduled message does not exist"
    )


def test_only_the_id_of_a_sent_message_is_kept(chat, in_kitchen, ana):
    number = schedules(ana, "a secret", at=chat.in_seconds(60))
    chat.advance(seconds=61)

    entry = chat.read(features.scheduled.entry.find, number)

    assert entry.content == entry.rendered == ""
    assert entry.to == ToChannel(chat.channel("kitchen").id, "")


def test_an_edited_message_is_sent_with_its_new_text_and_time(chat, in_kitchen, ana, ben):
    number = schedules(ana, at=chat.in_seconds(60))
    ana.patch(
        f"/scheduled_messages/{number}",
        content="Dinner!",
        topic="dinner",
        scheduled_delivery_timestamp=chat.in_seconds(120),
    ).succeeds()

    chat.advance(seconds=61)
    assert texts(ben) == []
    chat.advance(seconds=60)

    assert texts(ben) == ["Dinner!"]


def test_a_deleted_message_is_never_sent(chat, in_kitchen, ana):
    number = schedules(ana, at=chat.in_seconds(60))

    ana.delete(f"/scheduled_messages/{number}").succeeds()
    chat.advance(seconds=61)

    assert texts(ana) == []


def test_messages_of_the_same_second_are_sent_in_the_order_they_were_written(chat, in_kitchen, ana):
    at = chat.in_seconds(60)
    numbers = [schedules(ana, f"course {number}", at=at) for number in range(20)]
    ana.patch(f"/scheduled_messages/{numbers[3]}", content="course 3, warmed up").succeeds()

    chat.advance(seconds=61)

    expected = [f"course {number}" for number in range(20)]
    expected[3] = "course 3, warmed up"
    assert texts(ana) == expected


def test_messages_are_sent_in_order_of_their_time(chat, in_kitchen, ana):
    schedules(ana, "second", at=chat.in_seconds(60))
    schedules(ana, "first", at=chat.in_seconds(30))

    chat.advance(seconds=61)

    assert texts(ana) == ["first", "second"]


@pytest.mark.parametrize(
    "client, chosen, to_self, is_read",
    [
        ("ZulipMobile/1.0", None, False, True),
        ("ZulipMobile/1.0", None, True, False),
        ("ZulipMobile/1.0", False, False, False),
        ("ZulipMobile/1.0", True, True, True),
        ("my-script/1.0", None, False, False),
        ("my-script/1.0", True, False, True),
    ],
)
def test_a_sent_message_is_read_by_its_sender_as_usual(
    chat, ana, ben, client, chosen, to_self, is_read
):
    to = [ana.id] if to_self else [ben.id]
    writer = ana.with_headers(User_Agent=client)
    schedules(writer, at=chat.in_seconds(60), to=to, read_by_sender=chosen)
    queue = ana.listens_for("message")

    chat.advance(seconds=61)

    assert ("read" in queue.next()["flags"]) is is_read


def test_the_topic_is_followed_as_after_any_send(chat, in_kitchen, ana):
    schedules(ana, at=chat.in_seconds(60))
    queue = ana.listens_for("user_topic", "message", "scheduled_messages")

    chat.advance(seconds=61)

    assert [event["type"] for event in queue.all()] == [
        "user_topic",
        "message",
        "scheduled_messages",
    ]


# --- failures ---


def _archive(tx, name):
    tx.execute(
        "UPDATE channel SET archived = TRUE WHERE realm_id = :realm AND name = :name",
        realm=tx.realm_id,
        name=name,
    )


def _close_organization(tx):
    tx.execute("UPDATE realm SET deactivated = TRUE WHERE id = :id", id=tx.realm_id)


def test_a_deleted_channel_fails_the_message_and_notifies_its_owner(chat, in_kitchen, ana, ben):
    at = chat.in_seconds(60)
    number = schedules(ana, at=at)
    (entry,) = waiting(ana)
    hers, his = ana.listens_for("scheduled_messages", "message"), ben.listens_for()
    chat.write(_archive, "kitchen")

    chat.advance(seconds=61)

    reason = "Not authorized to send to channel 'kitchen'"
    assert waiting(ana) == [{**entry, "failed": True}]
    received, message = hers.all()
    assert received == {
        "type": "scheduled_messages",
        "op": "update",
        "scheduled_message": {**entry, "failed": True},
    }
    assert message["message"]["content"] == notice(at, reason)
    assert message["message"]["sender_full_name"] == "Notification Bot"
    assert "read" not in message["flags"]
    assert notices(ana) == [notice(at, reason)]
    assert his.silent()
    assert number == entry["scheduled_message_id"]


def test_a_failed_message_is_not_retried(chat, in_kitchen, ana):
    schedules(ana, at=chat.in_seconds(60))
    chat.write(_archive, "kitchen")
    chat.advance(seconds=61)
    chat.write(lambda tx: tx.execute("UPDATE channel SET archived = FALSE"))

    chat.advance(minutes=1)
    chat.advance(hours=1)

    assert texts(ana) == notices(ana)
    assert len(notices(ana)) == 1
    assert waiting(ana)[0]["failed"] is True


def test_a_failed_message_needs_a_new_time_and_then_waits_again(chat):
    ana = chat.person("ana", channels=["kitchen", "garden"])
    number = schedules(ana, at=chat.in_seconds(60))
    chat.write(_archive, "kitchen")
    chat.advance(seconds=61)

    ana.patch(f"/scheduled_messages/{number}", to=chat.channel("garden").id).fails(
        "Scheduled delivery time must be in the future."
    )
    ana.patch(
        f"/scheduled_messages/{number}",
        to=chat.channel("garden").id,
        scheduled_delivery_timestamp=chat.in_seconds(60),
    ).succeeds()
    assert waiting(ana)[0]["failed"] is False
    chat.advance(seconds=61)

    assert "Soup's on" in texts(ana)
    assert waiting(ana) == []


def test_a_failed_message_can_be_deleted(chat, in_kitchen, ana):
    number = schedules(ana, at=chat.in_seconds(60))
    chat.advance(minutes=12)
    assert waiting(ana)[0]["failed"] is True

    ana.delete(f"/scheduled_messages/{number}").succeeds()

    assert waiting(ana) == []


def test_a_message_ten_minutes_late_is_sent(chat, in_kitchen, ana):
    schedules(ana, at=chat.in_seconds(60))

    chat.advance(minutes=10, seconds=55)

    assert texts(ana) == ["Soup's on"]


def test_a_message_more_than_ten_minutes_late_fails(chat, in_kitchen, ana, ben):
    at = chat.in_seconds(60)
    schedules(ana, at=at)

    chat.advance(minutes=11, seconds=2)

    assert texts(ben) == []
    assert notices(ana) == [notice(at, "Message could not be sent at the scheduled time.")]
    assert waiting(ana)[0]["failed"] is True


class Change:
    """A change between scheduling and sending."""

    def __init__(self, chat: Any, owner: Person, ben: Person) -> None:
        self.chat, self.owner, self.ben = chat, owner, ben
        self.kitchen = f"/streams/{chat.channel('kitchen').id}"
        self.nobody = chat.group("nobody")

    def archive(self) -> None:
        self.owner.delete(self.kitchen).succeeds()

    def shut_out(self) -> None:
        self.owner.patch(self.kitchen, is_private=True).succeeds()
        self.owner.leaves("kitchen", principals=["ana@example.com"])

    def set_in_channel(self, **settings: Any) -> None:
        self.owner.patch(self.kitchen, **settings).succeeds()

    def take_from_all(self, right: str) -> None:
        self.set_in_channel(**{right: {"new": self.nobody}})

    def forbid_calling_cooks(self) -> None:
        (group,) = [
            each
            for each in self.owner.get("/user_groups").succeeds()["user_groups"]
            if each["name"] == "cooks"
        ]
        self.owner.patch(
            f"/user_groups/{group['id']}", can_mention_group={"new": self.nobody}
        ).succeeds()

    def dismiss_ben(self) -> None:
        self.owner.delete(f"/users/{self.ben.id}").succeeds()


TO_BEN = {"to": "ben"}


@pytest.mark.parametrize(
    "message, change, reason",
    [
        ({}, lambda it: it.archive(), "Not authorized to send to channel 'kitchen'"),
        ({}, lambda it: it.shut_out(), "Not authorized to send to channel 'kitchen'"),
        (
            {},
            lambda it: it.take_from_all("can_send_message_group"),
            "You do not have permission to post in this channel.",
        ),
        (
            {},
            lambda it: it.take_from_all("can_create_topic_group"),
            "You do not have permission to create new topics in this channel.",
        ),
        (
            {},
            lambda it: it.set_in_channel(topics_policy="empty_topic_only"),
            "Only the general chat topic is allowed in this channel.",
        ),
        (
            {"topic": ""},
            lambda it: it.set_in_channel(topics_policy="disable_empty_topic"),
            "Sending messages to the general chat is not allowed in this channel.",
        ),
        (
            {"topic": ""},
            lambda it: it.chat.set("topics_policy", "disable_empty_topic"),
            "Sending messages to the general chat is not allowed in this channel.",
        ),
        (
            {"content": "@**all** soup"},
            lambda it: it.chat.permit("can_mention_many_users_group", "nobody"),
            "You do not have permission to use channel wildcard mentions in this channel.",
        ),
        (
            {"content": "@**topic** soup"},
            lambda it: it.chat.permit("can_mention_many_users_group", "nobody"),
            "You do not have permission to use topic wildcard mentions in this topic.",
        ),
        (
            {"content": "@*cooks* soup"},
            lambda it: it.forbid_calling_cooks(),
            "You are not allowed to mention user group 'cooks'.",
        ),
        (
            {"content": "@*cooks* soup", **TO_BEN},
            lambda it: it.forbid_calling_cooks(),
            "You are not allowed to mention user group 'cooks'.",
        ),
        (TO_BEN, lambda it: it.dismiss_ben(), "A recipient's account is deactivated."),
        (
            TO_BEN,
            lambda it: it.chat.permit("direct_message_permission_group", "nobody"),
            "Direct messages are disabled in this organization.",
        ),
        (
            TO_BEN,
            lambda it: it.chat.permit("direct_message_initiator_group", "nobody"),
            "You do not have permission to initiate direct message conversations.",
        ),
    ],
)
def test_a_message_that_may_not_be_sent_any_more_fails(chat, monkeypatch, message, change, reason):
    monkeypatch.setattr(domain.limits, "MAX_UNRESTRICTED_WILDCARD_RECIPIENTS", 0)
    chat.permit("can_mention_many_users_group", "members")
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    owner = chat.person("root", role="owner", channels=["kitchen"])
    owner.post(
        "/user_groups/create", name="cooks", description="", members=[ana.id, ben.id]
    ).succeeds()
    at = chat.in_seconds(60)
    words = {"content": "Soup's on", **message}
    schedules(ana, at=at, **(words | {"to": [ben.id]} if "to" in message else words))
    (entry,) = waiting(ana)
    change(Change(chat, owner, ben))
    hers, theirs = ana.listens_for("scheduled_messages", "message"), owner.listens_for("message")

    chat.advance(seconds=61)

    received, failure_notice = hers.all()
    failed = {**entry, "failed": True}
    assert waiting(ana) == [failed]
    assert received == {"type": "scheduled_messages", "op": "update", "scheduled_message": failed}
    assert failure_notice["message"]["content"] == notice(at, reason)
    assert theirs.silent()


def test_a_deactivated_sender_fails_the_message_without_a_notice(chat, in_kitchen, ana, ben):
    number = schedules(ana, at=chat.in_seconds(60))
    chat.write(actions.people.users.deactivate, ana.id)
    queue = ben.listens_for("message")
    newest = chat.read(_newest_message)

    chat.advance(seconds=61)

    assert chat.read(features.scheduled.entry.find, number).failed is True
    assert chat.read(_newest_message) == newest
    assert queue.silent()


def test_a_deactivated_organization_fails_the_message_without_a_notice(chat, in_kitchen, ana):
    number = schedules(ana, at=chat.in_seconds(60))
    chat.write(_close_organization)
    newest = chat.read(_newest_message)

    chat.advance(seconds=61)

    assert chat.read(features.scheduled.entry.find, number).failed is True
    assert chat.read(_newest_message) == newest


def test_an_internal_error_fails_only_that_message(chat):
    ana = chat.person("ana", channels=["kitchen", "garden"])
    at = chat.in_seconds(60)
    schedules(ana, "first", at=at, to=chat.channel("garden").id)
    schedules(ana, "broken", at=at)
    schedules(ana, "last", at=at, to=chat.channel("garden").id)
    chat.write(_break, "kitchen")

    chat.advance(seconds=61)

    assert texts(ana) == ["first", notice(at, "Internal server error"), "last"]
    assert [entry["content"] for entry in waiting(ana)] == ["broken"]


def test_a_message_that_cannot_even_be_failed_does_not_stop_others(chat):
    ana = chat.person("ana", channels=["kitchen", "garden"])
    at = chat.in_seconds(60)
    for number in range(5):
        schedules(ana, f"broken {number}", at=at)
    for number in range(20):
        schedules(ana, f"fine {number}", at=at, to=chat.channel("garden").id)
    chat.write(_break, "kitchen")
    chat.write(_rename_bot, "nobody@tertulia.invalid")

    chat.advance(seconds=61)

    assert texts(ana) == [f"fine {number}" for number in range(20)]
    assert [entry["failed"] for entry in waiting(ana)] == [False] * 5
    chat.write(_rename_bot, NOTIFICATION_BOT)
    chat.run_due_jobs()
    assert [entry["failed"] for entry in waiting(ana)] == [True] * 5


def _rename_bot(tx, email):
    tx.execute(
        "UPDATE account SET email = :email, email_key = :email"
        " WHERE realm_id = :realm AND is_system_bot",
        email=email,
        realm=tx.realm_id,
    )


def _break(tx, channel):
    """A channel whose permissions cannot be read any more."""
    tx.execute(
        "UPDATE channel SET permissions = '{}' WHERE realm_id = :realm AND name = :name",
        realm=tx.realm_id,
        name=channel,
    )


def _newest_message(tx):
    return tx.value("SELECT max(id) AS value FROM message WHERE realm_id = :r", r=tx.realm_id)


# --- clocks, crashes and several servers ---


def test_a_clock_put_forward_by_an_hour_loses_and_repeats_nothing(chat, in_kitchen, ana):
    queue = ana.listens_for("message")
    for minutes in range(5, 120, 10):
        schedules(ana, f"in {minutes}", at=chat.in_seconds(60 * minutes))

    chat.advance(hours=1)

    failed = [entry["content"] for entry in waiting(ana) if entry["failed"]]
    pending = [entry["content"] for entry in waiting(ana) if not entry["failed"]]
    sent = [text for text in texts(ana) if text.startswith("in ")]
    assert sent == ["in 55"]
    assert failed == ["in 5", "in 15", "in 25", "in 35", "in 45"]
    assert pending == ["in 65", "in 75", "in 85", "in 95", "in 105", "in 115"]
    assert len(notices(ana)) == len(failed)
    assert len(queue.all()) == 1 + len(failed)


def test_a_clock_put_back_by_an_hour_loses_and_repeats_nothing(chat, in_kitchen, ana):
    schedules(ana, "before", at=chat.in_seconds(60))
    schedules(ana, "after", at=chat.in_seconds(120))
    chat.advance(seconds=61)

    chat.advance(hours=-1)
    assert texts(ana) == ["before"]
    chat.advance(hours=1, seconds=61)

    assert texts(ana) == ["before", "after"]
    assert waiting(ana) == []


def test_a_clock_that_jumps_back_and_forth_sends_everything_once(chat, in_kitchen, ana):
    for number in range(10):
        schedules(ana, f"course {number}", at=chat.in_seconds(60 + 30 * number))

    for seconds in (90, -3600, 3600, 60, -3600, 3600, 120, 120):
        chat.advance(seconds=seconds)

    assert texts(ana) == [f"course {number}" for number in range(10)]


def test_a_restart_loses_nothing(own_chat):
    ana = own_chat.person("ana", channels=["kitchen"])
    schedules(ana, at=int(own_chat.server.clock()) + 60)

    own_chat.server.clock.move(seconds=61)
    own_chat.server.restart()

    eventually(lambda: texts(ana) == ["Soup's on"])


def test_a_second_run_finds_nothing_to_do(chat, in_kitchen, ana):
    schedules(ana, at=chat.in_seconds(60))
    chat.server.clock.move(seconds=61)

    chat.server.send_due(SCHEDULED, at_once=5)

    assert texts(ana) == ["Soup's on"]


def test_a_message_edited_at_the_last_moment_is_not_sent_with_its_old_text(chat, in_kitchen, ana):
    number = schedules(ana, at=chat.in_seconds(60))
    seen = chat.read(features.scheduled.entry.find, number)
    org = chat.server.directory(chat.realm.id)
    draft = chat.server.do(SCHEDULED.compose(chat.server.database.of(0), org, seen))
    ana.patch(
        f"/scheduled_messages/{number}", scheduled_delivery_timestamp=chat.in_seconds(600)
    ).succeeds()

    chat.server.clock.move(seconds=61)

    assert (
        chat.write(
            features.scheduled.transactions.deliver, seen, draft, "x.invalid", chat.server.clock()
        )
        is False
    )
    assert texts(ana) == []


@pytest.mark.postgres
def test_of_two_servers_on_one_database_exactly_one_sends(two_servers):
    chat, _ = two_servers
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    at = int(chat.server.clock()) + 60
    expected = [f"course {number}" for number in range(60)]
    for course in expected:
        schedules(ana, course, at=at)

    chat.server.clock.move(minutes=1)
    eventually(lambda: not waiting(ana))

    assert texts(ben) == expected
    assert [event["message"]["content"] for event in queue.all()] == expected


@pytest.mark.postgres
def test_of_two_servers_exactly_one_reports_a_failure(two_servers):
    chat, _ = two_servers
    ana = chat.person("ana", channels=["kitchen"])
    at = int(chat.server.clock()) + 60
    for number in range(20):
        schedules(ana, f"course {number}", at=at)
    chat.write(_archive, "kitchen")

    chat.server.clock.move(minutes=1)
    eventually(lambda: all(entry["failed"] for entry in waiting(ana)))

    assert len(notices(ana)) == 20


# --- reminders ---


def asks(person: Person, message_id: int, at: int, **params: Any) -> int:
    number: int = person.post(
        "/reminders", message_id=message_id, scheduled_delivery_timestamp=at, **params
    ).succeeds()["reminder_id"]
    return number


def test_a_reminder_comes_from_notification_bot(chat, in_kitchen, ana, ben):
    soup = ana.says("The soup is ready", to="kitchen > soup")
    number = asks(ben, soup.id, chat.in_seconds(60), note="pot")
    (requested,) = ben.get("/reminders").succeeds()["reminders"]
    hers, his = ana.listens_for(), ben.listens_for("message", "reminders")

    chat.advance(seconds=61)

    message, gone = his.all()
    assert message["message"]["sender_full_name"] == "Notification Bot"
    assert message["message"]["content"] == requested["content"]
    assert [each["id"] for each in message["message"]["display_recipient"]].count(ben.id) == 1
    assert gone == {"type": "reminders", "op": "remove", "reminder_id": number}
    assert ben.get("/reminders").succeeds()["reminders"] == []
    assert hers.silent()


def test_a_reminder_is_never_too_late(chat, ana):
    milk = ana.says("milk", to=[ana])
    asks(ana, milk.id, chat.in_seconds(60))

    chat.advance(hours=30)

    assert len(notices(ana)) == 1


def test_a_reminder_of_an_invisible_message_does_not_quote_it(chat, ana, ben):
    chat.write(_found_private, [ana.record, ben.record])
    secret = ana.says("the code is 1234", to="vault > x")
    asks(ben, secret.id, chat.in_seconds(60), note="open it")
    ben.leaves("vault")

    chat.advance(seconds=61)

    assert notices(ben) == [
        "You requested a reminder for a message that you can no longer see. Note:\n > open it"
    ]


@pytest.mark.parametrize("lost", ["removed", "made a guest", "let out of a group"])
def test_scheduled_messages_and_reminders_reveal_nothing_of_a_hidden_channel(chat, lost):
    root, ana = chat.person("root", role="owner"), chat.person("ana")
    is_open = lost == "made a guest"
    root.joins("vault", invite_only=not is_open, history_public_to_subscribers=True)
    vault = chat.channel("vault").id
    group = {"name": "crew", "description": "", "members": [ana.id]}
    crew = root.post("/user_groups/create", **group).succeeds()["group_id"]
    if lost == "let out of a group":
        root.patch(f"/streams/{vault}", can_subscribe_group={"new": crew}).succeeds()
    elif not is_open:
        root.joins("vault", principals=[ana.id])
    gold = root.says("gold", to="vault > x")
    schedules(ana, at=chat.in_seconds(60), to=vault)
    asks(ana, gold.id, chat.in_seconds(60))

    if is_open:
        root.patch(f"/users/{ana.id}", role=600).succeeds()
    elif lost == "removed":
        root.leaves("vault", principals=[ana.id])
    else:
        root.post(f"/user_groups/{crew}/members", delete=[ana.id]).succeeds()
    queue = ana.listens_for()
    root.patch(f"/streams/{vault}", new_name="treasury").succeeds()
    root.patch(f"/messages/{gold.id}", topic="treasury", content="treasury").succeeds()
    chat.advance(seconds=61)

    received = [queue.all(), texts(ana), waiting(ana), ana.get("/reminders").json]
    assert f"Channel with ID '{vault}' does not exist" in str(received)
    assert "a message that you can no longer see" in str(received)
    assert "treasury" not in str(received)
    assert "gold" not in str(received)


def test_a_reminder_of_a_deactivated_user_is_dropped(chat, ana, ben):
    hello = ana.says("hello", to=[ben])
    asks(ben, hello.id, chat.in_seconds(60))
    chat.write(actions.people.users.deactivate, ben.id)
    newest = chat.read(_newest_message)

    chat.advance(seconds=61)

    assert chat.read(_newest_message) == newest
    assert chat.read(_failed_reminders) == 1


def test_a_reminder_is_sent_once(chat, ana):
    milk = ana.says("milk", to=[ana])
    asks(ana, milk.id, chat.in_seconds(60))

    for seconds in (61, -3600, 3600, 61):
        chat.advance(seconds=seconds)

    assert len(notices(ana)) == 1


def _failed_reminders(tx):
    return tx.value(
        "SELECT count(*) AS value FROM reminder WHERE realm_id = :realm AND failed",
        realm=tx.realm_id,
    )


def _found_private(tx, members):
    channel = actions.channels.creation.create_unchecked(
        tx, members[0], NewChannel("vault", invite_only=True), ""
    )
    actions.channels.subscriptions.join(tx, channel, members)
