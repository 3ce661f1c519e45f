"""The pages for coming in: a session is made, and nothing is learned by guessing."""

import gzip
import re

import pytest
from tests.support.browser import Browser, text_of
from tests.support.people import Chat

from tertulia import actions
from tertulia.web.login_completion import is_our_path
from tertulia.web.translations import ENGLISH, LANGUAGES

SESAME = "open sesame"


def test_a_password_lets_a_browser_in(chat):
    ana = chat.person("ana", password=SESAME)
    browser = Browser(chat)

    page = browser.opens("/login/")
    came = browser.logs_in(ana.email, SESAME)

    assert re.search(r'<label[^>]*for="username">Email</label>', page.body.decode())
    assert re.search(r'<label[^>]*for="password">Password</label>', page.body.decode())
    assert re.search(r"<button[^>]*>Log in</button>", page.body.decode())
    assert (came.status, came.headers["Location"]) == (303, "/")
    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == ana.id
    assert browser.opens("/login/").headers["Location"] == "/"


def test_the_cookie_is_for_this_host_and_no_script(chat):
    ana = chat.person("ana", password=SESAME)

    plain = Browser(chat).logs_in(ana.email, SESAME).headers["Set-Cookie"]

    assert re.fullmatch(
        r"session=[\w-]{43}; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax", plain
    )


def test_over_https_the_cookie_says_so(start_server):
    chat = Chat.found(start_server(external_url="https://chat.example.com"), "")
    ana = chat.person("ana", password=SESAME)
    browser = Browser(chat)

    cookie = browser.logs_in(ana.email, SESAME).headers["Set-Cookie"]

    assert cookie.startswith("__Host-session=")
    assert cookie.endswith("; Secure")
    assert browser.calls("GET", "/users/me").status == 200
    browser.cookies = {"session": browser.cookies["__Host-session"]}
    assert browser.calls("GET", "/users/me").status == 401


@pytest.mark.parametrize(
    "username", ["ana@example.com", "nobody@example.com", "helper@example.com"]
)
def test_whatever_is_wrong_the_page_is_the_same(chat, username):
    ana = chat.person("ana", password=SESAME)
    chat.person("helper", bot="generic", owner=ana)
    browser = Browser(chat)

    page = browser.logs_in(username, "a guess")

    assert page.status == 401
    assert ENGLISH["wrong_password"] in text_of(page)
    assert not browser.cookies
    assert page.body.replace(username.encode(), b"") == Browser(chat).logs_in(
        "zoe@example.com", "a guess"
    ).body.replace(b"zoe@example.com", b"")


def test_after_five_wrong_ones_a_page_asks_to_wait(chat):
    ana = chat.person("ana", password=SESAME)
    for _ in range(5):
        Browser(chat).logs_in(ana.email, "a guess")

    page = Browser(chat).logs_in(ana.email, SESAME)

    assert page.status == 429
    assert "Try again in 30 minutes" in text_of(page)


def test_an_ended_account_stays_outside(chat):
    ana = chat.person("ana", password=SESAME)
    chat.write(actions.people.deactivate, ana.id)

    page = Browser(chat).logs_in(ana.email, SESAME)

    assert page.status == 401
    assert ENGLISH["account_deactivated"] in text_of(page)


def test_what_was_typed_comes_back_escaped(chat):
    page = Browser(chat).logs_in('"><script>alert(1)</script>', "x")

    assert b"<script>" not in page.body


