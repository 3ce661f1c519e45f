"""Joining: by an invitation or by signing up, and what one finds then."""

import pytest
from tests.support.browser import Browser, text_of
from tests.support.fake_smtp import link_in, text_in
from tests.support.people import Chat

from tertulia import features, locale
from tertulia.domain.people.invitations import Terms

ENGLISH = locale.texts("en")
GERMAN = locale.texts("de")

LENTILS = "lentils, always lentils"


def fresh(chat, name):
    return f"{name}@{chat.host}.example"


def invited(chat, smtp, inviter, email, **terms):
    """The path of the link in a mail."""
    inviter.post("/invites", **{"invitee_emails": email, "stream_ids": []} | terms).succeeds()
    return link_in(smtp.last_mail_to(email, chat))


def link_for_many(chat, admin, **terms):
    made = admin.post("/invites/multiuse", **terms).succeeds()["invite_link"]
    return made.removeprefix(f"http://{chat.host}")


def joins(chat, path, name="Cleo", **fields):
    browser = Browser(chat)
    response = browser.submits(path, {"full_name": name, "password": LENTILS, **fields})
    return browser, response


def me(browser):
    return browser.calls("GET", "/users/me").succeeds()


def test_an_invitation_assigns_role_channels_and_groups(mail_chat, smtp):
    admin, cleo = (
        mail_chat.person("admin", role="admin", channels=["kitchen"]),
        fresh(mail_chat, "cleo"),
    )
    group = admin.post(
        "/user_groups/create", name="cooks", description="", members=[admin.id]
    ).succeeds()["group_id"]
    kitchen = mail_chat.channel("kitchen").id
    queue = admin.listens_for("message")
    link = invited(
        mail_chat, smtp, admin, cleo, invite_as=300, stream_ids=[kitchen], group_ids=[group]
    )

    page = Browser(mail_chat).opens(link)
    browser, response = joins(mail_chat, link)

    assert cleo in page.body.decode()
    assert (response.status, response.headers["Location"]) == (303, "/")
    assert me(browser).items() >= {"full_name": "Cleo", "role": 300, "delivery_email": cleo}.items()
    subscribed = browser.calls("GET", "/users/me/subscriptions").succeeds()["subscriptions"]
    assert [each["name"] for each in subscribed] == ["kitchen"]
    members = admin.get(f"/user_groups/{group}/members").succeeds()["members"]
    assert me(browser)["user_id"] in members
    assert "accepted your invitation to join" in queue.next()["message"]["content"]
    assert admin.get("/invites").succeeds()["invites"] == []


def test_an_invitation_is_valid_once_and_for_its_address(mail_chat, smtp):
    ana, cleo = mail_chat.person("ana"), fresh(mail_chat, "cleo")
    link = invited(mail_chat, smtp, ana, cleo)

    browser, _ = joins(mail_chat, link, email="boss@example.com")

    assert me(browser)["delivery_email"] == cleo
    assert joins(mail_chat, link)[1].status == 404
    elsewhere = Chat.found(mail_chat.server)
    other = invited(mail_chat, smtp, ana, fresh(mail_chat, "dora"))
    assert joins(elsewhere, other)[1].status == 404


@pytest.mark.parametrize("ending", ["revoked", "expired", "inviter gone", "inviter demoted"])
def test_revoked_and_expired_invitations_are_refused(mail_chat, smtp, ending):
    owner = mail_chat.person("owner", role="owner")
    admin = mail_chat.person("admin", role="admin")
    link = invited(mail_chat, smtp, admin, fresh(mail_chat, "cleo"), invite_as=200)
    (number,) = (each["id"] for each in admin.get("/invites").succeeds()["invites"])

    if ending == "revoked":
        admin.delete(f"/invites/{number}").succeeds()
    elif ending == "expired":
        mail_chat.server.clock.move(hours=241)
    elif ending == "inviter gone":
        owner.delete(f"/users/{admin.id}").succeeds()
    else:
        owner.patch(f"/users/{admin.id}", role=400).succeeds()

    assert joins(mail_chat, link)[1].status == 404


