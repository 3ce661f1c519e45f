"""The pages for coming in: a session is made, and nothing is learned by guessing."""

import gzip
import re

import pytest
from tests.support.browser import Browser, text_of
from tests.support.people import Chat

from tertulia import actions, locale
from tertulia.web.login_completion import is_our_path

ENGLISH = locale.texts("en")

SESAME = "open sesame"

PLACEHOLDER = re.compile(r"\{\w*\}")


def test_a_password_logs_in_a_browser(chat):
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


def test_the_cookie_is_host_only_and_http_only(chat):
    ana = chat.person("ana", password=SESAME)

    plain = Browser(chat).logs_in(ana.email, SESAME).headers["Set-Cookie"]

    assert re.fullmatch(
        r"session=[\w-]{43}; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax", plain
    )


def test_over_https_the_cookie_is_secure(start_server):
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
def test_all_failures_show_the_same_page(chat, username):
    ana = chat.person("ana", password=SESAME)
    chat.person("helper", bot="generic", owner=ana)
    browser = Browser(chat)

    page = browser.logs_in(username, "a guess")

    assert page.status == 401
    assert ENGLISH("login.wrong-password") in text_of(page)
    assert not browser.cookies
    assert page.body.replace(username.encode(), b"") == Browser(chat).logs_in(
        "zoe@example.com", "a guess"
    ).body.replace(b"zoe@example.com", b"")


def test_after_five_failures_the_page_asks_to_wait(chat):
    ana = chat.person("ana", password=SESAME)
    for _ in range(5):
        Browser(chat).logs_in(ana.email, "a guess")

    page = Browser(chat).logs_in(ana.email, SESAME)

    assert page.status == 429
    assert "Try again in 30 minutes" in text_of(page)


def test_a_deactivated_account_cannot_log_in(chat):
    ana = chat.person("ana", password=SESAME)
    chat.write(actions.people.users.deactivate, ana.id)

    page = Browser(chat).logs_in(ana.email, SESAME)

    assert page.status == 401
    assert ENGLISH("login.account-deactivated") in text_of(page)


def test_the_entered_address_is_escaped_in_the_form(chat):
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
def test_only_own_paths_are_redirect_targets(wanted, leads_to):
    assert is_our_path(wanted) == (wanted == leads_to)


def test_after_login_redirects_lead_only_to_own_pages(chat):
    ana = chat.person("ana", password=SESAME)

    ways = [
        Browser(chat).logs_in(ana.email, SESAME, next=wanted).headers["Location"]
        for wanted in ("/#narrow/is/dm", "https://evil.example/", "//evil.example")
    ]

    assert ways == ["/#narrow/is/dm", "/", "/"]


def test_a_planted_session_cookie_is_replaced_at_login(chat):
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
def test_another_site_cannot_submit_the_login_form(chat, headers):
    ana = chat.person("ana", password=SESAME)
    browser = Browser(chat)

    page = browser.submits("/login/", {"username": ana.email, "password": SESAME}, **headers)

    assert page.status == 403
    assert not browser.cookies


def test_logging_out_ends_the_session(chat):
    browser = Browser.of(chat.person("ana"))
    kept = dict(browser.cookies)

    left = browser.submits("/accounts/logout/")

    assert left.headers["Location"] == "/login/?logged_out"
    assert not browser.cookies
    browser.cookies = kept
    assert browser.calls("GET", "/users/me").status == 401
    assert browser.opens("/accounts/logout/").status == 405


def test_a_logout_leads_to_the_page_that_was_asked_for_only_if_it_is_ours(chat):
    ana = chat.person("ana")

    def location(wanted):
        return Browser.of(ana).submits("/logout/", {"next": wanted}).headers["Location"]

    assert (
        location("/oauth/authorize?a=1") == "/login/?logged_out&next=%2Foauth%2Fauthorize%3Fa%3D1"
    )
    assert location("https://evil.example/") == "/login/?logged_out"
    assert location("//evil.example/") == "/login/?logged_out"


def test_the_root_page_asks_for_one_of_several_organizations(start_server):
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
    assert ENGLISH("login.no-such-organization") in text_of(unknown)
    assert nowhere.status == 404
    assert (
        b"http://chat.example.com/accounts/go/"
        in Browser(Chat(server, north.realm, "north.chat.example.com")).opens("/login/").body
    )


def test_a_demo_offers_a_login_as_a_member(start_server):
    chat = Chat.found(start_server(demo=True), "")
    nour = chat.person("nour", email="nour@linterna.example")
    browser = Browser(chat)

    page = browser.opens("/login/")
    browser.submits("/demo/")

    assert "Look around" in text_of(page)
    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == nour.id


def test_servers_without_a_demo_offer_no_demo_login(chat):
    chat.person("nour", email="nour@linterna.example")
    browser = Browser(chat)

    assert "Look around" not in text_of(browser.opens("/login/"))
    assert browser.submits("/demo/").status == 404


def test_the_page_is_small_and_forbids_what_it_does_not_need(chat):
    chat.person("ana")
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


def test_a_page_is_in_the_language_of_the_browser(chat):
    chat.person("ana")
    page = Browser(chat, headers={"Accept-Language": "nl, es-AR;q=0.8, en;q=0.5"}).opens("/login/")

    assert b'<html lang="es" dir="ltr">' in page.body
    assert "Contraseña" in text_of(page)


def test_the_size_of_a_form_is_limited(chat):
    browser = Browser(chat)

    page = browser.submits("/login/", {"username": "x" * 100_000, "password": "y"})

    assert page.status == 413
