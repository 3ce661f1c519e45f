"""Passkeys as a second factor: signed for us, for this login, by a device that is known."""

import html
import json
import re

from playwright.sync_api import expect
from tests.support.browser import Browser
from tests.support.browser_user import address
from tests.support.passkeys import SoftPasskey

from tertulia import locale

ENGLISH = locale.texts("en")
GERMAN = locale.texts("de")

SESAME = "open sesame"
CODE = "/accounts/login/code/"
PATH = "/users/me/second_factor/passkeys"


def with_passkey(chat, name="ana"):
    person = chat.person(name, password=SESAME)
    key = SoftPasskey(f"http://{chat.host}")
    begun = person.post(f"{PATH}/begin", password=SESAME).succeeds()
    given = {"state": begun["state"], "name": "My key", "answer": key.is_made(begun["options"])}
    codes = person.post(PATH, **given).succeeds()["recovery_codes"]
    return person, key, codes


def asked(chat, browser, person):
    """The second step: its state, and what a passkey is asked."""
    page = browser.logs_in(person.email, SESAME).body.decode()
    return read(page)


def read(page):
    (state,) = re.findall(r'name="state" value="([^"]*)"', page)
    (options,) = re.findall(r'data-passkey="([^"]*)"', page)
    return state, json.loads(html.unescape(options))


def test_a_passkey_is_a_second_factor_after_the_password(chat):
    ana, key, codes = with_passkey(chat)
    browser = Browser(chat)

    state, options = asked(chat, browser, ana)
    came = browser.submits(CODE, {"state": state, "passkey": key.answers(options)})

    assert came.status == 303
    assert len(codes) == 10
    response = ana.get("/users/me/second_factor").succeeds()
    assert (response["is_on"], response["has_app"]) == (True, False)
    assert [(each["name"], each["last_used"] is None) for each in response["passkeys"]] == [
        ("My key", False)
    ]
    other = Browser(chat)
    state, _ = asked(chat, other, ana)
    assert other.submits(CODE, {"state": state, "code": codes[0]}).status == 303


def test_passkey_responses_of_another_login_are_refused(chat):
    ana, key, _ = with_passkey(chat)
    browser = Browser(chat)
    state, options = asked(chat, browser, ana)
    former = key.answers(options)
    stranger = SoftPasskey(key.site)
    stranger.name = key.name

    odd = {
        "another origin": lambda options: key.answers(options, origin="https://evil.example"),
        "a subdomain": lambda options: key.answers(options, origin=f"http://x.{chat.host}"),
        "another kind": lambda options: key.answers(options, type="webauthn.create"),
        "another challenge": lambda options: key.answers(options, challenge="AAAA"),
        "another host": lambda options: key.answers(options | {"rpId": "evil.example"}),
        "another key": stranger.answers,
    }
    for why, response in odd.items():
        page = browser.submits(CODE, {"state": state, "passkey": response(options)})
        assert page.status == 401, why
        chat.server.clock.move(minutes=10)
        state, options = read(page.body.decode())
    replayed = browser.submits(CODE, {"state": state, "passkey": former})
    state, _ = read(replayed.body.decode())
    nonsense = browser.submits(CODE, {"state": state, "passkey": "{}"})

    assert (replayed.status, nonsense.status) == (401, 401)
    assert "session" not in browser.cookies


def test_a_passkey_whose_counter_goes_back_is_refused(chat):
    ana, key, _ = with_passkey(chat)
    browser, copy = Browser(chat), Browser(chat)
    state, options = asked(chat, browser, ana)
    assert browser.submits(CODE, {"state": state, "passkey": key.answers(options)}).status == 303

    key.count = 0
    state, options = asked(chat, copy, ana)
    refused = copy.submits(CODE, {"state": state, "passkey": key.answers(options)})

    assert refused.status == 401


def test_only_the_owner_adds_and_removes_a_passkey(chat):
    ana, key, _ = with_passkey(chat)
    ben = chat.person("ben", password=SESAME)
    begun = ana.post(f"{PATH}/begin", password=SESAME).succeeds()
    another = SoftPasskey(key.site)
    given = {"state": begun["state"], "name": "x", "answer": another.is_made(begun["options"])}
    (known,) = ana.get("/users/me/second_factor").succeeds()["passkeys"]

    ana.post(f"{PATH}/begin", password="a guess").fails("Wrong password!")
    ben.post(PATH, **given).fails(
        "This login has expired; please begin again", code="LOGIN_EXPIRED"
    )
    ana.post(PATH, **given).succeeds()
    again = ana.post(PATH, **given)
    ben.delete(f"{PATH}/{known['id']}", password=SESAME).fails("No such passkey")
    ana.delete(f"{PATH}/{known['id']}", password="a guess").fails("Wrong password!")
    ana.delete(f"{PATH}/{known['id']}", password=SESAME).succeeds()

    assert again.json["code"] == "LOGIN_EXPIRED"
    (left,) = ana.get("/users/me/second_factor").succeeds()["passkeys"]
    assert left["name"] == "x"
    ana.delete(f"{PATH}/{left['id']}", password=SESAME).succeeds()
    assert Browser(chat).logs_in(ana.email, SESAME).status == 303


def test_an_invalid_response_registers_no_passkey(chat):
    ana = chat.person("ana", password=SESAME)
    for response in ("nonsense", "{}", None):
        begun = ana.post(f"{PATH}/begin", password=SESAME).succeeds()
        evil = SoftPasskey("https://evil.example").is_made(begun["options"])
        tried = ana.post(PATH, state=begun["state"], name="x", answer=response or evil)
        tried.fails("What your browser says of this passkey cannot be used")

    assert not ana.get("/users/me/second_factor").succeeds()["is_on"]


def test_a_browser_registers_a_passkey_and_logs_in_with_it(page_chat, browse):
    ana = page_chat.person("ana", password=SESAME)
    at_anas = browse(ana)
    page = at_anas.page
    device = at_anas.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "isUserVerified": True}
    options |= {"hasUserVerification": True, "automaticPresenceSimulation": True}
    device.send("WebAuthn.addVirtualAuthenticator", {"options": options})

    page.goto(address(page_chat, "/accounts/second_factor/passkey/"))
    page.get_by_label(ENGLISH("login.passkey-name")).fill("My laptop")
    page.get_by_label("Password").fill(SESAME)
    page.get_by_role("button", name=ENGLISH("login.add-passkey")).click()
    expect(page.locator("ul.codes li")).to_have_count(10)
    at_anas.context.clear_cookies()
    page.goto(address(page_chat, "/login/?next=/accounts/second_factor/"))
    page.get_by_label("Email").fill(ana.email)
    page.get_by_label("Password").fill(SESAME)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name=ENGLISH("login.use-passkey")).click()

    expect(page.get_by_role("button", name="Remove the passkey My laptop")).to_be_visible()


def test_a_wrong_password_is_named_in_the_language_of_the_page(page_chat, browse):
    ana = page_chat.person("ana", password=SESAME)
    ana.patch("/settings", default_language="de").succeeds()
    page = browse(ana, locale="de").page
    page.goto(address(page_chat, "/accounts/second_factor/passkey/"))

    page.get_by_label(GERMAN("login.passkey-name")).fill("Laptop")
    page.get_by_label(GERMAN("login.password"), exact=True).fill("something else")
    page.get_by_role("button", name=GERMAN("login.add-passkey")).click()

    expect(page.get_by_role("alert")).to_have_text(GERMAN("login.passkey-wrong-password"))
