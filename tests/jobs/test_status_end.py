"""A status is cleared when it ends."""

from tertulia import actions


def status_of(person, viewer):
    return viewer.get(f"/users/{person.id}/status").succeeds()["status"]


def test_a_status_is_cleared_when_it_ends(chat, ana, ben):
    end = chat.in_seconds(600)
    ana.post("/users/me/status", status_text="lunch", emoji_name="soup", ends_at=end).succeeds()
    queue = ben.listens_for("user_status")

    chat.advance(minutes=9)
    assert status_of(ana, ben)["status_text"] == "lunch"
    chat.advance(minutes=2)

    cleared = {"status_text": "", "emoji_name": "", "emoji_code": "", "ends_at": None}
    kind = {"type": "user_status", "user_id": ana.id, "reaction_type": "unicode_emoji"}
    assert queue.all() == [kind | cleared]
    assert status_of(ana, ben) == {}
    chat.advance(minutes=2)
    assert queue.silent()


def test_a_status_that_was_changed_stays(chat, ana, ben):
    ana.post("/users/me/status", status_text="lunch", ends_at=chat.in_seconds(600)).succeeds()
    ana.post("/users/me/status", status_text="digging").succeeds()

    chat.advance(minutes=11)

    assert status_of(ana, ben) == {"status_text": "digging"}


def test_the_status_of_a_deactivated_user_ends_silently(chat, ana, ben):
    ana.post("/users/me/status", status_text="lunch", ends_at=chat.in_seconds(600)).succeeds()
    chat.write(actions.people.users.deactivate, ana.id)
    queue = ben.listens_for()

    chat.advance(minutes=11)
    assert queue.silent()
    chat.write(actions.people.users.reactivate, ana.id)

    assert status_of(ana, ben) == {}


def test_several_statuses_end_at_once(chat, ana):
    guests = [chat.person(f"guest{number}") for number in range(4)]
    for person in guests:
        person.post("/users/me/status", status_text="x", ends_at=chat.in_seconds(60)).succeeds()

    chat.advance(minutes=2)

    assert [status_of(person, ana) for person in guests] == [{}] * 4
