"""Presence: who is active, and who was lately."""

import pytest
from tests.support.waiting import eventually

from tertulia import actions, domain

SIMPLE = {"notification_settings_null": True, "simplified_presence_events": True}


@pytest.fixture
def clock(chat):
    chat.server.clock.stop()
    return chat.server.clock


@pytest.fixture
def scene(chat):
    chat.ana, chat.ben = chat.people("ana", "ben")
    return chat


def pings(person, status="active", **params):
    return person.post("/users/me/presence", status=status, **params).succeeds()


def presence_of(person, viewer):
    return viewer.get(f"/users/{person.id}/presence").succeeds()["presence"]


def test_a_ping_is_visible_in_both_forms(scene):
    before = int(scene.server.clock())

    pings(scene.ana, ping_only=True)

    slim = pings(scene.ben, status="idle", slim_presence=True)["presences"][str(scene.ana.id)]
    assert slim == {"active_timestamp": slim["idle_timestamp"], **slim}
    assert before <= slim["active_timestamp"] <= before + 5
    expected = {"client": "website", "status": "active", "timestamp": slim["active_timestamp"]}
    response = pings(scene.ben, status="idle")
    assert response["presences"][scene.ana.api_email] == {
        "aggregated": expected,
        "website": expected | {"pushable": False},
    }
    assert isinstance(response["server_timestamp"], float)


def test_a_bare_ping_gets_an_empty_answer(scene):
    assert pings(scene.ana, ping_only=True) == {"result": "success", "msg": ""}


def test_presence_of_one_user_by_id_and_by_address(scene):
    pings(scene.ana)

    response = scene.ben.get(f"/users/{scene.ana.id}/presence").succeeds()

    at = response["presence"]["active_timestamp"]
    seen = {"status": "active", "timestamp": at}
    assert response["presence"] == {
        "active_timestamp": at,
        "idle_timestamp": at,
        "aggregated": seen,
        "website": seen,
    }
    by_address = scene.ben.get(f"/users/{scene.ana.api_email}/presence").succeeds()
    assert by_address["presence"] == response["presence"]


def test_invisible_presence_is_refused(scene):
    bot = scene.person("bot", bot="generic", owner=scene.ana)
    pings(scene.ana)

    for path in ("987654", "nobody@example.com", scene.ana.email):  # her address is hidden
        scene.ben.get(f"/users/{path}/presence").fails("No such user")
    scene.ben.get(f"/users/{bot.id}/presence").fails("Presence is not supported for bot users.")
    scene.ana.get(f"/users/{scene.ben.id}/presence").fails(f"No presence data for {scene.ben.id}")
    address = scene.ben.api_email
    scene.ana.get(f"/users/{address}/presence").fails(f"No presence data for {address}")
    scene.write(actions.people.users.deactivate, scene.ana.id)
    scene.ben.get(f"/users/{scene.ana.id}/presence").fails("User is deactivated")
    assert scene.ben.get("/realm/presence").succeeds()["presences"] == {}


def test_invalid_reports_are_refused(scene):
    bot = scene.person("bot", bot="generic", owner=scene.ana)

    def tries(person=scene.ana, **params):
        return person.post("/users/me/presence", **params)

    tries(status="asleep").fails("Invalid status: asleep")
    tries().fails("Missing 'status' argument")
    tries(status="active", history_limit_days=-1).fails("history_limit_days is too small")
    tries(bot, status="active").fails("This endpoint does not accept bot requests.")
    tries(scene.stranger, status="active").asks_to_log_in()


def test_times_are_updated_at_intervals(scene, clock):
    pings(scene.ana)
    first = presence_of(scene.ana, scene.ben)

    clock.move(seconds=54)
    pings(scene.ana)
    assert presence_of(scene.ana, scene.ben) == first

    clock.move(seconds=2)
    pings(scene.ana)
    assert presence_of(scene.ana, scene.ben)["active_timestamp"] > first["active_timestamp"]


def test_idle_and_offline(scene, clock):
    pings(scene.ana)
    first = presence_of(scene.ana, scene.ben)

    clock.move(seconds=60)
    pings(scene.ana, status="idle")
    later = presence_of(scene.ana, scene.ben)
    assert later["active_timestamp"] == first["active_timestamp"]
    assert later["idle_timestamp"] > first["idle_timestamp"]
    assert later["aggregated"]["status"] == "active"  # for a little longer

    clock.move(seconds=60)
    pings(scene.ana, status="idle")
    assert presence_of(scene.ana, scene.ben)["aggregated"]["status"] == "idle"

    clock.move(seconds=201)
    gone = presence_of(scene.ana, scene.ben)
    assert (gone["aggregated"]["status"], gone["website"]["status"]) == ("offline", "idle")


def test_a_user_without_activity_was_last_active_on_joining(scene):
    pings(scene.ana, status="idle")

    seen = presence_of(scene.ana, scene.ben)

    assert seen["active_timestamp"] == int(scene.ana.record.joined_at)
    assert seen["website"]["status"] == "idle"


def test_users_who_hide_presence_are_not_recorded(scene):
    shy = scene.person("shy", settings={"presence_enabled": False})
    queue = scene.ben.listens_for("presence")

    pings(shy)

    scene.ben.get(f"/users/{shy.id}/presence").fails(f"No presence data for {shy.id}")
    assert queue.silent()


