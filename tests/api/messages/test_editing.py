"""Editing messages, their edit history, and deleting them."""

import hashlib
import json

import pytest
from tests.support.people import Chat

from tertulia import actions, domain
from tertulia.domain.messages.message import Draft


def edits(person, message, **change):
    return person.patch(f"/messages/{message.id}", **change)


@pytest.fixture
def channels():
    return ["porch"]


@pytest.fixture
def chair(ana, ben):
    """A message of Ana in a channel where Ben is, too."""
    return ana.says("first chair", to="porch > chairs")


# --- content ---


def test_all_recipients_receive_an_edit(chat, ana, ben, chair):
    eve = chat.person("eve")
    queue, others = ben.listens_for("update_message"), eve.listens_for("update_message")

    response = edits(ana, chair, content="second chair").succeeds()

    event = queue.next()
    assert response["detached_uploads"] == []
    assert event == {
        "type": "update_message",
        "user_id": ana.id,
        "edit_timestamp": event["edit_timestamp"],
        "message_id": chair.id,
        "rendering_only": False,
        "orig_content": "first chair",
        "orig_rendered_content": "<p>first chair</p>",
        "content": "second chair",
        "rendered_content": "<p>second chair</p>",
        "is_me_message": False,
        "stream_name": "porch",
        "stream_id": chat.channel("porch").id,
        "message_ids": [chair.id],
        "flags": [],
    }
    assert others.silent()


def test_an_edited_message_shows_its_history(ana, ben, chair):
    edits(ana, chair, content="second chair").succeeds()
    edits(ana, chair, content="/me sits").succeeds()

    shown = ben.sees(chair)

    assert (shown["content"], shown["is_me_message"]) == ("<p>/me sits</p>", True)
    assert [each.get("prev_content") for each in shown["edit_history"]] == ["second chair", None]
    assert shown["edit_history"][0]["prev_rendered_content"] == "<p>second chair</p>"
    assert [each["user_id"] for each in shown["edit_history"]] == [ana.id, ana.id]
    assert shown["last_edit_timestamp"] == shown["edit_history"][0]["timestamp"]
    assert "last_moved_timestamp" not in shown


def test_a_message_that_was_edited_often_weighs_little(ana, ben, chair):
    long = "a long text about chairs " * 100
    edits(ana, chair, content=f"{long}0").succeeds()
    once = ben.get("/messages", anchor=chair.id, num_before=0).succeeds()["messages"]
    for number in range(1, 10):
        edits(ana, chair, content=f"{long}{number}").succeeds()

    often = ben.get("/messages", anchor=chair.id, num_before=0).succeeds()["messages"]

    assert len(often[0]["edit_history"]) == 10
    assert len(json.dumps(often)) < 3 * len(json.dumps(once))
    versions = ben.get(f"/messages/{chair.id}/history").succeeds()["message_history"]
    assert [each["content"][-1] for each in versions[1:]] == [str(number) for number in range(10)]


def test_each_event_has_its_own_content_however_late_it_is_delivered(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["porch"])
    chair = ana.says("one", to="porch > chairs")
    queue = ben.listens_for("update_message")
    edits(ana, chair, content="two").succeeds()
    edits(ana, chair, content="three").succeeds()

    own_chat.server.restart()

    received = [(event["orig_content"], event["content"]) for event in queue.all()]
    assert received == [("one", "two"), ("two", "three")]


def test_flags_in_the_event_are_the_listeners_own(ana, ben, chair):
    ben.post("/messages/flags", messages=[chair.id], op="add", flag="starred").succeeds()
    ben.post("/messages/flags", messages=[chair.id], op="add", flag="read").succeeds()
    queue, own = ben.listens_for("update_message"), ana.listens_for("update_message")

    edits(ana, chair, content="x").succeeds()

    assert queue.next()["flags"] == ["read", "starred"]
    assert own.next()["flags"] == []


def test_a_former_subscriber_receives_edits_of_received_messages(ana, ben, chair):
    ben.leaves("porch")
    later = ana.says("later", to="porch > chairs")
    queue = ben.listens_for("update_message")

    edits(ana, later, content="not yours").succeeds()
    edits(ana, chair, content="yours").succeeds()

    assert [event["message_id"] for event in queue.all()] == [chair.id]


