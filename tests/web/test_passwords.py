"""Forgotten passwords and new addresses: links that work once and do not reveal accounts."""

import pytest
from tests.support.browser import Browser, text_of
from tests.support.fake_smtp import link_in, text_in
from tests.support.fake_tokens import forged
from tests.support.people import Chat

from tertulia import actions, locale
from tertulia.database.tx import Tx
from tertulia.domain.people.one_time_links import PASSWORD

ENGLISH = locale.texts("en")

BETTER = "lentils, always lentils"
FORGOTTEN = "/accounts/password/reset/"


def new_user(chat, name="ana", **about):
    """With an address that no other scene writes to."""
    return chat.person(name, email=f"{name}@{chat.host}.example", **about)


def asks(chat, email):
    return Browser(chat).submits(FORGOTTEN, {"email": email})


def test_a_reset_mail_leads_to_a_new_password(mail_chat, smtp):
    ana = new_user(mail_chat)
    elsewhere = Browser.of(ana)

    requested = asks(mail_chat, ana.email)
    link = link_in(smtp.last_mail_to(ana.email, mail_chat))
    shown = Browser(mail_chat).opens(link)
    saved = Browser(mail_chat).submits(link, {"password": BETTER})

    assert ENGLISH("login.link-sent-explained") in text_of(requested)
    assert ana.email in text_of(shown)
    assert saved.headers["Location"] == "/login/?password_changed"
    assert Browser(mail_chat).logs_in(ana.email, BETTER).status == 303
    assert elsewhere.calls("GET", "/users/me").status == 401
    ana.get("/users/me").succeeds()


def test_a_reset_link_is_valid_once_and_a_newer_one_replaces_it(mail_chat, smtp):
    ana = new_user(mail_chat)
    asks(mail_chat, ana.email)
    first = link_in(smtp.last_mail_to(ana.email, mail_chat))
    smtp.received.clear()
    asks(mail_chat, ana.email)
    second = link_in(smtp.last_mail_to(ana.email, mail_chat))

    assert Browser(mail_chat).opens(first).status == 404
    for _ in range(2):
        assert Browser(mail_chat).opens(second).status == 200  # as a program that looks for viruses
    assert Browser(mail_chat).submits(second, {"password": BETTER}).status == 303
    assert (
        Browser(mail_chat).submits(second, {"password": "another, even better one"}).status == 404
    )
    assert Browser(mail_chat).logs_in(ana.email, BETTER).status == 303


def test_a_reset_link_is_valid_for_a_day_in_its_organization_only(chat):
    ana = new_user(chat)
    key = chat.write(actions.people.password_reset.create_link, chat.server.vault, None, ana.id)
    elsewhere = Chat.found(chat.server)

    assert Browser(elsewhere).opens(f"{FORGOTTEN}{key}/").status == 404
    assert Browser(chat).opens(f"/accounts/confirm_new_email/{key}").status == 404
    assert Browser(chat).opens(f"{FORGOTTEN}{forged(key)}/").status == 404
    assert Browser(chat).opens(f"{FORGOTTEN}{key}/").status == 200
    chat.server.clock.move(hours=25)
    assert Browser(chat).opens(f"{FORGOTTEN}{key}/").status == 404


@pytest.mark.parametrize("who", ["nobody", "gone", "bot"])
def test_the_reset_page_does_not_reveal_accounts(mail_chat, smtp, who):
    ana = new_user(mail_chat)
    gone, bot = new_user(mail_chat, "gone"), new_user(mail_chat, "bot", bot="generic", owner=ana)
    mail_chat.write(actions.people.users.deactivate, gone.id)
    other = f"{who}@{mail_chat.host}.example"
    assert bot.email != gone.email

    known, unknown = asks(mail_chat, ana.email), asks(mail_chat, other)

    assert (known.status, known.body) == (unknown.status, unknown.body)
    mail_text = smtp.last_mail_to(other, mail_chat)
    assert "There is no account with this address" in text_in(mail_text)
    assert "/reset/" not in text_in(mail_text)


def test_account_mails_to_one_address_share_a_limit(mail_chat):
    """For any kind of request and in any organization: one address receives them."""
    mail_chat.set("invite_required", False)
    beside = Chat.found(mail_chat.server)
    beside.set("invite_required", False)
    email = f"zoe@{mail_chat.host}.example"

    def register(chat: Chat) -> int:
        return Browser(chat).submits("/register/", {"email": email}).status

    def find() -> int:
        return Browser(mail_chat).submits("/accounts/find/", {"email": email.upper()}).status

    responses = [asks(mail_chat, email).status, register(beside)]
    refused = [
        asks(mail_chat, email).status,
        register(mail_chat),
        find(),
        asks(beside, email).status,
    ]
    other = asks(mail_chat, f"other@{mail_chat.host}.example").status
    mail_chat.server.clock.move(hours=1.1)

    assert responses == [200, 200]
    assert refused == [429, 429, 429, 429]
    assert (other, find(), register(mail_chat), asks(mail_chat, email).status) == (
        200,
        200,
        200,
        429,
    )


