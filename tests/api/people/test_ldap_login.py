"""Logging in with an LDAP directory, a real one."""

import io

import pytest
from PIL import Image
from structlog.testing import capture_logs
from tests.support.browser import Browser, text_of
from tests.support.people import Chat

from tertulia import actions, domain, locale, storage
from tertulia.config.login_providers import LdapDirectory
from tertulia.domain.people.profile_fields import FieldType
from tertulia.domain.people.user import Role

ENGLISH = locale.texts("en")

SESAME = "open sesame"
WRONG = "Your username or password is incorrect"


def logs_in(chat: Chat, username: str, password: str = SESAME):
    return chat.stranger.post("/fetch_api_key", username=username, password=password)


def account(chat: Chat, email: str):
    return chat.read(storage.people.users.find_by_email, email)


def fails_to_log_in(chat: Chat, username: str, password: str = SESAME) -> None:
    logs_in(chat, username, password).fails(WRONG, code="AUTHENTICATION_FAILED", status=401)


def picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(file, "JPEG")
    return file.getvalue()


def test_a_first_login_creates_an_account(ldap_chat, slapd):
    owner = ldap_chat.person("owner", role="owner")
    owner.post("/realm/profile_fields", field_type=FieldType.SHORT_TEXT, name="Phone").succeeds()
    ana = slapd.add_person("ana", cn="Ana Díaz", mobile="+34 1", jpegPhoto=picture())
    slapd.add_group("Press (all)", ana)
    slapd.add_group("unknown to us", ana)
    slapd.add_group("it", ana)
    queue = owner.listens_for("realm_user", "user_group")

    response = logs_in(ldap_chat, "ana").succeeds()

    assert response["email"] == "ana@example.com"
    shown = owner.get("/users/ana@example.com", include_custom_profile_fields=True).succeeds()
    assert shown["user"]["full_name"] == "Ana Díaz"
    assert shown["user"]["role"] == Role.ADMINISTRATOR
    assert "user_avatars" in shown["user"]["avatar_url"]
    (phone,) = shown["user"]["profile_data"].values()
    assert phone == {"value": "+34 1", "rendered_value": "<p>+34 1</p>"}
    groups = owner.get("/user_groups").succeeds()["user_groups"]
    assert {
        group["name"]: group["members"] for group in groups if not group["is_system_group"]
    } == {"Press (all)": [response["user_id"]]}
    assert ("realm_user", "add") in {(event["type"], event["op"]) for event in queue.all()}
    found = ldap_chat.head()
    assert logs_in(ldap_chat, "ANA@example.com").succeeds()["user_id"] == response["user_id"]
    assert ldap_chat.head() == found, "a second login has nothing to tell"


def test_the_login_page_accepts_a_directory_name(ldap_chat, slapd):
    slapd.add_person("ana")
    browser = Browser(ldap_chat)

    page = browser.opens("/login/")
    browser.logs_in("ana", SESAME)

    assert ENGLISH("login.user-name") in text_of(page)
    assert browser.calls("GET", "/users/me").succeeds()["full_name"] == "Ana"
    assert ENGLISH("login.wrong-password") in text_of(Browser(ldap_chat).logs_in("ana", ""))


def test_clients_learn_that_names_need_not_be_addresses(ldap_chat, chat):
    response = ldap_chat.stranger.get("/server_settings").succeeds()
    elsewhere = chat.stranger.get("/server_settings").succeeds()

    assert (
        response["authentication_methods"] | {"ldap": True, "password": True}
        == response["authentication_methods"]
    )
    assert response["require_email_format_usernames"] is False
    assert elsewhere["require_email_format_usernames"] is True
    logs_in(chat, "ana").fails("Enter a valid email address.")


@pytest.mark.parametrize(
    "about",
    [{"mail": None}, {"mail": "no address"}, {"l": "Paris"}, {"l": None}],
    ids=["no address", "a bad one", "another place", "no place"],
)
def test_a_mismatch_gets_the_ordinary_login_error(ldap_chat, slapd, about):
    slapd.add_person("ana", **about)

    fails_to_log_in(ldap_chat, "ana")

    assert len(ldap_chat.read(storage.people.users.human_ids)) == 0


def test_a_disabled_entry_gets_its_own_error(ldap_chat, slapd):
    slapd.add_person("ana", employeeType="TRUE")

    refused = logs_in(ldap_chat, "ana")

    refused.fails("Account is deactivated", code="USER_DEACTIVATED", status=401)