def test_a_direct_message_can_be_edited(ana, ben, eve):
    direct = ana.says("dear", to=[ben])
    queue, others = ben.listens_for("update_message"), eve.listens_for("update_message")

    edits(ana, direct, content="dearest").succeeds()

    event = queue.next()
    assert "stream_id" not in event
    assert (event["orig_content"], event["content"]) == ("dear", "dearest")
    assert others.silent()


def test_an_edit_to_the_same_content_is_an_edit(ana, ben, chair):
    queue = ben.listens_for("update_message")

    edits(ana, chair, content="first chair").succeeds()

    assert queue.next()["content"] == "first chair"


def test_an_empty_edit_shows_a_deletion_marker(ana, ben, chair):
    edits(ana, chair, content="  ").succeeds()

    assert ben.sees(chair)["content"] == "<p>(deleted)</p>"


def test_only_the_sender_edits_the_content(chat, chair, ben):
    boss = chat.person("boss", role="owner", channels=["porch"])

    for person in (ben, boss):
        edits(person, chair, content="x").fails("You don't have permission to edit this message")


@pytest.mark.usefixtures("chair")
def test_an_invisible_message_cannot_be_edited(chat, ana, ben):
    eve = chat.person("eve", role="owner")
    secret = ana.says("psst", to=[ben])

    edits(eve, secret, content="x").fails("Invalid message(s)")
    eve.patch("/messages/99999999", content="x").fails("Invalid message(s)")
    eve.get(f"/messages/{secret.id}/history").fails("Invalid message(s)")
    eve.delete(f"/messages/{secret.id}").fails("Invalid message(s)")


def test_an_empty_edit_is_refused(ana, chair):
    edits(ana, chair).fails("Nothing to change")
    edits(ana, chair, topic="chairs").fails("Nothing to change")


def test_editing_can_be_turned_off(chat, ana, chair):
    chat.set("allow_message_editing", False)

    edits(ana, chair, content="x").fails("Your organization has turned off message editing")


def test_editing_has_a_time_limit(own_chat):
    own_chat.server.clock.stop()
    ana = own_chat.person("ana", channels=["porch"])
    chair = ana.says("one", to="porch > chairs")

    own_chat.server.clock.move(seconds=615)
    edits(ana, chair, content="two").succeeds()
    own_chat.server.clock.move(seconds=10)
    edits(ana, chair, content="x").fails("The time limit for editing this message has passed")
    own_chat.set("message_content_edit_limit_seconds", "unlimited")
    edits(ana, chair, content="three").succeeds()


def test_a_concurrent_edit_is_not_overwritten(ana, chair):
    seen = hashlib.sha256(b"first chair").hexdigest()
    edits(ana, chair, content="new", prev_content_sha256=seen).succeeds()

    refused = edits(ana, chair, content="newer", prev_content_sha256=seen)

    response = refused.fails(
        "'prev_content_sha256' value does not match the expected value.",
        code="EXPECTATION_MISMATCH",
    )
    assert response["field_name"] == "prev_content_sha256"


def test_invalid_combinations_are_refused(chat, ana, ben, chair):
    garden = ana.joins("garden") and chat.channel("garden").id
    direct = ana.says("dear", to=[ben])

    edits(ana, direct, topic="x").fails("Direct messages cannot have topics.")
    edits(ana, direct, stream_id=garden).fails("Direct messages cannot be moved to channels.")
    edits(ana, direct, content="y", propagate_mode="change_all").fails(
        "Invalid propagate_mode without topic or channel edit"
    )
    edits(ana, chair, content="y", stream_id=garden).fails(
        "Cannot change message content while changing channel"
    )
    edits(ben, chair, content="y", stream_id=garden).fails(
        "You don't have permission to edit this message"
    )
    edits(ana, chair, propagate_mode="change_some", topic="x").fails("Invalid propagate_mode")


