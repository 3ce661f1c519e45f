"""Calls that name many channels or users: they are judged early, and run in several writes."""

import pytest
from tests.support.people import Chat, Person
from tests.support.write_counter import COUNTER

from tertulia import domain
from tertulia.actions.channels import subscriptions


@pytest.fixture
def crew(chat: Chat) -> list[Person]:
    return chat.people(*(f"crew{number}" for number in range(5)))


def subscribers(person: Person, channel: str) -> list[int]:
    channel_id = person.chat.channel(channel).id
    found: list[int] = person.get(f"/streams/{channel_id}/members").succeeds()["subscribers"]
    return found


@pytest.mark.parametrize(
    ("method", "params", "reason"),
    [
        (
            "POST",
            {"subscriptions": [{"name": f"room {number}"} for number in range(101)]},
            "Too many new channels at once (limit: 100)",
        ),
        (
            "POST",
            {"subscriptions": [{"name": "kitchen"}] * 1000, "principals": [1] * 11},
            "Too many subscriptions at once (limit: 10000)",
        ),
        (
            "DELETE",
            {"subscriptions": ["kitchen"] * 1000, "principals": [1] * 11},
            "Too many subscriptions at once (limit: 10000)",
        ),
        (
            "PATCH",
            {"add": [{"name": f"room {number}"} for number in range(101)]},
            "Too many new channels at once (limit: 100)",
        ),
    ],
)
def test_a_call_that_is_too_large_waits_for_no_write(in_kitchen, ana, method, params, reason):
    with COUNTER.recording() as writes:
        ana.request(method, "/users/me/subscriptions", **params).fails(reason)

    ran = [each.action.rpartition(".")[2] for each in writes]
    assert not {"subscribe", "unsubscribe", "edit", "run_recorded"}.intersection(ran)


def test_many_users_are_subscribed_in_several_writes(admin, crew, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_SUBSCRIPTIONS_PER_WRITE", 2)
    ids = [each.id for each in crew]
    boss = admin.chat.person("boss", channels=["kitchen", "loft"])
    queue = boss.listens_for("subscription")

    found = boss.post(
        "/users/me/subscriptions",
        subscriptions=[{"name": "kitchen"}, {"name": "loft"}],
        principals=ids,
    ).succeeds()

    assert found["subscribed"] == {str(each): ["kitchen", "loft"] for each in ids}
    assert subscribers(boss, "kitchen") == subscribers(boss, "loft") == sorted([boss.id, *ids])
    joined = [queue.next() for _ in ids]
    assert [event["user_ids"] for event in joined] == [[each] for each in ids]
    assert all(len(event["stream_ids"]) == 2 for event in joined)  # whole users
    for each in crew:
        (notice,) = each.get("/messages", anchor="newest", num_before=9).succeeds()["messages"]
        assert "kitchen" in notice["content"]
        assert "loft" in notice["content"]


def test_a_new_channel_gets_many_subscribers_in_several_writes(ana, crew, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_SUBSCRIPTIONS_PER_WRITE", 2)
    ids = [each.id for each in crew]

    with COUNTER.recording() as writes:
        ana.post("/channels/create", name="attic", subscribers=ids).succeeds()

    assert sum("subscribe_remaining" in each.action for each in writes) == 2
    assert subscribers(ana, "attic") == ids


def test_users_who_must_catch_up_are_unsubscribed_in_several_writes(chat, crew, monkeypatch):
    monkeypatch.setattr(subscriptions, "MAX_CATCH_UP_PER_WRITE", 2)
    boss = chat.person("boss", channels=["kitchen"])
    ids = [each.id for each in crew]
    boss.joins("kitchen", principals=ids)
    soup = boss.says("Soup's on", to="kitchen > lunch")
    admin = chat.person("admin", role="admin", channels=["kitchen"])

    found = admin.leaves("kitchen", principals=ids)

    assert found == found | {"removed": ["kitchen"] * 5, "not_removed": []}
    assert subscribers(boss, "kitchen") == sorted([boss.id, admin.id])
    for each in crew:
        assert "read" in each.sees(soup)["flags"]


def test_rights_that_are_lost_end_a_call_between_two_writes(chat, crew, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_SUBSCRIPTIONS_PER_WRITE", 2)
    boss = chat.person("boss", role="admin", channels=["kitchen"])
    genuine = subscriptions.subscribe_remaining

    def demoted_meanwhile(tx, *args):
        tx.execute("UPDATE account SET role = 600 WHERE id = :id", id=boss.id)
        return genuine(tx, *args)

    monkeypatch.setattr(subscriptions, "subscribe_remaining", demoted_meanwhile)
    ids = [each.id for each in crew]
    response = boss.post(
        "/users/me/subscriptions", subscriptions=[{"name": "kitchen"}], principals=ids
    )

    response.fails("Insufficient permission")
    assert subscribers(crew[0], "kitchen") == sorted([boss.id, *ids[:2]])
