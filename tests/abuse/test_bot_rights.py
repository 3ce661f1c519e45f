"""A bot acts with its owner's rights, so a bot must not give those rights to others."""

import json

import pytest
from tests.support.people import Chat, Person, basic

from tertulia import actions

NO_VAULT = "Channel 'vault' does not exist"


@pytest.fixture
def root(chat: Chat) -> Person:
    """An owner with a private channel."""
    root = chat.person("root", role="owner")
    root.joins("vault", invite_only=True)
    return root


def makes_bot(person: Person, name: str = "tide") -> Person:
    made = person.post("/bots", full_name=f"{name} bot", short_name=name).succeeds()
    email = f"{name}-bot@tertulia.invalid"
    headers = {"Host": person.chat.host, "Authorization": basic(email, made["api_key"])}
    return Person(
        person.server, headers, person.chat, made["user_id"], name, email, made["api_key"]
    )


def is_shut_out(bot: Person) -> bool:
    bot.get("/users/me").fails("Invalid API key", code="UNAUTHORIZED", status=401)
    return True


def test_after_transferring_a_bot_the_old_owner_does_not_have_its_key(chat, root):
    eve = chat.person("eve")
    bot = makes_bot(eve)
    queue = bot.listens_for()
    bot.tries_to_say("boo", to="vault > x").fails(NO_VAULT, code="STREAM_DOES_NOT_EXIST")

    eve.patch(f"/bots/{bot.id}", bot_owner_id=root.id).succeeds()

    assert is_shut_out(bot)
    new = root.get(f"/bots/{bot.id}/api_key").succeeds()["api_key"]
    renewed = bot.with_headers(Authorization=basic(bot.email, new))
    renewed.says("drip", to="vault > x")
    gone = renewed.get("/events", queue_id=queue.queue_id, last_event_id=-1, dont_block=True)
    gone.fails(f"Bad event queue ID: {queue.queue_id}", code="BAD_EVENT_QUEUE_ID")
    eve.get(f"/bots/{bot.id}/api_key").fails("Insufficient permission")


def test_a_bot_that_keeps_its_owner_keeps_its_key(chat):
    eve = chat.person("eve")
    bot = makes_bot(eve)

    eve.patch(f"/bots/{bot.id}", bot_owner_id=eve.id, full_name="Ebb").succeeds()

    assert bot.get("/users/me").succeeds()["full_name"] == "Ebb"


def test_an_administrator_can_transfer_a_bot(chat, root):
    bot = makes_bot(chat.person("eve"))

    root.patch(f"/bots/{bot.id}", bot_owner_id=root.id).succeeds()

    assert bot.get("/users/me").succeeds()["bot_owner_id"] == root.id


def test_an_administrator_cannot_give_an_owners_bot_to_anybody(chat, root):
    adam, ben = chat.person("adam", role="admin"), chat.person("ben")
    bot = makes_bot(root)
    adam.get(f"/bots/{bot.id}/api_key").fails("Insufficient permission")

    for new_owner in (adam, ben):
        adam.patch(f"/bots/{bot.id}", bot_owner_id=new_owner.id).fails("Insufficient permission")

    adam.patch(f"/bots/{bot.id}", bot_owner_id=root.id, full_name="Ebb").succeeds()
    assert bot.get("/users/me").succeeds()["bot_owner_id"] == root.id


def test_an_administrator_cannot_read_an_owners_private_channel_by_moving_the_bots_address(
    chat, root
):
    adam = chat.person("adam", role="admin")
    made = root.post(
        "/bots",
        full_name="tide",
        short_name="tide",
        bot_type=3,
        payload_url=json.dumps("https://one.example/"),
    ).succeeds()
    path = f"/bots/{made['user_id']}"

    adam.patch(path, service_payload_url="https://two.example/").fails("Insufficient permission")

    adam.patch(path, service_payload_url="https://one.example/").succeeds()
    root.patch(path, service_payload_url="https://two.example/").succeeds()


def test_an_administrator_cannot_take_over_the_bot_of_a_deactivated_owner(chat, root):
    adam, olga = chat.person("adam", role="admin"), chat.person("olga", role="owner")
    bot = makes_bot(olga)
    root.delete(f"/users/{olga.id}").succeeds()

    adam.post(f"/users/{bot.id}/reactivate").fails("Insufficient permission")

    root.post(f"/users/{bot.id}/reactivate").succeeds()