@pytest.mark.parametrize("lost", ["role", "permission"])
def test_invitations_of_a_user_who_lost_the_permission_are_invalid(mail_chat, smtp, lost):
    owner = mail_chat.person("owner", role="owner")
    admin = mail_chat.person("admin", role="admin")
    for_many = link_for_many(mail_chat, admin)
    by_mail = invited(mail_chat, smtp, admin, fresh(mail_chat, "cleo"))
    joins(mail_chat, for_many, email=fresh(mail_chat, "dora"))
    confirmation = link_in(smtp.last_mail_to(fresh(mail_chat, "dora"), mail_chat))

    if lost == "role":
        owner.patch(f"/users/{admin.id}", role=600).succeeds()
    else:
        for right in ("create_multiuse_invite_group", "can_invite_users_group"):
            owner.patch("/realm", **{right: {"new": mail_chat.group("nobody")}}).succeeds()

    for link in (by_mail, confirmation, for_many):
        assert joins(mail_chat, link, email=fresh(mail_chat, "eve"))[1].status == 404, link
    there = {each["user_id"] for each in owner.get("/users").succeeds()["members"]}
    assert there == {owner.id, admin.id}


def test_channels_and_groups_the_inviter_lost_are_not_assigned(mail_chat, smtp):
    owner = mail_chat.person("owner", role="owner")
    admin = mail_chat.person("admin", role="admin", channels=["kitchen"])
    mail_chat.permit("can_manage_all_groups", "administrators")
    cellar = {"name": "cellar", "subscribers": [owner.id, admin.id], "invite_only": True}
    closed = owner.post("/channels/create", **cellar).succeeds()["id"]
    made = {"name": "chiefs", "description": "", "members": [owner.id]}
    group = owner.post("/user_groups/create", **made).succeeds()["group_id"]
    places = {"stream_ids": [mail_chat.channel("kitchen").id, closed], "group_ids": [group]}
    link = invited(mail_chat, smtp, admin, fresh(mail_chat, "cleo"), **places)
    terms = Terms(channel_ids=(closed,), group_ids=(group,))
    vault, dora = mail_chat.server.vault, fresh(mail_chat, "dora")
    by_operator = mail_chat.write(features.invitations.create_as_operator, vault, dora, terms, None)

    owner.patch(f"/users/{admin.id}", role=400).succeeds()
    admin.leaves("cellar")
    cleo, _ = joins(mail_chat, link)
    dora, _ = joins(mail_chat, f"/join/{by_operator}/", "Dora")

    def channels_of(browser):
        found = browser.calls("GET", "/users/me/subscriptions").succeeds()["subscriptions"]
        return [each["name"] for each in found]

    assert channels_of(cleo) == ["kitchen"]
    assert channels_of(dora) == ["cellar"]
    members = owner.get(f"/user_groups/{group}/members").succeeds()["members"]
    assert members == [owner.id, me(dora)["user_id"]]


def test_a_reusable_link_requires_a_confirmed_address(mail_chat, smtp):
    admin, cleo = mail_chat.person("admin", role="admin"), fresh(mail_chat, "cleo")
    link = link_for_many(mail_chat, admin, invite_as=600)

    requested = Browser(mail_chat).submits(link, {"email": cleo})
    confirmation = link_in(smtp.last_mail_to(cleo, mail_chat))
    browser, _ = joins(mail_chat, confirmation)

    assert ENGLISH("login.sign-up-sent-explained") in text_of(requested)
    assert me(browser).items() >= {"role": 600, "delivery_email": cleo}.items()
    assert joins(mail_chat, confirmation)[1].status == 404
    assert Browser(mail_chat).opens(link).status == 200


def test_a_sign_up_fails_once_its_invitation_link_is_revoked(mail_chat, smtp):
    admin, cleo = mail_chat.person("admin", role="admin"), fresh(mail_chat, "cleo")
    link = link_for_many(mail_chat, admin)
    Browser(mail_chat).submits(link, {"email": cleo})
    confirmation = link_in(smtp.last_mail_to(cleo, mail_chat))
    (number,) = (each["id"] for each in admin.get("/invites").succeeds()["invites"])

    admin.delete(f"/invites/multiuse/{number}").succeeds()

    assert joins(mail_chat, confirmation)[1].status == 404


