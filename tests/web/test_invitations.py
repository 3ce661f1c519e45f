"""Joining: by an invitation or by signing up, and what one finds then."""

import pytest
from tests.support.browser import Browser, text_of
from tests.support.fake_smtp import link_in, text_in
from tests.support.people import Chat

from tertulia import actions
from tertulia.domain.people.invitations import Terms
from tertulia.web.translations import ENGLISH

LENTILS = "lentils, always lentils"


def fresh(chat, name):
    return f"{name}@{chat.host}.example"


def invited(chat, post, inviter, email, **terms):
    """The path of the link in a mail."""
    inviter.post("/invites", **{"invitee_emails": email, "stream_ids": []} | terms).succeeds()
    return link_in(post.last_mail_to(email, chat))


def link_for_many(chat, admin, **terms):
    made = admin.post("/invites/multiuse", **terms).succeeds()["invite_link"]
    return made.removeprefix(f"http://{chat.host}")


def joins(chat, path, name="Cleo", **fields):
    browser = Browser(chat)
    answer = browser.submits(path, {"full_name": name, "password": LENTILS, **fields})
    return browser, answer


def me(browser):
    return browser.calls("GET", "/users/me").succeeds()


def test_an_invitation_assigns_role_channels_and_groups(mailing, post):
    admin, cleo = (
        mailing.person("admin", role="admin", channels=["kitchen"]),
        fresh(mailing, "cleo"),
    )
    group = admin.post(
        "/user_groups/create", name="cooks", description="", members=[admin.id]
    ).succeeds()["group_id"]
    kitchen = mailing.channel("kitchen").id
    ears = admin.listens_for("message")
    link = invited(
        mailing, post, admin, cleo, invite_as=300, stream_ids=[kitchen], group_ids=[group]
    )

    page = Browser(mailing).opens(link)
    browser, answer = joins(mailing, link)

    assert cleo in page.body.decode()
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    assert me(browser).items() >= {"full_name": "Cleo", "role": 300, "delivery_email": cleo}.items()
    subscribed = browser.calls("GET", "/users/me/subscriptions").succeeds()["subscriptions"]
    assert [each["name"] for each in subscribed] == ["kitchen"]
    members = admin.get(f"/user_groups/{group}/members").succeeds()["members"]
    assert me(browser)["user_id"] in members
    assert "accepted your invitation to join" in ears.next()["message"]["content"]
    assert admin.get("/invites").succeeds()["invites"] == []


def test_an_invitation_is_valid_once_and_for_its_address(mailing, post):
    ana, cleo = mailing.person("ana"), fresh(mailing, "cleo")
    link = invited(mailing, post, ana, cleo)

    browser, _ = joins(mailing, link, email="boss@example.com")

    assert me(browser)["delivery_email"] == cleo
    assert joins(mailing, link)[1].status == 404
    elsewhere = Chat.found(mailing.server)
    other = invited(mailing, post, ana, fresh(mailing, "dora"))
    assert joins(elsewhere, other)[1].status == 404


@pytest.mark.parametrize("ending", ["revoked", "expired", "inviter gone", "inviter demoted"])
def test_revoked_and_expired_invitations_are_refused(mailing, post, ending):
    owner = mailing.person("owner", role="owner")
    admin = mailing.person("admin", role="admin")
    link = invited(mailing, post, admin, fresh(mailing, "cleo"), invite_as=200)
    (number,) = (each["id"] for each in admin.get("/invites").succeeds()["invites"])

    if ending == "revoked":
        admin.delete(f"/invites/{number}").succeeds()
    elif ending == "expired":
        mailing.server.clock.move(hours=241)
    elif ending == "inviter gone":
        owner.delete(f"/users/{admin.id}").succeeds()
    else:
        owner.patch(f"/users/{admin.id}", role=400).succeeds()

    assert joins(mailing, link)[1].status == 404


@pytest.mark.parametrize("lost", ["role", "permission"])
def test_invitations_of_a_user_who_lost_the_permission_are_invalid(mailing, post, lost):
    owner = mailing.person("owner", role="owner")
    admin = mailing.person("admin", role="admin")
    for_many = link_for_many(mailing, admin)
    by_mail = invited(mailing, post, admin, fresh(mailing, "cleo"))
    joins(mailing, for_many, email=fresh(mailing, "dora"))
    confirmation = link_in(post.last_mail_to(fresh(mailing, "dora"), mailing))

    if lost == "role":
        owner.patch(f"/users/{admin.id}", role=600).succeeds()
    else:
        for right in ("create_multiuse_invite_group", "can_invite_users_group"):
            owner.patch("/realm", **{right: {"new": mailing.group("nobody")}}).succeeds()

    for link in (by_mail, confirmation, for_many):
        assert joins(mailing, link, email=fresh(mailing, "eve"))[1].status == 404, link
    there = {each["user_id"] for each in owner.get("/users").succeeds()["members"]}
    assert there == {owner.id, admin.id}