def test_too_long_content_is_refused(ana, chair):
    edits(ana, chair, content="x" * 10_001).fails("Message is too long (limit: 10000 characters)")
    edits(ana, chair, content="a\0b").fails("Message must not contain null bytes")
    edits(ana, chair, topic="t" * 61).fails("topic is too long (limit: 60 characters)")
    edits(ana, chair, topic="a\nb").fails("Invalid character in topic, at position 2!")


# --- history ---


def history(person, message, **options):
    return person.get(f"/messages/{message.id}/history", **options).succeeds()["message_history"]


def test_the_history_starts_with_the_original(ana, ben, chair):
    edits(ana, chair, content="second chair").succeeds()
    edits(ben, chair, topic="", send_notification_to_new_thread=False).succeeds()

    first, second, third = history(ben, chair)

    assert first == {
        "content": "first chair",
        "rendered_content": "<p>first chair</p>",
        "timestamp": first["timestamp"],
        "topic": "chairs",
        "user_id": ana.id,
    }
    assert second["content_html_diff"] == (
        '<div><p><span class="highlight_text_deleted">first</span> '
        '<span class="highlight_text_inserted">second</span> chair</p></div>'
    )
    assert (second["prev_content"], second["content"]) == ("first chair", "second chair")
    assert third == {
        "content": "second chair",
        "rendered_content": "<p>second chair</p>",
        "timestamp": third["timestamp"],
        "topic": "general chat",
        "prev_topic": "chairs",
        "user_id": ben.id,
    }
    assert history(ben, chair, allow_empty_topic_name=True)[2]["topic"] == ""


def test_an_unedited_message_has_one_version(chair, ben):
    assert [each["content"] for each in history(ben, chair)] == ["first chair"]
    assert "edit_history" not in ben.sees(chair)


def test_an_organization_may_hide_the_edit_history(chat, ana, ben, chair):
    edits(ana, chair, content="second chair").succeeds()
    edits(ben, chair, topic="stools").succeeds()

    chat.set("message_edit_history_visibility_policy", "moves")
    moves, seen = history(ben, chair), ben.sees(chair)["edit_history"]
    chat.set("message_edit_history_visibility_policy", "none")

    assert [(each["topic"], each["content"]) for each in moves] == [
        ("chairs", "second chair"),
        ("stools", "second chair"),
    ]
    assert [sorted(each) for each in seen] == [["prev_topic", "timestamp", "topic", "user_id"]]
    assert "edit_history" not in ben.sees(chair)
    ben.get(f"/messages/{chair.id}/history").fails(
        "Message edit history is disabled in this organization"
    )


# --- deleting ---


def test_a_deleted_message_is_gone_for_all(chat, ana, ben, chair):
    eve = chat.person("eve")
    ben.post("/messages/flags", messages=[chair.id], op="add", flag="starred").succeeds()
    ben.post(f"/messages/{chair.id}/reactions", emoji_name="tada").succeeds()
    edits(ana, chair, content="x").succeeds()
    queue = ben.listens_for("delete_message", client_capabilities=CAPABLE)
    old_queue, others = ana.listens_for("delete_message"), eve.listens_for("delete_message")

    ana.delete(f"/messages/{chair.id}").succeeds()

    fields = {"stream_id": chat.channel("porch").id, "topic": "chairs", "message_type": "stream"}
    assert queue.all() == [{"type": "delete_message", "message_ids": [chair.id], **fields}]
    assert old_queue.all() == [{"type": "delete_message", "message_id": chair.id, **fields}]
    assert others.silent()
    for person in (ana, ben):
        person.get(f"/messages/{chair.id}").fails("Invalid message(s)")
        assert person.get("/messages", anchor="newest", num_before=9).succeeds()["messages"] == []
    assert ben.registers(fetch_event_types=["starred_messages"])["starred_messages"] == []
    ana.delete(f"/messages/{chair.id}").fails("Invalid message(s)")


CAPABLE = {"notification_settings_null": True, "bulk_message_deletion": True}