def test_without_mail_an_invitation_link_needs_no_confirmation(chat):
    admin = chat.person("admin", role="admin")
    link = link_for_many(chat, admin)

    browser, _ = joins(chat, link, email="cleo@example.com")

    assert me(browser)["delivery_email"] == "cleo@example.com"
    _, again = joins(chat, link, "Cleo Two", email="cleo@example.com")
    assert again.status == 400
    assert ENGLISH("login.email-taken") in text_of(again)


def test_an_open_organization_accepts_sign_ups(mail_chat, smtp):
    mail_chat.person("admin", role="admin")
    mail_chat.set("invite_required", False)
    cleo = fresh(mail_chat, "cleo")
    assert "/register/" in Browser(mail_chat).opens("/login/").body.decode()

    Browser(mail_chat).submits("/register/", {"email": cleo})
    browser, _ = joins(mail_chat, link_in(smtp.last_mail_to(cleo, mail_chat)))

    assert me(browser)["role"] == 400
    subscribed = browser.calls("GET", "/users/me/subscriptions").succeeds()["subscriptions"]
    assert "general" in {each["name"] for each in subscribed}


def test_sign_up_rules_are_checked_again_at_confirmation(mail_chat, smtp):
    mail_chat.set("invite_required", False)
    owner, cleo = mail_chat.person("owner", role="owner"), fresh(mail_chat, "cleo")
    old = Browser(mail_chat).opens("/join/a-link-that-is-no-longer-good/")
    Browser(mail_chat).submits("/register/", {"email": cleo})
    link = link_in(smtp.last_mail_to(cleo, mail_chat))

    owner.post("/realm/domains", domain="house.example", allow_subdomains=False).succeeds()
    mail_chat.set("emails_restricted_to_domains", True)
    outside = [
        Browser(mail_chat).submits("/register/", {"email": fresh(mail_chat, "dora")}),
        joins(mail_chat, link)[1],
    ]
    mail_chat.set("emails_restricted_to_domains", False)
    start_session = joins(mail_chat, link)[1]
    Browser(mail_chat).submits("/register/", {"email": fresh(mail_chat, "dora")})
    link = link_in(smtp.last_mail_to(fresh(mail_chat, "dora"), mail_chat))
    mail_chat.refuse_passwords()
    without_passwords = joins(mail_chat, link, "Dora")[1]

    assert old.headers["Location"] == "/register/"
    assert [each.status for each in (*outside, without_passwords)] == [400, 400, 400]
    assert all("domain" in text_of(each) for each in outside)
    assert "password" in text_of(without_passwords)
    assert start_session.status == 303


def test_a_closed_organization_requires_an_invitation(mail_chat, smtp):
    page = Browser(mail_chat).opens("/register/")
    refused = Browser(mail_chat).submits("/register/", {"email": fresh(mail_chat, "cleo")})

    assert ENGLISH("login.invitation-needed") in text_of(page)
    assert refused.status == 401 or refused.status == 400
    assert not smtp.mails_to(fresh(mail_chat, "cleo"))


def test_signing_up_does_not_reveal_existing_accounts(mail_chat, smtp):
    mail_chat.set("invite_required", False)
    ben = mail_chat.person("ben", email=fresh(mail_chat, "ben"))

    known = Browser(mail_chat).submits("/register/", {"email": ben.email})
    unknown = Browser(mail_chat).submits("/register/", {"email": fresh(mail_chat, "cleo")})

    assert (known.status, known.body) == (unknown.status, unknown.body)
    mail = smtp.last_mail_to(ben.email, mail_chat)
    assert "There is an account with this address already" in text_in(mail)
    assert "do_confirm" not in text_in(mail)


def test_confirmation_mails_to_one_address_are_limited(mail_chat):
    mail_chat.set("invite_required", False)

    statuses = [
        Browser(mail_chat).submits("/register/", {"email": fresh(mail_chat, "cleo")}).status
        for _ in range(3)
    ]

    assert statuses == [200, 200, 429]