def test_a_new_owner_who_could_not_read_the_key_gets_another_one(chat, root):
    eve, ben, adam = chat.person("eve"), chat.person("ben"), chat.person("adam", role="admin")
    bot, moved = makes_bot(eve), makes_bot(eve, "moved")

    root.patch(f"/bots/{bot.id}", bot_owner_id=ben.id).succeeds()
    root.patch(f"/bots/{moved.id}", bot_owner_id=adam.id).succeeds()

    assert is_shut_out(bot)
    assert moved.get("/users/me").succeeds()["bot_owner_id"] == adam.id


def test_a_guest_cannot_own_a_bot(chat):
    eve, gus = chat.person("eve"), chat.person("gus", role="guest")
    bot = makes_bot(eve)

    eve.patch(f"/bots/{bot.id}", bot_owner_id=gus.id).fails(
        "Failed to change owner, guests can't own bots"
    )

    assert bot.get("/users/me").succeeds()["bot_owner_id"] == eve.id


def test_a_deactivated_user_gets_no_access_through_a_reactivated_bot(chat, root):
    eve = chat.person("eve")
    bot = makes_bot(eve)
    root.delete(f"/users/{eve.id}").succeeds()
    bot.get("/users/me").fails("Account is deactivated", code="UNAUTHORIZED", status=401)

    root.post(f"/users/{bot.id}/reactivate").succeeds()

    assert is_shut_out(bot)
    assert root.get(f"/users/{bot.id}").succeeds()["user"]["bot_owner_id"] == root.id


def test_a_reactivated_bot_of_an_active_owner_is_unchanged(chat, root):
    eve = chat.person("eve")
    bot = makes_bot(eve)
    eve.delete(f"/bots/{bot.id}").succeeds()

    eve.post(f"/users/{bot.id}/reactivate").succeeds()

    assert bot.get("/users/me").succeeds()["bot_owner_id"] == eve.id


def test_a_demoted_user_does_not_keep_the_role_through_a_bot(chat, root):
    eve = chat.person("eve", role="admin")
    bot, idle = makes_bot(eve), makes_bot(eve, "idle")
    eve.patch(f"/bots/{bot.id}", role=200).succeeds()
    eve.patch(f"/bots/{idle.id}", role=300).succeeds()
    eve.delete(f"/bots/{idle.id}").succeeds()
    queue = root.listens_for("realm_user")

    root.patch(f"/users/{eve.id}", role=400).succeeds()

    roles = {each.id: each.record.role for each in (eve, bot, idle)}
    assert roles == {eve.id: 400, bot.id: 400, idle.id: 400}
    received = [(each["person"]["user_id"], each["person"]["role"]) for each in queue.all()]
    assert received == [(eve.id, 400), (bot.id, 400), (idle.id, 400)]
    root.patch(f"/users/{eve.id}", role=600).succeeds()
    bot.get(f"/streams/{chat.channel('general').id}").fails("Invalid channel ID")
    root.patch(f"/users/{eve.id}", role=200).succeeds()
    assert bot.record.role == 600, "who is given a role decides what their bots may"


def test_a_bot_has_the_current_rights_of_its_owner(chat, root):
    """Neither earlier rights of the owner nor those of a deactivated owner."""
    eve = chat.person("eve")
    bot = makes_bot(eve)
    root.joins("vault", principals=[eve.id])
    bot.says("drip", to="vault > x")

    root.leaves("vault", principals=[eve.id])

    bot.tries_to_say("boo", to="vault > x").fails(NO_VAULT, code="STREAM_DOES_NOT_EXIST")
    root.joins("vault", principals=[eve.id])
    chat.write(actions.people.users.deactivate, eve.id)
    bot.tries_to_say("boo", to="vault > x").fails(
        "Account is deactivated", code="UNAUTHORIZED", status=401
    )


def test_only_an_owner_changes_the_address_of_an_owner(chat, root):
    """An address gives access to an account."""
    eve = chat.person("eve", role="admin")

    eve.patch(f"/users/{root.id}", new_email="eve2@example.com").fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )

    assert root.record.email == "root@example.com"


def test_an_administrator_cannot_act_as_an_owner_through_a_bot(chat, root):
    eve = chat.person("eve", role="admin")
    hers, of_root = makes_bot(eve), makes_bot(root, "ebb")

    eve.get(f"/bots/{of_root.id}/api_key").fails("Insufficient permission")
    eve.post(f"/bots/{of_root.id}/api_key/regenerate").fails("Insufficient permission")
    eve.patch(f"/bots/{hers.id}", bot_owner_id=root.id).succeeds()

    assert is_shut_out(hers)
    of_root.says("drip", to="vault > x")
