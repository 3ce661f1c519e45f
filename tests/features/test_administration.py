"""Accounts as administrators see them: the list, sessions, keys, roles of several, erasure."""

import pytest
from tests.support.browser import Browser
from tests.support.files import uploads

from tertulia import storage

OWNERS = "Must be an organization owner"
REFUSED = "UNAUTHORIZED_PRINCIPAL"


def listed(admin, **params):
    found = admin.get("/realm/accounts", **params).succeeds()
    return [each["full_name"] for each in found["accounts"]], found["count"]


def account(admin, user):
    return admin.get(f"/users/{user.id}/account").succeeds()


@pytest.fixture
def admin(chat):
    return chat.person("admin", role="admin")


def test_accounts_are_found_by_name_role_standing_and_kind(chat, owner, admin, ana):
    zoe = chat.person("zoë", role="guest")
    chat.person("helper", bot="generic", owner=ana)
    owner.delete(f"/users/{ana.id}").succeeds()

    assert listed(admin, query="ZOE") == (["Zoë"], 1)
    assert listed(admin, query=zoe.email) == (["Zoë"], 1)
    assert listed(admin, role=600) == (["Zoë"], 1)
    assert listed(admin, standing="deactivated")[0] == ["Ana", "Helper"]
    assert listed(admin, standing="active", account_kind="people")[0] == ["Admin", "Owner", "Zoë"]
    assert listed(admin, account_kind="bots") == (["Helper"], 1)


def test_the_list_has_pages_of_any_number_of_accounts(chat, admin):
    for number in range(12):
        chat.person(f"pal{number:02}")

    first, count = listed(admin, query="pal", limit=5)
    last, _ = listed(admin, query="pal", limit=5, offset=10)
    backwards, _ = listed(admin, query="pal", limit=2, descending=True)

    assert (first, count) == ([f"Pal{number:02}" for number in range(5)], 12)
    assert last == ["Pal10", "Pal11"]
    assert backwards == ["Pal11", "Pal10"]


def test_the_list_is_sorted_by_what_the_server_knows(chat, admin, ana, ben):
    uploads(ana, "soup.txt", b"soup" * 50)
    uploads(ben, "salt.txt", b"salt")
    Browser.of(ben)

    assert listed(admin, sort="storage", descending=True)[0][:2] == ["Ana", "Ben"]
    assert listed(admin, sort="sessions", descending=True)[0][0] == "Ben"
    assert listed(admin, sort="last_active", descending=True)[0][0] == "Ben"
    assert listed(admin, sort="role")[0][0] == "Admin"
    assert listed(admin, sort="joined")[0][:1] == ["Admin"]


def test_the_list_finds_people_without_a_second_factor(chat, admin, ana):
    chat.write(storage.people.second_factors.insert_passkey, ana.id, "key", b"credential", 0)
    chat.person("helper", bot="generic", owner=ana)

    assert listed(admin, without_second_factor=True) == (["Admin"], 1)
    found = admin.get("/realm/accounts", query="ana").succeeds()["accounts"]
    assert [each["has_second_factor"] for each in found] == [True]


def test_an_account_is_shown_with_sessions_groups_bots_and_storage(chat, admin, ana):
    Browser.of(ana)
    helper = chat.person("helper", bot="generic", owner=ana)
    uploads(ana, "soup.txt", b"soup")
    uploads(helper, "salt.txt", b"pepper")
    group = admin.post(
        "/user_groups/create", name="cooks", description="", members=[ana.id]
    ).succeeds()["group_id"]

    ana.joins("kitchen")
    first, last = (ana.says(text, to="kitchen > lunch") for text in ("Soup", "Salad"))

    found = account(admin, ana)

    assert found["account"]["upload_bytes"] == 4
    sent = [ana.sees(each)["timestamp"] for each in (first, last)]
    assert found["message_count"] == 2
    assert [found["oldest_timestamp"], found["newest_timestamp"]] == sent
    assert account(admin, helper)["oldest_timestamp"] is None
    assert (found["space_used"], found["space_quota"]) == (10, None)
    assert found["account"]["session_count"] == len(found["sessions"]) == 1
    assert found["sessions"][0]["address"] == "127.0.0.1"
    assert found["group_ids"] == [group]
    assert found["bot_ids"] == [helper.id]


def test_an_administrator_ends_the_sessions_of_others(chat, owner, admin, ana):
    hers, theirs = Browser.of(ana), Browser.of(owner)

    admin.delete(f"/users/{ana.id}/sessions").succeeds()
    admin.delete(f"/users/{owner.id}/sessions").fails(OWNERS, code=REFUSED)

    assert hers.calls("GET", "/users/me").status == 401
    theirs.calls("GET", "/users/me").succeeds()
    assert account(admin, ana)["sessions"] == []


def test_an_administrator_renews_a_key_without_learning_it(chat, owner, admin, ana):
    bot = chat.person("helper", bot="generic", owner=ana)

    response = admin.post(f"/users/{ana.id}/api_key/regenerate").succeeds()

    assert "api_key" not in response
    assert ana.get("/users/me").status == 401
    admin.post(f"/users/{owner.id}/api_key/regenerate").fails(OWNERS, code=REFUSED)
    admin.post(f"/users/{bot.id}/api_key/regenerate").fails("No such user")


