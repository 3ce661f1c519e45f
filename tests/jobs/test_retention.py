"""Retention deletes old messages where a channel or the organization says so, and nothing else."""

import pytest

from tertulia import features, storage
from tertulia.features.retention import delete_old_messages

BULK = {"notification_settings_null": True, "bulk_message_deletion": True}


def keep_for(chat, channel, days):
    chat.write(
        lambda tx: tx.execute(
            "UPDATE channel SET retention_days = :days WHERE id = :id",
            days=days,
            id=chat.channel(channel).id,
        )
    )


def deletes_old(chat):
    chat.server.do(delete_old_messages(chat.server.database))


def readable(person):
    response = person.get(
        "/messages", anchor="oldest", num_after=5000, apply_markdown=False
    ).succeeds()
    return [message["content"] for message in response["messages"]]


def days(number):
    return {"hours": 24 * number}


def test_a_channel_deletes_messages_older_than_its_retention(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "garden"])
    cleo = chat.person("cleo")
    keep_for(chat, "kitchen", 3)
    old = ana.says("old", to="kitchen > soup")
    ana.says("kept elsewhere", to="garden > roses")
    chat.server.clock.move(**days(2))
    ana.says("new", to="kitchen > soup")
    queue = ben.listens_for("delete_message", client_capabilities=BULK)
    simple, others = ana.listens_for("delete_message"), cleo.listens_for("delete_message")

    deletes_old(chat)
    assert "old" in readable(ben)
    chat.server.clock.move(**days(1.01))
    deletes_old(chat)

    kitchen = chat.channel("kitchen")
    fields = {"message_type": "stream", "stream_id": kitchen.id, "topic": "soup"}
    assert readable(ben) == ["kept elsewhere", "new"]
    assert queue.all() == [{"type": "delete_message", "message_ids": [old.id], **fields}]
    assert simple.all() == [{"type": "delete_message", "message_id": old.id, **fields}]
    assert others.silent()
    ben.get(f"/messages/{old.id}").fails("Invalid message(s)")


def test_the_organizations_retention_applies_where_a_channel_has_none(chat):
    ana, ben = chat.people("ana", "ben", channels=["default", "forever", "longer"])
    chat.set("message_retention_days", 10)
    keep_for(chat, "forever", -1)
    keep_for(chat, "longer", 30)
    for channel in ("default", "forever", "longer"):
        ana.says(channel, to=f"{channel} > x")
    ana.says("direct", to=[ben])

    def deleted_after(number: float) -> list[str]:
        """The kinds of messages deleted some days later. No queue lives as long as that."""
        chat.server.clock.move(**days(number))
        queue = ben.listens_for("delete_message")
        deletes_old(chat)
        return [event["message_type"] for event in queue.all()]

    assert deleted_after(9) == []
    assert readable(ben) == ["default", "forever", "longer", "direct"]
    assert deleted_after(2) == ["stream", "private"]
    assert readable(ben) == ["forever", "longer"]
    assert deleted_after(20) == ["stream"]
    assert readable(ben) == ["forever"]


def test_a_retention_set_by_owners_takes_effect(chat):
    owner = chat.person("root", role="owner", channels=["kitchen"])
    kitchen = f"/streams/{chat.channel('kitchen').id}"
    owner.patch("/realm", message_retention_days=2).succeeds()

    def is_kept(days_for_channel) -> bool:
        owner.patch(kitchen, message_retention_days=days_for_channel).succeeds()
        deletes_old(chat)
        return "soup" in readable(owner)

    owner.says("soup", to="kitchen > lunch")
    chat.server.clock.move(**days(3))

    assert is_kept("unlimited")
    assert is_kept(4)
    owner.patch("/realm", message_retention_days="unlimited").succeeds()
    assert is_kept("realm_default")
    owner.patch("/realm", message_retention_days=2).succeeds()
    assert not is_kept("realm_default")
    owner.says("soup", to="kitchen > lunch")
    owner.patch("/realm", message_retention_days="unlimited").succeeds()
    chat.server.clock.move(**days(3))
    assert is_kept(4)
    assert not is_kept(2)


