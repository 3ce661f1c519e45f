"""Read your own writes: a client finds at every server what it wrote at another."""

from dataclasses import replace

import pytest

from tertulia.database.dialects import postgres_cluster
from tertulia.database.notify_bus import Broadcast
from tertulia.domain.people.user import Role

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def silence(monkeypatch):
    """Servers send no notices and do not poll the log."""
    monkeypatch.setattr(Broadcast, "publish", lambda self, notice: None)
    monkeypatch.setattr(postgres_cluster, "POLL_SECONDS", 3600)


def test_a_thing_created_at_one_server_exists_at_the_other(two_servers):
    chat, other = two_servers
    ana = chat.person("ana", role="owner", channels=["hall"])
    there = replace(ana, server=other)
    there.get("/users/me").succeeds()  # an unknown key makes it read the log

    ben = chat.person("ben")
    assert there.get(f"/users/{ben.id}").succeeds()["user"]["user_id"] == ben.id
    cleo = chat.person("cleo")
    assert there.get(f"/users/{cleo.email}").succeeds()["user"]["user_id"] == cleo.id
    ana.joins("kitchen")
    kitchen = chat.channel("kitchen")
    requested = there.get("/get_stream_id", stream="kitchen").succeeds()
    assert requested["stream_id"] == kitchen.id
    ana.joins("garden")
    garden = chat.channel("garden")
    assert there.get(f"/streams/{garden.id}").succeeds()["stream"]["name"] == "garden"
    ana.joins("cellar")
    there.get(f"/streams/{chat.channel('cellar').id}/members").succeeds()
    ana.joins("attic")
    there.get(f"/users/me/{chat.channel('attic').id}/topics").succeeds()
    there.post("/messages", type="channel", to="attic", topic="dust", content="Hm").succeeds()


def test_lists_contain_what_was_created_at_another_server(two_servers):
    chat, other = two_servers
    ana = chat.person("ana", role="owner", channels=["hall"])
    there = replace(ana, server=other)
    there.get("/users/me").succeeds()  # an unknown key makes it read the log

    for number in range(3):
        ben = chat.person(f"ben{number}")
        listed = there.get("/users").succeeds()["members"]
        assert ben.id in [each["user_id"] for each in listed]
        ana.joins(f"kitchen{number}")
        listed = there.get("/streams").succeeds()["streams"]
        assert f"kitchen{number}" in [each["name"] for each in listed]
        listed = there.get("/users/me/subscriptions").succeeds()["subscriptions"]
        assert f"kitchen{number}" in [each["name"] for each in listed]
        made = {"name": f"cooks{number}", "description": "", "members": [ben.id]}
        ana.post("/user_groups/create", **made).succeeds()
        listed = there.get("/user_groups").succeeds()["user_groups"]
        assert f"cooks{number}" in [each["name"] for each in listed]


def test_a_register_contains_an_unapplied_event_once(two_servers):
    chat, other = two_servers
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    there = replace(ben, server=other)
    there.get("/users/me").succeeds()
    ana.says("Soup?", to="kitchen > lunch")
    there.registers()

    soup = ana.says("Soup's on", to="kitchen > lunch")
    state = there.registers(event_types=["message", "update_message_flags"])
    bread = ana.says("Bread, too", to="kitchen > lunch")
    there.get(f"/users/{chat.person('cleo').id}").succeeds()  # makes it read the log

    event = there.get("/events", queue_id=state["queue_id"], last_event_id=-1).succeeds()["events"]
    assert state["max_message_id"] == soup.id
    assert state["unread_msgs"]["streams"][0]["unread_message_ids"][-1] == soup.id
    assert [each["message"]["id"] for each in event] == [bread.id]


def test_a_register_contains_an_unapplied_change(two_servers):
    chat, other = two_servers
    ana = chat.person("ana", role="owner", channels=["hall"])
    there = replace(ana, server=other)
    there.get("/users/me").succeeds()

    ana.joins("kitchen")
    ana.says("Soup's on", to="kitchen > lunch")
    state = there.registers()

    assert "kitchen" in [each["name"] for each in state["subscriptions"]]


def test_a_missing_thing_is_still_refused(two_servers):
    chat, other = two_servers
    ana = replace(chat.person("ana", role="owner"), server=other)

    ana.get("/users/99999").fails("No such user")
    ana.get("/get_stream_id", stream="attic").fails("Invalid channel name 'attic'")
    ana.get("/streams/99999").fails("Invalid channel ID")


def test_a_caller_demoted_at_one_server_is_refused_by_the_other(two_servers):
    chat, other = two_servers
    admin, eve = chat.person("admin", role="owner"), chat.person("eve", role="admin")
    there = replace(eve, server=other)
    there.get("/export/realm").succeeds()

    admin.patch(f"/users/{eve.id}", role=int(Role.MEMBER)).succeeds()

    there.get("/export/realm").fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )


def test_the_audit_log_is_not_served_to_a_caller_demoted_at_another_server(two_servers):
    chat, other = two_servers
    admin, eve = chat.person("admin", role="owner"), chat.person("eve", role="admin")
    there = replace(eve, server=other)
    there.get("/users/me").succeeds()

    admin.patch(f"/users/{eve.id}", role=int(Role.MEMBER)).succeeds()

    assert there.raw("GET", "/audit_log.csv").status == 400


def test_a_caller_renamed_at_one_server_has_the_new_name_at_the_other(two_servers):
    chat, other = two_servers
    ana = chat.person("ana")
    there = replace(ana, server=other)
    there.get("/users/me").succeeds()

    ana.patch("/settings", full_name="Ana Torres").succeeds()

    assert there.get("/users/me").succeeds()["full_name"] == "Ana Torres"
