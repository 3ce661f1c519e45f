"""After a lost key, account or channel nothing more is delivered that one may not see."""

from tests.support.people import basic
from tests.support.waiting import PATIENCE_SECONDS

from tertulia import actions


def with_key(person, key):
    return person.with_headers(Authorization=basic(person.email, key))


def test_a_new_key_ends_the_queues_of_the_old_one(chat, in_kitchen, ana, ben):
    ears = ben.listens_for("message")
    ana.says("before", to="kitchen > lunch")
    waiting = ben.listens_for("user_topic").waits_raw()

    fresh = chat.write(actions.people.reset_key, chat.server.vault, ben.id)

    assert waiting.result(PATIENCE_SECONDS).status == 400
    answer = with_key(ben, fresh).get("/events", queue_id=ears.queue_id, last_event_id=-1)
    answer.fails(f"Bad event queue ID: {ears.queue_id}", code="BAD_EVENT_QUEUE_ID")
    ears.poll().fails("Invalid API key", code="UNAUTHORIZED", status=401)
    again = with_key(ben, fresh).listens_for("message")
    soup = ana.says("after", to="kitchen > lunch")
    assert again.next()["message"]["id"] == soup.id


def test_a_key_changed_from_outside_ends_its_queues_too(chat, ben):
    waiting = ben.listens_for("message").waits_raw()

    chat.write_from_outside(actions.people.reset_key, chat.server.vault, ben.id)

    assert waiting.result(PATIENCE_SECONDS).json["code"] == "BAD_EVENT_QUEUE_ID"


def test_a_deactivated_account_hears_nothing_more(chat, in_kitchen, ana, ben):
    ears = ben.listens_for("message", "realm_user")
    waiting = ears.waits_raw()

    chat.write(actions.people.deactivate, ben.id)
    ana.says("Where is he?", to="kitchen > lunch")

    answer = waiting.result(PATIENCE_SECONDS)
    assert answer.status in (400, 200)
    if answer.status == 200:  # the last thing they may hear is that they are gone
        assert [each["type"] for each in answer.json["events"]] == ["realm_user"]
    ears.poll().fails("Account is deactivated", code="UNAUTHORIZED", status=401)


def test_messages_of_a_private_channel_that_were_not_fetched_are_taken_back(in_kitchen, ana, ben):
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    ears = ben.listens_for("message", "subscription")
    ana.says("secret", to="cellar > light")
    soup = ana.says("open", to="kitchen > lunch")

    ana.leaves("cellar", principals=[ben.id])
    ana.says("more secrets", to="cellar > light")

    heard = ears.all()
    assert [each["type"] for each in heard] == ["message", "subscription"]
    assert heard[0]["message"]["id"] == soup.id


def test_they_are_taken_back_from_a_cold_queue_too(chat, in_kitchen, ana, ben):
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    ears = ben.listens_for("message")
    ana.says("secret", to="cellar > light")
    soup = ana.says("open", to="kitchen > lunch")
    chat.server.goes_cold()

    ana.leaves("cellar", principals=[ben.id])
    ana.says("more secrets", to="cellar > light")

    assert [each["message"]["id"] for each in ears.all()] == [soup.id]


def test_a_public_channel_stops_when_one_leaves_but_its_past_is_heard(chat, in_kitchen, ana, ben):
    warm, cold = ben.listens_for("message"), ben.listens_for("message")
    before = ana.says("before", to="kitchen > lunch")
    ben.leaves("kitchen")
    ana.says("after", to="kitchen > lunch")

    assert [each["message"]["id"] for each in warm.all()] == [before.id]
    chat.server.goes_cold()
    assert [each["message"]["id"] for each in cold.all()] == [before.id]


def test_a_wide_queue_hears_no_channel_that_turned_out_private(ana, ben):
    ears = ben.listens_for("message", all_public_streams=True)

    ana.joins("cellar", invite_only=True)
    ana.says("secret", to="cellar > light")

    assert ears.silent()