def test_channels_and_groups_the_inviter_lost_are_not_assigned(mailing, post):
    owner = mailing.person("owner", role="owner")
    admin = mailing.person("admin", role="admin", channels=["kitchen"])
    mailing.permit("can_manage_all_groups", "administrators")
    cellar = {"name": "cellar", "subscribers": [owner.id, admin.id], "invite_only": True}
    closed = owner.post("/channels/create", **cellar).succeeds()["id"]
    made = {"name": "chiefs", "description": "", "members": [owner.id]}
    group = owner.post("/user_groups/create", **made).succeeds()["group_id"]
    places = {"stream_ids": [mailing.channel("kitchen").id, closed], "group_ids": [group]}
    link = invited(mailing, post, admin, fresh(mailing, "cleo"), **places)
    terms = Terms(channel_ids=(closed,), group_ids=(group,))
    vault, dora = mailing.server.vault, fresh(mailing, "dora")
    by_operator = mailing.write(
        actions.people.invitations.create_as_operator, vault, dora, terms, None
    )

    owner.patch(f"/users/{admin.id}", role=400).succeeds()
    admin.leaves("cellar")
    cleo, _ = joins(mailing, link)
    dora, _ = joins(mailing, f"/join/{by_operator}/", "Dora")

    def channels_of(browser):
        found = browser.calls("GET", "/users/me/subscriptions").succeeds()["subscriptions"]
        return [each["name"] for each in found]

    assert channels_of(cleo) == ["kitchen"]
    assert channels_of(dora) == ["cellar"]
    members = owner.get(f"/user_groups/{group}/members").succeeds()["members"]
    assert members == [owner.id, me(dora)["user_id"]]


def test_a_reusable_link_requires_a_confirmed_address(mailing, post):
    admin, cleo = mailing.person("admin", role="admin"), fresh(mailing, "cleo")
    link = link_for_many(mailing, admin, invite_as=600)

    asked = Browser(mailing).submits(link, {"email": cleo})
    confirmation = link_in(post.last_mail_to(cleo, mailing))
    browser, _ = joins(mailing, confirmation)

    assert ENGLISH["sign_up_sent_explained"] in text_of(asked)
    assert me(browser).items() >= {"role": 600, "delivery_email": cleo}.items()
    assert joins(mailing, confirmation)[1].status == 404
    assert Browser(mailing).opens(link).status == 200


def test_a_sign_up_fails_once_its_invitation_link_is_revoked(mailing, post):
    admin, cleo = mailing.person("admin", role="admin"), fresh(mailing, "cleo")
    link = link_for_many(mailing, admin)
    Browser(mailing).submits(link, {"email": cleo})
    confirmation = link_in(post.last_mail_to(cleo, mailing))
    (number,) = (each["id"] for each in admin.get("/invites").succeeds()["invites"])

    admin.delete(f"/invites/multiuse/{number}").succeeds()

    assert joins(mailing, confirmation)[1].status == 404


def test_without_mail_an_invitation_link_needs_no_confirmation(chat):
    admin = chat.person("admin", role="admin")
    link = link_for_many(chat, admin)

    browser, _ = joins(chat, link, email="cleo@example.com")

    assert me(browser)["delivery_email"] == "cleo@example.com"
    _, again = joins(chat, link, "Cleo Two", email="cleo@example.com")
    assert again.status == 400
    assert ENGLISH["email_taken"] in text_of(again)


def test_an_open_organization_accepts_sign_ups(mailing, post):
    mailing.person("admin", role="admin")
    mailing.set("invite_required", False)
    cleo = fresh(mailing, "cleo")
    assert "/register/" in Browser(mailing).opens("/login/").body.decode()

    Browser(mailing).submits("/register/", {"email": cleo})
    browser, _ = joins(mailing, link_in(post.last_mail_to(cleo, mailing)))

    assert me(browser)["role"] == 400
    subscribed = browser.calls("GET", "/users/me/subscriptions").succeeds()["subscriptions"]
    assert "general" in {each["name"] for each in subscribed}