def test_an_organization_with_other_domains_admits_no_one(ldap_chat, slapd):
    slapd.add_person("ana")
    ldap_chat.set("emails_restricted_to_domains", True)

    fails_to_log_in(ldap_chat, "ana")


def test_wrong_passwords_are_counted_once_each(ldap_chat, slapd):
    slapd.add_person("ana")
    for _ in range(5):
        fails_to_log_in(ldap_chat, "ana", "a guess")

    assert logs_in(ldap_chat, "ana").status == 429


def test_a_local_account_is_found_by_address_first_and_then_by_identity(ldap_chat, slapd):
    ana = ldap_chat.person("ana", password="another one")
    dn = slapd.add_person("ana")

    first = logs_in(ldap_chat, "ana").succeeds()
    slapd.change(dn, mail="ana.diaz@example.com")
    second = logs_in(ldap_chat, "ana").succeeds()

    assert first["user_id"] == second["user_id"] == ana.id
    assert second["email"] == "ana.diaz@example.com"


def test_a_directory_user_has_no_local_password(ldap_chat, slapd):
    ana = ldap_chat.person("ana", password="another one")
    ben = ldap_chat.person("ben", password="another one")
    slapd.add_person("ana")
    assert logs_in(ldap_chat, ana.email, "another one").succeeds()

    logs_in(ldap_chat, "ana").succeeds()

    fails_to_log_in(ldap_chat, ana.email, "another one")
    changed = ana.patch("/settings", old_password="another one", new_password="long enough 1")
    changed.fails("Your password is managed in LDAP")
    owner = ldap_chat.person("owner", role="owner")
    for_link = owner.post(f"/users/{ana.id}/password_link")
    for_link.fails("The password of Ana is kept in LDAP, and changed there.")
    owner.post(f"/users/{ben.id}/password_link").succeeds()
    assert logs_in(ldap_chat, ben.email, "another one").succeeds()["user_id"] == ben.id


def test_a_disabled_directory_admits_no_one(ldap_chat, slapd):
    slapd.add_person("ana")
    owner = ldap_chat.person("owner", role="owner", password="another one")
    queue = owner.listens_for("realm")

    owner.patch("/realm", authentication_methods={"LDAP": False}).succeeds()

    logs_in(ldap_chat, "ana").fails("Enter a valid email address.")
    event = queue.next()["data"]["authentication_methods"]
    assert event == {
        "Email": {"enabled": True, "available": True},
        "JWT": {"enabled": True, "available": True},
        "LDAP": {"enabled": False, "available": True},
    }
    state = owner.post("/register", fetch_event_types=["realm"]).succeeds()
    assert state["realm_authentication_methods"] == event
    last = owner.patch("/realm", authentication_methods={"Email": False})
    last.fails("At least one authentication method must be enabled.")


def test_local_passwords_can_be_switched_off(ldap_chat, slapd):
    slapd.add_person("ana")
    owner = ldap_chat.person("owner", role="owner", password="another one")

    owner.patch("/realm", authentication_methods={"Email": False}).succeeds()

    logs_in(ldap_chat, "ana").succeeds()
    fails_to_log_in(ldap_chat, owner.email, "another one")
    response = ldap_chat.stranger.get("/server_settings").succeeds()
    assert (response["email_auth_enabled"], response["authentication_methods"]["password"]) == (
        False,
        True,
    )


@pytest.mark.on_one
def test_an_unavailable_directory_does_not_block_local_accounts(start_server):
    away = LdapDirectory(url="ldap://127.0.0.1:1", plain=True, base="dc=x")
    chat = Chat.found(start_server(ldap=(away,)), "")
    ben = chat.person("ben", password=SESAME)

    inside = logs_in(chat, ben.email).succeeds()
    outside = Browser(chat).logs_in("ana", SESAME)

    assert inside["user_id"] == ben.id
    assert outside.status == 503
    assert "cannot be reached" in text_of(outside)


def test_manually_deactivated_users_stay_deactivated(ldap_chat, slapd):
    slapd.add_person("ana")
    ana = logs_in(ldap_chat, "ana").succeeds()
    ldap_chat.write(actions.people.users.deactivate, ana["user_id"])

    refused = logs_in(ldap_chat, "ana")

    refused.fails("Account is deactivated", code="USER_DEACTIVATED", status=401)