@pytest.mark.parametrize("name", ["ana", "nobody"])
def test_reset_mails_to_one_address_are_limited(mail_chat, name):
    new_user(mail_chat)
    email = f"{name}@{mail_chat.host}.example"

    responses = [asks(mail_chat, email).status for _ in range(3)]
    mail_chat.server.clock.move(hours=1.1)

    assert responses == [200, 200, 429]
    assert asks(mail_chat, email.upper()).status == 200


def test_without_mail_the_reset_page_has_no_form(chat):
    page = Browser(chat).opens(FORGOTTEN)

    assert ENGLISH("login.forgotten-without-mail") in text_of(page)
    assert b"<form" not in page.body


def test_a_user_whose_password_was_ended_gets_a_reset_mail(mail_chat, smtp):
    ana = new_user(mail_chat, password="open sesame")

    mail_chat.person("boss", role="owner").delete(f"/users/{ana.id}/password").succeeds()
    link = link_in(smtp.last_mail_to(ana.email, mail_chat))

    assert Browser(mail_chat).logs_in(ana.email, "open sesame").status == 401
    assert Browser(mail_chat).submits(link, {"password": BETTER}).status == 303
    assert Browser(mail_chat).logs_in(ana.email, BETTER).status == 303


@pytest.mark.parametrize(
    "password, problem",
    [
        ("short", "login.password-too-short"),
        ("password1", "login.password-too-easy"),
        ("x" * 101, "login.password-too-long"),
    ],
)
def test_a_weak_password_is_refused_and_the_link_stays_valid(chat, password, problem):
    ana = new_user(chat)
    key = chat.write(actions.people.password_reset.create_link, chat.server.vault, None, ana.id)

    page = Browser(chat).submits(f"{FORGOTTEN}{key}/", {"password": password})

    assert page.status == 400
    assert ENGLISH(problem) in text_of(page)
    assert Browser(chat).opens(f"{FORGOTTEN}{key}/").status == 200


def test_a_password_reset_can_replace_the_api_key(chat):
    ana = new_user(chat)
    key = chat.write(actions.people.password_reset.create_link, chat.server.vault, None, ana.id)

    Browser(chat).submits(f"{FORGOTTEN}{key}/", {"password": BETTER, "renew_key": "1"})

    assert ana.get("/users/me").status == 401


def test_an_administrator_can_create_a_reset_link(chat):
    ana, admin = new_user(chat), new_user(chat, "admin", role="admin")
    owner, bot = (
        new_user(chat, "owner", role="owner"),
        new_user(chat, "bot", bot="generic", owner=ana),
    )

    link = admin.post(f"/users/{ana.id}/password_link").succeeds()["link"]

    path = link.removeprefix(f"http://{chat.host}")
    assert Browser(chat).submits(path, {"password": BETTER}).status == 303
    ana.post(f"/users/{admin.id}/password_link").fails("Insufficient permission")
    admin.post(f"/users/{owner.id}/password_link").fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )
    admin.post(f"/users/{bot.id}/password_link").fails(
        "A bot logs in with its key and has no password."
    )
    far = new_user(Chat.found(chat.server), "far")
    owner.post(f"/users/{far.id}/password_link").fails("No such user")


@pytest.mark.parametrize("change", ["demoted", "deactivated", "it leads to an owner"])
def test_a_created_reset_link_is_valid_while_its_creator_has_the_permission(chat, change):
    ana, admin = new_user(chat), new_user(chat, "admin", role="admin")
    owner = new_user(chat, "owner", role="owner")
    link = admin.post(f"/users/{ana.id}/password_link").succeeds()["link"]
    path = link.removeprefix(f"http://{chat.host}")
    assert Browser(chat).opens(path).status == 200

    if change == "demoted":
        owner.patch(f"/users/{admin.id}", role=400).succeeds()
    elif change == "deactivated":
        owner.delete(f"/users/{admin.id}").succeeds()
    else:
        owner.patch(f"/users/{ana.id}", role=100).succeeds()

    assert Browser(chat).opens(path).status == 404
    assert Browser(chat).submits(path, {"password": BETTER}).status == 404
    assert Browser(chat).logs_in(ana.email, BETTER).status != 303


