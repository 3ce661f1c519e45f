"""After losing a key, account or channel a user receives nothing more that they may not see."""

from tests.support.people import basic
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import actions


def with_key(person, key):
    return person.with_headers(Authorization=basic(person.email, key))


def test_a_new_key_ends_the_queues_of_the_old_one(chat, in_kitchen, ana, ben):
    queue = ben.listens_for("message")
    ana.says("before", to="kitchen > lunch")
    waiting = ben.listens_for("user_topic").waits_raw()

    fresh = chat.write(actions.people.users.reset_key, chat.server.vault, ben.id)

    assert waiting.result(TIMEOUT_SECONDS).status == 400
    response = with_key(ben, fresh).get("/events", queue_id=queue.queue_id, last_event_id=-1)
    response.fails(f"Bad event queue ID: {queue.queue_id}", code="BAD_EVENT_QUEUE_ID")
    queue.poll().fails("Invalid API key", code="UNAUTHORIZED", status=401)
    again = with_key(ben, fresh).listens_for("message")
    soup = ana.says("after", to="kitchen > lunch")
    assert again.next()["message"]["id"] == soup.id


def test_a_key_changed_by_the_command_line_ends_its_queues(chat, ben):
    waiting = ben.listens_for("message").waits_raw()

    chat.write_from_outside(actions.people.users.reset_key, chat.server.vault, ben.id)

    assert waiting.result(TIMEOUT_SECONDS).json["code"] == "BAD_EVENT_QUEUE_ID"


def test_a_deactivated_account_receives_nothing_more(chat, in_kitchen, ana, ben):
    queue = ben.listens_for("message", "realm_user")
    waiting = queue.waits_raw()

    chat.write(actions.people.users.deactivate, ben.id)
    ana.says("Where is he?", to="kitchen > lunch")

    response = waiting.result(TIMEOUT_SECONDS)
    assert response.status in (400, 200)
    if response.status == 200:  # the deactivation is the last event
        assert [each["type"] for each in response.json["events"]] == ["realm_user"]
    queue.poll().fails("Account is deactivated", code="UNAUTHORIZED", status=401)


def test_a_removed_member_receives_what_was_sent_before_the_removal(chat, in_kitchen, ana, ben):
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    warm, cold = (ben.listens_for("message", "update_message", "subscription") for _ in range(2))
    secret = ana.says("secret", to="cellar > light")
    soup = ana.says("open", to="kitchen > lunch")
    ana.patch(f"/messages/{soup.id}", content="still open").succeeds()
    known = ana.says("also secret", to="cellar > light")

    ana.leaves("cellar", principals=[ben.id])
    ana.says("more secrets", to="cellar > light")
    ana.patch(f"/messages/{secret.id}", topic="dark").succeeds()

    def received(queue):
        return [(e["type"], e.get("message", {}).get("id")) for e in queue.all()]

    expected = [
        ("message", secret.id),
        ("message", soup.id),
        ("update_message", None),
        ("message", known.id),
        ("subscription", None),
    ]
    assert received(warm) == expected
    chat.server.becomes_cold()
    assert [each for each in received(cold) if each[1] != secret.id] == expected[1:]


def test_a_removed_member_does_not_receive_edits_after_the_removal(chat, in_kitchen, ana, ben):
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    warm, cold = ben.listens_for("message"), ben.listens_for("message")
    secret = ana.says("secret", to="cellar > light")
    ana.leaves("cellar", principals=[ben.id])
    ana.patch(f"/messages/{secret.id}", content="a greater secret").succeeds()

    received = [each["message"]["content"] for each in warm.all()]
    chat.server.becomes_cold()
    received += [each["message"]["content"] for each in cold.all()]

    assert "secret" in received
    assert "a greater secret" not in received


def test_a_removed_member_who_polls_later_receives_it_too(chat, in_kitchen, ana, ben):
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    queue = ben.listens_for("message")
    secret = ana.says("secret", to="cellar > light")
    soup = ana.says("open", to="kitchen > lunch")
    chat.server.becomes_cold()

    ana.leaves("cellar", principals=[ben.id])
    ana.says("more secrets", to="cellar > light")

    assert [each["message"]["id"] for each in queue.all()] == [secret.id, soup.id]


def test_leaving_a_public_channel_ends_events_but_not_earlier_ones(chat, in_kitchen, ana, ben):
    warm, cold = ben.listens_for("message"), ben.listens_for("message")
    before = ana.says("before", to="kitchen > lunch")
    ben.leaves("kitchen")
    ana.says("after", to="kitchen > lunch")

    assert [each["message"]["id"] for each in warm.all()] == [before.id]
    chat.server.becomes_cold()
    assert [each["message"]["id"] for each in cold.all()] == [before.id]


def test_a_queue_for_all_public_channels_receives_no_private_channel(ana, ben):
    queue = ben.listens_for("message", all_public_streams=True)

    ana.joins("cellar", invite_only=True)
    ana.says("secret", to="cellar > light")

    assert queue.silent()