def test_a_direct_message_can_be_deleted(ana, ben):
    direct = ana.says("dear", to=[ben])
    queue = ben.listens_for("delete_message", client_capabilities=CAPABLE)

    ana.delete(f"/messages/{direct.id}").succeeds()

    assert queue.all() == [
        {"type": "delete_message", "message_ids": [direct.id], "message_type": "private"}
    ]


@pytest.mark.usefixtures("chair")
def test_deleted_content_is_in_no_queue_and_no_log(chat, ana, ben):
    queue = ben.listens_for("message", "update_message", "delete_message")
    secret = ana.says("the password is swordfish", to="porch > chairs")
    edits(ana, secret, content="no, it is catfish").succeeds()

    ana.delete(f"/messages/{secret.id}").succeeds()

    assert [event["type"] for event in queue.all()] == ["delete_message"]
    log = chat.read(lambda tx: [row["payload"] for row in tx.all("SELECT payload FROM event")])
    assert not [payload for payload in log if "swordfish" in payload or "catfish" in payload]


def test_deleted_content_stays_deleted_after_a_restart(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["porch"])
    queue = ben.listens_for("message", "update_message", "delete_message")
    secret = ana.says("swordfish", to="porch > chairs")
    edits(ana, secret, content="catfish").succeeds()
    ana.delete(f"/messages/{secret.id}").succeeds()

    own_chat.server.restart()

    assert [event["type"] for event in queue.all()] == ["delete_message"]


def test_who_may_delete(chat, ana, ben, chair):
    boss = chat.person("boss", role="admin", channels=["porch"])
    bot = chat.person("helper", bot="generic", owner=ben, channels=["porch"])
    of_bot = bot.says("beep", to="porch > chairs")
    refusal = "You don't have permission to delete this message"

    ben.delete(f"/messages/{chair.id}").fails(refusal)
    boss.delete(f"/messages/{chair.id}").succeeds()
    ana.delete(f"/messages/{of_bot.id}").fails(refusal)
    ben.delete(f"/messages/{of_bot.id}").succeeds()


def test_deleting_own_messages_can_be_restricted(chat, ana, chair):
    chat.permit("can_delete_own_message_group", "administrators")

    ana.delete(f"/messages/{chair.id}").fails("You don't have permission to delete this message")


def test_deleting_has_a_time_limit(own_chat):
    ana = own_chat.person("ana", channels=["porch"])
    boss = own_chat.person("boss", role="admin", channels=["porch"])
    chair = ana.says("one", to="porch > chairs")

    own_chat.server.clock.move(seconds=601)

    refusal = "The time limit for deleting this message has passed"
    ana.delete(f"/messages/{chair.id}").fails(refusal)
    boss.delete(f"/messages/{chair.id}").succeeds()


# --- deleting topics ---


def test_a_topic_is_deleted_completely(chat, ana, ben, chair):
    boss = chat.person("boss", role="admin")
    more = [ana.says(f"chair {n}", to="porch > Chairs") for n in range(2)]
    stays = ana.says("tea", to="porch > drinks")
    porch_id = chat.channel("porch").id
    queue = ben.listens_for("delete_message", client_capabilities=CAPABLE)
    old_queue = ana.listens_for("delete_message", "user_topic")

    response = boss.post(f"/streams/{porch_id}/delete_topic", topic_name="CHAIRS").succeeds()

    gone = [chair.id, *(message.id for message in more)]
    assert response["complete"] is True
    assert [event["message_ids"] for event in queue.all()] == [gone]
    received = old_queue.all()
    assert [event.get("message_id") for event in received] == [*gone, None]
    assert (received[-1]["type"], received[-1]["visibility_policy"]) == ("user_topic", 0)
    assert ben.sees(stays)["id"] == stays.id