def test_owners_see_what_a_retention_would_delete_before_they_set_it(chat):
    owner = chat.person("root", role="owner", channels=["kitchen", "garden", "cellar"])
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "garden"])
    kitchen = chat.channel("kitchen").id
    keep_for(chat, "cellar", -1)
    ana.says("one", to="kitchen > x")
    sent_at = ana.get("/messages", anchor="newest", num_before=1).succeeds()["messages"][0][
        "timestamp"
    ]
    chat.server.clock.move(**days(1))
    ana.says("two", to="garden > x")
    ben.says("three", to=[ana])
    owner.says("kept", to="cellar > x")
    chat.server.clock.move(**days(5))
    ana.says("new", to="kitchen > x")

    def preview(**params):
        return owner.get("/realm/retention_preview", **params).succeeds()

    everywhere = preview(message_retention_days=3)
    assert everywhere["message_count"] == 3
    assert everywhere["oldest_timestamp"] == sent_at
    assert everywhere["newest_timestamp"] == sent_at + 86400
    assert everywhere["sent_before"] == sent_at + 3 * 86400
    assert preview(message_retention_days=3, stream_id=kitchen)["message_count"] == 1
    assert preview(message_retention_days="unlimited")["message_count"] == 0
    assert preview(message_retention_days="unlimited")["sent_before"] is None
    assert preview(message_retention_days=100)["oldest_timestamp"] is None

    owner.patch("/realm", message_retention_days=3).succeeds()
    default = preview(message_retention_days="realm_default", stream_id=kitchen)
    assert default["message_count"] == 1
    before = len(readable(owner)) + len(readable(ben))
    deletes_old(chat)
    assert before - len(readable(owner)) - len(readable(ben)) == 5  # the direct one is ben's only


def test_only_owners_see_what_a_retention_would_delete(chat, in_kitchen, ana):
    admin = chat.person("boss", role="admin")
    owner = chat.person("root", role="owner")

    for person in (ana, admin):
        person.get("/realm/retention_preview", message_retention_days=3).fails(
            "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
        )
    owner.get("/realm/retention_preview", message_retention_days=0).fails(
        "Bad value for 'message_retention_days': 0"
    )
    owner.get("/realm/retention_preview", message_retention_days=3, stream_id=10**6).fails(
        "Invalid channel ID"
    )


def test_by_default_everything_is_kept(chat, in_kitchen, ana):
    ana.says("for ever", to="kitchen > x")

    chat.server.clock.move(**days(10_000))
    deletes_old(chat)
    chat.server.clock.move(**days(-10_000))

    assert readable(ana) == ["for ever"]


def test_many_messages_are_deleted_in_small_steps_by_topic(chat, in_kitchen, ana):
    keep_for(chat, "kitchen", 1)
    for number in range(60):
        ana.says(f"word {number}", to=f"kitchen > topic {number % 2}")
    queue = ana.listens_for("delete_message", client_capabilities=BULK)

    chat.server.clock.move(**days(2))
    deletes_old(chat)

    received = queue.all()
    assert sum(len(event["message_ids"]) for event in received) == 60
    assert max(len(event["message_ids"]) for event in received) <= features.retention.BATCH_SIZE
    assert {event["topic"] for event in received} == {"topic 0", "topic 1"}
    assert readable(ana) == []


def test_a_channel_with_many_old_messages_does_not_delay_others(own_chat, monkeypatch):
    monkeypatch.setattr(features.retention, "STEPS_PER_TURN", 2)
    ana = own_chat.person("ana", channels=["kitchen", "garden"])
    own_chat.set("message_retention_days", 1)
    own_chat.fill(ana, "kitchen > soup", 30)
    own_chat.fill(ana, "garden > roses", 3)
    queue = ana.listens_for("delete_message", client_capabilities=BULK)
    own_chat.server.clock.move(**days(2))

    deletes_old(own_chat)

    received = [event["topic"] for event in queue.all()]
    assert received == ["soup", "soup", "roses", "soup", "soup", "soup", "soup"]
    assert readable(ana) == []


