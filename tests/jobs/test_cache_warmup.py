"""Cached register data is prepared in advance, and never outdated."""

from tertulia.jobs import cache_warmup


def test_a_register_finds_everything_prepared_and_current(chat, in_kitchen, ana, ben):
    ana.get("/users/me").succeeds()
    org = chat.server.directory(chat.realm.id)
    chat.server.run_job("preparation")
    ready = {user_id: dict(kept) for user_id, kept in org.encoded._users.items()}
    assert {ana.id, ben.id} <= set(ready)

    ana.post("/register", client_gravatar=False).succeeds()
    assert {user_id: dict(kept) for user_id, kept in org.encoded._users.items()} == ready

    ben.patch("/settings", full_name="Benedict").succeeds()
    users = {user["user_id"]: user for user in ana.post("/register").succeeds()["realm_users"]}
    assert users[ben.id]["full_name"] == "Benedict"


def test_preparation_continues_while_the_organization_changes(chat):
    ana, _ = chat.people("ana", "ben", channels=["kitchen"])
    ana.get("/users/me").succeeds()
    org = chat.server.directory(chat.realm.id)
    steps = cache_warmup.prepare(org)
    next(steps)

    dora = chat.person("dora", channels=["kitchen", "garden"])
    chat.server.call(lambda: [None for _ in steps])

    names = {row["name"] for row in dora.get("/streams").succeeds()["streams"]}
    assert {"kitchen", "garden"} <= names


def test_cached_data_equals_freshly_encoded_data(chat):
    olga = chat.person("olga", role="owner", channels=["kitchen", "attic"])
    ben, gus = chat.person("ben", channels=["kitchen"]), chat.person("gus", role="guest")
    kitchen, attic = chat.channel("kitchen").id, chat.channel("attic").id
    dora = chat.person("dora", channels=["attic"])
    chat.permit("can_access_all_users_group", "members")
    acts = [
        lambda: olga.patch(f"/streams/{kitchen}", new_name="larder"),
        lambda: olga.patch(f"/streams/{attic}", description="dust"),
        lambda: olga.patch(f"/streams/{attic}", is_private=True),
        lambda: ben.delete("/users/me/subscriptions", subscriptions=["larder"]),
        lambda: olga.post(
            "/users/me/subscriptions", subscriptions=[{"name": "attic"}], principals=[gus.id]
        ),
        lambda: ben.patch("/settings", full_name="Benedict", email_address_visibility=4),
        lambda: ben.patch("/settings", presence_enabled=False),
        lambda: olga.patch(f"/users/{ben.id}", role=200),
        lambda: olga.post("/bots", full_name="helper", short_name="helper", bot_type=1),
        lambda: olga.post("/user_groups/create", name="cooks", description="", members=[ben.id]),
        lambda: olga.delete(f"/users/{dora.id}"),
        lambda: olga.post(f"/users/{dora.id}/reactivate"),
        lambda: olga.delete(f"/streams/{kitchen}"),
    ]

    for number, act in enumerate(acts):
        before = [registered_state(each) for each in (olga, ben, gus)]
        act().succeeds()
        kept = [registered_state(each) for each in (olga, ben, gus)]
        chat.server.call(forget_what_is_kept, chat)
        afresh = [registered_state(each) for each in (olga, ben, gus)]

        assert kept == afresh != before, number


def registered_state(person):
    parts = [
        "realm_user",
        "realm_bot",
        "stream",
        "subscription",
        "user_status",
        "realm_user_groups",
    ]
    state = person.registers(
        fetch_event_types=parts, include_subscribers="true", client_gravatar=False
    )
    return {name: value for name, value in state.items() if name != "queue_id"}


def forget_what_is_kept(chat):
    org = chat.server.directory(chat.realm.id)
    org.encoded = org.encoded.for_copy()
