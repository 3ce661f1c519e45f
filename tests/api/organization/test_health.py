"""The state of the server in a few lines, for owners."""

from tests.support.people import Chat

from tertulia import actions

HOUR_SECONDS = 3600


def parts(owner):
    found = owner.get("/server_health").succeeds()["parts"]
    return {each["name"]: each for each in found}


def test_owners_see_backup_disk_version_certificate_and_leader(chat, owner):
    chat.server.clock.stop()
    chat.server.database.blocking.of(0).write(actions.server_status.record_backup, 1234)
    chat.server.clock.move(hours=2)

    found = parts(owner)

    assert [*found] == ["backup", "disk", "version", "certificate", "leader"]
    assert found["backup"]["state"] == "good"
    assert found["backup"]["facts"]["age_seconds"] // HOUR_SECONDS == 2
    assert found["certificate"]["state"] == "off"


def test_administrators_do_not_see_it(chat):
    chat.person("admin", role="admin").get("/server_health").fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )


def test_operators_get_the_address_of_their_page(start_server):
    chat = Chat.found(start_server(operators=("Ana@Example.com",)), "")
    ana = chat.person("ana", role="owner", email="ana@example.com")
    ben = chat.person("ben", role="owner", email="ben@example.com")

    assert ana.get("/server_health").succeeds()["operator_page"] == "/operator/"
    assert ben.get("/server_health").succeeds()["operator_page"] is None