def test_another_site_cannot_submit_the_reset_form(chat):
    ana = new_user(chat)
    key = chat.write(actions.people.password_reset.create_link, chat.server.vault, None, ana.id)

    page = Browser(chat).submits(
        f"{FORGOTTEN}{key}/", {"password": BETTER}, **{"Sec-Fetch-Site": "cross-site"}
    )

    assert page.status == 403


def test_the_database_contains_no_reset_key(chat):
    ana = new_user(chat)
    key = chat.write(actions.people.password_reset.create_link, chat.server.vault, None, ana.id)

    rows = chat.read(
        lambda tx: tx.all(
            "SELECT fingerprint, email FROM one_time_link WHERE realm_id = :realm AND purpose = :p",
            p=PASSWORD,
        )
    )

    assert key.encode() not in b"".join(bytes(row["fingerprint"]) for row in rows)


# --- a new address ---


def test_a_new_address_takes_effect_after_confirmation(mail_chat, smtp):
    ana = new_user(mail_chat)
    old, new = ana.email, f"anna@{mail_chat.host}.example"

    ana.patch("/settings", email=new).succeeds()
    assert ana.record.email == old
    link = link_in(smtp.last_mail_to(new, mail_chat))
    shown = Browser(mail_chat).opens(link)
    Browser(mail_chat).submits(link)

    assert new in text_of(shown)
    assert ana.record.email == new
    assert f"now has the address {new}" in text_in(smtp.last_mail_to(old, mail_chat))
    assert Browser(mail_chat).submits(link).status == 404


def test_an_address_change_does_not_reveal_taken_addresses(mail_chat, smtp):
    ana, ben = new_user(mail_chat), new_user(mail_chat, "ben")

    free = ana.patch("/settings", email=f"anna@{mail_chat.host}.example")
    taken = ana.patch("/settings", email=ben.email)

    assert (free.status, free.body) == (taken.status, taken.body) == (200, free.body)
    assert "You have an account with this address" in text_in(
        smtp.last_mail_to(ben.email, mail_chat)
    )
    assert ana.record.email != ben.email
    ana.patch("/settings", email="somebody@else.example").fails(
        "API usage exceeded rate limit", code="RATE_LIMIT_HIT", status=429
    )


def test_an_address_taken_before_confirmation_is_refused(mail_chat, smtp):
    ana, new = new_user(mail_chat), f"anna@{mail_chat.host}.example"
    ana.patch("/settings", email=new).succeeds()
    link = link_in(smtp.last_mail_to(new, mail_chat))
    mail_chat.person("anna", email=new)

    assert Browser(mail_chat).submits(link).status == 404
    assert ana.record.email != new


@pytest.mark.parametrize("happens", ["password", "another address", "deactivated", "closed"])
def test_a_pending_address_change_is_cancelled(mail_chat, smtp, happens):
    """Who had got hold of a session must not come back by a link that they have asked for."""
    ana, evil = new_user(mail_chat, password="open sesame"), f"evil@{mail_chat.host}.example"
    admin = mail_chat.person("admin", role="owner")
    ana.patch("/settings", email=evil).succeeds()
    link = link_in(smtp.last_mail_to(evil, mail_chat))

    match happens:
        case "password":
            ana.patch("/settings", old_password="open sesame", new_password=BETTER).succeeds()
        case "another address":
            new = f"anna@{mail_chat.host}.example"
            admin.patch(f"/users/{ana.id}", new_email=new).succeeds()
        case "deactivated":
            admin.delete(f"/users/{ana.id}").succeeds()
            admin.post(f"/users/{ana.id}/reactivate").succeeds()
        case "closed":
            admin.patch("/realm", email_changes_disabled=True).succeeds()
    taken = Browser(mail_chat).submits(link)

    assert taken.status in (400, 404)
    assert ana.record.email != evil


def test_a_hundred_reset_requests_from_one_address_are_allowed(mail_chat):
    def all_of_them_ask(tx: Tx) -> None:
        for number in range(100):
            email = f"p{number}@{mail_chat.host}.example"
            actions.people.password_reset.request(
                tx, mail_chat.server.vault, email, "127.0.0.1", "http://x"
            )

    mail_chat.write(all_of_them_ask)

    assert asks(mail_chat, f"one-more@{mail_chat.host}.example").status == 429


def test_changing_the_password_by_api_can_replace_the_key(chat):
    ana = new_user(chat, password="open sesame")

    response = ana.patch(
        "/settings", old_password="open sesame", new_password=BETTER, new_api_key=True
    ).succeeds()

    assert ana.get("/users/me").status == 401
    assert len(response["api_key"]) == 32
    other = new_user(chat, "ben", password="open sesame")
    other.patch("/settings", old_password="open sesame", new_password="password1").fails(
        "New password is too weak!"
    )