def test_one_step_deletes_a_few_messages_of_one_topic(chat, in_kitchen, ana):
    keep_for(chat, "kitchen", 1)
    chat.fill(ana, "kitchen > soup", 10)
    chat.fill(ana, "kitchen > salad", 3)
    chat.server.clock.move(**days(2))
    kitchen = chat.channel("kitchen").id

    steps = [chat.write(features.retention.delete_batch, kitchen) for _ in range(4)]

    assert steps == [5, 5, 3, 0]


def test_a_message_that_cannot_be_deleted_does_not_stop_other_channels(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen", "garden"])
    own_chat.set("message_retention_days", 1)
    broken = ana.says("soup", to="kitchen > x")
    ana.says("roses", to="garden > x")
    ana.says("hello", to=[ben])
    own_chat.server.index_messages()
    own_chat.write(_spoil_index, broken.id)
    own_chat.server.clock.move(**days(2))

    with pytest.raises(ValueError, match="multiple of item size"):
        deletes_old(own_chat)

    assert readable(ben) == ["soup"]


def _spoil_index(tx, message_id):
    tx.execute(
        "UPDATE search_document SET words = :half WHERE message_id = :id", half=b"?", id=message_id
    )


def test_nothing_of_a_deleted_message_remains(chat, in_kitchen, ana, ben):
    keep_for(chat, "kitchen", 1)
    queue = ben.listens_for("message", "reminders", idle_queue_timeout=10**7)
    secret = ana.says("a rhubarb secret, @**Ben**", to="kitchen > x")
    ana.patch(f"/messages/{secret.id}", content="another rhubarb secret, @**Ben**").succeeds()
    ben.post(f"/messages/{secret.id}/reactions", emoji_name="tada").succeeds()
    ben.post("/messages/flags", messages=[secret.id], op="add", flag="starred").succeeds()
    number = ben.post(
        "/reminders",
        message_id=secret.id,
        scheduled_delivery_timestamp=chat.in_seconds(86_400 * 30),
    ).succeeds()["reminder_id"]
    chat.server.index_messages()
    chat.server.lose_mailbox(queue.queue_id)
    assert chat.read(_rows_about, secret.id) == 6

    chat.server.clock.move(**days(2))
    deletes_old(chat)

    assert ben.get("/reminders").succeeds()["reminders"] == []
    assert queue.all() == [{"type": "reminders", "op": "remove", "reminder_id": number}]
    assert "rhubarb" not in chat.read(_everything_stored)
    assert chat.read(_rows_about, secret.id) == 0
    state = ben.registers()
    assert (state["unread_msgs"]["count"], state["starred_messages"]) == (0, [])
    topics = ben.get(f"/users/me/{chat.channel('kitchen').id}/topics").succeeds()["topics"]
    assert topics == []


def test_a_reminder_does_not_outlive_the_message_it_quotes(chat, ana):
    milk = ana.says("milk", to=[ana])
    params = {"message_id": milk.id, "scheduled_delivery_timestamp": chat.in_seconds(60)}
    ana.post("/reminders", **params).succeeds()

    chat.write(storage.messages.table.delete, [milk.id])

    assert ana.get("/reminders").succeeds()["reminders"] == []


def _everything_stored(tx):
    """All text in all tables."""
    rows = [row for name in _tables(tx) for row in tx.all(f"SELECT * FROM {name}")]
    return "\n".join(str(dict(row)) for row in rows)


def _rows_about(tx, message_id):
    """How many rows belong to a message."""
    rows = [dict(row) for name in _tables(tx) for row in tx.all(f"SELECT * FROM {name}")]
    return sum(row.get("message_id") == message_id for row in rows)


def _tables(tx):
    listed = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
        "postgres": "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    }[tx.dialect.name]
    return [row["name"] for row in tx.all(listed)]


def test_the_first_message_id_of_a_channel_is_updated(chat, in_kitchen, ana):
    keep_for(chat, "kitchen", 3)
    ana.says("old", to="kitchen > x")
    chat.server.clock.move(**days(2))
    new = ana.says("new", to="kitchen > x")
    queue = ana.listens_for("stream")

    chat.server.clock.move(**days(2))
    deletes_old(chat)

    assert chat.channel("kitchen").first_message_id == new.id
    (event,) = queue.all()
    assert (event["property"], event["value"]) == ("first_message_id", new.id)


# --- presence ---