def test_several_people_get_a_role_or_none_of_them(owner, admin, ana, ben):
    path = "/realm/accounts"

    admin.patch(path, account_ids=[ana.id, ben.id], role=300).succeeds()
    admin.patch(path, account_ids=[ana.id, owner.id], role=600).fails(OWNERS, code=REFUSED)
    owner.patch(path, account_ids=[ana.id, 999_999_999], role=600).fails("No such user")
    owner.patch(path, account_ids=[ana.id, owner.id], role=600).fails(
        "The owner permission cannot be removed from the only organization owner."
    )
    owner.patch(path, account_ids=[ana.id] * 101, role=600).fails(
        "account_ids is too long (limit: 100 items)"
    )

    roles = [owner.get(f"/users/{each.id}").succeeds()["user"]["role"] for each in (ana, ben)]
    assert roles == [300, 300]


def test_a_portion_of_people_gets_no_role_if_a_later_one_may_not(chat, owner, admin):
    crowd = chat.people(*(f"cook{number}" for number in range(20)))
    ids, path = [each.id for each in crowd], "/realm/accounts"

    def roles():
        return {owner.get(f"/users/{each}").succeeds()["user"]["role"] for each in ids}

    owner.patch(path, account_ids=[*ids, owner.id], role=600).fails(
        "The owner permission cannot be removed from the only organization owner."
    )
    admin.patch(path, account_ids=[*ids, owner.id], role=600).fails(OWNERS, code=REFUSED)
    assert roles() == {400}

    admin.patch(path, account_ids=[admin.id, *ids], role=300).succeeds()
    assert roles() == {300}


def test_an_owner_erases_a_person_and_keeps_the_messages_without_a_name(chat, owner, ana):
    owner.joins("kitchen")
    ana.joins("kitchen")
    soup = ana.says("Soup's on", to="kitchen > lunch")

    done = owner.post(f"/users/{ana.id}/erase").succeeds()
    chat.server.catch_up()

    assert done["complete"] is True
    shown = owner.get(f"/messages/{soup.id}").succeeds()["message"]
    assert (shown["sender_full_name"], shown["content"]) == ("Erased user", "<p>Soup's on</p>")
    owner.post(f"/users/{ana.id}/erase").fails("No such user")
    assert owner.get("/realm/audit_log").succeeds()["entries"][0]["result"] != "done"


def test_erasing_a_person_erases_the_names_and_secrets_of_their_bots(chat, owner, ana):
    owner.joins("kitchen")
    ana.joins("kitchen")
    bot = chat.person("anas-oven", bot="outgoing-webhook", owner=ana)
    bot.joins("kitchen")
    soup = bot.says("Ding", to="kitchen > lunch")

    owner.post(f"/users/{ana.id}/erase").succeeds()
    chat.server.catch_up()

    shown = owner.get(f"/messages/{soup.id}").succeeds()["message"]
    assert (shown["sender_full_name"], shown["content"]) == ("Erased bot", "<p>Ding</p>")
    assert not chat.read(
        lambda tx: tx.exists(
            "SELECT 1 AS found FROM account WHERE id = :id AND (full_name LIKE '%oven%'"
            " OR email LIKE '%oven%' OR key_hash IS NOT NULL) OR EXISTS"
            " (SELECT 1 FROM bot WHERE user_id = :id)",
            id=bot.id,
        )
    )
    owner.post(f"/users/{ana.id}/erase").fails("No such user")


def test_an_owner_erases_a_person_with_all_messages(chat, owner, ana):
    owner.joins("kitchen")
    ana.joins("kitchen")
    soup = ana.says("Soup's on", to="kitchen > lunch")

    owner.post(f"/users/{ana.id}/erase", delete_messages=True).succeeds()
    chat.server.catch_up()

    owner.get(f"/messages/{soup.id}").fails("Invalid message(s)")


def test_only_owners_erase_and_never_themselves(owner, admin, ana):
    admin.post(f"/users/{ana.id}/erase").fails(OWNERS, code=REFUSED)
    owner.post(f"/users/{owner.id}/erase").fails("You cannot erase your own account.")

    assert owner.get(f"/users/{ana.id}").succeeds()["user"]["is_active"]


@pytest.mark.parametrize(
    "method, path",
    [
        ("GET", "/realm/accounts"),
        ("PATCH", "/realm/accounts"),
        ("GET", "/users/{ben}/account"),
        ("DELETE", "/users/{ben}/sessions"),
        ("POST", "/users/{ben}/api_key/regenerate"),
    ],
)
def test_members_are_refused_and_learn_who_may(ana, ben, method, path):
    params = {"account_ids": [ben.id], "role": 100}

    refused = ana.request(method, path.format(ben=ben.id), **params)

    refused.fails("Must be an organization administrator", code=REFUSED)