@pytest.mark.parametrize(
    "wanted, leads_to",
    [
        ("/#narrow/is/dm", "/#narrow/is/dm"),
        ("/user_uploads/2/a/b.png", "/user_uploads/2/a/b.png"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("/ok\r\nSet-Cookie: session=x", "/"),
        ("javascript:alert(1)", "/"),
        ("evil", "/"),
        ("", "/"),
    ],
)
def test_only_addresses_of_ours_are_followed(wanted, leads_to):
    assert is_our_path(wanted) == (wanted == leads_to)


def test_after_logging_in_one_is_only_led_to_pages_of_ours(chat):
    ana = chat.person("ana", password=SESAME)

    ways = [
        Browser(chat).logs_in(ana.email, SESAME, next=wanted).headers["Location"]
        for wanted in ("/#narrow/is/dm", "https://evil.example/", "//evil.example")
    ]

    assert ways == ["/#narrow/is/dm", "/", "/"]


def test_a_cookie_that_somebody_else_has_put_there_is_not_used_on(chat):
    ana, eve = chat.people("ana", "eve", password=SESAME)
    attacker, victim = Browser(chat), Browser(chat)
    attacker.logs_in(eve.email, SESAME)
    victim.cookies = dict(attacker.cookies)

    victim.logs_in(ana.email, SESAME)

    assert victim.cookies != attacker.cookies
    assert victim.calls("GET", "/users/me").succeeds()["user_id"] == ana.id
    assert attacker.calls("GET", "/users/me").status == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "", "Origin": "https://evil.example"},
    ],
    ids=["another site", "a neighbour", "another origin"],
)
def test_another_site_cannot_log_somebody_in(chat, headers):
    ana = chat.person("ana", password=SESAME)
    browser = Browser(chat)

    page = browser.submits("/login/", {"username": ana.email, "password": SESAME}, **headers)

    assert page.status == 403
    assert not browser.cookies


def test_logging_out_ends_the_session_for_good(chat):
    browser = Browser.of(chat.person("ana"))
    kept = dict(browser.cookies)

    left = browser.submits("/accounts/logout/")

    assert left.headers["Location"] == "/login/?logged_out"
    assert not browser.cookies
    browser.cookies = kept
    assert browser.calls("GET", "/users/me").status == 401
    assert browser.opens("/accounts/logout/").status == 405


def test_who_has_several_organizations_is_asked_which(start_server):
    server = start_server(external_url="http://chat.example.com")
    north, south = Chat.found(server, "north"), Chat.found(server, "south")
    north.person("ana")  # without accounts there is the first-run page
    root = Browser(Chat(server, north.realm, "chat.example.com"))

    page = root.opens("/login/")
    known = root.opens("/accounts/go/?subdomain=North")
    unknown = root.opens("/accounts/go/?subdomain=west")
    nowhere = Browser(Chat(server, south.realm, "west.chat.example.com")).opens("/login/")

    assert 'name="subdomain"' in page.body.decode()
    assert known.headers["Location"] == "http://north.chat.example.com/login/"
    assert ENGLISH["no_such_organization"] in text_of(unknown)
    assert nowhere.status == 404
    assert (
        b"http://chat.example.com/accounts/go/"
        in Browser(Chat(server, north.realm, "north.chat.example.com")).opens("/login/").body
    )


def test_a_demo_can_be_looked_at_as_one_of_its_members(start_server):
    chat = Chat.found(start_server(demo=True), "")
    nour = chat.person("nour", email="nour@linterna.example")
    browser = Browser(chat)

    page = browser.opens("/login/")
    browser.submits("/demo/")

    assert "Look around" in text_of(page)
    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == nour.id


def test_nowhere_else_can_one_look_around(chat):
    chat.person("nour", email="nour@linterna.example")
    browser = Browser(chat)

    assert "Look around" not in text_of(browser.opens("/login/"))
    assert browser.submits("/demo/").status == 404


def test_the_page_is_small_and_forbids_what_it_does_not_need(chat):
    browser = Browser(chat, headers={"Accept-Encoding": "gzip"})

    page = browser.opens("/login/")
    styles = [browser.opens(f"/static/css/{name}.css") for name in ("tokens", "login")]

    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert page.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert page.headers["Cache-Control"] == "no-store"
    assert b"<script" not in gzip.decompress(page.body)
    assert b"style=" not in gzip.decompress(page.body)
    assert len(page.body) + sum(len(gzip.compress(each.body)) for each in styles) < 8000


def test_a_page_speaks_the_language_of_its_reader(chat):
    page = Browser(chat, headers={"Accept-Language": "fr, es-AR;q=0.8, en;q=0.5"}).opens("/login/")

    assert b'<html lang="es">' in page.body
    assert "Contraseña" in text_of(page)


def test_every_language_has_every_word():
    assert all(language.keys() == ENGLISH.keys() for language in LANGUAGES.values())


def test_a_form_has_its_bounds(chat):
    browser = Browser(chat)

    page = browser.submits("/login/", {"username": "x" * 100_000, "password": "y"})

    assert page.status == 413
