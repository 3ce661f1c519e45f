"""Mails about logins, new accounts, and where one has an account."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from tests.support.browser import Browser, text_of
from tests.support.fake_smtp import link_in, text_in
from tests.support.people import Chat

from tertulia import actions, locale
from tertulia.domain.people.sessions import described

ENGLISH = locale.texts("en")

SESAME = "open sesame"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"
FIND = "/accounts/find/"


def new_user(chat, **about):
    ana = chat.person("ana", password=SESAME, email=f"ana@{chat.host}.example", **about)
    chat.server.clock.move(minutes=2)  # a new user expects this login
    return ana


def sent(chat, smtp, email):
    chat.server.deliver("mail")
    return [mail["Subject"] for mail in smtp.mails_to(email)]


def test_a_login_from_a_new_browser_causes_one_mail(mail_chat, smtp):
    ana = new_user(mail_chat)

    for agent in (FIREFOX, FIREFOX, PHONE):
        Browser(mail_chat, headers={"User-Agent": agent}).logs_in(ana.email, SESAME)
    mail_chat.stranger.post("/fetch_api_key", username=ana.email, password=SESAME).succeeds()
    Browser(mail_chat).logs_in(ana.email, "a guess")

    assert sent(mail_chat, smtp, ana.email) == [f"New login at {mail_chat.realm.name}"] * 3
    first = text_in(smtp.mails_to(ana.email)[0])
    assert "With: Firefox, Linux" in first
    assert "From: 127.0.0.1" in first
    assert re.search(r"When: \d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d \(UTC\)", first)
    mail_chat.server.clock.move(hours=24 * 61)
    mail_chat.write(actions.people.login_alerts.delete_expired)
    Browser(mail_chat, headers={"User-Agent": FIREFOX}).logs_in(ana.email, SESAME)
    assert len(sent(mail_chat, smtp, ana.email)) == 4


def test_the_time_of_a_login_is_in_the_language_and_zone_of_the_user(mail_chat, smtp):
    ana = new_user(mail_chat, settings={"default_language": "de"})
    ana.patch("/settings", timezone="Europe/Berlin").succeeds()
    there = datetime.fromtimestamp(mail_chat.server.clock(), ZoneInfo("Europe/Berlin"))

    Browser(mail_chat).logs_in(ana.email, SESAME)

    sent(mail_chat, smtp, ana.email)
    (mail,) = smtp.mails_to(ana.email)
    assert f"Wann: {there.day}. " in text_in(mail)
    assert f"{there:%Y, %H:%M} (Europe/Berlin)" in text_in(mail)


def test_login_mails_can_be_turned_off(mail_chat, smtp):
    ana = new_user(mail_chat, settings={"enable_login_emails": False})

    Browser(mail_chat).logs_in(ana.email, SESAME)

    assert sent(mail_chat, smtp, ana.email) == []


@pytest.mark.parametrize(
    "agent, words",
    [
        (FIREFOX, "Firefox, Linux"),
        (PHONE, "Safari, iOS"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"),
        ("ZulipMobile/30.1 (Android 15)", "mobile app, Android"),
        ("curl/8", "?"),
        ("", "?"),
    ],
)
def test_a_browser_is_named_by_its_common_name(agent, words):
    assert described(agent) == words


def test_new_users_get_a_mail_with_the_login_address(mail_chat, smtp):
    owner, email = mail_chat.person("owner", role="owner"), f"cleo@{mail_chat.host}.example"
    link = owner.post("/invites/multiuse").succeeds()["invite_link"]
    path = "/" + link.split("/", 3)[3]
    Browser(mail_chat).submits(path, {"email": email})
    mail = smtp.last_mail_to(email, mail_chat)
    confirm = link_in(mail)

    mail_chat.server.run_job("missed messages")
    Browser(mail_chat).submits(confirm, {"full_name": "Cleo", "password": "lentils, always"})
    mail_chat.server.run_job("missed messages")
    mail_chat.server.clock.move(minutes=3)
    mail_chat.server.run_job("missed mail")  # not of the greeting, which waits in the inbox

    assert sent(mail_chat, smtp, email)[1:] == [f"Your account at {mail_chat.realm.name}"]
    mail_text = text_in(smtp.mails_to(email)[-1])
    assert email in mail_text
    assert f"http://{mail_chat.host}/" in mail_text


def test_the_find_accounts_mail_lists_the_organizations_of_an_address(mail_chat, smtp):
    ana = new_user(mail_chat)
    other = Chat.found(mail_chat.server)
    other.person("ana", email=ana.email)
    unknown_email = f"nobody@{mail_chat.host}.example"

    known = Browser(mail_chat).submits(FIND, {"email": ana.email})
    unknown = Browser(mail_chat).submits(FIND, {"email": unknown_email})
    bad = Browser(mail_chat).submits(FIND, {"email": "nonsense"})

    assert ENGLISH("login.find-mail-sent") in text_of(known)
    assert known.body == unknown.body
    assert bad.status == 400
    there = text_in(smtp.last_mail_to(ana.email, mail_chat))
    assert f"{mail_chat.realm.name}: http://{mail_chat.host}/" in there
    assert f"{other.realm.name}: http://{other.host}/" in there
    assert "There is none" in text_in(smtp.last_mail_to(unknown_email, mail_chat))


def test_without_mail_the_find_accounts_page_promises_no_mail(chat):
    page = Browser(chat).submits(FIND, {"email": "ana@example.com"})

    assert ENGLISH("login.find-without-mail") in text_of(page)
    assert ENGLISH("login.find-mail-sent") not in text_of(page)