def test_an_invalid_name_or_password_keeps_the_invitation(mail_chat, smtp):
    link = invited(mail_chat, smtp, mail_chat.person("ana"), fresh(mail_chat, "cleo"))

    weak = Browser(mail_chat).submits(link, {"full_name": "Cleo", "password": "password1"})
    unnamed = Browser(mail_chat).submits(link, {"full_name": "", "password": LENTILS})
    forged = Browser(mail_chat).submits(
        link, {"full_name": "Cleo", "password": LENTILS}, **{"Sec-Fetch-Site": "cross-site"}
    )

    assert (weak.status, unnamed.status, forged.status) == (400, 400, 403)
    assert ENGLISH("login.password-too-easy") in text_of(weak)
    assert joins(mail_chat, link)[1].status == 303


def test_new_users_get_the_welcome_message(mail_chat, smtp):
    admin, cleo = mail_chat.person("admin", role="admin"), fresh(mail_chat, "cleo")
    link = invited(
        mail_chat, smtp, admin, cleo, welcome_message_custom_text="Bring **soup** and <b>bread</b>."
    )

    browser, _ = joins(mail_chat, link)

    found = browser.calls(
        "GET", "/messages", anchor="newest", num_before=1, num_after=0, narrow='[["is","dm"]]'
    ).succeeds()["messages"]
    assert f"Welcome to {mail_chat.realm.name}!" in found[0]["content"]
    assert "<strong>soup</strong> and &lt;b&gt;bread" in found[0]["content"]


def test_invited_users_do_not_see_a_protected_history(mail_chat, smtp):
    ana = mail_chat.person("ana")
    ana.post(
        "/channels/create",
        name="cellar",
        subscribers=[ana.id],
        invite_only=True,
        history_public_to_subscribers=False,
    ).succeeds()
    secret = ana.says("Before your time", to="cellar > x")
    link = invited(
        mail_chat, smtp, ana, fresh(mail_chat, "cleo"), stream_ids=[mail_chat.channel("cellar").id]
    )

    browser, _ = joins(mail_chat, link)

    assert browser.calls("GET", f"/messages/{secret.id}").status == 400


def test_the_database_contains_no_invitation_key(mail_chat):
    key = mail_chat.write(
        features.invitations.make_link,
        mail_chat.server.vault,
        mail_chat.person("admin", role="admin").record,
        Terms(),
    )

    rows = mail_chat.read(lambda tx: tx.all("SELECT * FROM invitation WHERE realm_id = :realm"))

    assert all(key.encode() not in bytes(row["sealed"]) + bytes(row["fingerprint"]) for row in rows)


@pytest.mark.parametrize(
    ("full_name", "text"),
    [
        ("", "login.name-empty"),
        ("x" * 101, "login.name-too-long"),
        ("Cleo *the cook*", "login.name-invalid"),
        ("all", "login.name-reserved"),
        ("Ana", "login.name-taken"),
    ],
)
def test_refusals_of_a_name_are_in_the_language_of_the_browser(mail_chat, smtp, full_name, text):
    link = invited(mail_chat, smtp, mail_chat.person("ana"), fresh(mail_chat, "cleo"))
    mail_chat.set("require_unique_names", True)

    refused = Browser(mail_chat).submits(
        link, {"full_name": full_name, "password": LENTILS}, **{"Accept-Language": "de"}
    )

    assert refused.status == 400
    assert GERMAN(text) in text_of(refused)


def test_refusals_of_an_address_are_in_the_language_of_the_browser(mail_chat):
    mail_chat.person("ana", role="owner").post(
        "/realm/domains", domain="house.example", allow_subdomains=False
    ).succeeds()
    mail_chat.set("invite_required", False)

    def refusal(email):
        return text_of(
            Browser(mail_chat).submits("/register/", {"email": email}, **{"Accept-Language": "de"})
        )

    mail_chat.set("emails_restricted_to_domains", True)
    outside, plus = refusal("dora@garden.example"), refusal("dora+x@house.example")
    mail_chat.set("emails_restricted_to_domains", False)
    mail_chat.set("disallow_disposable_email_addresses", True)

    assert GERMAN("login.address-outside-domains", email="dora@garden.example") in outside
    assert GERMAN("login.address-with-plus") in plus
    assert GERMAN("login.address-disposable") in refusal("dora@mailinator.com")