def test_an_organization_can_turn_presence_off(scene):
    pings(scene.ana)
    scene.set("presence_disabled", True)
    queue = scene.ben.listens_for("presence")

    assert pings(scene.ben)["presences"] == {}

    scene.ben.get(f"/users/{scene.ana.id}/presence").fails(f"No presence data for {scene.ana.id}")
    assert scene.ben.registers(fetch_event_types=["presence"])["presences"] == {}
    assert queue.silent()


def test_the_whole_organization_in_the_older_form(scene):
    pings(scene.ana)

    response = scene.ben.get("/realm/presence").succeeds()

    assert response["presences"].keys() == {scene.ana.api_email}
    assert "presence_last_update_id" not in response


def written_down(scene):
    eventually(lambda: not scene.server.call(pending, scene))


def pending(scene):
    return scene.server.directory(scene.realm.id).presence.pending()


def test_clients_that_send_a_position_get_only_newer_presence(scene):
    cleo = scene.person("cleo")
    first = pings(cleo, last_update_id=-1)
    assert first["presences"].keys() == {str(cleo.id)}
    pings(scene.ana)
    written_down(scene)
    known = pings(cleo, last_update_id=-1)
    assert known["presences"].keys() == {str(cleo.id), str(scene.ana.id)}

    pings(scene.ben)

    last = known["presence_last_update_id"]
    assert pings(cleo, last_update_id=last)["presences"].keys() == {str(scene.ben.id)}
    written_down(scene)
    response = pings(cleo, last_update_id=last)
    assert response["presences"].keys() == {str(scene.ben.id)}
    assert response["presence_last_update_id"] > last
    assert pings(cleo, last_update_id=response["presence_last_update_id"])["presences"] == {}


def test_the_history_limit(scene, clock):
    pings(scene.ana)
    clock.move(hours=24 * 3)

    assert pings(scene.ben, status="idle", history_limit_days=2)["presences"].keys() == {
        scene.ben.api_email
    }
    assert len(pings(scene.ben, status="idle", history_limit_days=4)["presences"]) == 2
    assert pings(scene.ben, status="idle", history_limit_days=0)["presences"] == {}
    clock.move(hours=24 * 12)
    assert scene.ana.api_email not in pings(scene.ben)["presences"]


@pytest.mark.parametrize(
    "options",
    [{"slim_presence": True}, {"client_capabilities": SIMPLE}],
    ids=["slim", "simplified"],
)
def test_presence_at_register(scene, options):
    pings(scene.ana)
    written_down(scene)

    slim = scene.ben.registers(fetch_event_types=["presence"], **options)
    legacy = scene.ben.registers(fetch_event_types=["presence"])
    none = scene.ben.registers(
        fetch_event_types=["presence"], presence_history_limit_days=0, **options
    )

    assert slim["presences"].keys() == {str(scene.ana.id)}
    assert slim["presence_last_update_id"] == 1
    assert isinstance(slim["server_timestamp"], float)
    assert legacy["presences"].keys() == {scene.ana.api_email}
    assert none["presences"] == {}


def test_an_organization_without_activity_has_no_position(scene):
    assert scene.ben.registers(fetch_event_types=["presence"])["presence_last_update_id"] == -1


# --- events ---


def test_coming_online_is_reported_in_three_forms(scene):
    simple = scene.ben.listens_for("presence", client_capabilities=SIMPLE)
    slim = scene.ben.listens_for("presence", slim_presence=True)
    legacy = scene.ben.listens_for("presence")
    mine = scene.ana.listens_for("presence")

    pings(scene.ana)

    seen = presence_of(scene.ana, scene.ben)
    at = seen["active_timestamp"]
    assert simple.all() == [
        {
            "type": "presence",
            "presences": {str(scene.ana.id): {"active_timestamp": at, "idle_timestamp": at}},
        }
    ]
    expected = {
        "type": "presence",
        "user_id": scene.ana.id,
        "presence": {
            "website": {
                "client": "website",
                "status": "active",
                "timestamp": at,
                "pushable": False,
            }
        },
    }
    event = slim.next()
    assert isinstance(event.pop("server_timestamp"), float)
    assert event == expected
    event = legacy.next()
    assert isinstance(event.pop("server_timestamp"), float)
    assert event == expected | {"email": scene.ana.api_email}
    assert mine.next()["type"] == "presence"


def test_staying_online_and_being_idle_cause_no_events(scene, clock):
    pings(scene.ana)
    queue = scene.ben.listens_for("presence")

    clock.move(seconds=100)
    pings(scene.ana)
    clock.move(seconds=1000)
    pings(scene.ana, status="idle")
    assert queue.silent()

    pings(scene.ana)
    assert queue.next()["type"] == "presence"


def test_large_organizations_get_no_presence_events(scene, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_PRESENCE_USERS", 2)
    queue = scene.ben.listens_for("presence")

    pings(scene.ana)

    assert queue.silent()


# --- storing ---


def test_a_clean_stop_stores_everything(own_chat):
    ana, ben = own_chat.people("ana", "ben")
    pings(ana)
    seen = presence_of(ana, ben)

    own_chat.server.restart()

    assert presence_of(ana, ben) == seen


def test_a_ping_writes_no_event_to_the_log(scene):
    before = scene.head()

    pings(scene.ana)
    written_down(scene)

    assert scene.head() == before