@pytest.mark.usefixtures("chair")
def test_deleting_a_topic_can_be_previewed(chat, ana, ben):
    boss = chat.person("boss", role="admin")
    porch = chat.channel("porch").id
    sent = [ana.says("one", to="porch > lunch")]
    chat.server.clock.move(hours=48)
    sent.append(ben.says("two", to="porch > Lunch"))
    ben.says("three", to="porch > dinner")

    def previews(person, topic):
        return person.get(f"/streams/{porch}/topic_deletion_preview", topic_name=topic)

    found = previews(boss, "LUNCH").succeeds()
    oldest, newest = (ana.sees(each)["timestamp"] for each in sent)
    assert found == found | {
        "message_count": 2,
        "oldest_timestamp": oldest,
        "newest_timestamp": newest,
    }
    assert newest - oldest == 48 * 3600
    nothing = previews(boss, "supper").succeeds()
    assert (nothing["message_count"], nothing["oldest_timestamp"]) == (0, None)
    previews(ben, "lunch").fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )


def test_only_administrators_delete_topics(chat, ana):
    boss = chat.person("boss", role="admin")
    porch_id = chat.channel("porch").id
    ana.joins("cellar", invite_only=True)
    cellar_id = chat.channel("cellar").id

    ana.post(f"/streams/{porch_id}/delete_topic", topic_name="chairs").fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )
    boss.post(f"/streams/{porch_id}/delete_topic").fails("Missing 'topic_name' argument")
    for channel_id in (99_999, cellar_id):
        boss.post(f"/streams/{channel_id}/delete_topic", topic_name="x").fails("Invalid channel ID")
    nothing = boss.post(f"/streams/{porch_id}/delete_topic", topic_name="nothing here")
    assert nothing.succeeds()["complete"] is True


def test_a_long_topic_is_deleted_in_parts(chat, ana, ben, chair):
    boss = chat.person("boss", role="admin")
    porch_id = chat.channel("porch").id
    more = chat.write(_insert_messages, ana.record, porch_id, domain.limits.DELETE_BATCH + 10)
    queue = ben.listens_for("delete_message", client_capabilities=CAPABLE)

    response = boss.post(f"/streams/{porch_id}/delete_topic", topic_name="chairs").succeeds()

    received = [event["message_ids"] for event in queue.all()]
    assert response["complete"] is True
    assert [len(ids) for ids in received] == [domain.limits.DELETE_BATCH, 11]
    assert [each for ids in received for each in ids] == [chair.id, *more]


def _insert_messages(tx, user, channel_id, count):
    draft = Draft("chair", "<p>chair</p>", 0, "test", read_by_sender=True)
    return [
        actions.messages.send.to_channel(tx, user, channel_id, "chairs", draft).message_id
        for _ in range(count)
    ]


def test_the_first_message_id_of_a_channel_is_updated(chat, ana, ben, chair):
    later = ana.says("tea", to="porch > drinks")
    queue = ben.listens_for("stream")

    ana.delete(f"/messages/{chair.id}").succeeds()

    assert chat.channel("porch").first_message_id == later.id
    assert queue.next() == {
        "type": "stream",
        "op": "update",
        "stream_id": chat.channel("porch").id,
        "name": "porch",
        "property": "first_message_id",
        "value": later.id,
    }


# --- other organizations ---


def test_messages_of_another_organization_cannot_be_changed(chat, chair):
    elsewhere = Chat.found(chat.server)
    boss = elsewhere.person("boss", role="owner")
    path = f"/messages/{chair.id}"

    for reply in (
        boss.get(path),
        boss.get(f"{path}/history"),
        boss.get(f"{path}/read_receipts"),
        boss.patch(path, content="x"),
        boss.patch(path, topic="x"),
        boss.delete(path),
        boss.post(f"{path}/reactions", emoji_name="tada"),
        boss.delete(f"{path}/reactions", emoji_name="tada"),
        boss.post("/messages/flags", messages=[chair.id], op="add", flag="starred"),
        boss.post("/messages/flags", messages=[chair.id], op="remove", flag="read"),
    ):
        reply.fails("Invalid message(s)")
    porch_id = chat.channel("porch").id
    for reply in (
        boss.post("/mark_stream_as_read", stream_id=porch_id),
        boss.post("/mark_topic_as_read", stream_id=porch_id, topic_name="chairs"),
        boss.post(f"/streams/{porch_id}/delete_topic", topic_name="chairs"),
    ):
        reply.fails("Invalid channel ID")
