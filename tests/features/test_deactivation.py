"""Deactivating an organization, reactivating it, and the welcome message."""

from tertulia import features

CLOSED = {"status": 401, "code": "UNAUTHORIZED"}


def test_an_owner_deactivates_the_organization_for_all(chat):
    ana, ben = chat.person("ana", role="owner"), chat.person("ben", role="admin")
    queue = ben.listens_for("realm")
    waiting = queue.waits()

    ben.post("/realm/deactivate").fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )
    ana.post("/realm/deactivate", deletion_delay_days=14).fails(
        "This server keeps the data of closed organizations: send no delay."
    )
    ana.post("/realm/deactivate").succeeds()

    (found,) = waiting.result()
    assert found == {"type": "realm", "op": "deactivated", "realm_id": chat.realm.id}
    for person in (ana, ben):
        person.get("/users/me").fails("This organization has been deactivated", **CLOSED)
    chat.write(features.deactivation.reactivate)
    ben.get("/users/me").succeeds()


def test_the_welcome_message_can_be_tested(chat):
    ana = chat.person("ana", role="admin")
    path, text = "/realm/test_welcome_bot_custom_message", "Pull up a **chair**."

    sent = ana.post(path, welcome_message_custom_text=text).succeeds()

    shown = ana.sees(sent["message_id"])
    assert shown["content"] == "<p>Pull up a <strong>chair</strong>.</p>"
    assert shown["sender_full_name"] == "Notification Bot"
    chat.person("ben").post(path, welcome_message_custom_text=text).fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )
