"""What a register tells is made ready beforehand, and never told when it is no longer true."""

from tertulia import events
from tertulia.jobs.preparing import Preparation


def test_whoever_registers_finds_everything_ready_and_up_to_date(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    delivery = chat.server.application.delivery
    org = delivery.organizations[chat.realm.id]
    chat.server.do(Preparation(chat.server.database, delivery).go_on())
    ready = {user_id: dict(kept) for user_id, kept in org._kept_users.items()}
    assert {ana.id, ben.id} <= set(ready)

    ana.post("/register", client_gravatar=False).succeeds()
    assert {user_id: dict(kept) for user_id, kept in org._kept_users.items()} == ready

    ben.patch("/settings", full_name="Benedict").succeeds()
    told = {user["user_id"]: user for user in ana.post("/register").succeeds()["realm_users"]}
    assert told[ben.id]["full_name"] == "Benedict"


def test_preparing_goes_on_while_the_organization_changes(chat):
    chat.people("ana", "ben", channels=["kitchen"])
    org = chat.server.application.delivery.organizations[chat.realm.id]
    steps = events.snapshot.preparing.prepare(org)
    next(steps)

    dora = chat.person("dora", channels=["kitchen", "garden"])
    chat.server.call(lambda: [None for _ in steps])

    names = {row["name"] for row in dora.get("/streams").succeeds()["streams"]}
    assert {"kitchen", "garden"} <= names