def test_sign_up_rules_are_checked_again_at_confirmation(mailing, post):
    mailing.set("invite_required", False)
    owner, cleo = mailing.person("owner", role="owner"), fresh(mailing, "cleo")
    old = Browser(mailing).opens("/join/a-link-that-is-no-longer-good/")
    Browser(mailing).submits("/register/", {"email": cleo})
    link = link_in(post.last_mail_to(cleo, mailing))

    owner.post("/realm/domains", domain="house.example", allow_subdomains=False).succeeds()
    mailing.set("emails_restricted_to_domains", True)
    outside = [
        Browser(mailing).submits("/register/", {"email": fresh(mailing, "dora")}),
        joins(mailing, link)[1],
    ]
    mailing.set("emails_restricted_to_domains", False)
    start_session = joins(mailing, link)[1]
    Browser(mailing).submits("/register/", {"email": fresh(mailing, "dora")})
    link = link_in(post.last_mail_to(fresh(mailing, "dora"), mailing))
    mailing.refuse_passwords()
    without_passwords = joins(mailing, link, "Dora")[1]

    assert old.headers["Location"] == "/register/"
    assert [each.status for each in (*outside, without_passwords)] == [400, 400, 400]
    assert all("domain" in text_of(each) for each in outside)
    assert "password" in text_of(without_passwords)
    assert start_session.status == 303


def test_a_closed_organization_requires_an_invitation(mailing, post):
    page = Browser(mailing).opens("/register/")
    refused = Browser(mailing).submits("/register/", {"email": fresh(mailing, "cleo")})

    assert ENGLISH["invitation_needed"] in text_of(page)
    assert refused.status == 401 or refused.status == 400
    assert not post.mails_to(fresh(mailing, "cleo"))


def test_signing_up_does_not_reveal_existing_accounts(mailing, post):
    mailing.set("invite_required", False)
    ben = mailing.person("ben", email=fresh(mailing, "ben"))

    known = Browser(mailing).submits("/register/", {"email": ben.email})
    unknown = Browser(mailing).submits("/register/", {"email": fresh(mailing, "cleo")})

    assert (known.status, known.body) == (unknown.status, unknown.body)
    letter = post.last_mail_to(ben.email, mailing)
    assert "There is an account with this address already" in text_in(letter)
    assert "do_confirm" not in text_in(letter)


def test_confirmation_mails_to_one_address_are_limited(mailing):
    mailing.set("invite_required", False)

    statuses = [
        Browser(mailing).submits("/register/", {"email": fresh(mailing, "cleo")}).status
        for _ in range(3)
    ]

    assert statuses == [200, 200, 429]


def test_an_invalid_name_or_password_keeps_the_invitation(mailing, post):
    link = invited(mailing, post, mailing.person("ana"), fresh(mailing, "cleo"))

    weak = Browser(mailing).submits(link, {"full_name": "Cleo", "password": "password1"})
    unnamed = Browser(mailing).submits(link, {"full_name": "", "password": LENTILS})
    forged = Browser(mailing).submits(
        link, {"full_name": "Cleo", "password": LENTILS}, **{"Sec-Fetch-Site": "cross-site"}
    )

    assert (weak.status, unnamed.status, forged.status) == (400, 400, 403)
    assert ENGLISH["password_too_easy"] in text_of(weak)
    assert joins(mailing, link)[1].status == 303


def test_new_users_get_the_welcome_message(mailing, post):
    admin, cleo = mailing.person("admin", role="admin"), fresh(mailing, "cleo")
    link = invited(
        mailing, post, admin, cleo, welcome_message_custom_text="Bring **soup** and <b>bread</b>."
    )

    browser, _ = joins(mailing, link)

    found = browser.calls(
        "GET", "/messages", anchor="newest", num_before=1, num_after=0, narrow='[["is","dm"]]'
    ).succeeds()["messages"]
    assert f"Welcome to {mailing.realm.name}!" in found[0]["content"]
    assert "<strong>soup</strong> and &lt;b&gt;bread" in found[0]["content"]


def test_invited_users_do_not_see_a_protected_history(mailing, post):
    ana = mailing.person("ana")
    ana.post(
        "/channels/create",
        name="cellar",
        subscribers=[ana.id],
        invite_only=True,
        history_public_to_subscribers=False,
    ).succeeds()
    secret = ana.says("Before your time", to="cellar > x")
    link = invited(
        mailing, post, ana, fresh(mailing, "cleo"), stream_ids=[mailing.channel("cellar").id]
    )

    browser, _ = joins(mailing, link)

    assert browser.calls("GET", f"/messages/{secret.id}").status == 400


def test_the_database_contains_no_invitation_key(mailing):
    key = mailing.write(
        actions.people.invitations.create_link,
        mailing.server.vault,
        mailing.person("admin", role="admin").record,
        Terms(),
    )

    rows = mailing.read(lambda tx: tx.all("SELECT * FROM invitation WHERE realm_id = :realm"))

    assert all(key.encode() not in bytes(row["sealed"]) + bytes(row["fingerprint"]) for row in rows)