def test_directory_users_are_welcomed_and_can_use_an_invitation_link(ldap_chat, slapd):
    owner = ldap_chat.person("owner", role="owner", channels=["kitchen"])
    kitchen = ldap_chat.channel("kitchen").id
    link = owner.post("/invites/multiuse", stream_ids=[kitchen]).succeeds()["invite_link"]
    key = link.rstrip("/").rsplit("/")[-1]
    slapd.add_person("ana")
    browser = Browser(ldap_chat)

    shown = browser.opens(f"/join/{key}/")
    browser.logs_in("ana", SESAME, multiuse_object_key=key)

    assert f'href="/login/?multiuse_object_key={key}"' in shown.body.decode()
    me = browser.calls("GET", "/users/me").succeeds()
    assert me["user_id"] in owner.get(f"/streams/{kitchen}/members").succeeds()["subscribers"]
    narrow = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": '[["is","dm"]]'}
    (greeting,) = browser.calls("GET", "/messages", **narrow).succeeds()["messages"]
    assert "Welcome to" in greeting["content"]


def test_a_directory_password_may_need_a_second_factor(ldap_chat, slapd):
    slapd.add_person("ana")
    user_id = logs_in(ldap_chat, "ana").succeeds()["user_id"]
    browser = Browser(ldap_chat)
    browser.logs_in("ana", SESAME)
    secret = browser.calls("POST", "/users/me/second_factor/secret").succeeds()["secret"]
    step = int(ldap_chat.server.clock() // domain.people.second_factors.STEP_SECONDS)
    code = domain.people.second_factors.code_at(secret, step)

    wrong = browser.calls(
        "POST", "/users/me/second_factor/app", password="no", secret=secret, code=code
    )
    browser.calls(
        "POST", "/users/me/second_factor/app", password=SESAME, secret=secret, code=code
    ).succeeds()
    refused = logs_in(ldap_chat, "ana")
    requested = Browser(ldap_chat).logs_in("ana", SESAME)

    assert wrong.json["msg"] == "Wrong password!"
    assert refused.json["code"] == "SECOND_FACTOR_REQUIRED"
    assert ENGLISH("login.second-step") in text_of(requested)
    assert ldap_chat.read(storage.people.second_factors.of_user, user_id).is_enabled


def test_a_password_reset_for_a_directory_user_explains_itself_by_mail(ldap_chat, slapd):
    slapd.add_person("ana")
    logs_in(ldap_chat, "ana").succeeds()
    local = ldap_chat.person("ben")

    def mail_after_reset(email):
        wish = (ldap_chat.server.vault, email, "192.0.2.1", "https://chat.example.com")
        ldap_chat.write(actions.people.password_reset.request, *wish, ["ldap:ldap"])
        rows = ldap_chat.read(lambda tx: tx.all("SELECT kind FROM outbox ORDER BY id DESC"))
        return rows[0]["kind"]

    assert mail_after_reset("ana@example.com") == "password-elsewhere"
    assert mail_after_reset(local.email) == "password-reset"


@pytest.mark.on_one
@pytest.mark.parametrize(
    "typed, password, about, why",
    [
        (
            "ana",
            SESAME,
            {"l": "Paris"},
            "AccountNotAdmitted; the entry lacks the values of required_attr",
        ),
        ("ana", SESAME, {"employeeType": "TRUE"}, "LoginDeactivated"),
        ("ana", "wrong", {}, "the directory refuses the password"),
        ("ben", SESAME, {}, "no entry fits what was typed, or several do"),
    ],
)
def test_the_log_has_the_reason_of_a_refused_login(ldap_chat, slapd, typed, password, about, why):
    dn = slapd.add_person("ana", **about)

    with capture_logs() as lines:
        assert logs_in(ldap_chat, typed, password).status == 401

    (line,) = [each for each in lines if each["event"].startswith(("sso.", "ldap."))]
    assert line["event"] in ("sso.login_refused", "ldap.password_refused")
    assert "ldap:ldap" in (line.get("provider"), line.get("directory"))
    assert line.get("dn") == (dn if typed == "ana" else None)
    assert line["reason"].startswith(why)
    assert "ben" not in str(line)


@pytest.mark.on_one
def test_the_log_says_where_an_address_was_searched(ldap_chat, slapd):
    dn = slapd.add_person("ana", mail=None)

    with capture_logs() as lines:
        fails_to_log_in(ldap_chat, "ana")

    (line,) = [each for each in lines if each["event"] == "ldap.entry_without_email"]
    assert (line["dn"], line["attribute"]) == (dn, "mail")
